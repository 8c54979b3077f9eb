package eval

import (
	"fmt"
	"maps"
	"slices"

	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/prove/term"
)

// kind says how the value of a scalar register is represented.
type kind uint8

// The kinds. A half of a lane mask has no numeric value.
const (
	number kind = iota
	maskLow
	maskHigh
	mixed // number on one path, mask on another
)

// scalar is the value of a scalar register: 32 bits, or the lane's bit of a mask.
type scalar struct {
	kind kind
	t    *term.Term
}

// lane is the state of the lane before an instruction.
type lane struct {
	v       map[int]*term.Term
	s       map[int]scalar
	lanes   map[int]map[uint64]scalar    // by VGPR and lane: scalar registers that v_writelane_b32 saved
	private map[uint64]*term.Term        // private memory by address of the dword
	spilled map[uint64]map[uint64]scalar // by private address and lane: VGPR lanes saved in private memory
	scc     *term.Term
	stores  [2][]Access // stores since the last cut, by space
	memory  [2]string   // functions for memory since the last cut, by space
	part    int         // number of cuts so far
	path    *term.Term  // condition under which the wave is here
	epoch   int
	from    uint64         // the last executed instruction
	laps    map[uint64]int // number of iterations by loop head, if iterations are executed one by one
}

// The address spaces whose stores are compared.
const (
	global = iota
	local
)

func (s *lane) clone() *lane {
	n := *s
	n.v, n.s, n.private = maps.Clone(s.v), maps.Clone(s.s), maps.Clone(s.private)
	n.lanes, n.spilled = maps.Clone(s.lanes), maps.Clone(s.spilled)
	return &n
}

// pathFacts returns the conditions that hold for the whole wave.
func (p *program) pathFacts(s *lane) *term.Facts { return p.factsOf(s.path, nil) }

// laneFacts returns the conditions that hold for the lane if it is active.
func (p *program) laneFacts(s *lane) *term.Facts { return p.factsOf(s.path, p.exec(s)) }

func (p *program) factsOf(path, exec *term.Term) *term.Facts {
	key := [2]*term.Term{path, exec}
	if f := p.facts[key]; f != nil {
		return f
	}
	f := &term.Facts{}
	p.facts[key] = f
	f.Know(path)
	for _, c := range term.Conjuncts(path) {
		if c.Op == term.Not {
			if i, ok := p.isSome[c.Args[0]]; ok {
				f.Deny(p.Some[i].Mask)
			}
		}
	}
	if exec != nil {
		f.Know(exec)
	}
	return f
}

// known simplifies a condition of the wave with the path.
func (p *program) known(s *lane, c *term.Term) *term.Term { return p.Under(c, p.pathFacts(s)) }

func (p *program) exec(s *lane) *term.Term { return s.s[isa.EXEC].t }

// cond returns when the lane executes an instruction: EXEC, and the conditions of the path that EXEC does not imply.
func (p *program) cond(s *lane) *term.Term {
	exec := p.exec(s)
	all := []*term.Term{exec}
	for _, c := range term.Conjuncts(s.path) {
		if i, ok := p.isSome[c]; !ok || !term.Implies(exec, p.Some[i].Mask) {
			all = append(all, c)
		}
	}
	return p.And(all...)
}

// vgpr returns a VGPR, simplified for an active lane.
func (p *program) vgpr(s *lane, n int) *term.Term {
	if s.v[n] == nil {
		s.v[n] = p.undefined(32, true)
	}
	return p.Under(s.v[n], p.laneFacts(s))
}

// setVGPR writes a VGPR if the lane is active.
func (p *program) setVGPR(s *lane, n int, v *term.Term) {
	exec := p.exec(s)
	delete(s.lanes, n)
	if !exec.IsTrue() {
		if s.v[n] == nil {
			s.v[n] = p.undefined(32, true)
		}
		v = p.Ite(exec, v, s.v[n])
	}
	s.v[n] = v
}

// sgpr returns the number in a scalar register.
func (p *program) sgpr(s *lane, n int) *term.Term {
	x, ok := s.s[n]
	if !ok {
		x = scalar{number, p.undefined(32, false)}
		s.s[n] = x
	}
	switch x.kind {
	case mixed:
		return p.undefined(32, false)
	case maskLow, maskHigh:
		return p.ofWave(32, false, fmt.Sprintf("half %d of a mask", x.kind), x.t)
	}
	return p.Under(x.t, p.pathFacts(s))
}

