package check

import "github.com/gcnsim/gcnsim/state"

// straggler is an access that may still be incomplete after barriers, so that none has published it: an access to LDS
// or GDS, which have separate queues, or through the scalar cache (rule RC3).
type straggler struct {
	site  *site
	index uint64 // instructions that the wave had executed before it
	wave  *wave
	op    nature
	space state.Space
	bytes *footprint
	past  *site // the latest barrier that did not publish it
	known bool  // the barrier at which its wave is waiting publishes it
}

// published reports whether the barrier at which the wave of s is waiting publishes it: s is complete, and if it is
// in the scalar cache, its write-back is complete too.
func (s *straggler) published() bool {
	if s.op&(scalar|stores|atomic) == scalar|stores {
		back := s.wave.race.writtenBack
		return back > s.index && s.wave.counters.completed(back)
	}
	return s.wave.counters.completed(s.index)
}

// completed reports whether instruction number index of the wave is complete.
func (q *counters) completed(index uint64) bool {
	for i := range q.live {
		if q.live[i].index == index {
			return q.live[i].complete()
		}
	}
	return true
}

// maxPending is the number of a wave's accesses after which complete ones are removed: as many as a wave without
// waits can have outstanding.
const maxPending = 16

// prune removes accesses of w that are complete.
func (w *wave) prune() {
	r := &w.race
	if len(r.pending) < maxPending {
		return
	}
	kept := r.pending[:0]
	for i := range r.pending {
		s := &r.pending[i]
		if s.published() {
			w.counters.spare = append(w.counters.spare, s.bytes)
			continue
		}
		kept = append(kept, *s)
	}
	r.pending = kept
}

// openBarrier orders the accesses that waves have published before the next accesses of all waves (rule RC3).
func (c *Checker) openBarrier() {
	r := &c.races
	if r.sync {
		c.meetAtBarrier()
	}
	r.epoch++
	r.lds.reset()
	kept := r.late[:0]
	for i := range r.late {
		kept = r.late[i].stay(kept)
	}
	c.compareBarriers()
	for _, w := range c.waves {
		w.race.waiting = false
		for i := range w.race.pending {
			kept = w.race.pending[i].stay(kept)
		}
		w.race.pending = w.race.pending[:0]
	}
	r.late = kept
}

// arrive records which accesses are published by the barrier that the wave of x has reached.
func (c *Checker) arrive(x *step) {
	r, w := &c.races, x.wave
	w.race.barrier, w.race.barrierAt, w.race.waiting = x.site, x.executed, true
	for i := range w.race.pending {
		s := &w.race.pending[i]
		s.known = s.published()
	}
	for i := range r.late {
		if s := &r.late[i]; s.wave == w {
			s.known = s.published()
		}
	}
	if r.sync {
		r.record(w, uint32(w.Executed))
	}
}

// stay appends s to stragglers unless it is published.
func (s *straggler) stay(all []straggler) []straggler {
	w := s.wave
	if s.known || w.Ended && s.published() {
		w.counters.spare = append(w.counters.spare, s.bytes)
		return all
	}
	one := *s
	one.past = w.race.barrier
	return append(all, one)
}

// straggle keeps the current access until it is published, and judges it against the other stragglers.
func (c *Checker) straggle(h *hand) {
	if len(c.waves) < 2 || len(c.races.late) == 0 && h.op&(scalar|stores) != scalar|stores &&
		h.wave.counters.completed(h.executed) { // it is published, and part of a batch
		return
	}
	s := straggler{site: h.site, index: h.executed, wave: h.wave, op: h.op, space: h.sh.space,
		bytes: h.wave.counters.storage()}
	if s.space == state.Global {
		s.bytes.onMemory(h.step)
	} else {
		s.bytes.onLDS(h.step)
	}
	c.meetStragglers(h, &s)
	if s.space == state.Global && s.op&scalar == 0 { // the vector L1 keeps such accesses in order
		h.wave.counters.spare = append(h.wave.counters.spare, s.bytes)
		return
	}
	h.wave.race.pending = append(h.wave.race.pending, s)
	h.wave.prune()
}

// meetStragglers judges the current access, which s describes, against those that earlier barriers did not publish.
func (c *Checker) meetStragglers(h *hand, s *straggler) {
	for i := range c.races.late {
		l := &c.races.late[i]
		if l.wave == h.wave || l.space != s.space || (l.op|s.op)&stores == 0 || l.op&s.op&atomic != 0 {
			continue
		}
		lane, addr, ok := s.bytes.meets(l.bytes)
		if !ok {
			continue
		}
		h.addr, h.now.lane = addr, uint8(lane)
		c.report(h, &pair{
			at: l.site, addr: addr, severity: Error, past: l.past,
			from: moment{c.races.group, uint32(l.index), uint8(l.wave.ID), uint8(l.bytes.laneAt(addr, s.bytes.size))},
		})
	}
}

// laneAt returns the first lane that accesses one of the size bytes at addr.
func (f *footprint) laneAt(addr, size uint64) int {
	lane, _, _ := f.meets(&footprint{size: size, n: 1, lanes: [4]uint64{1}, at: [4][state.NumLanes]uint64{{addr}}})
	return lane
}
