package main

import "github.com/mmcloughlin/avo/operand"

// Numbers of 64 bits whose lower and upper dwords are in separate registers. Eight lanes become two vectors, of lanes
// 0, 1, 4, 5 and 2, 3, 6, 7, so that no dword moves to the other half of a vector.

// halves64 holds eight lanes of 64 bits.
type halves64 [2]vec

// pair loads eight lanes.
func (g *gen) pair(lo, hi operand.Mem) halves64 { return g.joined(g.load(lo), g.load(hi)) }

func (g *gen) joined(lo, hi vec) halves64 {
	return halves64{g.do(g.VPUNPCKLDQ, hi, lo), g.do(g.VPUNPCKHDQ, hi, lo)}
}

// lows and highs return the lower and the upper dwords of eight lanes.
func (g *gen) lows(x halves64) vec  { return g.dwords(x, 0x88) }
func (g *gen) highs(x halves64) vec { return g.dwords(x, 0xdd) }

func (g *gen) dwords(x halves64, which int) vec {
	d := g.YMM()
	g.VSHUFPS(operand.U8(which), x[1], x[0], d)
	return d
}

// each calls body for both vectors.
func each(body func(k int) vec) halves64 { return halves64{body(0), body(1)} }

const (
	quietBit64   = 1 << 51
	defaultNaN64 = 0xfff8 << 48
)

func (g *gen) comparePD(x, y vec, how int) vec {
	d := g.YMM()
	g.VCMPPD(operand.U8(how), y, x, d)
	return d
}

func (g *gen) nanPD(x vec) vec { return g.comparePD(x, x, cmpUN) }

func (g *gen) blendPD(x, y, mask vec) vec {
	d := g.YMM()
	g.VBLENDVPD(mask, y, x, d)
	return d
}

// invalid replaces the host's NaN for an invalid operation.
func (g *gen) invalid(r, x, y vec) vec {
	return g.blendPD(r, g.wide64(defaultNaN64), g.andNot(g.nanPD(r), g.comparePD(x, y, cmpUN)))
}

// order64 maps floats to signed integers of the same order.
func (g *gen) order64(x vec) vec {
	return g.xor(x, g.do(g.VPSRLQ, operand.U8(1), g.do(g.VPCMPGTQ, x, g.k(0))))
}

func (g *gen) greater64(x, y vec) vec { return g.do(g.VPCMPGTQ, y, x) }

func (g *gen) extreme64(x, y, second vec) vec {
	r := g.blendPD(x, y, second)
	r = g.blendPD(r, x, g.nanPD(y))
	return g.blendPD(r, y, g.nanPD(x))
}

var wideFloatOps = []struct {
	name string
	n    int
	body func(g *gen, x, y, z vec) vec
}{
	{"add", 2, func(g *gen, x, y, _ vec) vec { return g.invalid(g.addPD(x, y), x, y) }},
	{"mul", 2, func(g *gen, x, y, _ vec) vec { return g.invalid(g.mulPD(x, y), x, y) }},
	{"fma", 3, func(g *gen, x, y, z vec) vec {
		r := g.YMM()
		g.VMOVAPD(x, r)
		g.VFMADD213PD(z, y, r)
		n := g.wide64(defaultNaN64)
		for _, v := range []vec{z, y, x} { // the NaN inserted last is the first operand
			n = g.blendPD(n, g.or(v, g.wide64(quietBit64)), g.nanPD(v))
		}
		return g.blendPD(r, n, g.nanPD(r))
	}},
	{"min", 2, func(g *gen, x, y, _ vec) vec { return g.extreme64(x, y, g.greater64(g.order64(x), g.order64(y))) }},
	{"max", 2, func(g *gen, x, y, _ vec) vec { return g.extreme64(x, y, g.greater64(g.order64(y), g.order64(x))) }},
	{"trunc", 1, func(g *gen, x, _, _ vec) vec { return g.roundPD(x, 3) }},
	{"ceil", 1, func(g *gen, x, _, _ vec) vec { return g.roundPD(x, 2) }},
	{"floor", 1, func(g *gen, x, _, _ vec) vec { return g.roundPD(x, 1) }},
	{"rndne", 1, func(g *gen, x, _, _ vec) vec { return g.roundPD(x, 0) }},
	{"fract", 1, func(g *gen, x, _, _ vec) vec {
		r := g.subPD(x, g.roundPD(x, 1))
		r = g.do(g.VMINPD, r, g.load(g.quads("bits", one64-1))) // a NaN stays a NaN
		special := g.do(g.VPCMPEQQ, g.quads("bits", 0x7ff<<52), g.andQuads(x, 0x7ff<<52))
		return g.blendPD(r, g.or(x, g.wide64(quietBit64)), special)
	}},
	{"rcp", 1, func(g *gen, x, _, _ vec) vec { return g.do(g.VDIVPD, x, g.load(g.number64(1))) }},
	{"rsq", 1, func(g *gen, x, _, _ vec) vec { return g.do(g.VDIVPD, g.do1(g.VSQRTPD, x), g.load(g.number64(1))) }},
	{"sqrt", 1, func(g *gen, x, _, _ vec) vec { return g.do1(g.VSQRTPD, x) }},
}

