package asm

import (
	"math"

	"github.com/gcnsim/gcnsim/gcn"
)

// registerNamer is a namer that knows names of registers too, as CLRX defines them:
// x = %s[4:7].
type registerNamer interface {
	// register returns the registers that a name stands for.
	register(name string) (r register, ok bool)
}

func (a *assembler) register(name string) (register, bool) {
	if s := a.symbols[name]; s != nil && s.kind == registers {
		return s.regs, true
	}
	return register{}, false
}

// assignRegister sets a symbol, whose name stands at at, to the register or inline constant
// behind the % in c.
func (a *assembler) assignRegister(name string, c *cursor, at int) *Error {
	p := parser{cursor: *c, g: a.target.Gen(), anyAlign: true}
	r, ok, err := p.register()
	if err == nil && !ok {
		r, err = p.namedConstant()
	}
	if err == nil {
		err = p.cursor.finish()
	}
	s := a.lookup(name, at)
	switch {
	case err != nil:
		return a.located(err)
	case s.kind != undefined && s.kind != variable && s.kind != registers:
		return a.fail(at, "symbol "+name+" is defined twice", nil)
	}
	s.kind, s.regs = registers, r
	return nil
}

// namedConstant takes an inline constant, which a name of CLRX syntax can stand for.
func (p *parser) namedConstant() (register, *syntaxError) {
	p.space()
	at := p.at
	v, err := p.expr()
	if err != nil {
		return register{}, err
	}
	var code uint32
	var ok bool
	if v.isFloat {
		_, code, ok = clrxFloat(p.g, v, gcn.F32, false)
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

// namedRegister takes what is left of an operand that began at at with name, if that stands
// for registers: an index or a range of them.
func (p *parser) namedRegister(name string, at int) (r register, ok bool, err *syntaxError) {
	namer, knows := p.names.(registerNamer)
	if !knows || p.syntax != CLRX {
		return r, false, nil
	}
	if r, ok = namer.register(name); !ok {
		return r, false, nil
	}
	r.at = at
	switch {
	case !p.accept("["):
	case r.n > 0:
		if r, _, err = p.subregisters(r); err != nil {
			return r, false, err
		}
	default: // of a constant
		var first, n int64
		if first, n, err = p.indexRange(at); err == nil && first != 0 {
			err = p.errorf(at, "the registers of a constant begin at 0")
		}
		if n > 1 { // else as many as are asked for
			r.n = int(n)
		}
		return r, err == nil, err
	}
	if !r.vector && int(r.code) < p.g.Traits().SGPRs {
		err = p.checkAlign(&r)
	}
	return r, err == nil, err
}

// Suffixes of a floating-point literal of CLRX.
const (
	halfFloat   = 'h'
	singleFloat = 's'
	doubleFloat = 'l'
)

// floatSuffix takes h, s or l behind a floating-point literal, 0 if none is there.
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

// clrxFloat returns the literal that clrxasm makes of v for an operand of type t, wide if it
// has two registers of a vector instruction, and the inline constant for it, if there is one.
// A suffix of v chooses the literal, and then an inline constant is of that type only.
func clrxFloat(g gcn.Gen, v value, t gcn.Type, wide bool) (lit, code uint32, ok bool) {
	own := byte(singleFloat)
	switch {
	case t == gcn.F16:
		own = halfFloat
	case wide:
		own = doubleFloat
	}
	kind := v.suffix
	if kind == 0 {
		kind = own
	}
	shift, as := 0, gcn.F32
	switch kind {
	case halfFloat:
		lit, as = uint32(half(v.f)), gcn.F16
	case doubleFloat:
		b := math.Float64bits(v.f)
		lit, as, shift = uint32(b>>32), gcn.F64, 32
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
		return 0, gcn.ConstZero, true
	}
	last := uint32(gcn.ConstInvTwoPi)
	if !g.Traits().InvTwoPi {
		last--
	}
	for code := uint32(gcn.ConstHalf); code <= last; code++ {
		if b, _ := gcn.InlineConstant(code, as); uint32(b>>shift) == lit {
			return lit, code, true
		}
	}
	return lit, 0, false
}
