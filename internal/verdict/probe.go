package verdict

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/sim/compare"
	"github.com/gcnsim/gcnsim/internal/sim/element"
	"github.com/gcnsim/gcnsim/sim/spec"
)

// This file solves comparisons. A scalar, or all elements of a buffer, take a number and others at known distances. An
// operand of a comparison that moves with the number, while the other operand stays, is taken for a linear function of
// it, and the number is tried for which both are equal, with its neighbours.

// probed is a number that a probe sets: a scalar, or all elements of a buffer.
type probed struct {
	as     spec.Element
	set    func(v uint64) change
	scalar *valueArg // nil of a buffer
	buffer int
}

// A probe solves so many comparisons, from so many numbers, of so many buffers and scalars.
const (
	maxGoals  = 6
	maxStarts = 3
	maxProbed = 10
)

// probe solves comparisons of a base.
func (x *director) probe(b *base) {
	var all []probed
	for n := range x.scalars {
		s := &x.scalars[n]
		if _, ok := s.of(b.dispatch); ok {
			all = append(all, probed{as: s.as, set: s.set, scalar: s})
			if !s.known && s.as == spec.I32 && x.launcher.facts.floats() {
				as := *s
				as.as = spec.F32
				all = append(all, probed{as: spec.F32, set: as.set, scalar: &as})
			}
		}
	}
	for _, n := range x.buffers {
		if b.dispatch.Args[n].Buffer == nil || !x.reads[n] {
			continue
		}
		kinds := []spec.Element{x.elements[n]}
		if !x.typed[n] {
			kinds = x.launcher.facts.types
		}
		for _, as := range kinds {
			all = append(all, probed{as: as, buffer: n, set: func(v uint64) change {
				return setBuffer(n, same(as, v), "")
			}})
		}
	}
	for i := range all[:min(len(all), maxProbed)] {
		x.solve(b, &all[i])
	}
}

// solve solves comparisons by one number: from a small one, and then from those solutions that lead to comparisons
// that had not executed.
func (x *director) solve(b *base, p *probed) {
	t := element.Of(p.as)
	starts := []uint64{67}
	if t.Mantissa > 0 {
		starts = []uint64{t.FromFloat(1)}
	}
	tried, known := map[uint64]bool{}, map[uint64]bool{}
	for n := 0; n < len(starts) && n < maxStarts; n++ {
		var at []uint64
		var seen [][2]map[compare.ComparedAt]compare.Compared
		for _, step := range p.numbers(starts[n]) {
			if x.over() {
				return
			}
			if x.watch(b, p.set(step)) {
				at = append(at, step)
				seen = append(seen, [2]map[compare.ComparedAt]compare.Compared{x.outcomes[0].Operands, x.outcomes[1].Operands})
				x.compared(known)
			}
		}
		goals := p.goals(at, seen)
		goals = slices.DeleteFunc(goals, func(g uint64) bool { return tried[g] || !finite(p.as, g) })
		goals = goals[:min(len(goals), maxGoals)]
		x.mix(b, p, goals)
		for _, g := range goals {
			tried[g] = true
			for _, v := range beside(p.as, g)[:p.besides()] {
				if !finite(p.as, v) {
					continue
				}
				if x.watch(b, p.set(v)) && x.compared(known) {
					starts = append(starts, v)
				}
			}
		}
	}
}

// besides is how many of a solution and its neighbours are tried alone: those of a buffer are tried together, too.
func (p *probed) besides() int {
	if p.scalar == nil {
		return 1
	}
	return 3
}

// compared adds the comparisons of the last run to known, by address and program, and reports whether there are new
// ones.
func (x *director) compared(known map[uint64]bool) (fresh bool) {
	for i := range x.outcomes {
		for at := range x.outcomes[i].Operands {
			key := at.PC<<1 | uint64(i)
			fresh = fresh || !known[key]
			known[key] = true
		}
	}
	return fresh
}

// mix puts all solutions and their neighbours among plain data of a buffer.
func (x *director) mix(b *base, p *probed, goals []uint64) {
	if p.scalar != nil || len(goals) == 0 {
		return
	}
	r := &spec.Random{Seed: uint64(p.buffer + 1), As: p.as}
	if old := b.dispatch.Args[p.buffer].Buffer.Random; old.As == p.as {
		r.Min, r.Max = old.Min, old.Max
	}
	for _, g := range goals {
		for _, v := range beside(p.as, g) {
			if finite(p.as, v) {
				r.With = append(r.With, string(number(p.as, v)))
			}
		}
	}
	x.watch(b, setBuffer(p.buffer, r, ""))
}