var wideComparisonOps = []struct {
	name     string
	inverted bool
	holds    func(g *gen, x, y vec) vec
}{
	{"eq u64", false, func(g *gen, x, y vec) vec { return g.do(g.VPCMPEQQ, y, x) }},
	{"lt i64", false, func(g *gen, x, y vec) vec { return g.greater64(y, x) }},
	{"lt u64", false, func(g *gen, x, y vec) vec {
		sign := g.wide64(1 << 63)
		return g.greater64(g.xor(y, sign), g.xor(x, sign))
	}},
	{"eq f64", false, func(g *gen, x, y vec) vec { return g.comparePD(x, y, cmpEQ) }},
	{"lt f64", false, func(g *gen, x, y vec) vec { return g.comparePD(x, y, cmpLT) }},
	{"le f64", false, func(g *gen, x, y vec) vec { return g.comparePD(x, y, cmpLE) }},
	{"lg f64", false, func(g *gen, x, y vec) vec { return g.comparePD(x, y, cmpLG) }},
	{"unordered f64", false, func(g *gen, x, y vec) vec { return g.comparePD(x, y, cmpUN) }},
}

// wideFloats writes operations on float64, comparisons of 64 bits, and conversions.
func wideFloats(g *gen) {
	t := table{name: "wideFloatAVX2", of: "WideFloatOp"}
	for _, op := range wideFloatOps {
		g.begin(&t, op.name, "func(dlo, dhi, alo, ahi, blo, bhi, clo, chi *[64]uint32)")
		dlo, dhi := g.arg("dlo"), g.arg("dhi")
		lo, hi := g.operands(op.n)
		for _, c := range []uint64{defaultNaN64, quietBit64} {
			g.wide64(c)
		}
		g.k(0)
		g.groups(1, func(at func(gp) operand.Mem) {
			var v [3]halves64
			for k := range op.n {
				v[k] = g.pair(at(lo[k]), at(hi[k]))
			}
			r := each(func(k int) vec { return op.body(g, v[0][k], v[1][k], v[2][k]) })
			g.VMOVDQU(g.lows(r), at(dlo))
			g.VMOVDQU(g.highs(r), at(dhi))
		})
		g.end()
	}
	g.tables = append(g.tables, t)

	t = table{name: "wideCompareAVX2", of: "WideCompareOp"}
	for _, op := range wideComparisonOps {
		g.begin(&t, op.name, "func(alo, ahi, blo, bhi *[64]uint32) uint64")
		lo, hi := g.operands(2)
		out := g.masks(1, func(at func(gp) operand.Mem) []vec {
			x, y := g.pair(at(lo[0]), at(hi[0])), g.pair(at(lo[1]), at(hi[1]))
			return []vec{g.lows(each(func(k int) vec { return op.holds(g, x[k], y[k]) }))}
		})
		g.Store(out[0], g.ReturnIndex(0))
		g.end()
	}
	g.tables = append(g.tables, t)
	g.mulAdd64()
	g.conversions64()
}

// operands returns the addresses of the dwords of n operands.
func (g *gen) operands(n int) (lo, hi []gp) {
	for _, name := range []string{"a", "b", "c"}[:n] {
		lo, hi = append(lo, g.arg(name+"lo")), append(hi, g.arg(name+"hi"))
	}
	return lo, hi
}

