package alu

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/gcnsim/gcnsim/internal/testkit/effort"
)

// The reference computes with big.Float at a precision that loses nothing, and rounds by its own code. It shares no
// code with softfloat.go.

// precOf returns a precision in bits at which sums and products of format f are exact.
func precOf(f format) uint { return uint(5*f.bias() + 250) }

// bigOf returns the value of v, which is finite.
func bigOf(f format, v uint64) *big.Float {
	m := int64(v & (1<<f.mant - 1))
	e := int(v >> f.mant & (1<<f.exp - 1))
	if e > 0 {
		m |= 1 << f.mant
	} else {
		e = 1
	}
	x := new(big.Float).SetPrec(precOf(f)).SetInt64(m)
	x.SetMantExp(x, e-f.bias()-int(f.mant))
	if v&f.sign() != 0 {
		x.Neg(x)
	}
	return x
}

// roundBig rounds x, which is not zero, to format f.
func roundBig(f format, x *big.Float, e env) uint64 {
	var sign uint64
	if x.Sign() < 0 {
		sign = f.sign()
	}
	abs := new(big.Float).SetPrec(precOf(f)).Abs(x)
	// Scale by the value of the result's last place, so that it becomes 1.
	place := max(abs.MantExp(nil)-1-int(f.mant), 1-f.bias()-int(f.mant))
	abs.SetMantExp(abs, -place)
	whole, _ := abs.Int(nil)
	rest := new(big.Float).SetPrec(precOf(f)).Sub(abs, new(big.Float).SetPrec(precOf(f)).SetInt(whole))
	up := false
	switch e.round {
	case roundNearestEven:
		c := rest.Cmp(big.NewFloat(0.5))
		up = c > 0 || c == 0 && whole.Bit(0) == 1
	case roundPlusInf:
		up = rest.Sign() > 0 && sign == 0
	case roundMinusInf:
		up = rest.Sign() > 0 && sign != 0
	}
	if up {
		whole.Add(whole, big.NewInt(1))
	}
	largest := bigOf(f, f.infinity()-1)
	r := new(big.Float).SetPrec(precOf(f)).SetInt(whole)
	r.SetMantExp(r, place)
	if r.Cmp(largest) > 0 {
		if e.round == roundToZero || e.round == roundPlusInf && sign != 0 || e.round == roundMinusInf && sign == 0 {
			return sign | (f.infinity() - 1)
		}
		return sign | f.infinity()
	}
	if r.Sign() == 0 {
		return sign
	}
	// Decode by the definition of the format.
	exp := r.MantExp(nil) - 1
	if exp < 1-f.bias() {
		if e.flushOut {
			return sign
		}
		r.SetMantExp(r, f.bias()-1+int(f.mant))
		m, _ := r.Uint64()
		return sign | m
	}
	r.SetMantExp(r, int(f.mant)-exp)
	m, _ := r.Uint64()
	return sign | uint64(exp+f.bias())<<f.mant | m&(1<<f.mant-1)
}

// refFMA computes a*b + c. addend tells whether c is added.
func refFMA(f format, a, b, c uint64, addend bool, e env) uint64 {
	nan := func(v uint64) bool { return v&^f.sign() > f.infinity() }
	inf := func(v uint64) bool { return v&^f.sign() == f.infinity() }
	in := func(v uint64) uint64 {
		if e.flushIn && v&f.infinity() == 0 {
			return v & f.sign()
		}
		return v
	}
	a, b, c = in(a), in(b), in(c)
	for _, v := range []uint64{a, b, c} {
		if nan(v) {
			return quietRef(f, v, e)
		}
	}
	sign := (a ^ b) & f.sign()
	zero := func(v uint64) bool { return v&^f.sign() == 0 }
	switch {
	case inf(a) && zero(b), zero(a) && inf(b):
		return f.sign() | f.infinity() | f.quietBit()
	case inf(a) || inf(b):
		if addend && inf(c) && c != sign|f.infinity() {
			return f.sign() | f.infinity() | f.quietBit()
		}
		return sign | f.infinity()
	case addend && inf(c):
		return c
	}
	p := new(big.Float).SetPrec(precOf(f)).Mul(bigOf(f, a), bigOf(f, b))
	if !addend {
		if p.Sign() == 0 {
			return sign
		}
		return roundBig(f, p, e)
	}
	s := new(big.Float).SetPrec(precOf(f)).Add(p, bigOf(f, c))
	if s.Sign() != 0 {
		return roundBig(f, s, e)
	}
	if (zero(a) || zero(b)) && zero(c) && sign == c&f.sign() {
		return sign
	}
	if e.round == roundMinusInf {
		return f.sign()
	}
	return 0
}

