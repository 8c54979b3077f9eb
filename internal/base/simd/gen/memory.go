package main

import "github.com/mmcloughlin/avo/operand"

// all64 returns a 64-bit register broadcast to all lanes of 64 bits.
func (g *gen) all64(r gp) vec {
	y := g.YMM()
	g.VMOVQ(r, y.AsX())
	g.VPBROADCASTQ(y.AsX(), y)
	return y
}

func (g *gen) add64(x, y operand.Op) vec { return g.do(g.VPADDQ, y, x) }
func (g *gen) sub64(x, y operand.Op) vec { return g.do(g.VPSUBQ, y, x) }

// widen returns four dwords of memory as numbers of 64 bits.
func (g *gen) widen(m operand.Op) vec { return g.do1(g.VPMOVZXDQ, m) }

// memory writes functions that compute the addresses of lanes, and that move dwords between registers and memory.
func memory(g *gen) {
	g.place()
	g.place64()
	g.gather()
	for _, e := range elements {
		g.oneByOne(e)
	}
	g.terms(2)
	g.terms(3)
	g.square()
	g.merge64()
}

// merge64 writes the function that copies the lanes of a mask.
func (g *gen) merge64() {
	g.function("merge64AVX2", "func(d, s *[64]uint64, mask uint64)")
	d, s, mask := g.arg("d"), g.arg("s"), g.wide(g.arg("mask"))
	for i := range 16 {
		x := g.load(operand.Mem{Base: s, Disp: 32 * i})
		g.VPMASKMOVQ(x, g.take64(mask), operand.Mem{Base: d, Disp: 32 * i})
	}
	g.end()
}

// place writes the function that computes the addresses base + (v+off). It also returns, or-ed together, the offsets
// and their differences from consecutive dwords.
func (g *gen) place() {
	g.constants16("ramp", func(i int) byte { return byte(4 * i) })
	g.function("placeAVX2", "func(addr *[64]uint64, v *[64]uint32, off uint32, base, keep uint64) (bound, uneven uint32)")
	addr, v, off := g.arg("addr"), g.arg("v"), g.all(g.arg32("off"))
	base, keep := g.all64(g.arg("base")), g.all64(g.arg("keep"))
	expect, step := g.YMM(), g.YMM()
	g.VPMOVZXBD(g.data("ramp"), expect)
	first := g.YMM()
	g.VPBROADCASTD(operand.Mem{Base: v}, first)
	g.VPADDD(first, expect, expect)
	r := g.GP32()
	g.MOVL(operand.U32(32), r)
	step = g.all(r)
	bound, uneven := g.YMM(), g.YMM()
	g.VPXOR(bound, bound, bound)
	g.VPXOR(uneven, uneven, uneven)
	for i := range 8 {
		x := g.load(operand.Mem{Base: v, Disp: 32 * i})
		g.VPOR(g.xor(x, expect), uneven, uneven)
		if i < 7 {
			g.VPADDD(step, expect, expect)
		}
		x = g.add(x, off)
		g.VPOR(x, bound, bound)
		high := g.YMM()
		g.VEXTRACTI128(operand.U8(1), x, high.AsX())
		for n, half := range []vec{g.do1(g.VPMOVZXDQ, x.AsX()), g.do1(g.VPMOVZXDQ, high.AsX())} {
			g.VMOVDQU(g.and(g.add64(half, base), keep), operand.Mem{Base: addr, Disp: 64*i + 32*n})
		}
	}
	g.Store(g.fold(bound), g.Return("bound"))
	g.Store(g.fold(uneven), g.Return("uneven"))
	g.end()
}

// fold returns the bitwise or of the lanes.
func (g *gen) fold(y vec) gp { return g.foldBy(func(a, b, d operand.Op) { g.VPOR(a, b, d) }, y) }

// foldBy combines all lanes by an instruction with two operands and a destination.
func (g *gen) foldBy(f func(a, b, d operand.Op), y vec) gp {
	x := g.XMM()
	g.VEXTRACTI128(operand.U8(1), y, x)
	f(y.AsX(), x, x)
	t := g.XMM()
	g.VPSHUFD(operand.U8(0x4e), x, t)
	f(t, x, x)
	g.VPSHUFD(operand.U8(0xb1), x, t)
	f(t, x, x)
	r := g.GP32()
	g.VMOVD(x, r)
	return r
}

