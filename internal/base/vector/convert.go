//go:build !js

package vector

// Values of float32 at the limits of the integer ranges.
const (
	two31 = 0x4f000000
	two32 = 0x4f800000
	two16 = 0x47800000
)

// Conversions convert between float32 and 32-bit integers: to nearest even, or to integers towards zero.
var Conversions = []Op{
	{"f32 of i32", 1, func(e *Code, a, _, _ Value) Value { return e.one(FromInt, a) }},
	// Both halves are exact, so that there is only one rounding, in the sum.
	{"f32 of u32", 1, func(e *Code, a, _, _ Value) Value {
		low, high := e.one(FromInt, e.word(a)), e.one(FromInt, e.shrBy(a, 16))
		return e.addPS(e.mulPS(high, e.k(two16)), low)
	}},
	// The host instruction returns the smallest integer for all values out of range.
	{"i32 of f32", 1, func(e *Code, a, _, _ Value) Value {
		r := e.xor(e.one(Truncate, a), e.compare(a, e.k(two31), cmpGE))
		return e.andNot(r, e.unordered(a, a))
	}},
	{"u32 of f32", 1, func(e *Code, a, _, _ Value) Value {
		x := e.two(MaxPS, a, e.k(0)) // 0 for NaN
		big := e.compare(x, e.k(two31), cmpGE)
		r := e.one(Truncate, e.subPS(x, e.and(big, e.k(two31))))
		r = e.xor(r, e.and(big, e.k(signBit)))
		return e.or(r, e.compare(x, e.k(two32), cmpGE))
	}},
	{"f32 of byte 0", 1, func(e *Code, a, _, _ Value) Value { return e.one(FromInt, e.and(a, e.k(255))) }},
	{"f32 of byte 1", 1, func(e *Code, a, _, _ Value) Value {
		return e.one(FromInt, e.and(e.shrBy(a, 8), e.k(255)))
	}},
	{"f32 of byte 2", 1, func(e *Code, a, _, _ Value) Value {
		return e.one(FromInt, e.and(e.shrBy(a, 16), e.k(255)))
	}},
	{"f32 of byte 3", 1, func(e *Code, a, _, _ Value) Value { return e.one(FromInt, e.shrBy(a, 24)) }},
}