// ofWave returns a value that depends on the terms of in all lanes of the wave. It is a variable named after the terms,
// since equal terms have equal values in each lane.
func (p *program) ofWave(w uint8, lane bool, name string, of ...*term.Term) *term.Term {
	for _, t := range of {
		name += fmt.Sprintf(" %d", t.ID)
	}
	return p.varying(p.Var(w, name, lane))
}

func (p *program) sgpr64(s *lane, n int) *term.Term { return p.Concat(p.sgpr(s, n+1), p.sgpr(s, n)) }

// setSGPR writes a number to a scalar register.
func (p *program) setSGPR(s *lane, n int, v *term.Term) {
	if n&^1 == isa.EXEC {
		p.fail("half of EXEC that is written")
	}
	s.s[n] = scalar{number, v}
}

func (p *program) setSGPR64(s *lane, n int, v *term.Term) {
	low, high := p.Extract(31, 0, v), p.Extract(63, 32, v)
	if n == isa.EXEC {
		p.setMask(s, n, p.maskOf(low, high))
		return
	}
	s.s[n], s.s[n+1] = scalar{number, low}, scalar{number, high}
}

// mask returns the lane's bit of the mask in scalar registers n and n+1.
func (p *program) mask(s *lane, n int) *term.Term {
	low, high := s.s[n], s.s[n+1]
	switch {
	case low.kind == maskLow && high.kind == maskHigh && low.t == high.t:
		return p.Under(low.t, p.pathFacts(s))
	case low.kind == number && high.kind == number:
		return p.maskOf(p.sgpr(s, n), p.sgpr(s, n+1))
	}
	return p.undefined(1, true)
}

// maskOf returns the lane's bit of a 64-bit number.
func (p *program) maskOf(low, high *term.Term) *term.Term {
	if low == high {
		switch {
		case low.IsConst(0):
			return p.Bool(false)
		case low.IsConst(^uint64(0)):
			return p.Bool(true)
		case p.AsMask(low) != nil:
			return p.AsMask(low)
		case low.Op == term.Ite:
			return p.Ite(low.Args[0], p.maskOf(low.Args[1], low.Args[1]), p.maskOf(low.Args[2], low.Args[2]))
		}
	}
	return p.Fn(1, "the lane's bit", low, high, p.laneNumber())
}

func (p *program) setMask(s *lane, n int, m *term.Term) {
	s.s[n], s.s[n+1] = scalar{maskLow, m}, scalar{maskHigh, m}
}

// mergeAll merges all states that have reached an instruction, those with the longest paths first.
func (p *program) mergeAll(all []*lane) *lane {
	for len(all) > 1 {
		slices.SortStableFunc(all, func(a, b *lane) int {
			return len(term.Conjuncts(b.path)) - len(term.Conjuncts(a.path))
		})
		i := slices.IndexFunc(all[1:], func(b *lane) bool { return p.complements(all[0].path, b.path) })
		i = max(i, 0) + 1
		all[0] = p.merge(all[0], all[i])
		all = slices.Delete(all, i, i+1)
	}
	return all[0]
}

// split returns the conditions of path x that y lacks, and those of y that x lacks.
func split(x, y *term.Term) (ofX, ofY []*term.Term) {
	a, b := term.Conjuncts(x), term.Conjuncts(y)
	for _, c := range a {
		if !slices.Contains(b, c) {
			ofX = append(ofX, c)
		}
	}
	for _, c := range b {
		if !slices.Contains(a, c) {
			ofY = append(ofY, c)
		}
	}
	return ofX, ofY
}

// complements reports whether two paths differ only in a condition that holds in one and not in the other.
func (p *program) complements(x, y *term.Term) bool {
	a, b := split(x, y)
	return len(a) > 0 && len(b) > 0 && p.And(a...) == p.Not(p.And(b...))
}

// merger merges the values of two paths.
type merger struct {
	*program
	cond   *term.Term // the wave took the first path
	denied *term.Facts
	first  bool                // true: denied holds on the second path; false: on the first
	masks  map[slot]*term.Term // masks in register pairs that one path has not written
}

// choose returns x on the first path and y on the second one.
func (m *merger) choose(x, y *term.Term) *term.Term {
	switch {
	case x == y:
		return x
	case m.denied != nil && m.first && m.Under(x, m.denied) == y:
		return x
	case m.denied != nil && !m.first && m.Under(y, m.denied) == x:
		return y
	}
	return m.Ite(m.cond, x, y)
}

