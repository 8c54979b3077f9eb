package asm

import (
	"math"
	"strconv"
	"strings"

	"github.com/gcnsim/gcnsim/gcn"
)

// register is a register tuple as written.
type register struct {
	vector bool
	code   uint32 // VGPR number, or scalar operand code
	n      int
	at     int
}

// register takes a register or named operand; ok is false if the text is none.
func (p *parser) register() (r register, ok bool, err *syntaxError) {
	p.space()
	at := p.at
	if p.accept("[") {
		r, err := p.registerList(at)
		return r, err == nil, err
	}
	name := p.folded()
	fail := func() (register, bool, *syntaxError) { p.at = at; return register{}, false, nil }
	if s, found := nameTables[p.g].codes[name]; found {
		r = register{code: uint32(s.code), n: int(s.n), at: at}
		if p.syntax == CLRX && s.n == 2 && p.accept("[") {
			return p.subregisters(r)
		}
		if t := p.cursor.target.Traits(); p.syntax == LLVM && !t.XNACK && s.code&^1 == t.XnackMask {
			return r, false, p.errorf(at, "%v has no %s", p.cursor.target, name).certain()
		}
		return r, true, nil
	}
	file := strings.TrimRight(name, "0123456789")
	if file != "v" && file != "s" && file != "ttmp" || name == file && (p.at == len(p.s) || p.s[p.at] != '[') {
		if r, ok, err := p.namedRegister(p.s[at:p.at], at); ok || err != nil {
			return r, ok, err
		}
		return fail()
	}
	var first int64
	n := int64(1)
	if digits := name[len(file):]; digits != "" {
		first, _ = strconv.ParseInt(digits, 10, 32) // too large a number saturates and is refused
	} else {
		p.at++
		if first, n, err = p.indexRange(at); err != nil {
			return r, false, err
		}
	}
	r = register{vector: file == "v", code: uint32(first), n: int(n), at: at}
	return r, true, p.checkRegister(&r, file)
}

// indexRange takes the rest of [FIRST:LAST] or [FIRST] of a tuple that begins at at, and
// returns the first index and how many there are.
func (p *parser) indexRange(at int) (first, n int64, err *syntaxError) {
	if first, err = p.integer("register index", 0, 1<<16); err != nil {
		return 0, 0, err
	}
	last := first
	if p.accept(":") {
		if last, err = p.integer("register index", 0, 1<<16); err != nil {
			return 0, 0, err
		}
	}
	if err := p.expect("]"); err != nil {
		return 0, 0, err
	}
	if last < first {
		return 0, 0, p.errorf(at, "%s ends before it begins", p.s[at:p.at]).certain()
	}
	return first, last - first + 1, nil
}

// subregisters takes the rest of vcc[0] or vcc[0:1], registers of r.
func (p *parser) subregisters(r register) (register, bool, *syntaxError) {
	first, n, err := p.indexRange(r.at)
	switch {
	case err != nil:
		return r, false, err
	case int(first+n) > r.n:
		return r, false, p.errorf(r.at, "%s is out of range: there are %d registers", p.s[r.at:p.at], r.n).certain()
	}
	r.code, r.n = r.code+uint32(first), int(n)
	return r, true, nil
}

// checkRegister checks range and alignment and turns an index into an operand code.
func (p *parser) checkRegister(r *register, file string) *syntaxError {
	t := p.g.Traits()
	count := 256
	switch file {
	case "s":
		count = t.SGPRs
	case "ttmp":
		count = t.NumTTMP
	}
	if int(r.code)+r.n > count {
		return p.errorf(r.at, "%s is out of range: %v has %s0 to %s%d", p.s[r.at:p.at], p.g, file, file, count-1).certain()
	}
	if file != "v" {
		if err := p.checkAlign(r); err != nil {
			return err
		}
	}
	switch end := int(r.code) + r.n; file {
	case "v":
		p.vgprs = max(p.vgprs, end)
	case "s":
		p.sgprs = max(p.sgprs, end)
	case "ttmp":
		r.code += uint32(t.TTMP)
	}
	return nil
}

