//go:build !js

package vector

// sext sign-extends the low bits of x.
func (e *Code) sext(x Value, bits int) Value { return e.sarBy(e.shlBy(x, 32-bits), 32-bits) }

// five returns n modulo 32, as a shift count.
func (e *Code) five(n Value) Value { return e.and(n, e.k(31)) }

// high returns the upper halves of the products of x and y. mul is the product of the even lanes.
func (e *Code) high(mul Opcode, x, y Value) Value {
	even := e.two(mul, x, y)
	odd := e.two(mul, e.by(ShrByQ, x, 32), e.by(ShrByQ, y, 32))
	return e.two(OddOf, e.by(ShrByQ, even, 32), odd)
}

// median returns the median of three integers, using low and high as minimum and maximum.
func median(low, high func(x, y Value) Value, a, b, c Value) Value {
	return high(low(a, b), low(high(a, b), c))
}

func (e *Code) word(x Value) Value { return e.and(x, e.k(0xffff)) }

// Ints are the operations on integers.
var Ints = []Op{
	{"mov", 1, func(_ *Code, a, _, _ Value) Value { return a }},
	{"not", 1, func(e *Code, a, _, _ Value) Value { return e.not(a) }},
	{"and", 2, func(e *Code, a, b, _ Value) Value { return e.and(a, b) }},
	{"or", 2, func(e *Code, a, b, _ Value) Value { return e.or(a, b) }},
	{"xor", 2, func(e *Code, a, b, _ Value) Value { return e.xor(a, b) }},
	{"xnor", 2, func(e *Code, a, b, _ Value) Value { return e.not(e.xor(a, b)) }},
	{"add", 2, func(e *Code, a, b, _ Value) Value { return e.add(a, b) }},
	{"sub", 2, func(e *Code, a, b, _ Value) Value { return e.sub(a, b) }},
	{"subrev", 2, func(e *Code, a, b, _ Value) Value { return e.sub(b, a) }},
	{"mul", 2, func(e *Code, a, b, _ Value) Value { return e.mul(a, b) }},
	{"mad", 3, func(e *Code, a, b, c Value) Value { return e.add(e.mul(a, b), c) }},
	{"mul hi u32", 2, func(e *Code, a, b, _ Value) Value { return e.high(MulEvenU, a, b) }},
	{"mul hi i32", 2, func(e *Code, a, b, _ Value) Value { return e.high(MulEvenS, a, b) }},
	{"mul hi u24", 2, func(e *Code, a, b, _ Value) Value {
		return e.high(MulEvenU, e.and(a, e.k(0xffffff)), e.and(b, e.k(0xffffff)))
	}},
	{"mul hi i24", 2, func(e *Code, a, b, _ Value) Value { return e.high(MulEvenS, e.sext(a, 24), e.sext(b, 24)) }},
	{"mul u24", 2, func(e *Code, a, b, _ Value) Value {
		return e.mul(e.and(a, e.k(0xffffff)), e.and(b, e.k(0xffffff)))
	}},
	{"mul i24", 2, func(e *Code, a, b, _ Value) Value { return e.mul(e.sext(a, 24), e.sext(b, 24)) }},
	{"mad u24", 3, func(e *Code, a, b, c Value) Value {
		return e.add(e.mul(e.and(a, e.k(0xffffff)), e.and(b, e.k(0xffffff))), c)
	}},
	{"mad i24", 3, func(e *Code, a, b, c Value) Value { return e.add(e.mul(e.sext(a, 24), e.sext(b, 24)), c) }},
	{"mad u16", 3, func(e *Code, a, b, c Value) Value { return e.add(e.mul(e.word(a), e.word(b)), c) }},
	{"mad i16", 3, func(e *Code, a, b, c Value) Value { return e.add(e.mul(e.sext(a, 16), e.sext(b, 16)), c) }},
	{"shl", 2, func(e *Code, a, b, _ Value) Value { return e.shl(a, e.five(b)) }},
	{"shr", 2, func(e *Code, a, b, _ Value) Value { return e.shr(a, e.five(b)) }},
	{"sar", 2, func(e *Code, a, b, _ Value) Value { return e.sar(a, e.five(b)) }},
	{"shlrev", 2, func(e *Code, a, b, _ Value) Value { return e.shl(b, e.five(a)) }},
	{"shrrev", 2, func(e *Code, a, b, _ Value) Value { return e.shr(b, e.five(a)) }},
	{"sarrev", 2, func(e *Code, a, b, _ Value) Value { return e.sar(b, e.five(a)) }},
	{"shlrev 16", 2, func(e *Code, a, b, _ Value) Value { return e.shl(b, e.and(a, e.k(15))) }},
	{"shrrev 16", 2, func(e *Code, a, b, _ Value) Value { return e.shr(e.word(b), e.and(a, e.k(15))) }},
	{"sarrev 16", 2, func(e *Code, a, b, _ Value) Value { return e.sar(e.sext(b, 16), e.and(a, e.k(15))) }},
	{"add3", 3, func(e *Code, a, b, c Value) Value { return e.add(e.add(a, b), c) }},
	{"add shl", 3, func(e *Code, a, b, c Value) Value { return e.shl(e.add(a, b), e.five(c)) }},
	{"shl add", 3, func(e *Code, a, b, c Value) Value { return e.add(e.shl(a, e.five(b)), c) }},
	{"shl or", 3, func(e *Code, a, b, c Value) Value { return e.or(e.shl(a, e.five(b)), c) }},
	{"and or", 3, func(e *Code, a, b, c Value) Value { return e.or(e.and(a, b), c) }},
	{"or3", 3, func(e *Code, a, b, c Value) Value { return e.or(e.or(a, b), c) }},
	{"xor add", 3, func(e *Code, a, b, c Value) Value { return e.add(e.xor(a, b), c) }},
	{"bfi", 3, func(e *Code, a, b, c Value) Value { return e.or(e.and(a, b), e.andNot(c, a)) }},
	{"bfm", 2, func(e *Code, a, b, _ Value) Value {
		return e.shl(e.sub(e.shl(e.k(1), e.five(a)), e.k(1)), e.five(b))
	}},
	{"bfe u32", 3, func(e *Code, a, b, c Value) Value {
		return e.and(e.shr(a, e.five(b)), e.sub(e.shl(e.k(1), e.five(c)), e.k(1)))
	}},
	// A field that extends beyond the word ends with the word. For an empty field the shift by 32 yields 0, because the
	// count is changed to 64.
	{"bfe i32", 3, func(e *Code, a, b, c Value) Value {
		at, n := e.five(b), e.five(c)
		n = e.minU(n, e.sub(e.k(32), at))
		drop := e.sub(e.k(32), n)
		field := e.sar(e.shl(e.shr(a, at), drop), drop)
		return e.andNot(field, e.equal(n, e.k(0)))
	}},
	{"align bit", 3, func(e *Code, a, b, c Value) Value {
		n := e.five(c)
		return e.or(e.shr(b, n), e.shl(a, e.sub(e.k(32), n)))
	}},
	{"align byte", 3, func(e *Code, a, b, c Value) Value {
		n := e.shlBy(e.and(c, e.k(3)), 3)
		return e.or(e.shr(b, n), e.shl(a, e.sub(e.k(32), n)))
	}},
	{"min u32", 2, func(e *Code, a, b, _ Value) Value { return e.minU(a, b) }},
	{"max u32", 2, func(e *Code, a, b, _ Value) Value { return e.maxU(a, b) }},
	{"min i32", 2, func(e *Code, a, b, _ Value) Value { return e.minS(a, b) }},
	{"max i32", 2, func(e *Code, a, b, _ Value) Value { return e.maxS(a, b) }},
	{"min u16", 2, func(e *Code, a, b, _ Value) Value { return e.minU(e.word(a), e.word(b)) }},
	{"max u16", 2, func(e *Code, a, b, _ Value) Value { return e.maxU(e.word(a), e.word(b)) }},
	{"min i16", 2, func(e *Code, a, b, _ Value) Value { return e.minS(e.sext(a, 16), e.sext(b, 16)) }},
	{"max i16", 2, func(e *Code, a, b, _ Value) Value { return e.maxS(e.sext(a, 16), e.sext(b, 16)) }},
	{"min3 u32", 3, func(e *Code, a, b, c Value) Value { return e.minU(e.minU(a, b), c) }},
	{"max3 u32", 3, func(e *Code, a, b, c Value) Value { return e.maxU(e.maxU(a, b), c) }},
	{"med3 u32", 3, func(e *Code, a, b, c Value) Value { return median(e.minU, e.maxU, a, b, c) }},
	{"min3 i32", 3, func(e *Code, a, b, c Value) Value { return e.minS(e.minS(a, b), c) }},
	{"max3 i32", 3, func(e *Code, a, b, c Value) Value { return e.maxS(e.maxS(a, b), c) }},
	{"med3 i32", 3, func(e *Code, a, b, c Value) Value { return median(e.minS, e.maxS, a, b, c) }},
	{"perm", 3, (*Code).perm},
	{"lerp u8", 3, func(e *Code, a, b, c Value) Value {
		down := e.and(e.andNot(e.xor(a, b), c), e.k(0x01010101)) // bits in which the mean is not rounded up
		return e.two(SubB, e.two(AverageB, a, b), down)
	}},
	{"sad u8", 3, func(e *Code, a, b, c Value) Value { return e.add(e.sumBytes(e.differences(a, b)), c) }},
	{"msad u8", 3, func(e *Code, a, b, c Value) Value {
		none := e.two(EqualB, b, e.k(0))
		return e.add(e.sumBytes(e.andNot(e.differences(a, b), none)), c)
	}},
	{"sad hi u8", 3, func(e *Code, a, b, c Value) Value {
		return e.add(e.shlBy(e.sumBytes(e.differences(a, b)), 16), c)
	}},
	{"sad u16", 3, func(e *Code, a, b, c Value) Value {
		d := e.or(e.two(SubSatW, a, b), e.two(SubSatW, b, a))
		return e.add(e.add(e.and(d, e.k(0xffff)), e.shrBy(d, 16)), c)
	}},
	{"sad u32", 3, func(e *Code, a, b, c Value) Value { return e.add(e.sub(e.maxU(a, b), e.minU(a, b)), c) }},

	{"dot i16", 3, func(e *Code, a, b, c Value) Value { return e.add(e.two(MulAddW, a, b), c) }},
	{"dot u16", 3, func(e *Code, a, b, c Value) Value {
		low := e.mul(e.and(a, e.k(0xffff)), e.and(b, e.k(0xffff)))
		return e.add(e.add(low, e.mul(e.shrBy(a, 16), e.shrBy(b, 16))), c)
	}},
	{"dot i8", 3, func(e *Code, a, b, c Value) Value { return e.dot(a, b, c, 8, 8, SarByW) }},
	{"dot u8", 3, func(e *Code, a, b, c Value) Value { return e.dot(a, b, c, 8, 8, ShrByW) }},
	{"dot i4", 3, func(e *Code, a, b, c Value) Value { return e.dot(a, b, c, 4, 12, SarByW) }},
	{"dot u4", 3, func(e *Code, a, b, c Value) Value { return e.dot(a, b, c, 4, 12, ShrByW) }},
	{"pack u16", 2, func(e *Code, a, b, _ Value) Value {
		return e.or(e.minU(a, e.k(0xffff)), e.shlBy(e.minU(b, e.k(0xffff)), 16))
	}},
	{"pack halves", 2, func(e *Code, a, b, _ Value) Value { return e.or(e.word(a), e.shlBy(b, 16)) }},
	{"ones add", 2, func(e *Code, a, b, _ Value) Value { return e.add(e.ones(a), b) }},
	{"reverse bits", 1, func(e *Code, a, _, _ Value) Value { return e.reverse(a) }},
}

