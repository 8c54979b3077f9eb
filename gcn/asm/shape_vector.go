package asm

import "github.com/gcnsim/gcnsim/gcn"

// vectorParts describes the vector ALU instructions in all their encodings.
func vectorParts(in gcn.Inst, r *gcn.Row) []part {
	if r.Enc == gcn.VOP3A && r.Has(gcn.Interpolates) {
		return interpParts(in, r, gcn.SRC0)
	}
	var ps []part
	vop3 := in.Enc == gcn.VOP3A || in.Enc == gcn.VOP3B
	sdwa := in.Has(gcn.SRC0SEL)
	dpp := in.Has(gcn.DPPCTRL)
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
	k := part{kind: literal, field: gcn.LITERAL, typ: r.Sig.Src[1]}
	for n := range r.Sig.NumSrc {
		p := part{kind: source, src: uint8(n), typ: r.Sig.Src[n], n: uint8(r.Sig.Src[n].Info().Dwords), mods: sourceMods(in, r, n)}
		switch {
		case n == 0 && r.Has(gcn.ScalarDst), r.Only[n] == gcn.VReg, n == 1 && in.Enc == gcn.VOP3B && r.Has(gcn.NotCLRX): // LLVM's v_add_co_u32
			p.file = vectorOnly
		case r.Has(gcn.ScalarSrc1):
			p.file = scalarOnly
		}
		switch {
		case vop3 || in.Enc == gcn.VOP3P:
			p.field = gcn.SRC0 + gcn.Field(n)
		case n == 0:
			p.field = gcn.SRC0
			if dpp || sdwa && !in.Has(gcn.SRC0SGPR) {
				p.kind = vgpr
			}
		default:
			p.field = gcn.VSRC1
			if !in.Has(gcn.SRC1SGPR) && !r.Has(gcn.ScalarSrc1) {
				p.kind = vgpr
			}
			if r.Has(gcn.KBeforeSrc1) {
				ps = append(ps, k)
			}
		}
		ps = append(ps, p)
	}
	switch {
	case r.Has(gcn.LiteralK) && !r.Has(gcn.KBeforeSrc1):
		ps = append(ps, k)
	case r.Has(gcn.CarryIn) && vop3:
		ps = append(ps, part{kind: source, field: gcn.SRC2, src: 2, typ: gcn.Mask, n: 2, file: scalarReg})
	case r.Has(gcn.CarryIn):
		ps = append(ps, part{kind: vcc})
	}
	return append(ps, vectorModifiers(in, r)...)
}

// signed reports whether a source of type t can be negated: floats, and what
// v_cndmask_b32 chooses from.
func signed(r *gcn.Row, t gcn.Type) bool {
	return t.Info().Float || t == gcn.B32 && r.Has(gcn.CarryIn) && !r.Has(gcn.CarryOut)
}

// sourceMods says which modifiers source n takes: those of its type.
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