// place64 writes the function that computes the addresses base + (hi:lo).
func (g *gen) place64() {
	g.function("place64AVX2", "func(addr *[64]uint64, lo, hi *[64]uint32, base, keep uint64)")
	addr, lo, hi, base, keep := g.arg("addr"), g.arg("lo"), g.arg("hi"), g.all64(g.arg("base")), g.all64(g.arg("keep"))
	i := g.GP64()
	g.XORL(i.As32(), i.As32())
	g.Label("next")
	x := g.widen(operand.Mem{Base: lo, Index: i, Scale: 1})
	y := g.do(g.VPSLLQ, operand.U8(32), g.widen(operand.Mem{Base: hi, Index: i, Scale: 1}))
	g.VMOVDQU(g.and(g.add64(g.or(x, y), base), keep), operand.Mem{Base: addr, Index: i, Scale: 2})
	g.ADDQ(operand.U32(16), i)
	g.CMPQ(i, operand.U32(256))
	g.JNE(operand.LabelRef("next"))
	g.end()
}

// offsets emits a loop over the offsets of all lanes from base. The sign of bad becomes 1 if an offset is outside of
// 0 to last; odd becomes the bitwise or of the offsets.
func (g *gen) offsets(addr, base, last gp, mask *wide) (bad, odd vec) {
	at, most := g.all64(base), g.all64(last)
	bad, odd = g.YMM(), g.YMM()
	g.VPXOR(bad, bad, bad)
	g.VPXOR(odd, odd, odd)
	for i := range 16 {
		off := g.sub64(g.load(operand.Mem{Base: addr, Disp: 32 * i}), at)
		if mask != nil {
			off = g.and(off, g.take64(mask))
		}
		g.VPOR(off, odd, odd)
		g.VPOR(g.sub64(most, off), bad, bad)
	}
	g.VPOR(odd, bad, bad)
	return bad, odd
}

// wide is a mask of 64 lanes that is consumed four lanes of 64 bits at a time.
type wide struct {
	lane, part vec
	mask       gp
	next       int
}

func (g *gen) wide(mask gp) *wide {
	w := &wide{lane: g.YMM(), part: g.all64(mask), mask: mask}
	g.VPMOVZXBQ(g.data("wide_bits"), w.lane)
	return w
}

func (g *gen) take64(w *wide) vec {
	if w.next > 0 {
		w.part = g.do(g.VPSRLQ, operand.U8(4), w.part)
	}
	w.next++
	return g.do(g.VPCMPEQQ, w.lane, g.and(w.part, w.lane))
}

// refuse makes a function return false if bad has a sign set or odd has one of the low bits.
func (g *gen) refuse(bad, odd vec, low uint32) {
	no, ok := operand.LabelRef("no"), operand.LabelRef("fine")
	signs := g.GP32()
	g.VMOVMSKPD(bad, signs)
	g.TESTL(signs, signs)
	g.JNZ(no)
	if low != 0 {
		r := g.GP64()
		g.MOVQ(operand.U64(low), r)
		g.VPTEST(g.all64(r), odd)
		g.JNZ(no)
	}
	g.JMP(ok)
	g.Label("no")
	no8 := g.GP8()
	g.XORB(no8, no8)
	g.Store(no8, g.ReturnIndex(0))
	g.end()
	g.Label("fine")
}

// yes makes a function return true.
func (g *gen) yes() {
	yes := g.GP8()
	g.MOVB(operand.U8(1), yes)
	g.Store(yes, g.ReturnIndex(0))
	g.end()
}

