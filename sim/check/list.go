package check

import (
	"math/bits"

	"github.com/gcnsim/gcnsim/gcn"

	native "github.com/gcnsim/gcnsim/internal/base/block"
	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/base/simd"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/state"
)

// This file judges accesses without a record of each. As long as no wave reaches a dword to which another one stores,
// there is nothing to say, and it is enough to know which dwords each wave has reached: [quiet] has them. Meanwhile the
// accesses are listed. When two waves meet, or an access cannot be listed, all listed accesses get records, as if they
// executed at this moment. That changes no finding: those of one instruction keep their order, those of one wave are
// ordered, and no two waves have met so far. From then on all accesses get records. [Checker.touchLanes] makes and
// judges the records: a list has no rule of its own.
//
// There are two lists. One has loads from memory, until the dispatch ends. A store to what a scalar load has reached
// ends it in any case, since the scalar cache does not see even the stores of the same wave. The other one has accesses
// of batches to LDS, until the next barrier opens.

// accessList has accesses without records.
type accessList struct {
	serial   uint64 // the number of the list: each has another one, in all dispatches
	chunks   [][]listRun
	n        int // runs
	turns    []turn
	patterns []*pattern    // of the accesses
	data     []state.Lanes // the registers that stores have stored, in order
	kept     uint64        // bytes that the patterns take
	ended    bool          // accesses get records
}

// listRun is a run of accesses of one group and one pattern, each as far from the one before as that is from the one
// before it: waves often load one after another what lies side by side, or all of them the same. No other access of the
// group was listed between them. A store is a run of its own.
type listRun struct {
	pattern    uint32 // its number
	by         uint32 // the wave that has made all those of the latest address, or several
	n          uint64
	last, step listPlace
	data       int // where the registers of a store begin in the data of the list
}

// several says that accesses are those of several waves.
const several = ^uint32(0)

// listPlace is where and when an access was made, or how far two accesses are from each other.
type listPlace struct {
	from  uint64 // the address of the first active lane
	turn  uint32 // the number of its turn
	after uint32 // how many instructions of the turn there are before it
}

// turn is a part of a wave: it begins where the wave has executed so many instructions.
type turn struct{ group, epoch, wave, executed uint32 }

// group is what a list keeps as one access: a load from memory, a store to LDS, or loads of a batch from LDS whose
// addresses differ by constants.
type group struct {
	members  []member
	patterns []*pattern // how its lanes lay to one another lately
	listedIn uint64     // the serial number of the latest list that it was in
	run      int        // its latest one in that list
}

// member is an access of a group.
type member struct {
	*site
	at       uint64 // how many instructions of its batch there are before it
	distance uint64 // of its first element from the first one of the group
	second   uint64 // distance of its second element from the first one, of DS instructions with two
	data     []reg  // the registers that it stores
}

// pattern is how the lanes of a group lie to one another.
type pattern struct {
	*group
	number uint32 // in the list, from 1 on, 0 if it is not there
	exec   uint64
	low    uint64 // which byte of a dword the first active lane begins with
	at     *state.Lanes
	lo, hi uint64 // where the lowest byte is, and where the highest one ends, from the first active lane on
	spans  []dwordSpan
	apart  bool // no two lanes of a store reach the same dword
}

// dwordSpan are the dwords of mask, whose bit 0 is at a distance from the dword of the first active lane.
type dwordSpan struct{ distance, mask uint64 }

// quiet is what waves have reached of a row by listed accesses.
type quiet struct {
	by     uint32     // the number of the wave that has made the latest access
	own    dwordMasks // what it has reached since another one did
	others dwordMasks // what was reached before, and by scalar loads
}

// dwordMasks are the dwords of a row that are loaded or stored, and those that are stored.
type dwordMasks struct{ reached, stored uint64 }

func (m *dwordMasks) add(n dwordMasks) {
	m.reached |= n.reached
	m.stored |= n.stored
}

const (
	maxPatterns  = 4       // how many patterns of a group are known
	maxListedLDS = 1 << 10 // runs in a list of LDS
)

