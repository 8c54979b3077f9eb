package check

import (
	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/sim/internal/registers"
	"github.com/gcnsim/gcnsim/state"
)

// This file lets segments have loads and stores, where the run notes what they accessed. What is found about waits does
// not depend on addresses, as long as no access goes to another memory than it seems to: the functions that judge each
// instruction judge these in the trial. Races are looked for access by access, after the segment has executed. An
// access that is no plain load or store is not part of a segment. Batches have no rule of their own.
//
// A batch goes on behind a branch forward, as if that fell through: where it does not, the batch ends early. It also
// goes on where a scalar instruction takes lanes out of EXEC, or writes EXEC before any instruction on lanes. That
// happens once: the lanes of what follows are found in EXEC as the batch leaves it.

// batch is what a segment knows of its loads and stores.
type batch struct {
	accesses []noted
	phases   []phase
	live     []entry // those that are outstanding at the end, as if the wave began with the segment
	added    [numCounters][numOrders]int
	most     waited // at the end
	room     int    // how many instructions can be outstanding until a counter may be full
	vector   bool   // an access has lanes
	loaded   regset // registers that may have undefined bits, see batchKey
	stored   regset // registers whose data it stores, which keep them
	lastData uint64 // how many instructions there are up to the latest store
	inMemory bool   // it stores to memory
	branches uint64 // how many instructions there are up to the latest branch that it goes on behind, 0 if to none
	run      run    // of memory instructions at the end
	rest     rest
	end      *site // the barrier, or the end of the program, that is its last instruction, nil if there is none
}

// rest is the part of a batch behind the instruction that changes EXEC.
type rest struct {
	begun   uint64 // how many instructions there are up to that one, 0 if none does so
	wider   bool   // lanes may be active that were not before
	vector  bool   // it has instructions on lanes
	some    bool   // lanes are active
	defines regset // registers that the batch writes here first
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
		if b := s.batch; !b.counts() && b.branches == 0 && !b.rest.vector && b.end == nil {
			s = &segment{}
		}
		*at = s
	}
	if (*at).batch == nil {
		return nil
	}
	return *at
}

// makeBatch makes the batch of a key. ok is false if an instruction of it has not been executed before.
func (c *Checker) makeBatch(p *code, key batchKey, w *state.Wave) (s *segment, ok bool) {
	t := c.newTrial(p.Program, w)
	b := &batch{room: 1 << 16}
	s = &segment{last: -1, batch: b}
	for c := range b.most {
		for o := range b.most[c] {
			b.most[c][o] = noWait
		}
	}
	b.phases = append(b.phases, phase{most: b.most})
	lanes := false // an instruction on lanes was there
	for pc, scalar := key.pc, false; pc < p.End && s.n < key.most; {
		in, ok := p.Inst(pc)
		access, ends := ok && mayBeNext(&in), ok && c.mayEnd(&in)
		if !access && !ends && (!ok || !mayPass(&in, w, true)) {
			break
		}
		site := p.sites[(pc-p.Base)/4]
		if site == nil {
			if p.tries[key.pc]++; b.branches == 0 || p.tries[key.pc] < maxTries {
				return nil, false
			}
			key.most = b.branches // what comes behind the branch may never execute
			return c.makeBatch(p, key, w)
		}
		if site.moves || site.trap != "" || scalar && site.vector || access && !c.mayNote(t, b, site) ||
			site.reads.meets(&b.loaded) || site.writes.meets(&b.loaded) || !b.rest.takes(site, access) {
			break
		}
		if site.writes.meets(&b.stored) { // which are looked at once the batch has executed
			key.most = b.lastData
			return c.makeBatch(p, key, w)
		}
		t.event.Access.Op = gcn.NoMem
		if access {
			t.event.Access.Op = in.Row().Mem.Op
		}
		if !t.judge(site) {
			key.most = s.n
			return c.makeBatch(p, key, w)
		}
		defined := s.defines
		b.add(t, site, s.n, access)
		if access && in.Row().Mem.Op == gcn.Load && key.undefined&memoryOf(site) != 0 {
			b.loaded.union(&site.writes)
		}
		s.add(t, site)
		s.bytes += uint64(in.Size)
		s.n++
		t.step.executed = s.n
		pc += uint64(in.Size)
		if n := &b.rest; n.begun != 0 {
			n.vector = n.vector || site.vector
			n.some = n.some || site.inst.Row().Has(gcn.ReadsEXECZ) && site.branchesWithoutLanes()
			for i := range n.defines {
				n.defines[i] |= s.defines[i] &^ defined[i]
			}
		}
		switch {
		case !site.writesEXEC():
		case key.short || scalar || b.rest.begun != 0 || !b.rest.begin(site, lanes):
			scalar = true
		default:
			b.rest.begun = s.n
		}
		lanes = lanes || site.vector
		if ends {
			b.end = site
			break
		}
		if in.Row().Has(gcn.Branch) {
			if key.short || !site.mayFallThrough() {
				break
			}
			b.branches = s.n
		}
	}
	s.late = keepLate(s.late, s.states)
	s.defines.remove(&b.rest.defines)
	q := &t.wave.counters
	b.live, b.added, b.run = append(b.live, q.live...), q.added, t.wave.stamps.run
	return s, true
}

// takes reports whether s may be the next instruction.
func (n *rest) takes(s *site, access bool) bool {
	return n.begun == 0 || !(n.vector && s.writesEXEC()) && (n.some || !access || !s.vector)
}

