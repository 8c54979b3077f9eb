package alu

import (
	"math"
	"math/bits"

	"github.com/gcnsim/gcnsim/state"
)

// Floating-point exceptions of operations on IEEE binary formats, computed from the operands alone (rule ST20).

// raising holds the operands of one lane and the rounding of the operation.
type raising struct {
	f       format
	a, b, c uint64 // 0 for an operand that the operation does not have
	e       env
	vcc     bool // the lane's bit of VCC
}

// operandExceptions returns the exceptions that the operands raise in every operation.
func (f format) operandExceptions(operands ...uint64) (x state.TrapSts) {
	for _, v := range operands {
		if f.isSNaN(v) {
			x |= state.TrapInvalid
		}
		if f.isDenormal(v) {
			x |= state.TrapInputDenormal
		}
	}
	return x
}

// roundingExceptions returns the exceptions of rounding n to format f. A number is tiny if it is below the smallest
// normal number after rounding with an unbounded exponent.
func (f format) roundingExceptions(n number, e env) state.TrapSts {
	if n.class != finite {
		return 0
	}
	drop := 63 - f.mant
	kept, rest := n.hi>>drop, n.hi<<(64-drop)
	if n.lo != 0 {
		rest |= 1
	}
	exp := n.exp
	if rest != 0 && e.up(n.neg, kept&1 != 0, rest, 1<<63) && kept+1 == 1<<(f.mant+1) {
		exp++
	}
	var inexact state.TrapSts
	if rest != 0 {
		inexact = state.TrapInexact
	}
	if exp > f.bias() {
		return state.TrapOverflow | state.TrapInexact
	}
	least := 1 - f.bias()
	if exp >= least {
		if n.exp >= least {
			return inexact
		}
		return state.TrapInexact // rounded up to a normal number
	}
	lost := drop + uint(least-n.exp)
	switch {
	case e.flushOut, lost >= 64, n.hi<<(64-lost) != 0, n.lo != 0:
		return state.TrapUnderflow | state.TrapInexact
	}
	return 0
}

// numbers returns the operands, unpacked.
func (x *raising) numbers() (a, b, c number) {
	return x.f.unpack(x.a, x.e.flushIn), x.f.unpack(x.b, x.e.flushIn), x.f.unpack(x.c, x.e.flushIn)
}

// operands returns the exceptions of the operands.
func (x *raising) operands() state.TrapSts { return x.f.operandExceptions(x.a, x.b, x.c) }

// operandsOnly returns the exceptions of an operation that raises only those of its operands.
func operandsOnly(x raising) state.TrapSts { return x.operands() }

// raiseFirstOperand does what operandsOnly does, for an operation whose other operands are integers.
func raiseFirstOperand(x raising) state.TrapSts { return x.f.operandExceptions(x.a) }

func raiseSum(x raising) state.TrapSts {
	if raised, ok := x.fastSum(); ok {
		return raised
	}
	a, b, _ := x.numbers()
	return x.operands() | x.f.sumExceptions(a, b, x.e)
}

func (f format) sumExceptions(a, b number, e env) state.TrapSts {
	if a.class == infinite && b.class == infinite && a.neg != b.neg {
		return state.TrapInvalid
	}
	return f.roundingExceptions(f.addNumbers(a, b, e.round), e)
}

func raiseDifference(x raising) state.TrapSts {
	x.b ^= x.f.sign()
	return raiseSum(x)
}

func raiseReverseDifference(x raising) state.TrapSts {
	x.a ^= x.f.sign()
	return raiseSum(x)
}

func raiseProduct(x raising) state.TrapSts {
	if raised, ok := x.fastProduct(); ok {
		return raised
	}
	a, b, _ := x.numbers()
	return x.f.operandExceptions(x.a, x.b) | x.f.productExceptions(a, b, x.e)
}

func (f format) productExceptions(a, b number, e env) state.TrapSts {
	if invalidProduct(a, b) {
		return state.TrapInvalid
	}
	return f.roundingExceptions(f.mulNumbers(a, b), e)
}

func invalidProduct(a, b number) bool {
	return a.class == infinite && b.class == zero || a.class == zero && b.class == infinite
}

// raiseFused raises the exceptions of a*b + c, rounded once. If c is a quiet NaN, an invalid product raises nothing.
func raiseFused(x raising) state.TrapSts {
	if raised, ok := x.fastFused(); ok {
		return raised
	}
	return x.fused(0)
}

