package check

import (
	"slices"

	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/state"
)

// This file lets segments have loads and stores, where the run notes what they accessed. What is found about waits does
// not depend on addresses, as long as no access goes to another memory than it seems to: the functions that judge each
// instruction judge these in the trial. Races are looked for access by access, after the segment has executed. An
// access that is no plain load or store ends a segment, as every access does where none are noted. Batches have no rule
// of their own.
//
// A batch goes on behind a branch forward, as if that fell through: it ends early where that is not so. It also goes on
// where EXEC changes. Which lanes are active then is found as its accesses are told, or at its end. If it ends with a
// branch back to its first instruction it may be a loop, which executes any number of times. A wave that may not
// execute all of a batch executes its first instructions: they are a batch, too.

// batch is what a segment knows of its loads and stores.
type batch struct {
	accesses []access
	phases   []phase
	live     []entry // those that are outstanding at the end, as if the wave began with the segment
	added    [numCounters][numOrders]int
	most     waited   // at the end
	vector   bool     // an access has lanes
	loaded   regset   // registers that may have undefined bits, see batchKey
	stored   regset   // registers whose data it stores, which keep them
	lastData uint64   // how many instructions there are up to the latest store
	inMemory bool     // it stores to memory
	several  bool     // it stores to memory more than once
	branches uint64   // how many instructions there are up to the latest branch that it goes on behind, 0 if to none
	run      run      // of memory instructions at the end
	masks    []regset // VGPRs that it writes first under each mask
	last     int      // the mask at the end
	loops    bool     // it may be followed by itself, see [trial.loops]
	bad      regset   // the registers whose undefined bits mattered the last time that some did
	clean    uint64   // how many instructions there are before the first one that touches one of bad
	open     bool     // it ends before an instruction that had not executed when it was made
	body     []*site  // its instructions
	recorded uint64   // how many of them are known to be followed by the next one, see [batch.recordWays]
	behind   uint64   // the address behind them
	end      *site    // the barrier, or the end of the program, that is its last instruction, nil if there is none
}

// access is a load or a store of a batch.
type access struct {
	noted
	stays bool // it is outstanding at the end
	lists bool // it is a load from memory that may be listed without an access record
	under int  // the mask that it is the first one to tell the lanes of, 0 if it is none
}

// phase is a part of a batch that begins with a wait, or the part before the first one.
type phase struct {
	reads, writes regset
	does          acts
	most          waited
	from          uint64 // how many instructions of the batch there are before it
}

// waited are the waits up to an instruction of a batch: what was outstanding before the batch has left a counter if it
// and later instructions of its class before the batch have added more than this.
type waited [numCounters][numOrders]int

// batchKey is where a batch begins, how many instructions it has at most, and what of what it loads may have undefined
// bits. The batch ends before an instruction that needs to know whether that has some.
type batchKey struct {
	pc, most  uint64
	undefined undefinedIn
}

// undefinedIn are memories that may have undefined bits.
type undefinedIn uint8

const (
	inMemory undefinedIn = 1 << iota
	inLDS
	// noAccesses says that a batch must not have accesses: they are not noted.
	noAccesses
)

// skipping is the batch that executes.
type skipping struct {
	code           *code
	batch          *segment // nil if none does
	key            batchKey
	executed, exec uint64 // of the wave, as it began
	passed         int    // how many listed accesses there are since the latest one that was asked for, in all turns
}

// maxAccesses bounds the loads and stores of a batch.
const maxAccesses = 64

// mayBatch reports whether the instructions of p may be judged in batches: no access orders others, or is judged by the
// part of a buffer that it is in.
func (c *Checker) mayBatch(p *code) bool {
	return len(c.pools) == 0 && !p.acquires && !p.dma && !c.races.sync && !c.races.byLane
}

// batchToSkip returns the batch that begins at pc, or the first part of it, if w may execute that. It returns nil if w
// must execute the instruction at pc by itself.
func (c *Checker) batchToSkip(p *code, pc uint64, w *wave, accesses bool) *segment {
	s := c.batchOf(p, pc, w, accesses)
	if s == nil || !c.canSkip(w, s) {
		return nil
	}
	n := c.countSkippable(w, s)
	if bad := w.shadow.refuses(s, w.Wave); bad != (regset{}) {
		if b := s.batch; bad != b.bad {
			b.bad, b.clean = bad, b.until(func(s *site) bool { return s.touches(&bad) })
		}
		n = min(n, s.batch.clean)
	}
	switch n {
	case 0:
		return nil
	case s.n:
		return s
	}
	return c.part(p, c.skipping.key, n, w.Wave)
}

