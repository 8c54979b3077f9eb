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

// This file judges loads from memory without a record of each. As long as no wave stores to a dword that another one
// loads, there is nothing to report, and it is sufficient to know which dwords waves have loaded: [quiet] has them.
// Meanwhile loads are listed. When a wave stores to dwords that another one has loaded, or loads dwords that another
// one has stored, all listed loads get records, as if they executed at this moment. That changes no finding: loads of
// one instruction keep their order, loads of one wave are ordered anyway, and no load has met a store so far. From
// then on, until the end of the dispatch, all loads get records. [Checker.touchLanes] makes and judges the records,
// so the list has no rules of its own. A store to dwords that a scalar load has read always ends the list, because
// the scalar cache does not even see stores of the same wave.

// loadList is the list of loads without records.
type loadList struct {
	chunks   [][]listRun
	n        int // number of list runs
	turns    []turn
	patterns []*pattern // of the loads
	kept     uint64     // bytes of the patterns
	ended    bool       // all further loads get records
}

// listRun is a sequence of loads of one instruction with one pattern and a constant distance. Waves often load
// adjacent data one after another, or all the same data. The instruction has no other listed load between them.
type listRun struct {
	pattern    uint32 // number of the pattern
	by         uint32 // the wave that made all loads at the latest address, or several
	n          uint64
	last, step listPlace
}

// several says that more than one wave made the loads.
const several = ^uint32(0)

// listPlace is the address and the time of a load, or the difference of two loads.
type listPlace struct {
	from  uint64 // address of the first active lane
	turn  uint32 // number of the turn
	after uint32 // instructions of the turn before the load
}

// turn is a part of a wave's execution, which starts after a number of instructions.
type turn struct{ group, epoch, wave, executed uint32 }

// listed is the list's data about a load instruction.
type listed struct {
	patterns []*pattern // recent patterns of its lanes
	in       uint64     // the latest dispatch in whose list it was
	run      int        // its latest run in that list
}

// pattern is the arrangement of a load's lanes, relative to the first active one.
type pattern struct {
	*site
	number uint32 // number in the list, from 1 on, or 0
	exec   uint64
	low    uint64 // byte within a dword where the first active lane begins
	at     *state.Lanes
	lo, hi uint64 // offsets of the lowest byte and of the end of the highest one from the first active lane
	spans  []dwordSpan
}

// dwordSpan is a mask of dwords. Bit 0 is at a distance from the dword of the first active lane.
type dwordSpan struct{ distance, mask uint64 }

// quiet is the set of a row's dwords that waves have accessed by listed loads.
type quiet struct {
	by     uint32 // number of the wave that made the latest load
	own    uint64 // dwords that it has accessed since another wave's load
	others uint64 // dwords that were accessed before, and by scalar loads
}

// maxPatterns is the number of patterns that are kept for an instruction.
const maxPatterns = 4

// Approximate sizes of a list's parts.
const (
	runBytes     = 48
	turnBytes    = 16
	patternBytes = 384
	spanBytes    = 16
	runChunk     = 1 << 10 // runs in a chunk
	// freeListBytes is the size that a list may always have, however little memory the dispatch has accessed.
	freeListBytes = 1 << 20
)

// listing is used for making records of listed loads: the event of one, its access record, and its wave.
type listing struct {
	event  sim.Event
	record state.Access
	wave   wave
	at     state.Lanes // for the current load, if it is not noted
	moved  state.Lanes // see [pattern.fits]
}

// beginList starts a new list. It reuses storage.
func (r *races) beginList() {
	l := &r.loads
	if uint64(l.n*runBytes) > maxKept {
		l.chunks = nil
	}
	for _, p := range l.patterns {
		p.number = 0
	}
	clear(l.patterns)
	l.n, l.turns, l.patterns, l.kept, l.ended = 0, l.turns[:0], l.patterns[:0], 0, false
}

// bytes returns how many bytes the list takes.
func (l *loadList) bytes() uint64 {
	return uint64(l.n*runBytes+len(l.turns)*turnBytes) + l.kept
}

// mayListLoads reports whether loads from memory may be listed. Listed loads need no comparison with stragglers: only
// late scalar stores matter for loads, and [shadow.mark] finds those by their records.
func (c *Checker) mayListLoads() bool {
	r := &c.races
	return native.Compiles && !r.loads.ended && c.seesRaces && !r.split && !r.full
}

// isListableLoad reports whether loads of s may be listed: loads from global memory without a V# or a T#.
func (s *site) isListableLoad() bool {
	return s.batchActs&(vectorRead|scalarRead) != 0 && s.inst.Row().Mem.Op == gcn.Load && !s.hasResource &&
		s.inst.Enc != isa.SCRATCH
}

