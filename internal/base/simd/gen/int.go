package main

import (
	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/operand"
)

// integer is an operation on integers: of one to three operands.
type integer struct {
	name string
	n    int
	// consts are the constants that body asks for, set up before the loop.
	consts []uint32
	body   func(g *gen, a, b, c vec) vec
}

// Shorthands of instructions on a vector: the left operand comes first.
func (g *gen) add(x, y vec) vec       { return g.do(g.VPADDD, y, x) }
func (g *gen) sub(x, y vec) vec       { return g.do(g.VPSUBD, y, x) }
func (g *gen) mul(x, y vec) vec       { return g.do(g.VPMULLD, y, x) }
func (g *gen) and(x, y vec) vec       { return g.either(g.VPAND, g.VPANDD, y, x) }
func (g *gen) or(x, y vec) vec        { return g.either(g.VPOR, g.VPORD, y, x) }
func (g *gen) xor(x, y vec) vec       { return g.either(g.VPXOR, g.VPXORD, y, x) }
func (g *gen) andNot(x, y vec) vec    { return g.either(g.VPANDN, g.VPANDND, x, y) } // x &^ y
func (g *gen) shl(x, n vec) vec       { return g.do(g.VPSLLVD, n, x) }
func (g *gen) shr(x, n vec) vec       { return g.do(g.VPSRLVD, n, x) }
func (g *gen) sar(x, n vec) vec       { return g.do(g.VPSRAVD, n, x) }
func (g *gen) shlBy(x vec, n int) vec { return g.do(g.VPSLLD, operand.U8(n), x) }
func (g *gen) shrBy(x vec, n int) vec { return g.do(g.VPSRLD, operand.U8(n), x) }
func (g *gen) sarBy(x vec, n int) vec { return g.do(g.VPSRAD, operand.U8(n), x) }
func (g *gen) minS(x, y vec) vec      { return g.do(g.VPMINSD, y, x) }
func (g *gen) maxS(x, y vec) vec      { return g.do(g.VPMAXSD, y, x) }
func (g *gen) minU(x, y vec) vec      { return g.do(g.VPMINUD, y, x) }
func (g *gen) maxU(x, y vec) vec      { return g.do(g.VPMAXUD, y, x) }
func (g *gen) equal(x, y vec) vec     { return g.holds(g.VPCMPEQD, y, x) }
func (g *gen) greater(x, y vec) vec   { return g.holds(g.VPCMPGTD, y, x) } // signed
func (g *gen) not(x vec) vec          { return g.xor(x, g.k(0xffffffff)) }

// either is do of the instruction for eight or that for sixteen lanes.
func (g *gen) either(eight, sixteen any, y, x operand.Op) vec {
	if g.zmm {
		return g.do(sixteen, y, x)
	}
	return g.do(eight, y, x)
}

// holds is do of a comparison: all bits of the lanes where it holds.
func (g *gen) holds(f func(...operand.Op), y, x operand.Op) vec {
	if !g.zmm {
		return g.do(f, y, x)
	}
	k := g.K()
	f(y, x, k)
	return g.spread(k)
}

// sext extends the sign of the low bits.
func (g *gen) sext(x vec, bits int) vec { return g.sarBy(g.shlBy(x, 32-bits), 32-bits) }

// five is a shift count.
func (g *gen) five(n vec) vec { return g.and(n, g.k(31)) }

// high is the upper half of the products of x and y, mul being that of the even lanes.
func (g *gen) high(mul any, x, y vec) vec {
	even := g.do(mul, y, x)
	odd := g.do(mul, g.do(g.VPSRLQ, operand.U8(32), y), g.do(g.VPSRLQ, operand.U8(32), x))
	d := g.YMM()
	g.VPBLENDD(operand.U8(0xaa), odd, g.do(g.VPSRLQ, operand.U8(32), even), d)
	return d
}

// median is the median of three integers under min and max.
func median(g *gen, low, high func(x, y vec) vec, a, b, c vec) vec {
	return high(low(a, b), low(high(a, b), c))
}

