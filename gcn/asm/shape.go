package asm

import (
	"strings"
	"sync"

	"github.com/gcnsim/gcnsim/gcn"
)

// kind says how a part of an instruction's text is written.
type kind uint8

// The operands, in the order of the text, are separated by commas; modifiers follow,
// separated by spaces.
const (
	source  kind = iota // operand code of a source: register, constant or literal
	vgpr                // VGPR number
	sgpr                // scalar register, operand code below 128
	sbase               // scalar register in units of unit registers (SBASE, SRSRC, SSAMP)
	vcc                 // the word vcc: an implied operand
	vccOut              // SDST of a compare with SDWA, vcc unless SDWA names another
	literal             // the 32-bit constant of v_madak and its kin
	target              // SIMM16 of a branch
	uimm16              // SIMM16 as a number
	endImm              // SIMM16 of s_endpgm, left out if 0
	waitcnt
	hwreg
	sendmsg
	gprIndex // mode of s_set_gpr_idx_mode
	gprIdxOn // SSRC1 of s_set_gpr_idx_on: an index mode in the operand field
	smemOffset
	probe    // SDATA of s_atc_probe, a number
	vaddr    // MUBUF address VGPRs, or off
	vdata    // data of MUBUF, MTBUF and MIMG: width depends on modifiers
	iaddr    // MIMG address
	vflat    // address of FLAT, GLOBAL and SCRATCH
	resource // T# of CLRX: four registers with R128
	saddr    // scalar address, or off
	format   // MTBUF format: follows the operand before it without a comma
	expTarget
	expSource
	interpParam // p10, p20 or p0
	interpAttr  // attr0.x

	lastOperand = interpAttr
)

// The modifiers.
const (
	keyword    kind = lastOperand + 1 + iota // a word that sets a one-bit field
	number                                   // word:N, left out if 0
	cachePol                                 // glc slc, in any order
	high                                     // the upper half of an attribute, OPSEL of v_interp
	omod                                     // mul:2 mul:4 div:2
	opSel                                    // op_sel:[0,1] of VOP3
	opSelP                                   // op_sel:[0,1] of packed instructions
	opSelHi                                  // op_sel_hi:[1,1]
	negLo                                    // neg_lo:[0,0]
	negHi                                    // neg_hi:[0,0]
	dstSel                                   // dst_sel:DWORD
	dstUnused                                // dst_unused:UNUSED_PAD
	srcSel                                   // src0_sel:DWORD
	dppCtrl                                  // quad_perm:[0,1,2,3] and its kin
	hexMask                                  // row_mask:0xf
	swizzle                                  // offset:swizzle(...)
	dmask                                    // dmask:0x1
	implied                                  // a word always written: gds of ds_gws_*
	flatOffset                               // signed offset:N
	smemMore                                 // offset:N beside a register offset
	formatMod                                // format:[32,float] of CLRX
	unused                                   // name=N of CLRX: a field the instruction does not use
	unusedBit                                // abs1 of CLRX: a bit of a source that is not there
	unusedExp                                // vsrc1=N of CLRX: a source that is off
	vop3Mark                                 // vop3 of CLRX
	sdwaMark                                 // sdwa of CLRX
)

// mods says which input modifiers a source takes.
type mods uint8

const (
	noMods   mods = iota
	fpMods        // NEG and ABS: -x, |x|
	intMods       // SEXT: sext(x)
	mixMods       // NEG and NEG_HI: -x, |x| of v_mad_mix
	sdwaMods      // NEG and ABS of SDWA and DPP
	allMods       // NEG, ABS and SEXT of SDWA, as CLRX writes them: sext(-abs(x))
	abs3Mods      // NEG of VOP3B, which has no ABS
)

// part is one operand or modifier of an instruction.
type part struct {
	kind  kind
	field gcn.Field
	typ   gcn.Type // type of a source
	n     uint8    // registers of an operand; unit of sbase is in unit
	unit  uint8
	src   uint8 // which source
	mods  mods
	file  files
	word  string // word of a modifier
}

