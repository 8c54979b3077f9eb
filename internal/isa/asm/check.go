package asm

import (
	"slices"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/tool/plural"
)

// finish checks the rules that involve several parts of the instruction.
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
	case p.in.Enc == isa.FLAT && p.in.Bool(isa.LDS):
		return p.errorf(p.at, "lds is for global and scratch instructions only")
	case r.Has(isa.GDSOnly) && !p.in.Bool(isa.GDS) && !(p.syntax == CLRX && r.Mem.Ret): // ds_ordered_count
		return p.errorf(p.at, "%s works on GDS only: it needs gds", r.Name)
	case p.syntax == CLRX:
		return p.finishCLRX()
	}
	return p.finishLLVM()
}

// checkWidth checks the number of registers of operand q, which is register tuple r.
func (p *parser) checkWidth(q *part, r register) *syntaxError {
	want := width(p.in, q)
	switch {
	case p.syntax == CLRX && p.in.Enc == isa.MIMG && q.kind != resource:
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

// imageAddress checks the number of registers in address r of an image instruction by the rules of LLVM.
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

// checkAddress refuses modifiers and operands of an address that cannot occur together.
func (p *parser) checkAddress() *syntaxError {
	switch {
	case p.in.Bool(isa.ADDR64) && (p.in.Bool(isa.IDXEN) || p.in.Bool(isa.OFFEN)): // rule A8
		return p.errorf(p.at, "addr64 excludes idxen and offen")
	case p.in.Enc == isa.SCRATCH && !p.noAddress && p.in.Get(isa.SADDR) != isa.NoSADDR:
		return p.errorf(p.at, "two addresses: one of the operands must be off")
	case p.in.Enc == isa.MUBUF && p.in.Bool(isa.LDS) && p.in.Bool(isa.TFE):
		return p.errorf(p.at, "lds excludes tfe")
	}
	return nil
}

// checkSecondWord refuses DPP of 64-bit operands (LLVM accepts a 64-bit destination). From GCN 1.4
// on it also refuses SDWA of multiply-add.
func (p *parser) checkSecondWord() *syntaxError {
	r := p.in.Row()
	wide := p.syntax == CLRX && r.Sig.Dst.Info().Dwords == 2 && r.Sig.Dst != isa.Mask
	for _, t := range r.Sig.Src {
		wide = wide || t.Info().Dwords == 2
	}
	switch {
	case p.in.Has(isa.DPPCTRL) && wide:
		return p.errorf(p.at, "%s has 64-bit operands: it has no DPP", r.Name)
	case p.in.Has(isa.SRC0SGPR) && r.Has(isa.ReadsDst):
		return p.errorf(p.at, "%s has no SDWA on %v", r.Name, p.in.Target)
	}
	return nil
}

// finishLLVM checks the rules of llvm-mc that involve several parts.
func (p *parser) finishLLVM() *syntaxError {
	r := p.in.Row()
	switch p.in.Enc {
	case isa.EXP:
		return p.finishExport()
	case isa.MIMG:
		if p.in.Bool(isa.D16) && !r.Mem.Format {
			return p.errorf(p.at, "%s converts nothing: it has no d16", r.Name)
		}
		return p.checkDMASK()
	case isa.MUBUF:
		if p.in.Bool(isa.TFE) && r.Mem.Op == gcn.Store {
			return p.errorf(p.at, "a store returns nothing: it has no tfe")
		}
	case isa.SCRATCH:
		if p.noAddress && p.in.Get(isa.SADDR) == isa.NoSADDR {
			return p.errorf(p.at, "no address: both operands are off")
		}
	}
	return p.constantBus()
}

// checkDMASK refuses masks without a meaning for an image instruction. An atomic uses all its data,
// a gather one component. LLVM refuses the same masks.
func (p *parser) checkDMASK() *syntaxError {
	mask, m := p.in.Get(isa.DMASK), p.in.Row().Mem
	all := uint32(1)<<m.Dwords - 1
	switch {
	case m.Op == gcn.Atomic && mask != all && mask != all<<m.Dwords|all:
		return p.errorf(p.at, "dmask is %#x, must be %#x or %#x for an atomic", mask, all, all<<m.Dwords|all)
	case p.in.Row().Has(isa.Gathers) && (mask == 0 || mask&(mask-1) != 0):
		return p.errorf(p.at, "dmask is %#x, must name one component to gather", mask)
	}
	return nil
}

// isVector reports whether r is an instruction of the vector ALU.
func isVector(r *isa.Row) bool {
	switch r.Enc {
	case isa.VOP1, isa.VOP2, isa.VOPC, isa.VOP3A, isa.VOP3B, isa.VOP3P:
		return true
	}
	return false
}

// readsVCC reports whether in reads VCC implicitly, without an operand.
func readsVCC(in isa.Inst, r *isa.Row) bool {
	return r.Has(isa.CarryIn) && in.Enc != isa.VOP3A && in.Enc != isa.VOP3B || r.Has(isa.ReadsVCC)
}

// constantBus refuses a vector instruction that reads more than one scalar value.
// Source: AMD GCN ISA manuals, VALU operand limits; LLVM words it the same.
func (p *parser) constantBus() *syntaxError {
	r := p.in.Row()
	if !isVector(r) || r.Has(isa.ScalarSrc1) && r.Has(isa.ReadsDst) && p.lane() == gcn.M0 { // v_writelane_b32
		return nil
	}
	var buf, values [6]isa.Operand
	n := 0
	add := func(o isa.Operand) {
		same := func(u isa.Operand) bool { return u.Code == o.Code && (u.Dwords == o.Dwords || o.File == isa.NotReg) }
		if n < len(values) && !slices.ContainsFunc(values[:n], same) {
			values[n] = o
			n++
		}
	}
	if readsVCC(p.in, r) {
		add(isa.Operand{File: isa.SReg, Code: gcn.VCC, Dwords: 2})
	}
	if r.Has(isa.IndexesVGPRs) { // through M0
		add(isa.Operand{File: isa.SReg, Code: gcn.M0, Dwords: 1})
	}
	if r.Has(isa.LiteralK) {
		add(isa.Operand{Code: isa.Literal})
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

// usesConstantBus reports whether operand o of a vector instruction is a scalar register or a literal.
func usesConstantBus(o isa.Operand) bool {
	switch {
	case o.Write && !o.Read:
		return false
	case o.File == isa.NotReg:
		return o.Code != isa.LDSDirect && (o.Code == isa.Literal || !isConst(uint32(o.Code)))
	}
	return o.File == isa.SReg
}

// lane returns the operand code of the lane select of a V_READLANE or V_WRITELANE.
func (p *parser) lane() uint32 {
	if p.in.Enc == isa.VOP2 {
		return p.in.Get(isa.VSRC1)
	}
	return p.in.Get(isa.SRC1)
}

// finishCLRX checks the rules of clrxasm that involve several parts. They are laxer than those of
// LLVM in some cases and stricter in others.
func (p *parser) finishCLRX() *syntaxError {
	r := p.in.Row()
	if isVector(r) {
		return p.scalarsCLRX(r)
	}
	switch r.Enc {
	case isa.EXP:
		return p.finishExport()
	case isa.MIMG:
		switch {
		case p.in.Get(isa.DMASK) == 0:
			return p.errorf(p.at, "dmask must not be 0")
		case r.Mem.Op != gcn.Load && r.Mem.Op != gcn.Special && !p.in.Bool(isa.UNRM):
			return p.errorf(p.at, "stores and atomics need unorm")
		}
	case isa.SMEM:
		t := isa.GenTraits(p.g)
		if r.Mem.Op != gcn.Load && !r.Has(isa.NoOffset) && t.SecondWord && !p.in.Has(isa.SOE) && !p.in.Bool(isa.IMM) &&
			p.in.Get(isa.OFFSET) != gcn.M0 {
			return p.errorf(p.at, "the offset of a store must be m0 or a number")
		}
	case isa.SOP2, isa.SOPC:
		if p.in.Get(isa.SSRC0) == isa.Literal && p.in.Get(isa.SSRC1) == isa.Literal {
			return p.errorf(p.at, "two literals: an instruction can have one, even of the same value")
		}
	}
	return nil
}

// scalarsCLRX refuses a vector instruction that reads more than one scalar register. CLRX does not
// count literals, and counts operands that begin at the same register once.
func (p *parser) scalarsCLRX(r *isa.Row) *syntaxError {
	var buf [6]isa.Operand
	if r.Sig.NumSrc == 0 && (p.in.Has(isa.SRC0SEL) || p.in.Has(isa.DPPCTRL)) { // v_nop
		p.onlyOurs(true)
	}
	first, n := uint16(0), 0
	add := func(code uint16) {
		if n == 0 || code != first || r.Has(isa.ReadsVCC) {
			first = code
			n++
		}
	}
	if readsVCC(p.in, r) {
		add(gcn.VCC)
	}
	for _, o := range p.in.Operands(buf[:0]) {
		switch {
		case o.Read && o.File == isa.SReg:
			add(o.Code)
		case o.Read && o.File == isa.NotReg && o.Code == isa.LDSDirect && o.Field != isa.SRC0:
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
		if row.Addr&isa.AddrDeriv != 0 {
			most += 4
		}
		if r.n < least || r.n > most {
			return p.errorf(r.at, "address has %s, must have %d to %d", plural.Of(r.n, "register"), least, most)
		}
		return nil
	}
	if want := clrxData(p.in); r.n != want {
		return p.wrongWidth(r, want)
	}
	return nil
}

// inLLVM reports whether LLVM can write in as text. Our assembler also accepts instructions and
// encodings that only CLRX knows.
func inLLVM(in isa.Inst) bool {
	r := in.Row()
	if r.Has(isa.NotLLVM) || oddOperandLLVM(in, r) {
		return false
	}
	switch in.Enc {
	case isa.VOPCDPP:
		return false
	case isa.VOP1SDWA, isa.VOP2SDWA, isa.VOP1DPP: // except v_movrels and v_mac
		return !r.Has(isa.IndexesVGPRs) && !(r.Has(isa.ReadsDst) && in.Has(isa.SRC0SEL))
	case isa.VOP3A:
		return vop3InLLVM(in, r)
	case isa.MTBUF:
		return !in.Bool(isa.TFE)
	case isa.DS: // except ds_permute
		permutes := r.Mem.Op == gcn.Special && r.Mem.Ret && !r.Has(isa.NoAddr) && !r.Has(isa.GDSOnly) &&
			r.Imm != isa.SwizzleImm
		return !in.Bool(isa.GDS) || !permutes
	}
	return true
}

// vop3InLLVM reports whether LLVM can write a VOP3A instruction as text.
func vop3InLLVM(in isa.Inst, r *isa.Row) bool {
	src0 := in.Get(isa.SRC0)
	switch {
	case r.Enc != in.Enc && (r.Has(isa.ScalarDst) || r.Has(isa.ScalarSrc1)): // v_readlane
		return false
	case r.Has(isa.Interpolates) && in.Get(isa.OPSEL)&2 != 0:
		return false
	case r.Sig.Src[0] == isa.F16 && !isa.TraitsOf(in.Target).SecondWord: // LLVM supports half constants from GCN 1.2 on
		return src0 >= isa.VGPR0 || src0 < isa.NumScalarCodes
	}
	return true
}

// clampsLLVM reports whether LLVM accepts CLAMP for the VOP3A instruction in.
func clampsLLVM(in isa.Inst, r *isa.Row) bool {
	switch {
	case r.Sig.Dst.Info().Float, r.Sig.Dst == isa.V2F16 && r.Has(isa.OMODToo): // v_cvt_pkrtz
		return true
	case !isa.TraitsOf(in.Target).SecondWord:
		return false
	case r.Has(isa.IntClamp):
		return !r.Has(isa.OPSELToo) || in.Has(isa.OPSEL)
	case r.Sig.Dst == isa.Mask:
		return r.Sig.Src[1].Info().Float // except class tests
	}
	return !r.Has(isa.NoMods) && !r.Has(isa.CarryIn)
}

// oddOperandLLVM reports whether LLVM cannot write an operand of in as text.
func oddOperandLLVM(in isa.Inst, r *isa.Row) bool {
	var buf [6]isa.Operand
	for _, o := range in.Operands(buf[:0]) {
		constant := o.File == isa.NotReg
		switch {
		case o.File == isa.SReg && o.Field == isa.VDST && o.Code == gcn.M0: // v_readlane
			return true
		case constant && o.Code == isa.ConstInvTwoPi && o.Type.Info().Bits16 && !o.Type.Info().Float:
			return true
		// an exponent
		case constant && o.Field == isa.VSRC1 && in.Bool(isa.SRC1SEXT) && o.Type == isa.I16 && r.Sig.Dst == isa.F16:
			return true
		}
	}
	return false
}
