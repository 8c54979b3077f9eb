package simd

import "math"

// floats are the operations on float32, rounded to nearest even. If several operands are NaN, the result is the first
// one, quieted.
var floats = map[string]FloatOp{
	"add": func(d, a, b, _ *Lanes, in, out uint32) {
		_, _, _ = d[0], a[0], b[0] // avoids nil checks in the loop
		for i := range d {
			r := bits32(f32(a[i]) + f32(b[i]))
			if mag(r)-magSafe >= magInf-magSafe {
				r = addLane(a[i], b[i], in, out)
			}
			d[i] = r
		}
	},
	"sub": func(d, a, b, _ *Lanes, in, out uint32) {
		_, _, _ = d[0], a[0], b[0]
		for i := range d {
			r := bits32(f32(a[i]) - f32(b[i]))
			if mag(r)-magSafe >= magInf-magSafe {
				r = subLane(a[i], b[i], in, out)
			}
			d[i] = r
		}
	},
	"mul": func(d, a, b, _ *Lanes, in, out uint32) {
		_, _, _ = d[0], a[0], b[0]
		for i := range d {
			x, y := a[i], b[i]
			r := bits32(f32(x) * f32(y))
			if !normal(x) || !normal(y) || !normal(r) {
				r = mulLane(x, y, in, out)
			}
			d[i] = r
		}
	},
	// mad rounds the product, then the sum.
	"mad": func(d, a, b, c *Lanes, in, out uint32) {
		_, _, _, _ = d[0], a[0], b[0], c[0]
		for i := range d {
			x, y, z := a[i], b[i], c[i]
			p := f32(x) * f32(y)
			r := bits32(float32(p) + f32(z))
			if !normal(x) || !normal(y) || denormal(z) || !normal(bits32(p)) || !normal(r) {
				r = addLane(mulLane(x, y, in, out), z, in, out)
			}
			d[i] = r
		}
	},
	// fma rounds once. In float64 the product is exact and the sum is rounded, so that rounding again is wrong only if
	// the sum was inexact and is half way between two float32.
	"fma": func(d, a, b, c *Lanes, in, out uint32) {
		_, _, _, _ = d[0], a[0], b[0], c[0]
		for i := range d {
			x, y, z := a[i], b[i], c[i]
			s := float64(f32(x))*float64(f32(y)) + float64(f32(z))
			r := bits32(float32(s))
			if !normal(x) || !normal(y) || denormal(z) || !normal(r) || math.Float64bits(s)&0x1fffffff == 0x10000000 {
				r = fmaLane(x, y, z, in, out)
			}
			d[i] = r
		}
	},
	// min and max follow the rules outside of IEEE mode: of a NaN and a number they return the number.
	"min": func(d, a, b, _ *Lanes, in, _ uint32) {
		for i := range d {
			d[i] = lesser(flushed(a[i], in), flushed(b[i], in), 0)
		}
	},
	"max": func(d, a, b, _ *Lanes, in, _ uint32) {
		for i := range d {
			d[i] = lesser(flushed(a[i], in), flushed(b[i], in), -1)
		}
	},
	"min3": eachFloat3(func(x, y, z uint32) uint32 { return lesser(lesser(x, y, 0), z, 0) }),
	"max3": eachFloat3(func(x, y, z uint32) uint32 { return lesser(lesser(x, y, -1), z, -1) }),
	// med3 is the median, or min3 if an operand is NaN. Zeros count as equal.
	"med3": eachFloat3(func(x, y, z uint32) uint32 {
		top := lesser(lesser(x, y, -1), z, -1)
		switch {
		case isNaN(x) || isNaN(y) || isNaN(z):
			return lesser(lesser(x, y, 0), z, 0)
		case f32(top) == f32(x):
			return lesser(y, z, -1)
		case f32(top) == f32(y):
			return lesser(x, z, -1)
		}
		return lesser(x, y, -1)
	}),
	"trunc": eachFloat(math.Trunc),
	"ceil":  eachFloat(math.Ceil),
	"floor": eachFloat(math.Floor),
	"rndne": eachFloat(math.RoundToEven),
	// fract is a - floor(a), limited to values below 1. For an infinity it is a NaN with its sign.
	"fract": func(d, a, _, _ *Lanes, in, out uint32) {
		for i := range d {
			v := flushed(a[i], in)
			x := f32(v)
			switch r := bits32(x - float32(math.Floor(float64(x)))); {
			case mag(v) >= magInf:
				d[i] = v | quietBit
			case r == 0x3f800000:
				d[i] = 0x3f7fffff
			default:
				d[i] = flushed(r, out)
			}
		}
	},
	// In the legacy operations a product with 0 is 0.
	"mul legacy": func(d, a, b, _ *Lanes, in, out uint32) {
		for i := range d {
			d[i] = legacyLane(a[i], b[i], in, out)
		}
	},
	"mad legacy": func(d, a, b, c *Lanes, in, out uint32) {
		for i := range d {
			d[i] = addLane(legacyLane(a[i], b[i], in, out), c[i], in, out)
		}
	},
	"rcp":  eachDouble(func(x float64) float64 { return 1 / x }),
	"rsq":  eachDouble(func(x float64) float64 { return 1 / math.Sqrt(x) }),
	"sqrt": eachDouble(math.Sqrt),
	// clamp limits numbers to [0, 1]. A NaN becomes 0 if in is Flush.
	"clamp": func(d, a, _, _ *Lanes, in, _ uint32) {
		for i, v := range a {
			switch {
			case isNaN(v) && in == 0:
			case isNaN(v) || v>>31 != 0:
				v = 0
			default:
				v = min(v, 0x3f800000)
			}
			d[i] = v
		}
	},
}

