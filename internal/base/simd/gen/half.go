package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Halves are computed as float32. A sum, difference or product in float32 rounds to the same half as the exact
// result, because float32 has more than twice the bits. A NaN keeps its upper bits in both conversions.

const (
	halfExponent = 0x7c00
	halfBits     = 0xffff
)

// half is an operation on float16 that rounds to nearest even, or towards zero.
type half struct {
	name string
	n    int
	body func(g *gen, f flush, v [3]vec) vec
}

// flushedHalf does what flushed does, for float16 in the low bits.
func (g *gen) flushedHalf(x, mask vec) vec {
	small := g.equal(g.and(x, g.k(halfExponent)), g.k(0))
	return g.andNot(x, g.and(small, mask))
}

// widened returns halves as float32.
func (g *gen) widened(f flush, v vec) vec {
	x := g.flushedHalf(g.and(v, g.k(halfBits)), f.in)
	words := g.do(g.VPACKUSDW, x, x)
	four := g.YMM()
	g.VPERMQ(operand.U8(0x08), words, four)
	return g.do1(g.VCVTPH2PS, four.AsX())
}

// Rounding modes of VCVTPS2PH.
const (
	toNearest = 0
	toZero    = 3
)

// narrowed rounds float32 to halves.
func (g *gen) narrowed(f flush, v vec, how int) vec {
	x := g.XMM()
	g.VCVTPS2PH(operand.U8(how), v, x)
	return g.flushedHalf(g.do1(g.VPMOVZXWD, x), f.out)
}

// oddSum returns x + y rounded to odd, so that it can be rounded again.
func (g *gen) oddSum(x, y vec) vec {
	s := g.addPS(x, y)
	t := g.subPS(s, x)
	lost := g.addPS(g.subPS(x, g.subPS(s, t)), g.subPS(y, t)) // Knuth's two-sum
	step := g.or(g.sarBy(g.xor(lost, s), 31), g.k(1))         // away from zero if both have the same sign
	even := g.equal(g.and(s, g.k(1)), g.k(0))
	inexact := g.compare(lost, g.k(0), cmpLG)
	return g.add(s, g.and(step, g.and(even, inexact)))
}

// firstNaN replaces a NaN in r by the first NaN in v or, if there is none, by the NaN of an invalid operation.
func (g *gen) firstNaN(r vec, v [3]vec) vec {
	n := g.k(defaultNaN)
	for i := 2; i >= 0; i-- {
		n = g.blend(n, v[i], g.unordered(v[i], v[i]))
	}
	return g.blend(r, n, g.unordered(r, r))
}

func (g *gen) halfSum(f flush, x, y vec) vec {
	return g.narrowed(f, g.nan(g.addPS(x, y), x, y), toNearest)
}

func (g *gen) halfProduct(f flush, x, y vec) vec {
	return g.narrowed(f, g.nan(g.mulPS(x, y), x, y), toNearest)
}

var halfOps = []half{
	{"add", 2, func(g *gen, f flush, v [3]vec) vec { return g.halfSum(f, g.widened(f, v[0]), g.widened(f, v[1])) }},
	{"sub", 2, func(g *gen, f flush, v [3]vec) vec {
		x, y := g.widened(f, v[0]), g.widened(f, v[1])
		return g.narrowed(f, g.nan(g.subPS(x, y), x, y), toNearest)
	}},
	{"mul", 2, func(g *gen, f flush, v [3]vec) vec { return g.halfProduct(f, g.widened(f, v[0]), g.widened(f, v[1])) }},
	{"mad", 3, func(g *gen, f flush, v [3]vec) vec {
		p := g.halfProduct(f, g.widened(f, v[0]), g.widened(f, v[1]))
		return g.halfSum(f, g.widened(f, p), g.widened(f, v[2]))
	}},
	{"fma", 3, func(g *gen, f flush, v [3]vec) vec {
		x := [3]vec{g.widened(f, v[0]), g.widened(f, v[1]), g.widened(f, v[2])}
		return g.narrowed(f, g.firstNaN(g.oddSum(g.mulPS(x[0], x[1]), x[2]), x), toNearest)
	}},
	{"of f32", 1, func(g *gen, f flush, v [3]vec) vec { return g.narrowed(f, v[0], toNearest) }},
	{"to f32", 1, func(g *gen, f flush, v [3]vec) vec { return g.widened(f, v[0]) }},
	{"min", 2, halfExtreme(leastHalf)},
	{"max", 2, halfExtreme(greatestHalf)},
	{"min3", 3, halfExtreme(threeHalves(leastHalf))},
	{"max3", 3, halfExtreme(threeHalves(greatestHalf))},
	{"med3", 3, halfExtreme(func(g *gen, v [3]vec) vec {
		x, y, z := v[0], v[1], v[2]
		top := threeHalves(greatestHalf)(g, v)
		same := func(x vec) vec { // treats +0 and -0 as equal
			return g.or(g.equal(top, x), g.equal(g.shlBy(g.or(top, x), 17), g.k(0)))
		}
		r := g.blend(greatestHalf(g, [3]vec{x, y}), greatestHalf(g, [3]vec{x, z}), same(y))
		r = g.blend(r, greatestHalf(g, [3]vec{y, z}), same(x))
		nan := g.or(g.halfNaN(x), g.or(g.halfNaN(y), g.halfNaN(z)))
		return g.blend(r, threeHalves(leastHalf)(g, v), nan)
	})},
	{"trunc", 1, wholeHalf(3)},
	{"ceil", 1, wholeHalf(2)},
	{"floor", 1, wholeHalf(1)},
	{"rndne", 1, wholeHalf(0)},
	{"fract", 1, func(g *gen, f flush, v [3]vec) vec {
		x, down := g.widened(f, v[0]), g.YMM()
		g.VROUNDPS(operand.U8(8|1), x, down)
		r := g.minU(g.narrowed(f, g.subPS(x, down), toNearest), g.k(0x3bff))
		special := g.equal(g.and(v[0], g.k(halfExponent)), g.k(halfExponent))
		return g.blend(r, g.and(g.or(v[0], g.k(0x200)), g.k(halfBits)), special)
	}},
	{"rcp", 1, throughSingle(func(g *gen, x vec) vec { return g.do(g.VDIVPS, x, g.k(one)) })},
	{"rsq", 1, throughSingle(func(g *gen, x vec) vec { return g.do(g.VDIVPS, g.do1(g.VSQRTPS, x), g.k(one)) })},
	{"sqrt", 1, throughSingle(func(g *gen, x vec) vec { return g.do1(g.VSQRTPS, x) })},
	{"pack to zero", 2, func(g *gen, f flush, v [3]vec) vec {
		return g.or(g.narrowed(f, v[0], toZero), g.shlBy(g.narrowed(f, v[1], toZero), 16))
	}},
}

