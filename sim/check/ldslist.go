package check

import (
	"math/bits"
	"slices"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/base/simd"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/state"
)

// This file judges the accesses of batches to LDS without a record of each. An access to LDS matters to other waves of
// its work-group only, and only up to the next barrier. As long as no wave reaches a dword to which another one stores,
// there is nothing to say, and it is enough to know which dwords each wave has reached. Meanwhile the accesses are
// listed. When two waves meet, or an instruction that is in no batch accesses LDS, the listed accesses get records, and
// so do all that follow up to the barrier. [Checker.touchLanes] makes and judges the records. A list has no rule of its
// own.

// ldsList has what the waves of a work-group have done to LDS since the latest barrier.
type ldsList struct {
	number   uint64 // of the list: each has another one, in all dispatches
	accesses []listed
	ended    bool          // accesses get records, up to the next barrier
	rows     []listRow     // of LDS
	reached  []*places     // where listed accesses were, without repetition
	same     []*places     // the one of past that begins with reached, nil if there is none
	past     [][]*places   // what lists before this one have reached, without a wave that met another one
	data     []state.Lanes // the registers that the listed stores have stored, in order
	old      []*places     // places that only the list refers to
	spare    []*places     // places to be used again
	touched  []uint64      // by row: the dwords that the access at hand reaches. It is 0 in between

	// For accesses that get records: the event of one, its access record, and a wave whose registers hold what it stored.
	event  sim.Event
	record *state.Access
	regs   *state.Wave
}

const (
	maxListed = 1 << 10 // accesses in a list
	maxPast   = 4       // lists that are known
)

// listRow is what waves have reached of a row of LDS in a list.
type listRow struct {
	list   uint64 // the number of the list
	wave   int    // the wave that has made the latest access
	own    ldsRow // what it has reached since another one did
	others ldsRow // what was reached before
}

// ldsRow are the dwords of a row that are loaded or stored, and those that are stored.
type ldsRow struct{ reached, stored uint64 }

// listed is a store, or a group of loads of a batch: see [access].
type listed struct {
	places   *places
	wave     *wave
	executed uint64 // instructions that the wave had executed before the batch
	data     int    // of a store: where its registers begin in the data of the list
}

// places are where the lanes of a group of accesses were.
type places struct {
	exec, base uint64
	list       uint64      // the number of the latest list that refers to the places
	apart      bool        // no two lanes of a store reach the same dword
	wave       int         // the wave that reaches them
	members    []member    // the accesses of the group, as far as they are known
	rows       []ldsPart   // what all of them reach
	at         state.Lanes // where each lane of the first access was, from base on
}

// member is an access of a group: how far it lies from the first one, and its second element from its first one.
type member struct {
	*access
	distance, second uint64
}

// ldsPart is a row of LDS of which some dwords are reached.
type ldsPart struct {
	row int
	ldsRow
}

// reset begins a list.
func (l *ldsList) reset() {
	if !l.ended && len(l.reached) > len(l.same) {
		l.past = append(l.past[:len(l.past)%maxPast], slices.Clone(l.reached))
	}
	l.number++
	l.spare = append(l.spare, l.old...)
	l.accesses, l.reached, l.same, l.old = l.accesses[:0], l.reached[:0], nil, l.old[:0]
	l.data, l.ended = l.data[:0], false
}

// mayList reports whether an access of a batch may be listed.
func (c *Checker) mayList(a *access) bool {
	r := &c.races
	return a.isListable() && !r.list.ended && len(r.list.accesses) < maxListed && c.seesRaces && len(c.waves) > 1 &&
		!r.split && !r.full && len(r.late) == 0
}

// list lists x, which is access n of b. It returns the accesses of b that are listed now, as bits: bit n, and the rest
// of its group if their places are known from the time before. It returns 0 if x must get a record; then it has filled
// in the access record of x.
func (c *Checker) list(x *step, b *batch, n int) (all uint64) {
	l, a := &c.races.list, &b.accesses[n]
	l.makeRows(len(x.LDS))
	p, ok := l.placesOf(x, b, a)
	if !ok {
		p.fill(a.member, x.Access)
		p.members = p.members[:a.member]
		return 0
	}
	if a.member > 0 { // the list has the first one
		return 1 << n
	}
	l.append(p, a, x.wave, x.executed-a.at)
	if p.isWhole(a) {
		return a.group
	}
	return 1 << n
}

