package alu

import (
	"math/bits"

	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/base/simd"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/state"
)

// The instructions of a division sequence: V_DIV_SCALE, V_RCP, V_FMA, V_DIV_FMAS, V_DIV_FIXUP. Source: AMD Vega and
// RDNA3 ISA manuals; for the factors of V_DIV_FMAS also CLRX.

// divideOps are the division instructions that use no lane mask.
var divideOps = executor.Bindings[softOp]{
	"v_div_fixup_f16": {op: format.divFixup}, "v_div_fixup_legacy_f16": {op: format.divFixup},
}

// fixupF64 computes divFixup of float64. In the common case it only sets the sign.
func fixupF64(d, q, b, n pair, m state.Mode, active uint64) {
	const sign, exponent = 1 << 31, 0x7ff
	e := envOf(isa.F64, m)
	for ; active != 0; active &= active - 1 {
		i := bits.TrailingZeros64(active) & 63
		qe, de, ne := q.hi[i]>>20&exponent, b.hi[i]>>20&exponent, n.hi[i]>>20&exponent
		if qe != exponent && de-1 < exponent-1 && ne-1 < exponent-1 && int(ne)-int(de) >= -(1023+52) {
			d.lo[i], d.hi[i] = q.lo[i], (b.hi[i]^n.hi[i])&sign|q.hi[i]&^sign
		} else {
			d.set(i, double.divFixup(q.at(i), b.at(i), n.at(i), e))
		}
	}
}

// divFixup sets the sign of the quotient q of n/d and handles special operands.
func (f format) divFixup(q, d, n uint64, e env) uint64 {
	sign := (d ^ n) & f.sign()
	d0, n0 := f.flushIf(d, e.flushIn)&^f.sign(), f.flushIf(n, e.flushIn)&^f.sign()
	inf := f.infinity()
	switch {
	case f.isNaN(n):
		return f.quiet(n)
	case f.isNaN(d):
		return f.quiet(d)
	case d0 == 0 && n0 == 0, d0 == inf && n0 == inf:
		return f.defaultNaN()
	case d0 == 0 || n0 == inf:
		return sign | inf
	case d0 == inf || n0 == 0:
		return sign
	case f.mant > half.mant && f.exponent(n0)-f.exponent(d0) < -(f.bias()+int(f.mant)):
		// the quotient underflows
		return f.pack(number{class: finite, neg: sign != 0, exp: -f.bias() - 2*int(f.mant), hi: 1 << 63}, e)
	case f.isNaN(q): // the instructions before overflowed (CLRX, V_DIV_FIXUP_F32)
		return sign | inf
	}
	return sign | q&^f.sign()
}

// exponent is the biased exponent of v.
func (f format) exponent(v uint64) int { return int(v >> f.mant & (1<<f.exp - 1)) }

// divScale scales a, which is the denominator d or the numerator n, so that the following instructions do not
// overflow or lose bits. flag tells V_DIV_FMAS to scale back. Tests on RDNA3 hardware show that exponents decide
// whether a quotient would be denormal, and that zeros set the flag (tinygrad, test_vop3).
func (f format) divScale(a, d, n uint64, e env) (v uint64, flag bool) {
	by, far := 64, 96
	if f == double {
		by, far = 128, 768
	}
	a, d, n = f.flushIf(a, e.flushIn), f.flushIf(d, e.flushIn), f.flushIf(n, e.flushIn)
	scaled := func(n int) uint64 {
		if f.isNaN(a) { // a NaN is not quieted, whatever MODE selects (rule FP1)
			return a
		}
		return f.ldexp(a, n, env{})
	}
	tinyReciprocal := f.exponent(d) >= 2*f.bias()-1
	tinyQuotient := f.exponent(n)-f.exponent(d) <= 1-f.bias()
	switch {
	case d&^f.sign() == 0 || n&^f.sign() == 0:
		return f.defaultNaN(), true
	case f.exponent(n)-f.exponent(d) >= far:
		if f.equal(a, d) {
			return scaled(by), true
		}
		return a, true
	case f.isDenormal(d):
		return scaled(by), false
	case tinyReciprocal && tinyQuotient:
		// The manuals print the opposite direction, with which the denominator overflows and the division fails.
		if f.equal(a, d) {
			return scaled(-by), true
		}
		return a, true
	case tinyReciprocal:
		return scaled(-by), false
	case tinyQuotient:
		if f.equal(a, n) {
			return scaled(by), true
		}
		return a, true
	case f.exponent(n) <= int(f.mant):
		return scaled(by), false
	}
	return a, false
}

// divScaleOp returns the kernel of V_DIV_SCALE. SRC0 is the value to scale, SRC1 the denominator, SRC2 the numerator.
//
//go:noinline
func divScaleOp(t isa.Type) carryOp {
	f, unscaled := formatOf(t), simd.Compare("unscaled f32")
	if f == double {
		unscaled = simd.Compare("unscaled f64")
	}
	return func(d, a, b, c pair, _ uint64, m state.Mode, active uint64) (out uint64) {
		// In the common case no lane is scaled.
		if (a == b || a == c) && active&^unscaled(b.top(), c.top(), 0) == 0 {
			a.copyTo(d)
			return 0
		}
		e := envOf(t, m)
		for ; active != 0; active &= active - 1 {
			i := bits.TrailingZeros64(active) & 63
			v, flag := f.divScale(a.get(i, t), b.get(i, t), c.get(i, t), e)
			d.put(i, t, v)
			if flag {
				out |= 1 << i
			}
		}
		return out
	}
}

// divFmasOp returns the kernel of V_DIV_FMAS: a fused multiply-add whose result is scaled in the lanes of VCC, up or
// down depending on the exponent of SRC2.
//
//go:noinline
func divFmasOp(t isa.Type) carryOp {
	f := formatOf(t)
	by := 64
	if f == double {
		by = 128
	}
	return func(d, a, b, c pair, vcc uint64, m state.Mode, active uint64) uint64 {
		switch {
		case vcc&active != 0:
		case f == double:
			fmaF64(d, a, b, c, m, active)
			return 0
		default:
			fmaF32(d.lo, a.lo, b.lo, c.lo, m, active)
			return 0
		}
		e := envOf(t, m)
		for ; active != 0; active &= active - 1 {
			i := bits.TrailingZeros64(active) & 63
			x, y, z := a.get(i, t), b.get(i, t), c.get(i, t)
			scale := 0
			switch {
			case vcc>>i&1 == 0:
			case f.exponent(z) > f.bias():
				scale = by
			default:
				scale = -by
			}
			d.put(i, t, f.fusedScaled(x, y, z, scale, e))
		}
		return 0
	}
}

// top returns the register that contains the exponent.
func (p pair) top() *lanes {
	if p.hi != nil {
		return p.hi
	}
	return p.lo
}

// copyTo copies p to d.
func (p pair) copyTo(d pair) {
	*d.lo = *p.lo
	if d.hi != nil {
		*d.hi = *p.hi
	}
}
