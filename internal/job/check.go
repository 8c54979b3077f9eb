package job

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/sim/check"
	"github.com/gcnsim/gcnsim/sim/timing"
)

// checkOptions say how strictly checks judge a request: see [check.Options].
type checkOptions struct {
	Flat    string `json:"flat"`
	Barrier string `json:"barrier"`
	XNACK   bool   `json:"xnack"`
	SRAMECC bool   `json:"sramecc"`
	// MaxBytes bounds the memory that looking for races, and for undefined values, takes.
	MaxBytes count64 `json:"max_bytes"`
}

// options returns o as options of a checker.
func (o *checkOptions) options() (c check.Options, err error) {
	for _, x := range []struct {
		name, value, known string
		set                *bool
	}{{"flat", o.Flat, "both", &c.FlatBoth}, {"barrier", o.Barrier, "drain", &c.BarrierDrain}} {
		if x.value != "" && x.value != x.known {
			return c, fmt.Errorf("%s: %q is not known; known is %q", x.name, x.value, x.known)
		}
		*x.set = x.value != ""
	}
	c.XNACK, c.SRAMECC, c.MaxBytes = o.XNACK, o.SRAMECC, uint64(o.MaxBytes)
	return c, nil
}

// checkKeys are the keys of a request that say what is checked and how.
type checkKeys struct {
	Check        []string     `json:"check"`
	CheckOptions checkOptions `json:"check_options"`
	Suppressions []string     `json:"suppressions"`
}

// checker returns a checker for the kinds of findings that a request and o name, nil if both name no
// kinds.
func (k *checkKeys) checker(o *Options) (*check.Checker, error) {
	options, err := k.CheckOptions.options()
	if err != nil {
		return nil, fmt.Errorf("check_options: %w", err)
	}
	suppressions := slices.Clip(o.Suppressions)
	for i, text := range k.Suppressions {
		s, err := check.ParseSuppression(text, 0)
		if err != nil {
			return nil, fmt.Errorf("suppressions[%d]: %w", i, err)
		}
		suppressions = append(suppressions, s)
	}
	names := append(slices.Clip(k.Check), o.Check...)
	if len(names) == 0 {
		const nothing = "nothing is checked, so "
		const unchecked, flagged = nothing + "they have no effect; give check", nothing + "it has no effect; give --check, or check in the file"
		switch {
		case o.Judged:
			return nil, &FlagError{"fail-on", errors.New(flagged)}
		case o.Suppressions != nil:
			return nil, &FlagError{"suppressions", errors.New(flagged)}
		case k.CheckOptions != (checkOptions{}):
			return nil, errors.New("check_options: " + unchecked)
		case len(suppressions) > 0:
			return nil, errors.New("suppressions: " + unchecked)
		}
		return nil, nil
	}
	c, err := check.New(names...)
	if err != nil {
		return nil, fmt.Errorf("check: %w", err)
	}
	c.Options = options
	c.Options.Suppressions = suppressions
	return c, nil
}

// noInit makes the contents of buffers undefined.
func noInit(c *check.Checker, buffers []*sim.Buffer) error {
	for _, b := range buffers {
		if c == nil || !c.NoInit(b) {
			return errors.New("noinit: undefined values are not looked for, so it has no effect; give check uninit")
		}
	}
	return nil
}

// Judgement is what checks say of a run.
type Judgement struct {
	// Findings is nil in an answer that does not speak of checks, and empty if there are none.
	Findings []check.Finding `json:"diagnostics,omitzero"`
	Missed   missed          `json:"unexecuted,omitempty"`
	// More is how many instructions Missed leaves out.
	More       int                 `json:"unexecuted_more,omitempty"`
	Suppressed []check.Suppression `json:"suppressions,omitempty"`

	Checked bool   `json:"-"` // something was looked for
	Base    uint64 `json:"-"` // what PCs count from in the file of a code object
}

// missed are the instructions that no wave executed.
type missed []check.Site

// MarshalJSON returns a list of places of instructions.
func (m missed) MarshalJSON() ([]byte, error) {
	type place struct {
		PC     address `json:"pc"`
		Text   string  `json:"text"`
		Source string  `json:"source,omitempty"`
	}
	places := make([]place, len(m))
	for i := range m {
		places[i] = place{address(m[i].PC), m[i].Text, m[i].Source}
	}
	return Marshal(places)
}

// judgement returns what c says of a run in which PCs count from base. If c is nil, nothing was
// found.
func judgement(c *check.Checker, base uint64) Judgement {
	j := Judgement{Findings: []check.Finding{}, Base: base}
	if c != nil {
		j.Findings, j.Suppressed, j.Checked = append(j.Findings, c.Findings()...), c.Suppressed(), true
		j.Missed, j.More = c.Unexecuted()
	}
	return j
}

// StoppedError is why a run that had begun ended early, with what it had counted and checks had
// found until then. It does not say what the run had not reached.
type StoppedError struct {
	Err error
	Judgement
	Result *sim.Result
	// Model is nil without timing, if nobody watches the run, and if waves cannot be timed to where
	// they were.
	Model *timing.Result
}

// Error returns the text of the error that ended the run.
func (e *StoppedError) Error() string { return e.Err.Error() }

// Unwrap returns the error that ended the run.
func (e *StoppedError) Unwrap() error { return e.Err }

// stopped returns err, which has ended a run that had counted res, with what c had found. c may be nil.
func (o *Options) stopped(err error, res *sim.Result, c *check.Checker, run Run) error {
	RaisedBy(err, cmp.Or(o.LimitBy, limitKey))
	if res == nil {
		return err
	}
	e := &StoppedError{Err: err, Judgement: judgement(c, run.Base), Result: res}
	e.Missed, e.More = nil, 0
	if len(e.Findings) == 0 { // then answers do not speak of checks
		e.Findings, e.Suppressed = nil, nil
	}
	if run.Model != nil && o.Watch != nil {
		e.Model, _ = run.Model.Finish() // what is left may wait for what has failed
	}
	return e
}

// foundBefore returns what checks had found before err.
func foundBefore(err error) (j Judgement) {
	if f, ok := errors.AsType[*StoppedError](err); ok {
		j = f.Judgement
	}
	return j
}
