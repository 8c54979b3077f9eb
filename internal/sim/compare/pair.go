package compare

import (
	"cmp"
	"context"
	"slices"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/sim/registers"
	"github.com/gcnsim/gcnsim/state"
)

// This file walks the slices of two programs with different instructions side by side. The walk begins at the two
// stores, or at the instruction that replaces a store, and continues to the instructions that compute the values that
// differ, while both do the same thing. The difference begins where both read the same values and write different ones.

// ref is a node of a slice: the slice and the index of the node.
type ref struct {
	s *slicer
	n int
}

func (r ref) node() *node { return &r.s.nodes[r.n] }

// pair has one instruction of each program. Both should compute the same value.
type pair [2]ref

// pairing is the state of a walk of two slices side by side.
type pairing struct {
	m     [2]*matcher
	queue []pair
	seen  map[pair]bool
	begin map[ref]bool
	path  map[ref]bool
	stale []staleRead

	missing []missingStore
}

// staleRead is an instruction of program side that reads a register before it is updated: instruction next would have
// updated the register, but its lane was off. fresh is the instruction of the other program that did update it.
type staleRead struct {
	side  int
	next  kept
	fresh ref
}

// maxPairs is the maximum number of pairs in a walk.
const maxPairs = 1 << 12

// add adds a pair of instructions that should compute the same value. If both are in a loop, it adds the pair of the
// iteration in which the values begin to differ.
func (p *pairing) add(a, b ref) {
	if a.s != nil && b.s != nil {
		a, b = earliest(a, b)
	}
	if x := (pair{a, b}); a.s != nil && b.s != nil && !p.seen[x] && len(p.seen) < maxPairs {
		p.seen[x] = true
		p.queue = append(p.queue, x)
	}
}

// walk follows all pairs of the queue, and the pairs that it adds on the way.
func (p *pairing) walk() {
	for len(p.queue) > 0 {
		x := p.queue[0]
		p.queue = p.queue[1:]
		p.path[x[0]], p.path[x[1]] = true, true
		p.step(x)
	}
}

// earliest returns the instructions of the first iteration in which a and b wrote different values for their lanes, if
// they wrote the same value in at least one iteration before. Otherwise it returns a and b.
func earliest(a, b ref) (ref, ref) {
	left, right := a.turns(), b.turns()
	for same := false; len(left) > 0 && len(right) > 0 && left[0] != a && right[0] != b; {
		x, y := left[0].node(), right[0].node()
		switch {
		case x.turn < y.turn:
			left = left[1:]
			continue
		case x.turn > y.turn:
			right = right[1:]
			continue
		case len(x.wrote) == 0 || len(y.wrote) == 0:
			return a, b
		case x.wrote[0].in(x.lane) == y.wrote[0].in(y.lane):
			same = true
		case same:
			return left[0], right[0]
		default:
			return a, b
		}
		left, right = left[1:], right[1:]
	}
	return a, b
}

// turns returns all executions of the instruction of r that are in the slice, for the same lane of the same wave, in
// the order of execution.
func (r ref) turns() (all []ref) {
	n := r.node()
	if r.s.bySite == nil {
		r.s.bySite = map[uint64][]int{}
		for i := range r.s.nodes {
			at := r.s.nodes[i].site.pc
			r.s.bySite[at] = append(r.s.bySite[at], i)
		}
	}
	for _, i := range slices.Backward(r.s.bySite[n.site.pc]) {
		if x := &r.s.nodes[i]; x.group == n.group && x.wave == n.wave && x.lane == n.lane {
			all = append(all, ref{r.s, i})
		}
	}
	return all
}

// begins records that the difference begins in pair x.
func (p *pairing) begins(x pair) { p.begin[x[0]], p.begin[x[1]] = true, true }

// step follows one pair to the instructions that computed its inputs.
func (p *pairing) step(x pair) {
	if x[0].off() != x[1].off() {
		p.exec(x)
		return
	}
	left, right := unequal(x)
	if len(left) == 0 || len(right) == 0 {
		p.begins(x)
		return
	}
	goesOn := false
	for _, in := range left {
		i := slices.IndexFunc(right, func(y input) bool { return y.role == in.role })
		if i >= 0 && p.memory(x, [2]input{in, right[i]}) {
			goesOn = true
			continue
		}
		if i < 0 || in.from.s == nil || right[i].from.s == nil {
			continue
		}
		goesOn = true
		p.descend(x, in, right[i])
		right = slices.Delete(right, i, i+1)
	}
	if !goesOn {
		p.alone(x[0])
		p.alone(x[1])
	}
}

