package alu

import (
	"math"
	"math/big"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/state"
)

// References of the floating-point operations, written from the AMD GCN ISA manuals in big arithmetic. The end of a
// mnemonic names the format.

// modeOf returns the environment that the rounding and denormal fields of MODE select for a format.
func modeOf(f format, m state.Mode) env {
	v := uint64(m)
	if f != single {
		v >>= 2
	}
	d := uint64(m) >> 4
	if f != single {
		d >>= 2
	}
	return env{round: rounding(v & 3), flushIn: d&1 == 0, flushOut: d&2 == 0, ieee: uint64(m)>>9&1 == 1}
}

// quietRef returns the result for the NaN operand v (rule FP1).
func quietRef(f format, v uint64, e env) uint64 {
	if e.ieee {
		return v | f.quietBit()
	}
	return v
}

func isNaNRef(f format, v uint64) bool { return v%f.sign() > f.infinity() }
func isInfRef(f format, v uint64) bool { return v%f.sign() == f.infinity() }

func flushRef(f format, v uint64, e env) uint64 {
	if e.flushIn && v%f.sign() < 1<<f.mant {
		return v &^ (f.sign() - 1)
	}
	return v
}

// cmpRef returns -1, 0 or 1, or 2 if an operand is NaN.
func cmpRef(f format, a, b uint64) int {
	if isNaNRef(f, a) || isNaNRef(f, b) {
		return 2
	}
	value := func(v uint64) *big.Float {
		if isInfRef(f, v) {
			return new(big.Float).SetInf(v >= f.sign())
		}
		return bigOf(f, v)
	}
	return value(a).Cmp(value(b))
}

type floatRef func(f format, a, b, c uint64, e env, x refLane) uint64

// minMaxRef returns the environment of minima and maxima, in which results are flushed in the same way as operands: a
// result is an operand.
func minMaxRef(e env, x refLane) env {
	e.flushIn = isa.GenTraits(x.gen).MinMaxDenorm && (e.flushIn || e.flushOut)
	return e
}

func minRef(f format, a, b, _ uint64, e env, x refLane) uint64 {
	e = minMaxRef(e, x)
	a, b = flushRef(f, a, e), flushRef(f, b, e)
	signaling := func(v uint64) bool { return isNaNRef(f, v) && v&f.quietBit() == 0 }
	switch {
	case e.ieee && signaling(a):
		return a | f.quietBit()
	case e.ieee && signaling(b):
		return b | f.quietBit()
	case isNaNRef(f, a):
		return b
	case isNaNRef(f, b):
		return a
	case a == 0 && b == f.sign():
		return b
	case a == f.sign() && b == 0:
		return a
	case cmpRef(f, a, b) < 0:
		return a
	}
	return b
}

// maxRef computes -min(-a, -b), except for the signs of NaNs.
func maxRef(f format, a, b, c uint64, e env, x refLane) uint64 {
	r := minRef(f, a^f.sign(), b^f.sign(), c, e, x)
	return r ^ f.sign()
}

func med3Ref(f format, a, b, c uint64, e env, x refLane) uint64 {
	if isNaNRef(f, a) || isNaNRef(f, b) || isNaNRef(f, c) {
		return minRef(f, minRef(f, a, b, 0, e, x), c, 0, e, x)
	}
	e = minMaxRef(e, x)
	a, b, c = flushRef(f, a, e), flushRef(f, b, e), flushRef(f, c, e)
	top := maxRef(f, maxRef(f, a, b, 0, e, x), c, 0, e, x)
	switch {
	case cmpRef(f, top, a) == 0:
		return maxRef(f, b, c, 0, e, x)
	case cmpRef(f, top, b) == 0:
		return maxRef(f, a, c, 0, e, x)
	}
	return maxRef(f, a, b, 0, e, x)
}

