package check

// This file lets segments have loads and stores, where the run notes what they accessed. What is found about waits does
// not depend on addresses, as long as no access goes to another memory than it seems to: the functions that judge each
// instruction judge these in the trial. Races are looked for access by access, after the segment has executed. An
// access that is no plain load or store is not part of a segment. Batches have no rule of their own.
//
// A batch goes on behind a branch forward, as if that fell through: where it does not, the batch ends early. It also
// goes on where EXEC changes. Which lanes are active then is found as its accesses are told, or at its end. If it ends
// with a branch back to its first instruction it may be a loop, which executes any number of times.

// batch is what a segment knows of its loads and stores.
type batch struct {
	accesses []access
	phases   []phase
	live     []entry // those that are outstanding at the end, as if the wave began with the segment
	added    [numCounters][numOrders]int
	most     waited   // at the end
	room     int      // how many instructions can be outstanding until a counter may be full
	vector   bool     // an access has lanes
	loaded   regset   // registers that may have undefined bits, see batchKey
	stored   regset   // registers whose data it stores, which keep them
	lastData uint64   // how many instructions there are up to the latest store
	inMemory bool     // it stores to memory
	branches uint64   // how many instructions there are up to the latest branch that it goes on behind, 0 if to none
	run      run      // of memory instructions at the end
	masks    []regset // VGPRs that it writes first under each mask
	last     int      // the mask at the end
	loops    bool     // it may be followed by itself, see [trial.loops]
	end      *site    // the barrier, or the end of the program, that is its last instruction, nil if there is none
}

// access is a load or a store of a batch.
type access struct {
	noted
	stays bool  // it is outstanding at the end
	inLDS bool  // it is a DS load or store
	data  []reg // the registers that it stores
	under int   // the mask that it is the first one to tell the lanes of, 0 if it is none

	// Loads from LDS on the same lanes and with the same address register are members of one group.
	first, member int
	sharing       int       // of the first one: how many there are
	places        []*places // of the first one: where it was latest in each wave of a work-group, nil if nowhere
}

// phase is a part of a batch that begins with a wait, or the part before the first one.
type phase struct {
	reads, writes regset
	does          acts
	most          waited
}

// waited are the waits up to an instruction of a batch: what was outstanding before the batch has left a counter if it
// and later instructions of its class before the batch have added more than this.
type waited [numCounters][numOrders]int

// batchKey is where a batch begins, how many instructions it has at most, and what of what it loads may have undefined
// bits. The batch ends before an instruction that needs to know whether that has some.
type batchKey struct {
	pc, most  uint64
	undefined undefinedIn
	short     bool // the batch ends at each branch, and where only scalar instructions follow a change of EXEC
}

// undefinedIn are memories that may have undefined bits.
type undefinedIn uint8

const (
	inMemory undefinedIn = 1 << iota
	inLDS
	numUndefinedIn = 1 << iota
)

// skipping is the batch that executes.
type skipping struct {
	code           *code
	batch          *segment // nil if none does
	key            batchKey
	executed, exec uint64 // of the wave, as it began
}

// maxAccesses bounds the loads and stores of a batch.
const maxAccesses = 64

// maxTries is how often the instructions behind a branch are waited for until a batch does without them.
const maxTries = 16

// mayBatch reports whether the instructions of p may be judged in batches: no access orders others, or is judged by the
// part of a buffer that it is in.
func (c *Checker) mayBatch(p *code) bool {
	return len(c.pools) == 0 && !p.acquires && !p.dma && !c.races.sync && !c.races.byLane
}

// passingBatch returns the batch that begins at pc, or else the short one, if w may execute it. It returns nil if w may
// execute neither.
func (c *Checker) passingBatch(p *code, pc uint64, w *wave) *segment {
	for _, short := range [...]bool{false, true} {
		s := c.batchOf(p, pc, w, short)
		if s == nil {
			return nil
		}
		if c.batchPasses(w, s) && c.passesBy(w, s) {
			return s
		}
	}
	return nil
}

// batchOf returns a batch that begins at pc. It returns nil if there is none.
func (c *Checker) batchOf(p *code, pc uint64, w *wave, short bool) *segment {
	key := batchKey{pc, maxSegment, 0, short}
	if u := &c.undef; w.shadow != nil {
		if u.global.undefines() || u.scratch.undefines() {
			key.undefined |= inMemory
		}
		if u.lds.undefines() {
			key.undefined |= inLDS
		}
	}
	c.skipping.key = key
	all := &p.batches[key.undefined]
	if short {
		all = &p.short[key.undefined]
	}
	if *all == nil {
		*all = make([]*segment, len(p.sites))
	}
	at := &(*all)[(pc-p.Base)/4]
	if *at == nil {
		s, ok := c.makeBatch(p, key, w.Wave)
		if !ok {
			return nil
		}
		// Any segment can have these instructions.
		if b := s.batch; !b.counts() && b.branches == 0 && len(b.masks) == 0 && b.end == nil && !b.loops {
			s = &segment{}
		}
		*at = s
	}
	if (*at).batch == nil {
		return nil
	}
	return *at
}

// batchPasses reports whether the accesses of s do what its trial took for granted, and nothing that is outstanding
// before s can matter to one of its instructions.
func (c *Checker) batchPasses(w *wave, s *segment) bool {
	b, q := s.batch, &w.counters
	if b.vector && w.Exec() == 0 {
		return false
	}
	if len(q.live) == 0 {
		return true
	}
	if most := len(q.live) + len(b.accesses); q.lost && most > b.room || most > maxOutstanding ||
		s.writesVCC && w.Target.Traits().StaleVCCZ {
		return false
	}
	for i := range q.live {
		old := q.live[i]
		for k := range b.phases {
			p := &b.phases[k]
			q.leaveBefore(&old, &p.most)
			complete, f := old.complete(), &old.site.wait
			if !complete && (p.reads.meets(&f.results) || p.writes.meets(&f.results) || old.acts&firsts[p.does] != 0) ||
				f.late && !old.freed && p.writes.meets(&f.sources) {
				return false
			}
		}
	}
	return true
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
	for c := 0; c < len(q.added) && b.counts(); c++ {
		for o := range q.added[c] {
			q.added[c][o] += b.added[c][o]
		}
	}
	if r := &w.stamps.run; b.run.of != 0 {
		*r = b.run
		r.last.index += executed
	}
}

// counts reports whether b has anything to do with counters.
func (b *batch) counts() bool { return len(b.accesses) > 0 || len(b.phases) > 1 }