func (x *raising) fused(by int) state.TrapSts {
	a, b, c := x.numbers()
	switch {
	case a.class == nan || b.class == nan || c.class == nan:
		return x.operands()
	case invalidProduct(a, b):
		return x.operands() | state.TrapInvalid
	}
	p := x.f.mulNumbers(a, b)
	if p.class == infinite && c.class == infinite && p.neg != c.neg {
		return x.operands() | state.TrapInvalid
	}
	s := x.f.addNumbers(p, c, x.e.round)
	s.exp += by
	return x.operands() | x.f.roundingExceptions(s, x.e)
}

// raiseDivFmas raises the exceptions of V_DIV_FMAS, which scales the result in the lanes of VCC.
func raiseDivFmas(x raising) state.TrapSts {
	by := 64
	if x.f == double {
		by = 128
	}
	switch {
	case !x.vcc:
		by = 0
	case x.f.exponent(x.c) <= x.f.bias():
		by = -by
	}
	return x.fused(by)
}

// raiseMultiplyAdd raises the exceptions of a rounded product and of the sum with c.
func raiseMultiplyAdd(x raising) state.TrapSts {
	raised := raiseProduct(x)
	sum := x
	sum.a, sum.b, sum.c = x.f.product(x.a, x.b, 0, x.e), x.c, 0
	product := x.f.unpack(sum.a, false)
	c := x.f.unpack(x.c, x.e.flushIn)
	return raised | x.f.operandExceptions(x.c) | x.f.sumExceptions(product, c, x.e)
}

// raiseMulLegacy raises the exceptions of V_MUL_LEGACY. It raises none if an operand is 0, because the product is 0.
func raiseMulLegacy(x raising) state.TrapSts {
	if x.f.isZero(x.a, x.e) || x.f.isZero(x.b, x.e) {
		return x.f.operandExceptions(x.a, x.b)
	}
	return raiseProduct(x)
}

func raiseMadLegacy(x raising) state.TrapSts {
	if x.f.isZero(x.a, x.e) || x.f.isZero(x.b, x.e) {
		return x.operands()
	}
	return raiseMultiplyAdd(x)
}

// quotient is a / b of finite numbers.
func quotient(a, b number) number {
	q := number{class: finite, neg: a.neg != b.neg, exp: a.exp - b.exp}
	hi, lo := a.hi>>1, a.hi<<63
	if a.hi < b.hi {
		hi, lo = a.hi, 0
		q.exp--
	}
	var rest uint64
	if q.hi, rest = bits.Div64(hi, lo, b.hi); rest != 0 {
		q.lo = 1
	}
	return q
}

// division returns the exceptions of a / b.
func (f format) division(a, b number, e env) state.TrapSts {
	switch {
	case a.class == nan || b.class == nan:
		return 0
	case a.class == zero && b.class == zero, a.class == infinite && b.class == infinite:
		return state.TrapInvalid
	case b.class == zero && a.class == finite:
		return state.TrapDivByZero
	case a.class == finite && b.class == finite:
		return f.roundingExceptions(quotient(a, b), e)
	}
	return 0
}

// raiseDivFixup raises the exceptions of the whole division SRC2 / SRC1.
func raiseDivFixup(x raising) state.TrapSts {
	_, d, n := x.numbers()
	return x.f.operandExceptions(x.b, x.c) | x.f.division(n, d, x.e)
}

func raiseReciprocal(x raising) state.TrapSts {
	if raised, ok := x.fastReciprocal(); ok {
		return raised
	}
	a, _, _ := x.numbers()
	one := number{class: finite, hi: 1 << 63}
	return x.operands() | x.f.division(one, a, x.e)
}

// raiseIntegerReciprocal raises the exceptions of V_RCP_IFLAG, which can only raise integer division by zero.
func raiseIntegerReciprocal(x raising) state.TrapSts {
	if x.f.isZero(x.a, x.e) {
		return state.TrapIntDivByZero
	}
	return 0
}

// odd returns n as an odd integer times a power of 2.
func (n *number) odd() (m uint64, exp int) {
	t := bits.TrailingZeros64(n.hi)
	return n.hi >> t, n.exp - 63 + t
}

func raiseRoot(x raising) state.TrapSts {
	a, _, _ := x.numbers()
	switch {
	case a.class == nan || a.class == zero:
		return x.operands()
	case a.neg:
		return x.operands() | state.TrapInvalid
	case a.class == infinite:
		return 0
	}
	m, exp := a.odd()
	root := uint64(math.Sqrt(float64(m))) // float64 is exact, since m has at most 53 bits
	if exp&1 == 0 && root*root == m {
		return x.operands()
	}
	return x.operands() | state.TrapInexact
}

var (
	raiseReciprocalRoot = raisePoleAtZero(func(m uint64, exp int) bool { return m == 1 && exp&1 == 0 })
	raiseLogarithm      = raisePoleAtZero(func(m uint64, _ int) bool { return m == 1 })
)

