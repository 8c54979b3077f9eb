package asm

import (
	"slices"

	"github.com/gcnsim/gcnsim/gcn"
)

// finish checks what depends on several parts.
func (p *parser) finish() *syntaxError {
	for n := range p.numWidths {
		w := &p.widths[n]
		if err := p.checkWidth(w.p, w.r); err != nil {
			return err
		}
	}
	if p.size != 0 && p.in.Size != p.size {
		return p.errorf(p.at, "the instruction takes %d bits, its suffix asks for %d", 8*p.in.Size, 8*p.size)
	}
	if err := p.checkAddress(); err != nil {
		return err
	}
	if err := p.checkSecondWord(); err != nil {
		return err
	}
	r := p.in.Row()
	switch {
	case p.in.Enc == gcn.FLAT && p.in.Bool(gcn.LDS):
		return p.errorf(p.at, "lds is for global and scratch instructions only")
	case r.Has(gcn.GDSOnly) && !p.in.Bool(gcn.GDS) && !(p.syntax == CLRX && r.Mem.Ret): // ds_ordered_count
		return p.errorf(p.at, "%s works on GDS only: it needs gds", r.Name)
	case p.syntax == CLRX:
		return p.finishCLRX()
	}
	return p.finishLLVM()
}

// checkWidth checks how many registers operand q, which is r, has.
func (p *parser) checkWidth(q *part, r register) *syntaxError {
	want := width(p.in, q)
	switch {
	case p.syntax == CLRX && p.in.Enc == gcn.MIMG && q.kind != resource:
		return p.imageRegisters(q, r)
	case q.kind == iaddr:
		return p.imageAddress(r, want)
	case q.kind == vaddr && p.syntax == CLRX && r.n == max(want, 1), r.n == want:
		return nil
	case q.kind == vaddr && want == 0:
		return p.errorf(r.at, "an address register needs idxen, offen or addr64; without one write off")
	}
	err := p.wrongWidth(r, want)
	err.whole = true
	if q.kind == vdata {
		err.what += p.whyWide()
	}
	return err
}

// imageAddress checks how many registers address r of an image instruction has as LLVM does.
func (p *parser) imageAddress(r register, least int) *syntaxError {
	most := imageAddrsMost(p.in.Row())
	switch {
	case r.n < least:
		return p.errorf(r.at, "address has too few registers: must have at least %d", least)
	case r.n > most && (r.n&(r.n-1) != 0 || r.n > 8 || r.n >= 2*most):
		return p.errorf(r.at, "address has too many registers: must have at most %d", most)
	}
	return nil
}

// checkAddress refuses modifiers and operands of an address that exclude one another.
func (p *parser) checkAddress() *syntaxError {
	switch {
	case p.in.Bool(gcn.ADDR64) && (p.in.Bool(gcn.IDXEN) || p.in.Bool(gcn.OFFEN)): // rule A8
		return p.errorf(p.at, "addr64 excludes idxen and offen")
	case p.in.Enc == gcn.SCRATCH && !p.noAddress && p.in.Get(gcn.SADDR) != gcn.NoSADDR:
		return p.errorf(p.at, "two addresses: one of the operands must be off")
	case p.in.Enc == gcn.MUBUF && p.in.Bool(gcn.LDS) && p.in.Bool(gcn.TFE):
		return p.errorf(p.at, "lds excludes tfe")
	}
	return nil
}

// checkSecondWord refuses DPP of 64-bit operands, of which LLVM takes a destination, and
// SDWA of multiply-add from GCN 1.4 on.
func (p *parser) checkSecondWord() *syntaxError {
	r := p.in.Row()
	wide := p.syntax == CLRX && r.Sig.Dst.Info().Dwords == 2 && r.Sig.Dst != gcn.Mask
	for _, t := range r.Sig.Src {
		wide = wide || t.Info().Dwords == 2
	}
	switch {
	case p.in.Has(gcn.DPPCTRL) && wide:
		return p.errorf(p.at, "%s has 64-bit operands: it has no DPP", r.Name)
	case p.in.Has(gcn.SRC0SGPR) && r.Has(gcn.ReadsDst):
		return p.errorf(p.at, "%s has no SDWA on %v", r.Name, p.in.Target)
	}
	return nil
}

