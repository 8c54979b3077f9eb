package main

import (
	"slices"

	"github.com/gcnsim/gcnsim/internal/base/vector"
	"github.com/mmcloughlin/avo/operand"
)

// comparison computes a bit for each lane, set where holds returns all bits set, or where it returns no bit set if
// inverted.
type comparison struct {
	name     string
	operands func(g *gen, in gp) func(x vec) vec // the operands that holds compares
	inverted bool
	holds    func(g *gen, a, b vec) vec
}

// comparisonOps returns the comparisons of package vector.
func comparisonOps() (all []comparison) {
	for _, op := range vector.Comparisons {
		all = append(all, comparisonOf(op))
	}
	return all
}

// halfComparisons exist for eight lanes only.
var halfComparisons = floatComparisons(" f16", halfOperands)

// floatComparisons returns the comparisons of one type of floats.
func floatComparisons(of string, operands func(g *gen, in gp) func(x vec) vec) (all []comparison) {
	for _, op := range []struct {
		name string
		how  int
	}{{"eq", cmpEQ}, {"lt", cmpLT}, {"le", cmpLE}, {"lg", cmpLG}, {"unordered", cmpUN}} {
		all = append(all, comparison{op.name + of, operands, false,
			func(g *gen, a, b vec) vec { return g.compare(a, b, op.how) }})
	}
	return all
}

// Conversions of operands before a comparison.

func halfOperands(g *gen, in gp) func(x vec) vec {
	f := flush{in: g.all(in)}
	for _, v := range []uint32{halfExponent, halfBits, 0} {
		g.k(v)
	}
	return func(x vec) vec { return g.widened(f, x) }
}

func compares(g *gen) {
	g.signOrder()
	g.compares(slices.Concat(comparisonOps(), halfComparisons))
}

// compares writes a table of comparisons.
func (g *gen) compares(ops []comparison) {
	t := table{name: "compare" + g.tier(), of: "CompareOp"}
	for _, op := range ops {
		g.begin(&t, op.name, "func(a, b *[64]uint32, in uint32) uint64")
		a, b := g.arg("a"), g.arg("b")
		prepared := op.operands(g, g.arg32("in"))
		out := g.signs(func(i int) vec {
			x, y := g.load(g.at(a, i)), g.load(g.at(b, i))
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

// signsOf returns the signs of a vector of sixteen lanes.
func (g *gen) signsOf(x vec) kr {
	if k, ok := g.spreads[x]; ok {
		return k
	}
	k := g.K()
	g.VPMOVD2M(x, k)
	return k
}

// signs returns the signs of 64 lanes as bits. vector returns vector i; it is called in ascending order.
func (g *gen) signs(vector func(i int) vec) (out gp) {
	if g.zmm {
		return g.signs16(vector)
	}
	return g.signs8(vector)
}

func (g *gen) signs16(sixteen func(i int) vec) (out gp) {
	two := func(i int, unpack func(low, high, d operand.Op), half func(i int) kr) kr {
		low := half(i)
		high, d := half(i+1), g.K()
		unpack(low, high, d)
		return d
	}
	all := two(0, g.KUNPCKDQ, func(i int) kr {
		return two(2*i, g.KUNPCKWD, func(i int) kr { return g.signsOf(sixteen(i)) })
	})
	out = g.GP64()
	g.KMOVQ(all, out)
	return out
}

func (g *gen) signs8(eight func(i int) vec) (out gp) {
	order := g.do1(g.VPMOVZXBD, g.data("sign_order"))
	four := func(i int) vec {
		x := eight(i)
		return g.do(g.VPACKSSDW, eight(i+1), x)
	}
	for i := 0; i < 8; i += 4 {
		x := four(i)
		// Packing saturates, which keeps the sign, and works in each half of the register by itself.
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
