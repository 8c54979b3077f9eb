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
// there is nothing to say, and it is enough to know which dwords were reached. Meanwhile the accesses are listed. When
// one meets another wave, or is none of a batch, records are made of those that are listed, and of all that follow up to
// the barrier: [Checker.touchLanes] judges these. A list has no rule of its own.

// ldsList has what the waves of a work-group have done to LDS since the latest barrier.
type ldsList struct {
	accesses []listed
	ended    bool          // accesses have records, up to the next barrier
	wave     *wave         // who has made the latest accesses
	own      ldsMasks      // what it has reached since it made an access after another wave
	others   ldsMasks      // what other waves have reached, or this one before that
	data     []state.Lanes // what stores have stored, one register after another
	old      []*places     // which the list refers to and no access does
	spare    []*places     // to be used again
	one      ldsMasks      // dwords of the access at hand, else 0
	event    sim.Event     // of an access of which a record is made
	regs     *state.Wave   // the registers that it has stored
}

// maxListed bounds the accesses of a list.
const maxListed = 1 << 10

// ldsMasks are dwords of LDS: 64 of them are the bits of an element.
type ldsMasks []ldsRow

// ldsRow are dwords of a row that are loaded or stored, and those that are stored.
type ldsRow struct{ reached, stored uint64 }

// listed are the accesses of a group, which a wave has made after executing some instructions before their batch.
type listed struct {
	places   *places
	wave     *wave
	executed uint64
	data     int // where the registers begin that it has stored
}

// places are where the lanes of an access were. It may be the first one of a group: loads of a batch on the same lanes
// that have the same register as address, so that each lies at some distance from the first one.
type places struct {
	exec, base uint64
	at         state.Lanes // from base on
	members    []member    // of the group, as far as they are known
	rows       []ldsPart   // what all of them reach
	epoch      uint32      // of the latest list that refers to them
	apart      bool        // no lanes of a store reach the same dword
}

// member is how far an access is from the first one of its group, and how far its second element is from its first.
type member struct {
	noted
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
	return a.site.wait.path == pathLDS && c.seesRaces && len(c.waves) > 1 && !r.split && !r.full && !r.list.ended &&
		!a.stays && len(r.late) == 0 && len(r.list.accesses) < maxListed
}

// list lists x, access n of b. It returns false if there must be a record of x; then it fills in the access record.
func (c *Checker) list(x *step, b *batch, n int) bool {
	l, a := &c.races.list, &b.accesses[n]
	if l.wave != x.wave {
		l.turn(x.wave, len(x.LDS))
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
	if a.inst.Row().Mem.Op == gcn.Store {
		for r := range a.data() {
			l.data = append(l.data, x.Wave.V[r])
		}
	}
	return true
}

// turn follows that wave w makes accesses after another one.
func (l *ldsList) turn(w *wave, size int) {
	if rows := size/rowBytes + 1; len(l.own) < rows {
		l.own, l.others, l.one = make(ldsMasks, rows), make(ldsMasks, rows), make(ldsMasks, rows)
	}
	for i := range l.own {
		l.others[i].reached |= l.own[i].reached
		l.others[i].stored |= l.own[i].stored
		l.own[i] = ldsRow{}
	}
	l.wave = w
}

// placesOf returns where the lanes of x are, access a of b. It adds what they reach to what the wave has reached. ok is
// false if that meets another wave, or lanes of a store one another.
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
			p = l.newPlaces()
			first.places[x.wave.ID] = p
		}
		*p = places{exec: exec, base: base, at: *at, members: p.members[:0], rows: p.rows[:0], apart: true}
	}
	lane := bits.TrailingZeros64(exec) & (state.NumLanes - 1)
	p.members = append(p.members, member{a.noted, base + uint64(at[lane]) - p.base - uint64(p.at[lane]), second})
	rows := len(p.rows)
	if !l.reach(p) {
		p.apart = false
		return p, false
	}
	return p, l.add(p.rows[rows:])
}

// newPlaces returns places to fill in.
func (l *ldsList) newPlaces() *places {
	n := len(l.spare)
	if n == 0 {
		return new(places)
	}
	p := l.spare[n-1]
	l.spare = l.spare[:n-1]
	return p
}

// reach adds the dwords that the latest member of p reaches to the rows of p. It returns false if some are out of LDS,
// or if lanes of a store reach the same one.
func (l *ldsList) reach(p *places) bool {
	m := p.members[len(p.members)-1]
	row := m.inst.Row()
	size, at := uint64(row.Mem.Elem)*uint64(row.Mem.Count), []uint64{p.base + m.distance}
	if row.Has(gcn.Two) {
		size, at = uint64(row.Mem.Elem), []uint64{at[0], at[0] + m.second}
	}
	lo, hi, n := len(l.one), 0, 0
	apart := true
	for _, at := range at {
		for lanes := p.exec; lanes != 0; lanes &= lanes - 1 {
			first := at + uint64(p.at[bits.TrailingZeros64(lanes)&(state.NumLanes-1)])
			for dword := first / 4; dword <= (first+size-1)/4; dword++ {
				i := int(dword / rowWords) //nolint:gosec // an offset in LDS
				if uint(i) >= uint(len(l.one)) {
					apart = false
					continue
				}
				lo, hi = min(lo, i), max(hi, i+1)
				l.one[i].reached |= 1 << (dword % rowWords)
				n++
			}
		}
	}
	for i := lo; i < hi; i++ {
		if d := l.one[i].reached; d != 0 {
			n -= bits.OnesCount64(d)
			part := ldsPart{i, ldsRow{reached: d}}
			if row.Mem.Op == gcn.Store {
				part.stored = d
			}
			p.rows, l.one[i] = append(p.rows, part), ldsRow{}
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

// fill sets a to the access record of member n of p.
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

// endList makes records of the accesses that are listed.
func (c *Checker) endList() {
	l := &c.races.list
	l.ended = true
	if len(l.accesses) == 0 {
		return
	}
	if l.regs == nil {
		l.regs = state.NewWave(c.waves[0].Target, 256)
	}
	l.event = *c.step.Event
	l.event.Wave, l.event.Access = l.regs, new(state.Access)
	for i := range l.accesses {
		k := &l.accesses[i]
		for n, m := range k.places.members {
			if m.inst.Row().Mem.Op == gcn.Store {
				data := l.data[k.data:]
				for r := range m.data() {
					l.regs.V[r], data = data[0], data[1:]
				}
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
