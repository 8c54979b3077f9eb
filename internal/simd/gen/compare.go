package main

import "github.com/mmcloughlin/avo/operand"

// comparison gives a bit for each lane: set where holds has all bits set, or, with inverted,
// none.
type comparison struct {
	name     string
	float    bool // denormal operands are flushed as in says
	inverted bool
	holds    func(g *gen, a, b ymm) ymm
}

var comparisonOps = []comparison{
	{"eq", false, false, func(g *gen, a, b ymm) ymm { return g.equal(a, b) }},
	{"lt i32", false, false, func(g *gen, a, b ymm) ymm { return g.greater(b, a) }},
	{"lt u32", false, true, func(g *gen, a, b ymm) ymm { return g.equal(g.maxU(a, b), a) }},
	{"eq f32", true, false, func(g *gen, a, b ymm) ymm { return g.compare(a, b, cmpEQ) }},
	{"lt f32", true, false, func(g *gen, a, b ymm) ymm { return g.compare(a, b, cmpLT) }},
	{"le f32", true, false, func(g *gen, a, b ymm) ymm { return g.compare(a, b, cmpLE) }},
	{"lg f32", true, false, func(g *gen, a, b ymm) ymm { return g.compare(a, b, cmpLG) }},
	{"unordered f32", true, false, func(g *gen, a, b ymm) ymm { return g.compare(a, b, cmpUN) }},
}

func compares(g *gen) {
	t := table{name: "compareAVX2", of: "CompareOp"}
	for _, op := range comparisonOps {
		g.begin(&t, op.name, "func(a, b *[64]uint32, in uint32) uint64")
		a, b := g.arg("a"), g.arg("b")
		var in ymm
		if op.float {
			in = g.all(g.arg32("in"))
			g.k(exponent)
			g.k(0)
		}
		out := g.GP64()
		g.XORL(out.As32(), out.As32())
		for i := 7; i >= 0; i-- {
			x, y := g.load(operand.Mem{Base: a, Disp: 32 * i}), g.load(operand.Mem{Base: b, Disp: 32 * i})
			if op.float {
				x, y = g.flushed(x, in), g.flushed(y, in)
			}
			g.collect(out, op.holds(g, x, y))
		}
		if op.inverted {
			g.NOTQ(out)
		}
		g.Store(out, g.ReturnIndex(0))
		g.end()
	}
	g.tables = append(g.tables, t)
}

// collect puts the signs of eight lanes below those in out.
func (g *gen) collect(out gp, y ymm) {
	m := g.GP32()
	g.VMOVMSKPS(y, m)
	g.SHLQ(operand.U8(8), out)
	g.ORQ(m.As64(), out)
}
