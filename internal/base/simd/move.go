package simd

import "math/bits"

// Fill sets all lanes of d to v.
func Fill(d *Lanes, v uint32) {
	if avx512 {
		fillAVX512(d, v)
		return
	}
	if avx2 {
		fillAVX2(d, v)
		return
	}
	for i := range d {
		d[i] = v
	}
}

// Copy sets d to s. It is not Int("mov"), because arguments of a function value escape to the heap.
func Copy(d, s *Lanes) {
	switch {
	case avx512:
		copyAVX512(d, s)
	case avx2:
		copyAVX2(d, s)
	default:
		*d = *s
	}
}

// Select sets d to b in the lanes of mask and to a in the others.
func Select(d, a, b *Lanes, mask uint64) {
	if avx512 {
		selectAVX512(d, a, b, mask)
		return
	}
	if avx2 {
		selectAVX2(d, a, b, mask)
		return
	}
	for i := range d {
		v := a[i]
		if mask&1 != 0 {
			v = b[i]
		}
		d[i] = v
		mask >>= 1
	}
}

// Merge sets the lanes of mask of d to s.
func Merge(d, s *Lanes, mask uint64) {
	if mask == allLanes {
		Copy(d, s)
		return
	}
	Select(d, d, s, mask)
}

// Field sets d to s >> shift & and ^ xor.
func Field(d, s *Lanes, shift, and, xor uint32) {
	if avx2 {
		fieldAVX2(d, s, shift, and, xor)
		return
	}
	for i := range d {
		d[i] = s[i]>>(shift&31)&and ^ xor
	}
}

// Insert sets d to s << shift in the bits of mask and to old in the bits of keep. The two masks do not overlap.
func Insert(d, s, old *Lanes, shift, mask, keep uint32) {
	if avx2 {
		insertAVX2(d, s, old, shift, mask, keep)
		return
	}
	for i := range d {
		d[i] = s[i]<<(shift&31)&mask | old[i]&keep
	}
}

// carries are additions and subtractions with a carry, or a borrow, in one bit per lane. Each exists in two versions:
// with all lanes of a, and with lane 0 of a for all lanes.
var carries = map[string]CarryOp{
	"add": addCarry, "add one": ofOne(addCarry),
	"sub": subBorrow, "sub one": ofOne(subBorrow),
	"subrev": subrevBorrow, "subrev one": ofOne(subrevBorrow),
}

//go:noinline
func ofOne(op CarryOp) CarryOp {
	return func(d, a, b *Lanes, in uint64) uint64 {
		var all Lanes
		for i := range all {
			all[i] = a[0]
		}
		return op(d, &all, b, in)
	}
}

func addCarry(d, a, b *Lanes, in uint64) (out uint64) {
	_, _, _ = d[0], a[0], b[0] // avoids nil checks in the loop
	for i := range d {         // the carries are shifted in from the top: that of lane 0 ends in bit 0
		v := uint64(a[i]) + uint64(b[i]) + in&1
		in >>= 1
		d[i] = uint32(v)
		out = out>>1 | v>>32<<63
	}
	return out
}

func subrevBorrow(d, a, b *Lanes, in uint64) uint64 { return subBorrow(d, b, a, in) }

func subBorrow(d, a, b *Lanes, in uint64) (out uint64) {
	_, _, _ = d[0], a[0], b[0]
	for i := range d {
		v := uint64(a[i]) - uint64(b[i]) - in&1
		in >>= 1
		d[i] = uint32(v)
		out = out>>1 | v>>63<<63 // the difference is negative if there is a borrow
	}
	return out
}

// Uniform reports whether all lanes have the same value.
func Uniform(v *Lanes) bool {
	if avx512 {
		return uniformAVX512(v)
	}
	if avx2 {
		return uniformAVX2(v)
	}
	return uniformIn(v, allLanes)
}

// UniformIn reports whether the lanes of mask have the same value.
func UniformIn(v *Lanes, mask uint64) bool { return Uniform(v) || uniformIn(v, mask) }

func uniformIn(v *Lanes, mask uint64) bool {
	first := v[bits.TrailingZeros64(mask)&63]
	for ; mask != 0 && v[bits.TrailingZeros64(mask)&63] == first; mask &= mask - 1 {
	}
	return mask == 0
}