// What a list takes, roughly.
const (
	runBytes     = 56
	turnBytes    = 16
	patternBytes = 384
	spanBytes    = 16
	runChunk     = 1 << 10 // runs in a chunk
	// freeListBytes is what a list may take, however little memory the dispatch has reached.
	freeListBytes = 1 << 20
)

// listing is for listed accesses that get records: the event of one, its access record, and its wave, whose registers
// hold what it has stored.
type listing struct {
	event  sim.Event
	record state.Access
	wave   wave
	at     state.Lanes // of the load at hand, if it is not of a batch
	moved  state.Lanes // see [pattern.fits]
	lists  uint64      // how many lists there have been
}

// reset begins list l. It keeps storage.
func (r *races) reset(l *accessList) {
	if uint64(l.n*runBytes) > maxKept {
		l.chunks = nil
	}
	for _, p := range l.patterns {
		p.number = 0
	}
	clear(l.patterns)
	l.n, l.turns, l.patterns, l.data, l.kept, l.ended = 0, l.turns[:0], l.patterns[:0], l.data[:0], 0, false
	r.listing.lists++
	l.serial = r.listing.lists
}

// bytes returns how many bytes the list takes.
func (l *accessList) bytes() uint64 {
	return uint64(l.n*runBytes+len(l.turns)*turnBytes) + l.kept
}

// mayListLoads reports whether loads from memory may be listed. No listed load misses a straggler: only scalar stores
// that are late matter to loads, and [shadow.mark] finds those by their records.
func (c *Checker) mayListLoads() bool {
	r := &c.races
	return native.Compiles && !r.loads.ended && c.seesRaces && !r.split && !r.full
}

// listOf returns the list that an access of a batch may go to, nil if it needs a record. Of a group only the first
// access goes to a list.
func (c *Checker) listOf(a *access) *accessList {
	r := &c.races
	switch {
	case a.lists && c.mayListLoads():
		return &r.loads
	case a.group != nil && !a.lists && !r.ofLDS.ended && r.ofLDS.n < maxListedLDS && c.seesRaces &&
		len(c.waves) > 1 && !r.split && !r.full && len(r.late) == 0:
		return &r.ofLDS
	}
	return nil
}

// isListableLoad reports whether loads of s may be listed: those from global memory without a V# or a T#.
func (s *site) isListableLoad() bool {
	return s.batchActs&(vectorRead|scalarRead) != 0 && s.inst.Row().Mem.Op == gcn.Load && !s.hasResource &&
		s.inst.Enc != isa.SCRATCH
}

// memberOf returns s as a member of a group.
func memberOf(s *site, at uint64, data []reg) member {
	m := member{site: s, at: at, data: data}
	if s.wait.path != pathLDS {
		return m
	}
	in, mem := &s.inst, &s.inst.Row().Mem
	m.distance = uint64(in.Get(isa.OFFSET))
	if in.Row().Has(isa.Two) { // offsets count elements, or 64 of them (rule DS1)
		step := uint64(mem.Elem)
		if mem.Stride64 {
			step *= 64
		}
		m.distance = uint64(in.Get(isa.OFFSET0)) * step
		m.second = uint64(in.Get(isa.OFFSET1))*step - m.distance
	}
	return m
}

// listAccess lists x, a load from memory that has the access record a. It returns false if x must get a record.
func (c *Checker) listAccess(x *step, a *state.Access) bool {
	if a.Exec == 0 || a.Out[0]|a.LDSLanes|a.ScratchLanes != 0 {
		return false
	}
	fillLanes(a)
	at, base := &c.races.listing.at, ^uint64(0)
	for m := a.Exec; m != 0; m &= m - 1 {
		base = min(base, a.Addr[bits.TrailingZeros64(m)])
	}
	for m := a.Exec; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros64(m)
		if a.Addr[lane]-base >= 1<<31 {
			return false
		}
		at[lane] = uint32(a.Addr[lane] - base)
	}
	if *at == simd.InOrder {
		at = &simd.InOrder
	}
	return c.list(&c.races.loads, x, x.loads, x.executed, a.Exec, base, at)
}

