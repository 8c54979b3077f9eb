package eval

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/prove/term"
)

// Loop is a loop whose iterations are executed as one symbolic iteration, which stands for any of them. The registers
// that iterations change are variables at its head: the value before the loop plus a step per iteration, or a variable
// that both programs share while an iteration ends with the same value in all registers that hold the variable.
type Loop struct {
	Entry, Goes *term.Term // when the wave enters the loop; when it begins another iteration
	slots       []shared
}

// shared is a register that holds a variable at the head of a loop, and its value at the end of an iteration.
type shared struct {
	slotOf
	head, end *term.Term
}

// slot is a part of a lane's state: a VGPR (v), a scalar register (s), a dword of private memory (p), SCC (c), or a
// scalar register that is saved in a lane of a VGPR (l) or of private memory (q).
type slot struct {
	kind byte // v, s, p, c, l or q
	n    uint64
}

// slotOf is a slot at the head of a loop, in the program named side.
type slotOf struct {
	side string
	loop int
	slot
}

// Plan has the facts about loops that earlier attempts to execute two programs have found.
type Plan struct {
	any    map[head]bool  // loops executed as one symbolic iteration; the others are executed iteration by iteration
	labels map[slotOf]int // distinguishes variables that have the same value before a loop
	next   int
	// UpTo, if not 0, is the number of iterations that are executed of each loop. Longer executions are left out.
	UpTo int
}

// head is the first instruction of a loop, in the program named side.
type head struct {
	side string
	pc   uint64
}

// NewPlan returns a plan without facts, for the first attempt.
func NewPlan() *Plan { return &Plan{any: map[head]bool{}, labels: map[slotOf]int{}} }

// HasLoops reports whether at least one loop was executed as one symbolic iteration.
func (p *Plan) HasLoops() bool { return len(p.any) > 0 }

// Refine splits the variables at the head of a loop whose registers differ after an iteration. It reports whether it
// has split a variable. The caller must then execute both programs again.
func (p *Plan) Refine(a, b []Loop) (again bool) {
	for n := range min(len(a), len(b)) {
		ends := map[*term.Term]map[*term.Term]int{}
		for _, x := range slices.Concat(a[n].slots, b[n].slots) {
			if ends[x.head] == nil {
				ends[x.head] = map[*term.Term]int{x.end: p.labels[x.slotOf]}
			}
			label, ok := ends[x.head][x.end]
			if !ok {
				p.next++
				label, again = p.next, true
				ends[x.head][x.end] = label
			}
			p.labels[x.slotOf] = label
		}
	}
	return again
}

// arrive continues a state that has reached the head of a loop.
func (p *program) arrive(f *function, loop *natural, s *lane, todo ways) {
	inside := loop.body[s.from]
	switch {
	case p.Plan.any[head{p.side, loop.head}]:
		for at, all := range p.anyIteration(f, loop, s) {
			for _, x := range all {
				todo.add(x, s.epoch, at.pc)
			}
		}
	case !inside:
		f.arrived[loop.head] = s.path
		s.laps = maps.Clone(s.laps)
		s.laps[loop.head] = 0
		p.straight(f, s, loop.head, todo)
	case s.path != f.arrived[loop.head] && p.Plan.UpTo > 0: // the number of iterations is unknown
		s.laps = maps.Clone(s.laps)
		if s.laps[loop.head]++; s.laps[loop.head] > p.Plan.UpTo {
			p.Left = p.Or(p.Left, s.path)
			return
		}
		p.straight(f, s, loop.head, todo)
	case s.path != f.arrived[loop.head]:
		p.Plan.any[head{p.side, loop.head}] = true
		p.cuts = true
		p.fail("a loop")
	default:
		p.straight(f, s, loop.head, todo)
	}
}

// maxPasses limits how often an iteration is executed until its changes are known.
const maxPasses = 12

