package simd

import (
	"math"
	"math/bits"
)

// Linear sets d to max(low, (c+add)*step) for the field c of s, computed in double precision and rounded once. The
// field is selected by shifting s left by up, then right by down. c is signed if signed is set; otherwise it must
// have less than 32 bits.
func Linear(d, s *Lanes, up, down uint32, signed bool, add, step, low float64) {
	switch {
	case avx2 && signed:
		linearSignedAVX2(d, s, up, down, add, step, low)
		return
	case avx2:
		linearAVX2(d, s, up, down, add, step, low)
		return
	}
	for i, v := range s {
		c := float64(v << (up & 31) >> (down & 31))
		if signed {
			c = float64(int32(v<<(up&31)) >> (down & 31))
		}
		d[i] = math.Float32bits(float32(max((c+add)*step, low)))
	}
}

// Fraction sets d to c/top, rounded once, for the field c of s, which is selected by shifting s left by up, then
// right by down. c has at most 16 bits; top is 2^n-1.
func Fraction(d, s *Lanes, up, down uint32, top float32) {
	if avx2 {
		fractionAVX2(d, s, up, down, top, 1/top)
		return
	}
	for i, v := range s {
		d[i] = bits32(float32(v<<(up&31)>>(down&31)) / top)
	}
}

// ByteFractions sets the lanes of mask of each d[i] that is not nil to c/255, rounded once, where c is byte i of s. s
// must not be one of the d.
func ByteFractions(d *[4]*Lanes, s *Lanes, mask uint64) {
	if avx2 {
		byteFractionsAVX2(d, s, mask)
		return
	}
	for i, r := range d {
		if r == nil {
			continue
		}
		for m := mask; m != 0; m &= m - 1 {
			lane := bits.TrailingZeros64(m) & 63
			r[lane] = bits32(float32(s[lane]>>(8*i)&0xff) / 255)
		}
	}
}

// SmallFloats sets d to the float32 values of the small floats in s, which is exact. The small float is bits 15:0 of
// s >> down << up: a sign, 5 bits of exponent and 10 of mantissa. NaNs keep their payload, quiet or not.
func SmallFloats(d, s *Lanes, down, up, mask uint32) {
	if avx2 {
		smallFloatsAVX2(d, s, down, up, mask)
		return
	}
	for i, v := range s {
		v = v >> (down & 31) << (up & 31) & mask
		switch m := v & 0x7fff << 13; v >> 10 & 31 {
		case 31:
			v = v&0x8000<<16 | 0x7f800000 | m
		case 0: // a multiple of 2^-24, computed without denormals, which are slow
			v = v&0x8000<<16 | bits32(float32(v&0x3ff)*0x1p-24)
		default:
			v = v&0x8000<<16 | (m + (127-15)<<23)
		}
		d[i] = v
	}
}
