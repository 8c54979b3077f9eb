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

// This file judges loads from memory without a record of each. A load can only race with a store of another wave. As
// long as no other wave stores to a dword that a listed load has reached, there is nothing to say, and it is enough to
// know which dwords such loads have reached. Meanwhile the loads are listed. When another wave stores to one of these
// dwords, or a load cannot be listed, all listed loads get records, as if they executed at this moment: those of each
// instruction in their order, one instruction after another. That changes no finding, since no store of another wave
// has reached their dwords so far, those of the same wave are ordered, and a record is about one instruction. A store
// to what a scalar load has reached ends the list in any case, since its cache does not see even those of the same
// wave. From then on all loads of the dispatch get records. A list has no rule of its own.

// loadList has loads from memory without records.
type loadList struct {
	chunks   [][]loadRun
	n        int // of the runs
	turns    []turn
	patterns []*pattern // of the loads
	kept     uint64     // bytes that the patterns take
	ended    bool       // loads get records

	at    state.Lanes // of the load at hand, if it is not of a batch
	moved state.Lanes // see [pattern.fits]

	// For loads that get records: the event of one, its access record, and its wave.
	event  sim.Event
	record state.Access
	wave   wave
}

// loadRun is a run of loads of one instruction and one pattern, each as far from the one before as that is from the one
// before it: waves often load one after another what lies side by side, or all of them the same. No other load of the
// instruction was listed between them.
type loadRun struct {
	pattern    uint32 // its number
	by         uint32 // the wave that has made all those of the latest address, or several
	n          uint64
	last, step loadPlace
}

// several says that loads are those of several waves.
const several = ^uint32(0)

// loadPlace is where and when a load was made, or how far two loads are from each other.
type loadPlace struct {
	from  uint64 // the address of the first active lane
	turn  uint32 // the number of its turn
	after uint32 // how many instructions of the turn there are before it
}

// turn is a part of a wave: it begins where the wave has executed so many instructions.
type turn struct{ group, epoch, wave, executed uint32 }

// pattern is how the lanes of a load lie to one another.
type pattern struct {
	*site
	number uint32 // in the list, from 1 on, 0 if it is not there
	exec   uint64
	low    uint64 // which byte of a dword the first active lane begins with
	at     *state.Lanes
	lo, hi uint64 // where the lowest byte is, and where the highest one ends, from the first active lane on
	spans  []dwordSpan
}

// dwordSpan are the dwords of mask, of which bit 0 is at a distance from the dword of the first active lane.
type dwordSpan struct{ distance, mask uint64 }

// maxPatterns is how many patterns of an instruction are known.
const maxPatterns = 4

// What a list takes, roughly.
const (
	runBytes     = 48
	turnBytes    = 16
	patternBytes = 384
	spanBytes    = 16
	runChunk     = 1 << 10 // runs in a chunk
	// freeLoadBytes is what a list may take, however little memory the dispatch has reached.
	freeLoadBytes = 1 << 20
)

// reset begins the list of a dispatch. It keeps storage.
func (l *loadList) reset() {
	if uint64(l.n*runBytes) > maxKept {
		l.chunks = nil
	}
	for _, p := range l.patterns {
		p.number = 0
	}
	clear(l.patterns)
	l.n, l.turns, l.patterns, l.kept, l.ended = 0, l.turns[:0], l.patterns[:0], 0, false
}

// end ends the list: it forgets its loads, and has no more of them in the dispatch.
func (l *loadList) end() {
	l.reset()
	l.chunks, l.turns, l.patterns, l.ended = nil, nil, nil, true
}

// bytes returns how many bytes the list takes.
func (l *loadList) bytes() uint64 {
	return uint64(l.n*runBytes+len(l.turns)*turnBytes) + l.kept
}

// mayListLoads reports whether loads may be listed. No listed load misses a straggler: only scalar stores that are late
// matter to loads, and [races.markListed] finds those by their records.
func (c *Checker) mayListLoads() bool {
	r := &c.races
	return native.Compiles && !r.loads.ended && c.seesRaces && !r.split && !r.full
}

// isListableLoad reports whether loads of s may be listed: those from global memory without a V# or a T#.
func (s *site) isListableLoad() bool {
	return s.batchActs&(vectorRead|scalarRead) != 0 && s.inst.Row().Mem.Op == gcn.Load && !s.hasResource &&
		s.inst.Enc != isa.SCRATCH
}

