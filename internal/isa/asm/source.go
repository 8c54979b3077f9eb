package asm

import (
	"math"
	"slices"
	"strings"

	"github.com/gcnsim/gcnsim/internal/isa"
)

// mods is the set of input modifiers of a source.
type mods uint8

const (
	noMods   mods = iota
	fpMods        // NEG and ABS: -x, |x|
	intMods       // SEXT: sext(x)
	mixMods       // NEG and NEG_HI: -x, |x| of v_mad_mix
	sdwaMods      // NEG and ABS of SDWA and DPP
	allMods       // NEG, ABS and SEXT of SDWA, as CLRX writes them: sext(-abs(x))
	abs3Mods      // NEG of VOP3B, which has no ABS
	lowMods       // NEG of packed instructions in CLRX syntax, which prints neg_lo
)

// noField means that a part has no field in the instruction.
const noField = isa.Field(isa.NumFields)

// signFields has the fields of the modifiers neg, abs and sext, in the order of signNames.
type signFields [3]isa.Field

var (
	signNames  = [3]string{"neg", "abs", "sext"}
	wholeSigns = signFields{isa.NEG, isa.ABS, noField} // have a bit for each source
	wordSigns  = [2]signFields{{isa.SRC0NEG, isa.SRC0ABS, isa.SRC0SEXT}, {isa.SRC1NEG, isa.SRC1ABS, isa.SRC1SEXT}}
)

// signFields returns the fields of the input modifiers of source p, and the bit of p in them.
func (p *part) signFields() (f signFields, bit uint32) {
	switch p.mods {
	case fpMods, abs3Mods, lowMods:
		return wholeSigns, 1 << p.src
	case mixMods:
		return signFields{isa.NEG, isa.NEGHI, noField}, 1 << p.src
	}
	f = wordSigns[min(p.src, 1)]
	switch p.mods {
	case sdwaMods:
		f[2] = noField
	case intMods:
		f[0], f[1] = noField, noField
	case noMods:
		f = signFields{noField, noField, noField}
	}
	return f, 1
}

// sourceCode returns the operand code of source p.
func sourceCode(in isa.Inst, p *part) uint32 {
	code := in.Get(p.field)
	if p.kind == vgpr || in.Has(isa.SRC0SGPR) && !in.Bool(sgprFlag(p)) {
		code += isa.VGPR0
	}
	return code
}

// sourceBits returns the input modifiers of source p.
func sourceBits(in isa.Inst, p *part) (neg, abs, sext bool) {
	if p.mods == noMods || p.mods == lowMods {
		return false, false, false
	}
	f, bit := p.signFields()
	has := func(f isa.Field) bool { return f != noField && in.Get(f)&bit != 0 }
	return has(f[0]), has(f[1]), has(f[2])
}

// setSourceBits sets the input modifiers of source q to s. sourceBits reads them.
func (p *parser) setSourceBits(q *part, s *signs) {
	if !s.neg && !s.abs && !s.sext {
		return
	}
	f, bit := q.signFields()
	for n, on := range [...]bool{s.neg, s.abs, s.sext} {
		if on && f[n] != noField {
			p.set(f[n], int64(p.in.Get(f[n])|bit))
		}
	}
}

// appendSource prints a source with its input modifiers.
func appendSource(b []byte, in isa.Inst, p *part) []byte {
	code := sourceCode(in, p)
	neg, abs, sext := sourceBits(in, p)
	open, closing := "|", "|"
	if p.syntax == CLRX {
		open, closing = "abs(", ")"
	}
	called := sext || neg && !abs && p.syntax == LLVM && isConst(code) // -1 differs from neg(1)
	switch {
	case called && !sext:
		b = append(b, "neg("...)
	case sext && neg:
		b = append(b, "sext(-"...)
	case sext:
		b = append(b, "sext("...)
	case neg:
		b = append(b, '-')
	}
	if abs {
		b = append(b, open...)
	}
	b = appendOperandCode(b, in, p, code)
	if abs {
		b = append(b, closing...)
	}
	if called {
		b = append(b, ')')
	}
	return b
}

// sgprFlag returns the field with the flag that source p of SDWA is scalar.
func sgprFlag(p *part) isa.Field {
	if p.src == 0 {
		return isa.SRC0SGPR
	}
	return isa.SRC1SGPR
}

func isConst(code uint32) bool {
	_, inline := isa.InlineConstant(code, isa.B32)
	return inline || code == isa.Literal
}

// signs are the input modifiers around a source in the text.
type signs struct {
	neg, abs, sext bool
	closing        []string // texts that close the modifiers, the innermost last
	bars           bool     // |x|: the next bar is the closing one
	fold           bool     // the instruction has no bits for the modifiers, which change a constant instead
}

