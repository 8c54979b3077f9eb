package alu

import (
	"math"

	"github.com/gcnsim/gcnsim/state"
)

// Exceptions of float32 operations whose operands and result are normal numbers. float64 shows whether the result is
// exact. ok is false if that cannot be decided here; then the caller computes the exceptions in general.

// normals returns the n operands of x as float64. ok is false unless all of them are normal float32 numbers.
func (x *raising) normals(n int) (a, b, c float64, ok bool) {
	if x.f.mant != single.mant {
		return 0, 0, 0, false
	}
	var v [3]float64
	for i, bits := range [3]uint64{x.a, x.b, x.c} {
		if i == n {
			break
		}
		if (bits>>23-1)&0xff >= 254 {
			return 0, 0, 0, false
		}
		v[i] = float64(math.Float32frombits(uint32(bits)))
	}
	return v[0], v[1], v[2], true
}

// roundedTo32 returns the exceptions of rounding s + rest to float32. rest is smaller than the last bit of s.
func roundedTo32(s, rest float64) (raised state.TrapSts, ok bool) {
	const least, most = 1023 - 125, 1023 + 126 // range of exponents that rounding does not leave
	v := math.Float64bits(s)
	switch e := v >> 52 & 0x7ff; {
	case s == 0 && rest == 0:
		return 0, true
	case e < least || e > most:
		return 0, false
	case v<<35 != 0 || rest != 0:
		return state.TrapInexact, true
	}
	return 0, true
}

// sum64 returns a + b rounded to float64, and the rounding error.
func sum64(a, b float64) (s, rest float64) {
	s = a + b
	from := s - a
	return s, (a - (s - from)) + (b - from)
}

func (x *raising) fastSum() (state.TrapSts, bool) {
	a, b, _, ok := x.normals(2)
	if !ok {
		return 0, false
	}
	return roundedTo32(sum64(a, b))
}

func (x *raising) fastProduct() (state.TrapSts, bool) {
	a, b, _, ok := x.normals(2)
	if !ok {
		return 0, false
	}
	return roundedTo32(a*b, 0)
}

func (x *raising) fastFused() (state.TrapSts, bool) {
	a, b, c, ok := x.normals(3)
	if !ok {
		return 0, false
	}
	return roundedTo32(sum64(float64(a*b), c))
}

// fastReciprocal returns the exceptions of 1 / a, which is exact only for powers of 2.
func (x *raising) fastReciprocal() (state.TrapSts, bool) {
	a, _, _, ok := x.normals(1)
	switch e := x.a >> 23 & 0xff; {
	case !ok || a == 0 || e < 3 || e > 250:
		return 0, false
	case x.a<<41 != 0:
		return state.TrapInexact, true
	}
	return 0, true
}