// wholeRef rounds v, which is finite, to an integer.
func wholeRef(f format, v uint64, round rounding) *big.Int {
	x := bigOf(f, v)
	n, _ := x.Int(nil) // toward zero
	rest := new(big.Float).SetPrec(precOf(f)).Sub(x, new(big.Float).SetPrec(precOf(f)).SetInt(n))
	one := big.NewInt(1)
	switch round {
	case roundPlusInf:
		if rest.Sign() > 0 {
			n.Add(n, one)
		}
	case roundMinusInf:
		if rest.Sign() < 0 {
			n.Sub(n, one)
		}
	case roundNearestEven:
		c := new(big.Float).Abs(rest).Cmp(big.NewFloat(0.5))
		if c > 0 || c == 0 && n.Bit(0) == 1 {
			n.Add(n, big.NewInt(int64(rest.Sign())))
		}
	}
	return n
}

func integerRef(round rounding) floatRef {
	return func(f format, a, _, _ uint64, e env, _ refLane) uint64 {
		a = flushRef(f, a, e)
		if isNaNRef(f, a) {
			return quietRef(f, a, e)
		}
		if isInfRef(f, a) {
			return a
		}
		n := wholeRef(f, a, round)
		if n.Sign() == 0 {
			return a & f.sign()
		}
		return roundBig(f, new(big.Float).SetPrec(precOf(f)).SetInt(n), env{})
	}
}

func fractRef(f format, a, _, _ uint64, e env, x refLane) uint64 {
	a = flushRef(f, a, e)
	if isNaNRef(f, a) {
		return quietRef(f, a, e)
	}
	if isInfRef(f, a) {
		return a | f.quietBit()
	}
	v := bigOf(f, a)
	n := wholeRef(f, a, roundMinusInf)
	v.Sub(v, new(big.Float).SetPrec(precOf(f)).SetInt(n))
	if v.Sign() == 0 {
		if e.round == roundMinusInf {
			return f.sign()
		}
		return 0
	}
	r, one := roundBig(f, v, e), uint64(f.bias())<<f.mant
	if r == one && (f != double || x.gen != gcn.GCN10) {
		return one - 1
	}
	return r
}

func toIntRef(src format, lo, hi float64, round func(e env) rounding) floatRef {
	return func(_ format, a, _, _ uint64, _ env, x refLane) uint64 {
		e := modeOf(src, x.mode)
		a = flushRef(src, a, e)
		switch {
		case isNaNRef(src, a):
			return 0
		case isInfRef(src, a) && a < src.sign():
			return uint64(int64(hi))
		case isInfRef(src, a):
			return uint64(int64(lo))
		}
		v, _ := new(big.Float).SetInt(wholeRef(src, a, round(e))).Float64()
		return uint64(int64(math.Min(math.Max(v, lo), hi)))
	}
}

func fixed(r rounding) func(env) rounding { return func(env) rounding { return r } }

func scaledRef(src format, hi, lo float64, round func(e env) rounding) floatRef {
	return func(_ format, a, _, _ uint64, _ env, x refLane) uint64 {
		e := modeOf(src, x.mode)
		a = flushRef(src, a, e)
		switch {
		case isNaNRef(src, a):
			return 0
		case isInfRef(src, a) && a < src.sign():
			return low(uint64(int64(hi)), 16)
		case isInfRef(src, a):
			return low(uint64(int64(lo)), 16)
		}
		p := new(big.Float).SetPrec(precOf(src)).Mul(bigOf(src, a), big.NewFloat(hi))
		if p.Sign() == 0 {
			return 0
		}
		v, _ := p.Float64() // the product is exact: it has 40 bits
		n, _ := new(big.Float).SetInt(wholeRef(double, math.Float64bits(v), round(e))).Float64()
		return low(uint64(int64(math.Min(math.Max(n, lo), hi))), 16)
	}
}

func pairRef(one floatRef) floatRef {
	return func(f format, a, b, _ uint64, e env, x refLane) uint64 {
		return low(one(f, a, 0, 0, e, x), 16) | low(one(f, b, 0, 0, e, x), 16)<<16
	}
}

func convertRef(src, dst format, adjust func(e env, x refLane) env) floatRef {
	return func(_ format, a, _, _ uint64, _ env, x refLane) uint64 {
		e := modeOf(dst, x.mode)
		e.flushIn = modeOf(src, x.mode).flushIn
		if adjust != nil {
			e = adjust(e, x)
		}
		a = flushRef(src, a, e)
		sign := a / src.sign() * dst.sign()
		switch {
		case isNaNRef(src, a):
			m := a % (1 << src.mant)
			if dst.mant > src.mant {
				m <<= dst.mant - src.mant
			} else {
				m >>= src.mant - dst.mant
			}
			if e.ieee || dst.mant < src.mant {
				m |= dst.quietBit()
			}
			return sign | dst.infinity() | m
		case isInfRef(src, a):
			return sign | dst.infinity()
		case a%src.sign() == 0:
			return sign
		}
		return roundBig(dst, bigOf(src, a), e)
	}
}

