package job

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/sim/check"
	"github.com/gcnsim/gcnsim/sim/timing"
	"github.com/gcnsim/gcnsim/state"
)

// diagnostic is a finding of package check. Keys that mean nothing for a finding are left
// out; a finding about a setting has no instruction.
type diagnostic struct {
	Kind     string     `json:"kind"`
	Severity string     `json:"severity"`
	Inst     *uint64    `json:"inst,omitempty"`
	PC       *address   `json:"pc,omitempty"`
	Text     string     `json:"text,omitempty"`
	Lane     *int       `json:"lane,omitempty"`
	Reg      string     `json:"reg,omitempty"`
	Space    string     `json:"space,omitempty"`
	Addr     *address   `json:"addr,omitempty"`
	Message  string     `json:"message"`
	Field    string     `json:"field,omitempty"`
	Producer *producer  `json:"producer,omitempty"`
	Symbol   string     `json:"symbol,omitempty"`
	Source   string     `json:"source,omitempty"`
	Group    *[3]uint32 `json:"group,omitempty"` // left out if it is 0,0,0
	Wave     int        `json:"wave,omitempty"`
	Count    uint64     `json:"count,omitempty"` // left out if it is 1
	Fix      string     `json:"fix,omitempty"`
	Rule     string     `json:"rule,omitempty"`
}

// producer is the earlier instruction of a pair.
type producer struct {
	PC     address    `json:"pc"`
	Inst   uint64     `json:"inst"`
	Group  *[3]uint32 `json:"group,omitempty"` // left out if it is that of the finding
	Wave   int        `json:"wave"`
	Text   string     `json:"text"`
	Symbol string     `json:"symbol,omitempty"`
	Source string     `json:"source,omitempty"`
}

func producerOf(f *check.Finding) *producer {
	from := f.Producer
	if from == nil {
		return nil
	}
	p := &producer{PC: address(from.PC), Inst: from.Index, Wave: from.Wave, Text: from.Text, Symbol: from.Symbol, Source: from.Source}
	if from.Group != f.Group {
		p.Group = &from.Group
	}
	return p
}

// checkOptions are how strictly a request wants to be judged: see [check.Options].
type checkOptions struct {
	Flat    string `json:"flat"`
	Barrier string `json:"barrier"`
	XNACK   bool   `json:"xnack"`
	SRAMECC bool   `json:"sramecc"`
	// MaxBytes bounds the memory that looking for races, and for undefined values, takes.
	MaxBytes count64 `json:"max_bytes"`
}

// options returns what o asks for.
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

// checkKeys are the keys of a request that say what is judged and how.
type checkKeys struct {
	Check        []string     `json:"check"`
	CheckOptions checkOptions `json:"check_options"`
	Suppressions []string     `json:"suppressions"`
}

// checker returns what looks for the kinds of findings that a request or o names, nil if they
// name none.
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
	Diagnostics *[]diagnostic `json:"diagnostics,omitempty"`
	Unexecuted  []unexecuted  `json:"unexecuted,omitempty"`
	// More is how many instructions Unexecuted leaves out.
	More         int           `json:"unexecuted_more,omitempty"`
	Suppressions []suppression `json:"suppressions,omitempty"`

	// Findings are what Diagnostics says, Missed what Unexecuted does and Suppressed what
	// Suppressions does. Checked says whether anything was looked for.
	Findings   []check.Finding     `json:"-"`
	Missed     []check.Site        `json:"-"`
	Suppressed []check.Suppression `json:"-"`
	Checked    bool                `json:"-"`
	Base       uint64              `json:"-"` // what PCs count from in the file of a code object
}

// unexecuted is an instruction that no wave executed.
type unexecuted struct {
	PC     address `json:"pc"`
	Text   string  `json:"text"`
	Source string  `json:"source,omitempty"`
}

// suppression is one of the request, and how many findings it left out.
type suppression struct {
	Text     string `json:"suppression"`
	Findings int    `json:"findings"`
}

// judgement returns what c says of a run in which PCs count from base, an empty list of
// diagnostics if c is nil.
func judgement(c *check.Checker, base uint64) (j Judgement) {
	if c != nil {
		j.Findings, j.Suppressed, j.Checked = c.Findings(), c.Suppressed(), true
		j.Missed, j.More = c.Unexecuted()
	}
	j.Base, j.Diagnostics = base, diagnosticsOf(j.Findings)
	for _, m := range j.Missed {
		j.Unexecuted = append(j.Unexecuted, unexecuted{address(m.PC), m.Text, m.Source})
	}
	for _, s := range j.Suppressed {
		j.Suppressions = append(j.Suppressions, suppression{s.Text, s.Findings})
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

// Error is that of what happened.
func (e *StoppedError) Error() string { return e.Err.Error() }

// Unwrap returns what happened.
func (e *StoppedError) Unwrap() error { return e.Err }

// stopped returns err, of a run that has counted res, with what c knows, which may be nil.
func (o *Options) stopped(err error, res *sim.Result, c *check.Checker, run Run) error {
	RaisedBy(err, cmp.Or(o.LimitBy, limitKey))
	if res == nil {
		return err
	}
	e := &StoppedError{Err: err, Judgement: judgement(c, run.Base), Result: res}
	e.Missed, e.Unexecuted, e.More = nil, nil, 0
	if len(e.Findings) == 0 { // then answers do not speak of checks
		e.Diagnostics, e.Suppressions, e.Suppressed = nil, nil, nil
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

// diagnosticsOf turns findings into diagnostics.
func diagnosticsOf(findings []check.Finding) *[]diagnostic {
	all := []diagnostic{}
	for i := range findings {
		f := &findings[i]
		d := diagnostic{
			Kind: string(f.Kind), Severity: f.Severity.String(), Text: f.Text, Message: f.Message, Field: f.Field,
			Addr: (*address)(f.Addr), Wave: f.Wave, Fix: f.Fix, Rule: f.Rule,
			Reg: f.Reg, Space: f.Space, Producer: producerOf(f), Symbol: f.Symbol, Source: f.Source,
		}
		if f.Text != "" {
			d.Inst, d.PC = &f.Index, (*address)(&f.PC)
		}
		if f.Lane != state.NoLane {
			d.Lane = &f.Lane
		}
		if f.Group != [3]uint32{} {
			d.Group = &f.Group
		}
		if f.Count > 1 {
			d.Count = f.Count
		}
		all = append(all, d)
	}
	return &all
}
