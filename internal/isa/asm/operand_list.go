package asm

import (
	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa"
)

// operandList returns the operands of in, in the order of LLVM.
func operandList(in isa.Inst, r *isa.Row) []part {
	switch r.Enc {
	case isa.SOP1, isa.SOP2, isa.SOPC:
		return scalarOperands(r)
	case isa.SOPK:
		return sopkOperands(r)
	case isa.SOPP:
		return soppOperands(r)
	case isa.SMEM:
		return smemOperands(r)
	case isa.VOP1, isa.VOP2, isa.VOPC, isa.VOP3A, isa.VOP3B, isa.VOP3P:
		return vectorOperands(in, r)
	case isa.VINTRP:
		return interpOperands(r, isa.ATTR)
	case isa.EXP:
		return exportOperands()
	case isa.DS:
		return dsOperands(r)
	case isa.MUBUF, isa.MTBUF:
		return bufferOperands(in, r)
	case isa.MIMG:
		return imageOperands(r)
	case isa.FLAT, isa.GLOBAL, isa.SCRATCH:
		return flatOperands(r)
	}
	return nil
}

// operandListCLRX returns the operands of in, in the order of CLRX.
func operandListCLRX(in isa.Inst, r *isa.Row) (ps []part) {
	for _, p := range operandList(in, r) {
		if p.kind != format {
			ps = append(ps, clrxOperand(in, r, p))
		}
	}
	switch {
	case r.Enc == isa.SOPP && len(ps) == 0:
		return []part{{kind: endImm, field: isa.SIMM16}}
	case r.Enc == isa.DS && r.Has(isa.NoAddr|isa.NoData) && !r.Mem.Ret: // ds_nop, ds_gws_sema_*
		return []part{{kind: vgpr, field: isa.ADDR, n: 1}}
	case r.Mem.Atomic == isa.CondXchg && r.Mem.Elem == 16: // CLRX has only the destination
		return ps[:1]
	}
	return ps
}

// clrxOperand converts LLVM's operand p to CLRX's form.
func clrxOperand(in isa.Inst, r *isa.Row, p part) part {
	switch {
	case r.Has(isa.Interpolates) && p.src == 2:
		p.file = registerOnly
	case r.Has(isa.Interpolates) || p.typ == isa.Mask:
	case r.Has(isa.ScalarSrc1) && p.src == 1 && r.Enc == isa.VOP2: // of GCN 1.0 and 1.1
	default:
		p.file = anyFile
	}
	switch {
	case p.kind == source || p.kind == vgpr:
		if p.n > 0 && p.field != isa.VDST && p.typ != isa.Mask {
			p.mods = clrxMods(in, p.mods)
		}
		if p.src == 1 && classifiesF64(r) {
			p.typ, p.n = isa.B64, 2
		}
	case p.kind == iaddr:
		p.n = clrxImageAddrs(r)
	case p.field == isa.SRSRC && in.Has(isa.R128):
		p.kind = resource
	}
	return p
}

// classifiesF64 reports whether r is a class test of F64, such as v_cmp_class_f64.
func classifiesF64(r *isa.Row) bool {
	return r.Sig.Dst == isa.Mask && r.Sig.Src[0] == isa.F64 && !r.Sig.Src[1].Info().Float
}

// clrxMods returns the input modifiers that CLRX prints. They are those for which the encoding has bits.
func clrxMods(in isa.Inst, m mods) mods {
	switch {
	case in.Enc == isa.VOP3A:
		return fpMods
	case in.Enc == isa.VOP3B:
		return abs3Mods
	case in.Enc == isa.VOP3P:
		return lowMods
	case in.Has(isa.SRC0SEL):
		return allMods
	case in.Has(isa.DPPCTRL):
		return sdwaMods
	}
	return m
}