// nibbles looks up both nibbles of each byte in tables.
func (e *Code) nibbles(x Value, low, high int) (lo, hi Value) {
	lo = e.and(x, e.k(0x0f0f0f0f))
	hi = e.and(e.shrBy(x, 4), e.k(0x0f0f0f0f))
	return e.two(ShuffleB, e.bytes(low), lo), e.two(ShuffleB, e.bytes(high), hi)
}

// ones returns the number of set bits.
func (e *Code) ones(x Value) Value {
	lo, hi := e.nibbles(x, tableOnes, tableOnes)
	bytes := e.two(AddB, lo, hi)
	words := e.two(MulAddB, bytes, e.k(0x01010101))
	return e.two(MulAddW, words, e.k(0x00010001))
}

// dot adds to c the products of parts of 16-bit words, one part of each word after the other. A part is shifted to
// the highest bits and then, by down bits, to the lowest.
func (e *Code) dot(a, b, c Value, width, down int, shift Opcode) Value {
	for up := 16 - width; up >= 0; up -= width {
		part := func(x Value) Value {
			if up > 0 {
				x = e.by(ShlByW, x, uint32(up))
			}
			return e.by(shift, x, uint32(down))
		}
		c = e.add(c, e.two(MulAddW, part(a), part(b)))
	}
	return c
}