func vectorModifiers(in gcn.Inst, r *gcn.Row) []part {
	var ps []part
	clamp := part{kind: keyword, field: gcn.CLAMP, word: "clamp", no: true}
	mul := part{kind: omod, field: gcn.OMOD}
	switch {
	case in.Enc == gcn.VOP3P:
		n := uint8(r.Sig.NumSrc)
		ps = append(ps, part{kind: opSelP, field: gcn.OPSEL, n: n, word: "op_sel"}, part{kind: opSelHi, field: gcn.OPSELHI, n: n, word: "op_sel_hi"})
		if r.Sig.Src[0] == gcn.B32 { // v_dot4, v_dot8: there are no halves to select
			ps = nil
		}
		if sourceMods(in, r, 0) != mixMods {
			ps = append(ps, part{kind: negLo, field: gcn.NEG, n: n, word: "neg_lo"}, part{kind: negHi, field: gcn.NEGHI, n: n, word: "neg_hi"})
		}
		return append(ps, clamp)
	case in.Enc == gcn.VOP3A || in.Enc == gcn.VOP3B:
		if in.Has(gcn.OPSEL) && opSelRow(r) {
			ps = append(ps, part{kind: opSel, field: gcn.OPSEL, n: uint8(r.Sig.NumSrc), word: "op_sel"})
		}
		if in.Has(gcn.CLAMP) {
			ps = append(ps, clamp)
		}
		if (r.Sig.Dst.Info().Float || r.Has(gcn.OMODToo)) && in.Has(gcn.OMOD) {
			ps = append(ps, mul)
		}
	case in.Has(gcn.SRC0SEL):
		if r.Sig.Dst == gcn.None {
			return nil
		}
		if in.Has(gcn.CLAMP) {
			ps = append(ps, clamp)
		}
		if r.Sig.Dst.Info().Float && in.Has(gcn.OMOD) {
			ps = append(ps, mul)
		}
		if in.Has(gcn.DSTSEL) && r.Sig.Dst != gcn.Mask {
			ps = append(ps, part{kind: dstSel, field: gcn.DSTSEL, word: "dst_sel"}, part{kind: dstUnused, field: gcn.DSTUNUSED, word: "dst_unused"})
		}
		ps = append(ps, part{kind: srcSel, field: gcn.SRC0SEL, word: "src0_sel"})
		if r.Sig.NumSrc > 1 {
			ps = append(ps, part{kind: srcSel, field: gcn.SRC1SEL, word: "src1_sel"})
		}
	case in.Has(gcn.DPPCTRL):
		ps = append(ps, part{kind: dppCtrl, field: gcn.DPPCTRL}, part{kind: hexMask, field: gcn.ROWMASK, word: "row_mask"},
			part{kind: hexMask, field: gcn.BANKMASK, word: "bank_mask"}, part{kind: keyword, field: gcn.BOUNDCTRL, word: "bound_ctrl:1"})
	}
	return ps
}

// opSelRow reports whether OPSEL of VOP3 means halves: some operand has 16 bits, and
// the instruction is not one of GCN 1.2 kept under another name.
func opSelRow(r *gcn.Row) bool {
	if r.Enc != gcn.VOP3A || r.Has(gcn.NoOPSEL) {
		return false
	}
	if r.Has(gcn.OPSELToo) {
		return true
	}
	for _, t := range append(r.Sig.Src[:], r.Sig.Dst) {
		if t.Info().Bits16 {
			return true
		}
	}
	return false
}

// isInterpMov reports whether r interpolates nothing, but takes a parameter of an attribute.
func isInterpMov(r *gcn.Row) bool { return r.Has(gcn.Parameter) }

// interpParts describes the attribute interpolations. attr is the field of the
// attribute: ATTR of VINTRP, SRC0 of VOP3.
func interpParts(in gcn.Inst, r *gcn.Row, attr gcn.Field) []part {
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
	three := r.Sig.NumSrc > 1
	if second.kind == source {
		ps[1].mods, ps[1].file = fpMods, vectorOnly
	}
	if three {
		ps = append(ps, part{kind: source, field: gcn.SRC2, src: 2, typ: gcn.F32, n: 1, mods: fpMods, file: vectorOnly})
	}
	if r.Has(gcn.HalfAttr) {
		ps = append(ps, part{kind: high, field: gcn.SRC0, word: "high", no: true})
	}
	ps = append(ps, part{kind: keyword, field: gcn.CLAMP, word: "clamp", no: true})
	if in.Has(gcn.OPSEL) && r.Sig.Dst == gcn.F16 && opSelRow(r) {
		ps = append(ps, part{kind: opSel, field: gcn.OPSEL, n: 3, word: "op_sel"})
	}
	if r.Sig.Dst != gcn.F16 {
		ps = append(ps, part{kind: omod, field: gcn.OMOD})
	}
	return ps
}

func exportParts() []part {
	ps := []part{{kind: expTarget, field: gcn.TGT}}
	for n := range uint8(4) {
		ps = append(ps, part{kind: expSource, field: gcn.VDATA, src: n})
	}
	return append(ps, part{kind: keyword, field: gcn.DONE, word: "done"}, part{kind: keyword, field: gcn.COMPR, word: "compr"}, part{kind: keyword, field: gcn.VM, word: "vm"})
}