func (g *gen) mulAdd64() {
	g.function("mulAdd64AVX2", "func(dlo, dhi, a, b, clo, chi *[64]uint32) uint64")
	dlo, dhi, a, b, clo, chi := g.arg("dlo"), g.arg("dhi"), g.arg("a"), g.arg("b"), g.arg("clo"), g.arg("chi")
	sign := g.wide64(1 << 63)
	out := g.masks(1, func(at func(gp) operand.Mem) []vec {
		x, y, c := g.load(at(a)), g.load(at(b)), g.pair(at(clo), at(chi))
		factors, by := g.joined(x, x), g.joined(y, y)
		products := each(func(k int) vec { return g.do(g.VPMULUDQ, by[k], factors[k]) })
		sums := each(func(k int) vec { return g.add64(products[k], c[k]) })
		g.VMOVDQU(g.lows(sums), at(dlo))
		g.VMOVDQU(g.highs(sums), at(dhi))
		return []vec{g.lows(each(func(k int) vec { return g.greater64(g.xor(products[k], sign), g.xor(sums[k], sign)) }))}
	})
	g.Store(out[0], g.ReturnIndex(0))
	g.end()
}

func (g *gen) conversions64() {
	g.function("float64OfF32AVX2", "func(dlo, dhi, s *[64]uint32, in uint32)")
	dlo, dhi, s, in := g.arg("dlo"), g.arg("dhi"), g.arg("s"), g.all(g.arg32("in"))
	g.k(exponent)
	g.k(0)
	g.groups(1, func(at func(gp) operand.Mem) {
		v := g.flushed(g.load(at(s)), in)
		g.store64(at(dlo), at(dhi), g.do1(g.VCVTPS2PD, v.AsX()), g.do1(g.VCVTPS2PD, g.upper(v).AsX()))
	})
	g.end()

	g.function("f32OfFloat64AVX2", "func(d, lo, hi *[64]uint32, out uint32)")
	d, lo, hi, out := g.arg("d"), g.arg("lo"), g.arg("hi"), g.all(g.arg32("out"))
	g.k(exponent)
	g.k(0)
	g.groups(1, func(at func(gp) operand.Mem) {
		x := g.pair(at(lo), at(hi))
		g.VMOVDQU(g.flushed(g.narrow64(g.single(x[0]), g.single(x[1])), out), at(d))
	})
	g.end()

	g.function("float64OfIntegerAVX2", "func(dlo, dhi, s *[64]uint32, flip uint32, bias float64)")
	dlo, dhi, s = g.arg("dlo"), g.arg("dhi"), g.arg("s")
	flip, bias, top := g.all(g.arg32("flip")), g.broadcast("bias"), g.k(0x43300000)
	g.groups(1, func(at func(gp) operand.Mem) {
		x := g.joined(g.xor(g.load(at(s)), flip), top)
		r := each(func(k int) vec { return g.subPD(x[k], bias) })
		g.VMOVDQU(g.lows(r), at(dlo))
		g.VMOVDQU(g.highs(r), at(dhi))
	})
	g.end()

	// The low dword of x + 2^52 is an integer x, in two's complement if x is negative.
	g.function("integerOfFloat64AVX2", "func(d, lo, hi *[64]uint32, low, high float64)")
	d, lo, hi = g.arg("d"), g.arg("lo"), g.arg("hi")
	low, high, whole := g.broadcast("low"), g.broadcast("high"), g.double64(3<<51)
	g.groups(1, func(at func(gp) operand.Mem) {
		x := g.pair(at(lo), at(hi))
		g.VMOVDQU(g.lows(each(func(k int) vec {
			v := g.andNot(x[k], g.nanPD(x[k]))
			v = g.do(g.VMINPD, high, g.do(g.VMAXPD, low, v))
			t := g.YMM()
			g.VROUNDPD(operand.U8(11), v, t) // towards zero
			return g.addPD(t, whole)
		})), at(d))
	})
	g.end()
}

// store64 writes eight lanes of 64 bits in order, the first four in low.
func (g *gen) store64(lo, hi operand.Mem, low, high vec) {
	turn := func(how int) vec {
		z := g.YMM()
		g.VPERM2F128(operand.U8(how), high, low, z)
		return z
	}
	x := halves64{turn(0x20), turn(0x31)}
	g.VMOVDQU(g.lows(x), lo)
	g.VMOVDQU(g.highs(x), hi)
}

// narrow64 puts the float32 of lanes 0, 1, 4, 5 and of lanes 2, 3, 6, 7 in order.
func (g *gen) narrow64(x, y vec) vec {
	both, d := g.YMM(), g.YMM()
	g.VUNPCKLPD(y, x, both) // lanes 0 to 3
	high := g.YMM()
	g.VUNPCKHPD(y, x, high)
	g.VINSERTI128(operand.U8(1), high.AsX(), both, d)
	return d
}