// beside returns a value and its neighbours.
func beside(as spec.Element, v uint64) []uint64 {
	m := element.Of(as).Mask()
	return []uint64{v, (v + 1) & m, (v - 1) & m}
}

// numbers returns the numbers of a probe from a start: the start first. Integers move in several bytes, so that an
// operand that is a part of the number moves, too.
func (p *probed) numbers(start uint64) (all []uint64) {
	t := element.Of(p.as)
	if t.Mantissa > 0 {
		return []uint64{start, t.FromFloat(2*t.Float(start) + 1)}
	}
	all = []uint64{start, start + 1}
	for bit := 8; bit < t.Bits(); bit *= 2 {
		all = append(all, (start+1<<bit)&t.Mask())
	}
	return all
}

// goals returns the numbers that make operands of comparisons equal, in the order of the code. at are the numbers of
// the probes, seen what comparisons read in each, by program.
func (p *probed) goals(at []uint64, seen [][2]map[compare.ComparedAt]compare.Compared) (all []uint64) {
	if len(at) < 2 {
		return nil
	}
	for side := range 2 {
		points := slices.SortedFunc(maps.Keys(seen[0][side]), func(a, b compare.ComparedAt) int {
			return cmp.Or(cmp.Compare(a.PC, b.PC), cmp.Compare(a.Turn, b.Turn), cmp.Compare(a.Pair, b.Pair))
		})
		for _, point := range points {
			first := seen[0][side][point]
			for i := 1; i < len(at); i++ {
				next, ok := seen[i][side][point]
				if !ok {
					continue
				}
				for moves := range 2 {
					from, to, want := first.Values[moves], next.Values[moves], first.Values[1-moves]
					if from == to || want != next.Values[1-moves] {
						continue
					}
					for _, g := range p.solutions([2]uint64{at[0], at[i]}, [2]uint64{from, to}, want, first.Type) {
						if !slices.Contains(all, g) {
							all = append(all, g)
						}
					}
				}
			}
		}
	}
	return all
}

// solutions returns the numbers for which a linear function, which has two values y at two numbers x, has the value
// want. The values are operands of a type.
func (p *probed) solutions(x, y [2]uint64, want uint64, of isa.Type) (all []uint64) {
	t := element.Of(p.as)
	width := 64
	if d := of.Info(); d.Bits16 {
		width = 16
	} else if d.Dwords == 1 {
		width = 32
	}
	extend := func(v uint64) int64 { return int64(v<<(64-width)) >> (64 - width) }
	if of.Info().Float || t.Mantissa > 0 {
		if x == y {
			all = append(all, want&t.Mask()) // the operand is the number, bit for bit
		}
		value := func(v uint64) float64 {
			if of.Info().Float {
				return compare.FloatOf(of).Float(v)
			}
			return float64(extend(v))
		}
		input := func(v uint64) float64 {
			if t.Mantissa > 0 {
				return t.Float(v)
			}
			return float64(v)
		}
		g := input(x[0]) + (value(want)-value(y[0]))*(input(x[1])-input(x[0]))/(value(y[1])-value(y[0]))
		switch {
		case math.IsNaN(g) || math.IsInf(g, 0):
		case t.Mantissa > 0:
			all = append(all, t.FromFloat(g))
		case math.Abs(g) < 1<<63:
			all = append(all, uint64(int64(math.Floor(g)))&t.Mask())
		}
		return all
	}
	step, moved, far := x[1]-x[0], extend(y[1]-y[0]), extend(want-y[0])
	if moved&1 != 0 && step == 1 { // the inverse of an odd number modulo a power of two
		inverse := uint64(moved)
		for range 6 {
			inverse *= 2 - uint64(moved)*inverse
		}
		all = append(all, (x[0]+uint64(far)*inverse)&t.Mask())
	}
	if g := (x[0] + uint64(floorDiv(far, moved))*step) & t.Mask(); !slices.Contains(all, g) {
		all = append(all, g)
	}
	return all
}

// floorDiv returns a / b, rounded down.
func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b != 0 && (a < 0) != (b < 0) {
		q--
	}
	return q
}
