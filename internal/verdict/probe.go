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

// This file solves comparisons. A scalar, or each element of a buffer, gets a number and others at known distances. If
// one operand of a comparison changes with the number and the other does not, a linear function is assumed. The number
// for which both operands are equal is tried, and its neighbours.

// Limits of a probe: comparisons, start numbers, and buffers and scalars.
const (
	maxGoals  = 6
	maxStarts = 3
	maxProbed = 10
)

// probe solves comparisons that a base executes.
func (x *director) probe(b *pairRun) {
	var all []input
	for _, s := range x.scalars {
		if _, ok := s.of(b.dispatch); ok {
			all = append(all, s)
			if !s.known && s.as == spec.I32 && x.launcher.facts.floats() {
				s.as = spec.F32
				all = append(all, s)
			}
		}
	}
	for _, s := range x.buffers {
		kinds := []spec.Element{s.as}
		if !s.known {
			kinds = x.launcher.facts.types
		}
		for _, s.as = range kinds {
			if b.dispatch.Args[s.arg].Buffer != nil && x.reads[s.arg] {
				all = append(all, s)
			}
		}
	}
	x.solves = true
	for _, s := range all[:min(len(all), maxProbed)] {
		x.solve(b, s)
	}
	x.solves = false
}

// operands has, for both programs, the operands of the executed comparisons.
type operands [2]map[compare.ComparedAt]compare.Compared

// probed has the operands of comparisons for several values of an input of a launch. The distances are known.
type probed struct {
	of    input
	base  *pairRun
	at    []uint64
	seen  []operands
	tried map[uint64]bool // solutions that were tried
}

// solve solves comparisons for one input. It starts at a small number. Then it starts at solutions that lead to
// comparisons that were not executed before.
func (x *director) solve(b *pairRun, s input) {
	starts := []uint64{67}
	if t := element.Of(s.as); t.Mantissa > 0 {
		starts[0] = t.FromFloat(1)
	}
	tried, known := map[uint64]bool{}, map[uint64]bool{}
	for n := 0; n < len(starts) && n < maxStarts; n++ {
		p := probed{of: s, base: b, tried: tried}
		for _, step := range s.numbers(starts[n]) {
			if x.try(b, s.set(step)) {
				p.at = append(p.at, step)
				p.seen = append(p.seen, operands{x.outcomes[0].Operands, x.outcomes[1].Operands})
				x.compared(known)
			}
		}
		x.probes = append(x.probes, p)
		goals := p.goals(func(_ int, _ compare.ComparedAt, other uint64, _ isa.Type) []uint64 { return []uint64{other} })
		besides := 3
		if s.at == everywhere {
			besides = 1
			x.mix(b, s, goals)
		}
		for _, g := range goals {
			for _, v := range s.beside(g)[:besides] {
				if finite(s.as, v) && x.try(b, s.set(v)) && x.compared(known) {
					starts = append(starts, v)
				}
			}
		}
	}
}

// lookUp makes the last launches, for outcomes that comparisons have not had. If the signed and unsigned order of the
// operands never differed, it looks for the first number whose sign differs from the sign of the other operand.
func (x *director) lookUp() {
	x.solves, x.more = true, x.launches+maxLookedUp-maxDirected
	for i := range x.probes {
		p := &x.probes[i]
		goals := p.goals(func(side int, at compare.ComparedAt, other uint64, of isa.Type) (want []uint64) {
			lacks := x.outcomes[side].Lacks(at)
			if sign := uint64(1) << (compare.WidthOf(of) - 1); lacks&compare.CondApart != 0 {
				want = append(want, sign-other>>(compare.WidthOf(of)-1))
			}
			if lacks&(isa.CondUnequal|isa.CondEqual) != 0 {
				want = append(want, other)
			}
			return want
		})
		for _, g := range goals {
			for _, v := range p.of.beside(g) {
				if finite(p.of.as, v) {
					x.try(p.base, p.of.set(v))
				}
			}
		}
	}
}

// compared adds the comparisons of the last run to known. The key has the address and the program. It reports whether a
// comparison is new.
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

