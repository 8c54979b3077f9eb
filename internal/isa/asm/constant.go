package asm

import (
	"math"
	"strconv"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/base/half"
	"github.com/gcnsim/gcnsim/internal/isa"
)

func inlineInt(v int64) (uint32, bool) {
	switch {
	case v >= 0 && v <= 64:
		return uint32(isa.ConstZero + v), true
	case v >= -16 && v < 0:
		return uint32(isa.ConstNeg1 - 1 - v), true
	}
	return 0, false
}

// inlineInteger returns the integer of operand code code; ok is false if the code is not an inline integer.
func inlineInteger(code uint32) (v int64, ok bool) {
	bits, ok := isa.InlineConstant(code, isa.I64)
	return int64(bits), ok && code < isa.ConstHalf
}

// inlineCode returns the code of the inline constant for integer v as an operand of type t. low
// has the low 32 bits of v. v may also be the bits of an inline float.
func inlineCode(g gcn.Gen, v int64, low uint32, t isa.Type) (uint32, bool) {
	var want uint64
	switch {
	case t.Info().Dwords == 2 && t != isa.Mask:
		want = uint64(v)
	case t == isa.V2F16 && v > math.MaxUint16: // a 32-bit constant for both halves
		if v > math.MaxUint32 {
			return 0, false
		}
		return inlineInt(int64(int32(v)))
	case t.Info().Bits16 || t == isa.V2F16:
		if v < math.MinInt16 || v > math.MaxUint16 {
			return 0, false
		}
		want = uint64(uint16(v))
		if t.Info().Bits16 && !t.Info().Float {
			return inlineInt(v)
		}
		if t.Info().Bits16 {
			v = int64(int16(v))
		}
	default:
		if v < math.MinInt32 || v > math.MaxUint32 {
			return 0, false
		}
		v, want = int64(int32(v)), uint64(low)
	}
	if code, ok := inlineInt(v); ok {
		return code, true
	}
	return inlinePattern(g, want, t)
}

// inlinePattern returns the code of the inline float whose bits in the format of t are want.
func inlinePattern(g gcn.Gen, want uint64, t isa.Type) (uint32, bool) {
	return inlineMatch(g, t, func(bits uint64) bool { return bits == want })
}

// inlineMatch returns the code of the first inline float of g whose bits in the format of t match.
func inlineMatch(g gcn.Gen, t isa.Type, match func(bits uint64) bool) (uint32, bool) {
	last := uint32(isa.ConstInvTwoPi)
	if !isa.GenTraits(g).InvTwoPi {
		last--
	}
	for code := uint32(isa.ConstHalf); code <= last; code++ {
		if b, _ := isa.InlineConstant(code, t); match(b) {
			return code, true
		}
	}
	return 0, false
}

// inlineFloat returns the code of the inline constant for floating-point number f. Like LLVM, it drops
// the lower half of a double and treats small integers as floats with the same bits.
func inlineFloat(g gcn.Gen, f float64, t isa.Type) (uint32, bool) {
	var want uint64
	switch {
	case t.Info().Dwords == 2:
		want = math.Float64bits(f)
		if code, ok := inlinePattern(g, want, t); ok {
			return code, true
		}
		if t == isa.F64 {
			want &^= 1<<32 - 1
		}
	case t == isa.F16 || t == isa.V2F16:
		want = uint64(half.Round64(f))
	default: // 16-bit integers too
		want, t = uint64(math.Float32bits(float32(f))), isa.F32
	}
	if want <= 64 {
		return inlineInt(int64(want))
	}
	return inlinePattern(g, want, t)
}

// lossy reports whether the literal of type t for f is infinite, or loses bits because it becomes
// denormal or 0.
func lossy(f float64, t isa.Type) bool {
	var back, least float64
	switch {
	case math.IsInf(f, 0) || t.Info().Dwords != 1:
		return false
	case t.Info().Bits16 || t == isa.V2F16:
		if math.Abs(f) >= 65520 {
			return true
		}
		back, least = math.Ldexp(math.RoundToEven(math.Ldexp(f, 24)), -24), 0x1p-14
	default:
		back, least = float64(float32(f)), 0x1p-126
	}
	return math.IsInf(back, 0) || back != f && math.Abs(back) < least
}

