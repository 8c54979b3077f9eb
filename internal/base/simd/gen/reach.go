package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
)

// reach describes the move of elements of one size between memory and registers.
type reach struct {
	name  string // suffix of the functions' names
	size  int    // bytes of an element
	read  func(g *gen, m operand.Mem, v gp)
	eight func(g *gen, m operand.Mem) vec // loads eight consecutive elements
	write func(g *gen, v gp, m operand.Mem)
}

var elementsReached = []reach{
	{"Dword", 4, func(g *gen, m operand.Mem, v gp) { g.MOVL(m, v) }, (*gen).eight, func(g *gen, v gp, m operand.Mem) { g.MOVL(v, m) }},
	{"Ubyte", 1, func(g *gen, m operand.Mem, v gp) { g.MOVBLZX(m, v) }, func(g *gen, m operand.Mem) vec { return g.do1(g.VPMOVZXBD, m) }, func(g *gen, v gp, m operand.Mem) { g.MOVB(v.As8(), m) }},
	{"Sbyte", 1, func(g *gen, m operand.Mem, v gp) { g.MOVBLSX(m, v) }, func(g *gen, m operand.Mem) vec { return g.do1(g.VPMOVSXBD, m) }, nil},
	{"Ushort", 2, func(g *gen, m operand.Mem, v gp) { g.MOVWLZX(m, v) }, func(g *gen, m operand.Mem) vec { return g.do1(g.VPMOVZXWD, m) }, func(g *gen, v gp, m operand.Mem) { g.MOVW(v.As16(), m) }},
	{"Sshort", 2, func(g *gen, m operand.Mem, v gp) { g.MOVWLSX(m, v) }, func(g *gen, m operand.Mem) vec { return g.do1(g.VPMOVSXWD, m) }, nil},
}

func (g *gen) eight(m operand.Mem) vec { return g.load(m) }

// Offsets of the fields of a Window.
const (
	windowBytes = 0
	windowV     = 24
	windowAdd   = 32
	windowLast  = 36
	windowLow   = 40
)

// field64 and field32 load a field of the argument r, a Window.
func (g *gen) field64(at int) gp {
	v := g.GP64()
	g.MOVQ(operand.Mem{Base: g.arg("r"), Disp: at}, v)
	return v
}

func (g *gen) field32(at int) gp {
	v := g.GP32()
	g.MOVL(operand.Mem{Base: g.arg("r"), Disp: at}, v)
	return v
}

// ramp names the constant with the offsets of consecutive elements.
func (e reach) ramp() string { return fmt.Sprintf("ramp%d", e.size) }

// reaches writes functions that move elements between registers and memory at offsets of 32 bits.
func reaches(g *gen) {
	g.constants16("lane_bits", func(i int) byte { return byte(1 << (i & 7)) })
	for _, e := range elementsReached {
		if e.write != nil { // one for each size
			g.constants16(e.ramp(), func(i int) byte { return byte(e.size * i) })
		}
	}
	for _, e := range elementsReached {
		g.loadReach(e, 0)
		if e.size == 4 {
			g.loadReach(e, 1)
			g.loadReach(e, 2)
		}
		if e.write != nil {
			g.storeReach(e)
		}
	}
}

// places emits code that writes the offsets v+add of the lanes of the mask to the stack. The function returns false
// if an offset is beyond last or has a bit of low.
func (g *gen) places(e reach, follow func(off gp)) (at gp) {
	v := g.field64(windowV)
	mask := g.arg("mask")
	g.CMPQ(mask, operand.I8(-1))
	g.JNE(operand.LabelRef("general"))
	if follow != nil {
		g.inOrder(e, v, follow)
	}
	g.Label("general")
	add := g.all(g.field32(windowAdd))
	local := g.AllocLocal(256 + 32)
	at = g.GP64()
	g.LEAQ(local, at)
	g.ADDQ(operand.U8(31), at)
	g.ANDQ(operand.I8(-32), at)
	most, odd := g.YMM(), g.YMM()
	g.VPXOR(most, most, most)
	g.VPXOR(odd, odd, odd)
	eight := func(i int, mask *bits) {
		x := g.add(g.load(operand.Mem{Base: v, Disp: 32 * i}), add)
		if mask != nil {
			x = g.and(x, g.take(mask))
		}
		g.VMOVDQU(x, operand.Mem{Base: at, Disp: 32 * i})
		g.VPMAXUD(x, most, most)
		g.VPOR(x, odd, odd)
	}
	g.CMPQ(mask, operand.I8(-1))
	g.JE(operand.LabelRef("whole"))
	lanes := g.bits(mask)
	for i := range 8 {
		eight(i, lanes)
	}
	g.JMP(operand.LabelRef("judge"))
	g.Label("whole")
	for i := range 8 {
		eight(i, nil)
	}
	g.Label("judge")
	last, within := g.all(g.field32(windowLast)), g.GP32()
	g.VMOVMSKPS(g.equal(g.maxU(most, last), last), within)
	g.CMPL(within, operand.U32(0xff))
	g.JNE(operand.LabelRef("no"))
	g.VPTEST(g.all(g.field32(windowLow)), odd)
	g.JZ(operand.LabelRef("fine"))
	g.Label("no")
	no := g.GP8()
	g.XORB(no, no)
	g.Store(no, g.ReturnIndex(0))
	g.end()
	g.Label("fine")
	return at
}