func (g *gen) word(x vec) vec { return g.and(x, g.k(0xffff)) }

// integerOps is the table of operations on integers; package simd has their text.
var integerOps = []integer{
	{"mov", 1, nil, func(_ *gen, a, _, _ vec) vec { return a }},
	{"not", 1, []uint32{0xffffffff}, func(g *gen, a, _, _ vec) vec { return g.not(a) }},
	{"and", 2, nil, func(g *gen, a, b, _ vec) vec { return g.and(a, b) }},
	{"or", 2, nil, func(g *gen, a, b, _ vec) vec { return g.or(a, b) }},
	{"xor", 2, nil, func(g *gen, a, b, _ vec) vec { return g.xor(a, b) }},
	{"xnor", 2, []uint32{0xffffffff}, func(g *gen, a, b, _ vec) vec { return g.not(g.xor(a, b)) }},
	{"add", 2, nil, func(g *gen, a, b, _ vec) vec { return g.add(a, b) }},
	{"sub", 2, nil, func(g *gen, a, b, _ vec) vec { return g.sub(a, b) }},
	{"subrev", 2, nil, func(g *gen, a, b, _ vec) vec { return g.sub(b, a) }},
	{"mul", 2, nil, func(g *gen, a, b, _ vec) vec { return g.mul(a, b) }},
	{"mad", 3, nil, func(g *gen, a, b, c vec) vec { return g.add(g.mul(a, b), c) }},
	{"mul hi u32", 2, nil, func(g *gen, a, b, _ vec) vec { return g.high(g.VPMULUDQ, a, b) }},
	{"mul hi i32", 2, nil, func(g *gen, a, b, _ vec) vec { return g.high(g.VPMULDQ, a, b) }},
	{"mul hi u24", 2, []uint32{0xffffff}, func(g *gen, a, b, _ vec) vec {
		return g.high(g.VPMULUDQ, g.and(a, g.k(0xffffff)), g.and(b, g.k(0xffffff)))
	}},
	{"mul hi i24", 2, nil, func(g *gen, a, b, _ vec) vec { return g.high(g.VPMULDQ, g.sext(a, 24), g.sext(b, 24)) }},
	{"mul u24", 2, []uint32{0xffffff}, func(g *gen, a, b, _ vec) vec {
		return g.mul(g.and(a, g.k(0xffffff)), g.and(b, g.k(0xffffff)))
	}},
	{"mul i24", 2, nil, func(g *gen, a, b, _ vec) vec { return g.mul(g.sext(a, 24), g.sext(b, 24)) }},
	{"mad u24", 3, []uint32{0xffffff}, func(g *gen, a, b, c vec) vec {
		return g.add(g.mul(g.and(a, g.k(0xffffff)), g.and(b, g.k(0xffffff))), c)
	}},
	{"mad i24", 3, nil, func(g *gen, a, b, c vec) vec { return g.add(g.mul(g.sext(a, 24), g.sext(b, 24)), c) }},
	{"mad u16", 3, []uint32{0xffff}, func(g *gen, a, b, c vec) vec { return g.add(g.mul(g.word(a), g.word(b)), c) }},
	{"mad i16", 3, nil, func(g *gen, a, b, c vec) vec { return g.add(g.mul(g.sext(a, 16), g.sext(b, 16)), c) }},
	{"shl", 2, []uint32{31}, func(g *gen, a, b, _ vec) vec { return g.shl(a, g.five(b)) }},
	{"shr", 2, []uint32{31}, func(g *gen, a, b, _ vec) vec { return g.shr(a, g.five(b)) }},
	{"sar", 2, []uint32{31}, func(g *gen, a, b, _ vec) vec { return g.sar(a, g.five(b)) }},
	{"shlrev", 2, []uint32{31}, func(g *gen, a, b, _ vec) vec { return g.shl(b, g.five(a)) }},
	{"shrrev", 2, []uint32{31}, func(g *gen, a, b, _ vec) vec { return g.shr(b, g.five(a)) }},
	{"sarrev", 2, []uint32{31}, func(g *gen, a, b, _ vec) vec { return g.sar(b, g.five(a)) }},
	{"shlrev 16", 2, []uint32{15}, func(g *gen, a, b, _ vec) vec { return g.shl(b, g.and(a, g.k(15))) }},
	{"shrrev 16", 2, []uint32{15, 0xffff}, func(g *gen, a, b, _ vec) vec { return g.shr(g.word(b), g.and(a, g.k(15))) }},
	{"sarrev 16", 2, []uint32{15}, func(g *gen, a, b, _ vec) vec { return g.sar(g.sext(b, 16), g.and(a, g.k(15))) }},
	{"add3", 3, nil, func(g *gen, a, b, c vec) vec { return g.add(g.add(a, b), c) }},
	{"add shl", 3, []uint32{31}, func(g *gen, a, b, c vec) vec { return g.shl(g.add(a, b), g.five(c)) }},
	{"shl add", 3, []uint32{31}, func(g *gen, a, b, c vec) vec { return g.add(g.shl(a, g.five(b)), c) }},
	{"shl or", 3, []uint32{31}, func(g *gen, a, b, c vec) vec { return g.or(g.shl(a, g.five(b)), c) }},
	{"and or", 3, nil, func(g *gen, a, b, c vec) vec { return g.or(g.and(a, b), c) }},
	{"or3", 3, nil, func(g *gen, a, b, c vec) vec { return g.or(g.or(a, b), c) }},
	{"xor add", 3, nil, func(g *gen, a, b, c vec) vec { return g.add(g.xor(a, b), c) }},
	{"bfi", 3, nil, func(g *gen, a, b, c vec) vec { return g.or(g.and(a, b), g.andNot(c, a)) }},
	{"bfm", 2, []uint32{31, 1}, func(g *gen, a, b, _ vec) vec {
		return g.shl(g.sub(g.shl(g.k(1), g.five(a)), g.k(1)), g.five(b))
	}},
	{"bfe u32", 3, []uint32{31, 1}, func(g *gen, a, b, c vec) vec {
		return g.and(g.shr(a, g.five(b)), g.sub(g.shl(g.k(1), g.five(c)), g.k(1)))
	}},
	// A field that reaches beyond the word ends with it; a shift by 32 of an empty one gives 0
	// after the count is made 64.
	{"bfe i32", 3, []uint32{31, 32, 0}, func(g *gen, a, b, c vec) vec {
		at, n := g.five(b), g.five(c)
		n = g.minU(n, g.sub(g.k(32), at))
		drop := g.sub(g.k(32), n)
		field := g.sar(g.shl(g.shr(a, at), drop), drop)
		return g.andNot(field, g.equal(n, g.k(0)))
	}},
	{"align bit", 3, []uint32{31, 32}, func(g *gen, a, b, c vec) vec {
		n := g.five(c)
		return g.or(g.shr(b, n), g.shl(a, g.sub(g.k(32), n)))
	}},
	{"align byte", 3, []uint32{3, 32}, func(g *gen, a, b, c vec) vec {
		n := g.shlBy(g.and(c, g.k(3)), 3)
		return g.or(g.shr(b, n), g.shl(a, g.sub(g.k(32), n)))
	}},
	{"min u32", 2, nil, func(g *gen, a, b, _ vec) vec { return g.minU(a, b) }},
	{"max u32", 2, nil, func(g *gen, a, b, _ vec) vec { return g.maxU(a, b) }},
	{"min i32", 2, nil, func(g *gen, a, b, _ vec) vec { return g.minS(a, b) }},
	{"max i32", 2, nil, func(g *gen, a, b, _ vec) vec { return g.maxS(a, b) }},
	{"min u16", 2, []uint32{0xffff}, func(g *gen, a, b, _ vec) vec { return g.minU(g.word(a), g.word(b)) }},
	{"max u16", 2, []uint32{0xffff}, func(g *gen, a, b, _ vec) vec { return g.maxU(g.word(a), g.word(b)) }},
	{"min i16", 2, nil, func(g *gen, a, b, _ vec) vec { return g.minS(g.sext(a, 16), g.sext(b, 16)) }},
	{"max i16", 2, nil, func(g *gen, a, b, _ vec) vec { return g.maxS(g.sext(a, 16), g.sext(b, 16)) }},
	{"min3 u32", 3, nil, func(g *gen, a, b, c vec) vec { return g.minU(g.minU(a, b), c) }},
	{"max3 u32", 3, nil, func(g *gen, a, b, c vec) vec { return g.maxU(g.maxU(a, b), c) }},
	{"med3 u32", 3, nil, func(g *gen, a, b, c vec) vec { return median(g, g.minU, g.maxU, a, b, c) }},
	{"min3 i32", 3, nil, func(g *gen, a, b, c vec) vec { return g.minS(g.minS(a, b), c) }},
	{"max3 i32", 3, nil, func(g *gen, a, b, c vec) vec { return g.maxS(g.maxS(a, b), c) }},
	{"med3 i32", 3, nil, func(g *gen, a, b, c vec) vec { return median(g, g.minS, g.maxS, a, b, c) }},
	{"perm", 3, nil, (*gen).perm},
	{"lerp u8", 3, []uint32{0x01010101}, func(g *gen, a, b, c vec) vec {
		down := g.and(g.andNot(g.xor(a, b), c), g.k(0x01010101)) // where the mean is not rounded up
		return g.do(g.VPSUBB, down, g.do(g.VPAVGB, b, a))
	}},
	{"sad u8", 3, []uint32{0x01010101, 0x00010001}, func(g *gen, a, b, c vec) vec { return g.add(g.sumBytes(g.differences(a, b)), c) }},
	{"msad u8", 3, []uint32{0, 0x01010101, 0x00010001}, func(g *gen, a, b, c vec) vec {
		none := g.do(g.VPCMPEQB, g.k(0), b)
		return g.add(g.sumBytes(g.andNot(g.differences(a, b), none)), c)
	}},
	{"sad hi u8", 3, []uint32{0x01010101, 0x00010001}, func(g *gen, a, b, c vec) vec {
		return g.add(g.shlBy(g.sumBytes(g.differences(a, b)), 16), c)
	}},
	{"sad u16", 3, []uint32{0xffff}, func(g *gen, a, b, c vec) vec {
		d := g.or(g.do(g.VPSUBUSW, b, a), g.do(g.VPSUBUSW, a, b))
		return g.add(g.add(g.and(d, g.k(0xffff)), g.shrBy(d, 16)), c)
	}},
	{"sad u32", 3, nil, func(g *gen, a, b, c vec) vec { return g.add(g.sub(g.maxU(a, b), g.minU(a, b)), c) }},

	{"dot i16", 3, nil, func(g *gen, a, b, c vec) vec { return g.add(g.do(g.VPMADDWD, b, a), c) }},
	{"dot u16", 3, []uint32{0xffff}, func(g *gen, a, b, c vec) vec {
		low := g.mul(g.and(a, g.k(0xffff)), g.and(b, g.k(0xffff)))
		return g.add(g.add(low, g.mul(g.shrBy(a, 16), g.shrBy(b, 16))), c)
	}},
	{"dot i8", 3, nil, func(g *gen, a, b, c vec) vec { return g.dot(a, b, c, 8, 8, g.VPSRAW) }},
	{"dot u8", 3, nil, func(g *gen, a, b, c vec) vec { return g.dot(a, b, c, 8, 8, g.VPSRLW) }},
	{"dot i4", 3, nil, func(g *gen, a, b, c vec) vec { return g.dot(a, b, c, 4, 12, g.VPSRAW) }},
	{"dot u4", 3, nil, func(g *gen, a, b, c vec) vec { return g.dot(a, b, c, 4, 12, g.VPSRLW) }},
	{"pack u16", 2, []uint32{0xffff}, func(g *gen, a, b, _ vec) vec {
		return g.or(g.minU(a, g.k(0xffff)), g.shlBy(g.minU(b, g.k(0xffff)), 16))
	}},
	{"pack halves", 2, []uint32{0xffff}, func(g *gen, a, b, _ vec) vec { return g.or(g.word(a), g.shlBy(b, 16)) }},
	{"ones add", 2, []uint32{0x0f0f0f0f, 0x01010101, 0x00010001}, func(g *gen, a, b, _ vec) vec { return g.add(g.ones(a), b) }},
	{"reverse bits", 1, []uint32{0x0f0f0f0f}, func(g *gen, a, _, _ vec) vec { return g.reverse(a) }},
}

