package main

import "github.com/mmcloughlin/avo/operand"

// doubles writes loops over numbers of 64 bits.
func doubles(g *gen) {
	g.constants16("wide_bits", func(i int) byte { return byte(1 << (i & 3)) })

	g.function("widenAVX2", "func(d *[64]float64, s *[64]uint32)")
	d, s := g.arg("d"), g.arg("s")
	g.eachFour(func(single, double func(gp) operand.Mem) { g.VMOVUPD(g.do1(g.VCVTPS2PD, single(s)), double(d)) })
	g.end()

	g.function("narrowAVX2", "func(d *[64]uint32, s *[64]float64)")
	d, s = g.arg("d"), g.arg("s")
	g.eachFour(func(single, double func(gp) operand.Mem) {
		x := g.XMM()
		g.VCVTPD2PSY(double(s), x)
		g.VMOVDQU(x, single(d))
	})
	g.end()

	g.function("productsAVX2", "func(d, a, b *[64]float64)")
	d, a, b := g.arg("d"), g.arg("a"), g.arg("b")
	g.eachFour(func(_, double func(gp) operand.Mem) {
		g.VMOVUPD(g.mulPD(g.load(double(a)), g.load(double(b))), double(d))
	})
	g.end()

	g.function("addFloatsAVX2", "func(sum *[64]float64, v *[64]uint32, w *[64]float64, mask uint64)")
	g.addProducts(func(v operand.Mem) vec { return g.do1(g.VCVTPS2PD, v) })

	g.function("addIntegersAVX2", "func(sum *[64]float64, v *[64]uint32, w *[64]float64, scale float64, mask uint64)")
	scale := g.broadcast("scale")
	g.addProducts(func(v operand.Mem) vec { return g.mulPD(g.do1(g.VCVTDQ2PD, v), scale) })

	g.squares()
}

// addProducts adds products of weights and numbers to the sums of the lanes of a mask.
func (g *gen) addProducts(number func(v operand.Mem) vec) {
	sum, v, w, mask := g.arg("sum"), g.arg("v"), g.arg("w"), g.wide(g.arg("mask"))
	for i := range 16 {
		at := operand.Mem{Base: sum, Disp: 32 * i}
		old := g.load(at)
		r := g.addPD(old, g.mulPD(g.load(operand.Mem{Base: w, Disp: 32 * i}), number(operand.Mem{Base: v, Disp: 16 * i})))
		g.VMOVUPD(g.blend(old, r, g.take64(mask)), at)
	}
	g.end()
}

// squares writes the larger of the squares of the lengths of two vectors, times scale.
func (g *gen) squares() {
	const axis = 8 * 64 // bytes of one coordinate of all lanes
	g.function("quadSquaresAVX2", "func(d *[16]float64, coords *[3][64]float64, scale *[3]float64, dims int) bool")
	d, coords, scale, dims := g.arg("d"), g.arg("coords"), g.arg("scale"), g.arg("dims")
	g.lengths(d, scale, dims, 4, 128, coords, func(at gp) (h, v vec) {
		var quads [4]vec
		for k := range quads {
			quads[k] = g.load(operand.Mem{Base: at, Disp: 32 * k})
		}
		unpack := func(f func(...operand.Op), x, y vec) vec { return g.do(f, y, x) }
		turn := func(how int, x, y vec) vec {
			z := g.YMM()
			g.VPERM2F128(operand.U8(how), y, x, z)
			return z
		}
		low, high := unpack(g.VUNPCKLPD, quads[0], quads[1]), unpack(g.VUNPCKLPD, quads[2], quads[3])
		first, third := turn(0x20, low, high), turn(0x31, low, high)
		second := turn(0x20, unpack(g.VUNPCKHPD, quads[0], quads[1]), unpack(g.VUNPCKHPD, quads[2], quads[3]))
		return g.subPD(second, first), g.subPD(third, first)
	})

	g.function("laneSquaresAVX2", "func(d *[64]float64, vectors *[2][3][64]float64, scale *[3]float64, dims int) bool")
	d, vectors, scale, dims := g.arg("d"), g.arg("vectors"), g.arg("scale"), g.arg("dims")
	g.lengths(d, scale, dims, 16, 32, vectors, func(at gp) (h, v vec) {
		return g.load(operand.Mem{Base: at}), g.load(operand.Mem{Base: at, Disp: 3 * axis})
	})
}

// lengths emits groups iterations of four vectors each; vectors returns the parts of one coordinate, which advance by
// step bytes with each iteration.
func (g *gen) lengths(d, scale, dims gp, groups, step int, from gp, vectors func(at gp) (h, v vec)) {
	zero, odd := g.YMM(), g.YMM()
	g.VPXOR(zero, zero, zero)
	g.VPXOR(odd, odd, odd)
	turns := g.GP64()
	g.MOVQ(operand.U32(uint32(groups)), turns)
	g.Label("turn")
	at, of, left := g.GP64(), g.GP64(), g.GP64()
	g.MOVQ(from, at)
	g.MOVQ(scale, of)
	g.MOVQ(dims, left)
	across, down := g.YMM(), g.YMM()
	g.VPXOR(across, across, across)
	g.VPXOR(down, down, down)
	g.Label("axis")
	factor := g.YMM()
	g.VBROADCASTSD(operand.Mem{Base: of}, factor)
	h, v := vectors(at)
	for _, part := range []struct{ x, sum vec }{{h, across}, {v, down}} {
		none := g.mulPD(part.x, zero) // infinity times 0 is a NaN
		g.VPOR(g.unorderedPD(none), odd, odd)
		x := g.mulPD(part.x, factor)
		g.VADDPD(g.mulPD(x, x), part.sum, part.sum)
	}
	g.ADDQ(operand.U32(8*64), at)
	g.ADDQ(operand.U8(8), of)
	g.DECQ(left)
	g.JNZ(operand.LabelRef("axis"))
	g.VMOVUPD(g.do(g.VMAXPD, across, down), operand.Mem{Base: d})
	g.ADDQ(operand.U8(32), d)
	g.ADDQ(operand.U32(uint32(step)), from)
	g.DECQ(turns)
	g.JNZ(operand.LabelRef("turn"))
	g.VPTEST(odd, odd)
	ok := g.GP8()
	g.SETEQ(ok)
	g.Store(ok, g.ReturnIndex(0))
	g.end()
}

func (g *gen) unorderedPD(x vec) vec {
	d := g.YMM()
	g.VCMPPD(operand.U8(cmpUN), x, x, d)
	return d
}
