package ir

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/gcnsim/gcnsim/cmd/internal/hunt/edge"
)

// tries is how many undefined programs are discarded before New gives up.
const tries = 100

// New returns the kernel for an origin, always the same, with its right output.
func New(from edge.Origin) (*Kernel, []byte) {
	r := from.Rand(0x6c6c_766d_6972)
	for range tries {
		g := &generator{Rand: r, k: &Kernel{Origin: from, Groups: 1 + r.IntN(2)}}
		g.k.Input = edge.Data(r, inputs*Lanes*g.k.Groups)
		g.program()
		if out, err := g.k.Run(g.k.Body); err == nil {
			return g.k, out
		}
	}
	k := &Kernel{Origin: from, Groups: 1, Input: edge.Data(r, inputs*Lanes)} // an empty kernel is always defined
	return k, make([]byte, k.Output())
}

// generator writes the body of a kernel.
type generator struct {
	*rand.Rand
	k      *Kernel
	text   strings.Builder
	scope  map[string][]string // available names by type
	uses   map[string]int      // number of uses of each name
	names  int
	block  string // label of the current block
	nested int
}

// program writes instructions and the stores of some values.
func (g *generator) program() {
	g.scope, g.uses, g.block = map[string][]string{}, map[string]int{}, "entry"
	for i := range inputs {
		g.scope["i32"] = append(g.scope["i32"], fmt.Sprintf("%%x%d", i))
	}
	g.statements(10 + g.IntN(14))
	all := g.unused(nil)
	for i := range outputs {
		var some []string
		for n := i; n < len(all); n += outputs {
			some = append(some, all[n])
		}
		g.line("store i32 %s, ptr addrspace(1) %%o%d", g.mixed(g.word(), some), i)
	}
	g.k.Body = g.text.String()
}

// line writes an instruction.
func (g *generator) line(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	fmt.Fprintf(&g.text, "  %s\n", text)
	for _, name := range nameForm.FindAllString(text, -1) {
		g.uses[name]++
	}
}

// define writes an instruction with a result and returns the name of it.
func (g *generator) define(t, format string, args ...any) string {
	name := fmt.Sprintf("%%v%d", g.names)
	g.names++
	g.line("%s = %s", name, fmt.Sprintf(format, args...))
	g.scope[t] = append(g.scope[t], name)
	return name
}

// one returns a random element of all. Preferred elements are more likely.
func (g *generator) one(all ...string) string { return g.k.One(g.Rand, all...) }

// integers are integer types in which kernels compute.
var integers = []string{"i32", "i32", "i32", "i64", "i16", "i8", "i24", "i48", "<2 x i16>"}

// long is the number of results after which no more branch starts.
const long = 250

// statements writes n instructions, with branches among them.
func (g *generator) statements(n int) {
	for range n {
		x := g.IntN(20)
		if g.IntN(3) == 0 {
			x = g.k.Kind(20)
		}
		switch {
		case x < 2 && g.nested < 3 && g.names < long:
			g.diamond()
		case x < 3 && g.nested < 2 && g.names < long:
			g.loop()
		case x < 6:
			g.float()
		case x < 8:
			g.across()
		case x < 10:
			g.convert()
		case x < 14:
			g.intrinsic()
		case x < 15:
			g.product()
		default:
			g.binary(g.one(integers...))
		}
	}
}

// value returns a name or a constant of a type. Recent names are more likely, so that chains of dependent
// instructions become long.
func (g *generator) value(t string) string {
	names := g.scope[t]
	if len(names) > 0 && g.IntN(8) > 0 {
		return names[max(g.IntN(len(names)), g.IntN(len(names)))]
	}
	switch t {
	case "half", "float", "double":
		if len(names) == 0 { // an instruction with only constants would be folded
			return g.converted(t)
		}
		return g.one("0.0", "-0.0", "1.0", "-1.0", "0.5", "2.0", "-3.0", "16.0", "0.25")
	case "i1":
		return g.define("i1", "icmp %s i32 %s, %s", g.predicate(), g.value("i32"), g.value("i32"))
	case "<2 x i16>":
		return g.define(t, "bitcast i32 %s to <2 x i16>", g.value("i32"))
	}
	of, _ := typeOf(t)
	switch {
	case len(names) == 0 && of.bits > 32:
		return g.define(t, "%s i32 %s to %s", g.one("zext", "sext"), g.value("i32"), t)
	case len(names) == 0 && of.bits < 32:
		return g.define(t, "trunc i32 %s to %s", g.value("i32"), t)
	}
	return g.number(of)
}