// alone follows one program from an instruction that the other program lacks to those of its sources that the other
// program does not compute either, and so on. The difference begins in the instructions without such sources. If there
// are many, it begins in the first mostAlone that executed, constants last.
func (p *pairing) alone(r ref) {
	bad, by := []int{r.n}, map[int]int{r.n: -1} // by maps a node to the node that reads it
	var ends []int
	for i := 0; i < len(bad); i++ {
		x := bad[i]
		next := r.s.unlike(x, false)
		if len(next) == 0 && r.s.nodes[x].foreign {
			next = r.s.unlike(x, true)
		}
		if len(next) == 0 {
			ends = append(ends, x)
		}
		for _, n := range next {
			if _, ok := by[n]; !ok {
				by[n] = x
				bad = append(bad, n)
			}
		}
	}
	slices.SortFunc(ends, func(a, b int) int {
		x, y := &r.s.nodes[a], &r.s.nodes[b]
		if c := x.constant(); c != y.constant() {
			return map[bool]int{false: -1, true: 1}[c]
		}
		return cmp.Compare(x.n, y.n)
	})
	for _, x := range ends[:min(len(ends), mostAlone)] {
		p.begin[ref{r.s, x}] = true
		for ; x >= 0; x = by[x] {
			p.path[ref{r.s, x}] = true
		}
	}
}

// mostAlone is the maximum number of instructions where alone says that a difference begins.
const mostAlone = 6

// unlike returns the sources of node n that do not agree with the other program: the writers of EXEC if exec is true,
// the others if not. It leaves out the address of private memory, which may differ between the programs.
func (s *slicer) unlike(n int, exec bool) (all []int) {
	for _, e := range s.nodes[n].in {
		if !s.nodes[e.node].agrees && e.role != isa.RoleResource && (e.role == isa.RoleExec) == exec {
			all = append(all, e.node)
		}
	}
	return all
}

// constant reports whether a node reads only EXEC. Most constants that the other program lacks are correct.
func (n *node) constant() bool {
	return !slices.ContainsFunc(n.in, func(e edge) bool { return e.role != isa.RoleExec }) &&
		!slices.ContainsFunc(n.from, func(o origin) bool { return o.mem || o.reg&^1 != registers.EXEC })
}

// descend continues from pair x to the instructions that computed its inputs left and right, which differ.
func (p *pairing) descend(x pair, left, right input) {
	a, b := left.from, right.from
	common, other := shared(a, b)
	turn := a.node().turn
	in := [2]input{left, right}
	switch {
	case p.limited(in):
		return
	case common > 0 && other <= 1, kindOf(a) == kindOf(b) && turn == b.node().turn && turn > 0:
		p.add(a, b)
		return
	case p.memory(x, in), p.sameTurn(x, in), p.isStale(x, in):
		return
	}
	computed := [2]bool{p.m[1].computes(a), p.m[0].computes(b)}
	if computed[0] || computed[1] { // the value is correct, but the wrong one to read
		p.path[a], p.path[b] = true, true
		p.begins(x)
		return
	}
	p.alike(a, b)
}

// alike skips copies of two values and continues with the nearest pair of instructions of the same kind. If there is no
// such pair, it continues in each program alone.
func (p *pairing) alike(a, b ref) {
	left, right := a.copied(), b.copied()
	for steps := range len(left) + len(right) - 1 {
		for i := max(0, steps-len(right)+1); i <= min(steps, len(left)-1); i++ {
			if j := steps - i; kindOf(left[i]) == kindOf(right[j]) {
				for _, r := range slices.Concat(left[:i], right[:j]) {
					p.path[r] = true
				}
				p.add(left[i], right[j])
				return
			}
		}
	}
	p.alone(a)
	p.alone(b)
}

// mostCopies is the maximum length of a chain of copies.
const mostCopies = 32

// copied returns r, the node whose value r copies, the node whose value that node copies, and so on.
func (r ref) copied() (all []ref) {
	for ; r.s != nil && len(all) < mostCopies; r = r.copies() {
		all = append(all, r)
	}
	return all
}

// limited reports whether only one of two accesses exceeds a limit. The difference then begins where the limit was set.
func (p *pairing) limited(in [2]input) bool {
	var by [2]ref
	for side := range in {
		from := in[side].from
		for _, e := range from.node().in {
			if e.role == isa.RoleLimit {
				by[side] = ref{from.s, e.node}
			}
		}
	}
	if (by[0].s == nil) == (by[1].s == nil) {
		return false
	}
	for side, at := range by {
		if at.s != nil {
			p.path[in[side].from], p.path[at], p.begin[at] = true, true, true
		}
	}
	return true
}

