package job

import (
	"errors"
	"fmt"

	"github.com/gcnsim/gcnsim/sim/check"
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
	Source string     `json:"source,omitempty"`
}

func producerOf(f *check.Finding) *producer {
	from := f.Producer
	if from == nil {
		return nil
	}
	p := &producer{PC: address(from.PC), Inst: from.Index, Wave: from.Wave, Text: from.Text, Source: from.Source}
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
}

// checker returns what looks for the kinds of findings that a request names, nil if it
// names none.
func checker(names []string, o *checkOptions) (*check.Checker, error) {
	options, err := check.NamedOptions(o.Flat, o.Barrier)
	if err != nil {
		return nil, fmt.Errorf("check_options: %w", err)
	}
	options.XNACK, options.SRAMECC = o.XNACK, o.SRAMECC
	if len(names) == 0 {
		if *o != (checkOptions{}) {
			return nil, errors.New("check_options: nothing is checked, so they have no effect; give check")
		}
		return nil, nil
	}
	c, err := check.New(names...)
	if err != nil {
		return nil, fmt.Errorf("check: %w", err)
	}
	c.Options = options
	return c, nil
}

// findingsOf returns what c found, nothing if c is nil.
func findingsOf(c *check.Checker) []check.Finding {
	if c == nil {
		return nil
	}
	return c.Findings()
}

// FoundError is why a run ended early, with what checks had found until then.
type FoundError struct {
	Err      error
	Findings []check.Finding
}

// Error is that of what happened.
func (e *FoundError) Error() string { return e.Err.Error() }

// Unwrap returns what happened.
func (e *FoundError) Unwrap() error { return e.Err }

// found returns err with what c found, if it found something.
func found(err error, c *check.Checker) error {
	if findings := findingsOf(c); len(findings) > 0 {
		return &FoundError{err, findings}
	}
	return err
}

// foundBefore returns what checks had found before err.
func foundBefore(err error) ([]check.Finding, *[]diagnostic) {
	var f *FoundError
	if !errors.As(err, &f) {
		return nil, nil
	}
	return f.Findings, diagnosticsOf(f.Findings)
}

// diagnosticsOf turns findings into diagnostics.
func diagnosticsOf(findings []check.Finding) *[]diagnostic {
	all := []diagnostic{}
	for i := range findings {
		f := &findings[i]
		d := diagnostic{
			Kind: string(f.Kind), Severity: f.Severity.String(), Text: f.Text, Message: f.Message, Field: f.Field,
			Addr: (*address)(f.Addr), Wave: f.Wave, Fix: f.Fix, Rule: f.Rule,
			Reg: f.Reg, Space: f.Space, Producer: producerOf(f), Source: f.Source,
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
