package check

import "github.com/gcnsim/gcnsim/internal/sim/registers"

// This file finds batches that are loops. If a batch ends with a branch back to its first instruction, the trial
// executes it twice. If the second iteration has no findings and leaves the same accesses outstanding as the first
// one, the same holds for any number of iterations. State from before the batch is judged by all phases of the first
// iteration: later iterations have the same registers and waits, and no more of that state is outstanding.

// loops reports whether s, which t has just executed, may be repeated. It adds the requirements of later iterations
// to s.
func (t *trial) loops(pc uint64, s *segment) bool {
	b, m, q := s.batch, &t.masks, &t.wave.counters
	if s.n == 0 {
		return false
	}
	branch := b.body[s.n-1]
	if to, ok := branch.inst.BranchTarget(branch.at); !ok || to != pc {
		return false
	}
	if b.loaded != (regset{}) || s.writes.meets(&b.stored) || b.inMemory || b.vector && !m.all[m.now].some {
		return false
	}
	vccz, run := t.wave.vccz, t.wave.stamps.run
	for i, site := range b.body {
		t.step.executed = s.n + uint64(i)
		t.event.Access.Op = site.inst.Row().Mem.Op
		if q.acts&firsts[site.batchActs] != 0 || !t.judge(site) {
			return false
		}
	}
	if t.wave.vccz != vccz.later(s.n) || t.wave.stamps.run != run.later(s.n) || len(q.live) != len(b.live) {
		return false
	}
	for i := range q.live {
		e := b.live[i]
		e.index += s.n
		for c := range numCounters {
			e.since[c] += b.added[c][e.order[c]]
		}
		if q.live[i] != e {
			return false
		}
	}
	s.repeats(m)
	b.last = 0 // registers written under this mask were already told, or have no undefined bits
	return true
}

// later returns v after n more instructions.
func (v *vccz) later(n uint64) vccz {
	w := *v
	if w.from != nil {
		w.index += n
	}
	return w
}

// later returns r after n more instructions.
func (r run) later(n uint64) run {
	for _, o := range [...]*origin{&r.last, &r.store} {
		if o.site != nil {
			o.index += n
		}
	}
	return r
}

// repeats adds the requirements of later iterations to s, whose EXEC may be different.
func (s *segment) repeats(m *execMasks) {
	masked := s.masked
	masked.remove(&s.defines)
	s.needs.union(&masked)
	s.forgetLanes(m) // it is not known in which lanes earlier iterations end
	if m.narrow() {
		return
	}
	for _, all := range []*regset{&s.needs, &s.partly, &s.defines} {
		for r := range all.all() {
			if r < registers.ScalarRegs {
				s.across.add(r)
			}
		}
	}
}