// part returns the first n instructions of the batch of a key.
func (c *Checker) part(p *code, key batchKey, n uint64, w *state.Wave) *segment {
	key.most = n
	s := p.parts[key]
	if s == nil {
		s, _ = c.makeBatch(p, key, w)
		p.parts[key] = s
	}
	return s
}

// until returns how many instructions of b there are before the first one for which stops returns true, of which there
// must be one.
func (b *batch) until(stops func(*site) bool) uint64 {
	return uint64(slices.IndexFunc(b.body, stops))
}

// batchOf returns the batch that begins at pc. It returns nil if there is none.
func (c *Checker) batchOf(p *code, pc uint64, w *wave, accesses bool) *segment {
	key := batchKey{pc, maxSegment, 0}
	if u := &c.undef; !accesses {
		key.undefined = noAccesses
	} else if w.shadow != nil {
		if u.global.undefines() || u.scratch.undefines() {
			key.undefined |= inMemory
		}
		if u.lds.undefines() {
			key.undefined |= inLDS
		}
	}
	c.skipping.key = key
	all := &p.batches[key.undefined]
	if *all == nil {
		*all = make([]*segment, len(p.sites))
	}
	at := &(*all)[(pc-p.Base)/4]
	if s := *at; s == nil || s.batch.open && p.sites[(s.batch.behind-p.Base)/4] != nil {
		s, ok := c.makeBatch(p, key, w.Wave)
		if !ok {
			return nil
		}
		*at = s
	}
	if (*at).n == 0 {
		return nil
	}
	return *at
}

// countSkippable returns how many instructions of s w may execute: those before the first one that needs
// an active lane if w has none, and before the first one to which an instruction matters that is outstanding.
func (c *Checker) countSkippable(w *wave, s *segment) (n uint64) {
	b, q := s.batch, &w.counters
	n = s.n
	if b.vector && w.Exec() == 0 {
		n = b.until(func(s *site) bool { return s.vector && s.wait.path != noPath })
	}
	if len(q.live) == 0 {
		return n
	}
	if len(q.live)+len(b.accesses) > maxOutstanding {
		return 0
	}
	if s.writesVCC && isa.TraitsOf(w.Target).StaleVCCZ {
		n = min(n, b.until((*site).writesVCC))
	}
	for i := range q.live {
		old := q.live[i]
		for k := range b.phases {
			ph := &b.phases[k]
			q.leaveBefore(&old, &ph.most)
			if old.meets(&ph.reads, &ph.writes, ph.does) {
				at := uint64(0)
				n = min(n, b.until(func(s *site) bool {
					at++
					return at > ph.from && old.meets(&s.reads, &s.writes, s.batchActs)
				}))
				break
			}
		}
	}
	return n
}

// meets reports whether e, which is outstanding, can matter to instructions that read and write these registers, and
// that do this.
func (e *entry) meets(reads, writes *regset, does acts) bool {
	f := &e.site.wait
	return !e.complete() && (reads.meets(&f.results) || writes.meets(&f.results) || e.acts&firsts[does] != 0) ||
		f.late && !e.freed && writes.meets(&f.sources)
}

// leaveBefore takes e, which was outstanding before a batch, out of the counters for which the batch has waited.
func (q *counters) leaveBefore(e *entry, most *waited) {
	for c := range numCounters {
		if e.in.has(c) && q.younger(e, c) > most[c][e.order[c]] {
			e.leave(c)
		}
	}
}

// leave leaves what b leaves in the counters of w, but not yet the lanes of accesses.
func (b *batch) leave(w *wave, executed uint64) {
	q := &w.counters
	if len(q.live) > 0 && b.counts() {
		for i := range q.live {
			q.leaveBefore(&q.live[i], &b.most)
		}
		q.settle()
	}
	for i := range b.live {
		e := b.live[i]
		e.index += executed
		for c := range numCounters {
			e.since[c] += q.added[c][e.order[c]]
		}
		q.count(&e, e.complete())
		q.live = append(q.live, e)
	}
	q.grow(b, 1)
	if r := &w.stamps.run; b.run.of != 0 {
		*r = b.run
		r.last.index += executed
	}
}

// grow adds what some turns of b add to q.
func (q *counters) grow(b *batch, turns int) {
	for c := range b.added {
		for o, n := range b.added[c] {
			q.added[c][o] += turns * n
		}
	}
}

// counts reports whether b has anything to do with counters.
func (b *batch) counts() bool { return len(b.accesses) > 0 || len(b.phases) > 1 }
