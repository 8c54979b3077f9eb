package trace

import (
	"fmt"

	"github.com/gcnsim/gcnsim/sim/check"
)

// finding is a finding in the form of the page. Its addresses are relative to the base of the report.
type finding struct {
	check.Finding
	ID string // id of the HTML element
}

// addFindings adds each finding to the line of its instruction. Findings about settings are added to v.Settings.
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

// Summary returns the number of findings as text.
func (v *view) Summary() string { return check.Summary(v.Findings) }

// Columns returns the number of columns of the listing.
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
