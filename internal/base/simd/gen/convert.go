package main

import "github.com/mmcloughlin/avo/operand"

// Values of float32 at the ends of the integers.
const (
	two31 = 0x4f000000
	two32 = 0x4f800000
	two16 = 0x47800000
)

// conversionOps convert between float32 and integers of 32 bits, to nearest even or, to
// integers, towards zero.
var conversionOps = []integer{
	{"f32 of i32", 1, nil, func(g *gen, a, _, _ vec) vec { return g.do1(g.VCVTDQ2PS, a) }},
	// Both halves are exact, so that one sum rounds.
	{"f32 of u32", 1, []uint32{0xffff, two16}, func(g *gen, a, _, _ vec) vec {
		low, high := g.do1(g.VCVTDQ2PS, g.word(a)), g.do1(g.VCVTDQ2PS, g.shrBy(a, 16))
		return g.addPS(g.mulPS(high, g.k(two16)), low)
	}},
	// The machine gives the smallest integer for all it cannot represent.
	{"i32 of f32", 1, []uint32{two31}, func(g *gen, a, _, _ vec) vec {
		r := g.xor(g.do1(g.VCVTTPS2DQ, a), g.compare(a, g.k(two31), cmpGE))
		return g.andNot(r, g.unordered(a, a))
	}},
	{"u32 of f32", 1, []uint32{0, two31, two32, signBit}, func(g *gen, a, _, _ vec) vec {
		x := g.do(g.VMAXPS, g.k(0), a) // 0 of a NaN
		big := g.compare(x, g.k(two31), cmpGE)
		r := g.do1(g.VCVTTPS2DQ, g.subPS(x, g.and(big, g.k(two31))))
		r = g.xor(r, g.and(big, g.k(signBit)))
		return g.or(r, g.compare(x, g.k(two32), cmpGE))
	}},
	{"f32 of byte 0", 1, []uint32{255}, func(g *gen, a, _, _ vec) vec { return g.do1(g.VCVTDQ2PS, g.and(a, g.k(255))) }},
	{"f32 of byte 1", 1, []uint32{255}, func(g *gen, a, _, _ vec) vec {
		return g.do1(g.VCVTDQ2PS, g.and(g.shrBy(a, 8), g.k(255)))
	}},
	{"f32 of byte 2", 1, []uint32{255}, func(g *gen, a, _, _ vec) vec {
		return g.do1(g.VCVTDQ2PS, g.and(g.shrBy(a, 16), g.k(255)))
	}},
	{"f32 of byte 3", 1, nil, func(g *gen, a, _, _ vec) vec { return g.do1(g.VCVTDQ2PS, g.shrBy(a, 24)) }},
}

func conversions(g *gen) { g.ops("convertAVX2", conversionOps) }

// ops writes a table of operations whose operands and result are of 32 bits.
func (g *gen) ops(name string, ops []integer) {
	t := table{name: name, of: "Op"}
	for _, op := range ops {
		g.begin(&t, op.name, "func(d, a, b, c *[64]uint32)")
		params, d := g.operandsOf(op.n)
		for _, v := range op.consts {
			g.k(v)
		}
		g.groups(2, func(at func(gp) operand.Mem) {
			var v [3]vec
			for i := range op.n {
				v[i] = g.load(at(params[i]))
			}
			g.VMOVDQU(op.body(g, v[0], v[1], v[2]), at(d))
		})
		g.end()
	}
	g.tables = append(g.tables, t)
}
