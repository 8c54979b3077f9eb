package check

import (
	"slices"

	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/state"
)

// This file allows loads and stores in segments if the run records their accesses. Findings about waits do not depend
// on addresses, unless an access reaches another memory than its opcode suggests. So the functions that judge single
// instructions judge them in the trial. Races are detected access by access, after the segment has executed. An access
// that is not a plain load or store ends a segment. If accesses are not recorded, each one does. Batches have no rule
// of their own.
//
// A batch continues behind a forward branch, as if the branch fell through; if it is taken, the batch ends early. A
// batch also continues where EXEC changes. The active lanes are then read from its access records, or at its end. A
// batch that ends with a branch back to its first instruction may be a loop, which executes any number of times. If a
// wave may not execute a whole batch, it executes the first instructions of it, which are a batch, too.

// batch describes the loads and stores of a segment, and their effects on counters.
type batch struct {
	accesses []access
	phases   []phase
	live     []entry // accesses that are outstanding at the end, as if the wave began with the segment
	added    [numCounters][numOrders]int
	most     waited   // the waits up to the end of the batch
	vector   bool     // an access of the batch has lanes
	loaded   regset   // registers that may have undefined bits, see batchKey
	stored   regset   // registers that the batch stores, and does not overwrite later
	lastData uint64   // the number of instructions up to the last store
	inMemory bool     // the batch stores to memory
	several  bool     // the batch stores to memory more than once
	branches uint64   // the number of instructions up to the last branch that the batch continues behind, 0 without one
	run      run      // the run of memory instructions at the end
	masks    []regset // the VGPRs that the batch writes first under each EXEC mask
	last     int      // the index in masks of EXEC at the end
	loops    bool     // the batch may be followed by itself, see [trial.loops]
	bad      regset   // the undefined registers that mattered when a wave last had some
	clean    uint64   // the number of instructions before the first one that reads or writes a register of bad
	open     bool     // the batch ends before an instruction that had not executed when the batch was made
	body     []*site  // the instructions of the batch
	recorded uint64   // instructions of body whose successor is recorded as the next one, see [batch.recordWays]
	behind   uint64   // the address behind the batch
	end      *site    // the last instruction if it is a barrier or the end of the program, else nil
}

// access is a load or a store of a batch.
type access struct {
	noted
	stays bool // the access is outstanding at the end of the batch
	lists bool // the access is a load from memory that may be listed without an access record
	under int  // index in batch.masks of the EXEC mask whose lanes this access is the first to record, 0 if another was
}

// phase is a part of a batch that begins with a wait, or the part before the first one.
type phase struct {
	reads, writes regset
	does          acts
	most          waited
	from          uint64 // the number of instructions of the batch before the phase
}

// waited summarizes the waits up to an instruction of a batch. An instruction that was outstanding before the batch is
// done for a counter if it and the later ones of its class before the batch have added more than this value.
type waited [numCounters][numOrders]int

// batchKey holds the first pc of a batch, its maximal number of instructions, and the memories that may have undefined
// bits. The batch ends before an instruction that depends on whether a value loaded from them has undefined bits.
type batchKey struct {
	pc, most  uint64
	undefined undefinedIn
}

// undefinedIn is a set of memories that may have undefined bits.
type undefinedIn uint8

const (
	inMemory undefinedIn = 1 << iota
	inLDS
	// noAccesses says that a batch must not have accesses, because the run does not record them.
	noAccesses
)

// skipping describes the batch that executes.
type skipping struct {
	code           *code
	batch          *segment // nil if no batch executes
	key            batchKey
	executed, exec uint64 // Executed and EXEC of the wave at the beginning of the batch
	passed         int    // listed accesses since the last one that was read, over all iterations
}

// maxAccesses bounds the loads and stores of a batch.
const maxAccesses = 64

// mayBatch reports whether the instructions of p may be judged in batches. They may not if an access orders others, or
// is judged by the part of a buffer that it reaches.
func (c *Checker) mayBatch(p *code) bool {
	return len(c.pools) == 0 && !p.acquires && !p.dma && !c.races.sync && !c.races.byLane
}

// batchToSkip returns the batch that begins at pc, or as many of its first instructions as w may execute unseen. It
// returns nil if the instruction at pc must be judged by itself.
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

// part returns the first n instructions of the batch with this key, as a batch.
func (c *Checker) part(p *code, key batchKey, n uint64, w *state.Wave) *segment {
	key.most = n
	s := p.parts[key]
	if s == nil {
		s, _ = c.makeBatch(p, key, w)
		p.parts[key] = s
	}
	return s
}

// until returns the number of instructions of b before the first one for which stops returns true. There must be such
// an instruction.
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

// countSkippable returns how many instructions of s may execute unseen in w. It stops before the first instruction
// that needs an active lane if w has none, and before the first one that an outstanding instruction can affect.
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

// meets reports whether the outstanding instruction e can affect instructions that read and write these registers, and
// access memory as does says.
func (e *entry) meets(reads, writes *regset, does acts) bool {
	f := &e.site.wait
	return !e.complete() && (reads.meets(&f.results) || writes.meets(&f.results) || e.acts&firsts[does] != 0) ||
		f.late && !e.freed && writes.meets(&f.sources)
}

// leaveBefore removes e, which was outstanding before a batch, from the counters on which the batch has waited for e.
func (q *counters) leaveBefore(e *entry, most *waited) {
	for c := range numCounters {
		if e.in.has(c) && q.younger(e, c) > most[c][e.order[c]] {
			e.leave(c)
		}
	}
}

// leave changes the counters of w as executing b does. The lanes of the accesses are set later.
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

// grow adds to q the accesses of so many iterations of b.
func (q *counters) grow(b *batch, turns int) {
	for c := range b.added {
		for o, n := range b.added[c] {
			q.added[c][o] += turns * n
		}
	}
}

// counts reports whether b changes or waits for counters.
func (b *batch) counts() bool { return len(b.accesses) > 0 || len(b.phases) > 1 }
