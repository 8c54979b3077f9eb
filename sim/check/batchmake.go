package check

import (
	"slices"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/state"
)

// This file makes batches. The trial judges the instructions of a batch, and the batch stores the dependencies of the
// result.

// makeBatch creates the batch for a key. ok is false if an instruction up to its first branch has not been executed
// before.
func (c *Checker) makeBatch(p *code, key batchKey, w *state.Wave) (s *segment, ok bool) {
	t := c.newTrial(p.Program, w)
	b := &batch{}
	s = &segment{last: -1, batch: b}
	for c := range b.most {
		for o := range b.most[c] {
			b.most[c][o] = noWait
		}
	}
	b.phases = append(b.phases, phase{most: b.most})
	pc := key.pc
	for pc < p.End && s.n < key.most && b.end == nil {
		in, ok := p.Inst(pc)
		if !ok {
			break
		}
		site := p.sites[(pc-p.Base)/4]
		if site == nil {
			if b.branches == 0 {
				return nil, false
			}
			b.open = true // the code behind the branch may never execute
			break
		}
		access, ends := isAccess((*isa.Inst)(&in)), c.mayEnd((*isa.Inst)(&in))
		if !access && !ends && !site.mayPass(w) {
			break
		}
		if c.isAlone(site) || access && (key.undefined == noAccesses || !c.mayNote(t, b, site)) ||
			site.reads.meets(&b.loaded) || site.writes.meets(&b.loaded) || site.writesEXEC() && t.masks.isFull() {
			break
		}
		if site.writes.meets(&b.stored) { // they are checked after the batch has executed
			key.most = b.lastData
			return c.makeBatch(p, key, w)
		}
		t.event.Access.Op = gcn.NoMem
		if access {
			t.event.Access.Op = isa.Inst(in).Row().Mem.Op
		}
		if !t.judge(site) {
			key.most = s.n
			return c.makeBatch(p, key, w)
		}
		b.add(t, site, s.n, access)
		if access && isa.Inst(in).Row().Mem.Op == gcn.Load && key.undefined&memoryOf(site) != 0 {
			b.loaded.union(&site.writes)
		}
		s.add(t, site)
		s.n++
		s.bytes += uint64(in.Size)
		t.step.executed = s.n
		pc += uint64(in.Size)
		if !site.writesEXEC() {
			t.masks.passes(site)
		} else {
			s.forgetLanes(&t.masks)
			t.masks.changes(site)
		}
		if ends {
			b.end = site
		}
		b.body = append(b.body, site)
		if isa.Inst(in).Row().Has(isa.Branch) {
			if !site.mayFallThrough() {
				break
			}
			b.branches = s.n
		}
	}
	b.behind = pc
	b.finish(t)
	s.late = keepLate(s.late, s.states)
	b.loops = key.most == maxSegment && t.loops(key.pc, s)
	return s, true
}

// finish sets the summary of b after its last instruction.
func (b *batch) finish(t *trial) {
	q := &t.wave.counters
	b.live, b.added, b.run = append(b.live, q.live...), q.added, t.wave.stamps.run
	for i := range b.accesses {
		a := &b.accesses[i]
		a.stays = slices.ContainsFunc(b.live, func(e entry) bool { return e.index == a.at })
		a.lists = a.loads != nil && !(a.stays && a.batchActs == scalarRead)
	}
	if m := &t.masks; len(m.all) > 1 {
		b.last = m.now
		for i := range m.all {
			b.masks = append(b.masks, m.all[i].defines)
		}
	}
}

// forgetLanes is called before EXEC changes. If no access records the active lanes, they are unknown after the batch.
// Then all VGPRs that s has written in these lanes must be defined before the batch begins.
func (s *segment) forgetLanes(m *execMasks) {
	if now := &m.all[m.now]; m.now != 0 && !now.noted {
		for r := range now.defines.all() {
			s.need(r, m)
		}
	}
}

// mayFallThrough reports whether s is a conditional branch forward, or back where no lane is active.
func (s *site) mayFallThrough() bool {
	to, ok := s.inst.BranchTarget(s.at)
	return ok && s.reads != regset{} && (to > s.at || s.idles)
}

// mayNote reports whether a load, a store or an atomic may be the next instruction of b.
func (c *Checker) mayNote(t *trial, b *batch, s *site) bool {
	return (s.inst.Row().Mem.Op != gcn.Atomic || s.wait.path == pathLDS && isInBlocks(&s.inst)) &&
		!s.selects && !s.writesEXEC() && !c.replays(s) &&
		!s.storesScalars() && !s.hasResource && !s.toM0 && s.inst.Enc != isa.SCRATCH &&
		s.wait.path != pathGDS && len(b.accesses) < maxAccesses &&
		(s.wait.path != pathScalar || !isa.TraitsOf(s.inst.Target).StaleVCCZ) &&
		t.wave.counters.acts&firsts[s.batchActs] == 0 && (t.masks.all[t.masks.now].some || !s.vector)
}

// isInBlocks reports whether compiled blocks support an instruction.
func isInBlocks(in *isa.Inst) bool {
	f := executor.Find(in).Block
	return f != nil && f() != nil
}

// memoryOf returns the memory that an access uses.
func memoryOf(s *site) undefinedIn {
	if s.wait.path == pathLDS {
		return inLDS
	}
	return inMemory
}

// acts returns the access of s within a batch. DS instructions access LDS, others memory.
func (s *site) acts() acts {
	store := s.inst.Row().Mem.Op == gcn.Store
	switch {
	case s.wait.path == noPath: // not an access
		return 0
	case s.wait.path == pathScalar:
		return scalarRead
	case s.wait.path == pathLDS && store:
		return ldsWrite
	case s.inst.Row().Mem.Op == gcn.Atomic: // an atomic in LDS
		return ldsRead | ldsWrite
	case s.wait.path == pathLDS:
		return ldsRead
	case store:
		return vectorWrite
	}
	return vectorRead
}

// wait is [counters.wait] for instructions that were outstanding when the batch began.
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

// add adds an instruction, which t has just executed, to b. n is the number of instructions before it.
func (b *batch) add(t *trial, s *site, n uint64, accesses bool) {
	if s.wait.waits {
		for c, n := range s.wait.until {
			if n < noWait {
				b.wait(counter(c), n)
			}
		}
		b.phases = append(b.phases, phase{most: b.most, from: n})
	}
	for c, top := range maxima(isa.TraitsOf(s.inst.Target)) {
		if n := int(s.wait.counts[c]); n > 0 { // see [counters.makeRoom]
			b.wait(counter(c), top-n)
		}
	}
	b.added = t.wave.counters.added
	p := &b.phases[len(b.phases)-1]
	p.reads.union(&s.reads)
	p.writes.union(&s.writes)
	if !accesses {
		return
	}
	b.accesses = append(b.accesses, access{noted: noted{s, n}})
	a := &b.accesses[len(b.accesses)-1]
	if s.vector {
		b.vector, a.under = true, t.masks.tell()
	}
	p.does |= s.batchActs
	if s.inst.Row().Mem.Op != gcn.Store {
		return
	}
	b.lastData = n + 1
	if memoryOf(s) == inMemory {
		b.several, b.inMemory = b.inMemory, true
	}
	for r, f := range eachRegister(s.effects) {
		if isData(f) {
			b.stored.add(r)
		}
	}
}
