package format

import "math"

// Bits of single precision.
const (
	signBit   = 1 << 31
	infinity  = 0x7f800000
	minNormal = 113 << 23 // 2^-14: smaller values have no normal form with 5 bits of exponent
)

// fromSmall returns the bits of the single that a float of 5 exponent bits and so many
// mantissa bits stands for, which is exact. NaNs keep their payload at the top.
// Source: spec/images.md 2.3.
func fromSmall(v uint32, mantissa uint8) uint32 {
	up := 23 - mantissa&31
	if v>>(mantissa&31) == 31 {
		return infinity | v<<up&(1<<23-1)
	}
	// In place of a single the exponent is too small by 127-15.
	return math.Float32bits(math.Float32frombits(v<<up) * (1 << 112))
}

// toSmall rounds a single to a float of 5 exponent bits and so many mantissa bits without
// a sign: negative values become 0, values too large the largest finite one.
// Source: spec/images.md 2.4.
func toSmall(v uint32, mantissa uint8) uint32 {
	inf := uint32(31) << (mantissa & 31)
	switch {
	case v&^signBit > infinity:
		return inf | 1<<(mantissa-1&31)
	case v&signBit != 0:
		return 0
	case v == infinity:
		return inf
	}
	return min(round(v, mantissa), inf-1)
}

// round rounds a finite positive single to nearest even; overflow gives infinity.
func round(v uint32, mantissa uint8) uint32 {
	down := 23 - mantissa&31
	if v >= (127+16)<<23 {
		return 31 << (mantissa & 31)
	}
	if v < minNormal {
		// Adding a number whose last place is the smallest denormal rounds to it.
		unit := (127 - 14 + uint32(down)) << 23
		return math.Float32bits(math.Float32frombits(v)+math.Float32frombits(unit)) - unit
	}
	odd := v >> (down & 31) & 1
	return (v - 112<<23 + 1<<(down-1&31) - 1 + odd) >> (down & 31)
}

// FromHalf returns the bits of the single that the half v stands for: exact, denormals
// and the payload of NaNs are kept.
func FromHalf(v uint32) uint32 {
	return v&0x8000<<16 | fromSmall(v&0x7fff, 10)
}

// ToHalf rounds a single to a half, nearest even; overflow gives infinity, NaNs keep the
// top of their payload.
func ToHalf(v uint32) uint32 {
	sign, v := v>>16&0x8000, v&^signBit
	if v >= infinity {
		return sign | halfSpecial(v)
	}
	return sign | round(v, 10)
}

// TruncateHalf rounds a single to a half toward zero.
func TruncateHalf(v uint32) uint32 {
	sign, v := v>>16&0x8000, v&^signBit
	switch {
	case v >= infinity:
		return sign | halfSpecial(v)
	case v >= (127+16)<<23:
		return sign | 0x7bff
	case v < minNormal:
		drop := min(126-v>>23, 31)
		return sign | (v&(1<<23-1)|1<<23)>>drop
	}
	return sign | (v-112<<23)>>13
}

// halfSpecial returns the half of infinity or a NaN.
func halfSpecial(v uint32) uint32 {
	if v == infinity {
		return 0x7c00
	}
	payload := v >> 13 & 0x3ff
	if payload == 0 { // a NaN remains one
		payload = 0x200
	}
	return 0x7c00 | payload
}

// scaled returns mantissa * 2^(exponent-24): a component of 5_9_9_9 (spec/images.md 2.6).
func scaled(mantissa, exponent uint32) uint32 {
	return math.Float32bits(float32(mantissa) * math.Float32frombits((exponent+127-24)<<23))
}
