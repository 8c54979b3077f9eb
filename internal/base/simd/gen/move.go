package main

import (
	"github.com/gcnsim/gcnsim/internal/base/vector"
	"github.com/mmcloughlin/avo/operand"
)

// bits is a mask of 64 lanes that is consumed a vector at a time, from lane 0 on.
type bits struct {
	half, lane vec // for eight lanes: the remaining bits, in each lane; the bit of each lane
	mask       gp
	rest       kr // for sixteen lanes: the remaining bits
	next       int
}

func (g *gen) bits(mask gp) *bits {
	b := &bits{mask: mask}
	if g.zmm {
		b.rest = g.K()
		g.KMOVQ(mask, b.rest)
		return b
	}
	b.lane = g.YMM()
	g.VPMOVZXBD(g.data("lane_bits"), b.lane)
	return b
}

// take returns the mask of the next lanes as a vector.
func (g *gen) take(b *bits) vec {
	if g.zmm {
		return g.spread(g.take16(b))
	}
	switch b.next {
	case 0:
		b.half = g.all(b.mask)
	case 4:
		g.SHRQ(operand.U8(32), b.mask)
		b.half = g.all(b.mask)
	default:
		b.half = g.shrBy(b.half, 8)
	}
	b.next++
	return g.equal(g.and(b.half, b.lane), b.lane)
}

// take16 returns the mask of the next sixteen lanes.
func (g *gen) take16(b *bits) kr {
	k := b.rest
	if b.next++; b.next < 4 {
		b.rest = g.K()
		g.KSHIFTRQ(operand.U8(16), k, b.rest)
	}
	return k
}

// choose returns y in the next lanes whose bit is set in b, else x.
func (g *gen) choose(x, y vec, b *bits) vec {
	if !g.zmm {
		return g.blend(x, y, g.take(b))
	}
	d := g.vec()
	g.VPBLENDMD(y, x, g.take16(b), d)
	return d
}

// eachVec emits body for each vector of a register.
func (g *gen) eachVec(body func(at func(base gp) operand.Mem)) {
	for i := range g.numVecs() {
		body(func(base gp) operand.Mem { return g.at(base, i) })
	}
}

// fills writes functions that set the lanes of a register to a value, or to one that a mask selects.
func (g *gen) fills() {
	g.function("fill"+g.tier(), "func(d *[64]uint32, v uint32)")
	d, v := g.arg("d"), g.all(g.arg32("v"))
	g.eachVec(func(at func(gp) operand.Mem) { g.store(v, at(d)) })
	g.end()

	g.function("uniform"+g.tier(), "func(v *[64]uint32) bool")
	p, first := g.arg("v"), g.vec()
	g.VPBROADCASTD(operand.Mem{Base: p}, first)
	differ := g.xor(first, g.load(operand.Mem{Base: p}))
	for i := 1; i < g.numVecs(); i++ {
		differ = g.or(differ, g.xor(first, g.load(g.at(p, i))))
	}
	g.testAny(differ)
	same := g.GP8()
	g.SETEQ(same)
	g.Store(same, g.ReturnIndex(0))
	g.end()

	g.function("copy"+g.tier(), "func(d, s *[64]uint32)")
	d, s := g.arg("d"), g.arg("s")
	g.eachVec(func(at func(gp) operand.Mem) { g.store(g.load(at(s)), at(d)) })
	g.end()

	g.function("select"+g.tier(), "func(d, a, b *[64]uint32, mask uint64)")
	d, a, b, mask := g.arg("d"), g.arg("a"), g.arg("b"), g.bits(g.arg("mask"))
	g.eachVec(func(at func(gp) operand.Mem) { g.store(g.choose(g.load(at(a)), g.load(at(b)), mask), at(d)) })
	g.end()
}

// moves writes functions that move lanes of registers.
func moves(g *gen) {
	g.constants16("lane_bits", func(i int) byte { return byte(1 << (i & 7)) })
	g.signOrder()
	g.fills()
	g.carries()

	g.function("fieldAVX2", "func(d, s *[64]uint32, shift, and, xor uint32)")
	d, s, and, xor := g.arg("d"), g.arg("s"), g.all(g.arg32("and")), g.all(g.arg32("xor"))
	shift := g.count("shift")
	g.groups(2, func(at func(gp) operand.Mem) {
		g.VMOVDQU(g.xor(g.and(g.do(g.VPSRLD, shift, g.load(at(s))), and), xor), at(d))
	})
	g.end()

	g.function("insertAVX2", "func(d, s, old *[64]uint32, shift, mask, keep uint32)")
	d, s, old, in, keep := g.arg("d"), g.arg("s"), g.arg("old"), g.all(g.arg32("mask")), g.all(g.arg32("keep"))
	shift = g.count("shift")
	g.groups(2, func(at func(gp) operand.Mem) {
		g.VMOVDQU(g.or(g.and(g.do(g.VPSLLD, shift, g.load(at(s))), in), g.and(g.load(at(old)), keep)), at(d))
	})
	g.end()
}

// count returns an argument as a shift count for all lanes.
func (g *gen) count(name string) operand.Op {
	x := g.XMM()
	g.VMOVD(g.arg32(name), x)
	return x
}

// carry is an operation with a carry (or borrow) in and out of each lane.
type carry struct {
	name string
	// with computes with a carry in, whose lanes have all bits set or none; without computes without one. The sign of
	// out is the carry, the sign of none its inverse.
	with    func(g *gen, x, y, in vec) (r, out vec)
	without func(g *gen, x, y vec) (r, none vec)
}

// carries writes the table of operations with carries. Each operation is there twice, the second time with lane 0 of
// a used for all lanes.
func (g *gen) carries() {
	t := table{name: "carry" + g.tier(), of: "CarryOp"}
	for _, o := range vector.Carries {
		op := carryOf(o)
		g.carry(&t, op.name, op, g.load)
		g.carry(&t, op.name+" one", op, nil)
	}
	g.tables = append(g.tables, t)
}

// carry writes an operation on the vectors that load makes of a, or on lane 0 of a if load is nil.
func (g *gen) carry(t *table, name string, op carry, load func(operand.Op) vec) {
	g.begin(t, name, "func(d, a, b *[64]uint32, in uint64) uint64")
	d, a, b, in := g.arg("d"), g.arg("a"), g.arg("b"), g.arg("in")
	if load == nil {
		one := g.vec()
		g.VPBROADCASTD(operand.Mem{Base: a}, one)
		load = func(operand.Op) vec { return one }
	}
	each := func(compute func(x, y vec) (r, sign vec)) gp {
		return g.signs(func(i int) vec {
			r, sign := compute(load(g.at(a, i)), g.load(g.at(b, i)))
			g.store(r, g.at(d, i))
			return sign
		})
	}
	with := operand.LabelRef("with")
	g.TESTQ(in, in)
	g.JNZ(with)
	none := each(func(x, y vec) (vec, vec) { return op.without(g, x, y) })
	g.NOTQ(none)
	g.Store(none, g.ReturnIndex(0))
	g.end()
	g.Label(string(with))
	lanes := g.bits(in)
	g.Store(each(func(x, y vec) (vec, vec) { return op.with(g, x, y, g.take(lanes)) }), g.ReturnIndex(0))
	g.end()
}
