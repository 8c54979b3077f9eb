package asm

import "github.com/gcnsim/gcnsim/gcn"

// operandList lists the operands of in in their order, as LLVM has them.
func operandList(in gcn.Inst, r *gcn.Row) []part {
	switch r.Enc {
	case gcn.SOP1, gcn.SOP2, gcn.SOPC:
		return scalarOperands(r)
	case gcn.SOPK:
		return sopkOperands(r)
	case gcn.SOPP:
		return soppOperands(r)
	case gcn.SMEM:
		return smemOperands(r)
	case gcn.VOP1, gcn.VOP2, gcn.VOPC, gcn.VOP3A, gcn.VOP3B, gcn.VOP3P:
		return vectorOperands(in, r)
	case gcn.VINTRP:
		return interpOperands(r, gcn.ATTR)
	case gcn.EXP:
		return exportOperands()
	case gcn.DS:
		return dsOperands(r)
	case gcn.MUBUF, gcn.MTBUF:
		return bufferOperands(in, r)
	case gcn.MIMG:
		return imageOperands(r)
	case gcn.FLAT, gcn.GLOBAL, gcn.SCRATCH:
		return flatOperands(r)
	}
	return nil
}

// operandListCLRX lists the operands of in as CLRX has them.
func operandListCLRX(in gcn.Inst, r *gcn.Row) (ps []part) {
	for _, p := range operandList(in, r) {
		if p.kind != format {
			ps = append(ps, clrxOperand(in, r, p))
		}
	}
	switch {
	case r.Enc == gcn.SOPP && len(ps) == 0:
		return []part{{kind: endImm, field: gcn.SIMM16}}
	case r.Enc == gcn.DS && r.Has(gcn.NoAddr|gcn.NoData) && !r.Mem.Ret: // ds_nop, ds_gws_sema_*
		return []part{{kind: vgpr, field: gcn.ADDR, n: 1}}
	case r.Mem.Atomic == gcn.CondXchg && r.Mem.Elem == 16: // CLRX knows of the destination only
		return ps[:1]
	}
	return ps
}

// clrxOperand is what CLRX makes of LLVM's operand p.
func clrxOperand(in gcn.Inst, r *gcn.Row, p part) part {
	switch {
	case r.Has(gcn.Interpolates) && p.src == 2:
		p.file = registerOnly
	case r.Has(gcn.Interpolates) || p.typ == gcn.Mask:
	case r.Has(gcn.ScalarSrc1) && p.src == 1 && r.Enc == gcn.VOP2: // of GCN 1.0 and 1.1
	default:
		p.file = anyFile
	}
	switch {
	case p.kind == source || p.kind == vgpr:
		if p.n > 0 && p.field != gcn.VDST && p.typ != gcn.Mask {
			p.mods = clrxMods(in, p.mods)
		}
		if p.src == 1 && classifiesF64(r) {
			p.typ, p.n = gcn.B64, 2
		}
	case p.kind == iaddr:
		p.n = clrxImageAddrs(r)
	case p.field == gcn.SRSRC && in.Has(gcn.R128):
		p.kind = resource
	}
	return p
}

// classifiesF64 reports whether r is v_cmp_class_f64 or its kin.
func classifiesF64(r *gcn.Row) bool {
	return r.Sig.Dst == gcn.Mask && r.Sig.Src[0] == gcn.F64 && !r.Sig.Src[1].Info().Float
}

// clrxMods says which input modifiers CLRX shows: whatever the encoding has bits for.
func clrxMods(in gcn.Inst, m mods) mods {
	switch {
	case in.Enc == gcn.VOP3A:
		return fpMods
	case in.Enc == gcn.VOP3B:
		return abs3Mods
	case in.Enc == gcn.VOP3P:
		return lowMods
	case in.Has(gcn.SRC0SEL):
		return allMods
	case in.Has(gcn.DPPCTRL):
		return sdwaMods
	}
	return m
}

