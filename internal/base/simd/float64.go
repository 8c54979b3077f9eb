package simd

import "math"

// WideFloatOp is an operation on float64, rounded to nearest even, with denormals. The arguments lo and hi have the
// lower and upper dwords of each lane. d may be one of the operands.
type WideFloatOp = func(dlo, dhi, alo, ahi, blo, bhi, clo, chi *Lanes)

// WideFloat returns the operation on float64 with that name.
func WideFloat(name string) WideFloatOp { return pick(wideFloats, wideFloatAVX2, nil, name) }

// wideFloats are the operations on float64. If several operands are NaN, the result is the first one, quieted.
var wideFloats = map[string]WideFloatOp{
	"add": each64(2, func(x, y, _ float64) float64 { return x + y }),
	"mul": each64(2, func(x, y, _ float64) float64 { return x * y }),
	"fma": each64(3, math.FMA),
	// min and max follow the rules outside of IEEE mode: of a NaN and a number they return the number.
	"min": pick64(func(x, y int64) bool { return y < x }),
	"max": pick64(func(x, y int64) bool { return y > x }),

	"trunc": one64(math.Trunc), "ceil": one64(math.Ceil), "floor": one64(math.Floor), "rndne": one64(math.RoundToEven),
	// fract is below 1. For an infinity it is a NaN with its sign.
	"fract": one64(func(x float64) float64 {
		if math.IsInf(x, 0) {
			return math.Float64frombits(math.Float64bits(x) | 1<<51)
		}
		return min(x-math.Floor(x), math.Float64frombits(1023<<52-1))
	}),
	// Where these functions are undefined, the result is the negative NaN.
	"rcp":  one64(func(x float64) float64 { return 1 / x }),
	"rsq":  one64(func(x float64) float64 { return 1 / root64(x) }),
	"sqrt": one64(root64),
}

func root64(x float64) float64 {
	if x < 0 {
		return math.Float64frombits(0xfff8 << 48)
	}
	return math.Sqrt(x)
}

// one64 returns an operation on one number. A NaN is quieted.
//
//go:noinline
func one64(op func(x float64) float64) WideFloatOp {
	return func(dlo, dhi, alo, ahi, _, _, _, _ *Lanes) {
		for i := range dlo {
			r := join64(alo[i], ahi[i])
			if x := math.Float64frombits(r); x != x {
				r |= 1 << 51
			} else {
				r = math.Float64bits(op(x))
			}
			dlo[i], dhi[i] = uint32(r), uint32(r>>32)
		}
	}
}

func join64(lo, hi uint32) uint64 { return uint64(hi)<<32 | uint64(lo) }

//go:noinline
func each64(n int, op func(x, y, z float64) float64) WideFloatOp {
	return func(dlo, dhi, alo, ahi, blo, bhi, clo, chi *Lanes) {
		if n < 3 {
			clo, chi = blo, bhi
		}
		for i := range dlo {
			v := [3]uint64{join64(alo[i], ahi[i]), join64(blo[i], bhi[i]), join64(clo[i], chi[i])}
			x := [3]float64{math.Float64frombits(v[0]), math.Float64frombits(v[1]), math.Float64frombits(v[2])}
			r := math.Float64bits(op(x[0], x[1], x[2]))
			if r&math.MaxInt64 > 0x7ff<<52 {
				r = 0xfff8 << 48 // the NaN of an invalid operation
				for k := n - 1; k >= 0; k-- {
					if x[k] != x[k] {
						r = v[k] | 1<<51
					}
				}
			}
			dlo[i], dhi[i] = uint32(r), uint32(r>>32)
		}
	}
}

// order64 maps floats to integers in the same order; -0 is directly below +0.
func order64(v uint64) int64 { return int64(v) ^ int64(uint64(int64(v)>>63)>>1) }

//go:noinline
func pick64(second func(x, y int64) bool) WideFloatOp {
	return func(dlo, dhi, alo, ahi, blo, bhi, _, _ *Lanes) {
		for i := range dlo {
			x, y := join64(alo[i], ahi[i]), join64(blo[i], bhi[i])
			r := x
			switch {
			case x&math.MaxInt64 > 0x7ff<<52:
				r = y
			case y&math.MaxInt64 > 0x7ff<<52:
			case second(order64(x), order64(y)):
				r = y
			}
			dlo[i], dhi[i] = uint32(r), uint32(r>>32)
		}
	}
}

// WideCompareOp is a [CompareOp] on 64-bit operands.
type WideCompareOp = func(alo, ahi, blo, bhi *Lanes) uint64

