package asm

import "github.com/gcnsim/gcnsim/gcn"

// finishCLRX checks what depends on several parts as clrxasm does, which allows more than
// LLVM here and less there.
func (p *parser) finishCLRX() *syntaxError {
	r := p.in.Row()
	switch r.Enc {
	case gcn.VOP1, gcn.VOP2, gcn.VOPC, gcn.VOP3A, gcn.VOP3B, gcn.VOP3P:
		return p.scalarsCLRX(r)
	case gcn.EXP:
		return p.exportCLRX()
	case gcn.MIMG:
		switch {
		case p.in.Get(gcn.DMASK) == 0:
			return p.errorf(p.at, "dmask must not be 0")
		case r.Mem.Op != gcn.Load && r.Mem.Op != gcn.Special && !p.in.Bool(gcn.UNRM):
			return p.errorf(p.at, "stores and atomics need unorm")
		}
	case gcn.SMEM:
		t := p.g.Traits()
		if r.Mem.Op != gcn.Load && !r.Has(gcn.NoOffset) && t.SecondWord && !p.in.Has(gcn.SOE) && !p.in.Bool(gcn.IMM) && p.in.Get(gcn.OFFSET) != gcn.M0 {
			return p.errorf(p.at, "the offset of a store must be m0 or a number")
		}
	case gcn.SOP2, gcn.SOPC:
		if p.in.Get(gcn.SSRC0) == gcn.Literal && p.in.Get(gcn.SSRC1) == gcn.Literal {
			return p.errorf(p.at, "two literals: an instruction can have one, even of the same value")
		}
	}
	return nil
}

// scalarsCLRX refuses a vector instruction that reads more than one scalar register. CLRX
// counts neither a literal nor what a register that begins at the same number reads.
func (p *parser) scalarsCLRX(r *gcn.Row) *syntaxError {
	var buf [6]gcn.Operand
	if r.Sig.NumSrc == 0 && (p.in.Has(gcn.SRC0SEL) || p.in.Has(gcn.DPPCTRL)) { // of v_nop
		p.onlyOurs(true)
	}
	first, n := uint16(0), 0
	add := func(code uint16) {
		if n == 0 || code != first || r.Has(gcn.ReadsVCC) {
			first = code
			n++
		}
	}
	vop3 := p.in.Enc == gcn.VOP3A || p.in.Enc == gcn.VOP3B
	if r.Has(gcn.CarryIn) && !vop3 || r.Has(gcn.ReadsVCC) {
		add(gcn.VCC)
	}
	for _, o := range p.in.Operands(buf[:0]) {
		switch {
		case o.Read && o.File == gcn.SReg:
			add(o.Code)
		case o.Read && o.File == gcn.NotReg && o.Code == gcn.LDSDirect && o.Field != gcn.SRC0:
			return p.errorf(p.scalarAt, "lds can be the first source only").certain()
		}
	}
	if n > 1 {
		return p.errorf(p.scalarAt, "%s reads more than one scalar register: a vector instruction can read one (constant bus)", r.Name).certain()
	}
	return nil
}

// imageRegisters checks the number of address and data registers of an image instruction.
func (p *parser) imageRegisters(q *part, r register) *syntaxError {
	row := p.in.Row()
	if q.kind == iaddr {
		least, most := clrxAddrs(row), clrxAddrs(row)+3
		if row.Addr&gcn.AddrDeriv != 0 {
			most += 4
		}
		if r.n < least || r.n > most {
			return p.errorf(r.at, "address has %d registers, must have %d to %d", r.n, least, most)
		}
		return nil
	}
	if want := clrxData(p.in); r.n != want {
		return p.wrongWidth(r, want)
	}
	return nil
}

// exportCLRX sets EN and the sources of an export. With COMPR each source is written twice,
// and the second one may be off.
func (p *parser) exportCLRX() *syntaxError {
	en := int64(0)
	for n, reg := range p.exps {
		if reg >= 0 {
			en |= 1 << n
		}
	}
	p.set(gcn.EN, en)
	regs := p.exps
	if p.in.Bool(gcn.COMPR) {
		for n := 0; n < len(regs); n += 2 {
			if regs[n] >= 0 && regs[n+1] >= 0 && regs[n] != regs[n+1] {
				return p.errorf(p.at, "with compr sources %d and %d must be the same", n, n+1)
			}
		}
		regs = [4]int{regs[0], regs[2]}
	}
	for n, reg := range regs {
		p.in.Words |= uint64(max(reg, 0)) << (32 + 8*n)
	}
	return nil
}