// anyIteration executes one symbolic iteration of a loop and returns the states that leave the loop.
func (p *program) anyIteration(f *function, loop *natural, s *lane) (exits ways) {
	p.loops++
	t := &iteration{program: p, n: p.loops, before: s, changes: map[slot]*change{}}
	t.count = p.Var(64, fmt.Sprintf("iterations of loop %d", t.n), false)
	outer, had := p.inside, p.res
	p.inside = t.n
	defer func() { p.inside = outer }()
	p.varying(t.count)
	p.res.Loops = append(slices.Clip(had.Loops), Loop{Entry: s.path})
	had.Loops, had.Parts = slices.Clip(p.res.Loops), slices.Clip(had.Parts)
	for range maxPasses {
		steps := p.res.Instructions
		p.loops, p.res = t.n, had
		p.res.Parts, p.res.Loops = slices.Clone(had.Parts), slices.Clone(had.Loops)
		p.res.Instructions = steps
		h := t.head()
		exits = p.walk(f, loop, h.clone(), loop.head)
		var ends []*lane
		for at, all := range exits {
			if at.pc == loop.head {
				ends = append(ends, all...)
				delete(exits, at)
			}
		}
		if p.why != nil {
			return nil
		}
		if len(ends) == 0 {
			p.fail("a loop of one iteration")
			return nil
		}
		e := p.mergeAll(ends)
		if !t.learn(h, e) {
			p.res.Loops[t.n-1].Goes, p.res.Loops[t.n-1].slots = e.path, t.shared(h, e)
			return t.leave(e, exits)
		}
	}
	p.fail("a loop whose iterations are not understood")
	return nil
}

// iteration has the known facts about any iteration of a loop.
type iteration struct {
	*program
	n       int // number of the loop, from 1 on
	before  *lane
	count   *term.Term // number of the iteration, from 0 on
	cut     bool       // an iteration stores or has a barrier
	changes map[slot]*change
}

// change describes how iterations change a slot.
type change struct {
	lane   bool       // the value may differ between lanes
	step   *term.Term // added by each iteration; nil if unknown
	wide   *term.Term // step of the 64-bit number in this slot and the next one; nil if unknown
	high   *change    // change of the slot below, if this slot is the upper half of a 64-bit number
	noStep bool
	gains  bool // iterations add lanes to a mask that were not in EXEC before the loop
	mask   kind // a number, 0 or -1 before the loop, becomes this half of a lane mask
	lost   bool // the value is unknown after an iteration
}

// slots returns the slots of a state, sorted.
func (s *lane) slots() (all []slot) {
	for n := range s.v {
		all = append(all, slot{'v', uint64(n)})
	}
	for n := range s.s {
		all = append(all, slot{'s', uint64(n)})
	}
	for at := range s.private {
		all = append(all, slot{'p', at})
	}
	for n, lanes := range s.lanes {
		for lane := range lanes {
			all = append(all, slot{'l', uint64(n)<<6 | lane})
		}
	}
	for at, lanes := range s.spilled {
		for lane := range lanes {
			all = append(all, slot{'q', at<<6 | lane})
		}
	}
	slices.SortFunc(all, func(a, b slot) int { return cmp.Or(cmp.Compare(a.kind, b.kind), cmp.Compare(a.n, b.n)) })
	return append(all, slot{'c', 0})
}

// get returns the value of a slot. ok is false if nothing has written the slot.
func (s *lane) get(k slot) (x scalar, ok bool) {
	switch k.kind {
	case 'v':
		x.t = s.v[int(k.n)]
	case 'p':
		x.t = s.private[k.n]
	case 'c':
		x.t = s.scc
	case 's':
		x = s.s[int(k.n)]
	case 'l':
		x = s.lanes[int(k.n>>6)][k.n&63]
	case 'q':
		x = s.spilled[k.n>>6][k.n&63]
	}
	return x, x.t != nil
}

// set changes a slot. s must not share its lanes and spilled maps with another state.
func (s *lane) set(k slot, x scalar) {
	switch k.kind {
	case 'v':
		s.v[int(k.n)] = x.t
	case 'p':
		s.private[k.n] = x.t
	case 'c':
		s.scc = x.t
	case 's':
		s.s[int(k.n)] = x
	case 'l':
		s.lanes[int(k.n>>6)][k.n&63] = x
	case 'q':
		s.spilled[k.n>>6][k.n&63] = x
	}
}