//go:noinline
func eachFloat3(op func(x, y, z uint32) uint32) FloatOp {
	return func(d, a, b, c *Lanes, in, _ uint32) {
		for i := range d {
			d[i] = op(flushed(a[i], in), flushed(b[i], in), flushed(c[i], in))
		}
	}
}

// eachFloat returns an operation with integral results. A NaN is quieted.
//
//go:noinline
func eachFloat(op func(float64) float64) FloatOp {
	return func(d, a, _, _ *Lanes, in, _ uint32) {
		for i, v := range a {
			if v = flushed(v, in); isNaN(v) {
				d[i] = v | quietBit
			} else {
				d[i] = bits32(float32(op(float64(f32(v)))))
			}
		}
	}
}

// eachDouble returns the operation that computes each lane in float64. Where the function is undefined, the result is
// the negative NaN.
//
//go:noinline
func eachDouble(op func(float64) float64) FloatOp {
	return func(d, a, _, _ *Lanes, in, out uint32) {
		for i, v := range a {
			if v = flushed(v, in); isNaN(v) {
				d[i] = v | quietBit
				continue
			}
			r := op(float64(f32(v)))
			if d[i] = flushed(bits32(float32(r)), out); r != r {
				d[i] = 0xffc00000
			}
		}
	}
}

func legacyLane(x, y, in, out uint32) uint32 {
	if mag(flushed(x, in)) == 0 || mag(flushed(y, in)) == 0 {
		return 0
	}
	return mulLane(x, y, in, out)
}

func f32(v uint32) float32    { return math.Float32frombits(v) }
func bits32(v float32) uint32 { return math.Float32bits(v) }

// mag returns a float's bits without the sign, times two: denormals are 1 to 0xffffff.
func mag(v uint32) uint32 { return v << 1 }

const (
	magMin = 1 << 24    // mag of the smallest normal number
	magInf = 0xff << 24 // mag of infinity
	// magSafe is the magnitude of 2**-100. A denormal addend does not change a sum that rounds to at least this.
	magSafe = (127 - 100) << 24

	quietBit   = 1 << 22
	defaultNaN = 0xffc00000 // the NaN of an invalid operation
)

// normal reports whether v is neither zero, denormal, infinite nor NaN.
func normal(v uint32) bool { return mag(v)-magMin < magInf-magMin }