// differences returns the absolute differences of the bytes.
func (e *Code) differences(a, b Value) Value {
	return e.or(e.two(SubSatB, a, b), e.two(SubSatB, b, a))
}

// sumBytes returns the sum of the bytes of each lane.
func (e *Code) sumBytes(x Value) Value {
	return e.two(MulAddW, e.two(MulAddB, x, e.k(0x01010101)), e.k(0x00010001))
}

// perm selects bytes of a:b, or the signs of its odd bytes, by the bytes of sel.
func (e *Code) perm(a, b, sel Value) Value {
	places := e.bytes(tableLaneBytes)
	mask := func(bit int) Value { return e.shlBy(sel, 7-bit) } // a blend tests the highest bits of bytes
	choose := func(at Value, bit int) Value {
		at = e.or(at, places)
		return e.blendBytes(e.two(ShuffleB, b, at), e.two(ShuffleB, a, at), mask(bit))
	}
	bytes := choose(e.and(sel, e.k(0x03030303)), 2)
	odd := e.and(sel, e.k(0x01010101))
	odd = e.or(e.add(odd, odd), e.k(0x01010101))
	signs := e.two(GreaterB, e.k(0), choose(odd, 1))
	r := e.blendBytes(bytes, signs, mask(3))
	r = e.andNot(r, e.two(EqualB, sel, e.k(0x0c0c0c0c)))
	return e.or(r, e.two(EqualB, e.two(MaxB, sel, e.k(0x0d0d0d0d)), sel))
}