// memory reports whether a pair loads from LDS or private memory, and its stores are at different places or one of them
// is missing. It adds each store to p.missing, since the other program may store the value at another place.
func (p *pairing) memory(x pair, in [2]input) bool {
	for side := range in {
		if in[side].reg != inMemory {
			return false
		}
	}
	if in[0].from.s != nil && in[1].from.s != nil && !misplaced(in[0].from.node(), in[1].from.node()) {
		return false
	}
	if in[0].from.s == nil && in[1].from.s == nil {
		return false
	}
	for side := range in {
		if from := in[1-side].from; from.s != nil {
			p.missing = append(p.missing, missingStore{side, from, x})
		}
	}
	return true
}

// misplaced reports whether two stores to LDS are at different addresses, or by different work-items. A pair of loads
// reads them.
func misplaced(a, b *node) bool {
	return a.to == state.LDS && b.to == state.LDS &&
		(a.storedAt() != b.storedAt() || a.wave != b.wave || a.lane != b.lane)
}

// missingStore is a store of the other program that program side lacks at that place, so that the pair by loads
// different values.
type missingStore struct {
	side  int
	store ref
	by    pair
}

// storedAt returns the low half of the address that a node stored to in its lane.
func (n *node) storedAt() uint32 {
	for d := range n.wrote {
		if n.wrote[d].reg == storedAt {
			return n.wrote[d].in(n.lane)
		}
	}
	return 0
}

// sameTurn reports whether one side of a pair is in a later iteration of a loop and the other side is in its first. It
// then adds the pair with the earlier iteration that reads the same value as the other side.
func (p *pairing) sameTurn(x pair, in [2]input) bool {
	for side, first := range [2]input{in[1], in[0]} {
		at, reads := in[side].from, in[side].reg
		if at.node().site != x[side].node().site || first.from.node().site == x[1-side].node().site {
			continue
		}
		for at.s != nil && at.node().site == x[side].node().site {
			before := slices.IndexFunc(inputs(at), func(y input) bool { return y.reg == reads })
			if before < 0 {
				break
			}
			y := inputs(at)[before]
			if y.equals(first) {
				y := x
				y[side] = at
				p.add(y[0], y[1])
				return true
			}
			at = y.from
		}
	}
	return false
}

// isStale reports whether one side of a pair reads an old value: an instruction before it would have overwritten the
// register, but the lane was off.
func (p *pairing) isStale(x pair, in [2]input) (stale bool) {
	for side := range x {
		for _, k := range x[side].node().kept {
			if from := in[side].from.node(); k.reg == in[side].reg && (from.agrees || from.constant()) {
				p.path[in[side].from] = true
				p.stale = append(p.stale, staleRead{side, k, in[1-side].from})
				stale = true
			}
		}
	}
	return stale
}

// kept is an instruction that would have overwritten a register, but the lane was off.
type kept struct {
	reg  reg
	n    uint64
	lane int
}

// in returns the dword's value in a lane.
func (d *dword) in(lane int) uint32 {
	if d.scalar {
		lane = 0
	}
	return d.lanes[lane%state.NumLanes]
}

// kind classifies instructions. Instructions of different processors that do the same thing have the same kind.
type kind struct {
	op   gcn.MemOp
	flow isa.Flow
	mask bool
	name string
}

// kindOf returns the kind of a node's instruction.
func kindOf(r ref) kind {
	n := r.node()
	row := n.site.inst.Row()
	switch {
	case row.Mem.Op != gcn.NoMem:
		return kind{op: row.Mem.Op}
	case row.Sig.Dst == isa.Mask, n.mask && n.site.scalar():
		return kind{mask: n.site.scalar(), name: "mask"}
	case row.Flow[0] != isa.FlowAny:
		return kind{flow: row.Flow[0]}
	}
	return kind{name: row.Name}
}

// copies returns the node whose value a node copies unchanged, or the zero ref.
func (r ref) copies() ref {
	n := r.node()
	row := n.site.inst.Row()
	if row.Mem.Op != gcn.Load && row.Mem.Op != gcn.Store && row.Flow[0] != isa.FlowCopy {
		return ref{}
	}
	for _, e := range n.in {
		if e.role == isa.RoleData {
			return ref{r.s, e.node}
		}
	}
	return ref{}
}