// append lists a, the first one of a group, with its places. Wave w had executed so many instructions before the batch.
func (l *ldsList) append(p *places, a *access, w *wave, executed uint64) {
	p.list = l.number
	l.accesses = append(l.accesses, listed{p, w, executed, len(l.data)})
	for _, r := range a.data {
		l.data = append(l.data, w.V[r])
	}
}

// isWhole reports whether p has all members of the group of a, the first one.
func (p *places) isWhole(a *access) bool { return len(p.members) == bits.OnesCount64(a.group) }

// makeRows makes the rows of an LDS of so many bytes.
func (l *ldsList) makeRows(size int) {
	if rows := size/rowBytes + 1; len(l.rows) < rows {
		l.rows, l.touched = make([]listRow, rows), make([]uint64, rows)
	}
}

// placesOf returns the places of x, access a of b, and adds what they reach to what the wave has reached. ok is false
// if x meets another wave, or if lanes of a store meet one another.
func (l *ldsList) placesOf(x *step, b *batch, a *access) (p *places, ok bool) {
	first := &b.accesses[a.first]
	if n := x.wave.ID + 1; len(first.places) < n {
		first.places = append(first.places, make([]*places, n-len(first.places))...)
	}
	p = first.places[x.wave.ID]
	exec, base, at, second := x.Places(0)
	if a.member == 0 {
		if p != nil && p.exec == exec && p.base == base && p.at == *at && p.isWhole(first) {
			return p, p.apart && l.reach(p)
		}
		l.forgetPast()
		if p == nil || p.list == l.number {
			if p != nil {
				l.old = append(l.old, p)
			}
			p = takeSpare(&l.spare)
			first.places[x.wave.ID] = p
		}
		*p = places{exec: exec, base: base, at: *at, members: p.members[:0], rows: p.rows[:0], apart: true,
			wave: x.wave.ID}
		l.reached = append(l.reached, p)
	}
	lane := bits.TrailingZeros64(exec) & (state.NumLanes - 1)
	p.members = append(p.members, member{a, base + uint64(at[lane]) - p.base - uint64(p.at[lane]), second})
	if !l.measure(p) {
		p.apart = false
		return p, false
	}
	return p, l.add(p)
}

// reach adds what p reaches to what its wave has reached. It returns false if that meets another wave. As long as a
// list reaches what one before it has reached, in the same order, no wave meets another one, and rows need not be
// looked at.
func (l *ldsList) reach(p *places) bool {
	if p.list == l.number {
		return true
	}
	n := len(l.reached)
	l.reached = append(l.reached, p)
	if n == 0 {
		if i := slices.IndexFunc(l.past, func(all []*places) bool { return all[0] == p }); i >= 0 {
			l.same = l.past[i]
			return true
		}
	}
	if n < len(l.same) && l.same[n] == p {
		return true
	}
	l.leavePast(n)
	return l.add(p)
}

// leavePast adds the first n places of the list to the rows, if it has reached what one before it has.
func (l *ldsList) leavePast(n int) {
	if l.same == nil {
		return
	}
	l.same = nil
	for _, p := range l.reached[:n] {
		l.add(p)
	}
}

// forgetPast is called before places change.
func (l *ldsList) forgetPast() {
	l.leavePast(len(l.reached))
	l.past = l.past[:0]
}

