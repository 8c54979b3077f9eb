package timing

import "math/bits"

// wakeups has the times at which SIMDs try their waves next. Nearly all are in the next clocks and have a bit in a
// wheel of clocks; the others are in a heap. A SIMD wakes at clocks with the same remainder modulo cycleGroup as its
// number, so that a clock needs bits only for one in cycleGroup SIMDs.
type wakeups struct {
	now   uint64 // no wakeup is before this clock
	simds []*simd
	words int                      // words per clock
	wheel []uint64                 // words of each clock, with a bit for each SIMD that it can wake
	some  [wheelClocks / 64]uint64 // a bit for each clock that has bits
	far   []wakeup
}

// wheelClocks is the number of clocks in the wheel, about the latency of a load from DRAM at 1 GHz.
const wheelClocks = 512

// wakeup is an entry of the heap.
type wakeup struct {
	at uint64
	s  *simd
}

// newWakeups returns wakeups for n SIMDs, a multiple of cycleGroup. The SIMDs are set later.
func newWakeups(n int) wakeups {
	words := (n/cycleGroup + 63) / 64
	return wakeups{simds: make([]*simd, n), words: words, wheel: make([]uint64, wheelClocks*words)}
}

// push adds a wakeup of s at time at, which is not before now.
func (h *wakeups) push(at uint64, s *simd) {
	if at-h.now >= wheelClocks {
		h.pushFar(wakeup{at, s})
		return
	}
	clock := at % wheelClocks
	bit := s.number / cycleGroup
	h.wheel[int(clock)*h.words+bit/64] |= 1 << (bit % 64)
	h.some[clock/64] |= 1 << (clock % 64)
}

// pop removes the next wakeup before a time. Among wakeups at one time it removes that of the SIMD with the lowest
// number, so that the order is always the same. ok is false if there is none.
func (h *wakeups) pop(before uint64) (at uint64, s *simd, ok bool) {
	if at = h.next(); at >= before {
		return 0, nil, false
	}
	if at-h.now >= wheelClocks { // too far for the wheel
		h.now = at
		h.next()
	}
	h.now = at
	return at, h.take(at % wheelClocks), true
}

// next returns the time of the next wakeup, or never.
func (h *wakeups) next() uint64 {
	for len(h.far) > 0 && h.far[0].at-h.now < wheelClocks {
		w := h.popFar()
		h.push(w.at, w.s)
	}
	first := h.now % wheelClocks
	for i := range uint64(len(h.some) + 1) { // the first word contains clocks before and after now
		n := (first/64 + i) % uint64(len(h.some))
		set := h.some[n]
		switch i {
		case 0:
			set &= ^uint64(0) << (first % 64)
		case uint64(len(h.some)):
			set &^= ^uint64(0) << (first % 64)
		}
		if set == 0 {
			continue
		}
		clock := n*64 + uint64(bits.TrailingZeros64(set))
		return h.now + (clock-first)%wheelClocks
	}
	if len(h.far) == 0 {
		return never
	}
	return h.far[0].at
}

// take removes the first SIMD of a clock in the wheel.
func (h *wakeups) take(clock uint64) *simd {
	words := h.wheel[int(clock)*h.words:][:h.words]
	var s *simd
	for i := range words {
		if s != nil && words[i] != 0 {
			return s
		}
		if words[i] != 0 {
			s = h.simds[(i*64+bits.TrailingZeros64(words[i]))*cycleGroup+int(clock%cycleGroup)]
			if words[i] &= words[i] - 1; words[i] != 0 {
				return s
			}
		}
	}
	h.some[clock/64] &^= 1 << (clock % 64)
	return s
}

func (h *wakeups) pushFar(w wakeup) {
	h.far = append(h.far, w)
	q := h.far
	for i := len(q) - 1; i > 0; {
		up := (i - 1) / 2
		if q[i].at >= q[up].at {
			return
		}
		q[i], q[up] = q[up], q[i]
		i = up
	}
}

func (h *wakeups) popFar() wakeup {
	q := h.far
	first, last := q[0], len(q)-1
	q[0] = q[last]
	q = q[:last]
	h.far = q
	for i := 0; ; {
		least := i
		for _, down := range [2]int{2*i + 1, 2*i + 2} {
			if down < last && q[down].at < q[least].at {
				least = down
			}
		}
		if least == i {
			return first
		}
		q[i], q[least] = q[least], q[i]
		i = least
	}
}