// mix tries a buffer of ordinary data that also has all solutions and their neighbours.
func (x *director) mix(b *pairRun, s input, goals []uint64) {
	r := &spec.Random{Seed: uint64(s.arg + 1), As: s.as}
	if old := b.dispatch.Args[s.arg].Buffer.Random; old.As == s.as {
		r.Min, r.Max = old.Min, old.Max
	}
	for _, g := range goals {
		for _, v := range s.beside(g) {
			if finite(s.as, v) {
				r.With = append(r.With, string(number(s.as, v)))
			}
		}
	}
	if len(goals) > 0 {
		x.try(b, s.fill(r, ""))
	}
}

// beside returns a value and its neighbours, v+1 and v-1.
func (s input) beside(v uint64) []uint64 {
	m := element.Of(s.as).Mask()
	return []uint64{v, (v + 1) & m, (v - 1) & m}
}

// finite reports whether a value can be written as a number, which infinities and NaNs cannot.
func finite(as spec.Element, v uint64) bool {
	t := element.Of(as)
	return t.Mantissa == 0 || v&^t.Sign() < t.Infinity()
}

// numbers returns the values to try around start, which is the first one. Integers change in several bytes, so that an
// operand that is a part of the integer changes, too.
func (s input) numbers(start uint64) (all []uint64) {
	t := element.Of(s.as)
	if t.Mantissa > 0 {
		return []uint64{start, t.FromFloat(2*t.Float(start) + 1)}
	}
	all = []uint64{start, start + 1}
	for bit := 8; bit < t.Bits(); bit *= 2 {
		all = append(all, (start+1<<bit)&t.Mask())
	}
	return all
}

// goals returns up to [maxGoals] untried values of the input for which operands have the wanted values, in the order of
// the code. wanted receives the program, the comparison, and the value and type of the other operand.
func (p *probed) goals(
	wanted func(side int, at compare.ComparedAt, other uint64, of isa.Type) []uint64) (all []uint64) {
	for side := 0; side < 2 && len(p.at) > 1; side++ {
		points := slices.SortedFunc(maps.Keys(p.seen[0][side]), func(a, b compare.ComparedAt) int {
			return cmp.Or(cmp.Compare(a.PC, b.PC), cmp.Compare(a.Turn, b.Turn), cmp.Compare(a.Pair, b.Pair))
		})
		for _, point := range points {
			first := p.seen[0][side][point]
			for i := 1; i < len(p.at); i++ {
				next, ok := p.seen[i][side][point]
				for moves := range 2 {
					y, other := [2]uint64{first.Values[moves], next.Values[moves]}, first.Values[1-moves]
					if !ok || y[0] == y[1] || other != next.Values[1-moves] {
						continue
					}
					for _, want := range wanted(side, point, other, first.Type) {
						all = append(all, p.of.solutions([2]uint64{p.at[0], p.at[i]}, y, want, first.Type)...)
					}
				}
			}
		}
	}
	once := maps.Clone(p.tried)
	all = slices.DeleteFunc(all, func(g uint64) bool {
		before := once[g]
		once[g] = true
		return before || !finite(p.of.as, g)
	})
	all = all[:min(len(all), maxGoals)]
	for _, g := range all {
		p.tried[g] = true
	}
	return all
}

// solutions returns the inputs for which a linear function has the value want. The function has the values y at the
// inputs x. y and want are operands of type of.
func (s input) solutions(x, y [2]uint64, want uint64, of isa.Type) (all []uint64) {
	t := element.Of(s.as)
	unused := 64 - compare.WidthOf(of)
	extend := func(v uint64) int64 { return int64(v<<unused) >> unused }
	if !of.Info().Float && t.Mantissa == 0 {
		step, moved, far := x[1]-x[0], extend(y[1]-y[0]), extend(want-y[0])
		if moved&1 != 0 && step == 1 { // the inverse of an odd number modulo a power of two
			inverse := uint64(moved)
			for range 6 {
				inverse *= 2 - uint64(moved)*inverse
			}
			all = append(all, (x[0]+uint64(far)*inverse)&t.Mask())
		}
		quotient := far / moved
		if far%moved != 0 && (far < 0) != (moved < 0) {
			quotient-- // rounds down
		}
		return append(all, (x[0]+uint64(quotient)*step)&t.Mask())
	}
	if x == y {
		all = append(all, want&t.Mask()) // the operand equals the number bit for bit
	}
	value, input := func(v uint64) float64 { return float64(extend(v)) }, t.Float
	if of.Info().Float {
		value = compare.FloatOf(of).Float
	}
	if t.Mantissa == 0 {
		input = func(v uint64) float64 { return float64(v) }
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