func denormal(v uint32) bool { return mag(v)-1 < magMin-1 }

func isNaN(v uint32) bool { return mag(v) > magInf }

// flushed clears the bits of mask in v if v is denormal.
func flushed(v, mask uint32) uint32 {
	if denormal(v) {
		v &^= mask
	}
	return v
}

// finish completes the result r of an operation on x, y and z: it selects a NaN and flushes a denormal.
func finish(r float32, x, y, z, out uint32) uint32 {
	v := bits32(r)
	if isNaN(v) {
		for _, n := range [...]uint32{x, y, z} {
			if isNaN(n) {
				return n | quietBit
			}
		}
		return defaultNaN
	}
	return flushed(v, out)
}

func addLane(x, y, in, out uint32) uint32 {
	x, y = flushed(x, in), flushed(y, in)
	return finish(f32(x)+f32(y), x, y, 0, out)
}

func subLane(x, y, in, out uint32) uint32 {
	x, y = flushed(x, in), flushed(y, in)
	return finish(f32(x)-f32(y), x, y, 0, out)
}

func mulLane(x, y, in, out uint32) uint32 {
	x, y = flushed(x, in), flushed(y, in)
	return finish(f32(x)*f32(y), x, y, 0, out)
}

func fmaLane(x, y, z, in, out uint32) uint32 {
	x, y, z = flushed(x, in), flushed(y, in), flushed(z, in)
	return finish(float32(oddSum(float64(f32(x))*float64(f32(y)), float64(f32(z)))), x, y, z, out)
}

// oddSum returns a + b rounded to odd: if the sum is inexact, the result is the neighbour whose last bit is 1.
// Rounding it again equals rounding the exact sum. Source: Boldo and Melquiond, "Emulation of FMA and correctly
// rounded sums: proved algorithms using rounding to odd".
func oddSum(a, b float64) float64 {
	s := a + b
	t := s - a
	lost := a - (s - t) + (b - t) // the exact rounding error: Knuth's two-sum
	v := math.Float64bits(s)
	switch {
	case lost == 0 || lost != lost || v&1 != 0: // the sum is exact, infinite, NaN or odd
	case lost > 0 == (s > 0):
		v++
	default:
		v--
	}
	return math.Float64frombits(v)
}

// order maps floats to integers in the same order; -0 is directly below +0.
func order(v uint32) int32 { return int32(v) ^ int32(uint32(int32(v)>>31)>>1) }

// lesser returns the smaller of x and y, or with flip -1 the larger one.
func lesser(x, y uint32, flip int32) uint32 {
	switch {
	case isNaN(x):
		return y
	case isNaN(y):
		return x
	case order(y)^flip < order(x)^flip:
		return y
	}
	return x
}

// conversions convert between float32 and 32-bit integers: to nearest even, or to integers towards zero, where values
// out of range become the nearest integer and NaN becomes 0.
var conversions = map[string]Op{
	"f32 of i32": Each1(func(a uint32) uint32 { return bits32(float32(int32(a))) }),
	"f32 of u32": Each1(func(a uint32) uint32 { return bits32(float32(a)) }),
	"i32 of f32": Each1(func(a uint32) uint32 { return toInteger(a, math.MinInt32, math.MaxInt32) }),
	"u32 of f32": Each1(func(a uint32) uint32 { return toInteger(a, 0, math.MaxUint32) }),

	"f32 of byte 0": Each1(func(a uint32) uint32 { return bits32(float32(a & 0xff)) }),
	"f32 of byte 1": Each1(func(a uint32) uint32 { return bits32(float32(a >> 8 & 0xff)) }),
	"f32 of byte 2": Each1(func(a uint32) uint32 { return bits32(float32(a >> 16 & 0xff)) }),
	"f32 of byte 3": Each1(func(a uint32) uint32 { return bits32(float32(a >> 24)) }),
}

func toInteger(v uint32, low, high float64) uint32 {
	if isNaN(v) {
		return 0
	}
	return uint32(int64(min(max(float64(f32(v)), low), high)))
}
