package main

import (
	"math"

	"github.com/mmcloughlin/avo/operand"
)

// double64 returns a float64 in all lanes. It must be called before the loop that uses it.
func (g *gen) double64(v float64) vec { return g.wide64(math.Float64bits(v)) }

func (g *gen) subPD(x, y vec) vec { return g.do(g.VSUBPD, y, x) }

// samples writes functions that place samples on the axes of an image and weight texels.
func samples(g *gen) {
	const magic, reach, notLess = 3 << 51, 1 << 30, 0x15

	g.function("positionsAVX2", "func(pos *[64]int32, u *[64]float64, unit, back float64) bool")
	pos, u, unit, back := g.arg("pos"), g.arg("u"), g.broadcast("unit"), g.broadcast("back")
	nearest, limit, number := g.double64(magic), g.double64(reach), g.wide64(math.MaxInt64)
	far := g.YMM()
	g.VPXOR(far, far, far)
	for i := range 8 {
		var parts [2]vec
		for n := range parts {
			p := g.subPD(g.mulPD(g.load(operand.Mem{Base: u, Disp: 64*i + 32*n}), unit), back)
			out := g.YMM()
			g.VCMPPD(operand.U8(notLess), limit, g.and(p, number), out)
			g.VPOR(out, far, far)
			parts[n] = g.addPD(p, nearest)
		}
		g.VMOVDQU(g.lowDwords(parts), operand.Mem{Base: pos, Disp: 32 * i})
	}
	g.VPTEST(far, far)
	ok := g.GP8()
	g.SETEQ(ok)
	g.Store(ok, g.ReturnIndex(0))
	g.end()

	g.repeat("repeatAVX2", func(r, _ vec) vec { return r })
	g.repeat("mirrorAVX2", func(r, last vec) vec { return g.minS(r, g.sub(last, r)) })
	g.clamp()

	g.function("fractionsAVX2", "func(pos *[64]int32) uint64")
	pos = g.arg("pos")
	g.k(steps - 1)
	lanes := g.masks(1, func(at func(gp) operand.Mem) []vec {
		return []vec{g.equal(g.and(g.load(at(pos)), g.k(steps-1)), g.k(0))}
	})[0]
	g.NOTQ(lanes)
	g.Store(lanes, g.ReturnIndex(0))
	g.end()

	g.function("weightsAVX2", "func(a, b *[64]float64, pos *[64]int32)")
	a, b, pos := g.arg("a"), g.arg("b"), g.arg("pos")
	fraction, one, part := g.k(steps-1), g.double64(1), g.double64(1./steps)
	g.eachFour(func(single, double func(gp) operand.Mem) {
		x := g.XMM()
		g.VPAND(single(pos), fraction.AsX(), x)
		w := g.mulPD(g.do1(g.VCVTDQ2PD, x), part)
		g.VMOVUPD(w, double(b))
		g.VMOVUPD(g.subPD(one, w), double(a))
	})
	g.end()

	g.bilinear()

	g.function("canonicalAVX2", "func(v *[64]uint32)")
	v := g.arg("v")
	for _, c := range []uint32{0, exponent, signBit, 0xffc00000} {
		g.k(c)
	}
	g.groups(2, func(at func(gp) operand.Mem) {
		x := g.load(at(v))
		small := g.equal(g.and(x, g.k(exponent)), g.k(0))
		r := g.blend(x, g.and(x, g.k(signBit)), small)
		g.VMOVDQU(g.blend(r, g.k(0xffc00000), g.unordered(x, x)), at(v))
	})
	g.end()
}

const steps = 256 // steps of a texel's weight

// lowDwords joins the lower halves of eight lanes of 64 bits.
func (g *gen) lowDwords(parts [2]vec) vec {
	mixed, d := g.YMM(), g.YMM()
	g.VSHUFPS(operand.U8(0x88), parts[1], parts[0], mixed)
	g.VPERMQ(operand.U8(0xd8), mixed, d)
	return d
}

// masks emits body for the eight groups of lanes and returns the n masks that it computes.
func (g *gen) masks(n int, body func(at func(base gp) operand.Mem) []vec) []gp {
	all, part := make([]gp, n), g.GP32()
	for k := range all {
		all[k] = g.GP64()
		g.XORL(all[k].As32(), all[k].As32())
	}
	i := 0
	g.eachVec(func(at func(gp) operand.Mem) {
		for k, m := range body(at) {
			g.VMOVMSKPS(m, part)
			if i > 0 {
				g.SHLQ(operand.U8(8*i), part.As64())
			}
			g.ORQ(part.As64(), all[k])
		}
		i++
	})
	return all
}

