package asm

import (
	"math"

	"github.com/gcnsim/gcnsim/gcn"
)

func inlineInt(v int64) (uint32, bool) {
	switch {
	case v >= 0 && v <= 64:
		return uint32(gcn.ConstZero + v), true
	case v >= -16 && v < 0:
		return uint32(gcn.ConstNeg1 - 1 - v), true
	}
	return 0, false
}

// inlineCode returns the inline constant for integer v of an operand of type t; low
// are its low 32 bits. The bits of an inline float count too.
func inlineCode(g gcn.Gen, v int64, low uint32, t gcn.Type) (uint32, bool) {
	var want uint64
	switch {
	case t.Info().Dwords == 2 && t != gcn.Mask:
		want = uint64(v)
	case t == gcn.V2F16 && v > math.MaxUint16: // both halves, as one 32-bit constant
		if v > math.MaxUint32 {
			return 0, false
		}
		return inlineInt(int64(int32(v)))
	case t.Info().Bits16 || t == gcn.V2F16:
		if v < math.MinInt16 || v > math.MaxUint16 {
			return 0, false
		}
		want = uint64(uint16(v))
		if t.Info().Bits16 && !t.Info().Float {
			return inlineInt(v)
		}
		if t.Info().Bits16 {
			v = int64(int16(v))
		}
	default:
		if v < math.MinInt32 || v > math.MaxUint32 {
			return 0, false
		}
		v, want = int64(int32(v)), uint64(low)
	}
	if code, ok := inlineInt(v); ok {
		return code, true
	}
	return inlinePattern(g, want, t)
}

// inlinePattern returns the inline float whose bits, in the format of t, are want.
func inlinePattern(g gcn.Gen, want uint64, t gcn.Type) (uint32, bool) {
	last := uint32(gcn.ConstInvTwoPi)
	if !g.Traits().InvTwoPi {
		last--
	}
	for code := uint32(gcn.ConstHalf); code <= last; code++ {
		if b, _ := gcn.InlineConstant(code, t); b == want {
			return code, true
		}
	}
	return 0, false
}

// inlineFloat returns the inline constant for floating-point number f. LLVM drops the lower
// half of a double, and takes small integers for floats of their bits.
func inlineFloat(g gcn.Gen, f float64, t gcn.Type) (uint32, bool) {
	var want uint64
	switch {
	case t.Info().Dwords == 2:
		want = math.Float64bits(f)
		if code, ok := inlinePattern(g, want, t); ok {
			return code, true
		}
		if t == gcn.F64 {
			want &^= 1<<32 - 1
		}
	case t == gcn.F16 || t == gcn.V2F16:
		want = uint64(half(f))
	default: // 16-bit integers too
		want, t = uint64(math.Float32bits(float32(f))), gcn.F32
	}
	if want <= 64 {
		return inlineInt(int64(want))
	}
	return inlinePattern(g, want, t)
}

// lossy reports whether a literal of type t for f is infinite or loses bits because it is
// denormal, or 0.
func lossy(f float64, t gcn.Type) bool {
	var back, least float64
	switch {
	case math.IsInf(f, 0) || t.Info().Dwords != 1:
		return false
	case t.Info().Bits16 || t == gcn.V2F16:
		if math.Abs(f) >= 65520 {
			return true
		}
		back, least = math.Ldexp(math.RoundToEven(math.Ldexp(f, 24)), -24), 0x1p-14
	default:
		back, least = float64(float32(f)), 0x1p-126
	}
	return math.IsInf(back, 0) || back != f && math.Abs(back) < least
}

// literalBits returns the 32-bit literal that stands for v in an operand of type t.
func literalBits(v value, t gcn.Type) (uint32, bool) {
	switch {
	case v.isFloat && t == gcn.F64:
		return uint32(math.Float64bits(v.f) >> 32), true
	case v.isFloat && t.Info().Dwords == 2:
		return 0, false // how to encode it is not clear
	case v.isFloat && t == gcn.F16:
		return uint32(half(v.f)), !math.IsInf(float64(float32(v.f)), 0) && math.Abs(v.f) < 65520
	case v.isFloat:
		return math.Float32bits(float32(v.f)), !math.IsInf(float64(float32(v.f)), 0)
	case t == gcn.F16:
		return uint32(uint16(v.i)), v.i >= math.MinInt16 && v.i <= math.MaxUint16
	}
	if t.Info().Bits16 && (v.i < math.MinInt16 || v.i > math.MaxUint16) {
		return 0, false
	}
	return uint32(v.i), v.i >= math.MinInt32 && v.i <= math.MaxUint32
}

// half converts f to a 16-bit float, rounding to nearest even.
func half(f float64) uint16 {
	b := math.Float64bits(f)
	sign, exp, frac := uint16(b>>48&0x8000), int(b>>52&0x7ff)-1023, b&(1<<52-1)|1<<52
	switch {
	case math.IsNaN(f):
		return sign | 0x7e00
	case exp > 15:
		return sign | 0x7c00
	case exp < -25:
		return sign
	}
	shift := uint(42)
	if exp < -14 {
		shift += uint(-14 - exp)
	}
	q := frac >> shift
	if rest, mid := frac&(1<<shift-1), uint64(1)<<(shift-1); rest > mid || rest == mid && q&1 != 0 {
		q++
	}
	if exp >= -14 {
		q += uint64(exp+14) << 10 // the implicit bit adds the missing one
	}
	return sign | uint16(q)
}
