package timing

import "math/bits"

// places tells which CUs may have room for a work-group. CUs are numbered in the order in which work-groups are
// assigned to them: round-robin over shader engines, and over the CUs of an engine (assumed).
type places struct {
	engines, each int // number of engines, and largest number of CUs in one
	next          int // number of the CU that is tried first for the next work-group
	// refused is the smallest demand for which the CUs whose bit in open is clear had no room since a wave last left
	// them.
	refused demand
	open    []uint64
	all     []uint64 // mask of the CUs that exist
}

func newPlaces(p *Params) places {
	engines, each := p.engines()
	words := (engines*each + 63) / 64
	s := places{engines: engines, each: each, open: make([]uint64, words), all: make([]uint64, words)}
	for cu := range p.CUs { // the last engine may have fewer CUs
		n := s.number(cu)
		s.all[n/64] |= 1 << (n % 64)
	}
	copy(s.open, s.all)
	return s
}

// number returns the number of a CU.
func (s *places) number(cu int) int { return cu%s.each*s.engines + cu/s.each }

// cu returns the CU with number n.
func (s *places) cu(n int) int { return n%s.engines*s.each + n/s.engines }

// left records that a wave has left a CU.
func (s *places) left(cu int) {
	n := s.number(cu)
	s.open[n/64] |= 1 << (n % 64)
}

// from returns the number of the first CU from n on that may have room for a work-group; ok is false if there is
// none.
func (s *places) from(n int) (number int, ok bool) {
	for i := n / 64; i < len(s.open); i++ {
		set := s.open[i]
		if i == n/64 {
			set &= ^uint64(0) << (n % 64)
		}
		if set != 0 {
			return i*64 + bits.TrailingZeros64(set), true
		}
	}
	return 0, false
}

// place starts g on the next CU that has room, and reports whether there is one.
func (m *Model) place(g *group) bool {
	// all waves of a work-group have the same number of VGPRs
	s, d := &m.places, demand{len(g.streams), m.granted(g.streams[0]), g.sgprs, g.lds}
	if !s.refused.within(d) {
		copy(s.open, s.all)
	}
	s.refused = d
	for {
		n, ok := s.from(s.next)
		if !ok {
			n, ok = s.from(0)
		}
		if !ok {
			return false
		}
		if c := m.cu(s.cu(n)); m.fits(c, d) {
			s.next = n + 1
			m.start(c, g)
			return true
		}
		s.open[n/64] &^= 1 << (n % 64)
	}
}

// granted returns the number of VGPRs of a SIMD that are allocated to a wave.
func (m *Model) granted(s *stream) int {
	n := m.gen.VGPRGranule
	return max((s.vgprs+n-1)/n*n, n)
}

// slots returns the number of waves with sgprs SGPRs that a SIMD can hold, whatever their VGPRs.
func (m *Model) slots(sgprs int) int {
	if sgprs == 0 {
		return m.p.of.WavesPerSIMD
	}
	return min(m.p.of.WavesPerSIMD, m.p.of.SGPRs/sgprs)
}

// demand is the set of resources that a work-group needs on a CU: waves, VGPRs and SGPRs per wave, and bytes of LDS.
type demand struct{ waves, vgprs, sgprs, lds int }

// within reports whether d is not zero and no resource exceeds that of o.
func (d demand) within(o demand) bool {
	return d.waves != 0 && d.waves <= o.waves && d.vgprs <= o.vgprs && d.sgprs <= o.sgprs && d.lds <= o.lds
}

// fits reports whether c has room for d. Waves are distributed over SIMDs, round-robin.
func (m *Model) fits(c *cu, d demand) bool {
	if c.ldsUsed+d.lds > m.p.of.LDSBytes {
		return false
	}
	room := 0
	for i := range c.simds {
		s := &c.simds[i]
		room += min(m.slots(d.sgprs)-s.waves, (m.p.of.VGPRs-s.vgprs)/d.vgprs)
	}
	return room >= d.waves
}