// listAccess lists x, a load from memory with the access record a. It returns false if x must get a record.
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
	return c.list(x, a.Exec, base, at)
}

// list lists x, a load from memory. Its active lanes have the addresses base plus at. It returns false if x must get
// a record.
func (c *Checker) list(x *step, exec, base uint64, at *state.Lanes) bool {
	r := &c.races
	l, in := &r.loads, x.loads
	from := base + uint64(at[simd.FirstLane(exec)])
	p := x.patternOf(exec, from&3, at, &r.listing.moved)
	if p.number == 0 {
		l.patterns = append(l.patterns, p)
		l.kept += patternBytes + spanBytes*uint64(len(p.spans))
		p.number = uint32(len(l.patterns)) //nolint:gosec // the number is bounded, because each takes memory
	}
	if in.in != r.dispatch {
		in.in, in.run = r.dispatch, l.begin(p)
	}
	k := l.run(in.run)
	same, by := k.pattern == p.number, x.wave.race.number
	again := same && k.n > 0 && k.last.from == from
	if again && k.by != by {
		by = several
	}
	if (!again || k.by != by) && !r.markAll(x, p, from) {
		c.endList()
		return false
	}
	n, turns := l.n, len(l.turns)
	after := l.continueTurn(turn{r.group, r.epoch, uint32(x.wave.ID), uint32(x.executed)})
	if at := (listPlace{from, uint32(len(l.turns) - 1), after}); !same || !k.add(at) {
		in.run = l.begin(p)
		k = l.run(in.run)
		k.add(at)
	}
	k.by = by
	if (l.n > n || len(l.turns) > turns) && !c.hasRoom() {
		c.endList()
	}
	return true
}

// hasRoom returns false if the list is too large for the memory that the dispatch has accessed, or uses too much of
// the limit of races.
func (c *Checker) hasRoom() bool {
	return c.races.loads.bytes() <= min(freeListBytes+3*c.races.memory.size(), c.Options.maxBytes()/4)
}

// begin starts a run of loads with pattern p, and returns its index.
func (l *loadList) begin(p *pattern) int {
	if l.n/runChunk == len(l.chunks) {
		l.chunks = append(l.chunks, make([]listRun, runChunk))
	}
	*l.run(l.n) = listRun{pattern: p.number}
	l.n++
	return l.n - 1
}

// run returns run n.
func (l *loadList) run(n int) *listRun { return &l.chunks[n/runChunk][n%runChunk] }

// add adds a load to k. It returns false if the distance from the previous load is not k's distance.
func (k *listRun) add(at listPlace) bool {
	step := listPlace{at.from - k.last.from, at.turn - k.last.turn, at.after - k.last.after}
	if k.n > 1 && step != k.step {
		return false
	}
	k.n, k.last, k.step = k.n+1, at, step
	return true
}

