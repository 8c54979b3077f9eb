package trace

import (
	"fmt"

	"github.com/gcnsim/gcnsim/handbook"
	"github.com/gcnsim/gcnsim/sim/check"
)

// finding is a finding of package check as the page shows it. Its addresses count from the base of the
// report.
type finding struct {
	check.Finding
	ID    string // of the element
	Rule  string // as messages cite it
	By    string // the wave that executed it, "" if it is the first one
	After *after
}

// after is the earlier instruction of a pair.
type after struct {
	PC, Text, Source string
	By               string // the wave that executed it, "" if it is the wave of the finding
}

// addFindings adds each finding to the line of its instruction. Findings about settings go to v.Settings.
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

// finding returns f with what the page says of it.
func (v *view) finding(f *check.Finding) finding {
	shown := finding{Finding: f.From(v.Base), By: f.Executor(&check.Site{})}
	if rule, ok := handbook.Lookup(f.Rule); ok {
		shown.Rule = rule.Cite()
	}
	if p := shown.Producer; p != nil {
		shown.After = &after{fmt.Sprintf("0x%04x", p.PC), p.Text, p.Source, p.Executor(&f.Site)}
	}
	return shown
}

// Summary says how many findings there are.
func (v *view) Summary() string { return check.Summary(v.Findings) }

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