// checkAlign checks where scalar registers r begin, unless they are to get a name only.
// Source: AMD GCN ISA manuals, SGPR alignment: pairs even, longer tuples a multiple of 4.
func (p *parser) checkAlign(r *register) *syntaxError {
	align := uint32(1)
	switch {
	case p.anyAlign:
	case r.n > 2:
		align = 4
	case r.n == 2:
		align = 2
	}
	if r.code%align != 0 && !p.inOneLine(r) {
		return p.errorf(r.at, "%s is misaligned: %d scalar registers must begin at a multiple of %d", p.s[r.at:p.at], r.n, align).certain()
	}
	return nil
}

// inOneLine reports whether CLRX takes scalar registers r though they are misaligned:
// operands of vector instructions need not cross a line of four.
func (p *parser) inOneLine(r *register) bool {
	switch p.in.Row().Enc {
	case gcn.VOP1, gcn.VOP2, gcn.VOPC, gcn.VOP3A, gcn.VOP3B, gcn.VOP3P:
		return p.syntax == CLRX && int(r.code%4)+r.n <= 4
	}
	return false
}

// registerList takes the rest of [s0,s1,s2].
func (p *parser) registerList(at int) (register, *syntaxError) {
	var all register
	for {
		p.space()
		if p.peek() == '[' {
			return all, p.errorf(p.at, "expected a register")
		}
		r, ok, err := p.register()
		switch {
		case err != nil:
			return all, err
		case !ok:
			return all, p.errorf(p.at, "expected a register, found %s", p.found())
		case all.n == 0:
			all = r
		case r.vector != all.vector || r.code != all.code+uint32(all.n):
			return all, p.errorf(r.at, "registers of a list must be consecutive")
		default:
			all.n += r.n
		}
		if p.accept("]") {
			break
		}
		if err := p.expect(","); err != nil {
			return all, err
		}
	}
	all.at = at
	if all.vector || all.n == 1 {
		return all, nil
	}
	if align := uint32(min(all.n, 4)+1) &^ 1; all.code%align != 0 {
		return all, p.errorf(at, "%s is misaligned: %d scalar registers must begin at a multiple of %d", p.s[at:p.at], all.n, align)
	}
	return all, nil
}

// takeRegister takes a register of the file and checks its width.
func (p *parser) takeRegister(vector bool, n int) (register, *syntaxError) {
	kind := "a scalar register"
	if vector {
		kind = "a vector register"
	}
	p.space()
	at := p.at
	r, ok, err := p.register()
	switch {
	case err != nil:
		return r, err
	case !ok:
		return r, p.errorf(at, "expected %s, found %s", kind, p.found())
	case r.vector != vector || !vector && r.code >= gcn.NumScalarCodes:
		return r, p.errorf(at, "expected %s, found %s", kind, p.s[at:p.at])
	case n > 0 && r.n != n:
		return r, p.wrongWidth(r, n)
	}
	return r, nil
}

func (p *parser) wrongWidth(r register, n int) *syntaxError {
	have := "registers"
	if r.n == 1 {
		have = "register"
	}
	return p.errorf(r.at, "operand has %d %s, must have %d", r.n, have, n)
}

