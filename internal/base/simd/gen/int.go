package main

import (
	"github.com/gcnsim/gcnsim/internal/base/vector"
	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/operand"
)

// integer is an operation on one to three integers.
type integer struct {
	name string
	n    int
	// constants that body uses, loaded before the loop
	consts []uint32
	body   func(g *gen, a, b, c vec) vec
}

// Functions for single instructions on vectors, the left operand first.
func (g *gen) add(x, y vec) vec       { return g.do(g.VPADDD, y, x) }
func (g *gen) sub(x, y vec) vec       { return g.do(g.VPSUBD, y, x) }
func (g *gen) mul(x, y vec) vec       { return g.do(g.VPMULLD, y, x) }
func (g *gen) and(x, y vec) vec       { return g.either(g.VPAND, g.VPANDD, y, x) }
func (g *gen) or(x, y vec) vec        { return g.either(g.VPOR, g.VPORD, y, x) }
func (g *gen) xor(x, y vec) vec       { return g.either(g.VPXOR, g.VPXORD, y, x) }
func (g *gen) andNot(x, y vec) vec    { return g.either(g.VPANDN, g.VPANDND, x, y) } // x &^ y
func (g *gen) shl(x, n vec) vec       { return g.do(g.VPSLLVD, n, x) }
func (g *gen) shr(x, n vec) vec       { return g.do(g.VPSRLVD, n, x) }
func (g *gen) sar(x, n vec) vec       { return g.do(g.VPSRAVD, n, x) }
func (g *gen) shlBy(x vec, n int) vec { return g.do(g.VPSLLD, operand.U8(n), x) }
func (g *gen) shrBy(x vec, n int) vec { return g.do(g.VPSRLD, operand.U8(n), x) }
func (g *gen) sarBy(x vec, n int) vec { return g.do(g.VPSRAD, operand.U8(n), x) }
func (g *gen) minS(x, y vec) vec      { return g.do(g.VPMINSD, y, x) }
func (g *gen) maxS(x, y vec) vec      { return g.do(g.VPMAXSD, y, x) }
func (g *gen) minU(x, y vec) vec      { return g.do(g.VPMINUD, y, x) }
func (g *gen) maxU(x, y vec) vec      { return g.do(g.VPMAXUD, y, x) }
func (g *gen) equal(x, y vec) vec     { return g.holds(g.VPCMPEQD, y, x) }
func (g *gen) greater(x, y vec) vec   { return g.holds(g.VPCMPGTD, y, x) } // signed
func (g *gen) not(x vec) vec          { return g.xor(x, g.k(0xffffffff)) }

// either emits the instruction for eight lanes or the one for sixteen.
func (g *gen) either(eight, sixteen any, y, x operand.Op) vec {
	if g.zmm {
		return g.do(sixteen, y, x)
	}
	return g.do(eight, y, x)
}

// holds emits a comparison, which sets all bits of the lanes where it holds.
func (g *gen) holds(f func(...operand.Op), y, x operand.Op) vec {
	if !g.zmm {
		return g.do(f, y, x)
	}
	k := g.K()
	f(y, x, k)
	return g.spread(k)
}

// integerOps returns the operations on integers of package vector.
func integerOps() (all []integer) {
	for _, op := range vector.Ints {
		all = append(all, integerOf(op))
	}
	return all
}

// data is a constant of 16 bytes.
func (g *gen) data(name string) operand.Mem {
	return operand.NewDataAddr(operand.NewStaticSymbol(name), 0)
}

// constants16 writes constants of 16 bytes.
func (g *gen) constants16(name string, value func(i int) byte) {
	g.StaticGlobal(name)
	g.DataAttributes(attr.RODATA | attr.NOPTR)
	for i := range 16 {
		g.AppendDatum(operand.U8(value(i)))
	}
}

func integers(g *gen) {
	for i, t := range vector.Tables {
		g.constants16(tableName(uint32(i)), func(i int) byte { return t[i] })
	}
	g.ops("intAVX2", integerOps())
}

// wideOps are shifts of 64 bits. n has 64 bits too, but only its low six count.
var wideOps = []struct {
	name  string
	shift func(g *gen, x, n vec) vec
}{
	{"shl", func(g *gen, x, n vec) vec { return g.do(g.VPSLLVQ, n, x) }},
	{"shr", func(g *gen, x, n vec) vec { return g.do(g.VPSRLVQ, n, x) }},
	{"sar", func(g *gen, x, n vec) vec {
		sign := g.do(g.VPCMPGTQ, x, g.k(0))
		filled := g.do(g.VPSLLVQ, g.do(g.VPSUBQ, n, g.wide64(64)), sign)
		return g.or(g.do(g.VPSRLVQ, n, x), filled)
	}},
}

// wide64 returns v in all lanes of 64 bits.
func (g *gen) wide64(v uint64) vec {
	y, ok := g.consts64[v]
	if !ok {
		r := g.GP64()
		g.MOVQ(operand.U64(v), r)
		y = g.all64(r)
		g.consts64[v] = y
	}
	return y
}

func wides(g *gen) {
	t := table{name: "wideAVX2", of: "WideOp"}
	for _, op := range wideOps {
		g.begin(&t, op.name, "func(dlo, dhi, lo, hi, n *[64]uint32)")
		dlo, dhi, lo, hi, n := g.arg("dlo"), g.arg("dhi"), g.arg("lo"), g.arg("hi"), g.arg("n")
		zero, six := g.k(0), g.k(63)
		g.wide64(64)
		g.groups(1, func(at func(gp) operand.Mem) {
			x, y, count := g.load(at(lo)), g.load(at(hi)), g.and(g.load(at(n)), six)
			// lanes 0, 1, 4, 5 and 2, 3, 6, 7
			a := op.shift(g, g.do(g.VPUNPCKLDQ, y, x), g.do(g.VPUNPCKLDQ, zero, count))
			b := op.shift(g, g.do(g.VPUNPCKHDQ, y, x), g.do(g.VPUNPCKHDQ, zero, count))
			low, high := g.YMM(), g.YMM()
			g.VSHUFPS(operand.U8(0x88), b, a, low)
			g.VSHUFPS(operand.U8(0xdd), b, a, high)
			g.VMOVDQU(low, at(dlo))
			g.VMOVDQU(high, at(dhi))
		})
		g.end()
	}
	g.tables = append(g.tables, t)
}
