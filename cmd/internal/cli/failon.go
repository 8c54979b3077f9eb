package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/spf13/cobra"

	"github.com/gcnsim/gcnsim/cmd/internal/request"
	"github.com/gcnsim/gcnsim/sim/check"
	"github.com/gcnsim/gcnsim/sim/spec"
)

// FailOn is the value of --fail-on: the least severity of findings that makes a command fail.
type FailOn struct {
	severity check.Severity
	set      bool

	ran, checked, failed atomic.Bool // set by See
}

// Add adds --fail-on to cmd.
func (f *FailOn) Add(cmd *cobra.Command) {
	cmd.Flags().Var(f, "fail-on", "exit with status 1 if there is a finding of this severity or a worse one: note, "+
		"warning, error; doubt is any")
	Completes(cmd, "fail-on", severities()...)
}

// Set parses the flag's value.
func (f *FailOn) Set(s string) error {
	i := slices.Index(severities(), s)
	if i < 0 {
		return fmt.Errorf("%q is no severity; known are %s", s, strings.Join(severities(), ", "))
	}
	f.severity, f.set = known[i], true
	return nil
}

// known are the severities in the order of help texts.
var known = [...]check.Severity{check.Note, check.Warning, check.Error, check.Doubt}

// severities returns the names of known.
func severities() (names []string) {
	for _, s := range known {
		names = append(names, s.String())
	}
	return names
}

// String returns the severity, or "" if the flag is not set.
func (f *FailOn) String() string {
	if !f.set {
		return ""
	}
	return f.severity.String()
}

// Type returns the value's name in help texts.
func (f *FailOn) Type() string { return "SEVERITY" }

// From returns the severity, or nil if the flag is not set.
func (f *FailOn) From() *check.Severity {
	if !f.set {
		return nil
	}
	return &f.severity
}

// Args returns the flag as command-line arguments.
func (f *FailOn) Args() []string {
	if !f.set {
		return nil
	}
	return []string{"--fail-on=" + f.String()}
}

// Checks returns an error of usage if f is set but a dispatch checks nothing.
func (f *FailOn) Checks(_ context.Context, d *spec.Dispatch, _ *spec.Options) error {
	if !f.set || len(d.Check) > 0 {
		return nil
	}
	return &request.FlagError{Flag: "fail-on", Err: request.ErrUnchecked}
}

// See records an answer of exec. It is safe for concurrent use.
func (f *FailOn) See(reply *spec.Reply) {
	if reply.OK {
		f.ran.Store(true)
	}
	if reply.Checked {
		f.checked.Store(true)
	}
	if f.Judge(reply.Findings) != nil {
		f.failed.Store(true)
	}
}

// Seen is [FailOn.Judge] for all recorded answers. It is an error of usage if requests were executed and none had
// checks.
func (f *FailOn) Seen() error {
	switch {
	case f.failed.Load():
		return ErrFailed
	case f.set && f.ran.Load() && !f.checked.Load():
		return f.unchecked("request")
	}
	return nil
}

// Needs returns an error of usage if f is set but checked is false. what names the checked things.
func (f *FailOn) Needs(checked func() (bool, error), what string) error {
	if !f.set {
		return nil
	}
	some, err := checked()
	if err == nil && !some {
		err = f.unchecked(what)
	}
	return err
}

// unchecked returns the error of usage that nothing was checked. what names the checked things.
func (f *FailOn) unchecked(what string) error {
	return &request.FlagError{Flag: "fail-on", Err: fmt.Errorf("no %s has a check, so it has no effect; give check",
		what)}
}

// Judge returns [ErrFailed] if a finding has at least f's severity.
func (f *FailOn) Judge(findings []check.Finding) error {
	if f.set && slices.ContainsFunc(findings, func(x check.Finding) bool { return x.Severity >= f.severity }) {
		return ErrFailed
	}
	return nil
}