// measure adds the dwords that the latest member of p reaches to the rows of p. It returns false if some lie outside
// LDS, or if lanes of a store reach the same one.
func (l *ldsList) measure(p *places) bool {
	m := p.members[len(p.members)-1]
	row := m.inst.Row()
	size, at := uint64(row.Mem.Elem)*uint64(row.Mem.Count), []uint64{p.base + m.distance}
	if row.Has(isa.Two) {
		size, at = uint64(row.Mem.Elem), []uint64{at[0], at[0] + m.second}
	}
	lo, hi, n := len(l.touched), 0, 0
	apart := true
	for _, at := range at {
		for lanes := p.exec; lanes != 0; lanes &= lanes - 1 {
			first := at + uint64(p.at[bits.TrailingZeros64(lanes)&(state.NumLanes-1)])
			for dword := first / 4; dword <= (first+size-1)/4; dword++ {
				i := int(dword / rowWords) //nolint:gosec // an offset in LDS
				if uint(i) >= uint(len(l.touched)) {
					apart = false
					continue
				}
				lo, hi = min(lo, i), max(hi, i+1)
				l.touched[i] |= 1 << (dword % rowWords)
				n++
			}
		}
	}
	for i := lo; i < hi; i++ {
		if d := l.touched[i]; d != 0 {
			n -= bits.OnesCount64(d)
			at := slices.IndexFunc(p.rows, func(r ldsPart) bool { return r.row == i })
			if at < 0 {
				at, p.rows = len(p.rows), append(p.rows, ldsPart{row: i})
			}
			part := ldsRow{reached: d}
			if row.Mem.Op == gcn.Store {
				part.stored = d
			}
			p.rows[at].add(part)
			l.touched[i] = 0
		}
	}
	return apart && (n == 0 || row.Mem.Op == gcn.Load)
}

// add adds the rows of p to what its wave has reached. It returns false if that meets another wave.
func (l *ldsList) add(p *places) bool {
	meets := uint64(0)
	for i := range p.rows {
		part := &p.rows[i]
		r := &l.rows[part.row]
		switch {
		case r.list != l.number:
			*r = listRow{list: l.number, wave: p.wave}
		case r.wave != p.wave:
			r.others.add(r.own)
			r.wave, r.own = p.wave, ldsRow{}
		}
		meets |= part.stored&r.others.reached | part.reached&r.others.stored
		r.own.add(part.ldsRow)
	}
	return meets == 0
}

// add adds the dwords of s to r.
func (r *ldsRow) add(s ldsRow) {
	r.reached |= s.reached
	r.stored |= s.stored
}

// fill makes a the access record of member n of p.
func (p *places) fill(n int, a *state.Access) {
	m := &p.members[n]
	row := m.inst.Row()
	executor.Begin(a, &row.Mem, state.LDS, p.exec)
	a.Regs, a.Split = row.Mem.Dwords, row.Has(isa.Two)
	data := isa.VDST
	if row.Mem.Op == gcn.Store {
		data = isa.DATA0
	}
	a.Reg = uint16(m.inst.Get(data)) //nolint:gosec // a VGPR
	simd.Place(&a.Addr, &p.at, 0, p.base+m.distance, ^uint64(0))
	if a.Split {
		simd.Place(&a.More[0], &p.at, 0, p.base+m.distance+m.second, ^uint64(0))
	}
}

// endList makes records of the listed accesses.
func (c *Checker) endList() {
	l := &c.races.list
	l.ended = true
	if len(l.accesses) == 0 {
		return
	}
	if l.regs == nil {
		l.regs, l.record = state.NewWave(c.waves[0].Target, state.MaxVGPRs), new(state.Access)
	}
	l.event = *c.step.Event
	l.event.Wave, l.event.Access = l.regs, l.record
	for i := range l.accesses {
		k := &l.accesses[i]
		for n, m := range k.places.members {
			for at, r := range m.data {
				l.regs.V[r] = l.data[k.data+at]
			}
			l.event.PC, l.event.Inst = m.site.at, (*gcn.Inst)(&m.inst)
			x := step{Event: &l.event, site: m.site, wave: k.wave, executed: k.executed + m.at, exec: k.places.exec,
				effects: m.effects, reads: &m.reads, writes: &m.writes, noted: true, overtaken: true}
			k.places.fill(n, x.Access)
			h := c.handOf(&x)
			h.sh = &c.races.lds
			c.touchLanes(&h, x.Access, x.Access.Exec)
		}
	}
}
