package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/gcnsim/gcnsim/cmd/internal/boards"
	"github.com/gcnsim/gcnsim/cmd/internal/boards/run"
	"github.com/gcnsim/gcnsim/sim/timing"
)

// choice is a value of each parameter that figures of boards decide.
type choice struct{ bubble, batch, gap int }

func (c choice) set(p *timing.Params) {
	run.Change(p, "RowBubble", func(int) int { return c.bubble })
	run.Change(p, "WriteBatch", func(int) int { return c.batch })
	run.Change(p, "BurstGap", func(v int) int {
		if v != 0 { // of HBM2
			return c.gap
		}
		return 0
	})
}

// choices are the values of parameters that are tried. BurstGap is not tried in all combinations: one board
// has figures that depend on it.
func choices() (all []choice) {
	for _, bubble := range []int{750, 1500, 2250} {
		for _, batch := range []int{8, 16, 32} {
			all = append(all, choice{bubble, batch, 8})
		}
	}
	for _, gap := range []int{1, 16} {
		all = append(all, choice{1500, 16, gap})
	}
	return all
}

// fitAll predicts each board with the parameters that fit the other boards best, by the
// mean of the errors without their signs. Arithmetic and latencies have no such parameter.
func fitAll(ctx context.Context, w io.Writer, write bool) error {
	figures := slices.DeleteFunc(boards.Figures(), func(f boards.Figure) bool {
		return !f.Comparable() || f.Class() == boards.Arithmetic || f.Class() == boards.Latency
	})
	tried := map[choice][]boards.Figure{}
	for _, c := range choices() {
		all := slices.Clone(figures)
		if _, err := predict(ctx, all, c.set); err != nil {
			return err
		}
		tried[c] = all
		s := boards.Summarize(all)
		fmt.Fprintf(w, "RowBubble %d, WriteBatch %d, BurstGap %d: median error %.1f %%, %.0f %% within 15 %%\n", c.bubble,
			c.batch, c.gap, 100*s.Median, 100*s.Within)
	}
	var b strings.Builder
	b.WriteString("| board left out | RowBubble | WriteBatch | BurstGap | its figures | median error | worst | " +
		"within 15 % |\n|---|---|---|---|---|---|---|---|\n")
	var left []boards.Figure
	for _, name := range boardNames(figures) {
		best := choice{}
		least := 0.0
		for _, c := range choices() {
			if s := sum(tried[c], name); best == (choice{}) || s < least {
				best, least = c, s
			}
		}
		if !slices.ContainsFunc(figures, func(f boards.Figure) bool {
			return f.Board != name &&
				strings.HasPrefix(f.Board, "radeon-pro")
		}) {
			best.gap = 1 // nothing else says that HBM2 needs it
			tried[best] = slices.Clone(figures)
			if _, err := predict(ctx, tried[best], best.set); err != nil {
				return err
			}
		}
		its := slices.DeleteFunc(slices.Clone(tried[best]), func(f boards.Figure) bool { return f.Board != name })
		left = append(left, its...)
		s := boards.Summarize(its)
		fmt.Fprintf(&b, "| `%s` | %d | %d | %d | %d | %.1f %% | %.1f %% | %.0f %% |\n", name, best.bubble, best.batch,
			best.gap, s.N, 100*s.Median, 100*s.Worst, 100*s.Within)
	}
	s := boards.Summarize(left)
	fmt.Fprintf(&b, "| **all** | | | | %d | %.1f %% | %.1f %% | %.0f %% |\n", s.N, 100*s.Median, 100*s.Worst, 100*s.Within)
	if _, err := io.WriteString(w, b.String()); err != nil || !write {
		return err
	}
	return boards.Replace("docs/TIMING.md", "fits", b.String())
}

// sum adds up the errors of all boards but one.
func sum(all []boards.Figure, without string) (total float64) {
	for i := range all {
		if all[i].Board != without {
			total += max(all[i].Error(), -all[i].Error())
		}
	}
	return total
}

func boardNames(all []boards.Figure) []string {
	names := map[string]bool{}
	for i := range all {
		names[all[i].Board] = true
	}
	return slices.Sorted(maps.Keys(names))
}
