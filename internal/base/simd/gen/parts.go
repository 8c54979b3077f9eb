package main

import "github.com/mmcloughlin/avo/operand"

// Operations on the parts of float32: exponents, signs, faces of cubes.

// partOps returns more operations on float32.
func partOps() []float {
	return []float{
		{"exp2", 1, 0, nil, quieted(powerOfTwo, true)},
		{"log2", 1, 0, nil, log2},
		{"sin turns", 1, 0, nil, quieted(turns(0, 0), false)},
		{"cos turns", 1, 0, nil, quieted(turns(1, 1), false)},
		{"ldexp", 2, 0, nil, scaled},
		{"frexp mant", 1, 0, nil, func(g *gen, f flush, a, _, _ vec) vec {
			x := g.flushed(a, f.in)
			y, _ := g.normalized(x)
			y = g.or(g.and(y, g.k(0x807fffff)), g.k(0x3f000000))
			return g.whereFinite(y, x, g.or(x, g.and(g.unordered(x, x), g.k(quietBit))))
		}},
		{"frexp exp", 1, 0, nil, func(g *gen, f flush, a, _, _ vec) vec {
			x := g.flushed(a, f.in)
			y, less := g.normalized(x)
			y = g.sub(g.sub(g.shrBy(g.add(y, y), 24), g.k(126)), less)
			return g.whereFinite(y, x, g.k(0))
		}},
		{"cube id", 3, 0, nil, func(g *gen, _ flush, x, y, z vec) vec {
			c := g.cube(x, y, z)
			face := g.sub(g.add(g.blend(g.k(0), g.k(2), c.y), g.and(c.z, g.k(4))), c.negative)
			return g.do1(g.VCVTDQ2PS, face)
		}},
		{"cube ma", 3, 0, nil, func(g *gen, f flush, x, y, z vec) vec {
			m := g.flushed(g.cube(x, y, z).major, f.in)
			return g.flushed(g.addPS(m, m), f.out)
		}},
		{"cube sc", 3, 0, nil, func(g *gen, f flush, x, y, z vec) vec {
			c := g.cube(x, y, z)
			sign := g.and(c.negative, g.k(signBit))
			r := g.xor(z, g.xor(sign, g.k(signBit)))
			r = g.blend(r, x, c.y)
			return g.flushed(g.blend(r, g.xor(x, sign), c.z), f.in)
		}},
		{"cube tc", 3, 0, nil, func(g *gen, f flush, x, y, z vec) vec {
			c := g.cube(x, y, z)
			r := g.blend(g.xor(y, g.k(signBit)), g.xor(z, g.and(c.negative, g.k(signBit))), c.y)
			return g.flushed(r, f.in)
		}},
		{"div fixup", 3, 0, nil, divFixup},
	}
}

func parts(g *gen) { g.floats("part", partOps()) }

// scaled returns a * 2**b for an integer b, computed in float64, where it is exact.
func scaled(g *gen, f flush, a, b, _ vec) vec {
	x := g.flushed(a, f.in)
	by := g.minS(g.maxS(b, g.k(-500&(1<<32-1))), g.k(500))
	four := func(x, by operand.Op) vec {
		scale := g.do(g.VPSLLQ, operand.U8(52), g.do(g.VPADDQ, g.quads("bits", 1023), g.do1(g.VPMOVSXDQ, by)))
		return g.single(g.mulPD(g.do1(g.VCVTPS2PD, x), scale))
	}
	r := g.join(four(x.AsX(), by.AsX()), four(g.upper(x).AsX(), g.upper(by).AsX()))
	return g.flushed(r, f.out)
}

// normalized multiplies denormals in x by 2**32. less is 32 in these lanes.
func (g *gen) normalized(x vec) (y, less vec) {
	small := g.equal(g.and(x, g.k(exponent)), g.k(0))
	return g.blend(x, g.mulPS(x, g.k(0x4f800000)), small), g.and(small, g.k(32))
}

// whereFinite returns y where x is neither zero, infinite nor NaN, else other.
func (g *gen) whereFinite(y, x, other vec) vec {
	special := g.equal(g.and(x, g.k(exponent)), g.k(exponent))
	return g.blend(y, other, g.or(special, g.compare(x, g.k(0), cmpEQ)))
}

// direction holds masks for the largest coordinate of a direction (y, z, or else x), its value, and its sign.
type direction struct{ y, z, major, negative vec }

func (g *gen) cube(x, y, z vec) (c direction) {
	number := g.k(0x7fffffff)
	ax, ay, az := g.and(x, number), g.and(y, number), g.and(z, number)
	c.z = g.and(g.compare(az, ay, cmpGE), g.compare(az, ax, cmpGE))
	c.y = g.andNot(g.compare(ay, ax, cmpGE), c.z)
	c.major = g.blend(g.blend(x, y, c.y), z, c.z)
	c.negative = g.compare(c.major, g.k(0), cmpLT)
	return c
}

// divFixup sets the sign of the quotient q of n/d and handles special operands. Later cases override earlier ones.
func divFixup(g *gen, f flush, q, d, n vec) vec {
	number, inf := g.k(0x7fffffff), g.k(exponent)
	sign := g.and(g.xor(d, n), g.k(signBit))
	d0, n0 := g.and(g.flushed(d, f.in), number), g.and(g.flushed(n, f.in), number)
	r := g.blend(g.and(q, number), inf, g.unordered(q, q))
	far := g.greater(g.k(-150&(1<<32-1)), g.sub(g.shrBy(n0, 23), g.shrBy(d0, 23)))
	r = g.andNot(r, far)
	zeroD, zeroN := g.equal(d0, g.k(0)), g.equal(n0, g.k(0))
	infD, infN := g.equal(d0, inf), g.equal(n0, inf)
	r = g.andNot(r, g.or(infD, zeroN))
	r = g.blend(r, inf, g.or(zeroD, infN))
	r = g.or(r, sign)
	none := g.or(g.and(zeroD, zeroN), g.and(infD, infN))
	r = g.blend(r, g.k(0xffc00000), none)
	r = g.blend(r, g.or(d, g.k(quietBit)), g.unordered(d, d))
	return g.blend(r, g.or(n, g.k(quietBit)), g.unordered(n, n))
}