// inOrder emits follow for the address of lane 0 and a return of true, for the case that all elements are consecutive
// and within the limits. Other cases continue in the general code behind it.
func (g *gen) inOrder(e reach, v gp, follow func(off gp)) {
	general := operand.LabelRef("general")
	off, end, expect, same := g.GP64(), g.GP32(), g.YMM(), g.YMM()
	g.MOVL(operand.Mem{Base: v}, off.As32())
	g.MOVL(operand.Mem{Base: v, Disp: 252}, end)
	g.SUBL(off.As32(), end)
	g.CMPL(end, operand.U32(63*e.size))
	g.JNE(general)
	r := g.GP32()
	g.MOVL(operand.U32(8*e.size), r)
	step := g.all(r)
	g.VPBROADCASTD(operand.Mem{Base: v}, expect)
	g.VPADDD(g.do1(g.VPMOVZXBD, g.data(e.ramp())), expect, expect)
	for i := range 8 {
		equal := g.equal(g.load(operand.Mem{Base: v, Disp: 32 * i}), expect)
		if i == 0 {
			same = equal
		} else {
			same = g.and(same, equal)
		}
		if i < 7 {
			g.VPADDD(step, expect, expect)
		}
	}
	all := g.GP32()
	g.VMOVMSKPS(same, all)
	g.CMPL(all, operand.U32(0xff))
	g.JNE(general)
	low, last := g.field32(windowLow), g.field32(windowLast)
	g.CMPL(low, operand.U32(e.size-1)) // else the lanes are not all aligned
	g.JHI(general)
	g.ADDL(g.field32(windowAdd), off.As32())
	g.TESTL(low, off.As32())
	g.JNE(general)
	g.SUBL(operand.U32(63*e.size), last)
	g.JB(general)
	g.CMPL(off.As32(), last)
	g.JHI(general)
	follow(off)
	g.yes()
}

// eights emits a loop over groups of eight lanes; i is the position of a group in a register. whole handles a group
// with all lanes, some a group with only the lanes in part. Both continue at "after", or end there.
func (g *gen) eights(whole func(i gp), some func(i, part gp)) {
	mask, i, part := g.arg("mask"), g.GP64(), g.GP32()
	g.XORL(i.As32(), i.As32())
	g.Label("next")
	g.MOVBLZX(mask.As8(), part)
	g.CMPL(part, operand.U32(0xff))
	g.JNE(operand.LabelRef("some"))
	whole(i)
	g.Label("after")
	g.SHRQ(operand.U8(8), mask)
	g.ADDQ(operand.U32(32), i)
	g.CMPQ(i, operand.U32(256))
	g.JNE(operand.LabelRef("next"))
	g.yes()
	g.Label("some")
	g.TESTL(part, part)
	g.JZ(operand.LabelRef("after"))
	some(i, part)
}

// lanes emits a loop over the lanes of part; place is the position of the lane in a register.
func (g *gen) lanes(i, part gp, body func(place gp)) {
	label := fmt.Sprintf("lane%d", g.labels())
	g.Label(label)
	lane, less := g.GP64(), g.GP32()
	g.BSFL(part, lane.As32())
	g.LEAQ(operand.Mem{Base: i, Index: lane, Scale: 4}, lane)
	body(lane)
	g.LEAL(operand.Mem{Base: part.As64(), Disp: -1}, less)
	g.ANDL(less, part)
	g.JNZ(operand.LabelRef(label))
}

// firstAndLast sets off to the offset of the first of eight lanes and returns the distance of the last lane from it.
func (g *gen) firstAndLast(at, i, off gp) (far gp) {
	far = g.GP32()
	g.MOVL(operand.Mem{Base: at, Index: i, Scale: 1}, off.As32())
	g.MOVL(operand.Mem{Base: at, Index: i, Scale: 1, Disp: 28}, far)
	g.SUBL(off.As32(), far)
	return far
}

// inLine emits a jump to otherwise, taken unless the offsets of eight lanes are the first offset plus steps.
func (g *gen) inLine(at, i gp, steps vec, otherwise string) {
	first, offsets, all := g.YMM(), g.YMM(), g.GP32()
	g.VPBROADCASTD(operand.Mem{Base: at, Index: i, Scale: 1}, first)
	g.VPSUBD(first, g.load(operand.Mem{Base: at, Index: i, Scale: 1}), offsets)
	g.VMOVMSKPS(g.equal(offsets, steps), all)
	g.CMPL(all, operand.U32(0xff))
	g.JNE(operand.LabelRef(otherwise))
}

