//go:build !js

package vector

// Operations on float32. A kernel first computes all lanes by host arithmetic, keeping the results in registers, and
// searches for a lane in which MODE or the selection of a NaN matters: a denormal, an infinity or a NaN. If there is
// none, it writes the results. Otherwise it computes again, group by group, with flushing and NaN selection.

const (
	exponent   = 0x7f800000
	signBit    = 0x80000000
	defaultNaN = 0xffc00000
	quietBit   = 0x00400000

	magMin  = 1 << 24           // bits of the smallest normal number without the sign, times two
	magInf  = 0xff << 24        // infinity: bits without the sign, times two
	magSafe = (127 - 100) << 24 // a denormal addend does not change a sum of at least 2**-100
)

func (e *Code) noteOperand(x Value) { e.Emit(Instr{Op: NoteOperand, X: x}) }
func (e *Code) noteFinite(x Value)  { e.Emit(Instr{Op: NoteFinite, X: x}) }

// Flushed replaces denormals by zero with their sign, in the bits of mask.
func (e *Code) Flushed(x, mask Value) Value {
	if mask == 0 {
		return x
	}
	small := e.equal(e.and(x, e.k(exponent)), e.k(0))
	return e.andNot(x, e.and(small, mask))
}

// NaN replaces the NaN that x86 returns for an invalid operation. If an operand is NaN, x86 returns the first one.
func (e *Code) NaN(r, x, y Value) Value {
	invalid := e.andNot(e.unordered(r, r), e.unordered(x, y))
	return e.blend(r, e.k(defaultNaN), invalid)
}

// Comparisons of floats, numbered as for VCMPPS.
const (
	cmpEQ = 0x00
	cmpUN = 0x03
	cmpLG = 0x0c
	cmpLT = 0x11
	cmpLE = 0x12
	cmpGE = 0x1d
)

func (e *Code) unordered(x, y Value) Value { return e.compare(x, y, cmpUN) }

// sum returns the two versions of an addition or subtraction.
func sum(op func(e *Code, x, y Value) Value) (plain plainOp, full fullOp) {
	return func(e *Code, a, b, _ Value) Value {
			r := op(e, a, b)
			e.noteFinite(r)
			return r
		}, func(e *Code, f Flush, a, b, _ Value) Value {
			x, y := e.Flushed(a, f.In), e.Flushed(b, f.In)
			return e.Flushed(e.NaN(op(e, x, y), x, y), f.Out)
		}
}

// product adds the notes that a product needs. An infinity or a NaN is visible in the result.
func product(e *Code, a, b Value) Value {
	r := e.mulPS(a, b)
	e.noteOperand(a)
	e.noteOperand(b)
	return r
}

func fullProduct(e *Code, f Flush, a, b Value) Value {
	x, y := e.Flushed(a, f.In), e.Flushed(b, f.In)
	return e.Flushed(e.NaN(e.mulPS(x, y), x, y), f.Out)
}

// order maps floats to signed integers in the same order; -0 is directly below +0.
func (e *Code) order(x Value) Value { return e.xor(x, e.shrBy(e.sarBy(x, 31), 1)) }

// extreme returns a minimum or maximum outside of IEEE mode: of a NaN and another value it selects the other.
func extreme(less func(e *Code, x, y Value) Value) func(e *Code, f Flush, a, b, c Value) Value {
	return func(e *Code, f Flush, a, b, _ Value) Value {
		x, y := e.Flushed(a, f.In), e.Flushed(b, f.In)
		r := e.blend(x, y, less(e, e.order(y), e.order(x)))
		r = e.blend(r, x, e.unordered(y, y))
		return e.blend(r, y, e.unordered(x, x))
	}
}

// Floats are the operations on float32, which package simd defines.
var Floats = floatOps()

