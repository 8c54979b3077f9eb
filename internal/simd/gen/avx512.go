package main

import (
	"slices"

	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// avx512 writes what is worth having for sixteen lanes, of the same tables.
func avx512(g *gen) {
	g.zmm = true
	g.fills()
	g.carries()
	g.ops("int", integerOps)
	g.ops("convert", conversionOps)
	wides(g)
	g.compares(comparisonOps)
	g.floats("float", floatOps())
	g.inOrder512(elementsReached[0])
}

// inOrder512 writes the load and the store of one element of lanes that follow one another. Others
// are left to what there is for eight lanes.
func (g *gen) inOrder512(e reach) {
	g.constants16(e.ramp(), func(i int) byte { return byte(e.size * i) })

	g.function("loadDword1AVX512", "func(r *[6]uint64, d *[64]uint32, disp *uint32, mask uint64) bool")
	to := g.shareOf(1)
	g.orGoOnIn("loadDword1AVX2", e, func(at func(base gp) operand.Mem, off gp) {
		g.store(g.load(at(to.known[0]).Idx(off, 1)), at(to.d))
	})

	g.function("storeDwordAVX512", "func(r *[6]uint64, s *[64]uint32, disp, mask uint64) bool")
	s, b := g.arg("s"), g.field64(windowBytes)
	g.ADDQ(g.arg("disp"), b)
	g.orGoOnIn("storeDwordAVX2", e, func(at func(base gp) operand.Mem, off gp) {
		g.store(g.load(at(s)), at(b).Idx(off, 1))
	})
}

// orGoOnIn ends a function with what move does with each vector at off, the place of lane 0, if all
// lanes follow one another; else with a jump to another function that has the same arguments.
func (g *gen) orGoOnIn(function string, e reach, move func(at func(base gp) operand.Mem, off gp)) {
	g.CMPQ(g.arg("mask"), operand.I8(-1))
	g.JNE(operand.LabelRef("general"))
	g.inOrder(e, g.field64(windowV), func(off gp) {
		g.eachVec(func(at func(gp) operand.Mem) { move(at, off) })
	})
	g.Label("general")
	g.VZEROUPPER()
	to := operand.Mem{Symbol: operand.Symbol{Name: "·" + function}, Base: reg.StaticBase}
	g.Instruction(&ir.Instruction{Opcode: "JMP", Operands: []operand.Op{to}, IsTerminal: true})
}

// spread is a mask as a vector, all bits of a lane, which nothing may change. Most are of no use but
// as the mask that they were: dropSpread takes the others out.
func (g *gen) spread(k kr) vec {
	d := g.vec()
	g.VPMOVM2D(k, d)
	g.spreads[d] = k
	return d
}

// dropSpread takes out what makes vectors of masks that nothing reads.
func dropSpread(f *ir.File) {
	for _, fn := range f.Functions() {
		read := map[reg.ID]bool{}
		for _, i := range fn.Instructions() {
			for _, r := range i.InputRegisters() {
				read[r.ID()] = true
			}
		}
		fn.Nodes = slices.DeleteFunc(fn.Nodes, func(n ir.Node) bool {
			i, ok := n.(*ir.Instruction)
			return ok && i.Opcode == "VPMOVM2D" && !read[i.Outputs[0].(reg.Register).ID()]
		})
	}
}
