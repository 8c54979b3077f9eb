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
	g.addProducts(func(v operand.Mem) ymm { return g.do1(g.VCVTPS2PD, v) })

	g.function("addIntegersAVX2", "func(sum *[64]float64, v *[64]uint32, w *[64]float64, scale float64, mask uint64)")
	scale := g.broadcast("scale")
	g.addProducts(func(v operand.Mem) ymm { return g.mulPD(g.do1(g.VCVTDQ2PD, v), scale) })
}

// addProducts adds products of weights and numbers to the sums of the lanes of a mask.
func (g *gen) addProducts(number func(v operand.Mem) ymm) {
	sum, v, w, mask := g.arg("sum"), g.arg("v"), g.arg("w"), g.wide(g.arg("mask"))
	for i := range 16 {
		at := operand.Mem{Base: sum, Disp: 32 * i}
		old := g.load(at)
		r := g.addPD(old, g.mulPD(g.load(operand.Mem{Base: w, Disp: 32 * i}), number(operand.Mem{Base: v, Disp: 16 * i})))
		g.VMOVUPD(g.blend(old, r, g.take64(mask)), at)
	}
	g.end()
}