// number returns a constant of a type of integers.
func (g *generator) number(of typ) string {
	n := int64(edge.Number(g.Rand))
	if g.IntN(3) == 0 {
		n = -n
	}
	return fmt.Sprint(of.signed(uint64(n) & of.mask()))
}

// predicate returns a comparison of integers.
func (g *generator) predicate() string {
	return g.one("eq", "ne", "ult", "ule", "ugt", "uge", "slt", "sle", "sgt", "sge")
}

// binary writes an integer operation that is defined for all operands.
func (g *generator) binary(t string) string {
	of, _ := typeOf(t)
	a, b := g.value(t), g.value(t)
	op := g.one("add", "sub", "mul", "and", "or", "xor", "shl", "lshr", "ashr", "udiv", "urem", "sdiv", "srem")
	switch {
	case of.n == 2 && strings.HasSuffix(op, "div") || of.n == 2 && strings.HasSuffix(op, "rem"):
		op = "add"
	case strings.HasSuffix(op, "div"), strings.HasSuffix(op, "rem"): // by a positive number
		b = g.define(t, "and %s %s, %d", t, b, of.mask()>>1)
		b = g.define(t, "or %s %s, 1", t, b)
	case isShift(op) && of.n == 2: // by constants
		b = fmt.Sprintf("<i16 %d, i16 %d>", g.shift(), g.shift())
	case isShift(op) && of.bits&(of.bits-1) == 0:
		b = g.define(t, "and %s %s, %d", t, b, of.bits-1)
	case isShift(op):
		b = fmt.Sprint(g.IntN(of.bits))
	}
	return g.define(t, "%s %s %s, %s", op, t, a, b)
}

// shift returns a shift count for 16 bits. Half of the time it is 8.
func (g *generator) shift() int {
	if g.IntN(2) == 0 {
		return 8
	}
	return g.IntN(16)
}

// intrinsic writes a call of an intrinsic of integers.
func (g *generator) intrinsic() {
	t := g.one("i32", "i32", "i64", "i16")
	switch g.IntN(5) {
	case 0:
		name := g.one("umin", "umax", "smin", "smax", "uadd.sat", "usub.sat", "sadd.sat", "ssub.sat")
		if strings.HasSuffix(name, ".sat") && t == "i64" {
			t = "i32"
		}
		g.define(t, "call %[1]s @llvm.%[2]s.%[1]s(%[1]s %[3]s, %[1]s %[4]s)", t, name, g.value(t), g.value(t))
	case 1:
		g.define(t, "call %[1]s @llvm.%[2]s.%[1]s(%[1]s %[3]s)", t, g.one("ctpop", "bitreverse", "bswap"), g.value(t))
	case 2:
		g.define(t, "call %[1]s @llvm.%[2]s.%[1]s(%[1]s %[3]s, i1 false)", t, g.one("ctlz", "cttz", "abs"), g.value(t))
	case 3:
		g.define(t, "call %[1]s @llvm.%[2]s.%[1]s(%[1]s %[3]s, %[1]s %[4]s, %[1]s %[5]s)", t, g.one("fshl", "fshr"),
			g.value(t), g.value(t), g.value(t))
	default:
		name := g.one("mul.u24", "mul.i24", "ubfe.i32", "sbfe.i32", "alignbyte", "sad.u8", "perm")
		switch a := g.value("i32"); {
		case name == "perm" && g.k.Seed%8 != 1: // LLVM fails on it before GCN 1.2
		case name[0] == 'm':
			g.define("i32", "call i32 @llvm.amdgcn.%s(i32 %s, i32 %s)", name, a, g.value("i32"))
		// offset and width are constants, from which LLVM may derive which bits of the result are 0
		case strings.Contains(name, "bfe") && g.IntN(2) == 0:
			a = g.define("i32", "call i32 @llvm.amdgcn.%s(i32 %s, i32 %d, i32 %d)", name, a, g.IntN(33), g.IntN(40))
			g.define("i32", "%s i32 %s, %d", g.one("and", "lshr", "ashr", "or"), a, g.IntN(32))
		default:
			g.define("i32", "call i32 @llvm.amdgcn.%s(i32 %s, i32 %s, i32 %s)", name, a, g.value("i32"), g.value("i32"))
		}
	}
}

