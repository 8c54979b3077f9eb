package main

import (
	"slices"

	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/reg"
)

// avx512 writes what is worth having for sixteen lanes, of the same tables. Operations on integers
// are not: see docs/INTERNALS.md.
func avx512(g *gen) {
	g.zmm = true
	g.fills()
	g.carries()
	g.compares(comparisonOps())
	g.floats("float", floatOps(false))
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