// files says which registers and constants a source may be.
type files uint8

const (
	anyFile    files = iota
	vectorOnly       // VGPRs
	scalarOnly       // scalar registers and constants
	scalarReg        // scalar registers
)

func (p part) operand() bool { return p.kind <= lastOperand }

// form is how one row is written in one encoding on one generation.
type form struct {
	name    string // the mnemonic, with LLVM's suffix _e32, _e64, _sdwa or _dpp
	parts   []part
	foreign bool // the syntax does not know the instruction by this name
}

// formTables holds the forms, [encoding][op], of each syntax and generation.
var formTables [2][gcn.NumGens]struct {
	once  sync.Once
	forms [gcn.NumEncodings][]form
}

// formOf returns how op is written in encoding e on g.
func formOf(g gcn.Gen, op gcn.Op, e gcn.Encoding, s Syntax) *form {
	t := &formTables[s][g]
	t.once.Do(func() {
		for e := gcn.SOP1; int(e) < gcn.NumEncodings; e++ {
			t.forms[e] = make([]form, gcn.NumOps())
			for op := gcn.Op(1); int(op) < gcn.NumOps(); op++ {
				in, err := gcn.New(g, op, e)
				switch {
				case err != nil:
				case s == CLRX:
					t.forms[e][op] = clrxForm(in)
				default:
					t.forms[e][op] = newForm(in)
				}
			}
		}
	})
	return &t.forms[e][op]
}

func newForm(in gcn.Inst) form {
	r := in.Row()
	f := form{name: r.Name + suffix(in), foreign: r.Has(gcn.Alias)} // aliases are spellings of CLRX
	switch r.Enc {
	case gcn.SOP1, gcn.SOP2, gcn.SOPC:
		f.parts = scalarParts(r)
	case gcn.SOPK:
		f.parts = sopkParts(r)
	case gcn.SOPP:
		f.parts = soppParts(r)
	case gcn.SMEM:
		f.parts = smemParts(in, r)
	case gcn.VOP1, gcn.VOP2, gcn.VOPC, gcn.VOP3A, gcn.VOP3B, gcn.VOP3P:
		f.parts = vectorParts(in, r)
	case gcn.VINTRP:
		f.parts = interpParts(in, r, gcn.ATTR)
	case gcn.EXP:
		f.parts = exportParts()
	case gcn.DS:
		f.parts = dsParts(r)
	case gcn.MUBUF, gcn.MTBUF:
		f.parts = bufferParts(in, r)
	case gcn.MIMG:
		f.parts = imageParts(in, r)
	case gcn.FLAT, gcn.GLOBAL, gcn.SCRATCH:
		f.parts = flatParts(in, r)
	}
	return f
}

// suffix is what LLVM appends to the mnemonic: instructions with a 32-bit and a 64-bit
// encoding, and those with a second word, say which it is.
func suffix(in gcn.Inst) string {
	r := in.Row()
	if r.Sig.Dst == gcn.None { // v_nop, v_clrexcp
		return ""
	}
	switch in.Enc {
	case gcn.VOPCSDWA:
		if in.Has(gcn.SDSTEN) {
			return "_sdwa"
		}
	case gcn.VOP1SDWA, gcn.VOP2SDWA:
		return "_sdwa"
	case gcn.VOP1DPP, gcn.VOP2DPP, gcn.VOPCDPP:
		return "_dpp"
	case gcn.VOP1, gcn.VOP2, gcn.VOPC:
		if r.Has(gcn.NoVOP3) || r.Has(gcn.ScalarDst) {
			return ""
		}
		return "_e32"
	case gcn.VINTRP:
		if in.Gen.Traits().SecondWord {
			return "_e32"
		}
	case gcn.VOP3A, gcn.VOP3B:
		if r.Enc != in.Enc || len(gcn.Lookup(r.Name, in.Gen)) > 1 {
			return "_e64"
		}
	}
	return ""
}