// Wides are the shifts of b:a by c modulo 64, and the sum of d:c and the product of a and b.
var Wides = []Wide{
	{"shl", func(e *Code, a, b, c, _ Value) (low, high, _ Value) { return e.shift64(Shl, a, b, c) }},
	{"shr", func(e *Code, a, b, c, _ Value) (low, high, _ Value) { return e.shift64(Shr, a, b, c) }},
	{"sar", func(e *Code, a, b, c, _ Value) (low, high, _ Value) { return e.shift64(Sar, a, b, c) }},
	{"mad u64", func(e *Code, a, b, c, d Value) (low, high, carry Value) {
		low, none := addWithout(e, e.mul(a, b), c)
		high, carry = addWith(e, e.high(MulEvenU, a, b), d, e.not(none))
		return low, high, e.sarBy(carry, 31)
	}},
}

// shift64 shifts high:low by n modulo 64; op is Shl, Shr or Sar. Shifts of 32 bits by 32 or more yield 0, or the
// sign, so that only one of the terms has an effect.
func (e *Code) shift64(op Opcode, low, high, n Value) (l, h, carry Value) {
	n = e.and(n, e.k(63))
	rest, over := e.sub(e.k(32), n), e.sub(n, e.k(32))
	switch op {
	case Shl:
		return e.shl(low, n), e.or(e.or(e.shl(high, n), e.shr(low, rest)), e.shl(low, over)), 0
	case Shr:
		return e.or(e.or(e.shr(low, n), e.shl(high, rest)), e.shr(high, over)), e.shr(high, n), 0
	}
	far := e.and(e.sar(high, over), e.greater(n, e.k(31)))
	return e.or(e.or(e.shr(low, n), e.shl(high, rest)), far), e.sar(high, n), 0
}

// blendBytes returns y in the bytes whose highest bit is set in mask, else x.
func (e *Code) blendBytes(x, y, mask Value) Value {
	return e.Emit(Instr{Op: BlendB, X: x, Y: y, Z: mask})
}

// reverse reverses the order of the bits in each lane.
func (e *Code) reverse(x Value) Value {
	lo, hi := e.nibbles(x, tableReverseLow, tableReverseHigh)
	return e.two(ShuffleB, e.or(lo, hi), e.bytes(tableReverse))
}