// interesting returns random floats: special values, values near one another or near the limits of the range, and any
// bits.
func interesting(r *rand.Rand, f format) uint64 {
	all := f.sign()<<1 - 1
	special := []uint64{0, 1, 2, f.quietBit(), 1<<f.mant - 1, 1 << f.mant, 1<<f.mant + 1, uint64(f.bias()) << f.mant,
		uint64(f.bias())<<f.mant + 1, uint64(f.bias())<<f.mant - 1, f.infinity() - 1, f.infinity(), f.infinity() + 1,
		f.infinity() | f.quietBit()}
	v := r.Uint64() & all
	switch r.IntN(6) {
	case 0:
		v = special[r.IntN(len(special))] | v&f.sign()
	case 1: // a value near one
		v = v&(f.sign()|1<<f.mant-1) | uint64(f.bias()+r.IntN(5)-2)<<f.mant
	case 2: // a value with few bits set
		v = v&f.sign() | uint64(f.bias()+r.IntN(2*int(f.mant))-int(f.mant))<<f.mant | 1<<r.IntN(int(f.mant)) | v&3
	case 3: // a small value
		v = v&(f.sign()|1<<f.mant-1) | uint64(r.IntN(3))<<f.mant
	}
	return v
}

func environments() (all []env) {
	for round := range rounding(4) {
		for bits := range 4 {
			all = append(all, env{round: round, flushIn: bits&1 != 0, flushOut: bits&2 != 0})
		}
	}
	return all
}

func TestSoftfloat(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, f := range []format{half, single, double} {
		for _, e := range environments() {
			e := quieting(e) // softfloat always quiets; see [signals]
			for range effort.Rounds(500) {
				a, b, c := interesting(r, f), interesting(r, f), interesting(r, f)
				check(t, fmt.Sprintf("%v %v fma(%#x, %#x, %#x)", f, e, a, b, c), f.fma(a, b, c, e), refFMA(f, a, b, c, true, e))
				check(t, fmt.Sprintf("%v %v mul(%#x, %#x)", f, e, a, b), f.mul(a, b, e), refFMA(f, a, b, 0, false, e))
				one := uint64(f.bias()) << f.mant
				check(t, fmt.Sprintf("%v %v add(%#x, %#x)", f, e, a, b), f.add(a, b, e), refFMA(f, a, one, b, true, e))
				if b&^f.sign() <= f.infinity() {
					check(t, fmt.Sprintf("%v %v sub(%#x, %#x)", f, e, a, b), f.sub(a, b, e), refFMA(f, a, one, b^f.sign(), true, e))
				}
			}
		}
	}
}

func check(t *testing.T, what string, got, want uint64) {
	t.Helper()
	if got != want {
		t.Errorf("%s is %#x, want %#x", what, got, want)
	}
}

func (f format) sub(a, b uint64, e env) uint64 {
	y := f.unpack(b, e.flushIn)
	if y.class != nan {
		y.neg = !y.neg
	}
	return f.pack(f.addNumbers(f.unpack(a, e.flushIn), y, e.round), e)
}

// fma computes a*b + c, rounded once. A NaN result is the first NaN of a, b, c.
func (f format) fma(a, b, c uint64, e env) uint64 {
	return f.pack(f.fmaNumbers(f.unpack(a, e.flushIn), f.unpack(b, e.flushIn), f.unpack(c, e.flushIn), e.round), e)
}

// mad computes a*b + c, rounding the product and then the sum.
func (f format) mad(a, b, c uint64, e env) uint64 { return f.add(f.mul(a, b, e), c, e) }