func scalarOperands(r *isa.Row) []part {
	var ps []part
	if n := r.Sig.Dst.Info().Dwords; n > 0 {
		ps = append(ps, part{kind: sgpr, field: isa.SDST, n: uint8(n)})
	}
	for n, f := range [2]isa.Field{isa.SSRC0, isa.SSRC1} {
		if t := r.Sig.Src[n]; t != isa.None {
			ps = append(ps, part{kind: source, field: f, typ: t, n: uint8(t.Info().Dwords), file: scalarFile(r)})
		}
	}
	if r.Imm == isa.IndexImm { // the field of the second source has the mode
		ps[len(ps)-1].kind = gprIndex
	}
	return ps
}

// scalarFile returns the registers and constants that sources of scalar instruction r may be.
func scalarFile(r *isa.Row) files {
	if r.Has(isa.RegsOnly) {
		return scalarReg
	}
	return anyFile
}

// immKinds has the kinds of immediates. Immediates without an entry are plain numbers.
var immKinds = map[isa.Imm]kind{
	isa.WaitImm: waitcnt, isa.MessageImm: sendmsg, isa.EndImm: endImm, isa.IndexImm: gprIndex, isa.HwregImm: hwreg,
	isa.PlainImm: uimm16,
}

func sopkOperands(r *isa.Row) []part {
	imm := part{kind: immKinds[r.Imm], field: isa.SIMM16, typ: r.Sig.Src[1]}
	if r.Has(isa.Branch) {
		imm.kind = target
	}
	reg := part{kind: sgpr, field: isa.SDST, n: uint8(r.Sig.Dst.Info().Dwords)}
	switch {
	case r.Has(isa.LiteralK): // s_setreg_imm32_b32
		return []part{imm, {kind: literal, field: isa.LITERAL, typ: isa.I32}}
	case r.Sig.Dst == isa.None && imm.kind == hwreg: // s_setreg_b32
		reg.n = 1
		return []part{imm, reg}
	case r.Sig.Dst == isa.None:
		reg.n = uint8(r.Sig.Src[0].Info().Dwords)
	}
	return []part{reg, imm}
}

func soppOperands(r *isa.Row) []part {
	k := immKinds[r.Imm]
	switch {
	case r.Has(isa.Branch):
		k = target
	case r.Sig.Src[0] == isa.None && r.Imm == isa.PlainImm:
		return nil
	}
	return []part{{kind: k, field: isa.SIMM16}}
}

func smemOperands(r *isa.Row) []part {
	var ps []part
	switch {
	case r.Has(isa.NoData):
	case r.Mem.Elem == 0:
		ps = append(ps, part{kind: probe, field: isa.SDST})
	default:
		ps = append(ps, part{kind: sgpr, field: isa.SDST, n: r.Mem.Dwords, file: belowM0})
	}
	if r.Has(isa.NoOffset) {
		return ps
	}
	base := uint8(2)
	if r.Has(isa.BufferBase) {
		base = 4
	}
	return append(ps, part{kind: sgpr, field: isa.SBASE, n: base, unit: 2},
		part{kind: smemOffset, field: isa.OFFSET, typ: isa.I32, n: 1})
}

// vectorOperands returns the operands of a vector ALU instruction in any encoding.
func vectorOperands(in isa.Inst, r *isa.Row) []part {
	if r.Enc == isa.VOP3A && r.Has(isa.Interpolates) {
		return interpOperands(r, isa.SRC0)
	}
	vop3 := in.Enc == isa.VOP3A || in.Enc == isa.VOP3B
	ps := vectorDestinations(in, r, vop3)
	k := part{kind: literal, field: isa.LITERAL, typ: r.Sig.Src[1]}
	for n := range r.Sig.NumSrc {
		if n > 0 && r.Has(isa.KBeforeSrc1) {
			ps = append(ps, k)
		}
		ps = append(ps, vectorSource(in, r, n))
	}
	switch {
	case r.Has(isa.LiteralK) && !r.Has(isa.KBeforeSrc1):
		ps = append(ps, k)
	case r.Has(isa.CarryIn) && vop3:
		ps = append(ps, part{kind: source, field: isa.SRC2, src: 2, typ: isa.Mask, n: 2, file: scalarReg})
	case r.Has(isa.CarryIn):
		ps = append(ps, part{kind: vcc})
	}
	return ps
}

