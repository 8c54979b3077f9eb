package main

import (
	"fmt"
	"strings"

	"github.com/mmcloughlin/avo/operand"
)

// terms writes the sum of the terms of n coordinates. It first clamps the coordinates to their tables and finds the
// lanes where that changes nothing, then sums two lanes at a time.
func (g *gen) terms(n int) {
	names := []string{"x", "y", "z"}[:n]
	list := func(format string) string {
		var all []string
		for _, name := range names {
			all = append(all, fmt.Sprintf(format, name))
		}
		return strings.Join(all, ", ")
	}
	g.function(fmt.Sprintf("terms%dAVX2", n), fmt.Sprintf("func(addr *[64]uint64, at *[2]uint64, %s *[2]uint64, %s "+
		"uint32, %s *[64]uint32) uint64", list("t%s"), list("last%s"), list("%s")))
	lasts := make([]string, n)
	for k, name := range names {
		lasts[k] = "last" + name
	}
	room := g.bounded(names, lasts)
	tables := make([]gp, n)
	for k, name := range names {
		tables[k] = g.arg("t" + name)
	}
	addr := g.arg("addr")
	add, flip := g.start()
	lane := g.GP64()
	g.XORL(lane.As32(), lane.As32())
	g.Label("next")
	for pair := range 2 {
		var sums, xors [2]operand.Op
		for side := range 2 {
			for k, t := range tables {
				term := g.term(t, room, k, lane, 2*pair+side)
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
		g.sum(sums, xors, add, flip, operand.Mem{Base: addr, Index: lane, Scale: 8, Disp: 16 * pair})
	}
	g.ADDQ(operand.U32(4), lane)
	g.CMPQ(lane, operand.U32(64))
	g.JNE(operand.LabelRef("next"))
	g.end()
}

// bounded clamps coordinates to the last entries of their tables and returns the memory with the results, as byte
// offsets in the tables. The function returns the mask of the lanes that were not clamped.
func (g *gen) bounded(names, lasts []string) (room operand.Mem) {
	room = g.AllocLocal(len(names) * 256)
	coords, last := make([]gp, len(names)), make([]vec, len(names))
	for k, name := range names {
		coords[k], last[k] = g.arg(name), g.all(g.arg32(lasts[k]))
	}
	i := 0
	in := g.masks(1, func(at func(gp) operand.Mem) []vec {
		var fits vec
		for k, c := range coords {
			x := g.load(at(c))
			near := g.minU(x, last[k])
			same := g.equal(near, x)
			if k > 0 {
				same = g.and(same, fits)
			}
			fits = same
			g.VMOVDQU(g.shlBy(near, 4), room.Offset(256*k+32*i))
		}
		i++
		return []vec{fits}
	})
	g.Store(in[0], g.ReturnIndex(0))
	return room
}

// start returns the values with which all sums begin, in both lanes.
func (g *gen) start() (add, flip operand.Op) {
	at, x, y := g.arg("at"), g.XMM(), g.XMM()
	g.VPBROADCASTQ(operand.Mem{Base: at}, x)
	g.VPBROADCASTQ(operand.Mem{Base: at, Disp: 8}, y)
	return x, y
}

// term loads the table entry for coordinate k of a lane.
func (g *gen) term(table gp, room operand.Mem, k int, lane gp, n int) operand.Op {
	off, term := g.GP32(), g.XMM()
	m := room.Offset(256*k + 4*n)
	m.Index, m.Scale = lane, 4
	g.MOVL(m, off)
	g.VMOVDQU(operand.Mem{Base: table, Index: off.As64(), Scale: 1}, term)
	return term
}

// sum writes the addresses of two lanes, from the sums and exclusive ors of their terms.
func (g *gen) sum(sums, xors [2]operand.Op, add, flip operand.Op, to operand.Mem) {
	a, x := g.XMM(), g.XMM()
	g.VPUNPCKLQDQ(sums[1], sums[0], a)
	g.VPUNPCKHQDQ(xors[1], xors[0], x)
	g.VPXOR(flip, x, x)
	g.VPADDQ(add, a, a)
	g.VPADDQ(x, a, a)
	g.VMOVDQU(a, to)
}

// square writes the addresses for two coordinates along x and two along y.
func (g *gen) square() {
	g.function("squareAVX2", "func(addrs *[4]*[64]uint64, at, tx, ty *[2]uint64, lastx, lasty uint32, xa, xb, ya, yb "+
		"*[64]uint32) uint64")
	room := g.bounded([]string{"xa", "xb", "ya", "yb"}, []string{"lastx", "lastx", "lasty", "lasty"})
	tx, ty := g.arg("tx"), g.arg("ty")
	add, flip := g.start()
	addrs := g.arg("addrs")
	var to [4]gp
	for k := range to {
		to[k] = g.GP64()
		g.MOVQ(operand.Mem{Base: addrs, Disp: 8 * k}, to[k])
	}
	lane := g.GP64()
	g.XORL(lane.As32(), lane.As32())
	g.Label("next")
	var terms [4][2]operand.Op // terms of each coordinate and lane
	for k := range terms {
		for side := range terms[k] {
			table := tx
			if k >= 2 {
				table = ty
			}
			terms[k][side] = g.term(table, room, k, lane, side)
		}
	}
	for k := range to {
		var sums, xors [2]operand.Op
		for side := range sums {
			sum, xor := g.XMM(), g.XMM()
			x, y := terms[k&1][side], terms[2+k>>1][side]
			g.VPADDQ(y, x, sum)
			g.VPXOR(y, x, xor)
			sums[side], xors[side] = sum, xor
		}
		g.sum(sums, xors, add, flip, operand.Mem{Base: to[k], Index: lane, Scale: 8})
	}
	g.ADDQ(operand.U32(2), lane)
	g.CMPQ(lane, operand.U32(64))
	g.JNE(operand.LabelRef("next"))
	g.end()
}
