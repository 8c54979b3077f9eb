package source

import (
	"fmt"
	"slices"
	"strings"
)

// declare writes the declaration of a variable.
func (g *generator) declare(t typ, value string) {
	name := g.name("v")
	g.line("%s %s = %s;", t, name, normal(t, value))
	g.vars = append(g.vars, variable{name: name, typ: t})
}

// normal clamps a value for a variable of type t: floats stay in a range in which no operation overflows or needs a
// denormal.
func normal(t typ, value string) string {
	if t.float() {
		return fmt.Sprintf("norm_%s(%s)", t, value)
	}
	return value
}

// small returns a random depth for expressions.
func (g *generator) small() int { return 1 + g.IntN(3) }

// mutable returns a random variable that a statement may change.
func (g *generator) mutable() (v variable, ok bool) {
	var all []variable
	for _, v := range g.vars {
		if !v.fixed {
			all = append(all, v)
		}
	}
	if len(all) == 0 {
		return v, false
	}
	return pick(g, all...), true
}

// assign writes an assignment.
func (g *generator) assign() {
	v, ok := g.mutable()
	if !ok {
		g.declare(g.anyType(), g.leaf(u32))
		return
	}
	g.line("%s = %s;", v.name, normal(v.typ, g.expr(v.typ, g.small())))
}

// statements writes up to n statements.
func (g *generator) statements(n int) {
	for range 1 + g.IntN(n) {
		if g.left--; g.left < 0 {
			g.assign()
			return
		}
		g.statement()
	}
}

// statement writes a statement.
func (g *generator) statement() {
	n := g.IntN(20)
	if g.chance(4) {
		n = g.k.Kind(20)
	}
	switch {
	case n < 7:
		g.assign()
	case n < 9:
		t := g.anyType()
		g.declare(t, g.expr(t, g.small()))
	case n < 12:
		g.branch()
	case n < 14 && g.loops < 2:
		g.loop()
	case n == 14:
		g.choice()
	case n == 15:
		g.array()
	case n == 16 && len(g.structure) > 0:
		g.member()
	case n == 17:
		g.vector()
	case n == 18 && len(g.funcs) > 0:
		g.callStatement()
	default:
		g.assign()
	}
}

// branch writes an if.
func (g *generator) branch() {
	g.line("if (%s) {", g.condition(g.small()))
	g.scoped(func() { g.statements(3) })
	if g.chance(2) {
		g.line("} else {")
		g.scoped(func() { g.statements(2) })
	}
	g.line("}")
}

// loop writes a loop whose number of iterations is different for each work-item.
func (g *generator) loop() {
	name := g.name("j")
	bound := fmt.Sprintf("(%s & %du)", g.expr(u32, 1), pick(g, 3, 7, 15))
	if g.chance(3) {
		bound = fmt.Sprintf("%du", 1+g.IntN(9))
	}
	limit := g.name("n")
	g.line("const u32 %s = %s;", limit, bound)
	g.vars = append(g.vars, variable{limit, u32, true})
	g.line("for (u32 %s = 0; %s < %s; %s++) {", name, name, limit, name)
	g.loops++
	g.scoped(func() {
		g.vars = append(g.vars, variable{name, u32, true})
		g.statements(3)
		if g.chance(3) {
			g.line("if (%s)", g.condition(1))
			g.line("  %s;", pick(g, "break", "continue"))
			g.assign()
		}
	})
	g.loops--
	g.line("}")
}

// choice writes a switch.
func (g *generator) choice() {
	g.line("switch (%s & 7u) {", g.expr(u32, g.small()))
	for value := range 8 {
		if !g.chance(2) {
			continue
		}
		g.line("case %d:", value)
		g.scoped(g.assign)
		if !g.chance(4) {
			g.line("  break;")
		}
	}
	g.line("default:")
	g.scoped(g.assign)
	g.line("}")
}

// array writes an array and accesses with variable indices.
func (g *generator) array() {
	t, name, size := g.integer(), g.name("a"), pick(g, 4, 8)
	if !g.inKernel {
		size = 8 // elements of 32 bits: as many as LLVM keeps in registers without selecting them by comparisons
	}
	var values []string
	for range size {
		values = append(values, g.leaf(t))
	}
	if g.inKernel && !g.glsl && g.chance(3) {
		size = 32 // the remaining elements are 0
	}
	g.line("%s %s[%d] = {%s};", t, name, size, strings.Join(values, ", "))
	for range 1 + g.IntN(2) {
		g.line("%s[%s] = %s;", name, g.index(size), g.expr(t, 2))
	}
	g.declare(t, fmt.Sprintf("%s[%s]", name, g.index(size)))
}

// index returns an index into an array whose size is a power of 2. It is different in each work-item, or equal in a
// work-group. In the latter case processors before gfx9 need M0 for it, which LDS instructions also need.
func (g *generator) index(size int) string {
	if g.chance(2) {
		return fmt.Sprintf("WORKGROUP + %du & %du", g.IntN(size), size-1)
	}
	return fmt.Sprintf("%s & %du", g.expr(u32, 1), size-1)
}

// member writes a structure, changes members, and reads one.
func (g *generator) member() {
	name := g.name("s")
	var values []string
	for _, f := range g.structure {
		values = append(values, g.leaf(f.typ))
	}
	g.line("struct s %s = {%s};", name, strings.Join(values, ", "))
	for range 1 + g.IntN(3) {
		f := pick(g, g.structure...)
		g.line("%s.%s = %s;", name, f.name, normal(f.typ, g.expr(f.typ, g.small())))
	}
	for _, f := range g.funcs {
		if f.struc && g.chance(2) {
			g.invoke(f, name)
			return
		}
	}
	f := pick(g, g.structure...)
	g.declare(f.typ, name+"."+f.name)
}

