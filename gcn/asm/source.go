package asm

import (
	"math"
	"slices"
	"strings"

	"github.com/gcnsim/gcnsim/gcn"
)

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
		sign.fold = p.syntax == LLVM && !p.bare && q.mods == noMods && q.kind == source && signed(p.in.Row(), q.typ) && p.in.Has(gcn.LITERAL)
		if !sign.fold {
			return p.signError(sign, at)
		}
	}
	begin := p.at
	if err := p.plainSource(q, sign, at); err != nil {
		return err
	}
	if p.syntax == CLRX && len(closing) > 0 && p.constantSource(q) {
		return p.errorf(begin, "expected a register, found %s", strings.TrimSpace(p.s[begin:p.at]))
	}
	for _, c := range slices.Backward(closing) {
		if err := p.expect(c); err != nil {
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
		if p.end() {
			return p.errorf(at, "an operand is missing: expected a register or a constant, found the end of the line")
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
		return p.signError(sign, start)
	}
	_, width := p.in.Target.Gen().FieldBits(p.in.Enc, q.field)
	code := r.code
	switch {
	case r.n == 2 && q.src == 0 && !r.vector && p.carrying() != "":
		return p.errorf(at, "%s writes no carry on %v; %s does", p.in.Row().Name, p.in.Target, p.carrying())
	case r.n != q.typ.Info().Dwords && !(r.n <= 1 && r.code >= gcn.NumScalarCodes && !r.vector):
		return p.wrongWidth(r, q.typ.Info().Dwords)
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
	case q.file == scalarReg && (r.vector || code >= gcn.NumScalarCodes && !(r.n == 1 && p.in.Row().Has(gcn.RegsOnly) && q.typ.Info().Dwords == 1 && code >= gcn.VCCZ && code <= gcn.SCC)):
		return p.errorf(at, "expected a scalar register, found %s", p.s[at:p.at])
	case r.vector && (width < 9 || q.file == scalarOnly):
		return p.errorf(at, "expected a scalar register or constant, found %s", p.s[at:p.at])
	case r.vector:
		code += gcn.VGPR0
	case code == gcn.LDSDirect && (width < 9 || q.typ.Info().Dwords > 1):
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
	if name == r.Name || r.Has(gcn.CarryOut) {
		return ""
	}
	if _, err := gcn.Lookup(name, p.cursor.target); err != nil {
		return ""
	}
	return name
}

// takesLDSDirect reports whether LLVM takes lds_direct for source q of in.
func takesLDSDirect(in gcn.Inst, q *part) bool {
	r := in.Row()
	switch {
	case q.src != 0 || in.Has(gcn.SRC0SEL), r.Sig.NumSrc > 1 && strings.Contains(r.Name, "rev_"):
		return false
	case r.Has(gcn.IndexesVGPRs):
		return !r.Has(gcn.MovesSource)
	}
	return !(r.Has(gcn.ScalarSrc1) && r.Has(gcn.ReadsDst) && in.Enc == gcn.VOP3A) // v_writelane_b32
}