// source takes a source operand with its input modifiers and returns its operand code.
func (p *parser) source(q *part) *syntaxError {
	neg, abs, sext := false, false, false
	var closing []string
	p.space()
	at := p.at
	for len(closing) < 3 {
		switch {
		case !sext && (q.mods == intMods || q.mods == allMods) && p.call("sext"):
			sext, closing = true, append(closing, ")")
			continue
		case q.mods == intMods || abs:
		case p.call("abs"):
			abs, closing = true, append(closing, ")")
			continue
		case p.accept("|"):
			abs, closing = true, append(closing, "|")
			continue
		case !neg && p.call("neg"):
			neg, closing = true, append(closing, ")")
			continue
		case !neg && p.peek() == '-' && p.negates():
			neg = true
			p.accept("-")
			continue
		}
		break
	}
	sign := signs{neg: neg, abs: abs, bars: len(closing) > 0 && closing[len(closing)-1] == "|"}
	if (neg || abs) && (q.mods == noMods || abs && (q.mods == abs3Mods || q.mods == lowMods)) {
		// LLVM applies the signs of a constant where the encoding has no bits for them.
		sign.fold = p.syntax == LLVM && q.mods == noMods && q.kind == source && signed(p.in.Row(), q.typ) && p.in.Has(gcn.LITERAL)
		if !sign.fold {
			return p.signError(q, sign, at)
		}
	}
	begin := p.at
	if err := p.plainSource(q, sign, at); err != nil {
		return err
	}
	if p.syntax == CLRX && len(closing) > 0 && p.constantSource(q) {
		return p.errorf(begin, "expected a register, found %s", strings.TrimSpace(p.s[begin:p.at]))
	}
	for n := len(closing) - 1; n >= 0; n-- {
		if err := p.expect(closing[n]); err != nil {
			return err
		}
	}
	p.setSourceBits(q, neg, abs, sext)
	return nil
}

// constantSource reports whether source q has been set to a constant.
func (p *parser) constantSource(q *part) bool {
	return p.in.Has(q.field) && q.kind == source && isConst(p.in.Get(q.field)) && !(p.in.Has(gcn.SRC0SGPR) && !p.in.Bool(sgprFlag(q)))
}

// call takes "name(".
func (p *parser) call(name string) bool {
	p.space()
	at := p.at
	if p.folded() == name && p.accept("(") {
		return true
	}
	p.at = at
	return false
}

// negates reports whether the "-" that is next is a modifier: it precedes a register
// or an absolute value. Before a number it is the number's sign.
func (p *parser) negates() bool {
	at := p.at
	defer func() { p.at = at }()
	p.accept("-")
	if p.peek() == '|' || p.call("abs") {
		return true
	}
	_, ok, err := p.register()
	return ok || err != nil
}

// setSourceBits sets the input modifiers of source q. It is the inverse of sourceBits.
func (p *parser) setSourceBits(q *part, neg, abs, sext bool) {
	set := func(f gcn.Field, bit bool) {
		if bit {
			p.set(f, int64(p.in.Get(f)|1<<q.src))
		}
	}
	flags := func(f, first gcn.Field, bit bool) {
		if q.src == 0 {
			f = first
		}
		if bit {
			p.set(f, 1)
		}
	}
	switch q.mods {
	case fpMods, abs3Mods, lowMods:
		set(gcn.NEG, neg)
		set(gcn.ABS, abs)
	case mixMods:
		set(gcn.NEG, neg)
		set(gcn.NEGHI, abs)
	case sdwaMods, allMods:
		if sext {
			flags(gcn.SRC1SEXT, gcn.SRC0SEXT, sext)
		}
		flags(gcn.SRC1NEG, gcn.SRC0NEG, neg)
		flags(gcn.SRC1ABS, gcn.SRC0ABS, abs)
	case intMods:
		flags(gcn.SRC1SEXT, gcn.SRC0SEXT, sext)
	}
}

// signs are the input modifiers written around a source.
type signs struct {
	neg, abs bool
	bars     bool // |x|: the next bar closes it
	fold     bool // there are no bits for them: they change a constant
}

// apply changes constant v of type t, which has 16 or 32 bits if v is an integer.
func (s signs) apply(v value, t gcn.Type) value {
	bit := int64(1) << 31
	if t.Bits16() {
		bit = 1 << 15
	}
	if v.i >= -bit && v.i < 2*bit {
		v.i &= 2*bit - 1
	}
	if s.abs {
		v.i, v.f = v.i&^bit, math.Abs(v.f)
	}
	if s.neg {
		v.i, v.f = v.i^bit, -v.f
	}
	return v
}