// gather writes the function that reads the dwords of the lanes of mask, if all of them are aligned and begin within
// last bytes of base.
func (g *gen) gather() {
	g.constants16("wide_bits", func(i int) byte { return byte(1 << (i & 3)) })
	g.function("gatherSomeAVX2", "func(d *[64]uint32, words *uint32, addr *[64]uint64, base, last, mask uint64) bool")
	d, words, addr, base := g.arg("d"), g.arg("words"), g.arg("addr"), g.arg("base")
	bad, odd := g.offsets(addr, base, g.arg("last"), g.wide(g.arg("mask")))
	g.refuse(bad, odd, 3)
	mask := g.arg("mask")
	at, lanes := g.all64(base), g.wide(mask)
	for i := range 8 {
		var parts, masks [2]vec
		for n := range parts {
			masks[n] = g.take64(lanes)
			off := g.and(g.sub64(g.load(operand.Mem{Base: addr, Disp: 64*i + 32*n}), at), masks[n])
			parts[n] = g.YMM()
			all := g.XMM()
			g.VPCMPEQD(all, all, all)
			g.VPXOR(parts[n], parts[n], parts[n])
			g.VPGATHERQD(all, operand.Mem{Base: words, Index: off, Scale: 1}, parts[n].AsX())
		}
		got, use := g.YMM(), g.YMM()
		g.VINSERTI128(operand.U8(1), parts[1].AsX(), parts[0], got)
		// The masks of two groups of 64 bits become one mask of eight lanes.
		packed := g.YMM()
		g.VSHUFPS(operand.U8(0x88), masks[1], masks[0], packed)
		g.VPERMQ(operand.U8(0xd8), packed, use)
		g.VMOVDQU(g.blend(g.load(operand.Mem{Base: d, Disp: 32 * i}), got, use), operand.Mem{Base: d, Disp: 32 * i})
	}
	g.yes()
}

// element describes the move of one lane between memory and a register.
type element struct {
	name    string // suffix of the functions' names
	pointee string // type of the elements in memory
	low     uint32 // address bits that must be 0
	read    func(g *gen, m operand.Mem, v gp)
	write   func(g *gen, v gp, m operand.Mem)
}

var elements = []element{
	{"", "uint32", 3, func(g *gen, m operand.Mem, v gp) { g.MOVL(m, v) }, func(g *gen, v gp, m operand.Mem) { g.MOVL(v, m) }},
	{"8", "byte", 0, func(g *gen, m operand.Mem, v gp) { g.MOVBLZX(m, v) }, func(g *gen, v gp, m operand.Mem) { g.MOVB(v.As8(), m) }},
	{"16", "byte", 0, func(g *gen, m operand.Mem, v gp) { g.MOVWLZX(m, v) }, func(g *gen, v gp, m operand.Mem) { g.MOVW(v.As16(), m) }},
}

// oneByOne writes functions that move all lanes in ascending order, if all of them are aligned and begin within last
// bytes of base.
func (g *gen) oneByOne(e element) {
	if e.read != nil {
		g.function("gather"+e.name+"AVX2", "func(d *[64]uint32, b *"+e.pointee+", addr *[64]uint64, base, last uint64) bool")
		g.eachLane(e, g.arg("d"), g.arg("b"), func(v gp, reg, mem operand.Mem) {
			e.read(g, mem, v)
			g.MOVL(v, reg)
		})
	}
	g.function("scatter"+e.name+"AVX2", "func(s *[64]uint32, b *"+e.pointee+", addr *[64]uint64, base, last uint64) bool")
	g.eachLane(e, g.arg("s"), g.arg("b"), func(v gp, reg, mem operand.Mem) {
		g.MOVL(reg, v)
		e.write(g, v, mem)
	})
}

func (g *gen) eachLane(e element, lanes, b gp, move func(v gp, reg, mem operand.Mem)) {
	addr, base := g.arg("addr"), g.arg("base")
	bad, odd := g.offsets(addr, base, g.arg("last"), nil)
	g.refuse(bad, odd, e.low)
	g.SUBQ(base, b)
	i := g.GP64()
	g.XORL(i.As32(), i.As32())
	g.Label("next")
	for n := range 4 {
		at, v := g.GP64(), g.GP32()
		g.MOVQ(operand.Mem{Base: addr, Index: i, Scale: 8, Disp: 8 * n}, at)
		move(v, operand.Mem{Base: lanes, Index: i, Scale: 4, Disp: 4 * n}, operand.Mem{Base: b, Index: at, Scale: 1})
	}
	g.ADDQ(operand.U32(4), i)
	g.CMPQ(i, operand.U32(64))
	g.JNE(operand.LabelRef("next"))
	g.yes()
}
