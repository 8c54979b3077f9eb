package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/gcnsim/gcnsim/internal/sim/timing"
)

// WriteShares writes in one line what waves spent their time on, the most first; causes of
// less than half a percent are left out.
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
