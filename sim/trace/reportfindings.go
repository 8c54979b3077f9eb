package trace

import (
	"fmt"

	"github.com/gcnsim/gcnsim/handbook"
	"github.com/gcnsim/gcnsim/internal/findings"
	"github.com/gcnsim/gcnsim/sim/check"
)

// finding is one of package check as the page shows it.
type finding struct {
	ID                  string // of the element
	Severity, Kind      string
	About, Message, Fix string
	Rule                string // as messages cite it
	Seen                string // by which wave, if not by the first one
	Count               uint64
	After               *after
}

// after is the earlier instruction of a pair.
type after struct{ PC, Text, Seen string }

// addFindings puts the findings beside the lines that they are about.
func (v *view) addFindings() {
	lines := make(map[uint64]*line, len(v.Lines))
	for i := range v.Lines {
		lines[v.Lines[i].at] = &v.Lines[i]
	}
	for i := range v.Findings {
		f := &v.Findings[i]
		shown := v.finding(f)
		shown.ID = fmt.Sprintf("finding%d", i+1)
		if l := lines[f.PC]; l != nil && f.Text != "" {
			l.Findings = append(l.Findings, shown)
		} else {
			v.Settings = append(v.Settings, shown)
		}
	}
}

func (v *view) finding(f *check.Finding) finding {
	at := f.From(v.Base)
	shown := finding{Severity: f.Severity.String(), Kind: string(f.Kind), About: findings.Subject(f.Lane, f.Addr, f.Field, f.Reg, f.Space), Message: at.Message, Fix: at.Fix, Count: f.Count}
	if rule, ok := handbook.Lookup(f.Rule); ok {
		shown.Rule = rule.Cite()
	}
	here := findings.Wave{Group: f.Group, Wave: f.Wave}
	shown.Seen = findings.Seen("", here, findings.Wave{}) // the source stands in the line
	if p := at.Producer; p != nil {
		shown.After = &after{fmt.Sprintf("0x%04x", p.PC), p.Text, findings.Seen(p.Source, findings.Wave{Group: p.Group, Wave: p.Wave}, here)}
	}
	return shown
}

// Summary says how many findings there are.
func (v *view) Summary() string {
	return findings.Summary(len(v.Findings), func(i int) string { return v.Findings[i].Severity.String() })
}

// Columns is how many columns the listing has.
func (v *view) Columns() int {
	n := 7 // pc, instruction, count, its bar, lanes, bytes, space
	if v.Times != nil {
		n += 6 // cycle, stall, for, busy, done, time
	}
	if v.Sources {
		n++
	}
	if v.Out > 0 {
		n++
	}
	return n
}