// vectorDestinations returns the destination and the carry out.
func vectorDestinations(in isa.Inst, r *isa.Row, vop3 bool) (ps []part) {
	switch {
	case r.Sig.Dst == isa.None:
	case r.Sig.Dst == isa.Mask && vop3:
		ps = append(ps, part{kind: sgpr, field: isa.VDST, n: 2})
	case r.Sig.Dst == isa.Mask && in.Has(isa.SDSTEN):
		ps = append(ps, part{kind: vccOut, field: isa.SDST, n: 2})
	case r.Sig.Dst == isa.Mask:
		ps = append(ps, part{kind: vcc})
	case r.Has(isa.ScalarDst):
		ps = append(ps, part{kind: sgpr, field: isa.VDST, n: 1})
	default:
		ps = append(ps, part{kind: vgpr, field: isa.VDST, n: uint8(r.Sig.Dst.Info().Dwords)})
	}
	switch {
	case in.Enc == isa.VOP3B:
		ps = append(ps, part{kind: sgpr, field: isa.SDST, n: 2})
	case r.Has(isa.CarryOut):
		ps = append(ps, part{kind: vcc})
	}
	return ps
}

// vectorSource returns source n as a part.
func vectorSource(in isa.Inst, r *isa.Row, n int) part {
	t := r.Sig.Src[n]
	p := part{kind: source, src: uint8(n), typ: t, n: uint8(t.Info().Dwords), mods: sourceMods(in, r, n)}
	addCarry := in.Enc == isa.VOP3B && r.Has(isa.NotCLRX) // LLVM's v_add_co_u32
	switch {
	case n == 0 && r.Has(isa.ScalarDst), r.Only[n] == isa.VReg, n == 1 && addCarry:
		p.file = vectorOnly
	case r.Has(isa.ScalarSrc1):
		p.file = scalarOnly
	}
	switch in.Enc {
	case isa.VOP3A, isa.VOP3B, isa.VOP3P:
		p.field = isa.SRC0 + isa.Field(n)
		return p
	}
	if n == 0 {
		p.field = isa.SRC0
		if in.Has(isa.DPPCTRL) || in.Has(isa.SRC0SEL) && !in.Has(isa.SRC0SGPR) {
			p.kind = vgpr
		}
		return p
	}
	p.field = isa.VSRC1
	if !in.Has(isa.SRC1SGPR) && !r.Has(isa.ScalarSrc1) {
		p.kind = vgpr
	}
	return p
}

// signed reports whether a source of type t can be negated. This holds for floats and for the sources of
// v_cndmask_b32.
func signed(r *isa.Row, t isa.Type) bool {
	return t.Info().Float || t == isa.B32 && r.Has(isa.CarryIn) && !r.Has(isa.CarryOut)
}

// sourceMods returns the input modifiers of source n, which depend on its type.
func sourceMods(in isa.Inst, r *isa.Row, n int) mods {
	t := r.Sig.Src[n]
	float := signed(r, t)
	switch {
	case in.Enc == isa.VOP3P:
		if r.Sig.Src[0] == isa.F32 || r.Sig.Src[0] == isa.F16 {
			return mixMods
		}
		return noMods
	case in.Enc == isa.VOP3A:
		if float {
			return fpMods
		}
	case in.Enc == isa.VOP3B:
		if float {
			return abs3Mods
		}
	case in.Has(isa.SRC0SEL):
		if float {
			return sdwaMods
		}
		return intMods
	case in.Has(isa.DPPCTRL):
		if float {
			return sdwaMods
		}
	}
	return noMods
}

// isInterpMov reports whether r reads a parameter of an attribute without interpolating.
func isInterpMov(r *isa.Row) bool { return r.Has(isa.Parameter) }

