package main

import (
	"slices"

	"github.com/mmcloughlin/avo/operand"
)

// comparison gives a bit for each lane: set where holds has all bits set, or, with inverted,
// none.
type comparison struct {
	name     string
	operands func(g *gen, in gp) func(x ymm) ymm // of which holds is asked
	inverted bool
	holds    func(g *gen, a, b ymm) ymm
}

var comparisonOps = slices.Concat(
	[]comparison{
		{"eq u32", integerOperands, false, func(g *gen, a, b ymm) ymm { return g.equal(a, b) }},
		{"lt i32", integerOperands, false, func(g *gen, a, b ymm) ymm { return g.greater(b, a) }},
		{"lt u32", integerOperands, true, func(g *gen, a, b ymm) ymm { return g.equal(g.maxU(a, b), a) }},
		{"eq u16", wordOperands, false, func(g *gen, a, b ymm) ymm { return g.equal(a, b) }},
		{"lt i16", wordOperands, false, func(g *gen, a, b ymm) ymm { return g.greater(b, a) }},
		{"lt u16", wordOperands, true, func(g *gen, a, b ymm) ymm { return g.equal(g.maxU(a, b), a) }},
	},
	[]comparison{
		{"unscaled f32", integerOperands, false, func(g *gen, d, n ymm) ymm { return g.unscaled(d, n, 23, 127, 23, 96) }},
		{"unscaled f64", integerOperands, false, func(g *gen, d, n ymm) ymm { return g.unscaled(d, n, 20, 1023, 52, 768) }},
	},
	floatComparisons(" f32", floatOperands), floatComparisons(" f16", halfOperands),
)

// floatComparisons are those of one type of floats.
func floatComparisons(of string, operands func(g *gen, in gp) func(x ymm) ymm) (all []comparison) {
	for _, op := range []struct {
		name string
		how  int
	}{{"eq", cmpEQ}, {"lt", cmpLT}, {"le", cmpLE}, {"lg", cmpLG}, {"unordered", cmpUN}} {
		all = append(all, comparison{op.name + of, operands, false, func(g *gen, a, b ymm) ymm { return g.compare(a, b, op.how) }})
	}
	return all
}

// What becomes of operands before they are compared.

func integerOperands(*gen, gp) func(x ymm) ymm { return func(x ymm) ymm { return x } }

func wordOperands(g *gen, _ gp) func(x ymm) ymm { return func(x ymm) ymm { return g.shlBy(x, 16) } }

func floatOperands(g *gen, in gp) func(x ymm) ymm {
	mask := g.all(in)
	g.k(exponent)
	g.k(0)
	return func(x ymm) ymm { return g.flushed(x, mask) }
}

func halfOperands(g *gen, in gp) func(x ymm) ymm {
	f := flush{in: g.all(in)}
	for _, v := range []uint32{halfExponent, halfBits, 0} {
		g.k(v)
	}
	return func(x ymm) ymm { return g.widened(f, x) }
}

// unscaled holds where a division of n by d needs no scaling: of floats whose exponents end at bit
// mant and are biased, whose mantissa has so many bits, and whose quotients are scaled from far on.
func (g *gen) unscaled(d, n ymm, mant int, bias, mantissa, far uint32) ymm {
	exponentOf := func(x ymm) ymm { return g.shrBy(g.add(x, x), mant+1) }
	de, ne := exponentOf(d), exponentOf(n)
	quotient := g.sub(ne, de)
	r := g.and(g.greater(de, g.k(0)), g.greater(g.k(2*bias-1), de))
	r = g.and(r, g.greater(ne, g.k(mantissa)))
	return g.and(r, g.and(g.greater(g.k(far), quotient), g.greater(quotient, g.k(-(bias-1)))))
}

func compares(g *gen) {
	g.signOrder()
	t := table{name: "compareAVX2", of: "CompareOp"}
	for _, op := range comparisonOps {
		g.begin(&t, op.name, "func(a, b *[64]uint32, in uint32) uint64")
		a, b := g.arg("a"), g.arg("b")
		prepared := op.operands(g, g.arg32("in"))
		out := g.signs(func(i int) ymm {
			x, y := g.load(operand.Mem{Base: a, Disp: 32 * i}), g.load(operand.Mem{Base: b, Disp: 32 * i})
			return op.holds(g, prepared(x), prepared(y))
		})
		if op.inverted {
			g.NOTQ(out)
		}
		g.Store(out, g.ReturnIndex(0))
		g.end()
	}
	g.tables = append(g.tables, t)
}

// signOrder writes the constant that signs needs.
func (g *gen) signOrder() {
	g.constants16("sign_order", func(i int) byte { return byte(i>>1 + i&1*4) })
}

// signs returns the signs of 64 lanes as bits. eight gives group i of eight lanes, in turn.
func (g *gen) signs(eight func(i int) ymm) (out gp) {
	order := g.do1(g.VPMOVZXBD, g.data("sign_order"))
	four := func(i int) ymm {
		x := eight(i)
		return g.do(g.VPACKSSDW, eight(i+1), x)
	}
	for i := 0; i < 8; i += 4 {
		x := four(i)
		// Packing saturates, which keeps the sign, and goes on in each half of the register.
		packed := g.do(g.VPERMD, g.do(g.VPACKSSWB, four(i+2), x), order)
		part := g.GP64()
		g.VPMOVMSKB(packed, part.As32())
		if i == 0 {
			out = part
			continue
		}
		g.SHLQ(operand.U8(32), part)
		g.ORQ(part, out)
	}
	return out
}