// merge merges two states.
func (p *program) merge(a, b *lane) *lane {
	if a.part != b.part || a.memory != b.memory {
		p.meet(a, b)
	}
	n := a.clone()
	ofA, _ := split(a.path, b.path)
	n.path = p.Or(a.path, b.path)
	m := &merger{program: p, cond: p.And(append(ofA, p.Bool(true))...), masks: map[slot]*term.Term{}}
	if i, ok := p.isSome[m.cond]; ok { // a path that no lane takes is not taken by this lane
		m.denied, m.first = &term.Facts{}, true
		m.denied.Deny(p.Some[i].Mask)
	} else if i, ok := p.isSome[p.Not(m.cond)]; ok {
		m.denied = &term.Facts{}
		m.denied.Deny(p.Some[i].Mask)
	}
	for _, k := range keys(a.v, b.v) {
		n.v[k] = m.choose(m.defined(a.v[k]), m.defined(b.v[k]))
	}
	for _, k := range keys(a.private, b.private) {
		n.private[k] = m.choose(m.defined(a.private[k]), m.defined(b.private[k]))
	}
	for _, k := range keys(a.s, b.s) {
		n.s[k] = m.scalar(a, b, slot{'s', uint64(k)})
	}
	n.scc = m.choose(a.scc, b.scc)
	n.lanes, n.spilled = mergeLanes(m, a, b, 'l', a.lanes, b.lanes), mergeLanes(m, a, b, 'q', a.spilled, b.spilled)
	for space := range n.stores {
		n.stores[space] = mergeStores(a.stores[space], b.stores[space])
	}
	return n
}

// keys returns the keys of both maps, sorted.
func keys[K int | uint64, V any](a, b map[K]V) []K {
	both := maps.Clone(a)
	if both == nil {
		both = map[K]V{}
	}
	maps.Copy(both, b)
	return slices.Sorted(maps.Keys(both))
}

// defined returns t, or an unknown value if t is nil.
func (m *merger) defined(t *term.Term) *term.Term {
	if t == nil {
		return m.undefined(32, true)
	}
	return t
}

// scalar merges slot k, a scalar register or a saved one.
func (m *merger) scalar(a, b *lane, k slot) scalar {
	x, hasX := a.get(k)
	y, hasY := b.get(k)
	if !hasX {
		x = m.anything(y.kind, k)
	}
	if !hasY {
		y = m.anything(x.kind, k)
	}
	first := k
	if max(x.kind, y.kind) == maskHigh {
		first = k.below()
	}
	switch {
	case x.kind == mixed || y.kind == mixed:
	case x.kind == y.kind:
		return scalar{x.kind, m.choose(x.t, y.t)}
	case hasX && hasY && isPair(a, first) && isPair(b, first):
		return scalar{max(x.kind, y.kind), m.choose(m.pairOf(a, first), m.pairOf(b, first))}
	}
	return scalar{kind: mixed, t: m.Bool(false)}
}

// isPair reports whether slot k and the next one are a mask, or a number with the same bit for each lane (0 or -1).
func isPair(s *lane, k slot) bool {
	low, _ := s.get(k)
	high, _ := s.get(k.above())
	return low.t != nil && low.t == high.t && (low.kind == maskLow && high.kind == maskHigh ||
		low.kind == number && high.kind == number && (low.t.IsConst(0) || low.t.IsConst(^uint64(0))))
}

// pairOf returns the lane's bit of slots for which isPair is true.
func (m *merger) pairOf(s *lane, k slot) *term.Term {
	x, _ := s.get(k)
	if x.kind == number {
		return m.maskOf(x.t, x.t)
	}
	return m.Under(x.t, m.pathFacts(s))
}

// anything returns an unknown value for a register that only the other path wrote. Both halves of a mask get the same.
func (m *merger) anything(of kind, k slot) scalar {
	switch of {
	case number:
		return scalar{number, m.undefined(32, false)}
	case mixed:
		return scalar{kind: mixed, t: m.Bool(false)}
	case maskHigh:
		k = k.below()
	}
	if m.masks[k] == nil {
		m.masks[k] = m.undefined(1, true)
	}
	return scalar{of, m.masks[k]}
}

// mergeLanes merges the scalar registers that are saved in lanes.
func mergeLanes[K int | uint64](m *merger, a, b *lane, kind byte,
	x, y map[K]map[uint64]scalar) map[K]map[uint64]scalar {
	all := map[K]map[uint64]scalar{}
	for _, n := range keys(x, y) {
		all[n] = map[uint64]scalar{}
		for _, lane := range keys(x[n], y[n]) {
			all[n][lane] = m.scalar(a, b, slot{kind, uint64(n)<<6 | lane})
		}
	}
	return all
}