func (p *parser) signError(q *part, s signs, at int) *syntaxError {
	what := "negation"
	if s.abs {
		what = "absolute value"
	}
	return p.errorf(at, "this operand takes no %s", what)
}

// plainSource takes a register or constant and sets the field of q. The source begins,
// with its modifiers, at start.
func (p *parser) plainSource(q *part, sign signs, start int) *syntaxError {
	p.space()
	at := p.at
	r, ok, err := p.register()
	if err != nil {
		return err
	}
	if !ok || !r.vector {
		p.scalarAt = at
	}
	if !ok {
		if q.kind == vgpr || q.file == vectorOnly {
			return p.errorf(at, "expected a vector register, found %s", p.found())
		}
		if q.file == scalarReg || q.file == registerOnly {
			return p.errorf(at, "expected a register, found %s", p.found())
		}
		if p.syntax == LLVM && (sign.neg || sign.abs || q.mods != noMods || signed(p.in.Row(), q.typ)) && strings.HasPrefix(p.s[p.at:], "--") {
			return p.errorf(at, "write neg(-1) rather than --1")
		}
		v, err := p.constant(sign.bars)
		if err != nil {
			return err
		}
		if sign.fold {
			if q.typ == gcn.F64 && !v.isFloat {
				return p.errorf(at, "a 64-bit float operand of this encoding takes no modifier of an integer")
			}
			v = sign.apply(v, q.typ)
		}
		return p.setConstant(q, v, sign.neg || sign.abs, at)
	}
	if sign.fold {
		return p.signError(q, sign, start)
	}
	_, width := p.in.Gen().FieldBits(p.in.Enc, q.field)
	code := r.code
	switch {
	case r.n == 2 && q.src == 0 && !r.vector && p.carrying() != "":
		return p.errorf(at, "%s writes no carry on %v; %s does", p.in.Row().Name, p.g, p.carrying())
	case r.n != q.typ.Dwords() && !(r.n <= 1 && r.code >= gcn.NumScalarCodes && !r.vector):
		return p.wrongWidth(r, q.typ.Dwords())
	case (q.kind == vgpr || q.file == vectorOnly && r.code != gcn.LDSDirect) && !r.vector:
		return p.errorf(at, "expected a vector register, found %s", p.s[at:p.at])
	case q.kind == vgpr:
	case !r.vector && code == gcn.LDSDirect && p.syntax == LLVM && !takesLDSDirect(p.in, q):
		return p.errorf(at, "lds_direct can be the first source only, with neither SDWA nor a reversed operation")
	case p.in.Has(gcn.SRC0SEL) && q.kind == source: // SDWA of GCN 1.4: a flag chooses the file
		if !r.vector {
			p.set(sgprFlag(q), 1)
		}
	case q.file == registerOnly && !r.vector && code >= gcn.NumScalarCodes:
		return p.errorf(at, "expected a register, found %s", p.s[at:p.at])
	case q.file == scalarReg && (r.vector || code >= gcn.NumScalarCodes && !(p.in.Row().Has(gcn.RegsOnly) && code >= gcn.VCCZ && code <= gcn.SCC)):
		return p.errorf(at, "expected a scalar register, found %s", p.s[at:p.at])
	case r.vector && (width < 9 || q.file == scalarOnly):
		return p.errorf(at, "expected a scalar register or constant, found %s", p.s[at:p.at])
	case r.vector:
		code += gcn.VGPR0
	case code == gcn.LDSDirect && (width < 9 || q.typ.Dwords() > 1):
		return p.errorf(at, "lds_direct is a 32-bit source of vector instructions only")
	}
	p.set(q.field, int64(code))
	return nil
}

