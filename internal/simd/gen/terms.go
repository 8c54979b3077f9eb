package main

import (
	"fmt"
	"strings"

	"github.com/mmcloughlin/avo/operand"
)

// terms writes the sum of the terms of n coordinates: first it clamps these to their tables,
// and finds the lanes where that changes nothing, then it sums two lanes at a time.
func (g *gen) terms(n int) {
	names := []string{"x", "y", "z"}[:n]
	list := func(format string) string {
		var all []string
		for _, name := range names {
			all = append(all, fmt.Sprintf(format, name))
		}
		return strings.Join(all, ", ")
	}
	g.function(fmt.Sprintf("terms%dAVX2", n), fmt.Sprintf("func(addr *[64]uint64, at *[2]uint64, %s *[2]uint64, %s uint32, %s *[64]uint32) uint64", list("t%s"), list("last%s"), list("%s")))
	room := g.AllocLocal(n * 256)
	in, part := g.GP64(), g.GP32()
	g.XORL(in.As32(), in.As32())
	coords, last := make([]gp, n), make([]ymm, n)
	for k, name := range names {
		coords[k], last[k] = g.arg(name), g.all(g.arg32("last"+name))
	}
	i := 0
	g.eachGroup(func(at func(gp) operand.Mem) {
		var fits ymm
		for k, c := range coords {
			x := g.load(at(c))
			near := g.minU(x, last[k])
			same := g.equal(near, x)
			if k > 0 {
				same = g.and(same, fits)
			}
			fits = same
			g.VMOVDQU(g.shlBy(near, 4), room.Offset(256*k+32*i)) // bytes of the table
		}
		g.VMOVMSKPS(fits, part)
		if i > 0 {
			g.SHLQ(operand.U8(8*i), part.As64())
		}
		g.ORQ(part.As64(), in)
		i++
	})
	g.Store(in, g.ReturnIndex(0))

	tables := make([]gp, n)
	for k, name := range names {
		tables[k] = g.arg("t" + name)
	}
	addr, at := g.arg("addr"), g.arg("at")
	add, flip := g.XMM(), g.XMM()
	g.VPBROADCASTQ(operand.Mem{Base: at}, add)
	g.VPBROADCASTQ(operand.Mem{Base: at, Disp: 8}, flip)
	lane := g.GP64()
	g.XORL(lane.As32(), lane.As32())
	g.Label("next")
	for pair := range 2 {
		var sums, xors [2]operand.Op
		for side := range 2 {
			for k, t := range tables {
				off, term := g.GP32(), g.XMM()
				m := room.Offset(256*k + 4*(2*pair+side))
				m.Index, m.Scale = lane, 4
				g.MOVL(m, off)
				g.VMOVDQU(operand.Mem{Base: t, Index: off.As64(), Scale: 1}, term)
				if k == 0 {
					sums[side], xors[side] = term, term
					continue
				}
				sum, xor := g.XMM(), g.XMM()
				g.VPADDQ(term, sums[side], sum)
				g.VPXOR(term, xors[side], xor)
				sums[side], xors[side] = sum, xor
			}
		}
		a, x := g.XMM(), g.XMM()
		g.VPUNPCKLQDQ(sums[1], sums[0], a)
		g.VPUNPCKHQDQ(xors[1], xors[0], x)
		g.VPXOR(flip, x, x)
		g.VPADDQ(add, a, a)
		g.VPADDQ(x, a, a)
		g.VMOVDQU(a, operand.Mem{Base: addr, Index: lane, Scale: 8, Disp: 16 * pair})
	}
	g.ADDQ(operand.U32(4), lane)
	g.CMPQ(lane, operand.U32(64))
	g.JNE(operand.LabelRef("next"))
	g.end()
}
