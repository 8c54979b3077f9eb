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
	g.signOrder()

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

	g.carry("addCarryAVX2", true, func(x, y, in ymm) (sum, out ymm) {
		sum = g.sub(g.add(x, y), in)
		return sum, g.or(g.and(x, y), g.andNot(g.or(x, y), sum))
	})
	g.carry("subBorrowAVX2", true, func(x, y, in ymm) (diff, out ymm) {
		diff = g.add(g.sub(x, y), in)
		return diff, g.or(g.andNot(y, x), g.andNot(diff, g.xor(x, y)))
	})
	// Without a carry in there is none out where the sum is not less than x.
	g.carry("addAVX2", false, func(x, y, _ ymm) (sum, none ymm) {
		sum = g.add(x, y)
		return sum, g.equal(g.maxU(sum, x), sum)
	})
	g.carry("subAVX2", false, func(x, y, _ ymm) (diff, none ymm) { return g.sub(x, y), g.equal(g.maxU(x, y), x) })

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

// carry writes a function of sums that gives a bit for each lane. If it takes one, too, in has all
// bits set in lanes whose bit is, and the sign of out is the bit; else it is the opposite.
func (g *gen) carry(name string, takes bool, sum func(x, y, in ymm) (r, out ymm)) {
	in := &bits{}
	if takes {
		g.function(name, "func(d, a, b *[64]uint32, in uint64) uint64")
		in = g.bits(g.arg("in"))
	} else {
		g.function(name, "func(d, a, b *[64]uint32) uint64")
	}
	d, a, b := g.arg("d"), g.arg("a"), g.arg("b")
	out := g.signs(func(i int) ymm {
		x, y := g.load(operand.Mem{Base: a, Disp: 32 * i}), g.load(operand.Mem{Base: b, Disp: 32 * i})
		var lanes ymm
		if takes {
			lanes = g.take(in)
		}
		r, carry := sum(x, y, lanes)
		g.VMOVDQU(r, operand.Mem{Base: d, Disp: 32 * i})
		return carry
	})
	if !takes {
		g.NOTQ(out)
	}
	g.Store(out, g.ReturnIndex(0))
	g.end()
}
