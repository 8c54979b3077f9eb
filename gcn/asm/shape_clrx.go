package asm

import (
	"math/bits"

	"github.com/gcnsim/gcnsim/gcn"
)

// clrxForm is how clrxdisasm writes a form: the operands are LLVM's, with a few
// exceptions; the modifiers come in an order of its own, and fields that the
// instruction does not use are shown as name=value when they are not 0.
func clrxForm(in gcn.Inst) form {
	r := in.Row()
	f := form{name: clrxName(in), foreign: r.Has(gcn.NotCLRX)}
	for _, p := range newForm(in).parts {
		if p.operand() && p.kind != format {
			f.parts = append(f.parts, clrxOperand(in, r, p))
		}
	}
	switch {
	case r.Enc == gcn.SOPP && len(f.parts) == 0:
		f.parts = []part{{kind: endImm, field: gcn.SIMM16}}
	case r.Enc == gcn.DS && r.Has(gcn.NoAddr|gcn.NoData) && !r.Mem.Ret: // ds_nop, ds_gws_sema_*
		f.parts = []part{{kind: vgpr, field: gcn.ADDR, n: 1}}
	case r.Mem.Atomic == gcn.CondXchg && r.Mem.Elem == 16: // CLRX knows of the destination only
		f.parts = f.parts[:1]
	}
	f.parts = append(f.parts, clrxModifiers(in, r)...)
	for _, u := range unusedFields[in.Enc] {
		if in.Enc == gcn.SMEM && u.field == gcn.SDST && in.Target.Traits().SecondWord {
			u.word = "sdata"
		}
		if !in.Has(u.field) || used(f.parts, u.field) {
			continue
		}
		f.parts = append(f.parts, part{kind: unused, field: u.field, word: u.word})
		if n := int(u.field - gcn.SRC0); u.field >= gcn.SRC0 && u.field <= gcn.SRC2 && in.Enc != gcn.VOP3P {
			f.parts = append(f.parts, part{kind: unusedBit, field: gcn.ABS, src: uint8(n), word: unusedAbs[n]},
				part{kind: unusedBit, field: gcn.NEG, src: uint8(n), word: unusedNeg[n]})
		}
	}
	if in.Has(gcn.DPPCTRL) || in.Has(gcn.SRC0SEL) {
		f.parts = append(f.parts, unusedSecond(in, r)...)
	}
	if in.Has(gcn.SRC0SEL) {
		f.parts = append(f.parts, part{kind: secondMark, word: "sdwa"})
	}
	if in.Has(gcn.DPPCTRL) {
		f.parts = append(f.parts, part{kind: secondMark, word: "dpp"})
	}
	if in.Enc == gcn.EXP {
		for n := range uint8(4) {
			f.parts = append(f.parts, part{kind: unusedExp, src: n, word: unusedVSRC[n]})
		}
	}
	return f
}