// nibbles looks up both nibbles of each byte.
func (g *gen) nibbles(x vec, low, high operand.Op) (lo, hi vec) {
	lo = g.and(x, g.k(0x0f0f0f0f))
	hi = g.and(g.shrBy(x, 4), g.k(0x0f0f0f0f))
	t := g.YMM()
	g.VBROADCASTI128(low, t)
	lo = g.do(g.VPSHUFB, lo, t)
	t = g.YMM()
	g.VBROADCASTI128(high, t)
	return lo, g.do(g.VPSHUFB, hi, t)
}

// ones counts the bits that are set.
func (g *gen) ones(x vec) vec {
	lo, hi := g.nibbles(x, g.data("ones"), g.data("ones"))
	bytes := g.do(g.VPADDB, hi, lo)
	words := g.do(g.VPMADDUBSW, g.k(0x01010101), bytes)
	return g.do(g.VPMADDWD, g.k(0x00010001), words)
}

// dot adds the products of parts of 16 bits to c, of each word one part after the other: it is
// shifted to the top and from there, by down bits, to the bottom.
func (g *gen) dot(a, b, c vec, width, down int, shift any) vec {
	for up := 16 - width; up >= 0; up -= width {
		part := func(x vec) vec {
			if up > 0 {
				x = g.do(g.VPSLLW, operand.U8(up), x)
			}
			return g.do(shift, operand.U8(down), x)
		}
		c = g.add(c, g.do(g.VPMADDWD, part(b), part(a)))
	}
	return c
}

