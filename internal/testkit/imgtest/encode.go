package imgtest

import (
	"math"
	"strings"
)

// storable reports whether stores support the format. Source: rules TD3, TD4 and IF1.
func (f *texels) storable() bool {
	switch f.num {
	case unorm, snorm, uintNum, sintNum, float:
		switch f.name {
		case "8_24", "24_8", "X24_8_32", "GB_GR", "BG_RG", "5_9_9_9", "4_4", "6_5_5":
			return false
		}
		return !strings.HasPrefix(f.name, "BC")
	}
	return false
}

// encode returns the element with these components. Source: rule IF4.
func (f *texels) encode(c [4]uint32) []byte {
	b := make([]byte, f.bytes)
	for i, p := range f.fields {
		p.set(b, f.code(c[i], p.width))
	}
	return b
}

// code converts a component to a field of n bits.
func (f *texels) code(v uint32, n int) uint32 {
	x := value(v)
	all, half := math.Ldexp(1, n)-1, math.Ldexp(1, n-1)-1
	switch f.num {
	case unorm:
		if x != x {
			return 0
		}
		return uint32(math.RoundToEven(min(max(x, 0), 1) * all))
	case snorm:
		if x != x {
			return 0
		}
		return uint32(int32(math.RoundToEven(min(max(x, -1), 1) * half)))
	case uintNum:
		return uint32(min(float64(v), all))
	case sintNum:
		return uint32(int32(min(max(float64(int32(v)), -half-1), half)))
	}
	switch n {
	case 32:
		return v
	case 16:
		return half16(v, false)
	}
	return unsignedFloat(x, n-5)
}

// half16 rounds a float32 to 16 bits, to nearest even or toward zero; the latter never overflows. A NaN keeps the
// upper bits of its payload, and stays a NaN. Source: rules IM6 and IF4.
func half16(v uint32, truncate bool) uint32 {
	sign, x := v>>31<<15, math.Abs(value(v))
	switch {
	case x != x:
		return sign | 0x7c00 | max(v>>13&0x3ff, 1)
	case math.IsInf(x, 0):
		return sign | 0x7c00
	}
	if truncate {
		return sign | min(smallCode(x, 10, math.Trunc), 0x7bff)
	}
	return sign | min(smallCode(x, 10, math.RoundToEven), 0x7c00)
}

// unsignedFloat returns the 10- or 11-bit float nearest to x. Source: rule IF4.
func unsignedFloat(x float64, mantissa int) uint32 {
	inf := uint32(31) << mantissa
	switch {
	case x != x:
		return inf | 1<<(mantissa-1)
	case x <= 0:
		return 0
	case math.IsInf(x, 1):
		return inf
	}
	return min(smallCode(x, mantissa, math.RoundToEven), inf-1)
}

// smallCode returns the code of a finite, non-negative float with 5 exponent bits and bias 15.
func smallCode(x float64, mantissa int, round func(float64) float64) uint32 {
	if x == 0 {
		return 0
	}
	_, e := math.Frexp(x) // x = 0.5..1 * 2^e
	e = max(e-1, -14)
	q := round(math.Ldexp(x, mantissa-e)) // below 2^mantissa for a denormal
	return uint32(e+14)<<mantissa + uint32(q)
}
