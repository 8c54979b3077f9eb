package asm

import "github.com/gcnsim/gcnsim/gcn"

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
		if !p.acceptWord("vcc") {
			return p.errorf(p.at, "expected vcc, found %s", p.found())
		}
		return nil
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
		p.onlyOurs(p.in.Row().Imm != gcn.EndImm)
		return p.imm16(q, "immediate")
	case smemOffset:
		return p.smemOffset()
	case probe:
		v, err := p.integer("immediate", 0, 127)
		p.set(q.field, v)
		return err
	}
	return p.special(q)
}

func (p *parser) setRegister(q *part, vector bool, n int, unit uint32) *syntaxError {
	r, err := p.takeRegister(vector, n)
	if err != nil {
		return err
	}
	if r.code%unit != 0 {
		return p.errorf(r.at, "operand must begin at a multiple of %d", unit)
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
	if err != nil {
		return err
	}
	t := q.typ
	lit, ok := literalBits(v, t)
	if !ok {
		return p.errorf(at, "constant does not fit an operand of type %v", t)
	}
	p.pending = p.pending || v.pending
	return p.setLiteral(lit, at)
}

func (p *parser) imm16(q *part, what string) *syntaxError {
	v, err := p.integer(what, -32768, 65535)
	if err == nil {
		p.set(q.field, int64(int16(v)))
	}
	return err
}

// branch takes a target: a number is SIMM16 itself, a label is turned into a distance.
func (p *parser) branch() *syntaxError {
	p.space()
	at := p.at
	v, err := p.expr()
	if err != nil {
		return err
	}
	switch {
	case v.isFloat:
		return p.errorf(at, "branch target must be a label or an integer")
	case v.pending:
		p.pending = true
		return nil
	case v.label:
		return p.distance(v.i, at)
	case v.i < -32768 || v.i > 65535:
		return p.errorf(at, "branch distance is %d, must be -32768 to 65535", v.i)
	}
	p.set(gcn.SIMM16, int64(int16(v.i)))
	return nil
}

// distance sets SIMM16 for a branch to byte to of the program.
func (p *parser) distance(to int64, at int) *syntaxError {
	d := to - p.pc - 4
	if d%4 != 0 || d/4 < -32768 || d/4 > 32767 {
		return p.errorf(at, "branch target is %d bytes away, must be a multiple of 4 within 131072", d)
	}
	p.set(gcn.SIMM16, d/4)
	return nil
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
	v, err := p.expr()
	if err != nil {
		return err
	}
	p.pending = p.pending || v.pending
	p.set(gcn.IMM, 1)
	return p.smemImmediate(v, at)
}

func (p *parser) smemImmediate(v value, at int) *syntaxError {
	if v.isFloat {
		return p.errorf(at, "offset must be an integer")
	}
	_, width := p.g.FieldBits(gcn.SMEM, gcn.OFFSET)
	if p.syntax == CLRX && width == 21 && v.i >= 1<<20 && v.i < 1<<21 {
		v.i -= 1 << 21 // written without sign
	}
	in, err := p.in.Set(gcn.OFFSET, v.i)
	switch {
	case err == nil && p.syntax == CLRX:
		p.in = in
		return nil
	case err == nil && !(v.i < 0 && p.in.Row().Has(gcn.BufferBase)):
		p.in = in
		return nil
	case p.g.Traits().SMRDLiteral && v.i >= 0 && v.i <= 1<<32-1:
		p.set(gcn.IMM, 0)
		p.set(gcn.OFFSET, gcn.Literal)
		p.set(gcn.LITERAL, v.i)
		return nil
	}
	if width == 21 && p.in.Row().Has(gcn.BufferBase) {
		return p.errorf(at, "offset is %d, must be 0 to %d", v.i, 1<<20-1)
	}
	if width == 21 {
		return p.errorf(at, "offset is %d, must be %d to %d", v.i, -1<<20, 1<<20-1)
	}
	return p.errorf(at, "offset is %d, must be 0 to %d", v.i, 1<<width-1)
}
