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

// FailOn is the severity from which on a finding makes a command fail.
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

// Set reads the value of the flag.
func (f *FailOn) Set(s string) error {
	i := slices.Index(severities(), s)
	if i < 0 {
		return fmt.Errorf("%q is no severity; known are %s", s, strings.Join(severities(), ", "))
	}
	f.severity, f.set = known[i], true
	return nil
}

// known are the severities, those of programs first, the mildest of them before the others.
var known = [...]check.Severity{check.Note, check.Warning, check.Error, check.Doubt}

// severities are the names of known.
func severities() (names []string) {
	for _, s := range known {
		names = append(names, s.String())
	}
	return names
}

// String returns the severity, "" if there is none.
func (f *FailOn) String() string {
	if !f.set {
		return ""
	}
	return f.severity.String()
}

// Type is the name of the value in help.
func (f *FailOn) Type() string { return "SEVERITY" }

// From returns the severity, nil if there is none.
func (f *FailOn) From() *check.Severity {
	if !f.set {
		return nil
	}
	return &f.severity
}

// Args returns the flag as a command line has it.
func (f *FailOn) Args() []string {
	if !f.set {
		return nil
	}
	return []string{"--fail-on=" + f.String()}
}

// Checks is an error of usage if f is set and a dispatch checks nothing.
func (f *FailOn) Checks(_ context.Context, d *spec.Dispatch, _ *spec.Options) error {
	if !f.set || len(d.Check) > 0 {
		return nil
	}
	return &request.FlagError{Flag: "fail-on", Err: request.ErrUnchecked}
}

// See takes note of an answer of exec. It may be called at the same time by several.
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

// Seen is [FailOn.Judge] of all that See has seen. It is an error of usage if requests ran and none
// had a check.
func (f *FailOn) Seen() error {
	switch {
	case f.failed.Load():
		return ErrFailed
	case f.set && f.ran.Load() && !f.checked.Load():
		return f.unchecked("request")
	}
	return nil
}

// Needs is an error of usage if f is set and nothing is checked of what is called so.
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

// unchecked is the error of usage that no request, or what else there are, has a check.
func (f *FailOn) unchecked(what string) error {
	return &request.FlagError{Flag: "fail-on", Err: fmt.Errorf("no %s has a check, so it has no effect; give check",
		what)}
}

// Judge returns [ErrFailed] if findings are as bad as f says.
func (f *FailOn) Judge(findings []check.Finding) error {
	if f.set && slices.ContainsFunc(findings, func(x check.Finding) bool { return x.Severity >= f.severity }) {
		return ErrFailed
	}
	return nil
}
