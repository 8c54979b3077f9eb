package main

import (
	"fmt"
	"math"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/operand"
)

// Exponentials, logarithms and sines: the algorithms of elementary.go, on four lanes at a time.

const (
	ln2Hi = 6.93147180369123816490e-01
	ln2Lo = 1.90821492927058770002e-10
	magic = 3 << 51 // adding it rounds to an integer, in the low bits of the sum
)

// Coefficients, the highest power first.
var (
	expTerms = []float64{4.13813679705723846039e-08, -1.65339022054652515390e-06, 6.61375632143793436117e-05,
		-2.77777777770155933842e-03, 1.66666666666666657415e-01}
	logOdd = []float64{1.479819860511658591e-01, 1.818357216161805012e-01, 2.857142874366239149e-01,
		6.666666666666735130e-01}
	logEven   = []float64{1.531383769920937332e-01, 2.222219843214978396e-01, 3.999999999940941908e-01}
	sineTerms = []float64{1.58962301576546568060e-10, -2.50507477628578072866e-8, 2.75573136213857245213e-6,
		-1.98412698295895385996e-4, 8.33333333332211858878e-3, -1.66666666666666307295e-1}
	cosTerms = []float64{-1.13585365213876817300e-11, 2.08757008419747316778e-9, -2.75573141792967388112e-7,
		2.48015872888517045348e-5, -1.38888888888730564116e-3, 4.16666666666665929218e-2}
)

// number64 is a float64 in memory, four times, for operations with more constants than registers.
func (g *gen) number64(v float64) operand.Mem {
	return g.quads("number", math.Float64bits(v))
}

// quads is a constant of 64 bits in memory, four times.
func (g *gen) quads(kind string, v uint64) operand.Mem {
	name := fmt.Sprintf("%s_%x", kind, v)
	if !g.named[name] {
		g.named[name] = true
		g.StaticGlobal(name)
		g.DataAttributes(attr.RODATA | attr.NOPTR)
		for range 4 {
			g.AppendDatum(operand.U64(v))
		}
	}
	return g.data(name)
}

func (g *gen) timesPD(x vec, v float64) vec { return g.do(g.VMULPD, g.number64(v), x) }
func (g *gen) plusPD(x vec, v float64) vec  { return g.do(g.VADDPD, g.number64(v), x) }

// fromPD returns v - x.
func (g *gen) fromPD(v float64, x vec) vec { return g.subPD(g.load(g.number64(v)), x) }

func (g *gen) andQuads(x vec, v uint64) vec { return g.do(g.VPAND, g.quads("bits", v), x) }

// roundPD rounds in one of the directions of VROUNDPD.
func (g *gen) roundPD(x vec, direction int) vec {
	d := g.YMM()
	g.VROUNDPD(operand.U8(8|direction), x, d)
	return d
}

func (g *gen) polynomial(x vec, terms []float64) vec {
	p := g.load(g.number64(terms[0]))
	for _, c := range terms[1:] {
		p = g.plusPD(g.mulPD(p, x), c)
	}
	return p
}

// powerOfTwo returns 2**x.
func powerOfTwo(g *gen, x vec) vec {
	small := g.YMM()
	g.VCMPPD(operand.U8(cmpLT), g.number64(-126), x, small)
	x = g.do(g.VMINPD, g.number64(200), x)
	half := g.do(g.VPOR, g.number64(0.5), g.andQuads(x, 1<<63))
	k := g.roundPD(g.addPD(x, half), 3)
	t := g.subPD(x, k)
	hi, lo := g.timesPD(t, ln2Hi), g.timesPD(t, -ln2Lo)
	r := g.subPD(hi, lo)
	rr := g.mulPD(r, r)
	c := g.subPD(r, g.mulPD(rr, g.polynomial(rr, expTerms)))
	q := g.do(g.VDIVPD, g.fromPD(2, c), g.mulPD(r, c))
	y := g.fromPD(1, g.subPD(g.subPD(lo, q), hi))
	scale := g.do(g.VPADDQ, g.quads("bits", 1023), g.plusPD(k, magic))
	return g.andNot(g.mulPD(y, g.do(g.VPSLLQ, operand.U8(52), scale)), small)
}