// computes reports whether a slice of m has an instruction of the same kind as other, with the same inputs and the same
// results. other is a node of the other program.
func (m *matcher) computes(other ref) bool {
	n, ins, what := other.node(), inputs(other), kindOf(other)
	if what.mask { // masks of all lanes or of no lane are often equal by chance
		return false
	}
	for _, r := range m.kinds[what] {
		x := r.node()
		if x.group != n.group || x.wave != n.wave || len(x.wrote) != len(n.wrote) {
			continue
		}
		same := true
		for d := range n.wrote {
			y := &x.wrote[d]
			same = same && (n.wrote[d].reg == storedAt || n.wrote[d].in(n.lane) == y.in(n.lane))
		}
		if theirs := inputs(r); same && len(without(ins, theirs)) == 0 && len(without(theirs, ins)) == 0 {
			return true
		}
	}
	return false
}

// This file computes additional slices for programs with different instructions. They begin at instructions that should
// have written a value and did not.

// mostFollowed is the maximum number of stale values, and of missing stores, that are followed.
const mostFollowed = 4

// pairs walks the slices of two programs with different instructions side by side. It returns all slices of each
// program, including those that the walk has added. p is nil for aligned programs.
func (c *inquiry) pairs(m [2]*matcher) (p *pairing, all [2][]*slicer, err error) {
	for i, s := range c.slicers {
		for _, s := range []*slicer{s, c.insteads[i]} {
			if s != nil && len(s.nodes) > 0 {
				all[i] = append(all[i], s)
			}
		}
	}
	if c.aligned != nil {
		return nil, all, nil
	}
	for i := range all {
		for _, s := range all[i] {
			m[i].judge(m[1-i], s.nodes)
		}
	}
	p = &pairing{m: m, seen: map[pair]bool{}, begin: map[ref]bool{}, path: map[ref]bool{}}
	for i, s := range c.slicers {
		x := pair{{c.slicers[0], 0}, {c.slicers[1], 0}}
		switch {
		case c.insteads[1-i] != nil:
			x[1-i] = ref{c.insteads[1-i], 0}
		case !c.sameItem():
			if len(s.nodes) > 0 {
				p.alone(ref{s, 0})
			}
			continue
		}
		p.add(x[0], x[1])
	}
	p.walk()
	for stale, missing := 0, 0; err == nil; p.walk() {
		switch {
		case stale < min(len(p.stale), mostFollowed):
			err = c.followStale(p, &all, &p.stale[stale])
			stale++
		case missing < min(len(p.missing), mostFollowed):
			err = c.followMissing(p, &all, &p.missing[missing])
			missing++
		default:
			return p, all, nil
		}
	}
	return nil, all, err
}

// followStale continues with the instruction that turned the lane off where a value should have been overwritten.
func (c *inquiry) followStale(p *pairing, all *[2][]*slicer, x *staleRead) error {
	s, err := c.also(p, all, x.side, x.next.n, x.next.lane)
	if s != nil {
		at := pair{x.fresh, x.fresh}
		at[x.side] = ref{s, 0}
		p.path[at[0]], p.path[at[1]] = true, true
		p.exec(at)
	}
	return err
}

// followMissing continues with the store of the value if this program stores the value at another place. If both
// programs store it at the same place, or this one does not store it, the difference begins in the load.
func (c *inquiry) followMissing(p *pairing, all *[2][]*slicer, x *missingStore) error {
	store := x.store.node()
	at := x.by
	f, err := c.look(c.ctx, x.side, store)
	if err != nil || f.same == nil {
		p.begins(at)
		return err
	}
	s, err := c.also(p, all, x.side, f.same.n, store.lane)
	switch {
	case s == nil:
		return err
	case store.to == state.LDS && s.nodes[0].storedAt() == store.storedAt():
		p.begins(at)
	default:
		at = pair{x.store, x.store}
		at[x.side] = ref{s, 0}
	}
	p.add(at[0], at[1])
	return nil
}

// also computes the slice of a lane of instruction n of a side and adds it to all. It returns nil for an empty slice.
func (c *inquiry) also(p *pairing, all *[2][]*slicer, side int, n uint64, lane int) (*slicer, error) {
	s, err := c.from(c.ctx, side, n, lane)
	if s != nil {
		p.m[side].judge(p.m[1-side], s.nodes)
		all[side] = append(all[side], s)
	}
	return s, err
}

// from computes the slice of a lane of instruction n of a side. The lane may be off in that instruction. It returns nil
// if the slice is empty.
func (c *inquiry) from(ctx context.Context, side int, n uint64, lane int) (*slicer, error) {
	s := &slicer{setup: c.setups[side], writers: c.writers[side]}
	if err := s.slice(ctx, 0, stampOf(n, lane), true); err != nil || len(s.nodes) == 0 {
		return nil, err
	}
	s.nodes[0].lanes = 1 << lane
	if err := s.values(ctx); err != nil {
		return nil, err
	}
	return s, nil
}