func scalarOperands(r *gcn.Row) []part {
	var ps []part
	if n := r.Sig.Dst.Info().Dwords; n > 0 {
		ps = append(ps, part{kind: sgpr, field: gcn.SDST, n: uint8(n)})
	}
	for n, f := range [2]gcn.Field{gcn.SSRC0, gcn.SSRC1} {
		if t := r.Sig.Src[n]; t != gcn.None {
			ps = append(ps, part{kind: source, field: f, typ: t, n: uint8(t.Info().Dwords), file: scalarFile(r)})
		}
	}
	if r.Imm == gcn.IndexImm { // the mode is in the field of the second source
		ps[len(ps)-1].kind = gprIndex
	}
	return ps
}

// scalarFile is the file of the sources of scalar instruction r.
func scalarFile(r *gcn.Row) files {
	if r.Has(gcn.RegsOnly) {
		return scalarReg
	}
	return anyFile
}

// immKinds says how the immediates of rows are written; the others are plain numbers.
var immKinds = map[gcn.Imm]kind{
	gcn.WaitImm: waitcnt, gcn.MessageImm: sendmsg, gcn.EndImm: endImm, gcn.IndexImm: gprIndex, gcn.HwregImm: hwreg,
	gcn.PlainImm: uimm16,
}

func sopkOperands(r *gcn.Row) []part {
	imm := part{kind: immKinds[r.Imm], field: gcn.SIMM16, typ: r.Sig.Src[1]}
	if r.Has(gcn.Branch) {
		imm.kind = target
	}
	reg := part{kind: sgpr, field: gcn.SDST, n: uint8(r.Sig.Dst.Info().Dwords)}
	switch {
	case r.Has(gcn.LiteralK): // s_setreg_imm32_b32
		return []part{imm, {kind: literal, field: gcn.LITERAL, typ: gcn.I32}}
	case r.Sig.Dst == gcn.None && imm.kind == hwreg: // s_setreg_b32
		reg.n = 1
		return []part{imm, reg}
	case r.Sig.Dst == gcn.None:
		reg.n = uint8(r.Sig.Src[0].Info().Dwords)
	}
	return []part{reg, imm}
}

func soppOperands(r *gcn.Row) []part {
	k := immKinds[r.Imm]
	switch {
	case r.Has(gcn.Branch):
		k = target
	case r.Sig.Src[0] == gcn.None && r.Imm == gcn.PlainImm:
		return nil
	}
	return []part{{kind: k, field: gcn.SIMM16}}
}

func smemOperands(r *gcn.Row) []part {
	var ps []part
	switch {
	case r.Has(gcn.NoData):
	case r.Mem.Elem == 0:
		ps = append(ps, part{kind: probe, field: gcn.SDST})
	default:
		ps = append(ps, part{kind: sgpr, field: gcn.SDST, n: r.Mem.Dwords, file: belowM0})
	}
	if r.Has(gcn.NoOffset) {
		return ps
	}
	base := uint8(2)
	if r.Has(gcn.BufferBase) {
		base = 4
	}
	return append(ps, part{kind: sgpr, field: gcn.SBASE, n: base, unit: 2},
		part{kind: smemOffset, field: gcn.OFFSET, typ: gcn.I32, n: 1})
}

// vectorOperands lists the operands of the vector ALU instructions in all their encodings.
func vectorOperands(in gcn.Inst, r *gcn.Row) []part {
	if r.Enc == gcn.VOP3A && r.Has(gcn.Interpolates) {
		return interpOperands(r, gcn.SRC0)
	}
	vop3 := in.Enc == gcn.VOP3A || in.Enc == gcn.VOP3B
	ps := vectorDestinations(in, r, vop3)
	k := part{kind: literal, field: gcn.LITERAL, typ: r.Sig.Src[1]}
	for n := range r.Sig.NumSrc {
		if n > 0 && r.Has(gcn.KBeforeSrc1) {
			ps = append(ps, k)
		}
		ps = append(ps, vectorSource(in, r, n))
	}
	switch {
	case r.Has(gcn.LiteralK) && !r.Has(gcn.KBeforeSrc1):
		ps = append(ps, k)
	case r.Has(gcn.CarryIn) && vop3:
		ps = append(ps, part{kind: source, field: gcn.SRC2, src: 2, typ: gcn.Mask, n: 2, file: scalarReg})
	case r.Has(gcn.CarryIn):
		ps = append(ps, part{kind: vcc})
	}
	return ps
}

