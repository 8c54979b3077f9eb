package explain

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/isa/asm"
	"github.com/gcnsim/gcnsim/state"
)

// Formula returns how the byte address of a lane follows from registers as they are before in executes, "" for an
// instruction without such a formula. Each line has fields that tabs separate:
//
//	NAME  EXPRESSION       defines a name for the lines after it
//	WHEN  EXPRESSION TEXT  is a term of the sum, unless WHEN is 0; WHEN may be empty
//	WHEN  ""         TEXT  says which rules the formula follows
//
// Expressions are in postfix form: numbers, names, lane, s5 for a scalar register by its code, v5 for the lane's dword
// of a vector register, and the operators of [Compute]. TEXT has expressions in braces; {} is the term itself.
func Formula(in isa.Inst) string {
	switch r := in.Row(); {
	case r.Mem.Op == gcn.NoMem || r.Has(isa.NoAddr) || in.Bool(isa.GDS):
		return ""
	case r.Enc == isa.MUBUF || r.Enc == isa.MTBUF:
		return bufferFormula(&in)
	case r.Enc == isa.DS:
		v, offset := in.Get(isa.ADDR), in.Get(isa.OFFSET)
		if r.Has(isa.Two) {
			offset = in.Get(isa.OFFSET0) * uint32(r.Mem.Elem)
			if r.Mem.Stride64 {
				offset *= 64
			}
		}
		return fmt.Sprintf("\tv%d\tv%[1]d {}\n%s\t\t(rule DS1); bank {v%[1]d %[3]d + 4 / 32 %%} = address / 4 "+
			"mod 32 (rule CY10)", v, offsetTerm("", int64(offset)), offset)
	case r.Enc == isa.FLAT || r.Enc == isa.GLOBAL:
		base := pair("v", in.Get(isa.ADDR), "")
		if r.Enc == isa.GLOBAL && in.Get(isa.SADDR) != isa.NoSADDR {
			base = pair("s", in.Get(isa.SADDR), "") + fmt.Sprintf("\tv%d\tv%[1]d {}\n", in.Get(isa.ADDR))
		}
		return base + offsetTerm("", int64(in.Int(isa.OFFSET))) + "\t\t(rule F10)"
	case r.Enc == isa.SMEM && !r.Has(isa.NoOffset):
		return scalarFormula(&in)
	}
	return ""
}

// pair is the term of two registers that hold an address; mask is applied to the upper one.
func pair(file string, first uint32, mask string) string {
	return fmt.Sprintf("\t%s%d %[1]s%[3]d %[4]s4294967296 * +\t%[1]s[%[2]d:%[3]d] {}\n", file, first, first+1, mask)
}

// offsetTerm is the term of an immediate offset, "" if that is 0.
func offsetTerm(when string, offset int64) string {
	if offset == 0 {
		return ""
	}
	return fmt.Sprintf("%s\t%d\toffset {}\n", when, offset)
}

// operand returns the expression of a scalar operand, and its name with a space before, "" for a constant.
func operand(in *isa.Inst, code uint32) (expression, name string) {
	if n, ok := isa.InlineConstant(code, isa.B32); ok {
		return fmt.Sprint(uint32(n)), ""
	}
	return fmt.Sprint("s", code), " " + asm.FormatOperand(gcn.Inst(*in), isa.Operand{File: isa.SReg, Code: uint16(code),
		Dwords: 1})
}

// scalarFormula is the formula of scalar loads and stores.
func scalarFormula(in *isa.Inst) string {
	text := pair("s", 2*in.Get(isa.SBASE), "65535 & ")
	imm, reg := in.ScalarOffset()
	if reg >= 0 {
		expression, name := operand(in, uint32(reg))
		text += fmt.Sprintf("\t%s\toffset%s {}\n", expression, name)
	}
	if reg < 0 || imm != 0 {
		text += fmt.Sprintf("\t%d\toffset {}\n", imm)
	}
	return text + "\t\t(rules SM1 and SM2)"
}