// differences are the differences of the bytes, without sign.
func (g *gen) differences(a, b vec) vec {
	return g.or(g.do(g.VPSUBUSB, b, a), g.do(g.VPSUBUSB, a, b))
}

// sumBytes adds up the bytes of each lane.
func (g *gen) sumBytes(x vec) vec {
	return g.do(g.VPMADDWD, g.k(0x00010001), g.do(g.VPMADDUBSW, g.k(0x01010101), x))
}

// perm chooses bytes of a:b, or the signs of their odd bytes, by the bytes of sel.
func (g *gen) perm(a, b, sel vec) vec {
	places := g.YMM()
	g.VBROADCASTI128(g.data("lane_bytes"), places)
	mask := func(bit int) vec { return g.shlBy(sel, 7-bit) } // a blend looks at the top bits of bytes
	choose := func(at vec, bit int) vec {
		at = g.or(at, places)
		return g.blendBytes(g.do(g.VPSHUFB, at, b), g.do(g.VPSHUFB, at, a), mask(bit))
	}
	bytes := choose(g.and(sel, g.k(0x03030303)), 2)
	odd := g.and(sel, g.k(0x01010101))
	odd = g.or(g.add(odd, odd), g.k(0x01010101))
	signs := g.do(g.VPCMPGTB, choose(odd, 1), g.k(0))
	r := g.blendBytes(bytes, signs, mask(3))
	r = g.andNot(r, g.do(g.VPCMPEQB, g.k(0x0c0c0c0c), sel))
	return g.or(r, g.do(g.VPCMPEQB, sel, g.do(g.VPMAXUB, g.k(0x0d0d0d0d), sel)))
}

