package main

import (
	"github.com/gcnsim/gcnsim/internal/base/vector"
	"github.com/mmcloughlin/avo/operand"
)

// Floats of 32 bits. A kernel first computes all lanes with plain host instructions, keeps the results in registers,
// and looks for a lane where MODE or the choice of a NaN matters: a denormal, an infinity or a NaN. If there is none
// it writes the results. Otherwise it computes each group of lanes again with these cases handled.

const (
	exponent   = 0x7f800000
	signBit    = 0x80000000
	defaultNaN = 0xffc00000
	quietBit   = 0x00400000

	magInf = 0xff << 24 // infinity: bits without the sign, times two
)

// float is an operation on float32 that rounds to nearest even.
type float struct {
	name string
	n    int
	// least is the smallest nonzero magnitude for which plain is correct.
	least uint32
	// plain computes the operation and folds its operands into the watch.
	plain func(g *gen, w *watch, a, b, c vec) vec
	// full computes the operation with flushing and the choice of NaNs.
	full func(g *gen, f flush, a, b, c vec) vec
}

// flush holds masks of the bits that become 0 in denormal operands and results: all except the sign, or none.
type flush struct{ in, out vec }

// watch folds magnitudes of lanes. small is the smallest one minus 1, so that zeros, which need no care, do not
// count; large is the largest one.
type watch struct{ small, large vec }

func (g *gen) mag(x vec) vec { return g.add(x, x) }

// operand notes a value that must not be denormal. finite notes one that must not be infinite or a NaN, either.
func (w *watch) operand(g *gen, x vec) { w.note(g, g.mag(x)) }

func (w *watch) finite(g *gen, x vec) {
	m := g.mag(x)
	w.note(g, m)
	g.VPMAXUD(m, w.large, w.large)
}

func (w *watch) note(g *gen, m vec) { g.VPMINUD(g.add(m, g.k(0xffffffff)), w.small, w.small) }

// flushed clears the bits of mask in lanes with a denormal.
func (g *gen) flushed(x, mask vec) vec {
	c := &vector.Code{}
	r := c.Flushed(c.Arg(0), c.Arg(1))
	return g.list(c, nil, x, mask)[r]
}

// nan replaces the NaN that x86 returns for an invalid operation. For a NaN operand, x86 itself returns the first
// one.
func (g *gen) nan(r, x, y vec) vec {
	c := &vector.Code{}
	v := c.NaN(c.Arg(0), c.Arg(1), c.Arg(2))
	return g.list(c, nil, r, x, y)[v]
}

// Predicates of VCMPPS.
const (
	cmpEQ = 0x00
	cmpUN = 0x03
	cmpLG = 0x0c
	cmpLT = 0x11
	cmpLE = 0x12
	cmpGE = 0x1d
)

func (g *gen) compare(x, y vec, how int) vec {
	return g.holds(func(ops ...operand.Op) { g.VCMPPS(append([]operand.Op{operand.U8(how)}, ops...)...) }, y, x)
}

func (g *gen) unordered(x, y vec) vec { return g.compare(x, y, cmpUN) }

// blend returns y where mask is set, else x.
func (g *gen) blend(x, y, mask vec) vec {
	d := g.vec()
	if g.zmm {
		g.VPBLENDMD(y, x, g.signsOf(mask), d)
	} else {
		g.VBLENDVPS(mask, y, x, d)
	}
	return d
}

func (g *gen) addPS(x, y vec) vec { return g.do(g.VADDPS, y, x) }
func (g *gen) subPS(x, y vec) vec { return g.do(g.VSUBPS, y, x) }
func (g *gen) mulPS(x, y vec) vec { return g.do(g.VMULPS, y, x) }

// order maps floats to signed integers of the same order, -0 right before +0.
func (g *gen) order(x vec) vec { return g.xor(x, g.shrBy(g.sarBy(x, 31), 1)) }

// floatOps returns the operations of package vector: those for eight lanes only if eight is set, else the others.
func floatOps(eight bool) (all []float) {
	for _, op := range vector.Floats {
		if op.Eight == eight {
			all = append(all, floatOf(op))
		}
	}
	return all
}