// eachFour emits a loop over groups of four lanes: single is the address of their 32-bit values, double that of their
// 64-bit values.
func (g *gen) eachFour(body func(single, double func(base gp) operand.Mem)) {
	i := g.GP64()
	g.XORL(i.As32(), i.As32())
	g.Label("four")
	for n := range 2 {
		body(func(base gp) operand.Mem { return operand.Mem{Base: base, Index: i, Scale: 1, Disp: 16 * n} },
			func(base gp) operand.Mem { return operand.Mem{Base: base, Index: i, Scale: 2, Disp: 32 * n} })
	}
	g.ADDQ(operand.U32(32), i)
	g.CMPQ(i, operand.U32(256))
	g.JNE(operand.LabelRef("four"))
}

// repeat writes the function that returns positions modulo n. The quotient, in float32, is off by at most one.
func (g *gen) repeat(name string, texel func(r, last vec) vec) {
	g.function(name, "func(a, b *[64]uint32, pos *[64]int32, n uint32, inverse float32)")
	a, b, pos, n, inverse := g.arg("a"), g.arg("b"), g.arg("pos"), g.all(g.arg32("n")), g.broadcast("inverse")
	last := g.add(n, g.k(0xffffffff))
	g.groups(1, func(at func(gp) operand.Mem) {
		k, q := g.sarBy(g.load(at(pos)), 8), g.YMM()
		g.VROUNDPS(operand.U8(9), g.mulPS(g.do1(g.VCVTDQ2PS, k), inverse), q) // rounds down
		r := g.sub(k, g.mul(g.do1(g.VCVTPS2DQ, q), n))
		r = g.add(r, g.and(n, g.sarBy(r, 31)))
		r = g.sub(r, g.and(n, g.greater(r, last)))
		g.VMOVDQU(texel(r, last), at(a))
		next := g.sub(r, g.k(0xffffffff))
		g.VMOVDQU(texel(g.andNot(next, g.equal(next, n)), last), at(b))
	})
	g.end()
}

// clamp writes the function that limits positions to 0 to n-1.
func (g *gen) clamp() {
	g.function("clampAVX2", "func(a, b *[64]uint32, pos *[64]int32, n, mirror, border uint32) (outA, outB uint64)")
	a, b, pos, n := g.arg("a"), g.arg("b"), g.arg("pos"), g.all(g.arg32("n"))
	mirror, border := g.all(g.arg32("mirror")), g.all(g.arg32("border"))
	last := g.add(n, g.k(0xffffffff))
	g.k(0)
	out := g.masks(2, func(at func(gp) operand.Mem) (out []vec) {
		k := g.sarBy(g.load(at(pos)), 8)
		for i, to := range []gp{a, b} {
			if i > 0 {
				k = g.sub(k, g.k(0xffffffff))
			}
			texel := g.xor(k, g.and(g.sarBy(k, 31), mirror))
			near := g.minS(g.maxS(texel, g.k(0)), last)
			out = append(out, g.andNot(border, g.equal(near, texel)))
			g.VMOVDQU(g.andNot(near, out[i]), at(to))
		}
		return out
	})
	g.Store(out[0], g.Return("outA"))
	g.Store(out[1], g.Return("outB"))
	g.end()
}

// bilinear writes weighted sums of the bytes of four texels: along x in words, along y in dwords.
func (g *gen) bilinear() {
	g.function("bilinearAVX2", "func(sums, words *[4][64]uint32, x, y *[64]int32)")
	sums, words, x, y := g.arg("sums"), g.arg("words"), g.arg("x"), g.arg("y")
	bytes, fraction, word := g.k(0x00ff00ff), g.k(steps-1), g.k(0xffff)
	part := func(m operand.Mem, k int) operand.Mem {
		m.Disp += 256 * k
		return m
	}
	g.groups(1, func(at func(gp) operand.Mem) {
		fx, fy := g.and(g.load(at(x)), fraction), g.and(g.load(at(y)), fraction)
		fx = g.or(fx, g.shlBy(fx, 16))
		var texels [4]vec
		for k := range texels {
			texels[k] = g.load(part(at(words), k))
		}
		for odd := range 2 {
			var rows [2]vec
			for k := range rows {
				left, right := texels[2*k], texels[2*k+1]
				if odd == 1 {
					left, right = g.do(g.VPSRLW, operand.U8(8), left), g.do(g.VPSRLW, operand.U8(8), right)
				} else {
					left, right = g.and(left, bytes), g.and(right, bytes)
				}
				slope := g.do(g.VPMULLW, fx, g.do(g.VPSUBW, left, right))
				rows[k] = g.do(g.VPADDW, slope, g.do(g.VPSLLW, operand.U8(8), left))
			}
			for high := range 2 {
				above, below := g.and(rows[0], word), g.and(rows[1], word)
				if high == 1 {
					above, below = g.shrBy(rows[0], 16), g.shrBy(rows[1], 16)
				}
				sum := g.add(g.shlBy(above, 8), g.mul(g.sub(below, above), fy))
				g.VMOVDQU(sum, part(at(sums), 2*high+odd))
			}
		}
	})
	g.end()
}
