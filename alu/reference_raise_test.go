package alu

import (
	"math/big"

	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/state"
)

// The exceptions of IEEE 754, computed with math/big and without functions of this package.

// bigPrec is a precision in bits at which the sum of two products of float64 is exact.
const bigPrec = 4600

// ieee is a float format, described by its precision and exponents.
type ieee struct {
	prec        uint
	least, most int // exponents of the smallest and the largest normal number
	width       uint
}

var ieeeOf = map[isa.Type]ieee{isa.F16: {11, -14, 15, 16}, isa.V2F16: {11, -14, 15, 16}, isa.F32: {24, -126, 127, 32},
	isa.F64: {53, -1022, 1023, 64}}

// operand is a decoded number. NaN and infinities have no value.
type operand struct {
	value                        *big.Float // nil if not finite
	neg, nan, signals, inf, tiny bool
}

func (t ieee) decode(v uint64, flush bool) (o operand) {
	mant := t.prec - 1
	m, e := v%(1<<mant), v>>mant%(1<<(t.width-t.prec))
	o.neg = v>>(t.width-1) == 1
	switch {
	case e == 1<<(t.width-t.prec)-1 && m == 0:
		o.inf = true
		return o
	case e == 1<<(t.width-t.prec)-1:
		o.nan, o.signals = true, m>>(mant-1) == 0
		return o
	}
	exp := t.least - int(mant)
	if e == 0 {
		if o.tiny = m != 0; o.tiny && flush {
			m = 0
		}
	} else {
		m, exp = m+1<<mant, exp+int(e)-1
	}
	x := new(big.Float).SetPrec(bigPrec).SetUint64(m)
	o.value = x.SetMantExp(x, exp)
	if o.neg {
		o.value.Neg(o.value)
	}
	return o
}

func (o operand) zero() bool { return o.value != nil && o.value.Sign() == 0 }

// given returns the exceptions that the operands raise by themselves.
func given(all ...operand) (x state.TrapSts) {
	for _, o := range all {
		if o.signals {
			x |= state.TrapInvalid
		}
		if o.tiny {
			x |= state.TrapInputDenormal
		}
	}
	return x
}

var bigRounding = [4]big.RoundingMode{big.ToNearestEven, big.ToPositiveInf, big.ToNegativeInf, big.ToZero}

// rounded returns the exceptions of rounding v, and the rounded value, nil for an infinity.
func (t ieee) rounded(v *big.Float, round int, flush bool) (x state.TrapSts, r *big.Float) {
	r = new(big.Float).SetPrec(t.prec).SetMode(bigRounding[round]).Set(v)
	if v.Sign() == 0 {
		return 0, r
	}
	inexact := r.Cmp(v) != 0 || v.Acc() != big.Exact
	exp := r.MantExp(nil) - 1
	switch {
	case exp > t.most:
		largest := new(big.Float).SetPrec(t.prec).SetMantExp(big.NewFloat(1), t.most+1)
		largest.Sub(largest, new(big.Float).SetMantExp(big.NewFloat(1), t.most+1-int(t.prec)))
		switch neg := v.Signbit(); {
		case round == 3, round == 1 && neg, round == 2 && !neg:
			if r = largest; neg {
				r.Neg(r)
			}
		default:
			r = nil
		}
		return state.TrapOverflow | state.TrapInexact, r
	case exp < t.least:
		units := new(big.Float).SetPrec(bigPrec)
		units.SetMantExp(v, -(t.least - int(t.prec) + 1))
		if flush || !units.IsInt() || v.Acc() != big.Exact {
			return state.TrapUnderflow | state.TrapInexact, new(big.Float).SetPrec(t.prec)
		}
		return 0, r
	case inexact:
		return state.TrapInexact, r
	}
	return 0, r
}

// raiseLane holds the operands of one lane and the rounding of its result.
type raiseLane struct {
	o     [3]operand
	bits  [3]uint64
	to    ieee
	round int
	flush bool
}

func exact() *big.Float { return new(big.Float).SetPrec(bigPrec) }

func (l *raiseLane) is(v *big.Float) state.TrapSts {
	x, _ := l.to.rounded(v, l.round, l.flush)
	return x
}

func (l *raiseLane) plus(a, b operand) state.TrapSts {
	switch {
	case a.nan || b.nan:
		return 0
	case a.inf && b.inf && a.neg != b.neg:
		return state.TrapInvalid
	case a.inf || b.inf:
		return 0
	}
	return l.is(exact().Add(a.value, b.value))
}

func minus(o operand) operand {
	o.neg = !o.neg
	if o.value != nil {
		o.value = exact().Neg(o.value)
	}
	return o
}

func (l *raiseLane) times(a, b operand) (state.TrapSts, operand) {
	neg := a.neg != b.neg
	switch {
	case a.nan || b.nan:
		return 0, operand{nan: true}
	case a.inf && b.zero() || a.zero() && b.inf:
		return state.TrapInvalid, operand{nan: true}
	case a.inf || b.inf:
		return 0, operand{inf: true, neg: neg}
	}
	x, r := l.to.rounded(exact().Mul(a.value, b.value), l.round, l.flush)
	if r == nil {
		return x, operand{inf: true, neg: neg}
	}
	return x, operand{value: r, neg: neg}
}

