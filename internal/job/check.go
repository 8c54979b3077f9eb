package job

import (
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
	Addr     *address   `json:"addr,omitempty"`
	Message  string     `json:"message"`
	Field    string     `json:"field,omitempty"`
	Group    *[3]uint32 `json:"group,omitempty"` // left out if it is 0,0,0
	Wave     int        `json:"wave,omitempty"`
	Count    uint64     `json:"count,omitempty"` // left out if it is 1
	Fix      string     `json:"fix,omitempty"`
	Rule     string     `json:"rule,omitempty"`
}

// checker returns what looks for the kinds of findings that a request names, nil if it
// names none.
func checker(names []string) (*check.Checker, error) {
	if len(names) == 0 {
		return nil, nil
	}
	c, err := check.New(names...)
	if err != nil {
		return nil, fmt.Errorf("check: %w", err)
	}
	return c, nil
}

// findingsOf returns what c found, nothing if c is nil.
func findingsOf(c *check.Checker) []check.Finding {
	if c == nil {
		return nil
	}
	return c.Findings()
}

// diagnosticsOf turns findings into diagnostics.
func diagnosticsOf(findings []check.Finding) *[]diagnostic {
	all := []diagnostic{}
	for i := range findings {
		f := &findings[i]
		d := diagnostic{
			Kind: string(f.Kind), Severity: f.Severity.String(), Text: f.Text, Message: f.Message, Field: f.Field,
			Addr: (*address)(f.Addr), Wave: f.Wave, Fix: f.Fix, Rule: f.Rule,
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