// listAccess lists x, a load that has the access record a. It returns false if x must get a record.
func (c *Checker) listAccess(x *step, a *state.Access) bool {
	if a.Exec == 0 || a.Out[0]|a.LDSLanes|a.ScratchLanes != 0 {
		return false
	}
	fillLanes(a)
	at, base := &c.races.loads.at, ^uint64(0)
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
	return c.listLoad(x, a.Exec, base, at)
}

// listLoad lists x, a load whose active lanes are at these places from base on. It returns false if x must get a
// record.
func (c *Checker) listLoad(x *step, exec, base uint64, at *state.Lanes) bool {
	r := &c.races
	l := &r.loads
	from := base + uint64(at[simd.FirstLane(exec)])
	p := l.patternOf(x.site, exec, from&3, at)
	if p.number == 0 {
		l.patterns = append(l.patterns, p)
		l.kept += patternBytes + spanBytes*uint64(len(p.spans))
		p.number = uint32(len(l.patterns)) //nolint:gosec // each takes some of what is bounded
	}
	if x.listedIn != r.dispatch {
		x.listedIn, x.run = r.dispatch, l.begin(p)
	}
	k := l.run(x.run)
	same, by := k.pattern == p.number, x.wave.race.number
	again := same && k.n > 0 && k.last.from == from
	if again && k.by != by {
		by = several
	}
	if !again || k.by != by {
		ok := r.mapsAll(x, from+p.lo, from+p.hi)
		for i := 0; i < len(p.spans) && ok; i++ {
			s := &p.spans[i]
			dword := from/4 + s.distance
			ok = r.markListed(x, dword, s.mask<<(dword%rowWords)) &&
				r.markListed(x, dword+rowWords, s.mask>>(rowWords-dword%rowWords))
		}
		if !ok {
			c.endLoads()
			return false
		}
	}
	n, turns := l.n, len(l.turns)
	after := l.continueTurn(turn{r.group, r.epoch, uint32(x.wave.ID), uint32(x.executed)})
	if at := (loadPlace{from, uint32(len(l.turns) - 1), after}); !same || !k.add(at) {
		x.run = l.begin(p)
		k = l.run(x.run)
		k.add(at)
	}
	k.by = by
	if (l.n > n || len(l.turns) > turns) && !c.hasRoom() {
		c.endLoads()
	}
	return true
}

// hasRoom returns false if the list takes too many bytes for the memory that the dispatch has reached, or too large a
// part of what races may take.
func (c *Checker) hasRoom() bool {
	return c.races.loads.bytes() <= min(freeLoadBytes+3*c.races.memory.size(), c.Options.maxBytes()/4)
}

// begin begins a run of loads of p, and returns its number.
func (l *loadList) begin(p *pattern) int {
	if l.n/runChunk == len(l.chunks) {
		l.chunks = append(l.chunks, make([]loadRun, runChunk))
	}
	*l.run(l.n) = loadRun{pattern: p.number}
	l.n++
	return l.n - 1
}

// run returns run n.
func (l *loadList) run(n int) *loadRun { return &l.chunks[n/runChunk][n%runChunk] }

// add adds a load to k. It returns false if the load is not as far from the last one as that is from the one before it.
func (k *loadRun) add(at loadPlace) bool {
	step := loadPlace{at.from - k.last.from, at.turn - k.last.turn, at.after - k.last.after}
	if k.n > 1 && step != k.step {
		return false
	}
	k.n, k.last, k.step = k.n+1, at, step
	return true
}

// continueTurn returns how many instructions the wave of now has executed since the latest turn began. It begins
// another turn if the latest one is of another wave or epoch.
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

// markListed marks dwords of a row that x reaches, a load that is listed. dword is the number of one dword of the row.
// markListed returns false if a store has reached one of the dwords, or if the row is split.
func (r *races) markListed(x *step, dword, mask uint64) bool {
	if mask == 0 {
		return true
	}
	w := r.memory.rowOf(4 * dword)
	if w.listed == 0 {
		w.listedBy = x.wave.race.number
	}
	w.listed |= mask
	w.shared = w.shared || w.listedBy != x.wave.race.number || !x.vector
	return !w.split && w.stored&mask == 0
}

