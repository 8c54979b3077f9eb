package main

import "github.com/mmcloughlin/avo/operand"

// records writes the function that computes the addresses of buffer records.
func records(g *gen) {
	g.constants16("lane_bits", func(i int) byte { return byte(1 << (i & 7)) })
	g.function("recordsAVX2", "func(at, index, id, offset *[64]uint32, extent *[4]uint32, add, stride, group, low "+
		"uint32, mask uint64)")
	at, index, id, offset := g.arg("at"), g.arg("index"), g.arg("id"), g.arg("offset")
	add, stride, low := g.all(g.arg32("add")), g.all(g.arg32("stride")), g.all(g.arg32("low"))
	group, lanes := g.count("group"), g.bits(g.arg("mask"))
	elem := g.sub(low, g.k(0xffffffff))
	var largest [4]vec
	for i := range largest {
		largest[i] = g.YMM()
		g.VPXOR(largest[i], largest[i], largest[i])
	}
	largestOf := func(a, b, d operand.Op) { g.VPMAXUD(a, b, d) }
	anyOf := func(a, b, d operand.Op) { g.VPOR(a, b, d) }
	g.eachVec(func(from func(gp) operand.Mem) {
		take := g.take(lanes)
		keep := func(i int, f func(a, b, d operand.Op), x vec) { f(g.and(x, take), largest[i], largest[i]) }
		record := g.load(from(index))
		sum := g.do(g.VPADDD, from(id), record)
		keep(0, largestOf, g.maxU(record, sum))
		off := g.do(g.VPADDD, from(offset), add)
		keep(1, largestOf, off)
		keep(2, anyOf, off)
		row := g.do(g.VPSRLD, group, sum)
		inGroup := g.mul(g.sub(sum, g.do(g.VPSLLD, group, row)), elem)
		row = g.mul(row, stride)
		inElem := g.and(off, low)
		place := g.add(row, g.sub(off, inElem))
		place = g.add(g.add(g.do(g.VPSLLD, group, place), inElem), inGroup)
		g.VMOVDQU(place, from(at))
		keep(3, largestOf, place)
	})
	extent := g.arg("extent")
	for i, f := range [...]func(a, b, d operand.Op){largestOf, largestOf, anyOf, largestOf} {
		g.MOVL(g.foldBy(f, largest[i]), operand.Mem{Base: extent, Disp: 4 * i})
	}
	g.end()
}