const (
	one      = 0x3f800000
	belowOne = one - 1
	one64    = 0x3ff << 52
)

type fullOp = func(g *gen, f flush, a, b, c vec) vec

// wide64 wraps an operation that computes in float64. The host's NaN for an invalid operation is negative.
func wide64(op func(g *gen, x vec) vec) fullOp {
	return func(g *gen, f flush, a, _, _ vec) vec {
		x := g.flushed(a, f.in)
		low, high := g.do1(g.VCVTPS2PD, x.AsX()), g.do1(g.VCVTPS2PD, g.upper(x).AsX())
		return g.flushed(g.join(g.single(op(g, low)), g.single(op(g, high))), f.out)
	}
}

// fmaPS returns x*y + z, rounded once.
func (g *gen) fmaPS(x, y, z vec) vec {
	d := g.vec()
	g.VMOVAPS(x, d)
	g.VFMADD213PS(z, y, d)
	return d
}

func floats(g *gen) { g.floats("float", append(floatOps(false), floatOps(true)...)) }

// operandsOf loads the arguments of an operation with n operands.
func (g *gen) operandsOf(n int) (params [3]gp, d gp) {
	for i := range n {
		params[i] = g.arg([]string{"a", "b", "c"}[i])
	}
	return params, g.arg("d")
}

// floats writes a table of operations.
func (g *gen) floats(name string, ops []float) {
	t := table{name: name + g.tier(), of: "FloatOp"}
	for _, op := range ops {
		g.begin(&t, op.name, "func(d, a, b, c *[64]uint32, in, out uint32)")
		params, d := g.operandsOf(op.n)
		if op.plain != nil {
			g.plain(op, params, d)
		}
		f := flush{g.all(g.arg32("in")), g.all(g.arg32("out"))}
		for _, v := range []uint32{exponent, 0, defaultNaN, quietBit, one, belowOne} {
			g.k(v)
		}
		g.groups(1, func(at func(gp) operand.Mem) {
			var v [3]vec
			for i := range op.n {
				v[i] = g.load(at(params[i]))
			}
			g.store(op.full(g, f, v[0], v[1], v[2]), at(d))
		})
		g.end()
	}
	g.tables = append(g.tables, t)
}

// plain emits the computation of all lanes. The function writes them and returns if the watch saw nothing.
func (g *gen) plain(op float, params [3]gp, d gp) {
	full := operand.LabelRef("full")
	ones := g.k(0xffffffff)
	w := &watch{small: g.or(ones, ones), large: g.xor(ones, ones)}
	r := make([]vec, g.numVecs())
	for i := range r {
		var v [3]vec
		for n := range op.n {
			v[n] = g.load(g.at(params[n], i))
		}
		r[i] = op.plain(g, w, v[0], v[1], v[2])
	}
	special := g.or(g.atLeast(w.large, magInf), g.not(g.atLeast(w.small, op.least-1)))
	g.ifAny(special, full)
	for i := range r {
		g.store(r[i], g.at(d, i))
	}
	g.end()
	g.consts = map[uint32]vec{}
	g.Label("full")
}

// ifAny emits a jump, taken if a bit of x is set.
func (g *gen) ifAny(x vec, to operand.LabelRef) {
	g.testAny(x)
	g.JNZ(to)
}

// testAny emits a test that clears the zero flag if a bit of x is set.
func (g *gen) testAny(x vec) {
	if g.zmm {
		odd := g.K()
		g.VPTESTMD(x, x, odd)
		g.KORTESTW(odd, odd)
	} else {
		g.VPTEST(x, x)
	}
}

// atLeast returns a mask of the lanes of x that are not below v.
func (g *gen) atLeast(x vec, v uint32) vec {
	y := g.vec()
	r := g.GP32()
	g.MOVL(operand.U32(v), r)
	g.VMOVD(r, y.AsX())
	g.VPBROADCASTD(y.AsX(), y)
	return g.equal(g.maxU(x, y), x)
}