// signs parses the input modifiers before a source.
func (p *parser) signs(q *part) (s signs) {
	for len(s.closing) < 3 && p.sign(q, &s) {
	}
	s.bars = len(s.closing) > 0 && s.closing[len(s.closing)-1] == "|"
	s.fold = (s.neg || s.abs) && (q.mods == noMods || s.abs && (q.mods == abs3Mods || q.mods == lowMods))
	return s
}

// sign parses one input modifier. It returns false if there is none, or if s already has it.
func (p *parser) sign(q *part, s *signs) bool {
	switch {
	case !s.sext && (q.mods == intMods || q.mods == allMods) && p.call("sext"):
		s.sext, s.closing = true, append(s.closing, ")")
	case q.mods == intMods || s.abs:
		return false
	case p.call("abs"):
		s.abs, s.closing = true, append(s.closing, ")")
	case p.accept("|"):
		s.abs, s.closing = true, append(s.closing, "|")
	case !s.neg && p.call("neg"):
		s.neg, s.closing = true, append(s.closing, ")")
	case !s.neg && p.peek() == '-' && p.negates():
		s.neg = true
		p.accept("-")
	default:
		return false
	}
	return true
}

// foldsSigns reports whether LLVM applies signs of source q to a constant because the instruction has no
// bits for them.
func (p *parser) foldsSigns(q *part) bool {
	return p.syntax == LLVM && !p.bare && p.in.Has(isa.LITERAL) &&
		q.mods == noMods && q.kind == source && signed(p.in.Row(), q.typ)
}

// source parses a source operand with its input modifiers.
func (p *parser) source(q *part) *syntaxError {
	at := p.begin()
	sign := p.signs(q)
	if sign.fold && !p.foldsSigns(q) {
		return p.signError(sign, at)
	}
	begin := p.at
	if err := p.plainSource(q, sign, at); err != nil {
		return err
	}
	if p.syntax == CLRX && len(sign.closing) > 0 && p.constantSource(q) {
		return p.errorf(begin, "expected a register, found %s", strings.TrimSpace(p.s[begin:p.at]))
	}
	for _, c := range slices.Backward(sign.closing) {
		if err := p.expect(c); err != nil {
			return err
		}
	}
	p.setSourceBits(q, &sign)
	return nil
}

// constantSource reports whether source q is a constant.
func (p *parser) constantSource(q *part) bool {
	return p.in.Has(q.field) && q.kind == source && isConst(p.in.Get(q.field)) &&
		!(p.in.Has(isa.SRC0SGPR) && !p.in.Bool(sgprFlag(q)))
}

// negates reports whether the next "-" is a modifier. It is a modifier before a register or an absolute
// value. Before a number it is the sign of the number.
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