// blendBytes is y in the bytes whose top bit is set in mask, else x.
func (g *gen) blendBytes(x, y, mask vec) vec {
	d := g.YMM()
	g.VPBLENDVB(mask, y, x, d)
	return d
}

// reverse reverses the bits of each lane.
func (g *gen) reverse(x vec) vec {
	lo, hi := g.nibbles(x, g.data("reverse_low"), g.data("reverse_high"))
	t := g.YMM()
	g.VBROADCASTI128(g.data("reverse_bytes"), t)
	return g.do(g.VPSHUFB, t, g.or(lo, hi))
}

// data is a constant of 16 bytes.
func (g *gen) data(name string) operand.Mem {
	return operand.NewDataAddr(operand.NewStaticSymbol(name), 0)
}

// constants16 writes constants of 16 bytes.
func (g *gen) constants16(name string, value func(i int) byte) {
	g.StaticGlobal(name)
	g.DataAttributes(attr.RODATA | attr.NOPTR)
	for i := range 16 {
		g.AppendDatum(operand.U8(value(i)))
	}
}

func reverseNibble(n int) byte { return byte(n&1<<3 | n&2<<1 | n&4>>1 | n&8>>3) }

func integers(g *gen) {
	g.constants16("ones", func(i int) byte { return byte(i&1 + i>>1&1 + i>>2&1 + i>>3) })
	g.constants16("reverse_low", func(i int) byte { return reverseNibble(i) << 4 })
	g.constants16("reverse_high", reverseNibble)
	g.constants16("lane_bytes", func(i int) byte { return byte(i &^ 3) })
	g.constants16("reverse_bytes", func(i int) byte { return byte(i ^ 3) })
	g.ops("intAVX2", integerOps)
}