// WideCompare returns the comparison of 64-bit operands with that name.
func WideCompare(name string) WideCompareOp { return pick(wideComparisons, wideCompareAVX2, nil, name) }

var wideComparisons = map[string]WideCompareOp{
	"eq u64": compare64(func(x, y uint64) bool { return x == y }),
	"lt i64": compare64(func(x, y uint64) bool { return int64(x) < int64(y) }),
	"lt u64": compare64(func(x, y uint64) bool { return x < y }),
	"eq f64": compareF64(func(x, y float64) bool { return x == y }),
	"lt f64": compareF64(func(x, y float64) bool { return x < y }),
	"le f64": compareF64(func(x, y float64) bool { return x <= y }),
	"lg f64": compareF64(func(x, y float64) bool { return x < y || x > y }),

	"unordered f64": compareF64(func(x, y float64) bool { return x != x || y != y }),
}

//go:noinline
func compare64(holds func(x, y uint64) bool) WideCompareOp {
	return func(alo, ahi, blo, bhi *Lanes) (out uint64) {
		for i := range alo {
			out = out>>1 | bit(holds(join64(alo[i], ahi[i]), join64(blo[i], bhi[i])))<<63
		}
		return out
	}
}

//go:noinline
func compareF64(holds func(x, y float64) bool) WideCompareOp {
	return compare64(func(x, y uint64) bool { return holds(math.Float64frombits(x), math.Float64frombits(y)) })
}

// MulAdd64 sets d to a*b + c and returns the carries. a and b have 32 bits, d and c 64.
func MulAdd64(dlo, dhi, a, b, clo, chi *Lanes) (out uint64) {
	if avx2 {
		return mulAdd64AVX2(dlo, dhi, a, b, clo, chi)
	}
	for i := range dlo {
		p := uint64(a[i]) * uint64(b[i])
		sum := p + join64(clo[i], chi[i])
		dlo[i], dhi[i] = uint32(sum), uint32(sum>>32)
		out = out>>1 | bit(sum < p)<<63
	}
	return out
}

// Float64OfF32 sets d to the float32 values of s. Denormals lose the bits of in.
func Float64OfF32(dlo, dhi, s *Lanes, in uint32) {
	if avx2 {
		float64OfF32AVX2(dlo, dhi, s, in)
		return
	}
	for i, v := range s {
		v = flushed(v, in)
		r := math.Float64bits(float64(f32(v)))
		if isNaN(v) {
			r = uint64(v>>31)<<63 | 0x7ff8<<48 | uint64(v&(1<<23-1))<<29
		}
		dlo[i], dhi[i] = uint32(r), uint32(r>>32)
	}
}

// F32OfFloat64 sets d to s rounded to nearest even. Denormals lose the bits of out.
func F32OfFloat64(d, lo, hi *Lanes, out uint32) {
	if avx2 {
		f32OfFloat64AVX2(d, lo, hi, out)
		return
	}
	for i := range d {
		v := join64(lo[i], hi[i])
		x := math.Float64frombits(v)
		if x != x {
			d[i] = uint32(v>>63)<<31 | 0x7fc00000 | uint32(v>>29)&(1<<23-1)
			continue
		}
		d[i] = flushed(bits32(float32(x)), out)
	}
}

// Float64OfInteger sets d to the 32-bit integers of s.
func Float64OfInteger(dlo, dhi, s *Lanes, signed bool) {
	var flip uint32
	bias := 0x1p52
	if signed { // converted to unsigned numbers that are larger by 2^31
		flip, bias = 1<<31, 0x1p52+0x1p31
	}
	if avx2 {
		float64OfIntegerAVX2(dlo, dhi, s, flip, bias)
		return
	}
	for i, v := range s {
		r := math.Float64bits(math.Float64frombits(0x433<<52|uint64(v^flip)) - bias)
		dlo[i], dhi[i] = uint32(r), uint32(r>>32)
	}
}

// IntegerOfFloat64 sets d to s rounded towards zero and clamped to the range of 32-bit integers. NaN becomes 0.
func IntegerOfFloat64(d, lo, hi *Lanes, signed bool) {
	low, high := 0.0, float64(math.MaxUint32)
	if signed {
		low, high = math.MinInt32, math.MaxInt32
	}
	if avx2 {
		integerOfFloat64AVX2(d, lo, hi, low, high)
		return
	}
	for i := range d {
		x := math.Float64frombits(join64(lo[i], hi[i]))
		if x != x {
			x = 0
		}
		d[i] = uint32(int64(min(max(x, low), high)))
	}
}