// vectorDestinations lists the destination and the carry out.
func vectorDestinations(in gcn.Inst, r *gcn.Row, vop3 bool) (ps []part) {
	switch {
	case r.Sig.Dst == gcn.None:
	case r.Sig.Dst == gcn.Mask && vop3:
		ps = append(ps, part{kind: sgpr, field: gcn.VDST, n: 2})
	case r.Sig.Dst == gcn.Mask && in.Has(gcn.SDSTEN):
		ps = append(ps, part{kind: vccOut, field: gcn.SDST, n: 2})
	case r.Sig.Dst == gcn.Mask:
		ps = append(ps, part{kind: vcc})
	case r.Has(gcn.ScalarDst):
		ps = append(ps, part{kind: sgpr, field: gcn.VDST, n: 1})
	default:
		ps = append(ps, part{kind: vgpr, field: gcn.VDST, n: uint8(r.Sig.Dst.Info().Dwords)})
	}
	switch {
	case in.Enc == gcn.VOP3B:
		ps = append(ps, part{kind: sgpr, field: gcn.SDST, n: 2})
	case r.Has(gcn.CarryOut):
		ps = append(ps, part{kind: vcc})
	}
	return ps
}

// vectorSource returns source n.
func vectorSource(in gcn.Inst, r *gcn.Row, n int) part {
	t := r.Sig.Src[n]
	p := part{kind: source, src: uint8(n), typ: t, n: uint8(t.Info().Dwords), mods: sourceMods(in, r, n)}
	addCarry := in.Enc == gcn.VOP3B && r.Has(gcn.NotCLRX) // LLVM's v_add_co_u32
	switch {
	case n == 0 && r.Has(gcn.ScalarDst), r.Only[n] == gcn.VReg, n == 1 && addCarry:
		p.file = vectorOnly
	case r.Has(gcn.ScalarSrc1):
		p.file = scalarOnly
	}
	switch in.Enc {
	case gcn.VOP3A, gcn.VOP3B, gcn.VOP3P:
		p.field = gcn.SRC0 + gcn.Field(n)
		return p
	}
	if n == 0 {
		p.field = gcn.SRC0
		if in.Has(gcn.DPPCTRL) || in.Has(gcn.SRC0SEL) && !in.Has(gcn.SRC0SGPR) {
			p.kind = vgpr
		}
		return p
	}
	p.field = gcn.VSRC1
	if !in.Has(gcn.SRC1SGPR) && !r.Has(gcn.ScalarSrc1) {
		p.kind = vgpr
	}
	return p
}

// signed reports whether a source of type t can be negated: floats, and what
// v_cndmask_b32 chooses from.
func signed(r *gcn.Row, t gcn.Type) bool {
	return t.Info().Float || t == gcn.B32 && r.Has(gcn.CarryIn) && !r.Has(gcn.CarryOut)
}

// sourceMods returns the modifiers that source n takes. They depend on its type.
func sourceMods(in gcn.Inst, r *gcn.Row, n int) mods {
	t := r.Sig.Src[n]
	float := signed(r, t)
	switch {
	case in.Enc == gcn.VOP3P:
		if r.Sig.Src[0] == gcn.F32 || r.Sig.Src[0] == gcn.F16 {
			return mixMods
		}
		return noMods
	case in.Enc == gcn.VOP3A:
		if float {
			return fpMods
		}
	case in.Enc == gcn.VOP3B:
		if float {
			return abs3Mods
		}
	case in.Has(gcn.SRC0SEL):
		if float {
			return sdwaMods
		}
		return intMods
	case in.Has(gcn.DPPCTRL):
		if float {
			return sdwaMods
		}
	}
	return noMods
}

// isInterpMov reports whether r interpolates nothing, but takes a parameter of an attribute.
func isInterpMov(r *gcn.Row) bool { return r.Has(gcn.Parameter) }