// head returns the symbolic state at the head of the loop. Its variables stand for the values of every iteration.
func (t *iteration) head() *lane {
	h := t.before.clone()
	for n, lanes := range h.lanes {
		h.lanes[n] = maps.Clone(lanes)
	}
	for at, lanes := range h.spilled {
		h.spilled[at] = maps.Clone(lanes)
	}
	for _, k := range t.before.slots() {
		if c := t.changes[k]; c != nil {
			x, _ := t.before.get(k)
			h.set(k, t.value(k, x, c))
		}
	}
	goes := t.varying(t.Var(1, fmt.Sprintf("loop %d goes on", t.n), false))
	h.path = t.And(h.path, goes)
	if t.cut {
		t.program.cut(h)
	}
	return h
}

// value returns the value of slot k in any iteration. x is its value before the loop.
func (t *iteration) value(k slot, x scalar, c *change) scalar {
	iterations := t.count
	switch {
	case c.lost:
		return scalar{kind: mixed, t: t.Bool(false)}
	case c.high != nil && c.high.wide != nil:
		low, _ := t.before.get(k.below())
		x.t = t.Extract(63, 32, t.Add(t.Concat(x.t, low.t), t.Mul(iterations, c.high.wide)))
	case c.wide != nil:
		high, _ := t.before.get(k.above())
		x.t = t.Extract(31, 0, t.Add(t.Concat(high.t, x.t), t.Mul(iterations, c.wide)))
	case c.step != nil:
		x.t = t.Add(x.t, t.Mul(t.Extract(31, 0, iterations), c.step))
	default:
		if c.mask != number {
			x = scalar{c.mask, t.maskOf(x.t, x.t)}
		}
		where, before := t.defined(k, c, x.t)
		name := fmt.Sprintf("loop %d: %d.%d", t.n, before.ID, t.Plan.labels[slotOf{t.side, t.n, k}])
		if c.lane {
			name += " of the lane"
		}
		other := t.Bool(false)
		if x.kind == number {
			name := fmt.Sprintf("loop %d: undefined %s %c%d", t.n, t.side, k.kind, k.n)
			other = t.varying(t.Var(before.Width, name, c.lane))
		}
		x.t = t.Ite(where, t.varying(t.Var(before.Width, name, c.lane)), other)
	}
	return x
}

// defined returns the lanes in which a register was written before the loop, and its value. For EXEC, or a mask without
// lanes, these are the lanes of EXEC before the loop, unless an iteration is known to add other lanes.
func (t *iteration) defined(k slot, c *change, x *term.Term) (where, value *term.Term) {
	exec := t.before.s[isa.EXEC].t
	switch {
	case x.Width == 1 && k.kind != 'c' && !c.gains && (x == exec || x.IsFalse()):
		return exec, x
	case x.Op == term.Ite:
		switch {
		case isUndefined(x.Args[2]):
			return x.Args[0], x.Args[1]
		case isUndefined(x.Args[1]):
			return t.Not(x.Args[0]), x.Args[2]
		}
	}
	return t.Bool(true), x
}

// above and below return the next and the previous slot of the same kind.
func (k slot) above() slot { return slot{k.kind, k.n + k.size()} }
func (k slot) below() slot { return slot{k.kind, k.n - k.size()} }

func (k slot) size() uint64 {
	if k.kind == 'p' {
		return 4
	}
	return 1
}

// learn compares state e at the end of an iteration with state h at its begin, and updates the changes. It reports
// whether the iteration must be executed again.
func (t *iteration) learn(h, e *lane) (again bool) {
	if !t.cut && (h.part != e.part || len(h.stores[global]) != len(e.stores[global]) ||
		len(h.stores[local]) != len(e.stores[local])) {
		t.cut, again = true, true
	}
	for _, k := range t.before.slots() {
		again = t.learnSlot(h, e, k) || again
	}
	return again
}

func (t *iteration) learnSlot(h, e *lane, k slot) (again bool) {
	x, _ := h.get(k)
	y, ok := e.get(k)
	c := t.changes[k]
	switch {
	case x.kind == mixed && x.t != nil:
		return false
	case x.kind == number && (y.kind == maskLow && isPair(t.before, k) ||
		y.kind == maskHigh && isPair(t.before, k.below())):
		t.changes[k] = &change{mask: y.kind, lane: true, noStep: true}
		return true
	case !ok || x.kind != y.kind:
		t.changes[k] = &change{lost: true}
		return true
	case c == nil && x.t == y.t:
		return false
	case c == nil:
		t.changes[k] = &change{lane: x.t.Lane || y.t.Lane, noStep: x.t.Width != 32}
		return true
	case x.kind != number && !c.gains && t.And(y.t, t.before.s[isa.EXEC].t) != y.t:
		c.gains = true
		return true
	case y.t.Lane && !c.lane:
		c.lane = true
		return true
	}
	if c.noStep {
		return false
	}
	return t.learnStep(h, e, k, c)
}