// patternOf returns the pattern of a load whose active lanes are at these places.
func (l *loadList) patternOf(s *site, exec, low uint64, at *state.Lanes) *pattern {
	for i, p := range s.patterns {
		if p.exec == exec && p.low == low && (p.at == at || p.fits(at, &l.moved)) {
			if i > 0 {
				s.patterns[0], s.patterns[i] = p, s.patterns[0]
			}
			return p
		}
	}
	p := &pattern{site: s, exec: exec, low: low, at: at}
	if at != &simd.InOrder {
		p.at = new(*at)
	}
	p.measure()
	if len(s.patterns) == maxPatterns {
		s.patterns = s.patterns[:0]
	}
	s.patterns = append(s.patterns, p)
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

// measure finds what the lanes of p reach.
func (p *pattern) measure() {
	mem := &p.inst.Row().Mem
	size, first := uint64(mem.Elem)*uint64(mem.Count), uint64(p.at[simd.FirstLane(p.exec)])
	var lo, hi int64
	for m := p.exec; m != 0; m &= m - 1 {
		at := uint64(p.at[bits.TrailingZeros64(m)]) - first
		lo, hi = min(lo, int64(at)), max(hi, int64(at+size))
		for dword := int64(at+p.low) >> 2; dword <= int64(at+p.low+size-1)>>2; dword++ {
			p.add(uint64(dword))
		}
	}
	p.lo, p.hi = uint64(lo), uint64(hi)
}

// add adds a dword to the spans of p.
func (p *pattern) add(dword uint64) {
	if n := len(p.spans); n > 0 {
		if s := &p.spans[n-1]; dword-s.distance < rowWords {
			s.mask |= 1 << (dword - s.distance)
			return
		}
	}
	p.spans = append(p.spans, dwordSpan{dword, 1})
}

// fill makes a the access record of a load of p.
func (p *pattern) fill(from uint64, a *state.Access) {
	executor.Begin(a, &p.inst.Row().Mem, state.Global, p.exec)
	a.Scalar = !p.vector
	first := uint64(p.at[simd.FirstLane(p.exec)])
	simd.Place(&a.Addr, p.at, 0, from-first, ^uint64(0))
}

// endsList reports whether listed loads must get records before the access at hand: it may store to what one of another
// wave has reached, or it is another load of an instruction that has listed loads. cut says whether r.pieces has the
// access. An atomic finds no list: see [Checker.retireRaces].
func (r *races) endsList(h *hand, cut bool) bool {
	switch {
	case r.loads.n == 0 || h.sh != &r.memory:
		return false
	case h.op&stores == 0:
		return h.listedIn == r.dispatch
	case !cut:
		return true
	}
	for i := range r.pieces {
		p := &r.pieces[i]
		w := h.sh.rowOf(p.row)
		if w.listed&p.mask != 0 && (w.shared || w.listedBy != h.wave.race.number) {
			return true
		}
	}
	return false
}

// endLoads makes records of the listed loads.
func (c *Checker) endLoads() {
	r := &c.races
	l := &r.loads
	l.ended = true
	if l.n == 0 {
		return
	}
	n, group, epoch := l.n, r.group, r.epoch
	l.n = 0
	l.event = *c.step.Event
	l.wave.Wave = &state.Wave{}
	l.event.Wave, l.event.Access, l.event.Private = l.wave.Wave, &l.record, nil
	for i := range n {
		k := l.run(i)
		s, n := k.step, k.n-1
		at := loadPlace{k.last.from - n*s.from, k.last.turn - uint32(n)*s.turn, k.last.after - uint32(n)*s.after}
		for range k.n { // the oldest one first
			if r.bytes() > c.Options.maxBytes() { // then the caller gives up
				break
			}
			c.recordLoad(l.patterns[k.pattern-1], &at)
			at = loadPlace{at.from + s.from, at.turn + s.turn, at.after + s.after}
		}
	}
	l.end()
	r.group, r.epoch = group, epoch
}

// recordLoad makes a record of a load of p.
func (c *Checker) recordLoad(p *pattern, at *loadPlace) {
	r := &c.races
	l := &r.loads
	t := &l.turns[at.turn]
	r.group, r.epoch, l.wave.ID = t.group, t.epoch, int(t.wave)
	l.event.PC, l.event.Inst = p.site.at, (*gcn.Inst)(&p.inst)
	x := step{Event: &l.event, site: p.site, wave: &l.wave, executed: uint64(t.executed) + uint64(at.after),
		exec: p.exec, effects: p.effects, reads: &p.reads, writes: &p.writes, noted: true}
	p.fill(at.from, x.Access)
	h := c.handOf(&x)
	h.sh = &r.memory
	if x.Access.Scalar {
		c.touchScalars(&h, x.Access)
	} else {
		c.touchLanes(&h, x.Access, x.Access.Exec)
	}
}
