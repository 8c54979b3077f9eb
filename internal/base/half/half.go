// Package half converts between single precision and floats with 5 bits of exponent: halves
// and those of 10 and 11 bits. All are bits in the low end of a uint32. Sources: rules IF3
// and IF4.
package half

import "math"

// Bits of single precision.
const (
	signBit   = 1 << 31
	infinity  = 0x7f800000
	minNormal = 113 << 23 // 2^-14: smaller values have no normal form with 5 bits of exponent
	overflow  = 143 << 23 // 65536
)

// FromSmall returns the bits of the single that a float of 5 exponent bits and so many
// mantissa bits stands for, which is exact. NaNs keep their payload at the top. Source:
// rule IF3.
func FromSmall(v uint32, mantissa uint8) uint32 {
	up := 23 - mantissa&31
	switch v >> (mantissa & 31) {
	case 31:
		return infinity | v<<up&(1<<23-1)
	case 0: // v times 2^(-14-mantissa); processors are slow at denormals
		return math.Float32bits(float32(v) * math.Float32frombits((127-14-uint32(mantissa))<<23))
	}
	// In place of a single the exponent is too small by 127-15.
	return v<<up + 112<<23
}

// ToSmall rounds a single to a float of 5 exponent bits and so many mantissa bits without
// a sign: negative values become 0, values too large the largest finite one. Source: rule
// IF4.
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

// roundNormal rounds a positive single from minNormal on, below overflow, to nearest
// even, dropping so many bits; it may round up to infinity.
func roundNormal(v uint32, down uint8) uint32 {
	odd := v >> (down & 31) & 1
	return (v - 112<<23 + 1<<(down-1&31) - 1 + odd) >> (down & 31)
}

// roundDenormal rounds a positive single below minNormal: adding a number whose last
// place is the smallest denormal does it.
func roundDenormal(v uint32, mantissa uint8) uint32 {
	unit := (127 - 14 + 23 - uint32(mantissa)) << 23
	return math.Float32bits(math.Float32frombits(v)+math.Float32frombits(unit)) - unit
}

// ToSingle returns the bits of the single that the half v stands for: exact, denormals
// and the payload of NaNs are kept.
func ToSingle(v uint32) uint32 {
	return v&0x8000<<16 | FromSmall(v&0x7fff, 10)
}

// Round rounds a single to a half, nearest even; overflow gives infinity, NaNs keep the
// top of their payload.
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

// Round64 rounds a double to a half once, nearest even.
func Round64(f float64) uint32 {
	single := float32(f)
	v := math.Float32bits(single)
	if float64(single) != f && v&1 == 0 && !math.IsNaN(f) { // to odd, so that the second rounding is as if there were one
		if math.Abs(float64(single)) > math.Abs(f) {
			v--
		} else {
			v++
		}
	}
	return Round(v)
}

// Ordinary reports whether a single is from minNormal to overflow, except for its sign.
// Loops ask before they call [Round], which is not inlined.
func Ordinary(v uint32) bool { return v&^signBit-minNormal < overflow-minNormal }

// RoundOrdinary is [Round] of an [Ordinary] single.
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
	if payload == 0 { // a NaN remains one
		payload = 0x200
	}
	return 0x7c00 | payload
}