// mayFallThrough reports whether s is a conditional branch forward.
func (s *site) mayFallThrough() bool {
	to, ok := s.inst.BranchTarget(s.at)
	return ok && to > s.at && s.reads != regset{}
}

// begin begins n behind s, which writes EXEC. It returns false if instructions on lanes must not follow: lanes says
// that there were some before.
func (n *rest) begin(s *site, lanes bool) bool {
	const some = 0x0123456789abcdef
	w := s.runAlone(some)
	if w == nil {
		return false
	}
	n.wider, n.some = w.Exec()&^some != 0, some&^w.Exec() == 0
	return !n.wider || !lanes
}

// branchesWithoutLanes reports whether s, a branch, is taken if EXEC is 0.
func (s *site) branchesWithoutLanes() bool {
	w := s.runAlone(0)
	return w != nil && w.PC != s.at+uint64(s.inst.Size)
}

// runAlone executes s, a scalar instruction, with EXEC exec and different numbers in other registers. It returns the
// wave, nil if s cannot execute so.
func (s *site) runAlone(exec uint64) *state.Wave {
	impl := executor.Find(&s.inst)
	if s.inst.Enc > gcn.SOPP || impl.Exec == nil {
		return nil
	}
	w := state.NewWave(s.inst.Target, 1)
	for i := range w.S {
		w.S[i] = uint32(i+1) * 0x9e3779b9
	}
	w.SetExec(exec)
	w.PC = s.at + uint64(s.inst.Size)
	if impl.Exec(w, &executor.Ports{}, &s.inst, &state.Access{}) != nil {
		return nil
	}
	return w
}

// mayNote reports whether a load or store may be the next instruction of b.
func (c *Checker) mayNote(t *trial, b *batch, s *site) bool {
	return s.inst.Row().Mem.Op != gcn.Atomic && !s.selects && !s.writesEXEC() && !c.replays(s) &&
		!s.storesScalars() && !s.hasResource && !s.toM0 && len(s.fixed) == 0 && s.inst.Enc != gcn.SCRATCH &&
		s.wait.path != pathGDS && len(b.accesses) < maxAccesses && !(b.inMemory && actsOf(s) == vectorWrite) &&
		(s.wait.path != pathScalar || !s.inst.Target.Traits().StaleVCCZ) &&
		t.wave.counters.acts&firsts[actsOf(s)] == 0
}

// memoryOf returns the memory that a load or store is in.
func memoryOf(s *site) undefinedIn {
	if s.wait.path == pathLDS {
		return inLDS
	}
	return inMemory
}

// actsOf returns what a load or store does: DS in LDS, others in memory.
func actsOf(s *site) acts {
	store := s.inst.Row().Mem.Op == gcn.Store
	switch {
	case s.wait.path == pathScalar:
		return scalarRead
	case s.wait.path == pathLDS && store:
		return ldsWrite
	case s.wait.path == pathLDS:
		return ldsRead
	case store:
		return vectorWrite
	}
	return vectorRead
}

// wait is [counters.wait] for instructions that were outstanding before the batch.
func (b *batch) wait(c counter, n int) {
	for o := range b.most[c] {
		switch most := &b.most[c][o]; {
		case n == 0:
			*most = -1
		case order(o) != unordered:
			*most = min(*most, n-b.added[c][o])
		}
	}
}

// add makes an instruction, which t has just executed, the next one of b; n instructions are before it.
func (b *batch) add(t *trial, s *site, n uint64, access bool) {
	if s.wait.waits {
		for c, n := range s.wait.until {
			if n < noWait {
				b.wait(counter(c), n)
			}
		}
		b.phases = append(b.phases, phase{most: b.most})
	}
	for c, top := range maxima(s.inst.Target.Traits()) {
		if n := int(s.wait.counts[c]); n > 0 { // see [counters.makeRoom]
			b.wait(counter(c), top-n)
			b.room = min(b.room, (top-n)/2)
		}
	}
	b.added = t.wave.counters.added
	p := &b.phases[len(b.phases)-1]
	p.reads.union(&s.reads)
	p.writes.union(&s.writes)
	if !access {
		return
	}
	b.accesses = append(b.accesses, noted{s, n})
	b.vector = b.vector || s.vector
	p.does |= actsOf(s)
	if s.inst.Row().Mem.Op != gcn.Store {
		return
	}
	b.lastData, b.inMemory = n+1, b.inMemory || memoryOf(s) == inMemory
	for i := range s.effects {
		if f := &s.effects[i]; isData(f) {
			for first, n := registers.Span(f); n > 0; n-- {
				b.stored.add(first + reg(n) - 1)
			}
		}
	}
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

// leave leaves what b leaves in the counters of w.
func (b *batch) leave(w *wave, executed, exec uint64) {
	q := &w.counters
	if len(q.live) > 0 && b.counts() {
		for i := range q.live {
			q.leaveBefore(&q.live[i], &b.most)
		}
		q.settle()
	}
	for i := range b.live {
		e := b.live[i]
		e.lanes = b.lanesAt(e.index, w, exec)
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

// lanesAt returns EXEC of an instruction of b, of which at lie before it. w has executed b, which began with EXEC exec.
func (b *batch) lanesAt(at uint64, w *wave, exec uint64) uint64 {
	if b.rest.vector && at >= b.rest.begun {
		return w.Exec()
	}
	return exec
}
