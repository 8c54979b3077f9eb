package simd

import "math/bits"

// InOrder are the places of dwords that follow one another.
var InOrder = func() (all Lanes) {
	for lane := range all {
		all[lane] = 4 * uint32(lane)
	}
	return all
}()

// Place sets addr to (base + (v+off)) & keep of each lane, where v+off wraps at 32 bits. It
// returns the bitwise or of the v+off, and one of how they differ from v[0]+off, v[0]+off+4
// and so on: 0 if they do not.
func Place(addr *[NumLanes]uint64, v *Lanes, off uint32, base, keep uint64) (bound, uneven uint32) {
	if avx2 {
		return placeAVX2(addr, v, off, base, keep)
	}
	for lane, x := range v {
		uneven |= x ^ (v[0] + 4*uint32(lane))
		x += off
		bound |= x
		addr[lane] = (base + uint64(x)) & keep
	}
	return bound, uneven
}

// Place64 sets addr to (base + hi:lo) & keep of each lane.
func Place64(addr *[NumLanes]uint64, lo, hi *Lanes, base, keep uint64) {
	if avx2 {
		place64AVX2(addr, lo, hi, base, keep)
		return
	}
	for lane := range addr {
		addr[lane] = (base + (uint64(hi[lane])<<32 | uint64(lo[lane]))) & keep
	}
}

// Gather reads the dwords at addr of the lanes of mask into d. words begin at base. It reports
// false, and reads nothing, if a lane is misaligned or not in words.
func Gather(d *Lanes, words []uint32, addr *[NumLanes]uint64, base, mask uint64) bool {
	if len(words) == 0 {
		return mask == 0
	}
	last := 4 * uint64(len(words)-1)
	if avx2 && mask == allLanes {
		return gatherAVX2(d, &words[0], addr, base, last)
	}
	if avx2 {
		return gatherSomeAVX2(d, &words[0], addr, base, last, mask)
	}
	for m := mask; m != 0; m &= m - 1 {
		if index(addr[bits.TrailingZeros64(m)&63], base) >= uint64(len(words)) {
			return false
		}
	}
	for m := mask; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros64(m) & 63
		d[lane] = words[index(addr[lane], base)]
	}
	return true
}

// GatherAmong is [Gather] where what other lanes get does not matter: lanes that all have a place
// are read faster than many.
func GatherAmong(d *Lanes, words []uint32, addr *[NumLanes]uint64, base, mask uint64) bool {
	if avx2 && len(words) != 0 && gatherAVX2(d, &words[0], addr, base, 4*uint64(len(words)-1)) {
		return true
	}
	return Gather(d, words, addr, base, mask)
}

// Scatter is the inverse of [Gather] with all lanes: the highest lane that writes to a place
// wins. If it reports false nothing is written.
func Scatter(s *Lanes, words []uint32, addr *[NumLanes]uint64, base uint64) bool {
	if len(words) == 0 {
		return false
	}
	if avx2 {
		return scatterAVX2(s, &words[0], addr, base, 4*uint64(len(words)-1))
	}
	for _, at := range addr {
		if index(at, base) >= uint64(len(words)) {
			return false
		}
	}
	for lane, at := range addr {
		words[index(at, base)] = s[lane]
	}
	return true
}

// GatherSmall reads size bytes, 1 or 2, at addr of all lanes into d, zero-extended. b begins at
// base. It reports false, and reads nothing, if a lane is not in b.
func GatherSmall(d *Lanes, b []byte, addr *[NumLanes]uint64, base uint64, size int) bool {
	if len(b) < size {
		return false
	}
	last := uint64(len(b) - size)
	switch {
	case avx2 && size == 1:
		return gather8AVX2(d, &b[0], addr, base, last)
	case avx2:
		return gather16AVX2(d, &b[0], addr, base, last)
	case !within(addr, base, last):
		return false
	}
	for lane, at := range addr {
		v := uint32(b[at-base])
		if size == 2 {
			v |= uint32(b[at-base+1]) << 8
		}
		d[lane] = v
	}
	return true
}

// ScatterSmall is the inverse of [GatherSmall]: the highest lane that writes to a place wins.
func ScatterSmall(s *Lanes, b []byte, addr *[NumLanes]uint64, base uint64, size int) bool {
	if len(b) < size {
		return false
	}
	last := uint64(len(b) - size)
	switch {
	case avx2 && size == 1:
		return scatter8AVX2(s, &b[0], addr, base, last)
	case avx2:
		return scatter16AVX2(s, &b[0], addr, base, last)
	case !within(addr, base, last):
		return false
	}
	for lane, at := range addr {
		b[at-base] = byte(s[lane])
		if size == 2 {
			b[at-base+1] = byte(s[lane] >> 8)
		}
	}
	return true
}

// within reports whether no address is more than last beyond base.
func within(addr *[NumLanes]uint64, base, last uint64) bool {
	for _, at := range addr {
		if at-base > last {
			return false
		}
	}
	return true
}

// index is the number of the dword at an address, a large one if that is misaligned.
func index(addr, base uint64) uint64 { return bits.RotateLeft64(addr-base, -2) }