// list lists g, whose first access is x: its active lanes are at these places from base on. The wave had executed so
// many instructions before the batch of g. list returns false if the accesses of g must get records.
func (c *Checker) list(l *accessList, x *step, g *group, executed, exec, base uint64, at *state.Lanes) bool {
	r := &c.races
	from := base + uint64(at[simd.FirstLane(exec)])
	p := g.patternOf(exec, from&3, at, &r.listing.moved)
	if p.number == 0 {
		l.patterns = append(l.patterns, p)
		l.kept += patternBytes + spanBytes*uint64(len(p.spans))
		p.number = uint32(len(l.patterns)) //nolint:gosec // each takes some of what is bounded
	}
	if g.listedIn != l.serial {
		g.listedIn, g.run = l.serial, l.begin(p)
	}
	k := l.run(g.run)
	same, by := k.pattern == p.number, x.wave.race.number
	again := same && k.n > 0 && k.last.from == from
	if again && k.by != by {
		by = several
	}
	if (!again || k.by != by) && !r.markAll(l, x, p, from) {
		c.endList(l)
		return false
	}
	n, turns, data := l.n, len(l.turns), g.members[0].data
	after := l.continueTurn(turn{r.group, r.epoch, uint32(x.wave.ID), uint32(executed)})
	if at := (listPlace{from, uint32(len(l.turns) - 1), after}); !same || k.n > 0 && data != nil || !k.add(at) {
		g.run = l.begin(p)
		k = l.run(g.run)
		k.add(at)
	}
	k.by, k.data = by, len(l.data)
	for _, v := range data {
		l.data = append(l.data, x.wave.V[v])
	}
	if (l.n > n || len(l.turns) > turns) && l == &r.loads && !c.hasRoom(l) {
		c.endList(l)
	}
	return true
}

// hasRoom returns false if the list takes too many bytes for the memory that the dispatch has reached, or too large a
// part of what races may take.
func (c *Checker) hasRoom(l *accessList) bool {
	return l.bytes() <= min(freeListBytes+3*c.races.memory.size(), c.Options.maxBytes()/4)
}

// begin begins a run of accesses of p, and returns its number.
func (l *accessList) begin(p *pattern) int {
	if l.n/runChunk == len(l.chunks) {
		l.chunks = append(l.chunks, make([]listRun, runChunk))
	}
	*l.run(l.n) = listRun{pattern: p.number}
	l.n++
	return l.n - 1
}

// run returns run n.
func (l *accessList) run(n int) *listRun { return &l.chunks[n/runChunk][n%runChunk] }

// add adds an access to k. It returns false if that is not as far from the last one as the last one is from the one
// before it.
func (k *listRun) add(at listPlace) bool {
	step := listPlace{at.from - k.last.from, at.turn - k.last.turn, at.after - k.last.after}
	if k.n > 1 && step != k.step {
		return false
	}
	k.n, k.last, k.step = k.n+1, at, step
	return true
}

// continueTurn returns how many instructions the wave of now has executed since the latest turn began. It begins
// another turn if the latest one is of another wave or epoch.
func (l *accessList) continueTurn(now turn) uint32 {
	if n := len(l.turns); n > 0 {
		t := l.turns[n-1]
		after := now.executed - t.executed
		if t.executed = now.executed; t == now {
			return after
		}
	}
	l.turns = append(l.turns, now)
	return 0
}

// markAll marks what x reaches, whose first active lane is at an address and which has pattern p. It returns false if
// that meets another wave or a record.
func (r *races) markAll(l *accessList, x *step, p *pattern, from uint64) bool {
	sh := &r.memory
	if l == &r.ofLDS {
		sh = &r.lds
	} else if !r.mapsAll(x, from+p.lo, from+p.hi) {
		return false
	}
	ok := p.apart
	for i := 0; i < len(p.spans) && ok; i++ {
		s := &p.spans[i]
		dword := from/4 + s.distance
		ok = sh.mark(x, dword, s.mask<<(dword%rowWords)) &&
			sh.mark(x, dword+rowWords, s.mask>>(rowWords-dword%rowWords))
	}
	return ok
}