// learnStep searches for a constant that each iteration adds to a 32-bit slot, or to a 64-bit pair.
func (t *iteration) learnStep(h, e *lane, k slot, c *change) (again bool) {
	above := t.changes[k.above()]
	if c.high == nil && above != nil && !above.noStep && above.step == nil && k.kind != 'c' {
		x, okX := h.pair(t, k)
		y, okY := e.pair(t, k)
		if wide := t.Sub(y, x); okX && okY && !t.changing(wide) && (c.wide == nil || c.wide == wide) {
			again = c.wide == nil
			c.wide, above.high = wide, c
			return again
		}
	}
	x, _ := h.get(k)
	y, _ := e.get(k)
	step := t.Sub(y.t, x.t)
	switch {
	case c.high != nil && c.high.wide != nil:
		return false
	case c.wide != nil:
		c.wide, c.noStep = nil, true
		return true
	case c.step == step:
		return false
	case c.step == nil && !t.changing(step):
		c.step = step
		return true
	}
	again = c.step != nil
	c.step, c.noStep = nil, true
	return again
}

// pair returns a slot and the next one as a 64-bit number.
func (s *lane) pair(t *iteration, k slot) (x *term.Term, ok bool) {
	low, okL := s.get(k)
	high, okH := s.get(k.above())
	if !okL || !okH || low.kind != number || high.kind != number || low.t.Width != 32 || high.t.Width != 32 {
		return t.Const(64, 0), false
	}
	return t.Concat(high.t, low.t), true
}

// shared returns the slots that hold a variable at the head of the loop.
func (t *iteration) shared(h, e *lane) (all []shared) {
	for _, k := range t.before.slots() {
		c := t.changes[k]
		if c == nil || c.lost || c.step != nil || c.wide != nil || c.high != nil && c.high.wide != nil {
			continue
		}
		before, _ := t.before.get(k)
		x, _ := h.get(k)
		y, _ := e.get(k)
		var facts term.Facts
		where, _ := t.defined(k, c, before.t)
		facts.Know(where)
		all = append(all, shared{slotOf{t.side, t.n, k}, t.Under(x.t, &facts), t.Under(y.t, &facts)})
	}
	return all
}

// leave returns the states after the loop. If there is only one exit, the wave reaches it whenever it enters the loop.
func (t *iteration) leave(e *lane, exits ways) ways {
	part := e.part
	byPC := ways{}
	for at, all := range exits {
		for _, x := range all {
			part = max(part, x.part)
			byPC.add(x, 0, at.pc)
		}
	}
	if t.cut {
		t.record(e)
	}
	for at, all := range byPC {
		for _, x := range all {
			if t.cut {
				x.part = part + 1
			}
		}
		x := t.mergeAll(all)
		if len(byPC) == 1 {
			x.path = t.before.path
		}
		byPC[at] = []*lane{x}
	}
	return byPC
}

// varying records that a variable has a different value in each iteration of the current loop.
func (p *program) varying(t *term.Term) *term.Term {
	if p.inside > 0 {
		p.varies[t.Name] = p.inside
	}
	return t
}

// changing reports whether a term may have different values in different iterations.
func (t *iteration) changing(x *term.Term) bool { return t.depends(x, map[*term.Term]bool{}) }

func (t *iteration) depends(x *term.Term, seen map[*term.Term]bool) bool {
	if seen[x] {
		return false
	}
	seen[x] = true
	if (x.Op == term.Var || x.Op == term.Fn) && t.varies[x.Name] >= t.n {
		return true
	}
	if i, ok := t.isSome[x]; ok && t.depends(t.Some[i].Mask, seen) {
		return true
	}
	return slices.ContainsFunc(x.Args, func(a *term.Term) bool { return t.depends(a, seen) })
}