// wideOps are shifts of 64 bits; n has 64 bits too, of which the low six count.
var wideOps = []struct {
	name  string
	shift func(g *gen, x, n vec) vec
}{
	{"shl", func(g *gen, x, n vec) vec { return g.do(g.VPSLLVQ, n, x) }},
	{"shr", func(g *gen, x, n vec) vec { return g.do(g.VPSRLVQ, n, x) }},
	{"sar", func(g *gen, x, n vec) vec {
		sign := g.do(g.VPCMPGTQ, x, g.k(0))
		filled := g.do(g.VPSLLVQ, g.do(g.VPSUBQ, n, g.wide64(64)), sign)
		return g.or(g.do(g.VPSRLVQ, n, x), filled)
	}},
}

// wide64 returns v in all lanes of 64 bits.
func (g *gen) wide64(v uint64) vec {
	y, ok := g.consts64[v]
	if !ok {
		r := g.GP64()
		g.MOVQ(operand.U64(v), r)
		y = g.all64(r)
		g.consts64[v] = y
	}
	return y
}

func wides(g *gen) {
	t := table{name: "wideAVX2", of: "WideOp"}
	for _, op := range wideOps {
		g.begin(&t, op.name, "func(dlo, dhi, lo, hi, n *[64]uint32)")
		dlo, dhi, lo, hi, n := g.arg("dlo"), g.arg("dhi"), g.arg("lo"), g.arg("hi"), g.arg("n")
		zero, six := g.k(0), g.k(63)
		g.wide64(64)
		g.groups(1, func(at func(gp) operand.Mem) {
			x, y, count := g.load(at(lo)), g.load(at(hi)), g.and(g.load(at(n)), six)
			// Lanes 0, 1, 4, 5 and 2, 3, 6, 7.
			a := op.shift(g, g.do(g.VPUNPCKLDQ, y, x), g.do(g.VPUNPCKLDQ, zero, count))
			b := op.shift(g, g.do(g.VPUNPCKHDQ, y, x), g.do(g.VPUNPCKHDQ, zero, count))
			low, high := g.YMM(), g.YMM()
			g.VSHUFPS(operand.U8(0x88), b, a, low)
			g.VSHUFPS(operand.U8(0xdd), b, a, high)
			g.VMOVDQU(low, at(dlo))
			g.VMOVDQU(high, at(dhi))
		})
		g.end()
	}
	g.tables = append(g.tables, t)
}
