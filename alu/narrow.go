package alu

import (
	"math"
)

// Arithmetic on float16 and float32 in float64. Products of two operands are exact there. Sums are rounded to odd,
// which keeps a trace of the lost bits, so that rounding them again equals rounding the exact sum. The results equal
// those of softfloat in every mode, without unpacking the operands. Source: Boldo and Melquiond, "Emulation of FMA
// and correctly rounded sums: proved algorithms using rounding to odd".

// oddSum returns a + b rounded to odd. If the sum is inexact, the result is the neighbour whose last bit is 1.
func oddSum(a, b float64) float64 {
	s := a + b
	t := s - a
	lost := a - (s - t) + (b - t) // the exact rounding error: Knuth's two-sum
	if lost == 0 || lost != lost {
		return s // the sum is exact, infinite or NaN
	}
	v := math.Float64bits(s)
	switch {
	case v&1 != 0:
	case lost > 0 == (s > 0):
		v++
	default:
		v--
	}
	return math.Float64frombits(v)
}

// narrow rounds x, which is not NaN, to f, which is half or single.
func (f format) narrow(x float64, e env) uint64 {
	b := math.Float64bits(x)
	if e.round == roundNearestEven { // most values are rounded by the host or a short sequence
		if f.mant == half.mant {
			if r, ok := nearestHalf(x); ok {
				return uint64(r)
			}
		} else if b<<1-f32Normal64 < f32Range64 {
			return uint64(bits32(float32(x)))
		}
	}
	sign, m := b>>63<<(f.mant+f.exp), b&^(1<<63)
	if m == 0 {
		return sign
	}
	if m == 0x7ff<<52 {
		return sign | f.infinity()
	}
	drop := double.mant - f.mant
	least := uint64(double.bias()-f.bias()+1) << 52 // the smallest normal number of f
	var v, rest, middle uint64
	if m >= least {
		m -= least - 1<<52 // s has the smallest exponent of f
	} else {
		drop += uint(least>>52 - m>>52)
		m = m&(1<<52-1) | 1<<52
	}
	if drop < 64 {
		v, rest, middle = m>>drop, m&(1<<drop-1), 1<<(drop-1)
	} else {
		rest, middle = 1, 2
	}
	if rest != 0 && e.up(b>>63 != 0, v&1 != 0, rest, middle) {
		v++
	}
	if v >= f.infinity() {
		return sign | f.overflow(b>>63 != 0, e)
	}
	if e.flushOut && v>>f.mant == 0 {
		v = 0
	}
	return sign | v
}

// Doubled float64 bit patterns, which have no sign: of the smallest normal float32, and the limits of the range that
// surely rounds to a normal float32.
const (
	f32Normal64 = (1023 - 126) << 53
	f32Range64  = 253 << 53
)

// up reports whether rounding increases the magnitude when the bits rest are dropped. middle is half a unit in the
// last kept place.
func (e env) up(neg, odd bool, rest, middle uint64) bool {
	switch e.round {
	case roundNearestEven:
		return rest > middle || rest == middle && odd
	case roundPlusInf:
		return !neg
	case roundMinusInf:
		return neg
	}
	return false
}

// overflow returns the result for a magnitude above the largest finite number.
func (f format) overflow(neg bool, e env) uint64 {
	if e.round == roundToZero || e.round == roundPlusInf && neg || e.round == roundMinusInf && !neg {
		return f.infinity() - 1
	}
	return f.infinity()
}

// firstNaN returns the result of an operation on a, b and c that is not a number: the first operand that is NaN,
// quieted, or the NaN of an invalid operation.
func (f format) firstNaN(a, b, c uint64) uint64 {
	for _, v := range [...]uint64{a, b, c} {
		if f.isNaN(v) {
			return f.quiet(v)
		}
	}
	return f.defaultNaN()
}

// narrowSum rounds s, the sum of x and y in float64.
func (f format) narrowSum(s, x, y float64, e env) uint64 {
	if s == 0 && e.round == roundMinusInf && math.Float64bits(x)|math.Float64bits(y) != 0 {
		return f.sign()
	}
	return f.narrow(s, e)
}

// sum computes a + b, with the result of [format.add].
func (f format) sum(a, b, _ uint64, e env) uint64 {
	a, b = f.flushIf(a, e.flushIn), f.flushIf(b, e.flushIn)
	switch x, y := f.float(a), f.float(b); {
	case f == double && e.native() && x+y == x+y:
		return math.Float64bits(x + y)
	case f == double && e.native():
		return f.firstNaN(a, b, 0)
	case f == double:
		return f.add(a, b, e)
	default:
		if s := oddSum(x, y); s == s {
			return f.narrowSum(s, x, y, e)
		}
		return f.firstNaN(a, b, 0)
	}
}

// difference computes a - b, with the result of [format.sub]. The sign of a NaN is kept.
func (f format) difference(a, b, _ uint64, e env) uint64 {
	if f.isNaN(b) {
		return f.firstNaN(a, b, 0)
	}
	return f.sum(a, b^f.sign(), 0, e)
}

// product computes a * b, with the result of [format.mul].
func (f format) product(a, b, _ uint64, e env) uint64 {
	a, b = f.flushIf(a, e.flushIn), f.flushIf(b, e.flushIn)
	p := f.float(a) * f.float(b)
	switch {
	case p != p:
		return f.firstNaN(a, b, 0)
	case f != double:
		return f.narrow(p, e)
	case e.native():
		return math.Float64bits(p)
	}
	return f.mul(a, b, e)
}

// fused computes a*b + c rounded once, with the result of [format.fma].
func (f format) fused(a, b, c uint64, e env) uint64 { return f.fusedScaled(a, b, c, 0, e) }

// fusedScaled computes (a*b + c) * 2**by, rounded once.
func (f format) fusedScaled(a, b, c uint64, by int, e env) uint64 {
	a, b, c = f.flushIf(a, e.flushIn), f.flushIf(b, e.flushIn), f.flushIf(c, e.flushIn)
	x, y, z := f.float(a), f.float(b), f.float(c)
	if f == double {
		return f.fusedDouble(a, b, c, by, e)
	}
	p := x * y
	s := oddSum(p, z)
	if s != s {
		return f.firstNaN(a, b, c)
	}
	return f.narrowSum(s*twoTo(by), p, z, e)
}

// fusedDouble computes fusedScaled of float64 operands.
func (f format) fusedDouble(a, b, c uint64, by int, e env) uint64 {
	r := math.FMA(f.float(a), f.float(b), f.float(c))
	switch {
	case r != r:
		return f.firstNaN(a, b, c)
	case by == 0 && e.native():
		return math.Float64bits(r)
	}
	n := f.fmaNumbers(f.unpack(a, false), f.unpack(b, false), f.unpack(c, false), e.round)
	n.exp += by
	return f.pack(n, e)
}

// twoTo returns 2**by, which must be a normal float64.
func twoTo(by int) float64 { return math.Float64frombits(uint64(by+double.bias()) << double.mant) }

// multiplyAdd rounds the product and then the sum, with the result of [format.mad].
func (f format) multiplyAdd(a, b, c uint64, e env) uint64 {
	return f.sum(f.product(a, b, 0, e), c, 0, e)
}

// scaled is a * 2**by.
func (f format) scaled(a uint64, by int, e env) uint64 {
	if f == double {
		return f.ldexp(a, by, e)
	}
	if f.isNaN(a) {
		return f.quiet(a)
	}
	by = min(max(by, -500), 500) // out of range for f, but not for float64
	return f.narrow(f.float(f.flushIf(a, e.flushIn))*twoTo(by), e)
}
