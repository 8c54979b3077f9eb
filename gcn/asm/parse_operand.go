package asm

import (
	"fmt"
	"math"
	"slices"

	"github.com/gcnsim/gcnsim/gcn"
)

func (p *parser) operand(q *part) *syntaxError {
	if p.syntax == CLRX {
		if ok, err := p.operandCLRX(q); ok {
			return err
		}
	}
	switch q.kind {
	case source:
		if p.in.Enc == gcn.MTBUF && p.syntax == LLVM {
			if err := p.legacyFormat(); err != nil {
				return err
			}
		}
		if p.space(); q.field == gcn.SOFFSET && (p.end() || p.beginsModifier()) {
			return p.errorf(p.at, "expected soffset, a scalar register or a constant as 0, before %s", p.found()).certain()
		}
		return p.source(q)
	case vgpr:
		if q.mods != noMods {
			return p.source(q)
		}
		return p.setRegister(q, true, int(q.n), 1)
	case sgpr:
		return p.setRegister(q, false, int(q.n), 1)
	case sbase:
		return p.setRegister(q, false, int(q.n), uint32(q.unit))
	case vcc:
		if p.syntax == LLVM && p.in.Enc == gcn.VOP2 && !p.in.Row().Has(gcn.CarryOut) && p.end() {
			return nil // v_cndmask_b32 without it
		}
		return p.vcc()
	case vccOut:
		r, err := p.takeRegister(false, 2)
		if err == nil && r.code != gcn.VCC {
			p.set(gcn.SDSTEN, 1)
			p.set(gcn.SDST, int64(r.code))
		}
		return err
	case vdata, iaddr:
		r, err := p.takeRegister(true, 0)
		if err == nil {
			p.set(q.field, int64(r.code))
			p.widthLater(q, r)
		}
		return err
	case vaddr, vflat:
		return p.address(q)
	case saddr:
		if p.acceptWord("off") {
			p.set(q.field, gcn.NoSADDR)
			return nil
		}
		return p.setRegister(q, false, int(q.n), 1)
	case literal:
		return p.literalK(q)
	case target:
		return p.branch()
	case uimm16:
		return p.imm16(q, "immediate")
	case endImm:
		if p.end() {
			return nil
		}
		p.onlyOurs(p.syntax == CLRX)
		return p.imm16(q, "immediate")
	case smemOffset:
		return p.smemOffset()
	case probe:
		return p.number("immediate", q.field, within("immediate", 0, 127))
	}
	return p.special(q)
}

// vcc takes the word vcc, or in CLRX syntax vcc[0:1].
func (p *parser) vcc() *syntaxError {
	p.space()
	at := p.at
	if !p.acceptWord("vcc") {
		return p.errorf(at, "expected vcc, found %s", p.found())
	}
	if p.syntax == CLRX && p.accept("[") {
		first, n, err := p.indexRange(at)
		if err == nil && (first != 0 || n != 2) {
			err = p.errorf(at, "expected vcc, found %s", p.s[at:p.at])
		}
		return err
	}
	return nil
}

func (p *parser) setRegister(q *part, vector bool, n int, unit uint32) *syntaxError {
	r, err := p.takeRegister(vector, n)
	if err != nil {
		return err
	}
	switch {
	case r.code%unit != 0:
		return p.errorf(r.at, "operand must begin at a multiple of %d", unit)
	case q.file == belowM0 && p.syntax == LLVM && r.code >= gcn.M0:
		return p.errorf(r.at, "this operand cannot be m0 or exec")
	}
	p.set(q.field, int64(r.code/unit))
	return nil
}

// address takes VGPRs or off.
func (p *parser) address(q *part) *syntaxError {
	if p.acceptWord("off") {
		if q.kind == vflat && p.in.Enc != gcn.SCRATCH {
			return p.errorf(p.at-3, "expected a vector register, found off")
		}
		if q.kind == vflat {
			p.noAddress = true
		} else {
			p.widthLater(q, register{at: p.at - 3})
		}
		return nil
	}
	r, err := p.takeRegister(true, 0)
	if err != nil {
		return err
	}
	p.set(q.field, int64(r.code))
	if q.kind == vaddr && r.n == 0 {
		return p.wrongWidth(r, 1)
	}
	p.widthLater(q, r)
	return nil
}