func scalarParts(r *gcn.Row) []part {
	var ps []part
	if n := r.Sig.Dst.Dwords(); n > 0 {
		ps = append(ps, part{kind: sgpr, field: gcn.SDST, n: uint8(n)})
	}
	for n, f := range [2]gcn.Field{gcn.SSRC0, gcn.SSRC1} {
		if t := r.Sig.Src[n]; t != gcn.None {
			ps = append(ps, part{kind: source, field: f, typ: t, n: uint8(t.Dwords()), file: scalarFile(r)})
		}
	}
	if k, ok := specialImm[r.Name]; ok {
		ps[len(ps)-1].kind = k
	}
	return ps
}

// scalarFile is the file of the sources of scalar instruction r: jumps and relative
// moves take registers only.
func scalarFile(r *gcn.Row) files {
	switch r.Name {
	case "s_setpc_b64", "s_swappc_b64", "s_rfe_b64", "s_cbranch_join", "s_cbranch_g_fork", "s_movrels_b32", "s_movrels_b64":
		return scalarReg
	}
	return anyFile
}

// specialImm lists the immediates that are written as expressions of their own.
var specialImm = map[string]kind{
	"s_waitcnt": waitcnt, "s_sendmsg": sendmsg, "s_sendmsghalt": sendmsg, "s_endpgm": endImm,
	"s_set_gpr_idx_mode": gprIndex, "s_set_gpr_idx_on": gprIdxOn,
	"s_getreg_b32": hwreg, "s_setreg_b32": hwreg, "s_setreg_imm32_b32": hwreg, "s_getreg_regrd_b32": hwreg,
}

func sopkParts(r *gcn.Row) []part {
	imm := part{kind: uimm16, field: gcn.SIMM16}
	if k, ok := specialImm[r.Name]; ok {
		imm.kind = k
	}
	if r.Has(gcn.Branch) {
		imm.kind = target
	}
	reg := part{kind: sgpr, field: gcn.SDST, n: uint8(r.Sig.Dst.Dwords())}
	switch {
	case r.Has(gcn.LiteralK): // s_setreg_imm32_b32
		return []part{imm, {kind: literal, field: gcn.LITERAL, typ: gcn.I32}}
	case r.Sig.Dst == gcn.None && imm.kind == hwreg: // s_setreg_b32
		reg.n = 1
		return []part{imm, reg}
	case r.Sig.Dst == gcn.None:
		reg.n = uint8(r.Sig.Src[0].Dwords())
	}
	return []part{reg, imm}
}

func soppParts(r *gcn.Row) []part {
	k, special := specialImm[r.Name]
	switch {
	case special:
	case r.Has(gcn.Branch):
		k = target
	case r.Sig.Src[0] != gcn.None:
		k = uimm16
	default:
		return nil
	}
	return []part{{kind: k, field: gcn.SIMM16}}
}

func smemParts(in gcn.Inst, r *gcn.Row) []part {
	var ps []part
	switch {
	case r.Has(gcn.NoData):
	case r.Mem.Elem == 0:
		ps = append(ps, part{kind: probe, field: gcn.SDST})
	default:
		ps = append(ps, part{kind: sgpr, field: gcn.SDST, n: uint8(r.Mem.DataDwords())})
	}
	if r.Has(gcn.NoOffset) {
		return ps
	}
	base := uint8(2)
	if r.Has(gcn.BufferBase) {
		base = 4
	}
	ps = append(ps, part{kind: sbase, field: gcn.SBASE, n: base, unit: 2}, part{kind: smemOffset, field: gcn.OFFSET})
	if in.Has(gcn.SOFFSET) {
		ps = append(ps, part{kind: smemMore, field: gcn.OFFSET, word: "offset"})
	}
	if in.Has(gcn.GLC) && r.Mem.Elem > 0 {
		ps = append(ps, part{kind: keyword, field: gcn.GLC, word: "glc"})
	}
	return ps
}