// throughSingle rounds to float32 and then to float16. A test tries all halves.
func throughSingle(op func(g *gen, x vec) vec) func(g *gen, f flush, v [3]vec) vec {
	return func(g *gen, f flush, v [3]vec) vec { return g.narrowed(f, op(g, g.widened(f, v[0])), toNearest) }
}

// extremeHalf is an operation on the low 16 bits of lanes; the upper bits are ignored.
type extremeHalf = func(g *gen, v [3]vec) vec

func halfExtreme(op extremeHalf) func(g *gen, f flush, v [3]vec) vec {
	return func(g *gen, f flush, v [3]vec) vec {
		for i, x := range v {
			if x != nil {
				v[i] = g.flushedHalf(g.and(x, g.k(halfBits)), f.in)
			}
		}
		return op(g, v)
	}
}

func leastHalf(g *gen, v [3]vec) vec    { return g.lesserHalf(v, v[1], v[0]) }
func greatestHalf(g *gen, v [3]vec) vec { return g.lesserHalf(v, v[0], v[1]) }

// lesserHalf returns v[1] where low is before high, else v[0]. If one of them is a NaN, it returns the other one.
func (g *gen) lesserHalf(v [3]vec, low, high vec) vec {
	place := func(x vec) vec { return g.order(g.shlBy(x, 16)) }
	r := g.blend(v[0], v[1], g.greater(place(high), place(low)))
	r = g.blend(r, v[0], g.halfNaN(v[1]))
	return g.blend(r, v[1], g.halfNaN(v[0]))
}

func threeHalves(op extremeHalf) extremeHalf {
	return func(g *gen, v [3]vec) vec { return op(g, [3]vec{op(g, v), v[2]}) }
}

func (g *gen) halfNaN(x vec) vec { return g.greater(g.and(x, g.k(0x7fff)), g.k(halfExponent)) }

// wholeHalf rounds to an integer in one of the directions of VROUNDPS.
func wholeHalf(direction int) func(g *gen, f flush, v [3]vec) vec {
	return func(g *gen, f flush, v [3]vec) vec {
		d := g.YMM()
		g.VROUNDPS(operand.U8(8|direction), g.widened(f, v[0]), d)
		return g.narrowed(f, d, toNearest)
	}
}

func halves(g *gen) {
	g.function("cpuid1", "func() uint32")
	g.MOVL(operand.U32(1), reg.EAX)
	g.XORL(reg.ECX, reg.ECX)
	g.CPUID()
	g.Store(reg.ECX, g.ReturnIndex(0))
	g.RET()

	t := table{name: "halfAVX2", of: "FloatOp"}
	for _, op := range halfOps {
		g.begin(&t, op.name, "func(d, a, b, c *[64]uint32, in, out uint32)")
		params, d := g.operandsOf(op.n)
		f := flush{g.all(g.arg32("in")), g.all(g.arg32("out"))}
		for _, v := range []uint32{halfExponent, halfBits, 0, defaultNaN, 1} {
			g.k(v)
		}
		g.groups(1, func(at func(gp) operand.Mem) {
			var v [3]vec
			for i := range op.n {
				v[i] = g.load(at(params[i]))
			}
			g.VMOVDQU(op.body(g, f, v), at(d))
		})
		g.end()
	}
	g.tables = append(g.tables, t)
}