// literalBits returns the 32-bit literal for v in an operand of type t.
func literalBits(v value, t isa.Type) (uint32, bool) {
	switch {
	case v.isFloat && t == isa.F64:
		return uint32(math.Float64bits(v.f) >> 32), true
	case v.isFloat && t.Info().Dwords == 2:
		return 0, false // the encoding is unclear
	case v.isFloat && t == isa.F16:
		return half.Round64(v.f), !math.IsInf(float64(float32(v.f)), 0) && math.Abs(v.f) < 65520
	case v.isFloat:
		return math.Float32bits(float32(v.f)), !math.IsInf(float64(float32(v.f)), 0)
	case t == isa.F16:
		return uint32(uint16(v.i)), v.i >= math.MinInt16 && v.i <= math.MaxUint16
	}
	if t.Info().Bits16 && (v.i < math.MinInt16 || v.i > math.MaxUint16) {
		return 0, false
	}
	return uint32(v.i), v.i >= math.MinInt32 && v.i <= math.MaxUint32
}

var inlineFloatNames = [9]string{"0.5", "-0.5", "1.0", "-1.0", "2.0", "-2.0", "4.0", "-4.0", "0.15915494"}

// appendInline prints the inline constant of operand code code. ok is false if the code is not an inline constant.
func appendInline(b []byte, in isa.Inst, code uint32) (text []byte, ok bool) {
	if v, ok := inlineInteger(code); ok {
		return strconv.AppendInt(b, v, 10), true
	}
	if code >= isa.ConstHalf && code < isa.ConstInvTwoPi || code == isa.ConstInvTwoPi && isa.TraitsOf(in.Target).InvTwoPi {
		return append(b, inlineFloatNames[code-isa.ConstHalf]...), true
	}
	return b, false
}

// appendLiteral prints a 32-bit constant of a source of type t. If the constant also has an inline
// encoding, the text marks it as a literal, so that the parser reads it as one.
func appendLiteral(b []byte, in isa.Inst, v uint32, t isa.Type) []byte {
	if t.Info().Bits16 {
		v &= 0xffff
	}
	if _, inline := inlineCode(in.Target.Gen(), int64(int32(v)), v, t); inline {
		b = append(b, "lit("...)
		return append(appendHex(b, uint64(v)), ')')
	}
	return appendHex(b, uint64(v))
}

// appendLiteralCLRX prints the literal of in. It marks the literal if it also has an inline encoding.
// For encodings without a literal it prints 0.
func appendLiteralCLRX(b []byte, in isa.Inst) []byte {
	if !in.Has(isa.LITERAL) {
		return append(b, "0x0"...)
	}
	v := in.Get(isa.LITERAL)
	if _, small := inlineInt(int64(int32(v))); small {
		return append(strconv.AppendInt(append(b, "lit("...), int64(int32(v)), 10), ')')
	}
	return appendHex(b, uint64(v))
}

// appendLiteralK prints the constant of an instruction that always has a literal.
func appendLiteralK(b []byte, in isa.Inst, _ *part) []byte {
	v := in.Get(isa.LITERAL)
	if _, inline := inlineInt(int64(int32(v))); inline && in.Enc == isa.SOPK {
		return strconv.AppendInt(b, int64(int32(v)), 10)
	}
	return appendHex(b, uint64(v))
}

func (p *parser) literalK(q *part) *syntaxError {
	at := p.begin()
	v, err := p.constant(false)
	switch {
	case err != nil:
		return err
	case v.e != nil && p.syntax == CLRX:
		return p.lateLiteral(v.e, at)
	case v.e != nil:
		if v.i, err = p.settle("the constant", v, at); err != nil {
			return err
		}
	}
	lit, ok := p.literalBits(v, q.typ)
	if !ok {
		return p.errorf(at, "constant does not fit an operand of type %v", q.typ)
	}
	return p.setLiteral(lit, at)
}