// raisePoleAtZero returns the raiser of a function that is defined for positive numbers and infinite at 0. exact
// reports whether the function of m * 2**exp, for an odd m, is a representable number.
func raisePoleAtZero(exact func(m uint64, exp int) bool) func(x raising) state.TrapSts {
	return func(x raising) state.TrapSts {
		a, _, _ := x.numbers()
		switch {
		case a.class == nan:
			return x.operands()
		case a.class == zero:
			return x.operands() | state.TrapDivByZero
		case a.neg:
			return x.operands() | state.TrapInvalid
		case a.class == infinite:
			return 0
		case exact(a.odd()):
			return x.operands()
		}
		return x.operands() | state.TrapInexact
	}
}

func raisePower(x raising) state.TrapSts {
	raised := x.operands()
	v := x.f.float(x.f.flushIf(x.a, x.e.flushIn))
	switch {
	case v != v || math.IsInf(v, 0):
		return raised
	case v > 1023:
		return raised | state.TrapOverflow | state.TrapInexact
	case v < -1022:
		return raised | state.TrapUnderflow | state.TrapInexact
	}
	n := double.unpack(math.Float64bits(math.Exp2(v)), false)
	if v != math.Trunc(v) {
		n.lo |= 1
	}
	return raised | x.f.roundingExceptions(n, x.e)
}

// raiseTrig raises the exceptions of the sine or cosine of an angle in turns. Multiples of a quarter turn are exact.
func raiseTrig(x raising) state.TrapSts {
	v := x.f.float(x.f.flushIf(x.a, x.e.flushIn))
	switch {
	case math.IsInf(v, 0):
		return state.TrapInvalid
	case v != v || math.Abs(v) > 256 || 4*v == math.Trunc(4*v):
		return x.operands()
	}
	return x.operands() | state.TrapInexact
}

func raiseFract(x raising) state.TrapSts {
	a, _, _ := x.numbers()
	if a.class == infinite {
		return state.TrapInvalid
	}
	floor := x.f.unpack(x.f.integer(x.a, roundMinusInf, x.e), false)
	floor.neg = !floor.neg
	return x.operands() | x.f.sumExceptions(a, floor, x.e)
}

// raiseScaled raises the exceptions of a * 2**by.
func (x *raising) raiseScaled(by int) state.TrapSts {
	const far = 1 << 16 // larger than the exponents of all formats
	a, _, _ := x.numbers()
	a.exp += min(max(by, -far), far)
	return x.f.operandExceptions(x.a) | x.f.roundingExceptions(a, x.e)
}

// raiseNarrow returns the raiser of a conversion to format t.
//
//go:noinline
func raiseNarrow(t format) func(x raising) state.TrapSts {
	return func(x raising) state.TrapSts {
		a, _, _ := x.numbers()
		return x.f.operandExceptions(x.a) | t.roundingExceptions(a, x.e)
	}
}

// raiseNarrowBoth raises the exceptions of converting two operands to float16.
func raiseNarrowBoth(x raising) state.TrapSts {
	a, b, _ := x.numbers()
	return x.operands() | half.roundingExceptions(a, x.e) | half.roundingExceptions(b, x.e)
}

// raiseOfInteger returns the raiser of a conversion of an integer to format t. value decodes the integer.
//
//go:noinline
func raiseOfInteger(t format, value func(a uint64) int64) func(x raising) state.TrapSts {
	return func(x raising) state.TrapSts {
		v := value(x.a)
		n := number{class: finite, neg: v < 0, exp: 63, hi: uint64(max(v, -v))}
		n.normalize()
		return t.roundingExceptions(n, x.e)
	}
}

// raiseToInteger returns the raiser of a conversion towards 0 to an integer in [lo, hi].
//
//go:noinline
func raiseToInteger(lo, hi float64) func(x raising) state.TrapSts {
	return func(x raising) state.TrapSts {
		v := x.f.float(x.f.flushIf(x.a, x.e.flushIn))
		raised := x.f.operandExceptions(x.a)
		switch whole := math.Trunc(v); {
		case v != v || whole < lo || whole > hi:
			return raised | state.TrapInvalid
		case whole != v:
			return raised | state.TrapInexact
		}
		return raised
	}
}

// raiseUnordered raises invalid if an operand is a NaN, as V_CMPS does.
func raiseUnordered(x raising) state.TrapSts {
	raised := x.operands()
	if x.f.isNaN(x.a) || x.f.isNaN(x.b) {
		raised |= state.TrapInvalid
	}
	return raised
}