// bufferFormula is the formula of MUBUF and MTBUF.
func bufferFormula(in *isa.Inst) string {
	s, v, imm := 4*in.Get(isa.SRSRC), in.Get(isa.ADDR), int64(in.Get(isa.OFFSET))
	soffset, name := operand(in, in.Get(isa.SOFFSET))
	text := fmt.Sprintf("\ts%d s%d 65535 & 4294967296 * +\tBASE {}\n%s\t%[3]s\tSOFFSET%s {}\n", s, s+1, soffset, name)
	if in.Bool(isa.ADDR64) {
		return text + pair("v", v, "") + offsetTerm("", imm) + "\t\t(rule A8)"
	}
	index, offset := "", fmt.Sprint(imm)
	var terms string
	if in.Bool(isa.IDXEN) {
		terms = fmt.Sprintf("plain\tindex stride *\tindex v%d {index} × STRIDE {stride}\n"+
			"laned\tindex stride *\tindex (index v%[1]d {v%[1]d} + index: the lane {lane}) {index} × STRIDE {stride}\n", v)
		index = fmt.Sprintf("v%d + ", v)
		v++
	} else {
		terms = "laned\tindex stride *\tindex: the lane {lane} × STRIDE {stride}\n"
	}
	if in.Bool(isa.OFFEN) {
		terms += fmt.Sprintf("linear\tv%d\toffset v%[1]d {}\n", v)
		offset += fmt.Sprintf(" v%d +", v)
	}
	return fmt.Sprintf(`stride	s%d 16 >> 16383 &
swizzled	s%[1]d 31 >>
linear	1 swizzled -
tid	s%[2]d 23 >> 1 &
laned	linear tid *
plain	linear laned -
index	lane tid * %s4294967296 %%
offset	%s 4294967296 %%
element	2 s%[2]d 19 >> 3 & <<
group	8 s%[2]d 21 >> 3 & <<
rest	offset element %% swizzled *
row	index group / stride * offset rest - + group *
`, s+1, s+3, index, offset) + text + terms + offsetTerm("linear", imm) +
		`swizzled	row	({index group /} × STRIDE {stride} + {offset rest -}) × INDEX_STRIDE {}
swizzled	index group % element *	{index group %} × ELEMENT_SIZE {}
rest	rest	rest of the offset {}
linear		(rules A2 to A6)
swizzled		with index {index}, offset {offset}, INDEX_STRIDE {group}, ELEMENT_SIZE {element} (rules A3, A5 and A6)`
}

// operators are the operators of expressions, on 64 bits without a sign.
var operators = map[string]func(a, b uint64) uint64{
	"+": func(a, b uint64) uint64 { return a + b }, "-": func(a, b uint64) uint64 { return a - b },
	"*": func(a, b uint64) uint64 { return a * b }, "/": func(a, b uint64) uint64 { return a / b },
	"%": func(a, b uint64) uint64 { return a % b }, "&": func(a, b uint64) uint64 { return a & b },
	">>": func(a, b uint64) uint64 { return a >> b }, "<<": func(a, b uint64) uint64 { return a << b },
}

// Compute computes a formula of [Formula] for a lane of a wave: the terms with their numbers, such as
// "BASE 0x10000 + index v0 3 × STRIDE 16", their sum, and the rules.
func Compute(formula string, w *state.Wave, lane int) (terms string, sum uint64, rules string) {
	names := map[string]uint64{"lane": uint64(lane)}
	read := func(token string) uint64 {
		if v, ok := names[token]; ok {
			return v
		}
		n, _ := strconv.ParseInt(strings.TrimLeft(token, "sv"), 10, 64)
		switch token[0] {
		case 's':
			return uint64(w.S[n])
		case 'v':
			return uint64(w.VGPR(int(n))[lane])
		}
		return uint64(n)
	}
	value := func(expression string) uint64 {
		var stack []uint64
		for token := range strings.FieldsSeq(expression) {
			if op, n := operators[token], len(stack); op != nil {
				stack = append(stack[:n-2], op(stack[n-2], stack[n-1]))
			} else {
				stack = append(stack, read(token))
			}
		}
		return stack[0]
	}
	var all []string
	for line := range strings.Lines(formula) {
		part := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		switch {
		case len(part) == 2:
			names[part[0]] = value(part[1])
			continue
		case part[0] != "" && value(part[0]) == 0:
			continue
		}
		text := ""
		for plain, rest, found := strings.Cut(part[2], "{"); ; plain, rest, found = strings.Cut(rest, "{") {
			text += plain
			if !found {
				break
			}
			expression, after, _ := strings.Cut(rest, "}")
			text, rest = text+number(value(cmp.Or(expression, part[1]))), after
		}
		if part[1] == "" {
			rules = text
		} else {
			all, sum = append(all, text), sum+value(part[1])
		}
	}
	return strings.Join(all, " + "), sum, rules
}

// AddressOf returns how the address that a lane of w has in the access a of in comes about, such as "v1 24 = 0x18 (rule
// DS1)". It is "" if another rule counts, too. The registers of w are as they were before in.
func AddressOf(in isa.Inst, w *state.Wave, a *state.Access, lane int) string {
	formula := Formula(in)
	if a.Scalar {
		lane = 0
	}
	terms, sum, rules := Compute(formula, w, lane)
	if formula == "" || !a.Scalar && a.Exec>>lane&1 == 0 || sum&^3 != a.Addr[lane]&^3 { // alignment clears low bits
		return ""
	}
	return fmt.Sprintf("%s = %#x %s", terms, a.Addr[lane], rules)
}

// number writes a number of a formula: a large one is an address.
func number(v uint64) string {
	if int64(v) >= 4096 {
		return fmt.Sprintf("%#x", v)
	}
	return fmt.Sprint(int64(v))
}