// carrying returns the name of the instruction that is this one with a carry, "" if there is
// none, or this one writes a carry itself.
func (p *parser) carrying() string {
	r := p.in.Row()
	name := strings.Replace(r.Name, "_u32", "_co_u32", 1)
	if name == r.Name || r.Has(gcn.CarryOut) || len(gcn.Lookup(name, p.cursor.target)) == 0 {
		return ""
	}
	return name
}

// takesLDSDirect reports whether LLVM takes lds_direct for source q of in.
func takesLDSDirect(in gcn.Inst, q *part) bool {
	r := in.Row()
	switch {
	case q.src != 0 || in.Has(gcn.SRC0SEL), r.Sig.NumSrc() > 1 && strings.Contains(r.Name, "rev_"):
		return false
	case r.Has(gcn.IndexesVGPRs):
		return !strings.Contains(r.Name, "movrels")
	}
	return !(r.Has(gcn.ScalarSrc1) && r.Has(gcn.ReadsDst) && in.Enc == gcn.VOP3A) // v_writelane_b32
}

// constant takes a number, lit(number) or expression.
func (p *parser) constant(primaryOnly bool) (value, *syntaxError) {
	if p.syntax == CLRX {
		p.accept("@") // what follows is no register
	}
	if p.call("lit") {
		v, err := p.expr()
		if err == nil {
			err = p.expect(")")
		}
		v.lit = true
		return v, err
	}
	if primaryOnly {
		return p.primary()
	}
	return p.expr()
}

// setConstant encodes v as source q: an inline constant if one fits, else a literal.
func (p *parser) setConstant(q *part, v value, modified bool, at int) *syntaxError {
	if v.e != nil {
		n, labels, failed := v.e.now()
		if failed != nil || n.from != nil || labels && p.syntax == LLVM {
			return p.lateSource(q, v, modified, at)
		}
		v.i = n.n
	}
	v.lit = v.lit || p.size == 8 && p.in.Has(gcn.LITERAL)
	if !v.lit {
		var code uint32
		var ok bool
		if v.isFloat && p.syntax == CLRX {
			_, code, ok = clrxFloat(p.g, v, q.typ, p.wide(q.typ))
		} else if v.isFloat {
			if lossy(v.f, q.typ) {
				return p.errorf(at, "%v is too large or too small for an operand of type %v", v.f, q.typ)
			}
			code, ok = inlineFloat(p.g, v.f, q.typ)
		} else {
			code, ok = p.inlineInteger(v.i, p.integerType(q), modified)
		}
		if ok {
			if p.in.Has(gcn.SRC0SGPR) && q.kind == source {
				p.set(sgprFlag(q), 1)
			}
			p.set(q.field, int64(code))
			return nil
		}
	}
	if !p.takesLiteral(q) {
		return p.errorf(at, "this operand takes no 32-bit literal, only inline constants: -16 to 64, ±0.5, ±1.0, ±2.0, ±4.0")
	}
	lit, ok := p.literalBits(v, q.typ)
	if !ok {
		return p.errorf(at, "constant does not fit an operand of type %v", q.typ)
	}
	p.set(q.field, gcn.Literal)
	return p.setLiteral(lit, at)
}

// literalBits returns the literal that stands for v in an operand of type t.
func (p *parser) literalBits(v value, t gcn.Type) (lit uint32, ok bool) {
	if v.isFloat && p.syntax == CLRX {
		lit, _, _ = clrxFloat(p.g, v, t, p.wide(t))
		return lit, !math.IsInf(v.f, 0)
	}
	if v.isFloat && lossy(v.f, t) {
		return 0, false
	}
	return literalBits(v, t)
}

// wide reports whether an operand of type t is a 64-bit one of a vector instruction.
func (p *parser) wide(t gcn.Type) bool {
	switch p.in.Row().Enc {
	case gcn.VOP1, gcn.VOP2, gcn.VOPC, gcn.VOP3A, gcn.VOP3B:
		return t.Dwords() == 2
	}
	return false
}

