package check

import (
	"math/bits"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/state"
)

// This file judges the accesses of batches, which the run has noted.

// skipped is [sim.Needs].Skipped.
func (c *Checker) skipped(e *sim.Event, n uint64, next func(record bool) bool) {
	k, w := &c.skipping, c.step.wave
	s := k.batch
	if s == nil {
		return
	}
	if n < s.n {
		key := k.key
		key.most = n
		if s = k.code.parts[key]; s == nil {
			s, _ = c.makeBatch(k.code, key, w.Wave)
			k.code.parts[key] = s
		}
	}
	c.passBy(e, w, s, k.executed, k.exec)
	x, b := &c.step, s.batch
	x.Event, x.shifted = e, false
	live := w.counters.live[len(w.counters.live)-len(b.live):]
	for i := range b.accesses {
		at := &b.accesses[i]
		judged := c.judgesNoted(at.site)
		record := judged || len(b.masks) > 0 && (at.live >= 0 || at.under != 0)
		if !next(record) {
			break
		}
		x.site, x.executed, x.exec = at.site, k.executed+at.at, k.exec
		if record {
			x.exec = e.Access.Exec
		}
		if at.live >= 0 {
			live[at.live].lanes = x.exec
		}
		if at.under != 0 && w.shadow != nil {
			w.shadow.defineAll(&b.masks[at.under], x.exec)
		}
		if !judged {
			continue
		}
		x.effects, x.reads, x.writes = at.effects, &at.reads, &at.writes
		x.noted, x.overtaken = true, x.wait.path == pathLDS
		c.judgeNoted(x)
	}
	x.noted, x.overtaken = false, false
	if b.end != nil {
		c.retireLast(e, s)
	}
}

// retireLast judges the barrier or the end that s, which has executed as a whole, ends with. The event e is that of an
// access before it.
func (c *Checker) retireLast(e *sim.Event, s *segment) {
	x, end := &c.step, s.batch.end
	c.lastEvent = *e
	c.lastEvent.PC, c.lastEvent.Inst, c.lastEvent.Access = end.at, &end.inst, &c.noAccess
	x.issue(&c.lastEvent, end)
	x.executed = c.skipping.executed + s.n - 1
	c.retireEnd(x)
}

// judgesNoted reports whether [Checker.judgeNoted] looks at the accesses of s.
func (c *Checker) judgesNoted(s *site) bool {
	return s.wait.path != pathLDS || c.skipping.key.undefined&inLDS != 0 ||
		c.seesRaces && (len(c.waves) > 1 || c.races.split || c.races.lanes && s.inst.Row().Mem.Op == gcn.Store)
}

// judgeNoted judges an access of a batch.
func (c *Checker) judgeNoted(x *step) {
	q := &x.wave.counters
	if does := x.does(); c.seesOrder && does&keptOnMemory != 0 {
		for i := range q.live {
			if e := &q.live[i]; e.index == x.executed {
				e.memory = q.storage()
				e.memory.onMemory(x)
			}
		}
	}
	if c.seesRaces {
		c.retireRaces(x)
	}
	switch {
	case c.skipping.key.undefined&memoryOf(x.site) == 0:
	case x.Access.Op == gcn.Store: // of defined data, or it would not be in a batch
		c.undef.defineStored(x.Access)
	case c.undef.reaches(x):
		fillLanes(x.Access)
		c.accessFlow(x, x.wave.shadow)
	}
}

// defineStored makes what a has stored defined.
func (u *undefined) defineStored(a *state.Access) {
	size, n := uint64(a.Elem), int(a.Count)
	if !a.Split {
		size, n = size*uint64(n), 1
	}
	if a.Dense && a.Elem == 4 && a.Count == 1 && a.Space == state.LDS {
		u.lds.define(a.Addr[0], a.Addr[0]+4*state.NumLanes)
		return
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

// fillLanes sets the addresses of all lanes of a.
func fillLanes(a *state.Access) {
	if a.Dense && a.Elem == 4 && a.Count == 1 {
		for lane := range a.Addr {
			a.Addr[lane] = a.Addr[0] + 4*uint64(lane)
		}
	}
}