// mark marks dwords of a row that x reaches, an access that is listed. dword is the number of one dword of the row.
// mark returns false if x meets another wave or a record of a store, or if the row is split.
func (s *shadow) mark(x *step, dword, mask uint64) bool {
	if mask == 0 {
		return true
	}
	w := s.rowOf(4 * dword)
	q, now := &w.quiet, dwordMasks{reached: mask}
	if x.inst.Row().Mem.Op == gcn.Store {
		now.stored = mask
	}
	if by := x.wave.race.number; q.by != by {
		q.others.add(q.own)
		q.by, q.own = by, dwordMasks{}
	}
	meets := now.stored&q.others.reached | now.reached&q.others.stored
	if x.vector {
		q.own.add(now)
	} else {
		q.others.add(now)
	}
	return meets == 0 && !w.split && w.stored&mask == 0
}

// isReached reports whether listed loads of other waves, or scalar ones, have reached dwords of mask.
func (q *quiet) isReached(mask uint64, wave uint32) bool {
	return mask&q.others.reached != 0 || q.by != wave && mask&q.own.reached != 0
}

// patternOf returns the pattern of g where its active lanes are at these places. moved is storage.
func (g *group) patternOf(exec, low uint64, at, moved *state.Lanes) *pattern {
	for i, p := range g.patterns {
		if p.exec == exec && p.low == low && (p.at == at || p.fits(at, moved)) {
			if i > 0 {
				g.patterns[0], g.patterns[i] = p, g.patterns[0]
			}
			return p
		}
	}
	p := &pattern{group: g, exec: exec, low: low, at: at, apart: true}
	if at != &simd.InOrder {
		p.at = new(*at)
	}
	for i := range g.members {
		p.measure(&g.members[i])
	}
	if len(g.patterns) == maxPatterns {
		g.patterns = g.patterns[:0]
	}
	g.patterns = append(g.patterns, p)
	return p
}

// subtract sets each lane of its first operand to the difference of the two others.
var subtract = simd.Int("sub")

// fits reports whether active lanes at these places lie to one another as those of p. It sets moved to how far each
// lane is from where that of p is: 32 bits of that are enough, since all lanes are within 2 GiB of the first one.
func (p *pattern) fits(at, moved *state.Lanes) bool {
	lane, last := simd.FirstLane(p.exec), (bits.Len64(p.exec)-1)&(state.NumLanes-1)
	if lane == last || *p.at == *at {
		return true
	}
	if at[last]-p.at[last] != at[lane]-p.at[lane] { // most often, if they do not
		return false
	}
	subtract(moved, at, p.at, nil)
	return simd.UniformIn(moved, p.exec)
}

// measure adds what the lanes of m reach to p.
func (p *pattern) measure(m *member) {
	row := m.inst.Row()
	size, elements := uint64(row.Mem.Elem)*uint64(row.Mem.Count), []uint64{m.distance - p.members[0].distance}
	if row.Has(isa.Two) {
		size, elements = uint64(row.Mem.Elem), append(elements, elements[0]+m.second)
	}
	first := uint64(p.at[simd.FirstLane(p.exec)])
	lo, hi := int64(p.lo), int64(p.hi)
	for _, element := range elements {
		for lanes := p.exec; lanes != 0; lanes &= lanes - 1 {
			at := element + uint64(p.at[bits.TrailingZeros64(lanes)]) - first
			lo, hi = min(lo, int64(at)), max(hi, int64(at+size))
			for dword := int64(at+p.low) >> 2; dword <= int64(at+p.low+size-1)>>2; dword++ {
				if p.add(uint64(dword)) && row.Mem.Op == gcn.Store {
					p.apart = false
				}
			}
		}
	}
	p.lo, p.hi = uint64(lo), uint64(hi)
}

// add adds a dword to the spans of p. again is set if it was there.
func (p *pattern) add(dword uint64) (again bool) {
	for i := len(p.spans) - 1; i >= 0; i-- {
		if s := &p.spans[i]; dword-s.distance < rowWords {
			bit := uint64(1) << (dword - s.distance)
			again = s.mask&bit != 0
			s.mask |= bit
			return again
		}
		if p.members[0].wait.path != pathLDS { // lanes of a gather are far from one another
			break
		}
	}
	p.spans = append(p.spans, dwordSpan{dword, 1})
	return false
}