// product writes a product of two 24-bit numbers, followed by a sum.
func (g *generator) product() {
	t := g.one("i32", "i64")
	var factors [2]string
	for i := range factors {
		factors[i] = g.define("i32", "%s i32 %s, %d", g.one("and", "lshr", "ashr"), g.value("i32"), 8)
		if g.IntN(2) == 0 {
			factors[i] = g.define("i32", "and i32 %s, %d", g.value("i32"), 1<<24-1)
		}
		if t == "i64" {
			factors[i] = g.define(t, "%s i32 %s to i64", g.one("zext", "sext"), factors[i])
		}
	}
	v := g.define(t, "mul %s %s, %s", t, factors[0], factors[1])
	g.define(t, "add %s %s, %s", t, v, g.value(t))
}

// floatTypes are float types, with their suffix in intrinsic names and the integer type that all processors convert
// to them with one rounding.
var floatTypes = map[string]struct{ suffix, from string }{
	"half": {"f16", "i16"}, "float": {"f32", "i32"}, "double": {"f64", "i32"},
}

// float writes a float operation, or a conversion to float.
func (g *generator) float() {
	t := g.one("float", "float", "half", "double", "double")
	of := floatTypes[t]
	switch g.IntN(8) {
	case 0, 1:
		g.converted(t)
	case 2, 7:
		g.define(t, "call %[1]s @llvm.%[2]s.%[3]s(%[1]s %[4]s)", t, g.one("fabs", "floor", "ceil", "trunc", "rint"),
			of.suffix, g.scaled(t))
	case 3:
		g.define(t, "call %[1]s @llvm.%[2]s.%[3]s(%[1]s %[4]s, %[1]s %[5]s)", t, g.one("copysign", "minnum", "maxnum"),
			of.suffix, g.value(t), g.value(t))
	case 4:
		c := g.define("i1", "fcmp %s %s %s, %s", g.one("oeq", "olt", "ogt", "une", "ult", "uge", "ord"), t, g.value(t),
			g.value(t))
		g.define("i32", "select i1 %s, i32 %s, i32 %s", c, g.value("i32"), g.value("i32"))
	case 5:
		switch t {
		case "float":
			to := g.one("half", "double")
			g.define(to, "%s float %s to %s", map[string]string{"half": "fptrunc", "double": "fpext"}[to], g.scaled(t), to)
		case "half":
			g.define("float", "fpext half %s to float", g.value(t))
		default:
			g.define("float", "fptrunc double %s to float", g.value(t))
		}
	default:
		g.define(t, "%s %s %s, %s", g.one("fadd", "fsub", "fmul"), t, g.value(t), g.value(t))
	}
}

// converted returns an integer converted to a float.
func (g *generator) converted(t string) string {
	from := floatTypes[t].from
	return g.define(t, "%s %s %s to %s", g.one("sitofp", "uitofp"), from, g.value(from), t)
}

// scaled returns a float value, or its product with a constant that makes fractions, zeros and signs.
func (g *generator) scaled(t string) string {
	v := g.value(t)
	if g.IntN(4) > 0 {
		v = g.define(t, "fmul %s %s, %s", t, v, g.one("0.125", "-0.25", "-0.0", "0.5"))
	}
	return v
}

