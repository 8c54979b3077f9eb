package check

import (
	"math/bits"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/sim/unseen"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/state"
)

// This file judges the accesses of batches from the records that the run has made.

// skipped is called after n instructions have executed unseen, see [unseen.Needs].Skipped.
func (c *Checker) skipped(e *sim.Event, n uint64, trace unseen.Trace) {
	k, w := &c.skipping, c.step.wave
	s := k.batch
	if s == nil {
		return
	}
	turns, rest := n/s.n, n%s.n
	s.batch.recordWays(w, turns, rest)
	if turns > 0 {
		c.passTurns(w, s, turns)
	}
	var last *segment // the instructions of the last iteration, which is incomplete
	if rest > 0 {
		last = c.part(k.code, k.key, rest, w.Wave)
		last.applySkipped(w, k.executed+n-rest, k.exec)
	}
	for turn := uint64(0); turn < turns && len(s.batch.accesses) > 0; turn++ {
		c.judgeAccesses(e, s.batch, k.executed+turn*s.n, trace)
	}
	if rest > 0 {
		c.judgeAccesses(e, last.batch, k.executed+n-rest, trace)
	}
	if end := s.batch.end; end != nil && turns > 0 {
		c.retireLast(e, s)
	}
}

// passTurns changes the state that the checker keeps of w as so many iterations of s do.
func (c *Checker) passTurns(w *wave, s *segment, turns uint64) {
	k := &c.skipping
	if more := turns - 1; more > 0 {
		w.stamps.clock += more * s.states
		w.counters.grow(s.batch, int(more)) //nolint:gosec // a count of iterations
	}
	s.applySkipped(w, k.executed+(turns-1)*s.n, k.exec)
}

// judgeAccesses judges the accesses of b. executed is the number of instructions that the wave executed before b.
func (c *Checker) judgeAccesses(e *sim.Event, b *batch, executed uint64, trace unseen.Trace) {
	x, w, k := &c.step, c.step.wave, &c.skipping
	x.Event, x.shifted, x.noted = e, false, true
	for i := range b.accesses {
		a := &b.accesses[i]
		x.site, x.executed, x.exec = a.site, executed+a.at, k.exec
		judged := c.judgesNoted(a.site)
		defines := judged && k.key.undefined&memoryOf(a.site) != 0
		isListed := judged && a.lists && c.mayListLoads()
		if isListed {
			exec, base, places, _ := trace.Lanes(k.passed + 1)
			if places == nil {
				break
			}
			x.exec = exec
			isListed = c.list(x, exec, base, places)
		}
		record := judged && !isListed || defines
		if !record && (len(b.masks) == 0 || isListed || !a.stays && a.under == 0) {
			k.passed++
			b.tell(a, w, x.executed, x.exec)
			continue
		}
		if !trace.Next(k.passed, true) {
			break
		}
		k.passed, x.exec = 0, e.Access.Exec
		b.tell(a, w, x.executed, x.exec)
		if judged {
			x.effects, x.reads, x.writes = a.effects, &a.reads, &a.writes
			x.overtaken = x.wait.path == pathLDS || b.several
			c.judgeNoted(x, isListed, defines)
		}
	}
	x.noted, x.overtaken = false, false
}

// tell records that the lanes of exec were active for a. executed is the number of instructions of the wave before a.
func (b *batch) tell(a *access, w *wave, executed, exec uint64) {
	if a.stays {
		w.counters.setLanes(executed, exec)
	}
	if a.under != 0 && w.shadow != nil {
		w.shadow.defineAll(&b.masks[a.under], exec)
	}
}

// setLanes sets the lanes of the instruction with this index, if the instruction is outstanding.
func (q *counters) setLanes(index, lanes uint64) {
	for i := len(q.live) - 1; i >= 0; i-- {
		if q.live[i].index == index {
			q.live[i].lanes = lanes
			return
		}
	}
}

// retireLast judges the last instruction of s: a barrier, or the end of the wave. All of s has executed. The run has no
// event for this instruction, so e, the event of the latest access, is changed into one during the call.
func (c *Checker) retireLast(e *sim.Event, s *segment) {
	x, end := &c.step, s.batch.end
	pc, inst, access := e.PC, (*isa.Inst)(e.Inst), e.Access
	e.PC, e.Inst, e.Access = end.at, (*gcn.Inst)(&end.inst), &c.noAccess
	x.issue(e, end)
	x.executed = c.skipping.executed + s.n - 1
	c.retireEnd(x)
	e.PC, e.Inst, e.Access = pc, (*gcn.Inst)(inst), access
}

// judgesNoted reports whether [Checker.judgeNoted] must be called for accesses of s.
func (c *Checker) judgesNoted(s *site) bool {
	return s.wait.path != pathLDS || c.skipping.key.undefined&inLDS != 0 ||
		c.seesRaces && (len(c.waves) > 1 || c.races.split || c.races.lanes && s.batchActs == ldsWrite)
}

// judgeNoted judges an access of a batch. If defines is set, the memory that it accesses may have undefined bits.
func (c *Checker) judgeNoted(x *step, listed, defines bool) {
	q := &x.wave.counters
	if c.seesOrder && x.batchActs&keptOnMemory != 0 {
		for i := range q.live {
			if e := &q.live[i]; e.index == x.executed {
				e.memory = q.storage()
				e.memory.onMemory(x)
			}
		}
	}
	if c.seesRaces && !listed {
		c.retireRaces(x)
	}
	switch {
	case !defines:
	case x.Access.Op == gcn.Store: // batches have only stores of defined data
		c.undef.defineStored(x.Access)
	case c.undef.reaches(x):
		fillLanes(x.Access)
		c.accessFlow(x, x.wave.shadow)
	}
}

// defineStored marks the memory that a has stored to as defined.
func (u *undefined) defineStored(a *state.Access) {
	size, n := uint64(a.Elem), int(a.Count)
	if !a.Split {
		size, n = size*uint64(n), 1
	}
	fillLanes(a)
	for i := range n {
		at := &a.Addr
		if i > 0 {
			at = &a.More[i-1]
		}
		if base, ok := inStep(at, a.Exec, size); ok && a.Exec == state.FullExec && a.Space == state.LDS {
			u.lds.define(base, base+size*state.NumLanes)
			continue
		}
		for mask := a.Exec; mask != 0; mask &= mask - 1 {
			lane := bits.TrailingZeros64(mask)
			u.of(a, lane, at[lane]).define(at[lane], at[lane]+size)
		}
	}
}

// fillLanes sets the addresses of all lanes of a, which a dense access record has for lane 0 only.
func fillLanes(a *state.Access) {
	if a.Dense && a.Elem == 4 && a.Count == 1 {
		for lane := range a.Addr {
			a.Addr[lane] = a.Addr[0] + 4*uint64(lane)
		}
	}
}
