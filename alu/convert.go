package alu

import (
	"math"

	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/base/simd"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/state"
)

// convertOps convert between float formats, and between floats and integers. They round as MODE selects for the
// result's precision unless the operation has its own rounding.
var convertOps = executor.Bindings[softOp]{
	"v_cvt_f16_f32": {op: toHalf, env: toHalfEnv, lanes: halfOfF32},
	"v_cvt_f32_f16": {op: fromHalf, env: fromHalfEnv, lanes: f32OfHalf},
	"v_cvt_f32_f64": {op: to(single), env: crossEnv(isa.F32), pairs: f32OfF64},
	"v_cvt_f64_f32": {op: to(double), env: crossEnv(isa.F64), pairs: f64OfF32},

	"v_cvt_f16_u16":    {op: fromInteger(half, func(a uint64) float64 { return float64(uint16(a)) }), env: intEnv(isa.F16)},
	"v_cvt_f16_i16":    {op: fromInteger(half, func(a uint64) float64 { return float64(int16(a)) }), env: intEnv(isa.F16)},
	"v_cvt_f64_u32":    {op: fromInteger(double, func(a uint64) float64 { return float64(uint32(a)) }), env: intEnv(isa.F64), pairs: f64OfInteger(false)},
	"v_cvt_f64_i32":    {op: fromInteger(double, func(a uint64) float64 { return float64(int32(a)) }), env: intEnv(isa.F64), pairs: f64OfInteger(true)},
	"v_cvt_off_f32_i4": {op: fromInteger(single, func(a uint64) float64 { return float64(a&15^8)/16 - 0.5 }), env: intEnv(isa.F32)},

	"v_cvt_i32_f64": {op: toInteger(math.MinInt32, math.MaxInt32), pairs: integerOfF64(true)},
	"v_cvt_u32_f64": {op: toInteger(0, math.MaxUint32), pairs: integerOfF64(false)},
	"v_cvt_i16_f16": {op: toInteger(math.MinInt16, math.MaxInt16)},
	"v_cvt_u16_f16": {op: toInteger(0, math.MaxUint16)},

	// NaN converts to the largest integer or, with the sign set, to the smallest (CLRX, V_CVT_FLR_I32_F32).
	"v_cvt_flr_i32_f32": {op: floorInteger(0)},
	"v_cvt_rpi_i32_f32": {op: floorInteger(0.5)},

	"v_cvt_norm_i16_f16":   {op: normOf(math.MaxInt16, -math.MaxInt16)},
	"v_cvt_norm_u16_f16":   {op: normOf(math.MaxUint16, 0)},
	"v_cvt_pknorm_i16_f16": {op: packed(normOf(math.MaxInt16, -math.MaxInt16)), env: nearestEnv},
	"v_cvt_pknorm_u16_f16": {op: packed(normOf(math.MaxUint16, 0)), env: nearestEnv},
	"v_cvt_pknorm_i16_f32": {op: packed(normOf(math.MaxInt16, -math.MaxInt16)), env: nearestEnv},
	"v_cvt_pknorm_u16_f32": {op: packed(normOf(math.MaxUint16, 0)), env: nearestEnv},
	"v_cvt_pkrtz_f16_f32":  {op: packed(toHalf), env: towardZeroEnv, lanes: packToZero},

	// The last source of V_CVT_PKACCUM_U8_F32 is the old destination.
	"v_cvt_pk_u8_f32": {op: insertByte}, "v_cvt_pkaccum_u8_f32": {op: insertByte},
}

// Conversions of all lanes. Flushing a float64 denormal does not change its conversion to float32 or to an integer.

func f32OfF64(d, a, _ pair, e env) bool {
	if e.round != roundNearestEven {
		return false
	}
	simd.F32OfFloat64(d.lo, a.lo, a.hi, lost(e.flushOut))
	return true
}

func f64OfF32(d, a, _ pair, e env) bool {
	if !e.ieee && unordered32(a.lo, a.lo, 0) != 0 {
		return false
	}
	simd.Float64OfF32(d.lo, d.hi, a.lo, lost(e.flushIn))
	return true
}

func f64OfInteger(signed bool) func(d, a, _ pair, e env) bool {
	return func(d, a, _ pair, _ env) bool {
		simd.Float64OfInteger(d.lo, d.hi, a.lo, signed)
		return true
	}
}

func integerOfF64(signed bool) func(d, a, _ pair, e env) bool {
	return func(d, a, _ pair, _ env) bool {
		simd.IntegerOfFloat64(d.lo, a.lo, a.hi, signed)
		return true
	}
}

// insertByte rounds a to a byte as MODE selects and inserts it as byte b of c.
func insertByte(f format, a, b, c uint64, e env) uint64 {
	shift := b & 3 * 8
	return c&^(0xff<<shift) | clampInteger(f.float(f.integer(a, e.round, e)), 0, math.MaxUint8)<<shift
}

// convertNaN converts the NaN v to format t, keeping the highest bits of its mantissa. It quiets v, unless t is wider
// and MODE.IEEE is clear (rule FP1).
func (f format) convertNaN(v uint64, t format, e env) uint64 {
	sign, m := v>>(f.mant+f.exp), v&(1<<f.mant-1)
	r := sign<<(t.mant+t.exp) | t.infinity() | m<<(64-f.mant)>>(64-t.mant)
	if e.ieee || t.mant < f.mant {
		r |= t.quietBit()
	}
	return r
}