// continueTurn returns how many instructions now's wave has executed since the latest turn started. It starts another
// turn if the latest one has another wave or epoch.
func (l *loadList) continueTurn(now turn) uint32 {
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

// markAll marks the dwords that x accesses. Its first active lane has address from, and its lanes have pattern p. It
// returns false if a record of a store has one of the dwords.
func (r *races) markAll(x *step, p *pattern, from uint64) bool {
	if !r.mapsAll(x, from+p.lo, from+p.hi) {
		return false
	}
	for i := range p.spans {
		s := &p.spans[i]
		dword := from/4 + s.distance
		if !r.memory.mark(x, dword, s.mask<<(dword%rowWords)) ||
			!r.memory.mark(x, dword+rowWords, s.mask>>(rowWords-dword%rowWords)) {
			return false
		}
	}
	return true
}

// mark marks dwords of a row for x, a listed load. dword is the number of one of the row's dwords. It returns false
// if a record of a store has one of them, or if the row is split.
func (s *shadow) mark(x *step, dword, mask uint64) bool {
	if mask == 0 {
		return true
	}
	w := s.rowOf(4 * dword)
	q := &w.quiet
	if by := x.wave.race.number; q.by != by {
		q.by, q.own, q.others = by, 0, q.others|q.own
	}
	if x.vector {
		q.own |= mask
	} else {
		q.others |= mask
	}
	return !w.split && w.stored&mask == 0
}

// isReached reports whether listed loads of other waves, or scalar loads, have accessed dwords of mask.
func (q *quiet) isReached(mask uint64, wave uint32) bool {
	return mask&q.others != 0 || q.by != wave && mask&q.own != 0
}

// patternOf returns the pattern of s for active lanes at these addresses. moved is scratch storage.
func (s *site) patternOf(exec, low uint64, at, moved *state.Lanes) *pattern {
	known := s.loads.patterns
	for i, p := range known {
		if p.exec == exec && p.low == low && (p.at == at || p.fits(at, moved)) {
			if i > 0 {
				known[0], known[i] = p, known[0]
			}
			return p
		}
	}
	p := &pattern{site: s, exec: exec, low: low, at: at}
	if at != &simd.InOrder {
		p.at = new(*at)
	}
	p.measure()
	if len(s.loads.patterns) == maxPatterns {
		s.loads.patterns = s.loads.patterns[:0]
	}
	s.loads.patterns = append(s.loads.patterns, p)
	return p
}

// subtract sets each lane of its first operand to the difference of the other two.
var subtract = simd.Int("sub")

// fits reports whether active lanes at these addresses have pattern p. It sets moved to the distance of each lane
// from p's lane. 32 bits are enough, because all lanes are within 2 GiB of the first one.
func (p *pattern) fits(at, moved *state.Lanes) bool {
	lane, last := simd.FirstLane(p.exec), (bits.Len64(p.exec)-1)&(state.NumLanes-1)
	if lane == last || *p.at == *at {
		return true
	}
	if at[last]-p.at[last] != at[lane]-p.at[lane] { // an early exit for the common case
		return false
	}
	subtract(moved, at, p.at, nil)
	return simd.UniformIn(moved, p.exec)
}

// measure computes the dwords that the lanes of p access.
func (p *pattern) measure() {
	mem := &p.inst.Row().Mem
	size, first := int64(mem.Elem)*int64(mem.Count), p.at[simd.FirstLane(p.exec)]
	lo, hi := int64(0), size
	for lanes := p.exec; lanes != 0; lanes &= lanes - 1 {
		at := int64(p.at[bits.TrailingZeros64(lanes)]) - int64(first)
		lo, hi = min(lo, at), max(hi, at+size)
		from := at + int64(p.low)
		for dword := from >> 2; dword <= (from+size-1)>>2; dword++ {
			p.add(uint64(dword))
		}
	}
	p.lo, p.hi = uint64(lo), uint64(hi)
}

// add adds a dword to the spans of p: to the latest span if it is close to it. Lanes of a gather are far apart.
func (p *pattern) add(dword uint64) {
	if n := len(p.spans); n > 0 && dword-p.spans[n-1].distance < rowWords {
		p.spans[n-1].mask |= 1 << (dword - p.spans[n-1].distance)
		return
	}
	p.spans = append(p.spans, dwordSpan{dword, 1})
}

// fill sets a to the access record of a load with pattern p.
func (p *pattern) fill(from uint64, a *state.Access) {
	executor.Begin(a, &p.inst.Row().Mem, state.Global, p.exec)
	a.Scalar = !p.vector
	simd.Place(&a.Addr, p.at, 0, from-uint64(p.at[simd.FirstLane(p.exec)]), ^uint64(0))
}

// endsLoads reports whether listed loads must get records before the current access, because it may store to dwords
// that another wave's listed load has read, or because it is an unlisted load of an instruction with listed ones. cut
// says that r.pieces has the access. An atomic never finds a list: see [Checker.retireRaces].
func (r *races) endsLoads(h *hand, cut bool) bool {
	switch {
	case r.loads.n == 0 || h.sh != &r.memory:
		return false
	case h.op&stores == 0:
		return h.loads != nil && h.loads.in == r.dispatch
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

// endList makes records of the listed loads. No more loads of the dispatch are listed.
func (c *Checker) endList() {
	r := &c.races
	l := &r.loads
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
		for range k.n { // the oldest load first
			if r.bytes() > c.Options.maxBytes() { // the caller will give up
				break
			}
			c.recordListed(l.patterns[k.pattern-1], &at)
			at = listPlace{at.from + s.from, at.turn + s.turn, at.after + s.after}
		}
	}
	r.group, r.epoch = group, epoch
	r.dropList()
}

// dropList ends the list without making records.
func (r *races) dropList() {
	r.beginList()
	r.loads = loadList{ended: true}
}

// recordListed makes records of a load of p.
func (c *Checker) recordListed(p *pattern, at *listPlace) {
	r := &c.races
	k, t := &r.listing, &r.loads.turns[at.turn]
	r.group, r.epoch, k.wave.ID = t.group, t.epoch, int(t.wave)
	k.event.PC, k.event.Inst = p.site.at, (*gcn.Inst)(&p.inst)
	x := step{Event: &k.event, site: p.site, wave: &k.wave, executed: uint64(t.executed) + uint64(at.after),
		exec: p.exec, effects: p.effects, reads: &p.reads, writes: &p.writes, noted: true, overtaken: true}
	p.fill(at.from, x.Access)
	h := c.handOf(&x)
	if h.sh = &r.memory; x.Access.Scalar {
		c.touchScalars(&h, x.Access)
	} else {
		c.touchLanes(&h, x.Access, x.Access.Exec)
	}
}