func (p *parser) literalK(q *part) *syntaxError {
	p.space()
	at := p.at
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

// number takes a number for field f; check returns what to put there. In CLRX syntax the
// number may be known later only.
func (p *parser) number(what string, f gcn.Field, check func(n int64) (int64, *syntaxError)) *syntaxError {
	p.space()
	at := p.at
	v, err := p.expr()
	if err != nil {
		return err
	}
	if v.e != nil && p.syntax == CLRX {
		p.late = append(p.late, late{v.e, at, setNumber(what, f, check)})
		return nil
	}
	n, err := p.settle(what, v, at)
	if err != nil {
		return err
	}
	if n, err = check(n); err == nil {
		p.in, err = setField(p.in, f, n)
	}
	if err != nil {
		err.at = at
	}
	return err
}

// within returns a check of a number for number.
func within(what string, lo, hi int64) func(n int64) (int64, *syntaxError) {
	return func(n int64) (int64, *syntaxError) {
		if n < lo || n > hi {
			return 0, &syntaxError{what: fmt.Sprintf("%s is %d, must be %d to %d", what, n, lo, hi)}
		}
		return n, nil
	}
}

func (p *parser) imm16(q *part, what string) *syntaxError {
	lo := int64(math.MinInt16)
	if q.kind == sendmsg || q.kind == hwreg || q.kind == endImm || q.typ == gcn.U16 && p.syntax == LLVM {
		lo = 0
	}
	return p.number(what, q.field, func(n int64) (int64, *syntaxError) {
		_, err := within(what, lo, math.MaxUint16)(n)
		return int64(int16(n)), err
	})
}

// branch takes a target: a number is SIMM16 itself, in CLRX syntax the number of bytes from
// the first word; a label is turned into a distance.
func (p *parser) branch() *syntaxError {
	p.space()
	at := p.at
	v, err := p.expr()
	switch {
	case err != nil:
		return err
	case v.isFloat:
		return p.errorf(at, "branch target must be a label or an integer")
	case v.e != nil || p.syntax == CLRX && p.names != nil:
		p.late = append(p.late, late{v.tree(), at, setBranch(p.syntax)})
		return nil
	}
	p.in, err = setBranch(p.syntax)(p.in, amount{n: v.i}, 0)
	if err != nil {
		err.at = at
	}
	return err
}

// setBranch is the set of a late for a branch target.
func setBranch(s Syntax) func(gcn.Inst, amount, int64) (gcn.Inst, *syntaxError) {
	return func(in gcn.Inst, v amount, place int64) (gcn.Inst, *syntaxError) {
		if v.from == nil && s == LLVM {
			if v.n < -32768 || v.n > 65535 {
				return in, &syntaxError{what: fmt.Sprintf("branch distance is %d, must be -32768 to 65535", v.n)}
			}
			return setField(in, gcn.SIMM16, int64(int16(v.n)))
		}
		d := v.n - place - 4
		if d%4 != 0 || d/4 < -32768 || d/4 > 32767 {
			return in, &syntaxError{what: fmt.Sprintf("branch target is %d bytes away, must be a multiple of 4 within 131072", d)}
		}
		return setField(in, gcn.SIMM16, d/4)
	}
}

// smemOffset takes the offset of a scalar memory instruction: a register, or a number in
// the units of the generation. Source: rule SM1.
func (p *parser) smemOffset() *syntaxError {
	p.space()
	at := p.at
	r, ok, err := p.register()
	if err != nil {
		return err
	}
	if ok {
		switch {
		case r.vector || r.code >= gcn.NumScalarCodes:
			return p.errorf(at, "expected a scalar register or an offset, found %s", p.s[at:p.at])
		case r.n != 1:
			return p.wrongWidth(r, 1)
		}
		p.moffset = true
		p.set(gcn.OFFSET, int64(r.code))
		return nil
	}
	p.set(gcn.IMM, 1)
	if p.syntax == LLVM && (p.end() || p.beginsModifier()) { // none: 0
		return nil
	}
	return p.smemImmediate()
}

// beginsModifier reports whether a modifier of the instruction is next.
func (p *parser) beginsModifier() bool {
	p.space()
	at := p.at
	w := p.word()
	p.at = at
	return w != "" && slices.ContainsFunc(p.shape.parts, func(q part) bool {
		return !q.operand() && (w == q.word || q.kind == cachePol && slices.Contains(policies[:], w)) || q.kind == format && (w == "format" || w == "dfmt" || w == "nfmt")
	})
}

// smemImmediate takes the immediate offset of a scalar memory instruction.
func (p *parser) smemImmediate() *syntaxError {
	p.space()
	at := p.at
	if p.syntax == CLRX {
		p.accept("@")
	}
	v, err := p.expr()
	switch {
	case err != nil:
		return err
	case v.isFloat:
		return p.errorf(at, "offset must be an integer")
	case v.e != nil && p.syntax == CLRX:
		p.late = append(p.late, late{v.e, at, func(in gcn.Inst, v amount, _ int64) (gcn.Inst, *syntaxError) {
			if v.from != nil {
				return in, &syntaxError{what: "offset must be a number, not an address"}
			}
			set, err := setScalarOffset(in, v.n, CLRX)
			if err == nil && !set.Bool(gcn.IMM) { // a literal, for which there is no room any more
				return in, &syntaxError{what: fmt.Sprintf("offset is %d, must be 0 to 255 if it is defined later", v.n)}
			}
			return set, err
		}})
		return nil
	}
	if v.i, err = p.settle("offset", v, at); err != nil {
		return err
	}
	if p.in, err = setScalarOffset(p.in, v.i, p.syntax); err != nil {
		err.at = at
	}
	return err
}

// setScalarOffset sets the immediate offset of a scalar memory instruction.
func setScalarOffset(in gcn.Inst, n int64, s Syntax) (gcn.Inst, *syntaxError) {
	_, width := in.Target.Gen().FieldBits(gcn.SMEM, gcn.OFFSET)
	if s == CLRX && width == 21 && n >= 1<<20 && n < 1<<21 {
		n -= 1 << 21 // written without sign
	}
	buffer := s == LLVM && in.Row().Has(gcn.BufferBase)
	set, err := in.Set(gcn.OFFSET, n)
	switch {
	case err == nil && !(n < 0 && buffer):
		return set, nil
	case in.Target.Traits().SMRDLiteral && n >= 0 && n <= 1<<32-1:
		for _, f := range [...]struct {
			field gcn.Field
			n     int64
		}{{gcn.IMM, 0}, {gcn.OFFSET, gcn.Literal}, {gcn.LITERAL, n}} {
			in, _ = in.Set(f.field, f.n)
		}
		return in, nil
	}
	lo, hi := int64(0), int64(1)<<width-1
	if width == 21 {
		hi = 1<<20 - 1
		if !buffer {
			lo = -1 << 20
		}
	}
	return in, &syntaxError{what: fmt.Sprintf("offset is %d, must be %d to %d", n, lo, hi)}
}
