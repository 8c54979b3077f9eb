package simd

import "math"

// FlushHalf does for float16 what [Flush] does for float32.
const FlushHalf = 1<<15 - 1

// halves are the operations on float16 in bits 15:0, rounded to nearest even except for one. If several operands are
// NaN, the result is the first one, quieted. Bits 31:16 of operands are ignored; those of results are 0.
var halves = map[string]FloatOp{
	"add": eachHalf(2, func(x, y, _ float64) float64 { return x + y }),
	"sub": eachHalf(2, func(x, y, _ float64) float64 { return x - y }),
	"mul": eachHalf(2, func(x, y, _ float64) float64 { return x * y }),
	// mad rounds the product, then the sum.
	"mad": func(d, a, b, c *Lanes, in, out uint32) {
		for i := range d {
			p := halfLane(2, a[i], b[i], 0, in, out, func(x, y, _ float64) float64 { return x * y })
			d[i] = halfLane(2, p, c[i], 0, in, out, func(x, y, _ float64) float64 { return x + y })
		}
	},
	// fma rounds once: the product is exact in float64, and the sum is rounded to odd.
	"fma": eachHalf(3, func(x, y, z float64) float64 { return oddSum(x*y, z) }),

	// min and max follow the rules outside of IEEE mode: of a NaN and a number they return the number.
	"min":  extremeHalf(func(x, y, _ uint32) uint32 { return lesserHalf(x, y, 0) }),
	"max":  extremeHalf(func(x, y, _ uint32) uint32 { return lesserHalf(x, y, -1) }),
	"min3": extremeHalf(leastHalf),
	"max3": extremeHalf(func(x, y, z uint32) uint32 { return lesserHalf(lesserHalf(x, y, -1), z, -1) }),
	// med3 is the median, or min3 if an operand is NaN. Zeros count as equal.
	"med3": extremeHalf(func(x, y, z uint32) uint32 {
		top := lesserHalf(lesserHalf(x, y, -1), z, -1)
		switch {
		case halfNaN(x) || halfNaN(y) || halfNaN(z):
			return leastHalf(x, y, z)
		case top == x || (top|x)&0x7fff == 0:
			return lesserHalf(y, z, -1)
		case top == y || (top|y)&0x7fff == 0:
			return lesserHalf(x, z, -1)
		}
		return lesserHalf(x, y, -1)
	}),
	"trunc": wholeHalf(math.Trunc), "ceil": wholeHalf(math.Ceil), "floor": wholeHalf(math.Floor),
	"rndne": wholeHalf(math.RoundToEven),
	// fract is a - floor(a), limited to values below 1. For an infinity it is a NaN with its sign.
	"fract": func(d, a, _, _ *Lanes, in, out uint32) {
		for i, v := range a {
			v = flushedHalf(v&0xffff, in)
			if v&0x7c00 == 0x7c00 {
				d[i] = v | 0x200
				continue
			}
			x := wide(v)
			d[i] = flushedHalf(min(nearestHalf(x-math.Floor(x)), 0x3bff), out)
		}
	},

	// Where these functions are undefined, the result is the negative NaN.
	"rcp":  approxHalf(func(x float64) float64 { return 1 / x }),
	"rsq":  approxHalf(func(x float64) float64 { return 1 / math.Sqrt(x) }),
	"sqrt": approxHalf(math.Sqrt),

	"of f32": func(d, a, _, _ *Lanes, _, out uint32) {
		for i, v := range a {
			d[i] = flushedHalf(halfOf(v, false), out)
		}
	},
	"to f32": func(d, a, _, _ *Lanes, in, _ uint32) {
		for i, v := range a {
			v = flushedHalf(v&0xffff, in)
			if d[i] = bits32(float32(wide(v))); halfNaN(v) {
				d[i] = v&0x8000<<16 | 0x7fc00000 | v&0x3ff<<13
			}
		}
	},
	// pack to zero rounds two float32 towards zero and packs them into one register.
	"pack to zero": func(d, a, b, _ *Lanes, _, out uint32) {
		for i := range d {
			d[i] = flushedHalf(halfOf(a[i], true), out) | flushedHalf(halfOf(b[i], true), out)<<16
		}
	},
}

// extremeHalf returns an operation whose result is one of its operands.
//
//go:noinline
func extremeHalf(op func(x, y, z uint32) uint32) FloatOp {
	return func(d, a, b, c *Lanes, in, _ uint32) {
		if c == nil {
			c = b
		}
		for i := range d {
			d[i] = op(flushedHalf(a[i]&0xffff, in), flushedHalf(b[i]&0xffff, in), flushedHalf(c[i]&0xffff, in))
		}
	}
}

