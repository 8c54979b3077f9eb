package main

import (
	"slices"

	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/reg"
)

// avx512 writes the operations that gain from sixteen lanes, from the same tables. Operations on integers do not
// gain: see docs/INTERNALS.md.
func avx512(g *gen) {
	g.zmm = true
	g.fills()
	g.carries()
	g.compares(comparisonOps())
	g.floats("float", floatOps(false))
}

// spread expands a mask to a vector in which all bits of a lane are set or none. The vector must not be changed. Most
// of these vectors are only used as masks again, and dropSpread deletes their instructions.
func (g *gen) spread(k kr) vec {
	d := g.vec()
	g.VPMOVM2D(k, d)
	g.spreads[d] = k
	return d
}

// dropSpread deletes the instructions that expand masks to vectors that nothing reads.
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
