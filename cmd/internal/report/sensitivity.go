package report

import (
	"fmt"
	"io"

	"github.com/gcnsim/gcnsim/internal/sim/timing"
	"github.com/gcnsim/gcnsim/internal/tool/plural"
	"github.com/gcnsim/gcnsim/sim/spec"
)

// leastMove is by how many percent a parameter must move the cycles to have a line.
const leastMove = 0.05

// sensitivity shows how much each assumed parameter moves the cycles, if a caller asks for it.
func (o *Options) sensitivity(out io.Writer, res *spec.Result) {
	if !o.Sensitivity || res.Times == nil {
		return
	}
	if o.Timing == spec.NotTimed && !o.Stats {
		fmt.Fprintf(out, "\n%s\n", Took(timing.ResultOf(res.Times)))
	}
	fmt.Fprintf(out, "\nwhat an assumed parameter that is a quarter less, or a quarter more, makes of %d cycles:\n",
		res.Times.Cycles)
	rest := 0
	for i := range res.Sensitivity {
		s := &res.Sensitivity[i]
		if s.Most() < leastMove {
			rest++
			continue
		}
		fmt.Fprintf(out, "  %-14s %6v  %18s  %18s\n", s.Name, s.Value, moved(s.Less), moved(s.More))
	}
	if rest > 0 {
		fmt.Fprintf(out, "  %s: less than %.2f %%\n", plural.Of(rest, "other"), leastMove)
	}
}

// moved says what a changed parameter makes of the cycles.
func moved(m *spec.Moved) string {
	if m == nil {
		return "cannot be had"
	}
	return fmt.Sprintf("%d: %+.1f %%", m.Value, m.Percent)
}