// across writes an operation that reads other lanes.
func (g *generator) across() {
	switch g.IntN(7) {
	case 6:
		g.load()
	case 0:
		g.define("i32", "call i32 @llvm.amdgcn.readfirstlane(i32 %s)", g.value("i32"))
	case 4:
		if g.nested == 0 {
			g.define("i32", "call i32 @llvm.amdgcn.ds.swizzle(i32 %s, i32 %d)", g.value("i32"), g.IntN(1<<15))
		}
	case 5: // not supported before GCN 1.2
		if g.nested == 0 && g.k.Seed%8 == 0 {
			ctrl := g.IntN(256)
			if g.IntN(3) == 0 {
				ctrl = 0x121 + g.IntN(15)
			}
			g.define("i32", "call i32 @llvm.amdgcn.update.dpp.i32(i32 0, i32 %s, i32 %d, i32 15, i32 15, i1 true)",
				g.value("i32"), ctrl)
		}
	case 1:
		if g.nested > 0 { // the lane that is read may be inactive
			return
		}
		g.define("i32", "call i32 @llvm.amdgcn.readlane(i32 %s, i32 %d)", g.value("i32"), g.IntN(Lanes))
	case 2:
		g.define("i64", "call i64 @llvm.amdgcn.ballot.i64(i1 %s)", g.value("i1"))
	default:
		low := g.define("i32", "call i32 @llvm.amdgcn.mbcnt.lo(i32 %s, i32 %s)", g.value("i32"), g.value("i32"))
		g.define("i32", "call i32 @llvm.amdgcn.mbcnt.hi(i32 %s, i32 %s)", g.value("i32"), low)
	}
}

// load writes a load of an input word through the V#. Behind the end it returns 0.
func (g *generator) load() {
	at := g.define("i32", "and i32 %s, 4092", g.value("i32"))
	if g.IntN(2) == 0 {
		at = g.define("i32", "add i32 %s, %d", at, 4*g.IntN(2000))
	}
	g.define("i32", "call i32 @llvm.amdgcn.raw.buffer.load.i32(%s, i32 %s, i32 0, i32 0)", buffer, at)
}

// convert writes a conversion between integers, a comparison or a selection.
func (g *generator) convert() {
	from, to := g.one(integers[:8]...), g.one(integers[:8]...)
	a, _ := typeOf(from)
	b, _ := typeOf(to)
	switch {
	case a.bits == b.bits:
		c := g.define("i1", "icmp %s %s %s, %s", g.predicate(), from, g.value(from), g.value(from))
		g.define(from, "select i1 %[1]s, %[2]s %[3]s, %[2]s %[4]s", c, from, g.value(from), g.value(from))
	case a.bits > b.bits:
		g.define(to, "trunc %s %s to %s", from, g.value(from), to)
	default:
		g.define(to, "%s %s %s to %s", g.one("zext", "sext"), from, g.value(from), to)
	}
}

// mixed returns a word that also depends on others.
func (g *generator) mixed(word string, others []string) string {
	for _, w := range others {
		word = g.define("i32", "xor i32 %s, %s", word, w)
	}
	return word
}

// unused returns a 32-bit value for each result without uses, except for the first before[t] results of each type t.
func (g *generator) unused(before map[string]int) (words []string) {
	for _, t := range slices.Sorted(maps.Keys(g.scope)) {
		for _, v := range g.scope[t][before[t]:] {
			if g.uses[v] == 1 && strings.HasPrefix(v, "%v") { // inputs are defined elsewhere
				words = append(words, g.wordOf(t, v))
			}
		}
	}
	return words
}

// word returns a 32-bit value that depends on a random value of any type.
func (g *generator) word() string {
	for {
		t := g.one(slices.Concat(integers, []string{"half", "float", "double", "i1"})...)
		if len(g.scope[t]) > 0 {
			return g.wordOf(t, g.value(t))
		}
	}
}