// halves returns the environment of float16 conversions. Before GCN 1.2 they keep denormals and round as float32
// does.
func halves(e env, x refLane) env {
	if x.gen < gcn.GCN12 {
		e.round, e.flushIn, e.flushOut = modeOf(single, x.mode).round, false, false
	}
	return e
}

func intoRef(dst format, value func(a uint64) float64) floatRef {
	return func(_ format, a, _, _ uint64, _ env, x refLane) uint64 {
		v := value(a)
		if v == 0 {
			return 0
		}
		return roundBig(dst, new(big.Float).SetPrec(precOf(dst)).SetFloat64(v), modeOf(dst, x.mode))
	}
}

func floorRef(bias float64, a uint64, e env) uint64 {
	a = flushRef(single, a, e)
	x := float64(math.Float32frombits(uint32(a)))
	if x != x {
		if a>>31 == 0 {
			return math.MaxInt32
		}
		return 1 << 31
	}
	return uint64(int64(math.Min(math.Max(math.Floor(x+bias), math.MinInt32), math.MaxInt32)))
}

func byteRef(_ format, a, b, c uint64, e env, x refLane) uint64 {
	v := toIntRef(single, 0, 255, func(e env) rounding { return e.round })(single, a, 0, 0, e, x)
	n := b % 4 * 8
	return c - c>>n%256<<n + v<<n
}

func flushing(e env) env { e.flushIn, e.flushOut = true, true; return e }

// flushedApprox returns a reference that flushes denormals whatever MODE selects.
func flushedApprox(fn func(x float64) float64) floatRef {
	return withoutIEEE(func(f format, a, _, _ uint64, e env, _ refLane) uint64 {
		return approx(fn)(f, a, 0, 0, flushing(e))
	}, 0)
}

// withoutIEEE adds NaNs to ref: a signalling NaN is not quieted if MODE.IEEE is clear (rule FP1). The first NaN among
// the operands in the given order is the result.
func withoutIEEE(ref floatRef, order ...int) floatRef {
	return func(f format, a, b, c uint64, e env, x refLane) uint64 {
		for _, i := range order {
			if v := [...]uint64{a, b, c}[i]; !e.ieee && isNaNRef(f, v) {
				return v
			}
		}
		return ref(f, a, b, c, e, x)
	}
}

func legacyRef(f format, a, b uint64, e env) uint64 {
	if flushRef(f, a, e)%f.sign() == 0 || flushRef(f, b, e)%f.sign() == 0 {
		return 0
	}
	return refFMA(f, a, b, 0, false, e)
}

func one(f format) uint64 { return uint64(f.bias()) << f.mant }