// apply applies the modifiers to constant v of type t. If v is an integer, t has 16 or 32 bits.
func (s signs) apply(v value, t isa.Type) value {
	bit := int64(1) << 31
	if t.Info().Bits16 {
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

func (p *parser) signError(s signs, at int) *syntaxError {
	what := "negation"
	if s.abs {
		what = "absolute value"
	}
	return p.errorf(at, "this operand takes no %s", what)
}

// plainSource parses a register or a constant and sets the field of q. The source with its modifiers begins
// at byte start.
func (p *parser) plainSource(q *part, sign signs, start int) *syntaxError {
	at := p.begin()
	r, ok, err := p.register()
	if err != nil {
		return err
	}
	if !ok || !r.vector {
		p.scalarAt = at
	}
	switch {
	case !ok:
		return p.sourceConstant(q, sign, at)
	case sign.fold:
		return p.signError(sign, start)
	}
	return p.sourceRegister(q, r, at)
}

// sourceConstant parses the constant at byte at and sets the field of q.
func (p *parser) sourceConstant(q *part, sign signs, at int) *syntaxError {
	hasSigns := sign.neg || sign.abs
	switch {
	case q.kind == vgpr, q.file == vectorOnly:
		return p.errorf(at, "expected a vector register, found %s", p.found())
	case q.file == scalarReg, q.file == registerOnly:
		return p.errorf(at, "expected a register, found %s", p.found())
	case p.syntax == LLVM && (hasSigns || q.mods != noMods || signed(p.in.Row(), q.typ)) &&
		strings.HasPrefix(p.s[p.at:], "--"):
		return p.errorf(at, "write neg(-1) rather than --1")
	case p.end():
		return p.errorf(at, "an operand is missing: expected a register or a constant, found the end of the line")
	}
	v, err := p.constant(sign.bars)
	if err != nil {
		return err
	}
	if sign.fold {
		if q.typ == isa.F64 && !v.isFloat {
			return p.errorf(at, "a 64-bit float operand of this encoding takes no modifier of an integer")
		}
		v = sign.apply(v, q.typ)
	}
	return p.setConstant(q, v, hasSigns, at)
}

// sourceRegister sets the field of q to register r. The text of r is between byte at and the cursor.
func (p *parser) sourceRegister(q *part, r register, at int) *syntaxError {
	if err := p.checkSourceWidth(q, r, at); err != nil {
		return err
	}
	code := r.code
	switch {
	case (q.kind == vgpr || q.file == vectorOnly && code != isa.LDSDirect) && !r.vector:
		return p.errorf(at, "expected a vector register, found %s", p.s[at:p.at])
	case q.kind == vgpr: // the field has the number of the VGPR
	case !r.vector && code == isa.LDSDirect && p.syntax == LLVM && !takesLDSDirect(p.in, q):
		return p.errorf(at, "lds_direct can be the first source only, with neither SDWA nor a reversed operation")
	case p.in.Has(isa.SRC0SEL) && q.kind == source: // SDWA of GCN 1.4: a flag selects the file
		if !r.vector {
			p.set(sgprFlag(q), 1)
		}
	default:
		if err := p.checkSourceFile(q, r, at); err != nil {
			return err
		}
		if r.vector {
			code += isa.VGPR0
		}
	}
	p.set(q.field, int64(code))
	return nil
}

// checkSourceWidth returns an error if register tuple r does not have the width of source q.
func (p *parser) checkSourceWidth(q *part, r register, at int) *syntaxError {
	if r.n == 2 && q.src == 0 && !r.vector {
		if name := p.carrying(); name != "" {
			return p.errorf(at, "%s writes no carry on %v; %s does", p.in.Row().Name, p.in.Target, name)
		}
	}
	dwords := q.typ.Info().Dwords
	named := r.n <= 1 && r.code >= isa.NumScalarCodes && !r.vector // a named value, such as scc, fits any width
	if r.n != dwords && !named {
		return p.wrongWidth(r, dwords)
	}
	return nil
}

// checkSourceFile returns an error if register r is not possible for source q. Fields with fewer than nine
// bits cannot hold a VGPR, and q.file limits the other registers.
func (p *parser) checkSourceFile(q *part, r register, at int) *syntaxError {
	_, width := isa.FieldBits(p.in.Target.Gen(), p.in.Enc, q.field)
	named := !r.vector && r.code >= isa.NumScalarCodes
	switch {
	case q.file == registerOnly && named:
		return p.errorf(at, "expected a register, found %s", p.s[at:p.at])
	case q.file == scalarReg && (r.vector || named && !p.readsFlag(q, r)):
		return p.errorf(at, "expected a scalar register, found %s", p.s[at:p.at])
	case r.vector && (width < 9 || q.file == scalarOnly):
		return p.errorf(at, "expected a scalar register or constant, found %s", p.s[at:p.at])
	case !r.vector && r.code == isa.LDSDirect && (width < 9 || q.typ.Info().Dwords > 1):
		return p.errorf(at, "lds_direct is a 32-bit source of vector instructions only")
	}
	return nil
}

// readsFlag reports whether r is vccz, execz or scc and may be the 32-bit source q, although the instruction accepts no
// constants.
func (p *parser) readsFlag(q *part, r register) bool {
	return r.n == 1 && p.in.Row().Has(isa.RegsOnly) && q.typ.Info().Dwords == 1 &&
		r.code >= isa.VCCZ && r.code <= isa.SCC
}

// carrying returns the name of the equivalent instruction that also writes a carry, such as v_add_co_u32 for
// v_add_u32. It is "" if there is no such instruction, or if this instruction writes a carry itself.
func (p *parser) carrying() string {
	r := p.in.Row()
	name, integer := strings.CutSuffix(r.Name, "_i32")
	if !integer {
		name, integer = strings.CutSuffix(r.Name, "_u32")
	}
	name += "_co_u32"
	if !integer || r.Has(isa.CarryOut) {
		return ""
	}
	if _, err := isa.Lookup(name, p.cursor.target); err != nil {
		return ""
	}
	return name
}

// takesLDSDirect reports whether LLVM accepts lds_direct for source q of in.
func takesLDSDirect(in isa.Inst, q *part) bool {
	r := in.Row()
	switch {
	case q.src != 0 || in.Has(isa.SRC0SEL), r.Sig.NumSrc > 1 && strings.Contains(r.Name, "rev_"):
		return false
	case r.Has(isa.IndexesVGPRs):
		return !r.Has(isa.MovesSource)
	}
	return !(r.Has(isa.ScalarSrc1) && r.Has(isa.ReadsDst) && in.Enc == isa.VOP3A) // v_writelane_b32
}

// vector parses a VGPR. It parses input modifiers if the instruction has bits for them.
func (p *parser) vector(q *part) *syntaxError {
	if q.mods != noMods {
		return p.source(q)
	}
	return p.setRegister(q, true)
}

func appendVector(b []byte, in isa.Inst, p *part) []byte {
	if p.mods != noMods {
		return appendSource(b, in, p)
	}
	return appendVGPR(b, in.Get(p.field), int(p.n), p.syntax)
}
