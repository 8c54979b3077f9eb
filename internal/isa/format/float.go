package format

import "math"

// Bits of a single-precision number.
const (
	signBit  = 1 << 31
	one      = 0x3f800000
	infinity = 0x7f800000
)

// scaled returns mantissa * 2^(exponent-24), a component of 5_9_9_9 (rule IF6).
func scaled(mantissa, exponent uint32) uint32 {
	return math.Float32bits(float32(mantissa) * math.Float32frombits((exponent+127-24)<<23))
}