// clrxName returns the mnemonic CLRX prints.
func clrxName(in gcn.Inst) string {
	r := in.Row()
	for op := gcn.Op(1); int(op) < gcn.NumOps() && !r.Has(gcn.Alias); op++ {
		if a := op.Row(); a.Has(gcn.CLRXName) && a.Enc == r.Enc && a.On(in.Target) && a.Code[in.Target.Gen()] == r.Code[in.Target.Gen()] {
			return a.Name
		}
	}
	return r.Name
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
	switch p.kind {
	case source, vgpr:
		if p.n > 0 && p.field != gcn.VDST && p.typ != gcn.Mask {
			p.mods = clrxMods(in, p.mods)
		}
		if r.Sig.Dst == gcn.Mask && r.Sig.Src[0] == gcn.F64 && !r.Sig.Src[1].Info().Float && p.src == 1 { // v_cmp_class_f64
			p.typ, p.n = gcn.B64, 2
		}
	case iaddr:
		p.n = clrxImageAddrs(r)
	case sbase:
		if p.field == gcn.SRSRC && in.Has(gcn.R128) {
			p.kind = resource
		}
	}
	return p
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

// unusedFields names the fields that clrxdisasm shows when no operand uses them.
var unusedFields = [gcn.NumEncodings][]struct {
	field gcn.Field
	word  string
}{
	gcn.SOP1:   {{gcn.SSRC0, "ssrc"}, {gcn.SDST, "sdst"}},
	gcn.SOP2:   {{gcn.SDST, "sdst"}},
	gcn.SOPK:   {{gcn.SDST, "sdst"}},
	gcn.SMEM:   {{gcn.SDST, "sdst"}, {gcn.SBASE, "sbase"}, {gcn.OFFSET, "offset"}, {gcn.IMM, "imm"}},
	gcn.VOP1:   {{gcn.VDST, "vdst"}, {gcn.SRC0, "src0"}},
	gcn.VOP3A:  {{gcn.VDST, "dst"}, {gcn.SRC0, "src0"}, {gcn.SRC1, "vsrc1"}, {gcn.SRC2, "vsrc2"}},
	gcn.VOP3B:  {{gcn.VDST, "dst"}, {gcn.SRC0, "src0"}, {gcn.SRC1, "vsrc1"}, {gcn.SRC2, "vsrc2"}},
	gcn.VOP3P:  {{gcn.SRC2, "vsrc2"}},
	gcn.DS:     {{gcn.ADDR, "vaddr"}, {gcn.DATA0, "vdata0"}, {gcn.DATA1, "vdata1"}, {gcn.VDST, "vdst"}},
	gcn.MUBUF:  {{gcn.ADDR, "vaddr"}, {gcn.VDATA, "vdata"}, {gcn.SRSRC, "srsrc"}, {gcn.SOFFSET, "soffset"}},
	gcn.MIMG:   {{gcn.SSAMP, "ssamp"}},
	gcn.FLAT:   {{gcn.VDATA, "vdata"}, {gcn.VDST, "vdst"}},
	gcn.GLOBAL: {{gcn.VDATA, "vdata"}, {gcn.VDST, "vdst"}}, gcn.SCRATCH: {{gcn.VDATA, "vdata"}, {gcn.VDST, "vdst"}},
}

// Words for bits of sources an instruction does not have.
var (
	unusedAbs  = [3]string{"abs0", "abs1", "abs2"}
	unusedNeg  = [3]string{"neg0", "neg1", "neg2"}
	unusedVSRC = [4]string{"vsrc0", "vsrc1", "vsrc2", "vsrc3"}
)

// unusedSecond lists the input modifiers of a second word that belong to no source.
func unusedSecond(in gcn.Inst, r *gcn.Row) []part {
	var ps []part
	for n, fields := range [2][3]gcn.Field{{gcn.SRC0SEXT, gcn.SRC0NEG, gcn.SRC0ABS}, {gcn.SRC1SEXT, gcn.SRC1NEG, gcn.SRC1ABS}} {
		if n < r.Sig.NumSrc {
			continue
		}
		for m, stem := range [3][2]string{{"sext0", "sext1"}, {"neg0", "neg1"}, {"abs0", "abs1"}} {
			if in.Has(fields[m]) {
				ps = append(ps, part{kind: unusedFlag, field: fields[m], word: stem[n]})
			}
		}
	}
	return ps
}

func used(ps []part, f gcn.Field) bool {
	for _, p := range ps {
		if p.field == f && p.kind != vcc && p.kind != expSource || p.kind == smemOffset && f == gcn.IMM {
			return true
		}
	}
	return false
}

func keywords(in gcn.Inst, list ...part) []part {
	var ps []part
	for _, p := range list {
		if p.kind != keyword || in.Has(p.field) {
			ps = append(ps, p)
		}
	}
	return ps
}

func key(f gcn.Field, word string) part { return part{kind: keyword, field: f, word: word} }

// clrxModifiers lists the modifiers in the order clrxdisasm prints them. Source: rule K18;
// clrxdisasm 0.1.9.
func clrxModifiers(in gcn.Inst, r *gcn.Row) []part {
	switch r.Enc {
	case gcn.SMEM:
		ps := keywords(in, key(gcn.GLC, "glc"), key(gcn.NV, "nv"))
		if in.Has(gcn.SOFFSET) && !r.Has(gcn.NoOffset) {
			ps = append(ps, part{kind: smemMore, field: gcn.OFFSET, word: "offset"})
		}
		return ps
	case gcn.EXP:
		return keywords(in, key(gcn.DONE, "done"), key(gcn.COMPR, "compr"), key(gcn.VM, "vm"))
	case gcn.DS:
		offset := []part{{kind: number, field: gcn.OFFSET, word: "offset"}}
		if r.Has(gcn.Two) {
			offset = []part{{kind: number, field: gcn.OFFSET0, word: "offset0"}, {kind: number, field: gcn.OFFSET1, word: "offset1"}}
		}
		return append(offset, key(gcn.GDS, "gds"))
	case gcn.MUBUF, gcn.MTBUF:
		ps := keywords(in, key(gcn.OFFEN, "offen"), key(gcn.IDXEN, "idxen"), part{kind: number, field: gcn.OFFSET, word: "offset"},
			key(gcn.GLC, "glc"), key(gcn.SLC, "slc"), key(gcn.ADDR64, "addr64"), key(gcn.LDS, "lds"), key(gcn.TFE, "tfe"))
		if in.Has(gcn.DFMT) {
			ps = append(ps, part{kind: formatMod, field: gcn.DFMT, word: "format"})
		}
		return ps
	case gcn.MIMG:
		return keywords(in, part{kind: dmask, field: gcn.DMASK, word: "dmask"}, key(gcn.UNRM, "unorm"), key(gcn.GLC, "glc"), key(gcn.SLC, "slc"),
			key(gcn.R128, "r128"), key(gcn.A16, "a16"), key(gcn.TFE, "tfe"), key(gcn.LWE, "lwe"), key(gcn.DA, "da"), key(gcn.D16, "d16"))
	case gcn.FLAT, gcn.GLOBAL, gcn.SCRATCH:
		ps := keywords(in, key(gcn.LDS, "lds"), key(gcn.GLC, "glc"), key(gcn.SLC, "slc"), key(gcn.TFE, "tfe"), key(gcn.NV, "nv"))
		if in.Has(gcn.OFFSET) {
			ps = append([]part{{kind: flatOffset, field: gcn.OFFSET, word: "inst_offset"}}, ps...)
		}
		return ps
	case gcn.VOP1, gcn.VOP2, gcn.VOPC, gcn.VOP3A, gcn.VOP3B, gcn.VOP3P:
		return clrxVectorModifiers(in, r)
	}
	return nil
}

func clrxVectorModifiers(in gcn.Inst, r *gcn.Row) []part {
	mul, clamp := part{kind: omod, field: gcn.OMOD}, key(gcn.CLAMP, "clamp")
	n := uint8(r.Sig.NumSrc)
	switch {
	case r.Has(gcn.CarryIn):
		n = 3
	case r.Has(gcn.Interpolates): // CLRX takes all four elements
		n = 3
	}
	switch {
	case in.Enc == gcn.VOP3P:
		return []part{{kind: opSelP, field: gcn.OPSEL, n: n, word: "op_sel"}, {kind: opSelHi, field: gcn.OPSELHI, n: n, word: "op_sel_hi"},
			{kind: negLo, field: gcn.NEG, n: n, word: "neg_lo"}, {kind: negHi, field: gcn.NEGHI, n: n, word: "neg_hi"}, clamp}
	case in.Enc == gcn.VOP3A || in.Enc == gcn.VOP3B:
		var ps []part
		if r.Has(gcn.Interpolates) {
			ps = append(ps, part{kind: high, field: gcn.SRC0, word: "high"})
		}
		if in.Has(gcn.OPSEL) {
			ps = append(ps, part{kind: opSel, field: gcn.OPSEL, n: n, word: "op_sel"})
		}
		ps = append(ps, mul)
		if in.Has(gcn.CLAMP) {
			ps = append(ps, clamp)
		}
		if r.Enc != in.Enc || severalForms(r.Name, in.Target) {
			ps = append(ps, part{kind: vop3Mark, word: "vop3"})
		}
		return ps
	case in.Has(gcn.SRC0SEL):
		var ps []part
		if in.Has(gcn.OMOD) {
			ps = append(ps, mul)
		}
		if in.Has(gcn.CLAMP) {
			ps = append(ps, clamp)
		}
		if in.Has(gcn.DSTSEL) {
			ps = append(ps, part{kind: dstSel, field: gcn.DSTSEL, word: "dst_sel"}, part{kind: dstUnused, field: gcn.DSTUNUSED, word: "dst_unused"})
		}
		if n > 0 {
			ps = append(ps, part{kind: srcSel, field: gcn.SRC0SEL, word: "src0_sel"})
		}
		if n > 1 {
			ps = append(ps, part{kind: srcSel, field: gcn.SRC1SEL, word: "src1_sel"})
		}
		return ps
	case in.Has(gcn.DPPCTRL):
		return []part{{kind: dppCtrl, field: gcn.DPPCTRL}, key(gcn.BOUNDCTRL, "bound_ctrl"),
			{kind: number, field: gcn.BANKMASK, word: "bank_mask"}, {kind: number, field: gcn.ROWMASK, word: "row_mask"}}
	}
	return nil
}

// clrxImageAddrs is how many address VGPRs CLRX writes: at least four.
func clrxImageAddrs(r *gcn.Row) uint8 { return uint8(max(clrxAddrs(r), 4)) }

// clrxAddrs is how many address VGPRs CLRX asks for: one for a coordinate and for each
// argument, of which derivatives are two.
func clrxAddrs(r *gcn.Row) int {
	n := int(imageAddrs(r)) + bits.OnesCount16(uint16(r.Addr&(gcn.AddrClamp|gcn.AddrLOD|gcn.AddrDeriv)))
	if r.Addr&gcn.NoBody != 0 {
		n--
	}
	return n
}

// clrxData is how many data VGPRs an image instruction has in CLRX syntax, which lets
// gathers have four always.
func clrxData(in gcn.Inst) int {
	if in.Row().Has(gcn.Gathers) {
		return 4
	}
	n := bits.OnesCount32(in.Get(gcn.DMASK))
	if in.Bool(gcn.D16) && in.Target.Traits().PackedD16 {
		n = (n + 1) / 2
	}
	return n + int(in.Get(gcn.TFE))
}
