package timing

import (
	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/state"
)

// clock computes the times at which waves read the time, while the run is still executing. It simulates each
// work-group on its own CU, one after another, as far as their streams extend. The result is exact for a work-group
// that has the chip to itself; competition between work-groups has no effect.
type clock struct {
	m    *Model // the model of this CU
	of   *group // the work-group in the run
	g    *group // the same work-group in m
	lost bool   // the work-group does not fit on the CU, which the run's model reports
}

// waveClock is a model in the role of the clock of waves. It does not change the result of [Model.Finish].
type waveClock struct{ m *Model }

// Now returns the time at which w issues in, an instruction that reads the clock. ok is false if other waves of the
// work-group must execute first.
func (c waveClock) Now(w *state.Wave, in *gcn.Inst) (cycles uint64, ok bool) {
	m := c.m
	if m.rec.err != nil {
		return 0, true
	}
	g := m.group(w)
	s := g.stream(w, m.rec.budget)
	if len(m.paused) > 0 {
		m.rec.err = maxBytesError(m.p.MaxBytes)
		return 0, true
	}
	if m.clock == nil {
		m.clock = newClock(m)
	}
	if !s.ahead { // it issues in any case, and the time is known then
		n := m.rec.static((*isa.Inst)(in), w.PC-uint64(in.Size))
		s.add(m.rec.pool, n)
		if op := &m.rec.ops[n]; op.accesses() {
			s.addAccess(m.rec.pool, op, &access{}, nil)
		}
		s.ahead = true
		return 0, false
	}
	at := m.clock.find(s)
	if m.clock.lost {
		return 0, true
	}
	if at == nil || !at.starved {
		return 0, false
	}
	return at.issued, true
}

// Settle advances the work-group until a wave that waits for the clock has issued the instruction that reads it.
func (c waveClock) Settle(waves []*state.Wave) bool {
	m := c.m
	if m.clock == nil || m.filled == nil || m.rec.err != nil {
		return m.rec.err != nil
	}
	settled := m.clock.settle(m.filled, waves)
	if m.stop.Load() {
		m.rec.err = ErrStopped
	}
	return settled || m.rec.err != nil
}

func newClock(of *Model) *clock {
	p := of.p
	p.CUs = 1
	m := newModel(of.target, p, of.rec.budget)
	m.stop = of.stop
	m.rec, m.open, m.latency = of.rec, true, of.latency
	return &clock{m: m}
}

// next starts another dispatch, at the earliest at the present time of the model to which c belongs.
func (c *clock) next(of *Model) { c.m.now, c.m.latency = max(c.m.now, of.now), of.latency }

// find returns the wave with stream s, nil if there is none.
func (c *clock) find(s *stream) *wave {
	if c.g != nil {
		for _, w := range c.g.waves {
			if w.s == s {
				return w
			}
		}
	}
	return nil
}

// enter starts the new waves of the work-group, and wakes the waves whose streams have grown.
func (c *clock) enter(of *group) {
	if c.of != of {
		c.of, c.g, c.lost = of, c.m.newGroup(of.id), false
		c.g.cu, c.g.sgprs = c.m.cu(0), of.sgprs
	}
	for _, s := range of.streams {
		s.seal(c.m.rec.pool)
	}
	for _, s := range of.streams[len(c.g.waves):] {
		if !c.m.startWave(c.g, s, c.m.now) {
			c.lost = true
			return
		}
	}
	for _, w := range c.g.waves {
		if w.starved && w.next() {
			w.starved = false
			ready := w.simd.align(max(w.since, c.m.now))
			w.simd.waveSlot(w).ready = ready
			c.g.cu.cluster.schedule(w.simd, ready)
		}
	}
}

// settle advances the time until a wave that waits for the clock has issued all its instructions, or until one can
// execute more immediately.
func (c *clock) settle(of *group, waves []*state.Wave) bool {
	for c.enter(of); !c.lost; {
		found := false
		for _, w := range c.g.waves {
			if !w.starved {
				continue
			}
			switch of := waveOf(w.s, waves); {
			case of == nil || of.Ended:
				c.leave(w)
			case of.Wait == state.ClockTurn:
				found = true
			case of.Wait == state.NoWait && !of.AtBarrier:
				return found
			}
		}
		if found {
			return true
		}
		if c.m.advance() != nil {
			return false // no wave waits for a time
		}
	}
	return true
}

// waveOf returns the wave in waves that has stream s, nil if it has ended.
func waveOf(s *stream, waves []*state.Wave) *state.Wave {
	for _, w := range waves {
		if w.ID == s.id {
			return w
		}
	}
	return nil
}

// leave ends a wave without further instructions.
func (c *clock) leave(w *wave) {
	w.starved = false
	k := w.cu.cluster
	k.leave(w, c.m.now, w.since)
	w.simd.sort() // a cycle group would sort, but there may be none before the next work-group
	k.schedule(w.simd, c.m.now+1)
	c.m.gather()
	c.m.leave()
}

// finish simulates the complete work-group to its end.
func (c *clock) finish(of *group) {
	if c == nil {
		return
	}
	for c.enter(of); c.m.resident > 0; {
		for _, w := range c.g.waves {
			if w.starved {
				c.leave(w)
			}
		}
		if c.m.advance() == nil {
			continue
		}
		for _, w := range c.g.waves { // the remaining waves wait for waves that do not exist
			if !w.done {
				c.leave(w)
			}
		}
	}
	c.m.spare = append(c.m.spare, c.g)
	c.of, c.g = nil, nil
}
