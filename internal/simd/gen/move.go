package main

import "github.com/mmcloughlin/avo/operand"

// bits is a mask of 64 lanes that is taken apart, eight lanes at a time from lane 0 on.
type bits struct {
	half, lane ymm // the lanes that remain, in each lane; the bit of each lane
	mask       gp
	next       int
}

func (g *gen) bits(mask gp) *bits {
	b := &bits{lane: g.YMM(), mask: mask}
	g.VPMOVZXBD(g.data("lane_bits"), b.lane)
	return b
}

// take returns eight lanes as vector masks.
func (g *gen) take(b *bits) ymm {
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

// eachGroup emits body for the eight groups of lanes.
func (g *gen) eachGroup(body func(at func(base gp) operand.Mem)) {
	for i := range 8 {
		body(func(base gp) operand.Mem { return operand.Mem{Base: base, Disp: 32 * i} })
	}
}

// moves writes what puts lanes together.
func moves(g *gen) {
	g.constants16("lane_bits", func(i int) byte { return byte(1 << (i & 7)) })

	g.function("fillAVX2", "func(d *[64]uint32, v uint32)")
	d, v := g.arg("d"), g.all(g.arg32("v"))
	g.eachGroup(func(at func(gp) operand.Mem) { g.VMOVDQU(v, at(d)) })
	g.end()

	g.function("selectAVX2", "func(d, a, b *[64]uint32, mask uint64)")
	d, a, b, mask := g.arg("d"), g.arg("a"), g.arg("b"), g.bits(g.arg("mask"))
	g.eachGroup(func(at func(gp) operand.Mem) {
		g.VMOVDQU(g.blend(g.load(at(a)), g.load(at(b)), g.take(mask)), at(d))
	})
	g.end()

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

	add := func(x, y, in ymm) (sum, out ymm) {
		sum = g.add(x, y)
		if in != nil {
			sum = g.sub(sum, in)
		}
		return sum, g.or(g.and(x, y), g.andNot(g.or(x, y), sum))
	}
	sub := func(x, y, in ymm) (diff, out ymm) {
		diff = g.sub(x, y)
		if in != nil {
			diff = g.add(diff, in)
		}
		return diff, g.or(g.andNot(y, x), g.andNot(diff, g.xor(x, y)))
	}
	g.carry("addCarryAVX2", true, add)
	g.carry("subBorrowAVX2", true, sub)
	g.carry("addAVX2", false, add)
	g.carry("subAVX2", false, sub)

	g.function("uniformAVX2", "func(v *[64]uint32) bool")
	p := g.arg("v")
	first := g.YMM()
	g.VPBROADCASTD(operand.Mem{Base: p}, first)
	differ := g.xor(first, g.load(operand.Mem{Base: p}))
	for i := 1; i < 8; i++ {
		differ = g.or(differ, g.xor(first, g.load(operand.Mem{Base: p, Disp: 32 * i})))
	}
	g.VPTEST(differ, differ)
	same := g.GP8()
	g.SETEQ(same)
	g.Store(same, g.ReturnIndex(0))
	g.end()
}

// count is an argument as a shift count for all lanes.
func (g *gen) count(name string) operand.Op {
	x := g.XMM()
	g.VMOVD(g.arg32(name), x)
	return x
}

// carry writes a function of sums that gives a bit for each lane, and takes one: in has all bits
// set in lanes whose bit is, and the sign of what comes out is the bit.
func (g *gen) carry(name string, takes bool, sum func(x, y, in ymm) (ymm, ymm)) {
	in := &bits{}
	if takes {
		g.function(name, "func(d, a, b *[64]uint32, in uint64) uint64")
		in = g.bits(g.arg("in"))
	} else {
		g.function(name, "func(d, a, b *[64]uint32) uint64")
	}
	d, a, b := g.arg("d"), g.arg("a"), g.arg("b")
	out, part, n := g.GP64(), g.GP32(), 0
	g.XORL(out.As32(), out.As32())
	g.eachGroup(func(at func(gp) operand.Mem) {
		x, y := g.load(at(a)), g.load(at(b))
		var lanes ymm
		if takes {
			lanes = g.take(in)
		}
		r, carry := sum(x, y, lanes)
		g.VMOVDQU(r, at(d))
		g.VMOVMSKPS(carry, part)
		if n > 0 {
			g.SHLQ(operand.U8(8*n), part.As64())
		}
		g.ORQ(part.As64(), out)
		n++
	})
	g.Store(out, g.ReturnIndex(0))
	g.end()
}