// vectorParts describes the vector ALU instructions in all their encodings.
func vectorParts(in gcn.Inst, r *gcn.Row) []part {
	if r.Enc == gcn.VOP3A && interpRow(r) {
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
		ps = append(ps, part{kind: vgpr, field: gcn.VDST, n: uint8(r.Sig.Dst.Dwords())})
	}
	switch {
	case in.Enc == gcn.VOP3B:
		ps = append(ps, part{kind: sgpr, field: gcn.SDST, n: 2})
	case r.Has(gcn.CarryOut):
		ps = append(ps, part{kind: vcc})
	}
	k := part{kind: literal, field: gcn.LITERAL, typ: r.Sig.Src[1]}
	for n := range r.Sig.NumSrc() {
		p := part{kind: source, src: uint8(n), typ: r.Sig.Src[n], n: uint8(r.Sig.Src[n].Dwords()), mods: sourceMods(in, r, n)}
		switch {
		case n == 0 && r.Has(gcn.ScalarDst), strings.HasPrefix(r.Name, "v_movrels"), r.Sig.Src[n] == gcn.B128:
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
			if r.Enc == gcn.VOP1 && r.Has(gcn.ReadsDst) { // v_swap_b32
				p.file = vectorOnly
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

// interpRow reports whether r interpolates an attribute.
func interpRow(r *gcn.Row) bool { return strings.HasPrefix(r.Name, "v_interp_") }

// sourceMods says which modifiers source n takes: those of its type.
func sourceMods(in gcn.Inst, r *gcn.Row, n int) mods {
	t := r.Sig.Src[n]
	float := t.Float() || t == gcn.B32 && r.Has(gcn.CarryIn) && !r.Has(gcn.CarryOut) // v_cndmask_b32
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
	clamp := part{kind: keyword, field: gcn.CLAMP, word: "clamp"}
	mul := part{kind: omod, field: gcn.OMOD}
	switch {
	case in.Enc == gcn.VOP3P:
		n := uint8(r.Sig.NumSrc())
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
			ps = append(ps, part{kind: opSel, field: gcn.OPSEL, n: uint8(r.Sig.NumSrc()), word: "op_sel"})
		}
		if in.Has(gcn.CLAMP) {
			ps = append(ps, clamp)
		}
		if (r.Sig.Dst.Float() || r.Has(gcn.OMODToo)) && in.Has(gcn.OMOD) {
			ps = append(ps, mul)
		}
	case in.Has(gcn.SRC0SEL):
		if r.Sig.Dst == gcn.None {
			return nil
		}
		if in.Has(gcn.CLAMP) {
			ps = append(ps, clamp)
		}
		if r.Sig.Dst.Float() && in.Has(gcn.OMOD) {
			ps = append(ps, mul)
		}
		if in.Has(gcn.DSTSEL) && r.Sig.Dst != gcn.Mask {
			ps = append(ps, part{kind: dstSel, field: gcn.DSTSEL, word: "dst_sel"}, part{kind: dstUnused, field: gcn.DSTUNUSED, word: "dst_unused"})
		}
		ps = append(ps, part{kind: srcSel, field: gcn.SRC0SEL, word: "src0_sel"})
		if r.Sig.NumSrc() > 1 {
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
	if r.Enc != gcn.VOP3A || strings.Contains(r.Name, "_legacy_") {
		return false
	}
	if strings.HasPrefix(r.Name, "v_align") {
		return true
	}
	for _, t := range append(r.Sig.Src[:], r.Sig.Dst) {
		if t.Bits16() {
			return true
		}
	}
	return false
}

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
	if strings.HasPrefix(r.Name, "v_interp_mov") {
		second.kind = interpParam
	}
	ps = append(ps, second, part{kind: interpAttr, field: attr})
	if attr == gcn.ATTR {
		return ps
	}
	three := r.Sig.NumSrc() > 1
	if second.kind == source {
		ps[1].mods, ps[1].file = fpMods, vectorOnly
	}
	if three {
		ps = append(ps, part{kind: source, field: gcn.SRC2, src: 2, typ: gcn.F32, n: 1, mods: fpMods, file: vectorOnly})
	}
	if strings.HasSuffix(r.Name, "_f16") {
		ps = append(ps, part{kind: high, field: gcn.SRC0, word: "high"})
	}
	ps = append(ps, part{kind: keyword, field: gcn.CLAMP, word: "clamp"})
	if in.Has(gcn.OPSEL) && r.Sig.Dst == gcn.F16 && opSelRow(r) {
		ps = append(ps, part{kind: opSel, field: gcn.OPSEL, n: 3, word: "op_sel"})
	}
	if !strings.Contains(r.Name, "_p2") || !strings.HasSuffix(r.Name, "_f16") {
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

func dsParts(r *gcn.Row) []part {
	var ps []part
	m := r.Mem
	per := (int(m.Elem) + 3) / 4
	if !r.Has(gcn.Two) {
		per = m.DataDwords()
	}
	if m.Ret {
		ps = append(ps, part{kind: vgpr, field: gcn.VDST, n: uint8(m.DataDwords())})
	}
	if !r.Has(gcn.NoAddr) {
		ps = append(ps, part{kind: vgpr, field: gcn.ADDR, n: 1})
	}
	if !r.Has(gcn.NoData) {
		ps = append(ps, part{kind: vgpr, field: gcn.DATA0, n: uint8(per)})
		switch m.Atomic {
		case gcn.CmpSt, gcn.FCmpSt, gcn.MskOr, gcn.Wrap:
			ps = append(ps, part{kind: vgpr, field: gcn.DATA1, n: uint8(per)})
		default:
			if r.Has(gcn.Two) {
				ps = append(ps, part{kind: vgpr, field: gcn.DATA1, n: uint8(per)})
			}
		}
	}
	gds := part{kind: keyword, field: gcn.GDS, word: "gds"}
	switch {
	case r.Name == "ds_nop":
		return nil
	case r.Has(gcn.Two):
		ps = append(ps, part{kind: number, field: gcn.OFFSET0, word: "offset0"}, part{kind: number, field: gcn.OFFSET1, word: "offset1"})
	case r.Name == "ds_swizzle_b32":
		ps = append(ps, part{kind: swizzle, field: gcn.OFFSET, word: "offset"})
	default:
		ps = append(ps, part{kind: number, field: gcn.OFFSET, word: "offset"})
	}
	if gdsOnly(r) {
		gds.kind = implied
	}
	return append(ps, gds)
}

// gdsOnly reports whether a DS instruction works on GDS only.
func gdsOnly(r *gcn.Row) bool {
	return strings.HasPrefix(r.Name, "ds_gws_") || r.Name == "ds_ordered_count"
}

func bufferParts(in gcn.Inst, r *gcn.Row) []part {
	if r.Has(gcn.NoData) && r.Mem.Elem == 0 {
		return nil
	}
	var ps []part
	if !r.Has(gcn.NoData) {
		ps = append(ps, part{kind: vdata, field: gcn.VDATA})
	}
	if !r.Has(gcn.NoAddr) {
		ps = append(ps, part{kind: vaddr, field: gcn.ADDR})
	}
	ps = append(ps, part{kind: sbase, field: gcn.SRSRC, n: 4, unit: 4}, part{kind: source, field: gcn.SOFFSET, typ: gcn.I32, n: 1})
	if in.Has(gcn.DFMT) {
		ps = append(ps, part{kind: format, field: gcn.DFMT})
	}
	if !r.Has(gcn.NoAddr) {
		ps = append(ps, part{kind: keyword, field: gcn.IDXEN, word: "idxen"}, part{kind: keyword, field: gcn.OFFEN, word: "offen"})
		if in.Has(gcn.ADDR64) {
			ps = append(ps, part{kind: keyword, field: gcn.ADDR64, word: "addr64"})
		}
	}
	ps = append(ps, part{kind: number, field: gcn.OFFSET, word: "offset"})
	if r.Has(gcn.NoData) {
		return append(ps, part{kind: implied, field: gcn.LDS, word: "lds"}, part{kind: cachePol})
	}
	ps = append(ps, part{kind: cachePol})
	if r.Mem.Op != gcn.Atomic {
		ps = append(ps, part{kind: keyword, field: gcn.TFE, word: "tfe"})
	}
	if in.Has(gcn.LDS) && lds32(r) {
		ps = append(ps, part{kind: keyword, field: gcn.LDS, word: "lds"})
	}
	return ps
}

func imageParts(in gcn.Inst, r *gcn.Row) []part {
	ps := []part{{kind: vdata, field: gcn.VDATA}, {kind: iaddr, field: gcn.ADDR, n: imageAddrs(r.Name)}, {kind: sbase, field: gcn.SRSRC, n: 8, unit: 4}}
	if r.Has(gcn.Sampler) {
		ps = append(ps, part{kind: sbase, field: gcn.SSAMP, n: 4, unit: 4})
	}
	ps = append(ps, part{kind: dmask, field: gcn.DMASK, word: "dmask"}, part{kind: keyword, field: gcn.UNRM, word: "unorm"}, part{kind: cachePol})
	for _, m := range [...]struct {
		f    gcn.Field
		word string
	}{{gcn.R128, "r128"}, {gcn.A16, "a16"}, {gcn.TFE, "tfe"}, {gcn.LWE, "lwe"}, {gcn.DA, "da"}, {gcn.D16, "d16"}} {
		if in.Has(m.f) {
			ps = append(ps, part{kind: keyword, field: m.f, word: m.word})
		}
	}
	return ps
}

// imageAddrs is the fewest address VGPRs LLVM writes for an image instruction: one
// coordinate and one for each extra argument; derivatives add one.
func imageAddrs(name string) uint8 {
	n := uint8(1)
	for _, word := range imageWords(name) {
		switch word {
		case "o", "b", "c", "d", "cd":
			n++
		}
	}
	return n
}

// imageWords are the parts of an image mnemonic that name arguments.
func imageWords(name string) []string { return strings.Split(name, "_")[1:] }

func flatParts(in gcn.Inst, r *gcn.Row) []part {
	var ps []part
	m := r.Mem
	if m.Op == gcn.Load || m.Op == gcn.Atomic {
		n := m.DataDwords()
		if m.Atomic == gcn.CmpSwap || m.Atomic == gcn.FCmpSwap {
			n = int(m.Elem) / 4
		}
		ps = append(ps, part{kind: vdata, field: gcn.VDST, n: uint8(n)})
	}
	toLDS := in.Has(gcn.LDS) && r.Enc != gcn.FLAT && lds32(r)
	ps = append(ps, part{kind: vflat, field: gcn.ADDR})
	if m.Op != gcn.Load {
		ps = append(ps, part{kind: vgpr, field: gcn.VDATA, n: uint8(m.DataDwords())})
	}
	if r.Enc != gcn.FLAT {
		n := uint8(2)
		if r.Enc == gcn.SCRATCH {
			n = 1
		}
		ps = append(ps, part{kind: saddr, field: gcn.SADDR, n: n})
	}
	if in.Has(gcn.OFFSET) {
		ps = append(ps, part{kind: flatOffset, field: gcn.OFFSET, word: "offset"})
	}
	ps = append(ps, part{kind: cachePol})
	if toLDS {
		ps = append(ps, part{kind: keyword, field: gcn.LDS, word: "lds"})
	}
	return ps
}

// lds32 reports whether r loads up to one dword a lane, so that it can load to LDS.
func lds32(r *gcn.Row) bool {
	return r.Mem.Op == gcn.Load && r.Mem.DataDwords() == 1 && r.Mem.D16 == gcn.Full
}