// perFormat has the references of v_<name>_<format>.
var perFormat = map[string]floatRef{
	"v_add":    func(f format, a, b, _ uint64, e env, _ refLane) uint64 { return refFMA(f, a, one(f), b, true, e) },
	"v_sub":    subRef,
	"v_subrev": func(f format, a, b, c uint64, e env, x refLane) uint64 { return subRef(f, b, a, c, e, x) },
	"v_mul":    func(f format, a, b, _ uint64, e env, _ refLane) uint64 { return refFMA(f, a, b, 0, false, e) },
	"v_fma":    func(f format, a, b, c uint64, e env, _ refLane) uint64 { return refFMA(f, a, b, c, true, e) },
	"v_fmac":   func(f format, a, b, c uint64, e env, _ refLane) uint64 { return refFMA(f, a, b, c, true, e) },
	"v_mad":    madRef, "v_mac": madRef,
	"v_min": minRef, "v_max": maxRef, "v_med3": med3Ref,
	"v_min3": func(f format, a, b, c uint64, e env, x refLane) uint64 {
		return minRef(f, minRef(f, a, b, 0, e, x), c, 0, e, x)
	},
	"v_max3": func(f format, a, b, c uint64, e env, x refLane) uint64 {
		return maxRef(f, maxRef(f, a, b, 0, e, x), c, 0, e, x)
	},
	"v_trunc": integerRef(roundToZero), "v_ceil": integerRef(roundPlusInf),
	"v_floor": integerRef(roundMinusInf), "v_rndne": integerRef(roundNearestEven),
	"v_fract": fractRef,
	"v_frexp_mant": func(f format, a, _, _ uint64, e env, x refLane) uint64 {
		a = flushRef(f, a, e)
		switch {
		case isNaNRef(f, a):
			return quietRef(f, a, e)
		case isInfRef(f, a) && x.gen == gcn.GCN10:
			return f.sign() | f.infinity() | f.quietBit()
		case isInfRef(f, a) || a%f.sign() == 0:
			return a
		}
		v := bigOf(f, a)
		v.SetMantExp(v, -v.MantExp(nil))
		return roundBig(f, v, e)
	},
	"v_ldexp": func(f format, a, b, _ uint64, e env, x refLane) uint64 {
		n := int(signedOf(b, 32))
		if f == half {
			n = int(signedOf(b, 16))
		}
		n = min(max(n, -3000), 3000)
		a = flushRef(f, a, e)
		switch {
		case isNaNRef(f, a):
			return quietRef(f, a, e)
		case isInfRef(f, a) || a%f.sign() == 0:
			return a
		}
		v := bigOf(f, a)
		return roundBig(f, v.SetMantExp(v, n), e)
	},
}

func subRef(f format, a, b, _ uint64, e env, _ refLane) uint64 {
	if isNaNRef(f, b) {
		if isNaNRef(f, a) {
			return quietRef(f, a, e)
		}
		return quietRef(f, b, e)
	}
	return refFMA(f, a, one(f), b^f.sign(), true, e)
}

func madRef(f format, a, b, c uint64, e env, _ refLane) uint64 {
	e = flushing(e)
	return refFMA(f, refFMA(f, a, b, 0, false, e), one(f), c, true, e)
}

func expRef(f format, a, _, _ uint64, e env, x refLane) uint64 {
	a = flushRef(f, a, e)
	switch {
	case isNaNRef(f, a) || isInfRef(f, a):
		if x.gen == gcn.GCN10 {
			return math.MaxUint64
		}
		return 0
	case a%f.sign() == 0:
		return 0
	}
	return uint64(bigOf(f, a).MantExp(nil))
}

