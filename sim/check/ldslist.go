package check

import (
	"math/bits"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/base/simd"
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
	accesses []listed
	ended    bool          // accesses get records, up to the next barrier
	wave     *wave         // the wave that has made the latest accesses, in its turn
	own      []ldsRow      // by row of LDS: what the wave has reached in this turn
	others   []ldsRow      // what was reached in the turns before
	data     []state.Lanes // the registers that the listed stores have stored, in order
	old      []*places     // places that only the list refers to
	spare    []*places     // places to be used again
	touched  []uint64      // by row: the dwords that the access at hand reaches. It is 0 in between

	// For accesses that get records: the event of one, its access record, and a wave whose registers hold what it stored.
	event  sim.Event
	record *state.Access
	regs   *state.Wave
}

// maxListed bounds the accesses of a list.
const maxListed = 1 << 10

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
	at         state.Lanes // where each lane of the first access was, from base on
	members    []member    // the accesses of the group, as far as they are known
	rows       []ldsPart   // what all of them reach
	epoch      uint32      // the epoch of the latest list that refers to the places
	apart      bool        // no two lanes of a store reach the same dword
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
	l.spare = append(l.spare, l.old...)
	l.accesses, l.old, l.data, l.ended, l.wave = l.accesses[:0], l.old[:0], l.data[:0], false, nil
	clear(l.own)
	clear(l.others)
}

// mayList reports whether an access of a batch may be listed.
func (c *Checker) mayList(a *access) bool {
	r := &c.races
	return a.inLDS && !a.stays && !r.list.ended && len(r.list.accesses) < maxListed &&
		c.seesRaces && len(c.waves) > 1 && !r.split && !r.full && len(r.late) == 0
}

// list lists x, access n of b. It returns false if x must get a record. Then it fills in the access record of x.
func (c *Checker) list(x *step, b *batch, n int) bool {
	l, a := &c.races.list, &b.accesses[n]
	if l.wave != x.wave {
		l.beginTurn(x.wave, len(x.LDS))
	}
	p, ok := l.placesOf(x, b, a, c.races.epoch)
	if !ok {
		p.fill(a.member, x.Access)
		p.members = p.members[:a.member]
		return false
	}
	if p.epoch = c.races.epoch; a.member > 0 { // it was listed with the first one
		return true
	}
	l.accesses = append(l.accesses, listed{p, x.wave, x.executed - a.at, len(l.data)})
	for _, r := range a.data {
		l.data = append(l.data, x.Wave.V[r])
	}
	return true
}

// beginTurn is called before wave w makes an access to LDS, which has so many bytes, after another wave.
func (l *ldsList) beginTurn(w *wave, size int) {
	if rows := size/rowBytes + 1; len(l.own) < rows {
		l.own, l.others, l.touched = make([]ldsRow, rows), make([]ldsRow, rows), make([]uint64, rows)
	}
	for i := range l.own {
		l.others[i].reached |= l.own[i].reached
		l.others[i].stored |= l.own[i].stored
		l.own[i] = ldsRow{}
	}
	l.wave = w
}

// placesOf returns the places of x, access a of b, and adds what they reach to what the wave has reached. ok is false
// if x meets another wave, or if lanes of a store meet one another.
func (l *ldsList) placesOf(x *step, b *batch, a *access, epoch uint32) (p *places, ok bool) {
	first := &b.accesses[a.first]
	if n := x.wave.ID + 1; len(first.places) < n {
		first.places = append(first.places, make([]*places, n-len(first.places))...)
	}
	p = first.places[x.wave.ID]
	if a.member > 0 && a.member < len(p.members) { // known, and added with the first one
		return p, true
	}
	exec, base, at, second := x.Places()
	if a.member == 0 {
		if p != nil && p.exec == exec && p.base == base && p.at == *at && len(p.members) == first.sharing {
			return p, p.apart && (p.epoch == epoch || l.add(p.rows))
		}
		if p == nil || p.epoch == epoch {
			if p != nil {
				l.old = append(l.old, p)
			}
			p = takeSpare(&l.spare)
			first.places[x.wave.ID] = p
		}
		*p = places{exec: exec, base: base, at: *at, members: p.members[:0], rows: p.rows[:0], apart: true}
	}
	lane := bits.TrailingZeros64(exec) & (state.NumLanes - 1)
	p.members = append(p.members, member{a, base + uint64(at[lane]) - p.base - uint64(p.at[lane]), second})
	rows := len(p.rows)
	if !l.reach(p) {
		p.apart = false
		return p, false
	}
	return p, l.add(p.rows[rows:])
}

// reach adds the dwords that the latest member of p reaches to the rows of p. It returns false if some lie outside LDS,
// or if lanes of a store reach the same one.
func (l *ldsList) reach(p *places) bool {
	m := p.members[len(p.members)-1]
	row := m.inst.Row()
	size, at := uint64(row.Mem.Elem)*uint64(row.Mem.Count), []uint64{p.base + m.distance}
	if row.Has(gcn.Two) {
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
			part := ldsPart{i, ldsRow{reached: d}}
			if row.Mem.Op == gcn.Store {
				part.stored = d
			}
			p.rows, l.touched[i] = append(p.rows, part), 0
		}
	}
	return apart && (n == 0 || row.Mem.Op == gcn.Load)
}

// add adds rows to what the wave has reached. It returns false if that meets another wave.
func (l *ldsList) add(rows []ldsPart) bool {
	meets := uint64(0)
	for i := range rows {
		p := &rows[i]
		own, others := &l.own[p.row], &l.others[p.row]
		meets |= p.stored&others.reached | p.reached&others.stored
		own.reached |= p.reached
		own.stored |= p.stored
	}
	return meets == 0
}

// fill makes a the access record of member n of p.
func (p *places) fill(n int, a *state.Access) {
	m := &p.members[n]
	row := m.inst.Row()
	executor.Begin(a, &row.Mem, state.LDS, p.exec)
	a.Regs, a.Split = row.Mem.Dwords, row.Has(gcn.Two)
	data := gcn.VDST
	if row.Mem.Op == gcn.Store {
		data = gcn.DATA0
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
			l.event.PC, l.event.Inst = m.site.at, &m.inst
			x := step{Event: &l.event, site: m.site, wave: k.wave, executed: k.executed + m.at, exec: k.places.exec,
				effects: m.effects, reads: &m.reads, writes: &m.writes, noted: true, overtaken: true}
			k.places.fill(n, x.Access)
			h := c.handOf(&x)
			h.sh = &c.races.lds
			c.touchLanes(&h, x.Access, x.Access.Exec)
		}
	}
}
