package source

import (
	"fmt"
	"strings"
)

// leaf returns an expression of type t without operators.
func (g *generator) leaf(t typ) string {
	var same, other []variable
	for _, v := range g.vars {
		switch {
		case v.typ == t:
			same = append(same, v)
		case !t.float() && !v.typ.float():
			other = append(other, v)
		}
	}
	switch n := g.IntN(10); {
	case n < 5 && len(same) > 0:
		return pick(g, same...).name
	case n < 7 && len(other) > 0:
		return cast(t, pick(g, other...).name)
	case n == 7 && g.inKernel && g.glsl && !t.float() && g.chance(3):
		return cast(t, fmt.Sprintf("TEXEL(WHERE + %du, WHERE >> %d)", g.IntN(16), g.IntN(5)))
	case n == 7 && g.inKernel:
		return g.input32(t)
	}
	return g.constant(t)
}

// input32 returns a load from the input, converted to type t.
func (g *generator) input32(t typ) string {
	text := fmt.Sprintf("in[(WHERE * %du + %du) & %du]", pick(g, 0, 1, 1, 2, 3, 4), g.IntN(inputWords), inputWords-1)
	switch {
	case t == f16:
		return fmt.Sprintf("(f16)(u8)%s", text)
	case t.float():
		return fmt.Sprintf("((%s)(%s & 0xffff) + 1)", t, text)
	case t.bits() == 64 && g.chance(2):
		return fmt.Sprintf("(%s)((u64)%s << 32 | %s)", t, text, g.input32(u32))
	}
	return cast(t, text)
}

// expr returns an expression of type t. depth is the greatest nesting of operators.
func (g *generator) expr(t typ, depth int) string {
	if depth <= 0 {
		return g.leaf(t)
	}
	switch n := g.IntN(20); {
	case n < 3:
		return g.leaf(t)
	case n == 3:
		return fmt.Sprintf("(%s ? %s : %s)", g.condition(depth-1), g.expr(t, depth-1), g.expr(t, depth-1))
	case n == 4 && len(g.funcs) > 0:
		if text := g.call(t, depth-1); text != "" {
			return text
		}
	}
	if t.float() {
		return g.floatExpr(t, depth-1)
	}
	return g.integerExpr(t, depth-1)
}

// condition returns a boolean expression.
func (g *generator) condition(depth int) string {
	t := g.anyType()
	op := pick(g, "<", "<=", ">", ">=", "==", "!=")
	text := fmt.Sprintf("%s %s %s", g.expr(t, depth), op, g.expr(t, depth))
	if depth > 0 && g.chance(4) {
		return fmt.Sprintf("(%s) %s (%s)", text, pick(g, "&&", "||"), g.condition(depth-1))
	}
	return text
}

// half returns an operation on 16-bit floats. Each result is rounded, and only numbers with few bits are converted to
// this type, because processors without such instructions convert through 32 bits.
func (g *generator) half(depth int) string {
	switch g.IntN(6) {
	case 0:
		return cast(f16, g.leaf(f32))
	case 1:
		return cast(f16, g.expr(pick(g, i8, u8, i16), depth))
	case 2:
		return fmt.Sprintf("(f16)__builtin_%sf((f32)%s)", pick(g, "fabs", "floor", "ceil", "trunc", "rint"),
			g.leaf(f16))
	}
	return fmt.Sprintf("(f16)(%s %s %s)", g.expr(f16, depth), pick(g, "+", "-", "*"), g.expr(f16, depth))
}

// floatExpr returns an operation on floating-point numbers.
func (g *generator) floatExpr(t typ, depth int) string {
	if t == f16 {
		return g.half(depth)
	}
	suffix := ""
	if t == f32 {
		suffix = "f"
	}
	switch n := g.IntN(12); {
	case n < 5 && g.glsl: // the functions are marked precise, so a product is not fused with a sum
		return fmt.Sprintf("%s_%s(%s, %s)", pick(g, "add", "sub", "mul"), t, g.expr(t, depth), g.expr(t, depth))
	case n < 5:
		return fmt.Sprintf("(%s %s %s)", g.expr(t, depth), pick(g, "+", "-", "*"), g.expr(t, depth))
	case n == 5:
		return fmt.Sprintf("__builtin_%s%s(%s)", pick(g, "fabs", "floor", "ceil", "trunc", "rint"), suffix, g.expr(t, depth))
	case n == 6 && !g.glsl: // GLSL does not define its rounding, nor the error of a quotient
		return fmt.Sprintf("__builtin_fma%s(%s, %s, %s)", suffix, g.expr(t, depth-1), g.expr(t, depth-1), g.expr(t, depth-1))
	case n == 7 && t == f64 && !g.glsl:
		return fmt.Sprintf("(%s / norm_f64(%s))", g.expr(t, depth), g.expr(t, depth))
	case n == 8:
		return fmt.Sprintf("(-(%s))", g.leaf(t))
	case n == 9:
		from := f32 + f64 - t
		if t == f32 && !g.glsl && g.chance(3) {
			from = f16
		}
		return fmt.Sprintf("(%s)%s", t, g.leaf(from))
	}
	return fmt.Sprintf("(%s)%s", t, g.expr(g.integer(), depth))
}