// someInLine returns the offset that lane 0 of eight would have and a mask of the lanes of part, for lanes of part
// whose elements are consecutive. Otherwise the code jumps to the label otherwise.
func (g *gen) someInLine(at, i, part gp, bits, steps vec, otherwise string) (off gp, mask vec) {
	off, first := g.GP64(), g.GP64()
	g.BSFL(part, first.As32())
	g.LEAQ(operand.Mem{Base: i, Index: first, Scale: 4}, off)
	g.MOVL(operand.Mem{Base: at, Index: off, Scale: 1}, off.As32())
	g.SHLQ(operand.U8(2), first)
	g.SUBQ(first, off) // below 0 if lane 0 would lie before the memory: lane 0 is not touched
	mask = g.equal(g.and(g.all(part), bits), bits)
	places := g.equal(g.add(g.all(off), steps), g.load(operand.Mem{Base: at, Index: i, Scale: 1}))
	g.VPTEST(mask, places) // sets CF if offsets has all bits of mask
	g.JCC(operand.LabelRef(otherwise))
	return off, mask
}

// share holds the elements of a lane: n of them, with displacements at disp, or those at the addresses known.
type share struct {
	d, b, disp, n gp
	known         []gp
}

// shareOf loads the arguments for n elements, or for any number if n is 0.
func (g *gen) shareOf(n int) (e share) {
	e = share{d: g.arg("d"), b: g.field64(windowBytes), disp: g.arg("disp")}
	if n == 0 {
		e.n = g.arg("n")
	}
	for i := range n {
		b := g.GP64()
		g.MOVL(operand.Mem{Base: e.disp, Disp: 4 * i}, b.As32())
		g.ADDQ(e.b, b)
		e.known = append(e.known, b)
	}
	return e
}

// each emits body for each element, in a loop if the number is an argument. d is the register of an element, which
// begins at to, and b the address from which its offsets count.
func (g *gen) each(label string, to gp, e share, body func(d operand.Mem, b gp)) {
	for i, b := range e.known {
		body(operand.Mem{Base: to, Disp: 256 * i}, b)
	}
	if e.known != nil {
		return
	}
	reg, mem, k := g.GP64(), g.GP64(), g.GP64()
	g.MOVQ(to, reg)
	g.XORL(k.As32(), k.As32())
	g.Label(label)
	g.MOVL(operand.Mem{Base: e.disp, Index: k, Scale: 4}, mem.As32())
	g.ADDQ(e.b, mem)
	body(operand.Mem{Base: reg}, mem)
	g.ADDQ(operand.U32(256), reg)
	g.INCQ(k)
	g.CMPQ(k, e.n)
	g.JNE(operand.LabelRef(label))
}