func (l *raiseLane) over(a, b operand) state.TrapSts {
	switch {
	case a.nan || b.nan:
		return 0
	case a.inf && b.inf, a.zero() && b.zero():
		return state.TrapInvalid
	case b.zero() && !a.inf:
		return state.TrapDivByZero
	case a.inf || b.inf || a.zero():
		return 0
	}
	return l.is(exact().Quo(a.value, b.value))
}

func raiseFma(l *raiseLane) state.TrapSts {
	a, b, c := l.o[0], l.o[1], l.o[2]
	neg := a.neg != b.neg
	switch {
	case a.nan || b.nan || c.nan:
		return 0
	case a.inf && b.zero() || a.zero() && b.inf:
		return state.TrapInvalid
	case (a.inf || b.inf) && c.inf && neg != c.neg:
		return state.TrapInvalid
	case a.inf || b.inf || c.inf:
		return 0
	}
	return l.is(exact().Add(exact().Mul(a.value, b.value), c.value))
}

// root returns the exceptions of the square root of a, or of its inverse.
func (l *raiseLane) root(a operand, inverse bool) state.TrapSts {
	switch {
	case a.nan:
		return 0
	case a.zero() && inverse:
		return state.TrapDivByZero
	case a.zero():
		return 0
	case a.neg:
		return state.TrapInvalid
	case a.inf:
		return 0
	}
	v := new(big.Float).SetPrec(400).Sqrt(a.value)
	if inverse {
		v = new(big.Float).SetPrec(400).Quo(big.NewFloat(1), v)
	}
	r := new(big.Float).SetPrec(l.to.prec).Set(v)
	square := exact().Mul(r, r)
	if inverse {
		square.Mul(square, a.value)
		if square.Cmp(big.NewFloat(1)) == 0 {
			return 0
		}
	} else if square.Cmp(a.value) == 0 {
		return 0
	}
	return state.TrapInexact
}

func whole(l *raiseLane, least, most int64) state.TrapSts {
	a := l.o[0]
	if a.value == nil {
		return state.TrapInvalid
	}
	i, acc := a.value.Int(nil)
	switch {
	case i.Cmp(big.NewInt(least)) < 0 || i.Cmp(big.NewInt(most)) > 0:
		return state.TrapInvalid
	case acc != big.Exact:
		return state.TrapInexact
	}
	return 0
}

// raiseScaledFma does what raiseFma does, with the exact result scaled by the exponent of the addend.
func raiseScaledFma(l *raiseLane) state.TrapSts {
	by := 64
	if l.to.width == 64 {
		by = 128
	}
	if l.bits[2]>>(l.to.prec-1)%(1<<(l.to.width-l.to.prec)) <= uint64(l.to.most) {
		by = -by
	}
	factor := exact().SetMantExp(big.NewFloat(1), by)
	for _, n := range []int{0, 2} {
		if v := l.o[n].value; v != nil {
			l.o[n].value = exact().Mul(v, factor)
		}
	}
	return raiseFma(l)
}

// raiseFraction returns the exceptions of a - floor(a).
func raiseFraction(l *raiseLane) state.TrapSts {
	a := l.o[0]
	switch {
	case a.inf:
		return state.TrapInvalid
	case a.nan:
		return 0
	}
	floor, acc := a.value.Int(nil)
	if acc == big.Above { // the number is negative
		floor.Sub(floor, big.NewInt(1))
	}
	return l.is(exact().Sub(a.value, exact().SetInt(floor)))
}

// raiseLog returns the exceptions of the logarithm to base 2, which is exact for powers of 2.
func raiseLog(l *raiseLane) state.TrapSts {
	a := l.o[0]
	switch {
	case a.nan || a.inf && !a.neg:
		return 0
	case a.zero():
		return state.TrapDivByZero
	case a.neg:
		return state.TrapInvalid
	}
	if m := exact(); a.value.MantExp(m) > -1e6 && m.Cmp(big.NewFloat(0.5)) == 0 {
		return 0
	}
	return state.TrapInexact
}

// raiseExp2 returns the exceptions of 2 to the power a, which is exact for integers and irrational otherwise. Near an
// integer other than 0, a has too few bits for 2**a to be so close to the power of 2 that rounding reaches it.
func raiseExp2(l *raiseLane) state.TrapSts {
	a := l.o[0]
	if a.value == nil {
		return 0
	}
	switch v, _ := a.value.Float64(); {
	case v >= float64(l.to.most+1):
		return state.TrapOverflow | state.TrapInexact
	case v < float64(l.to.least-int(l.to.prec)+1):
		return state.TrapUnderflow | state.TrapInexact
	case a.value.IsInt():
		return l.is(exact().SetMantExp(big.NewFloat(1), int(v)))
	case v < float64(l.to.least):
		return state.TrapUnderflow | state.TrapInexact
	}
	return state.TrapInexact
}

// raiseTurns returns the exceptions of the sine of a turns. It is exact for multiples of a quarter turn, and 0 or 1
// beyond 256 turns.
func raiseTurns(l *raiseLane) state.TrapSts {
	a := l.o[0]
	switch {
	case a.inf:
		return state.TrapInvalid
	case a.nan, exact().Abs(a.value).Cmp(big.NewFloat(256)) > 0, exact().Mul(a.value, big.NewFloat(4)).IsInt():
		return 0
	}
	return state.TrapInexact
}