// constant parses a number, lit(number) or an expression.
func (p *parser) constant(primaryOnly bool) (value, *syntaxError) {
	if p.syntax == CLRX {
		p.accept("@") // the text after @ is an expression, not a register
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

// setConstant encodes v as source q. It uses an inline constant if possible, and a literal if not.
func (p *parser) setConstant(q *part, v value, modified bool, at int) *syntaxError {
	if v.e != nil {
		n, labels, failed := v.e.now()
		if failed != nil || n.from != nil || labels && p.syntax == LLVM {
			return p.lateSource(q, v, modified, at)
		}
		v.i = n.n
	}
	v.lit = v.lit || p.size == 8 && p.in.Has(isa.LITERAL)
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
			if p.in.Has(isa.SRC0SGPR) && q.kind == source {
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
	p.set(q.field, isa.Literal)
	return p.setLiteral(lit, at)
}

// literalBits returns the literal for v in an operand of type t.
func (p *parser) literalBits(v value, t isa.Type) (lit uint32, ok bool) {
	if v.isFloat && p.syntax == CLRX {
		lit, _, _ = clrxFloat(p.g, v, t, p.wide(t))
		return lit, !math.IsInf(v.f, 0)
	}
	if v.isFloat && lossy(v.f, t) {
		return 0, false
	}
	return literalBits(v, t)
}

// wide reports whether an operand of type t is a 64-bit operand of a vector instruction.
func (p *parser) wide(t isa.Type) bool {
	switch p.in.Row().Enc {
	case isa.VOP1, isa.VOP2, isa.VOPC, isa.VOP3A, isa.VOP3B:
		return t.Info().Dwords == 2
	}
	return false
}

// takesLiteral reports whether source q may be a 32-bit literal.
func (p *parser) takesLiteral(q *part) bool {
	if !p.in.Has(isa.LITERAL) || q.typ == isa.Mask {
		return false
	}
	r := p.in.Row()
	// s_cbranch_g_fork
	if p.syntax == LLVM && r.Enc == isa.SOP2 && r.Sig.Dst == isa.None && r.Sig.Src[1].Info().Dwords == 2 {
		return false
	}
	return p.in.Enc != isa.SMEM && !r.Has(isa.ScalarSrc1|isa.ScalarDst) && !(r.Has(isa.ScalarSrc1) && q.field == isa.VSRC1)
}

// setLiteral sets the literal. A second literal must be equal to the first.
func (p *parser) setLiteral(lit uint32, at int) *syntaxError {
	if p.literal != noLiteral && (p.literal == literalLate || p.in.Get(isa.LITERAL) != lit) {
		return p.errorf(at, "a second literal: an instruction has room for one")
	}
	p.literal = literalSet
	p.set(isa.LITERAL, int64(lit))
	return nil
}

// lateSource encodes source q as a literal whose value is computed after the whole text has been read.
func (p *parser) lateSource(q *part, v value, modified bool, at int) *syntaxError {
	llvm := p.syntax == LLVM
	if !p.takesLiteral(q) || llvm && (modified || q.typ.Info().Dwords != 1 || q.typ.Info().Bits16 || q.typ.Info().Halves) {
		return p.notKnown("this operand", v.e, at)
	}
	p.set(q.field, isa.Literal)
	return p.lateLiteral(v.e, at)
}

// lateLiteral sets the literal to the value of e after the whole text has been read.
func (p *parser) lateLiteral(e *expr, at int) *syntaxError {
	if p.literal != noLiteral {
		return p.errorf(at, "a second literal: an instruction has room for one")
	}
	p.literal = literalLate
	p.set(isa.LITERAL, 0)
	p.late = append(p.late, late{e, at, setLiteral(e, p.syntax)})
	return nil
}

// notKnown returns the error that the value of e must be known when it is read. what names the value.
func (p *parser) notKnown(what string, e *expr, at int) *syntaxError {
	if _, _, failed := e.now(); failed != nil && failed.sym != nil {
		return p.errorf(at, "%s must be known here, and %q is neither a register nor defined before this line", what,
			failed.sym.name)
	}
	return p.errorf(at, "%s cannot be an address or a distance of labels", what)
}

// integerType returns the type that LLVM uses for an integer as source q. It is a half for sources of
// mixed instructions and, outside SDWA, for the exponent of v_ldexp_f16. It is 32 bits for
// v_sat_pk_u8_i16.
func (p *parser) integerType(q *part) isa.Type {
	switch r := p.in.Row(); {
	case p.in.Enc == isa.VOP3P && mixRow(r), q.src == 1 && q.typ == isa.I16 && r.Sig.Dst == isa.F16 &&
		!p.in.Has(isa.SRC0SEL):
		return isa.F16
	case q.typ == isa.V2I16: // two integer halves, also for v_sat_pk_u8_i16
		return isa.B32
	}
	return q.typ
}

// inlineInteger returns the code of the inline constant for integer v. LLVM also accepts the bits of
// an inline float. For F64 without modifiers it also accepts the upper half of these bits. CLRX
// accepts only small integers.
func (p *parser) inlineInteger(v int64, t isa.Type, modified bool) (uint32, bool) {
	if p.syntax == CLRX {
		return inlineInt(v)
	}
	code, ok := inlineCode(p.g, v, uint32(v), t)
	if !ok && t == isa.F64 && !modified && v >= math.MinInt32 && v <= math.MaxUint32 {
		return inlinePattern(p.g, uint64(v)<<32, t)
	}
	return code, ok
}

// Suffixes of a floating-point literal of CLRX.
const (
	halfFloat   = 'h'
	singleFloat = 's'
	doubleFloat = 'l'
)

// floatSuffix parses the suffix h, s or l of a floating-point literal. It returns 0 if there is none.
func (c *cursor) floatSuffix() byte {
	if c.syntax != CLRX || c.at == len(c.s) || c.at+1 < len(c.s) && isWordByte(c.s[c.at+1], false) {
		return 0
	}
	switch b := c.s[c.at] | 0x20; b {
	case halfFloat, singleFloat, doubleFloat:
		c.at++
		return b
	}
	return 0
}

// clrxFloat returns the literal that clrxasm emits for v in an operand of type t, and the code of the
// inline constant if there is one. wide says that the operand is two registers of a vector instruction.
// A suffix of v chooses the format of the literal. Only the format of the operand has inline constants.
func clrxFloat(g gcn.Gen, v value, t isa.Type, wide bool) (lit, code uint32, ok bool) {
	own := byte(singleFloat)
	switch {
	case t == isa.F16:
		own = halfFloat
	case wide:
		own = doubleFloat
	}
	kind := v.suffix
	if kind == 0 {
		kind = own
	}
	shift, as := 0, isa.F32
	switch kind {
	case halfFloat:
		lit, as = half.Round64(v.f), isa.F16
	case doubleFloat:
		b := math.Float64bits(v.f)
		lit, as, shift = uint32(b>>32), isa.F64, 32
		if rest := uint32(b); rest > 1<<31 || rest == 1<<31 && lit&1 != 0 {
			lit++
		}
	default:
		lit = math.Float32bits(float32(v.f))
	}
	if kind != own {
		return lit, 0, false
	}
	if lit == 0 {
		return 0, isa.ConstZero, true
	}
	code, ok = inlineMatch(g, as, func(bits uint64) bool { return uint32(bits>>shift) == lit })
	return lit, code, ok
}

// namedConstant parses an inline constant that may get a name in CLRX syntax.
func (p *parser) namedConstant() (register, *syntaxError) {
	at := p.begin()
	v, err := p.expr()
	if err != nil {
		return register{}, err
	}
	var code uint32
	var ok bool
	if v.isFloat {
		_, code, ok = clrxFloat(p.g, v, isa.F32, false)
	} else {
		n, err := p.settle("the constant", v, at)
		if err != nil {
			return register{}, err
		}
		code, ok = inlineInt(n)
	}
	if !ok {
		return register{}, p.errorf(at, "expected a register or an inline constant, found %s", p.s[at:p.at])
	}
	return register{code: code, at: at}, nil
}