// log2 returns the binary logarithm.
func log2(g *gen, f flush, a, _, _ vec) vec {
	x := g.flushed(a, f.in)
	exps := g.sub(g.shrBy(x, 23), g.k(126))
	parts := g.or(g.and(x, g.k(0x7fffff)), g.k(0x3f000000))
	four := func(part, exp operand.Op) vec {
		f, e := g.do1(g.VCVTPS2PD, part), g.do1(g.VCVTDQ2PD, exp)
		low := g.YMM()
		g.VCMPPD(operand.U8(cmpLT), g.number64(math.Sqrt2/2), f, low)
		f = g.plusPD(g.addPD(f, g.and(f, low)), -1)
		k := g.do(g.VPAND, g.number64(-1), low)
		s := g.do(g.VDIVPD, g.plusPD(f, 2), f)
		ss := g.mulPD(s, s)
		s4 := g.mulPD(ss, ss)
		r := g.addPD(g.mulPD(ss, g.polynomial(s4, logOdd)), g.mulPD(s4, g.polynomial(s4, logEven)))
		half := g.mulPD(g.timesPD(f, 0.5), f)
		tail := g.addPD(g.mulPD(s, g.addPD(half, r)), g.timesPD(k, ln2Lo))
		y := g.subPD(g.timesPD(k, ln2Hi), g.subPD(g.subPD(half, tail), f))
		return g.single(g.addPD(g.timesPD(y, 1/math.Ln2), e))
	}
	r := g.join(four(parts.AsX(), exps.AsX()), four(g.upper(parts).AsX(), g.upper(exps).AsX()))
	r = g.blend(r, x, g.equal(x, g.k(exponent)))
	r = g.blend(r, g.k(0xffc00000), g.sarBy(x, 31))
	r = g.blend(r, g.k(0xff800000), g.compare(x, g.k(0), cmpEQ))
	return g.blend(r, g.or(x, g.k(quietBit)), g.unordered(x, x))
}

// turns returns a function for the sine of an angle in full turns, plus phase quarters of a turn. For angles of 256
// turns or more it returns far.
func turns(phase uint64, far float64) func(g *gen, x vec) vec {
	return func(g *gen, x vec) vec {
		a := g.andQuads(x, math.MaxInt64)
		part := g.subPD(a, g.roundPD(a, 1))
		quarter := g.roundPD(g.timesPD(g.plusPD(g.roundPD(g.timesPD(part, 8), 3), 1), 0.5), 1)
		r := g.subPD(part, g.timesPD(quarter, 0.25))
		n := g.do(g.VPADDQ, g.quads("bits", phase), g.plusPD(quarter, magic))
		// bit 1; computed at each use, since registers are few
		second := func() vec { return g.do(g.VPSLLQ, operand.U8(62), n) }
		r = g.blendPD(r, g.fromPD(0, r), second())
		z := g.timesPD(r, 2*math.Pi)
		zz := g.mulPD(z, z)
		sine := g.addPD(z, g.mulPD(g.mulPD(z, zz), g.polynomial(zz, sineTerms)))
		cosine := g.addPD(g.fromPD(1, g.timesPD(zz, 0.5)), g.mulPD(g.mulPD(zz, zz), g.polynomial(zz, cosTerms)))
		cosine = g.xor(cosine, g.andQuads(second(), 1<<63))
		y := g.blendPD(sine, cosine, g.do(g.VPSLLQ, operand.U8(63), n))
		if phase == 0 { // the sine is an odd function
			y = g.xor(y, g.andQuads(x, 1<<63))
		}
		beyond := g.YMM()
		g.VCMPPD(operand.U8(cmpGT), g.number64(256), g.andQuads(x, math.MaxInt64), beyond)
		return g.blendPD(y, g.load(g.number64(far)), beyond)
	}
}

// cmpGT is the predicate of VCMPPD.
const cmpGT = 0x1e

// quieted wraps an operation on float64: a NaN operand is returned quieted, and an infinite operand gives a NaN
// unless infinite is set.
func quieted(op func(g *gen, x vec) vec, infinite bool) fullOp {
	inner := wide64(op)
	return func(g *gen, f flush, a, _, _ vec) vec {
		r := inner(g, f, a, nil, nil)
		if !infinite {
			r = g.blend(r, g.k(0xffc00000), g.equal(g.add(a, a), g.k(magInf)))
		}
		return g.blend(r, g.or(a, g.k(quietBit)), g.unordered(a, a))
	}
}