// integerExpr returns an operation on integers of type t.
func (g *generator) integerExpr(t typ, depth int) string {
	w := t.word()
	switch n := g.IntN(16); {
	case n < 6: // arithmetic that wraps
		op := pick(g, "+", "-", "*", "&", "|", "^", "+", "^")
		return cast(t, fmt.Sprintf("(%s)%s %s (%s)%s", w, g.expr(t, depth), op, w, g.expr(t, depth)))
	case n < 8: // shifts in the type itself; right shifts extend the sign
		if g.chance(2) {
			return cast(t, fmt.Sprintf("(%s)%s << %s", w, g.expr(t, depth), g.count(t, depth)))
		}
		return cast(t, fmt.Sprintf("%s >> %s", g.expr(t, depth), g.count(t, depth)))
	case n == 8:
		return cast(t, pick(g, "~", "-")+fmt.Sprintf("(%s)%s", w, g.expr(t, depth)))
	case n == 9:
		return g.division(t, depth)
	case n == 10: // another type
		return cast(t, g.expr(g.integer(), depth))
	case n == 11:
		from := pick(g, f32, f64)
		v := g.leaf(from)
		return cast(t, fmt.Sprintf("(i32)norm_%s(%s)", from, v))
	case n == 12:
		return cast(t, g.condition(depth))
	}
	return cast(t, g.idiom(w, depth))
}

// count returns the count of a shift of a value of type t.
func (g *generator) count(t typ, depth int) string {
	if g.chance(2) {
		return fmt.Sprint(g.IntN(t.bits()))
	}
	return fmt.Sprintf("(%s & %du)", g.expr(u32, depth-1), t.bits()-1)
}

// division returns a division or a remainder with a defined result.
func (g *generator) division(t typ, depth int) string {
	a, b := g.expr(t, depth), g.expr(t, depth)
	op := pick(g, "/", "%")
	if g.glsl && t.signed() { // GLSL leaves the remainder of negative numbers undefined
		op = "/"
	}
	switch {
	case (t == i32 || t == i64) && g.chance(2):
		name := map[string]string{"/": "div", "%": "rem"}[op]
		return fmt.Sprintf("%s_%s(%s, %s)", name, t, a, b)
	case t.signed() || g.chance(4):
		return cast(t, fmt.Sprintf("%s %s %d", a, op, pick(g, 3, 5, 7, 10, 16, 100, 127)))
	}
	return cast(t, fmt.Sprintf("%s %s (%s | 1u)", a, op, b))
}

// idioms are expressions that compile to one instruction. A is a 32-bit or 64-bit unsigned operand, B and C are more
// operands, N and M are numbers below 32.
var idioms = []string{
	"(A >> N & (1u << M) - 1)",
	"((i32)((u32)A << N) >> M)",
	"((u32)A << (B & 31u) | (u32)A >> (-(u32)B & 31u))",
	"(((u32)A & 0xffffff) * ((u32)B & 0xffffff) + C)",
	"((u64)((u32)A & 0xffffff) * ((u32)B & 0xffffff) >> 32)",
	"((u64)((u32)A & 0xffffff) * ((u32)B & 0xffffff) + C >> 32)",
	"((u64)(u32)A * (u32)B >> 32)",
	"(u64)((i64)(i32)A * (i32)B >> 32)",
	"(((i32)((u32)A << 8) >> 8) * (i64)((i32)((u32)B << 8) >> 8))",
	"(A < B ? A : B)",
	"(A < B ? (A < C ? (B < C ? B : C) : A) : (B < C ? (A < C ? A : C) : B))",
	"((i32)A > (i32)B ? (i32)A : (i32)B)",
	"(A > B ? A - B : B - A)",
	"(A & B | ~A & C)",
	"(A ^ B ^ C)",
	"((A << N) + B)",
	"((A + B) << N)",
	"((u8)A | (u32)(u8)B << 8 | (u32)(u8)(B >> 8) << 16 | (u32)(u8)(C >> 16) << 24)",
	"(u32)__builtin_popcount((u32)A)",
	"(u32)__builtin_clz((u32)A | 1u)",
	"(u32)__builtin_ctz((u32)A | 0x80000000u)",
	"__builtin_bswap32((u32)A)",
	"((u64)A + B + (u64)((u64)A + B < B))",
	"((u32)(i16)A * (u32)(i16)B + C)",
	"((i32)(u8)A - (i32)(u8)B)",
	"((i32)(i16)A * (i32)(i8)B)",
	"((u32)(u16)A * (u16)B)",
	"((u32)(f32)(u8)(A >> 16) + C)",
	"(((u64)A << 32 | (u32)B) >> N)",
	"((i64)(((u64)A << 32 | (u32)B) << N) >> M)",
}

// idiom returns a random idiom with operands of type w.
func (g *generator) idiom(w typ, depth int) string {
	var text strings.Builder
	a, b, c := "("+g.expr(w, depth-1)+")", "("+g.expr(w, depth-1)+")", "("+g.expr(w, depth-1)+")"
	n, m := g.IntN(32), g.IntN(32)
	for _, r := range g.k.One(g.Rand, idioms...) {
		switch r {
		case 'A':
			text.WriteString(a)
		case 'B':
			text.WriteString(b)
		case 'C':
			text.WriteString(c)
		case 'N':
			fmt.Fprint(&text, n)
		case 'M':
			fmt.Fprint(&text, m)
		default:
			text.WriteRune(r)
		}
	}
	return text.String()
}

// call returns a call of a function, converted to type t, or "" if no function can be called.
func (g *generator) call(t typ, depth int) string {
	f := pick(g, g.funcs...)
	if f.result.float() != t.float() || f.struc || f.array {
		return ""
	}
	var args []string
	for _, p := range f.params {
		args = append(args, g.expr(p, depth-1))
	}
	text := fmt.Sprintf("%s(%s)", f.name, strings.Join(args, ", "))
	if f.result != t {
		return fmt.Sprintf("(%s)%s", t, text)
	}
	return text
}
