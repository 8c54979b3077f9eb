package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/gcnsim/gcnsim/cmd/internal/boards"
	"github.com/gcnsim/gcnsim/cmd/internal/boards/run"
	"github.com/gcnsim/gcnsim/internal/sim/timing"
)

// choice has a value for each parameter that is fitted to figures of boards.
type choice struct {
	bubble  int
	written int // percentage of WriteBubble
	gap     int
}

func (c choice) set(p *timing.Params) {
	run.Change(p, "RowBubble", func(int) int { return c.bubble })
	run.Change(p, "WriteBubble", func(v int) int { return v * c.written / 100 })
	run.Change(p, "BurstGap", func(v int) int {
		if v != 0 { // only for HBM2
			return c.gap
		}
		return 0
	})
}

// choices are the combinations that are tried. BurstGap is not combined with all others, because figures of only one
// board depend on it.
func choices() (all []choice) {
	for _, bubble := range []int{1500, 2250} {
		for _, written := range []int{0, 100} {
			all = append(all, choice{bubble, written, 8})
		}
	}
	for _, gap := range []int{1, 16} {
		all = append(all, choice{1500, 100, gap})
	}
	return all
}

// trials are the figures, with predictions, for each choice that was tried.
type trials map[choice][]boards.Figure

// try predicts figures with c. BurstGap only affects boards with HBM2. The other predictions are taken from the
// choice that is otherwise equal.
func (t trials) try(ctx context.Context, c choice, figures []boards.Figure) error {
	if t[c] != nil {
		return nil
	}
	like, known := t[choice{c.bubble, c.written, 8}]
	all := slices.Clone(figures)
	var rest []boards.Figure
	var at []int
	for i := range all {
		if known && !hasGap(&all[i]) {
			all[i] = like[i]
			continue
		}
		rest, at = append(rest, all[i]), append(at, i)
	}
	if _, err := predict(ctx, rest, c.set); err != nil {
		return err
	}
	for k, i := range at {
		all[i] = rest[k]
	}
	t[c] = all
	return nil
}

// hasGap reports whether the board of f has HBM2 memory.
func hasGap(f *boards.Figure) bool {
	p, err := timing.Preset(f.Board)
	if err != nil {
		return true // a proxy board
	}
	gap, err := p.Get("BurstGap")
	return err != nil || gap != 0
}

// fitAll predicts the figures of each board, and of each benchmark, with the parameters that fit all others best, by
// the mean absolute error. Arithmetic and latencies have no such parameter, and nothing is fitted to the third set.
func fitAll(ctx context.Context, w io.Writer, write bool) error {
	figures := slices.DeleteFunc(boards.Figures(), func(f boards.Figure) bool {
		return !f.Comparable() || f.Class() == boards.Arithmetic || f.Class() == boards.Latency || f.ID[0] == 'c'
	})
	tried := trials{}
	for _, c := range choices() {
		if err := tried.try(ctx, c, figures); err != nil {
			return err
		}
		s := boards.Summarize(tried[c])
		fmt.Fprintf(w, "RowBubble %d, WriteBubble %d %%, BurstGap %d: median error %.1f %%, %.0f %% within 15 %%\n", c.bubble,
			c.written, c.gap, 100*s.Median, 100*s.Within)
	}
	for _, part := range []struct {
		name, marker string
		of           func(f *boards.Figure) string
	}{
		{"board", "fits", func(f *boards.Figure) string { return f.Board }},
		{"benchmark", "benchmarks", func(f *boards.Figure) string { return f.Benchmark }},
	} {
		text, err := tried.leaveOut(ctx, figures, part.name, part.of)
		if err != nil {
			return err
		}
		if _, err := io.WriteString(w, text); err != nil {
			return err
		}
		if write {
			if err := boards.Replace("docs/TIMING.md", part.marker, text); err != nil {
				return err
			}
		}
	}
	return nil
}

// leaveOut returns a table. For each value of of, its figures are predicted with the parameters that fit the other
// figures best.
func (t trials) leaveOut(ctx context.Context, figures []boards.Figure, what string,
	of func(f *boards.Figure) string) (string, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "| %s left out | RowBubble | WriteBubble | BurstGap | its figures | median error | worst | "+
		"within 15 %% |\n|---|---|---|---|---|---|---|---|\n", what)
	var left []boards.Figure
	for _, name := range values(figures, of) {
		is := func(f boards.Figure) bool { return of(&f) == name }
		best, least := choice{}, math.Inf(1)
		for _, c := range choices() {
			if s := sum(slices.DeleteFunc(slices.Clone(t[c]), is)); s < least {
				best, least = c, s
			}
		}
		if !slices.ContainsFunc(figures, func(f boards.Figure) bool {
			return !is(f) && strings.HasPrefix(f.Board, "radeon-pro")
		}) {
			best.gap = 1 // no other figure determines it
			if err := t.try(ctx, best, figures); err != nil {
				return "", err
			}
		}
		its := slices.DeleteFunc(slices.Clone(t[best]), func(f boards.Figure) bool { return !is(f) })
		left = append(left, its...)
		s := boards.Summarize(its)
		fmt.Fprintf(&b, "| `%s` | %d | %d %% | %d | %d | %.1f %% | %.1f %% | %.0f %% |\n", name, best.bubble, best.written,
			best.gap, s.N, 100*s.Median, 100*s.Worst, 100*s.Within)
	}
	s := boards.Summarize(left)
	fmt.Fprintf(&b, "| **all** | | | | %d | %.1f %% | %.1f %% | %.0f %% |\n", s.N, 100*s.Median, 100*s.Worst, 100*s.Within)
	return b.String(), nil
}

// sum adds up the absolute errors.
func sum(all []boards.Figure) (total float64) {
	for i := range all {
		total += math.Abs(all[i].Error())
	}
	return total
}

// values returns the sorted values of of.
func values(all []boards.Figure, of func(f *boards.Figure) string) []string {
	names := map[string]bool{}
	for i := range all {
		names[of(&all[i])] = true
	}
	return slices.Sorted(maps.Keys(names))
}
