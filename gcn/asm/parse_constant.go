package asm

import (
	"math"

	"github.com/gcnsim/gcnsim/gcn"
)

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
		return t.Info().Dwords == 2
	}
	return false
}

// takesLiteral reports whether a 32-bit literal may be source q.
func (p *parser) takesLiteral(q *part) bool {
	if !p.in.Has(gcn.LITERAL) || q.typ == gcn.Mask {
		return false
	}
	r := p.in.Row()
	if p.syntax == LLVM && r.Enc == gcn.SOP2 && r.Sig.Dst == gcn.None && r.Sig.Src[1].Info().Dwords == 2 { // s_cbranch_g_fork
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
	if !p.takesLiteral(q) || llvm && (modified || q.typ.Info().Dwords != 1 || q.typ.Info().Bits16 || q.typ.Info().Halves) {
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
	case q.typ == gcn.V2I16: // halves that are integers, of v_sat_pk_u8_i16, too
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