// loadReach writes the function that reads n elements of each lane, or any number if n is 0.
func (g *gen) loadReach(e reach, n int) {
	if n == 0 {
		g.function("load"+e.name+"AVX2", "func(r *[6]uint64, d *[64]uint32, disp *uint32, n, mask uint64) bool")
	} else {
		g.function(fmt.Sprintf("load%s%dAVX2", e.name, n),
			"func(r *[6]uint64, d *[64]uint32, disp *uint32, mask uint64) bool")
	}
	all := g.shareOf(n)
	at := g.places(e, func(off gp) {
		g.each("all", all.d, all, func(d operand.Mem, b gp) {
			for i := range 8 {
				from := operand.Mem{Base: b, Index: off, Scale: 1, Disp: 8 * e.size * i}
				g.VMOVDQU(e.eight(g, from), d.Offset(32*i))
			}
		})
	})
	follows := g.do1(g.VPMOVZXBD, g.data(e.ramp()))
	bits := g.do1(g.VPMOVZXBD, g.data("lane_bits"))
	g.k(0)
	g.eights(func(i gp) {
		off, to := g.GP64(), g.GP64()
		g.LEAQ(operand.Mem{Base: all.d, Index: i, Scale: 1}, to)
		far := g.firstAndLast(at, i, off)
		g.CMPL(far, operand.U32(7*e.size))
		g.JE(operand.LabelRef("maybe_follow"))
		g.TESTL(far, far)
		g.JZ(operand.LabelRef("maybe_same"))
		g.Label("apart")
		g.each("lanes", to, all, func(d operand.Mem, b gp) {
			for lane := range 8 {
				off, v := g.GP64(), g.GP32()
				g.MOVL(operand.Mem{Base: at, Index: i, Scale: 1, Disp: 4 * lane}, off.As32())
				e.read(g, operand.Mem{Base: b, Index: off, Scale: 1}, v)
				g.MOVL(v, d.Offset(4*lane))
			}
		})
		g.JMP(operand.LabelRef("after"))
		g.Label("maybe_same")
		g.inLine(at, i, g.k(0), "apart")
		g.each("one", to, all, func(d operand.Mem, b gp) {
			g.VMOVDQU(e.same(g, operand.Mem{Base: b, Index: off, Scale: 1}), d)
		})
		g.JMP(operand.LabelRef("after"))
		g.Label("maybe_follow")
		g.inLine(at, i, follows, "apart")
		g.each("eight", to, all, func(d operand.Mem, b gp) {
			g.VMOVDQU(e.eight(g, operand.Mem{Base: b, Index: off, Scale: 1}), d)
		})
	}, func(i, part gp) {
		if e.size == 4 {
			off, mask := g.someInLine(at, i, part, bits, follows, "few")
			to := g.GP64()
			g.LEAQ(operand.Mem{Base: all.d, Index: i, Scale: 1}, to)
			g.each("some_follow", to, all, func(d operand.Mem, b gp) {
				v := g.YMM()
				g.VPMASKMOVD(operand.Mem{Base: b, Index: off, Scale: 1}, mask, v)
				g.VPMASKMOVD(v, mask, d)
			})
			g.JMP(operand.LabelRef("after"))
			g.Label("few")
		}
		g.each("some_lanes", all.d, all, func(d operand.Mem, b gp) {
			left := g.GP32()
			g.MOVL(part, left)
			g.lanes(i, left, func(place gp) {
				off, v := g.GP64(), g.GP32()
				g.MOVL(operand.Mem{Base: at, Index: place, Scale: 1}, off.As32())
				e.read(g, operand.Mem{Base: b, Index: off, Scale: 1}, v)
				g.MOVL(v, d.Idx(place, 1))
			})
		})
		g.JMP(operand.LabelRef("after"))
	})
}

// same loads one element into eight lanes.
func (e reach) same(g *gen, m operand.Mem) vec {
	if e.size == 4 {
		return g.do1(g.VPBROADCASTD, m)
	}
	v := g.GP32()
	e.read(g, m, v)
	return g.all(v)
}

// storeReach writes the function that writes an element of each lane. If lanes have the same address, the highest one
// is written last.
func (g *gen) storeReach(e reach) {
	g.function("store"+e.name+"AVX2", "func(r *[6]uint64, s *[64]uint32, disp, mask uint64) bool")
	s, b := g.arg("s"), g.field64(windowBytes)
	g.ADDQ(g.arg("disp"), b)
	var all func(off gp)
	if e.size == 4 {
		all = func(off gp) {
			for i := range 8 {
				g.VMOVDQU(g.load(operand.Mem{Base: s, Disp: 32 * i}), operand.Mem{Base: b, Index: off, Scale: 1, Disp: 32 * i})
			}
		}
	}
	at := g.places(e, all)
	var follows, bits vec
	if e.size == 4 {
		follows, bits = g.do1(g.VPMOVZXBD, g.data(e.ramp())), g.do1(g.VPMOVZXBD, g.data("lane_bits"))
	}
	move := func(from, place operand.Mem) {
		off, v := g.GP64(), g.GP32()
		g.MOVL(place, off.As32())
		g.MOVL(from, v)
		e.write(g, v, operand.Mem{Base: b, Index: off, Scale: 1})
	}
	g.eights(func(i gp) {
		if e.size == 4 {
			off := g.GP64()
			g.CMPL(g.firstAndLast(at, i, off), operand.U32(7*e.size))
			g.JNE(operand.LabelRef("apart"))
			g.inLine(at, i, follows, "apart")
			g.VMOVDQU(g.load(operand.Mem{Base: s, Index: i, Scale: 1}), operand.Mem{Base: b, Index: off, Scale: 1})
			g.JMP(operand.LabelRef("after"))
			g.Label("apart")
		}
		for lane := range 8 {
			move(operand.Mem{Base: s, Index: i, Scale: 1, Disp: 4 * lane},
				operand.Mem{Base: at, Index: i, Scale: 1, Disp: 4 * lane})
		}
	}, func(i, part gp) {
		if e.size == 4 {
			off, mask := g.someInLine(at, i, part, bits, follows, "few")
			g.VPMASKMOVD(g.load(operand.Mem{Base: s, Index: i, Scale: 1}), mask, operand.Mem{Base: b, Index: off, Scale: 1})
			g.JMP(operand.LabelRef("after"))
			g.Label("few")
		}
		g.lanes(i, part, func(place gp) {
			move(operand.Mem{Base: s, Index: place, Scale: 1}, operand.Mem{Base: at, Index: place, Scale: 1})
		})
		g.JMP(operand.LabelRef("after"))
	})
}
