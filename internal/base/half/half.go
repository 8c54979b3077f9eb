// Package half converts between single precision and floats with 5 bits of exponent: halves and floats of 10 and 11
// bits. All are bits in the low end of a uint32. Sources: rules IF3 and IF4.
package half

import "math"

// Bits of a single-precision number.
const (
	signBit   = 1 << 31
	infinity  = 0x7f800000
	minNormal = 113 << 23 // 2^-14: smaller values are denormal with 5 bits of exponent
	overflow  = 143 << 23 // 65536
)

// FromSmall converts a float with 5 exponent bits and mantissa mantissa bits to the bits of a single, which is exact.
// NaNs keep their payload in the highest bits. Source: rule IF3.
func FromSmall(v uint32, mantissa uint8) uint32 {
	up := 23 - mantissa&31
	switch v >> (mantissa & 31) {
	case 31:
		return infinity | v<<up&(1<<23-1)
	case 0: // v times 2^(-14-mantissa), computed without denormals, which are slow
		return math.Float32bits(float32(v) * math.Float32frombits((127-14-uint32(mantissa))<<23))
	}
	// As a single, the exponent is too small by 127-15.
	return v<<up + 112<<23
}

// ToSmall rounds a single to a float with 5 exponent bits, mantissa mantissa bits and no sign. Negative values become
// 0, values out of range the largest finite one. Source: rule IF4.
func ToSmall(v uint32, mantissa uint8) uint32 {
	inf := uint32(31) << (mantissa & 31)
	switch {
	case v&^signBit > infinity:
		return inf | 1<<(mantissa-1&31)
	case v&signBit != 0:
		return 0
	case v == infinity:
		return inf
	case v >= overflow:
		return inf - 1
	case v < minNormal:
		return roundDenormal(v, mantissa)
	}
	return min(roundNormal(v, 23-mantissa&31), inf-1)
}

// roundNormal rounds a positive single from minNormal up to overflow to nearest even, dropping down bits. It may
// round up to infinity.
func roundNormal(v uint32, down uint8) uint32 {
	odd := v >> (down & 31) & 1
	return (v - 112<<23 + 1<<(down-1&31) - 1 + odd) >> (down & 31)
}

// roundDenormal rounds a positive single below minNormal by adding a number whose last place is the smallest
// denormal.
func roundDenormal(v uint32, mantissa uint8) uint32 {
	unit := (127 - 14 + 23 - uint32(mantissa)) << 23
	return math.Float32bits(math.Float32frombits(v)+math.Float32frombits(unit)) - unit
}

// ToSingle converts a half to the bits of a single. It is exact, and keeps denormals and the payload of NaNs.
func ToSingle(v uint32) uint32 {
	return v&0x8000<<16 | FromSmall(v&0x7fff, 10)
}

// Round rounds a single to a half, nearest even. Overflow becomes infinity; NaNs keep the highest bits of their
// payload.
func Round(v uint32) uint32 {
	if Ordinary(v) {
		return RoundOrdinary(v)
	}
	sign, v := v>>16&0x8000, v&^signBit
	switch {
	case v < minNormal:
		return sign | roundDenormal(v, 10)
	case v > infinity:
		return sign | halfSpecial(v)
	}
	return sign | 0x7c00
}

// Round64 rounds a double to a half, once, to nearest even.
func Round64(f float64) uint32 {
	single := float32(f)
	v := math.Float32bits(single)
	if float64(single) != f && v&1 == 0 && !math.IsNaN(f) { // round to odd, so that two roundings equal one
		if math.Abs(float64(single)) > math.Abs(f) {
			v--
		} else {
			v++
		}
	}
	return Round(v)
}

// Ordinary reports whether the magnitude of a single is from minNormal up to overflow. Loops test it before calling
// [Round], which is not inlined.
func Ordinary(v uint32) bool { return v&^signBit-minNormal < overflow-minNormal }

// RoundOrdinary does what [Round] does, for an [Ordinary] single.
func RoundOrdinary(v uint32) uint32 {
	return v>>16&0x8000 | roundNormal(v&^signBit, 13)
}

// Truncate rounds a single to a half toward zero.
func Truncate(v uint32) uint32 {
	sign, v := v>>16&0x8000, v&^signBit
	switch {
	case v >= infinity:
		return sign | halfSpecial(v)
	case v >= overflow:
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
	if payload == 0 { // a NaN remains NaN
		payload = 0x200
	}
	return 0x7c00 | payload
}