func floatOps() []Float {
	addPlain, addFull := sum((*Code).addPS)
	subPlain, subFull := sum((*Code).subPS)
	full := func(name string, n int, body fullOp) Float { return Float{Name: name, N: n, Full: body} }
	return []Float{
		{Name: "add", N: 2, Least: magSafe, Plain: addPlain, Full: addFull},
		{Name: "sub", N: 2, Least: magSafe, Plain: subPlain, Full: subFull},
		{Name: "mul", N: 2, Least: magMin, Plain: func(e *Code, a, b, _ Value) Value {
			r := product(e, a, b)
			e.noteFinite(r)
			return r
		}, Full: func(e *Code, f Flush, a, b, _ Value) Value { return fullProduct(e, f, a, b) }},
		{Name: "mad", N: 3, Least: magMin, Plain: func(e *Code, a, b, c Value) Value {
			p := product(e, a, b)
			r := e.addPS(p, c)
			e.noteOperand(p)
			e.noteOperand(c)
			e.noteFinite(r)
			return r
		}, Full: func(e *Code, f Flush, a, b, c Value) Value {
			return addFull(e, f, fullProduct(e, f, a, b), c, 0)
		}},
		{Name: "fma", N: 3, Least: magMin, Plain: func(e *Code, a, b, c Value) Value {
			r := e.fmaPS(a, b, c)
			e.noteOperand(a)
			e.noteOperand(b)
			e.noteOperand(c)
			e.noteFinite(r)
			return r
		}, Full: fusedFull},
		full("min", 2, least), full("max", 2, greatest),
		full("min3", 3, three(least)), full("max3", 3, three(greatest)),
		full("trunc", 1, whole(3)), full("ceil", 1, whole(2)), full("floor", 1, whole(1)), full("rndne", 1, whole(0)),
		full("fract", 1, func(e *Code, f Flush, a, _, _ Value) Value {
			x := e.Flushed(a, f.In)
			r := e.Flushed(e.subPS(x, whole(1)(e, f, x, 0, 0)), f.Out)
			r = e.minU(r, e.k(belowOne)) // lanes in which neither is negative
			special := e.equal(e.and(x, e.k(exponent)), e.k(exponent))
			return e.blend(r, e.or(x, e.k(quietBit)), special)
		}),
		full("mul legacy", 2, legacy),
		full("mad legacy", 3, func(e *Code, f Flush, a, b, c Value) Value {
			return addFull(e, f, legacy(e, f, a, b, 0), c, 0)
		}),
		{Name: "med3", N: 3, Full: median3, Eight: true},
		full("clamp", 1, func(e *Code, f Flush, a, _, _ Value) Value {
			r := e.minU(e.andNot(a, e.sarBy(a, 31)), e.k(one))
			return e.blend(r, e.andNot(a, e.sarBy(e.shlBy(f.In, 1), 31)), e.unordered(a, a))
		}),
		{Name: "rcp", N: 1, Full: inDoubles((*Code).reciprocal), Eight: true},
		{Name: "rsq", N: 1, Full: inDoubles(func(e *Code, x Value) Value {
			return e.reciprocal(e.one(SqrtPD, x))
		}), Eight: true},
		{Name: "sqrt", N: 1, Full: inDoubles(func(e *Code, x Value) Value { return e.one(SqrtPD, x) }), Eight: true},
	}
}

// reciprocal returns 1 / x in float64.
func (e *Code) reciprocal(x Value) Value { return e.two(DivPD, e.one(LowPD, e.k(one)), x) }

// inDoubles returns op computed in float64. The host's NaN of an invalid operation is the negative one.
func inDoubles(op func(e *Code, x Value) Value) fullOp {
	return func(e *Code, f Flush, a, _, _ Value) Value {
		x := e.Flushed(a, f.In)
		low, high := op(e, e.one(LowPD, x)), op(e, e.one(HighPD, x))
		return e.Flushed(e.two(Singles, low, high), f.Out)
	}
}

func fusedFull(e *Code, f Flush, a, b, c Value) Value {
	x, y, z := e.Flushed(a, f.In), e.Flushed(b, f.In), e.Flushed(c, f.In)
	r := e.fmaPS(x, y, z)
	n := e.k(defaultNaN) // the NaN inserted last is the first operand
	for _, v := range []Value{z, y, x} {
		n = e.blend(n, e.or(v, e.k(quietBit)), e.unordered(v, v))
	}
	return e.Flushed(e.blend(r, n, e.unordered(r, r)), f.Out)
}

func median3(e *Code, f Flush, a, b, c Value) Value {
	x, y, z := e.Flushed(a, f.In), e.Flushed(b, f.In), e.Flushed(c, f.In)
	top := three(greatest)(e, f, x, y, z)
	r := e.blend(greatest(e, f, x, y, 0), greatest(e, f, x, z, 0), e.compare(top, y, cmpEQ))
	r = e.blend(r, greatest(e, f, y, z, 0), e.compare(top, x, cmpEQ))
	return e.blend(r, three(least)(e, f, x, y, z), e.or(e.unordered(x, y), e.unordered(z, z)))
}

const (
	one      = 0x3f800000
	belowOne = one - 1
)

type plainOp = func(e *Code, a, b, c Value) Value

type fullOp = func(e *Code, f Flush, a, b, c Value) Value

var (
	least    = extreme(func(e *Code, x, y Value) Value { return e.greater(y, x) })
	greatest = extreme(func(e *Code, x, y Value) Value { return e.greater(x, y) })
)

// three returns an extreme of three operands.
func three(op fullOp) fullOp {
	return func(e *Code, f Flush, a, b, c Value) Value { return op(e, f, op(e, f, a, b, 0), c, 0) }
}

// whole returns the operation that rounds to an integer in a direction of VROUNDPS.
func whole(direction int) fullOp {
	return func(e *Code, f Flush, a, _, _ Value) Value {
		return e.by(RoundPS, e.Flushed(a, f.In), uint32(direction))
	}
}

// legacy returns a product that is 0 if a factor is 0.
func legacy(e *Code, f Flush, a, b, _ Value) Value {
	x, y := e.Flushed(a, f.In), e.Flushed(b, f.In)
	zero := e.or(e.compare(x, e.k(0), cmpEQ), e.compare(y, e.k(0), cmpEQ))
	return e.andNot(fullProduct(e, f, x, y), zero)
}
