package simd

import "math/bits"

// InOrder has the offsets of consecutive dwords.
var InOrder = func() (all Lanes) {
	for lane := range all {
		all[lane] = 4 * uint32(lane)
	}
	return all
}()

// Place sets addr to (base + (v+off)) & keep in each lane, where v+off wraps at 32 bits. It returns the OR of all
// v+off, and the OR of their differences from v[0]+off, v[0]+off+4 and so on, which is 0 if they are consecutive.
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

// Place64 sets addr to (base + hi:lo) & keep in each lane.
func Place64(addr *[NumLanes]uint64, lo, hi *Lanes, base, keep uint64) {
	if avx2 {
		place64AVX2(addr, lo, hi, base, keep)
		return
	}
	for lane := range addr {
		addr[lane] = (base + (uint64(hi[lane])<<32 | uint64(lo[lane]))) & keep
	}
}

// Gather reads the dwords at addr of the lanes of mask into d. words starts at address base. It returns false and
// reads nothing if a lane is misaligned or not in words.
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

// GatherAmong does what [Gather] does, but other lanes of d become undefined: it is faster if all lanes have valid
// addresses.
func GatherAmong(d *Lanes, words []uint32, addr *[NumLanes]uint64, base, mask uint64) bool {
	if avx2 && len(words) != 0 && gatherAVX2(d, &words[0], addr, base, 4*uint64(len(words)-1)) {
		return true
	}
	return Gather(d, words, addr, base, mask)
}

// Scatter writes all lanes of s, the inverse of [Gather]. If several lanes have the same address, the value of the
// highest one remains. If it returns false, nothing is written.
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

// GatherSmall reads size bytes, 1 or 2, at addr of all lanes into d, zero-extended. b starts at address base. It
// returns false and reads nothing if a lane is not in b.
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

// ScatterSmall writes all lanes, the inverse of [GatherSmall]. If several lanes have the same address, the value of
// the highest one remains.
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

// within reports whether all addresses are from base to base+last.
func within(addr *[NumLanes]uint64, base, last uint64) bool {
	for _, at := range addr {
		if at-base > last {
			return false
		}
	}
	return true
}

// index returns the index of the dword at an address, a large number if it is misaligned.
func index(addr, base uint64) uint64 { return bits.RotateLeft64(addr-base, -2) }
