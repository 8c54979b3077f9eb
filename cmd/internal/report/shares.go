package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/gcnsim/gcnsim/internal/sim/timing"
	"github.com/gcnsim/gcnsim/internal/tool/plural"
	"github.com/gcnsim/gcnsim/sim/spec"
)

// WriteShares writes a line with the causes on which waves spent their time, in descending order. Causes below half a
// percent are omitted.
func WriteShares(w io.Writer, r *timing.Result) error {
	stalls, total := r.Stalls, r.Busy
	for _, n := range stalls {
		total += n
	}
	share := func(n uint64) string { return fmt.Sprintf("%.1f%%", 100*float64(n)/float64(max(total, 1))) }
	var b strings.Builder
	fmt.Fprintf(&b, "of the time of waves: issuing %s", share(r.Busy))
	for range stalls {
		most := 0
		for why, n := range stalls {
			if n > stalls[most] {
				most = why
			}
		}
		if 200*stalls[most] < total {
			break
		}
		fmt.Fprintf(&b, ", %v %s", timing.Stall(most), share(stalls[most]))
		stalls[most] = 0
	}
	_, err := fmt.Fprintln(w, b.String())
	return err
}

// leastMove is the least change of the cycles, in percent, for which a parameter is listed.
const leastMove = 0.05

// sensitivity lists how much each assumed parameter changes the cycles, if the options ask for it.
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

// moved describes the effect of a changed parameter on the cycles.
func moved(m *spec.Moved) string {
	if m == nil {
		return "cannot be had"
	}
	return fmt.Sprintf("%d: %+.1f %%", m.Value, m.Percent)
}