// fill makes a the access record of a member of p.
func (p *pattern) fill(m *member, from uint64, a *state.Access) {
	row, space := m.inst.Row(), state.Global
	if m.wait.path == pathLDS {
		space = state.LDS
	}
	executor.Begin(a, &row.Mem, space, p.exec)
	a.Scalar = !m.vector
	base := from - uint64(p.at[simd.FirstLane(p.exec)]) + m.distance - p.members[0].distance
	simd.Place(&a.Addr, p.at, 0, base, ^uint64(0))
	if space == state.Global {
		return
	}
	a.Regs, a.Split = row.Mem.Dwords, row.Has(isa.Two)
	data := isa.VDST
	if m.data != nil {
		data = isa.DATA0
	}
	a.Reg = uint16(m.inst.Get(data)) //nolint:gosec // a VGPR
	if a.Split {
		simd.Place(&a.More[0], p.at, 0, base+m.second, ^uint64(0))
	}
}

// endsLoads reports whether listed loads must get records before the access at hand: it may store to what one of
// another wave has reached, or it is another load of an instruction that has listed loads. cut says whether r.pieces
// has the access. An atomic finds no list: see [Checker.retireRaces].
func (r *races) endsLoads(h *hand, cut bool) bool {
	switch {
	case r.loads.n == 0 || h.sh != &r.memory:
		return false
	case h.op&stores == 0:
		return h.loads != nil && h.loads.listedIn == r.loads.serial
	case !cut:
		return true
	}
	for i := range r.pieces {
		p := &r.pieces[i]
		if h.sh.rowOf(p.row).quiet.isReached(p.mask, h.wave.race.number) {
			return true
		}
	}
	return false
}

// endList makes records of the accesses of l.
func (c *Checker) endList(l *accessList) {
	r := &c.races
	l.ended = true
	if l.n == 0 {
		return
	}
	k := &r.listing
	if k.wave.Wave == nil {
		k.wave.Wave = state.NewWave(c.waves[0].Target, state.MaxVGPRs)
	}
	k.event = *c.step.Event
	k.event.Wave, k.event.Access, k.event.Private = k.wave.Wave, &k.record, nil
	n, group, epoch := l.n, r.group, r.epoch
	l.n = 0
	for i := range n {
		k := l.run(i)
		s, n := k.step, k.n-1
		at := listPlace{k.last.from - n*s.from, k.last.turn - uint32(n)*s.turn, k.last.after - uint32(n)*s.after}
		for range k.n { // the oldest one first
			if r.bytes() > c.Options.maxBytes() { // then the caller gives up
				break
			}
			c.recordListed(l, k, &at)
			at = listPlace{at.from + s.from, at.turn + s.turn, at.after + s.after}
		}
	}
	r.group, r.epoch = group, epoch
	r.drop(l)
}

// drop ends list l: it forgets its accesses.
func (r *races) drop(l *accessList) {
	if r.reset(l); l == &r.loads { // it has no more of them in the dispatch
		l.chunks, l.turns, l.patterns = nil, nil, nil
	}
	l.ended = true
}

// recordListed makes records of an access of a run of l.
func (c *Checker) recordListed(l *accessList, run *listRun, at *listPlace) {
	r := &c.races
	k, t, p := &r.listing, &l.turns[at.turn], l.patterns[run.pattern-1]
	r.group, r.epoch, k.wave.ID = t.group, t.epoch, int(t.wave)
	for i := range p.members {
		m := &p.members[i]
		for n, v := range m.data {
			k.wave.V[v] = l.data[run.data+n]
		}
		k.event.PC, k.event.Inst = m.site.at, (*gcn.Inst)(&m.inst)
		x := step{Event: &k.event, site: m.site, wave: &k.wave, executed: uint64(t.executed) + uint64(at.after) + m.at,
			exec: p.exec, effects: m.effects, reads: &m.reads, writes: &m.writes, noted: true, overtaken: true}
		p.fill(m, at.from, x.Access)
		h := c.handOf(&x)
		if h.sh = &r.memory; l == &r.ofLDS {
			h.sh = &r.lds
		}
		if x.Access.Scalar {
			c.touchScalars(&h, x.Access)
		} else {
			c.touchLanes(&h, x.Access, x.Access.Exec)
		}
	}
}