// takesLiteral reports whether a 32-bit literal may be source q.
func (p *parser) takesLiteral(q *part) bool {
	if !p.in.Has(gcn.LITERAL) || q.typ == gcn.Mask {
		return false
	}
	r := p.in.Row()
	if p.syntax == LLVM && r.Enc == gcn.SOP2 && r.Sig.Dst == gcn.None && r.Sig.Src[1].Dwords() == 2 { // s_cbranch_g_fork
		return false
	}
	return p.in.Enc != gcn.SMEM && !r.Has(gcn.ScalarSrc1|gcn.ScalarDst) && !(r.Has(gcn.ScalarSrc1) && q.field == gcn.VSRC1)
}

// setLiteral sets the literal; a second one must be equal.
func (p *parser) setLiteral(lit uint32, at int) *syntaxError {
	if p.literal != noLiteral && (p.literal == literalLate || p.in.Get(gcn.LITERAL) != lit) {
		return p.errorf(at, "a second literal: an instruction has room for one")
	}
	p.literal = literalSet
	p.set(gcn.LITERAL, int64(lit))
	return nil
}

// lateSource encodes as source q, as a literal, what is known when all is read.
func (p *parser) lateSource(q *part, v value, modified bool, at int) *syntaxError {
	llvm := p.syntax == LLVM
	if !p.takesLiteral(q) || llvm && (modified || q.typ.Dwords() != 1 || q.typ.Bits16() || q.typ == gcn.V2) {
		return p.notKnown("this operand", v.e, at)
	}
	p.set(q.field, gcn.Literal)
	return p.lateLiteral(v.e, at)
}

// lateLiteral sets the literal to what e amounts to when all is read.
func (p *parser) lateLiteral(e *expr, at int) *syntaxError {
	if p.literal != noLiteral {
		return p.errorf(at, "a second literal: an instruction has room for one")
	}
	p.literal = literalLate
	p.set(gcn.LITERAL, 0)
	p.late = append(p.late, late{e, at, setLiteral(e, p.syntax)})
	return nil
}

// notKnown says why what, being e, cannot be known when all is read only.
func (p *parser) notKnown(what string, e *expr, at int) *syntaxError {
	if _, _, failed := e.now(); failed != nil && failed.sym != nil {
		return p.errorf(at, "%s must be known here, and %q is neither a register nor defined before this line", what, failed.sym.name)
	}
	return p.errorf(at, "%s cannot be an address or a distance of labels", what)
}

// integerType is the type as which LLVM reads an integer for source q: a half for the
// sources of mixed instructions and the exponent of v_ldexp_f16, but for SDWA; 32 bits for
// v_sat_pk_u8_i16.
func (p *parser) integerType(q *part) gcn.Type {
	switch r := p.in.Row(); {
	case p.in.Enc == gcn.VOP3P && mixRow(r), q.src == 1 && q.typ == gcn.I16 && r.Sig.Dst == gcn.F16 && !p.in.Has(gcn.SRC0SEL):
		return gcn.F16
	case q.typ == gcn.V2 && !strings.HasSuffix(r.Name, "f16"): // halves that are integers, of v_sat_pk_u8_i16, too
		return gcn.B32
	}
	return q.typ
}

// inlineInteger returns the inline constant for integer v. LLVM takes the bits of an
// inline float as well, of F64 also the upper half of them if there are no modifiers; CLRX
// takes small integers only.
func (p *parser) inlineInteger(v int64, t gcn.Type, modified bool) (uint32, bool) {
	if p.syntax == CLRX {
		return inlineInt(v)
	}
	code, ok := inlineCode(p.g, v, uint32(v), t)
	if !ok && t == gcn.F64 && !modified && v >= math.MinInt32 && v <= math.MaxUint32 {
		return inlinePattern(p.g, uint64(v)<<32, t)
	}
	return code, ok
}