// interpOperands lists the operands of the attribute interpolations. attr is the field of the
// attribute: ATTR of VINTRP, SRC0 of VOP3.
func interpOperands(r *gcn.Row, attr gcn.Field) []part {
	vsrc := gcn.VSRC1
	if attr == gcn.SRC0 {
		vsrc = gcn.SRC1
	}
	ps := []part{{kind: vgpr, field: gcn.VDST, n: 1}}
	second := part{kind: source, field: vsrc, src: 1, typ: gcn.F32, n: 1}
	if attr == gcn.ATTR {
		second.kind = vgpr
	}
	if isInterpMov(r) {
		second.kind = interpParam
	}
	ps = append(ps, second, part{kind: interpAttr, field: attr})
	if attr == gcn.ATTR {
		return ps
	}
	if second.kind == source {
		ps[1].mods, ps[1].file = fpMods, vectorOnly
	}
	if r.Sig.NumSrc > 1 {
		ps = append(ps, part{kind: source, field: gcn.SRC2, src: 2, typ: gcn.F32, n: 1, mods: fpMods, file: vectorOnly})
	}
	return ps
}

func exportOperands() []part {
	ps := []part{{kind: expTarget, field: gcn.TGT}}
	for n := range uint8(4) {
		ps = append(ps, part{kind: expSource, field: gcn.VDATA, src: n})
	}
	return ps
}

func dsOperands(r *gcn.Row) []part {
	var ps []part
	m := r.Mem
	per := m.Dwords
	if r.Has(gcn.Two) {
		per = (m.Elem + 3) / 4
	}
	if m.Ret {
		ps = append(ps, part{kind: vgpr, field: gcn.VDST, n: m.Dwords})
	}
	if !r.Has(gcn.NoAddr) {
		ps = append(ps, part{kind: vgpr, field: gcn.ADDR, n: 1})
	}
	if !r.Has(gcn.NoData) {
		ps = append(ps, part{kind: vgpr, field: gcn.DATA0, n: per})
		if m.Second || r.Has(gcn.Two) {
			ps = append(ps, part{kind: vgpr, field: gcn.DATA1, n: per})
		}
	}
	return ps
}

func bufferOperands(in gcn.Inst, r *gcn.Row) []part {
	if r.Has(gcn.NoData) && r.Mem.Elem == 0 { // buffer_wbinvl1
		return nil
	}
	var ps []part
	if !r.Has(gcn.NoData) {
		ps = append(ps, part{kind: vdata, field: gcn.VDATA})
	}
	if !r.Has(gcn.NoAddr) {
		ps = append(ps, part{kind: vaddr, field: gcn.ADDR})
	}
	ps = append(ps, part{kind: sgpr, field: gcn.SRSRC, n: 4, unit: 4},
		part{kind: soffset, field: gcn.SOFFSET, typ: gcn.I32, n: 1})
	if in.Has(gcn.DFMT) {
		ps = append(ps, part{kind: format, field: gcn.DFMT})
	}
	return ps
}

func imageOperands(r *gcn.Row) []part {
	ps := []part{{kind: vdata, field: gcn.VDATA}, {kind: iaddr, field: gcn.ADDR, n: imageAddrs(r)},
		{kind: sgpr, field: gcn.SRSRC, n: 8, unit: 4}}
	if r.Has(gcn.Sampler) {
		ps = append(ps, part{kind: sgpr, field: gcn.SSAMP, n: 4, unit: 4})
	}
	return ps
}

func flatOperands(r *gcn.Row) []part {
	var ps []part
	m := r.Mem
	if m.Op == gcn.Load || m.Op == gcn.Atomic {
		n := m.Dwords
		if m.Second {
			n = m.Elem / 4
		}
		ps = append(ps, part{kind: vdata, field: gcn.VDST, n: n})
	}
	ps = append(ps, part{kind: vflat, field: gcn.ADDR})
	if m.Op != gcn.Load {
		ps = append(ps, part{kind: vgpr, field: gcn.VDATA, n: m.Dwords})
	}
	switch r.Enc {
	case gcn.GLOBAL:
		ps = append(ps, part{kind: saddr, field: gcn.SADDR, n: 2, file: belowM0})
	case gcn.SCRATCH:
		ps = append(ps, part{kind: saddr, field: gcn.SADDR, n: 1})
	}
	return ps
}