// wordOf converts a value of any type to 32 bits. A NaN becomes a constant, because its bits are undefined.
func (g *generator) wordOf(t, v string) string {
	of, _ := typeOf(t)
	if of.float {
		c := g.define("i1", "fcmp ord %s %s, %s", t, v, v)
		v = g.define(t, "select i1 %s, %s %s, %s 1.0", c, t, v, t)
	}
	switch {
	case t == "i32":
		return v
	case of.n == 2, t == "float":
		return g.define("i32", "bitcast %s %s to i32", t, v)
	case of.float:
		as := fmt.Sprintf("i%d", of.bits)
		v, t = g.define(as, "bitcast %s %s to %s", t, v, as), as
	}
	if of.bits > 32 {
		high := g.define(t, "lshr %s %s, %d", t, v, of.bits-32)
		v = g.define(t, "xor %s %s, %s", t, v, high)
		return g.define("i32", "trunc %s %s to i32", t, v)
	}
	return g.define("i32", "%s %s %s to i32", g.one("zext", "sext"), t, v)
}

// open starts a block.
func (g *generator) open(label string) {
	fmt.Fprintf(&g.text, "%s:\n", label)
	g.block = label
}

// inner calls f, and then forgets the names that f defined. before has the number of earlier names of each type.
func (g *generator) inner(f func(before map[string]int)) {
	kept := map[string]int{}
	for t, names := range g.scope {
		kept[t] = len(names)
	}
	g.nested++
	f(kept)
	g.nested--
	for t := range g.scope {
		g.scope[t] = g.scope[t][:kept[t]]
	}
}

// diamond writes a branch with two sides that join again, and phis of their results.
func (g *generator) diamond() {
	n := g.names
	g.names++
	t := g.one("i32", "i64", "half", "float", "double")
	c := g.value("i1")
	if c == "true" || c == "false" {
		return
	}
	g.line("br i1 %s, label %%then%d, label %%else%d", c, n, n)
	var ends, values, words [2]string
	for i, label := range [2]string{"then", "else"} {
		g.open(fmt.Sprintf("%s%d", label, n))
		g.inner(func(before map[string]int) {
			g.statements(1 + g.IntN(5))
			values[i] = g.value(t)
			words[i] = g.mixed(g.value("i32"), g.unused(before))
			ends[i] = g.block
		})
		g.line("br label %%join%d", n)
	}
	g.open(fmt.Sprintf("join%d", n))
	g.define(t, "phi %s [ %s, %%%s ], [ %s, %%%s ]", t, values[0], ends[0], values[1], ends[1])
	g.define("i32", "phi i32 [ %s, %%%s ], [ %s, %%%s ]", words[0], ends[0], words[1], ends[1])
}

// loop writes a loop that each lane leaves after a few iterations.
func (g *generator) loop() {
	n := g.names
	g.names++
	turns := g.define("i32", "and i32 %s, %d", g.value("i32"), 1+2*g.IntN(4))
	start := g.value("i32")
	before := g.block
	g.line("br label %%loop%d", n)
	g.open(fmt.Sprintf("loop%d", n))
	mark := g.text.Len()
	count, sum := fmt.Sprintf("%%count%d", n), fmt.Sprintf("%%sum%d", n)
	var next, after string
	g.inner(func(before map[string]int) {
		g.scope["i32"] = append(g.scope["i32"], count, sum)
		g.statements(1 + g.IntN(4))
		word := g.mixed(g.value("i32"), g.unused(before))
		after = g.define("i32", "%s i32 %s, %s", g.one("add", "xor", "sub"), sum, word)
		next = g.define("i32", "add i32 %s, 1", count)
		done := g.define("i1", "icmp uge i32 %s, %s", next, turns)
		g.line("br i1 %s, label %%done%d, label %%loop%d", done, n, n)
	})
	text := g.text.String()
	g.text.Reset()
	g.text.WriteString(text[:mark])
	g.line("%s = phi i32 [ 0, %%%s ], [ %s, %%%s ]", count, before, next, g.block)
	g.line("%s = phi i32 [ %s, %%%s ], [ %s, %%%s ]", sum, start, before, after, g.block)
	g.text.WriteString(text[mark:])
	last := g.block
	g.open(fmt.Sprintf("done%d", n))
	g.define("i32", "phi i32 [ %s, %%%s ]", after, last)
}