// lesserHalf does what [lesser] does, for halves.
func lesserHalf(x, y uint32, flip int32) uint32 {
	switch {
	case halfNaN(x):
		return y
	case halfNaN(y):
		return x
	case order(y<<16)^flip < order(x<<16)^flip:
		return y
	}
	return x
}

func leastHalf(x, y, z uint32) uint32 { return lesserHalf(lesserHalf(x, y, 0), z, 0) }

// wholeHalf returns an operation with integral results. A NaN is quieted.
//
//go:noinline
func wholeHalf(op func(float64) float64) FloatOp {
	return func(d, a, _, _ *Lanes, in, _ uint32) {
		for i, v := range a {
			if v = flushedHalf(v&0xffff, in); halfNaN(v) {
				d[i] = v | 0x200
			} else {
				d[i] = nearestHalf(op(wide(v)))
			}
		}
	}
}

// approxHalf returns the operation on halves that computes in float64.
//
//go:noinline
func approxHalf(op func(float64) float64) FloatOp {
	return func(d, a, _, _ *Lanes, in, out uint32) {
		for i, v := range a {
			if v = flushedHalf(v&0xffff, in); halfNaN(v) {
				d[i] = v | 0x200
				continue
			}
			r := op(wide(v))
			if d[i] = 0xfe00; r == r {
				d[i] = flushedHalf(nearestHalf(r), out)
			}
		}
	}
}

func halfNaN(v uint32) bool { return v&0x7fff > 0x7c00 }

// flushedHalf clears the bits of mask in v if v is denormal.
func flushedHalf(v, mask uint32) uint32 {
	if v&0x7c00 == 0 {
		v &^= mask
	}
	return v
}

// wide returns a half as float64.
func wide(v uint32) float64 {
	x := math.Inf(1)
	switch exp, m := int(v>>10&31), float64(v&0x3ff); {
	case exp == 0:
		x = m * 0x1p-24
	case exp < 31:
		x = math.Ldexp(m+0x400, exp-25)
	}
	return math.Copysign(x, -float64(v>>15&1)+0.5)
}

// eachHalf returns the operation on halves that computes each lane with a function on float64, whose result is exact
// or rounded to odd.
//
//go:noinline
func eachHalf(n int, op func(x, y, z float64) float64) FloatOp {
	return func(d, a, b, c *Lanes, in, out uint32) {
		if n < 3 {
			c = b
		}
		for i := range d {
			d[i] = halfLane(n, a[i], b[i], c[i], in, out, op)
		}
	}
}

// halfLane computes one lane of an operation on n halves.
func halfLane(n int, x, y, z, in, out uint32, op func(x, y, z float64) float64) uint32 {
	v := [3]uint32{x & 0xffff, y & 0xffff, z & 0xffff}
	for i := range v[:n] {
		if v[i] = flushedHalf(v[i], in); halfNaN(v[i]) {
			return v[i] | 0x200
		}
	}
	r := op(wide(v[0]), wide(v[1]), wide(v[2]))
	if r != r {
		return 0xfe00
	}
	return flushedHalf(nearestHalf(r), out)
}

// nearestHalf rounds x, which is not NaN, to nearest even.
func nearestHalf(x float64) uint32 {
	b := math.Float64bits(x)
	sign, m := uint32(b>>63)<<15, b&^(1<<63)
	switch {
	case math.Abs(x) >= 65520:
		return sign | 0x7c00
	case math.Abs(x) < 0x1p-14:
		return sign | uint32(math.RoundToEven(math.Abs(x)*0x1p24))
	}
	m += 1<<41 - 1 + m>>42&1
	return sign | uint32(m>>42-(1023-15)<<10)
}

// halfOf converts a float32 to a half, rounded to nearest even or towards zero.
func halfOf(v uint32, toZero bool) uint32 {
	x := float64(f32(v))
	switch {
	case isNaN(v):
		return v>>16&0x8000 | 0x7e00 | v>>13&0x3ff
	case !toZero || math.IsInf(x, 0):
		return nearestHalf(x)
	}
	r := nearestHalf(x)
	if math.Abs(wide(r)) > math.Abs(x) { // r was rounded away from zero, perhaps to infinity
		r--
	}
	return r
}
