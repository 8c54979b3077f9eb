package asm

import "github.com/gcnsim/gcnsim/gcn"

// finishLLVM checks what depends on several parts as llvm-mc does.
func (p *parser) finishLLVM() *syntaxError {
	r := p.in.Row()
	switch p.in.Enc {
	case gcn.EXP:
		p.finishExport()
	case gcn.MIMG:
		if p.in.Bool(gcn.D16) && !r.Mem.Format {
			return p.errorf(p.at, "%s converts nothing: it has no d16", r.Name)
		}
		return p.checkDMASK()
	case gcn.MUBUF:
		if p.in.Bool(gcn.TFE) && r.Mem.Op == gcn.Store {
			return p.errorf(p.at, "a store returns nothing: it has no tfe")
		}
	case gcn.SCRATCH:
		if p.noAddress && p.in.Get(gcn.SADDR) == gcn.NoSADDR {
			return p.errorf(p.at, "no address: both operands are off")
		}
	}
	return p.constantBus()
}

// checkDMASK refuses the masks that an image instruction gives no meaning: an atomic
// takes all its data, a gather one component. LLVM refuses the same.
func (p *parser) checkDMASK() *syntaxError {
	mask, m := p.in.Get(gcn.DMASK), p.in.Row().Mem
	all := uint32(1)<<m.Dwords - 1
	switch {
	case m.Op == gcn.Atomic && mask != all && mask != all<<m.Dwords|all:
		return p.errorf(p.at, "dmask is %#x, must be %#x or %#x for an atomic", mask, all, all<<m.Dwords|all)
	case p.in.Row().Has(gcn.Gathers) && (mask == 0 || mask&(mask-1) != 0):
		return p.errorf(p.at, "dmask is %#x, must name one component to gather", mask)
	}
	return nil
}

// constantBus refuses a vector instruction that reads more than one scalar value.
// Source: AMD GCN ISA manuals, VALU operand limits; LLVM words it the same.
func (p *parser) constantBus() *syntaxError {
	switch p.in.Row().Enc {
	case gcn.VOP1, gcn.VOP2, gcn.VOPC, gcn.VOP3A, gcn.VOP3B, gcn.VOP3P:
	default:
		return nil
	}
	var buf [6]gcn.Operand
	var used [6]gcn.Operand
	n := 0
	add := func(o gcn.Operand) {
		for _, u := range used[:n] {
			if u.Code == o.Code && (u.Dwords == o.Dwords || o.File == gcn.NotReg) {
				return
			}
		}
		if n < len(used) {
			used[n] = o
			n++
		}
	}
	r := p.in.Row()
	if r.Has(gcn.ScalarSrc1) && r.Has(gcn.ReadsDst) && p.lane() == gcn.M0 { // v_writelane_b32
		return nil
	}
	if r.Has(gcn.CarryIn) && p.in.Enc != gcn.VOP3A && p.in.Enc != gcn.VOP3B || r.Has(gcn.ReadsVCC) {
		add(gcn.Operand{File: gcn.SReg, Code: gcn.VCC, Dwords: 2})
	}
	if r.Has(gcn.IndexesVGPRs) { // through M0
		add(gcn.Operand{File: gcn.SReg, Code: gcn.M0, Dwords: 1})
	}
	if r.Has(gcn.LiteralK) {
		add(gcn.Operand{Code: gcn.Literal})
	}
	for _, o := range p.in.Operands(buf[:0]) {
		if o.Write && !o.Read || o.File == gcn.NotReg && o.Code == gcn.LDSDirect {
			continue
		}
		if o.File == gcn.SReg || o.File == gcn.NotReg && !isConst(uint32(o.Code)) || o.Code == gcn.Literal && o.File == gcn.NotReg {
			add(o)
		}
	}
	if n > 1 {
		return p.errorf(p.scalarAt, "%s reads more than one scalar register or literal: a vector instruction can read one (constant bus)", r.Name).certain()
	}
	return nil
}

// lane returns the operand code of the lane select of a V_READLANE or V_WRITELANE.
func (p *parser) lane() uint32 {
	if p.in.Enc == gcn.VOP2 {
		return p.in.Get(gcn.VSRC1)
	}
	return p.in.Get(gcn.SRC1)
}
