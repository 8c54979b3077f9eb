package main

import (
	"github.com/gcnsim/gcnsim/internal/base/vector"
	"github.com/mmcloughlin/avo/operand"
)

func conversions(g *gen) {
	var all []integer
	for _, op := range vector.Conversions {
		all = append(all, integerOf(op))
	}
	g.ops("convertAVX2", all)
}

// ops writes a table of operations on 32 bits with results of 32 bits.
func (g *gen) ops(name string, ops []integer) {
	t := table{name: name, of: "Op"}
	for _, op := range ops {
		g.begin(&t, op.name, "func(d, a, b, c *[64]uint32)")
		params, d := g.operandsOf(op.n)
		for _, v := range op.consts {
			g.k(v)
		}
		g.groups(2, func(at func(gp) operand.Mem) {
			var v [3]vec
			for i := range op.n {
				v[i] = g.load(at(params[i]))
			}
			g.VMOVDQU(op.body(g, v[0], v[1], v[2]), at(d))
		})
		g.end()
	}
	g.tables = append(g.tables, t)
}