// interpOperands returns the operands of an attribute interpolation. attr is the field of the attribute:
// ATTR in VINTRP, SRC0 in VOP3.
func interpOperands(r *isa.Row, attr isa.Field) []part {
	vsrc := isa.VSRC1
	if attr == isa.SRC0 {
		vsrc = isa.SRC1
	}
	ps := []part{{kind: vgpr, field: isa.VDST, n: 1}}
	second := part{kind: source, field: vsrc, src: 1, typ: isa.F32, n: 1}
	if attr == isa.ATTR {
		second.kind = vgpr
	}
	if isInterpMov(r) {
		second.kind = interpParam
	}
	ps = append(ps, second, part{kind: interpAttr, field: attr})
	if attr == isa.ATTR {
		return ps
	}
	if second.kind == source {
		ps[1].mods, ps[1].file = fpMods, vectorOnly
	}
	if r.Sig.NumSrc > 1 {
		ps = append(ps, part{kind: source, field: isa.SRC2, src: 2, typ: isa.F32, n: 1, mods: fpMods, file: vectorOnly})
	}
	return ps
}

func exportOperands() []part {
	ps := []part{{kind: expTarget, field: isa.TGT}}
	for n := range uint8(4) {
		ps = append(ps, part{kind: expSource, field: isa.VDATA, src: n})
	}
	return ps
}

func dsOperands(r *isa.Row) []part {
	var ps []part
	m := r.Mem
	per := m.Dwords
	if r.Has(isa.Two) {
		per = (m.Elem + 3) / 4
	}
	if m.Ret {
		ps = append(ps, part{kind: vgpr, field: isa.VDST, n: m.Dwords})
	}
	if !r.Has(isa.NoAddr) {
		ps = append(ps, part{kind: vgpr, field: isa.ADDR, n: 1})
	}
	if !r.Has(isa.NoData) {
		ps = append(ps, part{kind: vgpr, field: isa.DATA0, n: per})
		if m.Second || r.Has(isa.Two) {
			ps = append(ps, part{kind: vgpr, field: isa.DATA1, n: per})
		}
	}
	return ps
}

func bufferOperands(in isa.Inst, r *isa.Row) []part {
	if r.Has(isa.NoData) && r.Mem.Elem == 0 { // buffer_wbinvl1
		return nil
	}
	var ps []part
	if !r.Has(isa.NoData) {
		ps = append(ps, part{kind: vdata, field: isa.VDATA})
	}
	if !r.Has(isa.NoAddr) {
		ps = append(ps, part{kind: vaddr, field: isa.ADDR})
	}
	ps = append(ps, part{kind: sgpr, field: isa.SRSRC, n: 4, unit: 4},
		part{kind: soffset, field: isa.SOFFSET, typ: isa.I32, n: 1})
	if in.Has(isa.DFMT) {
		ps = append(ps, part{kind: format, field: isa.DFMT})
	}
	return ps
}

func imageOperands(r *isa.Row) []part {
	ps := []part{{kind: vdata, field: isa.VDATA}, {kind: iaddr, field: isa.ADDR, n: imageAddrs(r)},
		{kind: sgpr, field: isa.SRSRC, n: 8, unit: 4}}
	if r.Has(isa.Sampler) {
		ps = append(ps, part{kind: sgpr, field: isa.SSAMP, n: 4, unit: 4})
	}
	return ps
}

func flatOperands(r *isa.Row) []part {
	var ps []part
	m := r.Mem
	if m.Op == gcn.Load || m.Op == gcn.Atomic {
		n := m.Dwords
		if m.Second {
			n = m.Elem / 4
		}
		ps = append(ps, part{kind: vdata, field: isa.VDST, n: n})
	}
	ps = append(ps, part{kind: vflat, field: isa.ADDR})
	if m.Op != gcn.Load {
		ps = append(ps, part{kind: vgpr, field: isa.VDATA, n: m.Dwords})
	}
	switch r.Enc {
	case isa.GLOBAL:
		ps = append(ps, part{kind: saddr, field: isa.SADDR, n: 2, file: belowM0})
	case isa.SCRATCH:
		ps = append(ps, part{kind: saddr, field: isa.SADDR, n: 1})
	}
	return ps
}
