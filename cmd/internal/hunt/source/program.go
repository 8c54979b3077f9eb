package source

import (
	"fmt"
	"strings"
)

// sharedWords is the number of counters that all work-items share.
const sharedWords = 4

// maxStatements is the greatest number of statements in a function or in a part of the kernel.
const maxStatements = 8

// program writes the body: a structure, functions, and the kernel.
func (g *generator) program() {
	if g.chance(2) {
		g.declareStructure()
	}
	for range g.IntN(4) {
		g.function()
	}
	g.kernel()
	g.k.Body = g.text.String()
}

// declareStructure writes a structure with bit fields.
func (g *generator) declareStructure() {
	g.line("struct s {")
	for i := range 2 + g.IntN(5) {
		f := field{name: fmt.Sprintf("m%d", i), typ: g.anyType()}
		// C99 guarantees only int bit fields, and compilers agree on their promotion.
		if (f.typ == i32 || f.typ == u32) && !g.glsl && g.chance(2) {
			f.bits = 1 + g.IntN(31)
		}
		if f.bits > 0 {
			g.line("  %s %s : %d;", f.typ, f.name, f.bits)
		} else {
			g.line("  %s %s;", f.typ, f.name)
		}
		g.structure = append(g.structure, f)
	}
	g.line("};")
}

// function writes a function that later functions and the kernel may call.
func (g *generator) function() {
	f := function{name: g.name("fn"), result: g.anyType()}
	var params []string
	for range 1 + g.IntN(3) {
		t := g.anyType()
		name := g.name("p")
		f.params = append(f.params, t)
		params = append(params, fmt.Sprintf("%s %s", t, name))
		g.vars = append(g.vars, variable{name: name, typ: t})
	}
	switch n := g.IntN(4); {
	case n == 0 && len(g.structure) > 0:
		f.struc = true
		params = append(params, "struct s z")
		for _, m := range g.structure {
			if m.bits == 0 || !g.chance(3) {
				g.vars = append(g.vars, variable{name: "z." + m.name, typ: m.typ})
			}
		}
	case n == 1:
		f.array = true
		params = append(params, "u32 *a")
	}
	attribute := "NOINLINE"
	if g.chance(4) {
		attribute = "static"
	}
	g.line("%s %s %s(%s) {", attribute, f.result, f.name, strings.Join(params, ", "))
	g.scoped(func() {
		if f.array {
			g.line("a[%s & 7u] = %s;", g.expr(u32, 1), g.expr(u32, 2))
			g.declare(u32, fmt.Sprintf("a[%s & 7u]", g.expr(u32, 1)))
		}
		if g.chance(3) {
			g.array()
		}
		if len(g.funcs) > 0 && g.chance(3) {
			g.callStatement()
		}
		g.left = maxStatements
		g.statements(4)
		g.line("return %s;", normal(f.result, g.expr(f.result, 2)))
	})
	g.line("}")
	g.vars = g.vars[:0]
	g.funcs = append(g.funcs, f)
}

// kernel writes the kernel.
func (g *generator) kernel() {
	g.inKernel = true
	g.line("KERNEL void %s(GLOBAL u64 *out, GLOBAL const u32 *in) {", Name)
	g.depth++
	for range 2 + g.IntN(3) {
		t := g.anyType()
		g.declare(t, g.input32(t))
	}
	for range 1 + g.IntN(3) {
		g.left = maxStatements
		g.statements(5)
		if g.chance(3) {
			g.shared()
		}
		if g.chance(3) {
			g.subgroup()
		}
	}
	stored := g.outputs()
	g.k.Values = len(stored)
	items := g.k.Group * g.k.Groups
	if op := pick(g, "", "", "add", "or", "xor"); op != "" {
		g.line("ATOMIC(%s, &out[%d + (%s & %du)], %s);", op, items*len(stored), g.expr(u32, 1), sharedWords-1,
			g.expr(u64, 2))
	}
	for i, v := range stored {
		value := "(u64)" + v.name
		if v.typ.float() {
			value = fmt.Sprintf("bits_%s(%s)", v.typ, v.name)
		}
		g.line("out[WHERE * %d + %d] = %s;", len(stored), i, value)
	}
	g.depth--
	g.line("}")
}