// vector writes operations on a vector.
func (g *generator) vector() {
	name, element, size := "u32x4", u32, 4
	switch g.IntN(4) {
	case 0:
		name, element, size = "u16x2", u16, 2
	case 1:
		name, element, size = "i16x2", i16, 2
	case 2:
		name, size = "u32x2", 2
	}
	shifts, others := []string{"<<", ">>"}, []string{"+", "-", "*", "&", "|", "^"}
	if element.signed() { // overflow and left shifts of negative numbers are undefined in C
		shifts, others = shifts[1:], others[3:]
	}
	v, w := g.name("x"), g.name("x")
	for _, x := range []string{v, w} {
		var values []string
		for range size {
			values = append(values, g.expr(element, 1))
		}
		g.line("%s %s = {%s};", name, x, strings.Join(values, ", "))
	}
	for range 1 + g.IntN(3) {
		if g.chance(3) {
			var counts []string
			for range size {
				counts = append(counts, fmt.Sprint(g.IntN(element.bits())))
			}
			c := g.name("x")
			g.line("const %s %s = {%s};", name, c, strings.Join(counts, ", "))
			g.line("%s = %s %s %s;", v, v, pick(g, shifts...), c)
			continue
		}
		g.line("%s = %s %s %s;", v, v, pick(g, others...), w)
	}
	if g.chance(3) {
		g.line("%s[%s] = %s;", v, g.index(size), g.expr(element, 1))
	}
	g.declare(element, fmt.Sprintf("%s[%s]", v, g.index(size)))
	if g.chance(2) {
		g.declare(element, fmt.Sprintf("%s[%d]", v, g.IntN(size)))
	}
}

// callStatement calls a function, with an array if it takes one.
func (g *generator) callStatement() {
	f := pick(g, g.funcs...)
	switch {
	case f.struc:
		return // those functions are called by member
	case f.array:
		name := g.name("a")
		var values []string
		for range 8 {
			values = append(values, g.leaf(u32))
		}
		g.line("u32 %s[8] = {%s};", name, strings.Join(values, ", "))
		g.invoke(f, name)
		g.declare(u32, fmt.Sprintf("%s[%s]", name, g.index(8)))
	default:
		g.invoke(f)
	}
}

// invoke calls f. last are its last arguments.
func (g *generator) invoke(f function, last ...string) {
	var args []string
	for _, p := range f.params {
		args = append(args, g.expr(p, 1))
	}
	g.declare(f.result, fmt.Sprintf("%s(%s)", f.name, strings.Join(append(args, last...), ", ")))
}

// shared writes an exchange of values between the work-items of a group. All of them execute it.
func (g *generator) shared() {
	t, name := g.integer(), g.name("lds")
	mask := g.k.Group - 1
	if t != u32 || g.chance(2) {
		g.line("LOCAL %s %s[GROUP];", t, name)
		g.line("%s[ITEM ^ %du] = %s;", name, g.IntN(g.k.Group), g.expr(t, g.small()))
		g.line("BARRIER;")
		if len(g.funcs) > 0 && g.chance(2) { // the function may use M0 for an index
			g.callStatement()
		}
		g.declare(t, fmt.Sprintf("%s[%s & %du]", name, g.expr(u32, 1), mask))
		if g.chance(2) {
			g.declare(t, fmt.Sprintf("%s[(ITEM + %du) & %du]", name, g.IntN(g.k.Group), mask))
		}
		g.line("BARRIER;")
		return
	}
	g.line("LOCAL u32 %s[8];", name)
	g.line("if (ITEM < 8)")
	g.line("  %s[ITEM] = %s;", name, g.expr(u32, 1))
	g.line("BARRIER;")
	op := pick(g, "add", "or", "and", "xor", "sub")
	if g.chance(2) {
		g.line("if (%s)", g.condition(1))
		g.depth++
		g.line("ATOMIC(%s, &%s[%s & 7u], %s);", op, name, g.expr(u32, 1), g.expr(u32, 2))
		g.depth--
	} else {
		g.line("ATOMIC(%s, &%s[%s & 7u], %s);", op, name, g.expr(u32, 1), g.expr(u32, 2))
	}
	g.line("BARRIER;")
	g.declare(u32, fmt.Sprintf("%s[%s & 7u]", name, g.expr(u32, 1)))
	g.line("BARRIER;")
}

// subgroup writes an operation on values of a wave's work-items. All of them execute it.
func (g *generator) subgroup() {
	g.declare(u32, g.expr(u32, g.small()))
	v := g.vars[len(g.vars)-1].name
	op := pick(g, "first", "lane", "count", "below")
	if g.glsl && g.chance(2) {
		op = pick(g, "add", "min", "max", "and", "or", "xor", "sums", "shuffle")
	}
	args := v
	switch op {
	case "lane":
		args += fmt.Sprintf(", %du", g.IntN(64))
	case "shuffle":
		args += fmt.Sprintf(", %s & 63u", g.leaf(u32))
	case "count", "below":
		args = fmt.Sprintf("%s > %s", v, g.leaf(u32))
	}
	g.declare(u32, fmt.Sprintf("SUBGROUP_%s(%s)", op, args))
}

// outputs returns the kernel's variables that are stored at its end.
func (g *generator) outputs() []variable {
	var all []variable
	for _, v := range g.vars {
		if !v.fixed {
			all = append(all, v)
		}
	}
	if len(all) > 8 {
		all = slices.Clone(all[len(all)-8:])
	}
	return all
}
