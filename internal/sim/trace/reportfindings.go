package trace

import (
	"fmt"

	"github.com/gcnsim/gcnsim/sim/check"
)

// finding is a finding as the page shows it. Its addresses count from the base of the report.
type finding struct {
	check.Finding
	ID string // of the element
}

// addFindings adds each finding to the line of its instruction. Findings about settings go to v.Settings.
func (v *view) addFindings() {
	lines := make(map[uint64]*line, len(v.Lines))
	for i := range v.Lines {
		lines[v.Lines[i].at] = &v.Lines[i]
	}
	for i := range v.Findings {
		f := finding{v.Findings[i].From(v.Base), fmt.Sprintf("finding%d", i+1)}
		if l := lines[v.Findings[i].PC]; l != nil && f.Text != "" {
			l.Findings = append(l.Findings, f)
		} else {
			v.Settings = append(v.Settings, f)
		}
	}
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