// byName has the references of single mnemonics, in the format of SRC0.
var byName = map[string]floatRef{
	"v_fma_legacy_f16": perFormat["v_fma"], "v_mad_legacy_f16": madRef,
	"v_rcp_f32": flushedApprox(reciprocal), "v_rcp_iflag_f32": flushedApprox(reciprocal),
	"v_rsq_f32": flushedApprox(reciprocalRoot), "v_sqrt_f32": flushedApprox(math.Sqrt),
	"v_mul_legacy_f32": func(f format, a, b, _ uint64, e env, _ refLane) uint64 { return legacyRef(f, a, b, e) },
	"v_mad_legacy_f32": func(f format, a, b, c uint64, e env, _ refLane) uint64 {
		return refFMA(f, legacyRef(f, a, b, flushing(e)), one(f), c, true, flushing(e))
	},
	"v_mac_legacy_f32": func(f format, a, b, c uint64, e env, _ refLane) uint64 {
		return refFMA(f, legacyRef(f, a, b, flushing(e)), one(f), c, true, flushing(e))
	},
	"v_mullit_f32": func(f format, a, b, c uint64, e env, _ refLane) uint64 {
		if cmpRef(f, flushRef(f, c, e), 0) != 1 {
			return 0xff7fffff
		}
		return legacyRef(f, a, b, e)
	},
	"v_min_legacy_f32": func(f format, a, b, _ uint64, _ env, _ refLane) uint64 {
		if cmpRef(f, a, b) == -1 {
			return a
		}
		return b
	},
	"v_max_legacy_f32": func(f format, a, b, _ uint64, _ env, _ refLane) uint64 {
		if c := cmpRef(f, a, b); c == 0 || c == 1 {
			return a
		}
		return b
	},
	"v_frexp_exp_i16_f16": expRef, "v_frexp_exp_i32_f32": expRef, "v_frexp_exp_i32_f64": expRef,

	"v_cvt_f16_f32": convertRef(single, half, halves),
	"v_cvt_f32_f16": convertRef(half, single, halves),
	"v_cvt_f32_f64": convertRef(double, single, nil),
	"v_cvt_f64_f32": convertRef(single, double, nil),
	"v_cvt_pkrtz_f16_f32": pairRef(convertRef(single, half, func(e env, x refLane) env {
		e = halves(e, x)
		e.round = roundToZero
		return e
	})),
	"v_cvt_f16_u16":    intoRef(half, func(a uint64) float64 { return float64(a) }),
	"v_cvt_f16_i16":    intoRef(half, func(a uint64) float64 { return float64(signedOf(a, 16)) }),
	"v_cvt_f32_u32":    intoRef(single, func(a uint64) float64 { return float64(a) }),
	"v_cvt_f32_i32":    intoRef(single, func(a uint64) float64 { return float64(signedOf(a, 32)) }),
	"v_cvt_f64_u32":    intoRef(double, func(a uint64) float64 { return float64(a) }),
	"v_cvt_f64_i32":    intoRef(double, func(a uint64) float64 { return float64(signedOf(a, 32)) }),
	"v_cvt_f32_ubyte0": intoRef(single, func(a uint64) float64 { return float64(a % 256) }),
	"v_cvt_f32_ubyte1": intoRef(single, func(a uint64) float64 { return float64(a >> 8 % 256) }),
	"v_cvt_f32_ubyte2": intoRef(single, func(a uint64) float64 { return float64(a >> 16 % 256) }),
	"v_cvt_f32_ubyte3": intoRef(single, func(a uint64) float64 { return float64(a >> 24) }),
	"v_cvt_off_f32_i4": intoRef(single, func(a uint64) float64 { return float64(signedOf(a, 4)) / 16 }),

	"v_cvt_i32_f32": toIntRef(single, math.MinInt32, math.MaxInt32, fixed(roundToZero)),
	"v_cvt_u32_f32": toIntRef(single, 0, math.MaxUint32, fixed(roundToZero)),
	"v_cvt_i32_f64": toIntRef(double, math.MinInt32, math.MaxInt32, fixed(roundToZero)),
	"v_cvt_u32_f64": toIntRef(double, 0, math.MaxUint32, fixed(roundToZero)),
	"v_cvt_i16_f16": toIntRef(half, math.MinInt16, math.MaxInt16, fixed(roundToZero)),
	"v_cvt_u16_f16": toIntRef(half, 0, math.MaxUint16, fixed(roundToZero)),
	"v_cvt_flr_i32_f32": func(_ format, a, _, _ uint64, e env, _ refLane) uint64 {
		return floorRef(0, a, e)
	},
	"v_cvt_rpi_i32_f32": func(_ format, a, _, _ uint64, e env, _ refLane) uint64 {
		return floorRef(0.5, a, e)
	},
	"v_cvt_pk_u8_f32": byteRef, "v_cvt_pkaccum_u8_f32": byteRef,
	"v_cvt_norm_i16_f16":   scaledRef(half, 32767, -32767, func(e env) rounding { return e.round }),
	"v_cvt_norm_u16_f16":   scaledRef(half, 65535, 0, func(e env) rounding { return e.round }),
	"v_cvt_pknorm_i16_f16": pairRef(scaledRef(half, 32767, -32767, fixed(roundNearestEven))),
	"v_cvt_pknorm_u16_f16": pairRef(scaledRef(half, 65535, 0, fixed(roundNearestEven))),
	"v_cvt_pknorm_i16_f32": pairRef(scaledRef(single, 32767, -32767, fixed(roundNearestEven))),
	"v_cvt_pknorm_u16_f32": pairRef(scaledRef(single, 65535, 0, fixed(roundNearestEven))),
}

func init() {
	for name, ref := range perFormat {
		for _, suffix := range []string{"_f16", "_f32", "_f64"} {
			if isa.Ops(name+suffix) != nil {
				byName[name+suffix] = ref
			}
		}
	}
}