// finishLLVM checks what depends on several parts as llvm-mc does.
func (p *parser) finishLLVM() *syntaxError {
	r := p.in.Row()
	switch p.in.Enc {
	case gcn.EXP:
		return p.finishExport()
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

// isVector reports whether r is an instruction of the vector ALU.
func isVector(r *gcn.Row) bool {
	switch r.Enc {
	case gcn.VOP1, gcn.VOP2, gcn.VOPC, gcn.VOP3A, gcn.VOP3B, gcn.VOP3P:
		return true
	}
	return false
}

// readsVCC reports whether in reads VCC without an operand that says so.
func readsVCC(in gcn.Inst, r *gcn.Row) bool {
	return r.Has(gcn.CarryIn) && in.Enc != gcn.VOP3A && in.Enc != gcn.VOP3B || r.Has(gcn.ReadsVCC)
}

// constantBus refuses a vector instruction that reads more than one scalar value.
// Source: AMD GCN ISA manuals, VALU operand limits; LLVM words it the same.
func (p *parser) constantBus() *syntaxError {
	r := p.in.Row()
	if !isVector(r) || r.Has(gcn.ScalarSrc1) && r.Has(gcn.ReadsDst) && p.lane() == gcn.M0 { // v_writelane_b32
		return nil
	}
	var buf, values [6]gcn.Operand
	n := 0
	add := func(o gcn.Operand) {
		same := func(u gcn.Operand) bool { return u.Code == o.Code && (u.Dwords == o.Dwords || o.File == gcn.NotReg) }
		if n < len(values) && !slices.ContainsFunc(values[:n], same) {
			values[n] = o
			n++
		}
	}
	if readsVCC(p.in, r) {
		add(gcn.Operand{File: gcn.SReg, Code: gcn.VCC, Dwords: 2})
	}
	if r.Has(gcn.IndexesVGPRs) { // through M0
		add(gcn.Operand{File: gcn.SReg, Code: gcn.M0, Dwords: 1})
	}
	if r.Has(gcn.LiteralK) {
		add(gcn.Operand{Code: gcn.Literal})
	}
	for _, o := range p.in.Operands(buf[:0]) {
		if usesConstantBus(o) {
			add(o)
		}
	}
	if n > 1 {
		return p.errorf(p.scalarAt, "%s reads more than one scalar register or literal: a vector instruction can read "+
			"one (constant bus)", r.Name).certain()
	}
	return nil
}

// usesConstantBus reports whether a vector instruction reads o as a scalar register or a literal.
func usesConstantBus(o gcn.Operand) bool {
	switch {
	case o.Write && !o.Read:
		return false
	case o.File == gcn.NotReg:
		return o.Code != gcn.LDSDirect && (o.Code == gcn.Literal || !isConst(uint32(o.Code)))
	}
	return o.File == gcn.SReg
}

// lane returns the operand code of the lane select of a V_READLANE or V_WRITELANE.
func (p *parser) lane() uint32 {
	if p.in.Enc == gcn.VOP2 {
		return p.in.Get(gcn.VSRC1)
	}
	return p.in.Get(gcn.SRC1)
}

// finishCLRX checks what depends on several parts as clrxasm does, which allows more than
// LLVM here and less there.
func (p *parser) finishCLRX() *syntaxError {
	r := p.in.Row()
	if isVector(r) {
		return p.scalarsCLRX(r)
	}
	switch r.Enc {
	case gcn.EXP:
		return p.finishExport()
	case gcn.MIMG:
		switch {
		case p.in.Get(gcn.DMASK) == 0:
			return p.errorf(p.at, "dmask must not be 0")
		case r.Mem.Op != gcn.Load && r.Mem.Op != gcn.Special && !p.in.Bool(gcn.UNRM):
			return p.errorf(p.at, "stores and atomics need unorm")
		}
	case gcn.SMEM:
		t := p.g.Traits()
		if r.Mem.Op != gcn.Load && !r.Has(gcn.NoOffset) && t.SecondWord && !p.in.Has(gcn.SOE) && !p.in.Bool(gcn.IMM) &&
			p.in.Get(gcn.OFFSET) != gcn.M0 {
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
	if readsVCC(p.in, r) {
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
		return p.errorf(p.scalarAt, "%s reads more than one scalar register: a vector instruction can read one "+
			"(constant bus)", r.Name).certain()
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

// inLLVM reports whether LLVM has the text of in. Our assembler takes more: instructions and
// encodings that CLRX knows.
func inLLVM(in gcn.Inst) bool {
	r := in.Row()
	if r.Has(gcn.NotLLVM) || oddOperandLLVM(in, r) {
		return false
	}
	switch in.Enc {
	case gcn.VOPCDPP:
		return false
	case gcn.VOP1SDWA, gcn.VOP2SDWA, gcn.VOP1DPP: // not of v_movrels, v_mac
		return !r.Has(gcn.IndexesVGPRs) && !(r.Has(gcn.ReadsDst) && in.Has(gcn.SRC0SEL))
	case gcn.VOP3A:
		return vop3InLLVM(in, r)
	case gcn.MTBUF:
		return !in.Bool(gcn.TFE)
	case gcn.DS: // not of ds_permute
		permutes := r.Mem.Op == gcn.Special && r.Mem.Ret && !r.Has(gcn.NoAddr) && !r.Has(gcn.GDSOnly) &&
			r.Imm != gcn.SwizzleImm
		return !in.Bool(gcn.GDS) || !permutes
	}
	return true
}

// vop3InLLVM reports whether LLVM has the text of a VOP3A instruction.
func vop3InLLVM(in gcn.Inst, r *gcn.Row) bool {
	src0 := in.Get(gcn.SRC0)
	switch {
	case r.Enc != in.Enc && (r.Has(gcn.ScalarDst) || r.Has(gcn.ScalarSrc1)): // v_readlane
		return false
	case r.Has(gcn.Interpolates) && in.Get(gcn.OPSEL)&2 != 0:
		return false
	case r.Sig.Src[0] == gcn.F16 && !in.Target.Traits().SecondWord: // LLVM knows half constants from GCN 1.2 on
		return src0 >= gcn.VGPR0 || src0 < gcn.NumScalarCodes
	}
	return true
}

// clampsLLVM reports whether LLVM knows CLAMP of instruction in, a VOP3A one.
func clampsLLVM(in gcn.Inst, r *gcn.Row) bool {
	switch {
	case r.Sig.Dst.Info().Float, r.Sig.Dst == gcn.V2F16 && r.Has(gcn.OMODToo): // v_cvt_pkrtz
		return true
	case !in.Target.Traits().SecondWord:
		return false
	case r.Has(gcn.IntClamp):
		return !r.Has(gcn.OPSELToo) || in.Has(gcn.OPSEL)
	case r.Sig.Dst == gcn.Mask:
		return r.Sig.Src[1].Info().Float // no class test
	}
	return !r.Has(gcn.NoMods) && !r.Has(gcn.CarryIn)
}

// oddOperandLLVM reports whether LLVM has no text for an operand of in.
func oddOperandLLVM(in gcn.Inst, r *gcn.Row) bool {
	var buf [6]gcn.Operand
	for _, o := range in.Operands(buf[:0]) {
		constant := o.File == gcn.NotReg
		switch {
		case o.File == gcn.SReg && o.Field == gcn.VDST && o.Code == gcn.M0: // v_readlane
			return true
		case constant && o.Code == gcn.ConstInvTwoPi && o.Type.Info().Bits16 && !o.Type.Info().Float:
			return true
		// an exponent
		case constant && o.Field == gcn.VSRC1 && in.Bool(gcn.SRC1SEXT) && o.Type == gcn.I16 && r.Sig.Dst == gcn.F16:
			return true
		}
	}
	return false
}
