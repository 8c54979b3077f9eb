//go:build !js

package vector

import "slices"

// Comparisons are the comparisons of operands of up to 32 bits, without those of float16.
var Comparisons = slices.Concat(
	[]Comparison{
		{"eq u32", whole32, false, func(e *Code, a, b Value) Value { return e.equal(a, b) }},
		{"lt i32", whole32, false, func(e *Code, a, b Value) Value { return e.greater(b, a) }},
		{"lt u32", whole32, true, func(e *Code, a, b Value) Value { return e.equal(e.maxU(a, b), a) }},
		{"eq u16", atTop, false, func(e *Code, a, b Value) Value { return e.equal(a, b) }},
		{"lt i16", atTop, false, func(e *Code, a, b Value) Value { return e.greater(b, a) }},
		{"lt u16", atTop, true, func(e *Code, a, b Value) Value { return e.equal(e.maxU(a, b), a) }},

		{"unscaled f32", whole32, false, func(e *Code, d, n Value) Value { return e.unscaled(d, n, 23, 127, 23, 96) }},
		{"unscaled f64", whole32, false, func(e *Code, d, n Value) Value { return e.unscaled(d, n, 20, 1023, 52, 768) }},
	},
	floatComparisons(),
)

// floatComparisons are the comparisons of float32.
func floatComparisons() (all []Comparison) {
	for _, op := range []struct {
		name string
		how  int
	}{{"eq", cmpEQ}, {"lt", cmpLT}, {"le", cmpLE}, {"lg", cmpLG}, {"unordered", cmpUN}} {
		all = append(all, Comparison{op.name + " f32", (*Code).Flushed, false,
			func(e *Code, a, b Value) Value { return e.compare(a, b, op.how) }})
	}
	return all
}

func whole32(_ *Code, x, _ Value) Value { return x }

// atTop shifts 16 bits to the upper half, so that the sign is in bit 31.
func atTop(e *Code, x, _ Value) Value { return e.shlBy(x, 16) }

// unscaled returns a mask of the lanes in which a division of n by d needs no scaling. The exponent of the floats
// starts at bit mant and has the given bias; mantissa is the number of mantissa bits, and far the exponent from which
// quotients are scaled.
func (e *Code) unscaled(d, n Value, mant int, bias, mantissa, far uint32) Value {
	exponentOf := func(x Value) Value { return e.shrBy(e.add(x, x), mant+1) }
	de, ne := exponentOf(d), exponentOf(n)
	quotient := e.sub(ne, de)
	r := e.and(e.greater(de, e.k(0)), e.greater(e.k(2*bias-1), de))
	r = e.and(r, e.greater(ne, e.k(mantissa)))
	return e.and(r, e.and(e.greater(e.k(far), quotient), e.greater(quotient, e.k(-(bias-1)))))
}