// to returns the operation that converts to format t.
//
//go:noinline
func to(t format) func(f format, a, _, _ uint64, e env) uint64 {
	return func(f format, a, _, _ uint64, e env) uint64 {
		if f.isNaN(a) {
			return f.convertNaN(a, t, e)
		}
		x := f.float(f.flushIf(a, e.flushIn))
		if t == double {
			return math.Float64bits(x)
		}
		return t.narrow(x, e)
	}
}

// toHalf converts a float32 to a float16.
func toHalf(f format, a, _, _ uint64, e env) uint64 {
	if f.isNaN(a) {
		return f.convertNaN(a, half, e)
	}
	return half.narrow(f.float(f.flushIf(a, e.flushIn)), e)
}

// fromHalf converts a float16 to float32, which is exact.
func fromHalf(f format, a, _, _ uint64, e env) uint64 {
	if f.isNaN(a) {
		return f.convertNaN(a, single, e)
	}
	return widenHalf(uint32(f.flushIf(a, e.flushIn)))
}

// cross returns the environment of a conversion: inputs are flushed as MODE selects for type src, results are rounded
// and flushed as it selects for type dst.
func cross(src, dst isa.Type, m state.Mode) env {
	e := envOf(dst, m)
	e.flushIn = envOf(src, m).flushIn
	return e
}

//go:noinline
func crossEnv(dst isa.Type) func(isa.Type, state.Mode, *isa.Traits) env {
	return func(src isa.Type, m state.Mode, _ *isa.Traits) env { return cross(src, dst, m) }
}

//go:noinline
func intEnv(dst isa.Type) func(isa.Type, state.Mode, *isa.Traits) env {
	return func(_ isa.Type, m state.Mode, _ *isa.Traits) env { return envOf(dst, m) }
}

// toHalfEnv is the environment of V_CVT_F16_F32, which depends on Traits.HalfModes.
func toHalfEnv(src isa.Type, m state.Mode, tr *isa.Traits) env {
	if tr.HalfModes {
		return cross(src, isa.F16, m)
	}
	return keepEnv(isa.F32, m, tr)
}

// fromHalfEnv is the environment of V_CVT_F32_F16.
func fromHalfEnv(src isa.Type, m state.Mode, tr *isa.Traits) env {
	if tr.HalfModes {
		return cross(src, isa.F32, m)
	}
	return keepEnv(isa.F32, m, tr)
}

func nearestEnv(src isa.Type, m state.Mode, _ *isa.Traits) env {
	e := envOf(src, m)
	e.round = roundNearestEven
	return e
}

func towardZeroEnv(src isa.Type, m state.Mode, tr *isa.Traits) env {
	e := toHalfEnv(src, m, tr)
	e.round = roundToZero
	return e
}

// fromInteger returns the operation that rounds an integer, or a small fraction, to format t.
//
//go:noinline
func fromInteger(t format, value func(a uint64) float64) func(f format, a, _, _ uint64, e env) uint64 {
	return func(_ format, a, _, _ uint64, e env) uint64 {
		if e.round == roundNearestEven {
			return t.nearest(value(a), e)
		}
		if t == double { // float64 represents every 32-bit integer exactly
			return math.Float64bits(value(a))
		}
		return t.narrow(value(a), e)
	}
}

// toInteger returns the operation that rounds towards zero to an integer in [lo, hi]. NaN becomes 0.
//
//go:noinline
func toInteger(lo, hi float64) func(f format, a, _, _ uint64, e env) uint64 {
	return func(f format, a, _, _ uint64, e env) uint64 {
		return clampInteger(f.float(f.integer(a, roundToZero, e)), lo, hi)
	}
}

// clampInteger clamps the integral x to [lo, hi]. NaN becomes 0.
func clampInteger(x, lo, hi float64) uint64 {
	if x != x {
		return 0
	}
	return uint64(int64(min(max(x, lo), hi)))
}

// floorInteger returns the operation floor(a + bias). The sum is exact in float64, or too large to matter.
//
//go:noinline
func floorInteger(bias float64) func(f format, a, _, _ uint64, e env) uint64 {
	return func(f format, a, _, _ uint64, e env) uint64 {
		switch {
		case !f.isNaN(a):
			return clampInteger(math.Floor(f.float(f.flushIf(a, e.flushIn))+bias), math.MinInt32, math.MaxInt32)
		case a&f.sign() == 0:
			return math.MaxInt32
		}
		return 1 << 31
	}
}

// normOf returns the operation that multiplies by hi, rounds and clamps to [lo, hi]. The product is exact in float64
// for float16 operands, and for float32 operands of 24 bits.
//
//go:noinline
func normOf(hi, lo float64) func(f format, a, _, _ uint64, e env) uint64 {
	return func(f format, a, _, _ uint64, e env) uint64 {
		x := math.Float64bits(f.float(f.flushIf(a, e.flushIn)) * hi)
		r := double.integer(x, e.round, env{})
		return clampInteger(math.Float64frombits(r), lo, hi) & 0xffff
	}
}

// packed returns the operation that applies op to SRC0 and SRC1 and packs the two 16-bit results.
//
//go:noinline
func packed(op func(f format, a, _, _ uint64, e env) uint64) func(f format, a, b, _ uint64, e env) uint64 {
	return func(f format, a, b, _ uint64, e env) uint64 {
		return op(f, a, 0, 0, e)&0xffff | op(f, b, 0, 0, e)&0xffff<<16
	}
}
