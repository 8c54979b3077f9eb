package asm

import (
	"strconv"
	"strings"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa"
)

// modifierOrder lists the modifiers of each encoding in the orders of LLVM and of CLRX, by their names in
// namedModifiers. [no] precedes a modifier for which LLVM also accepts "no" before the word. Source: rule K18;
// llvm-mc 22; clrxdisasm 0.1.9.
var modifierOrder = [isa.NumEncodings][numSyntaxes]string{
	isa.SMEM:     {"soffset [no]glc", "glc nv soffset"},
	isa.EXP:      {"done compr vm", "done compr vm"},
	isa.DS:       {"offset0 offset1 offset swizzle [no]gds gds!", "offset0 offset1 offset gds"},
	isa.MUBUF:    {bufferLLVM, bufferCLRX},
	isa.MTBUF:    {bufferLLVM, bufferCLRX + " format"},
	isa.MIMG:     {imageLLVM, imageCLRX},
	isa.FLAT:     {flatLLVM, flatCLRX},
	isa.GLOBAL:   {flatLLVM, flatCLRX},
	isa.SCRATCH:  {flatLLVM, flatCLRX},
	isa.VOP3A:    {vop3LLVM, vop3CLRX},
	isa.VOP3B:    {vop3LLVM, vop3CLRX},
	isa.VOP3P:    {packed, packed},
	isa.VOP1SDWA: {sdwaLLVM, sdwaCLRX},
	isa.VOP2SDWA: {sdwaLLVM, sdwaCLRX},
	isa.VOPCSDWA: {sdwaLLVM, sdwaCLRX},
	isa.VOP1DPP:  {dppLLVM, dppCLRX},
	isa.VOP2DPP:  {dppLLVM, dppCLRX},
	isa.VOPCDPP:  {dppLLVM, dppCLRX},
}

const (
	bufferLLVM = "idxen offen addr64 offset lds! cachepol tfe lds"
	bufferCLRX = "offen idxen offset glc slc addr64 lds tfe"
	imageLLVM  = "dmask [no]unorm cachepol [no]r128 [no]a16 [no]tfe [no]lwe [no]da [no]d16"
	imageCLRX  = "dmask unorm glc slc r128 a16 tfe lwe da d16"
	flatLLVM   = "flat_offset cachepol lds"
	flatCLRX   = "inst_offset lds glc slc tfe nv"
	vop3LLVM   = "[no]high op_sel [no]clamp op_sel_attr omod"
	vop3CLRX   = "high op_sel omod clamp vop3"
	packed     = "op_sel_packed op_sel_hi neg_lo neg_hi [no]clamp"
	sdwaLLVM   = "[no]clamp omod dst_sel dst_unused src0_sel src1_sel"
	sdwaCLRX   = "omod clamp dst_sel dst_unused src0_sel src1_sel"
	dppLLVM    = "dpp_ctrl row_mask bank_mask bound_ctrl:1"
	dppCLRX    = "dpp_ctrl bound_ctrl bank_mask row_mask"
)

// applies reports whether instruction in of row r has a modifier.
type applies func(in isa.Inst, r *isa.Row) bool

// modifier is a modifier. For each syntax it has a function that selects its instructions among those whose
// encoding has the field. nil selects all of them.
type modifier struct {
	kind  kind
	field isa.Field
	word  string
	llvm  applies
	clrx  applies
}

// namedModifiers has the modifiers by their names in modifierOrder.
var namedModifiers = map[string]modifier{
	"done":  {keyword, isa.DONE, "done", nil, nil},
	"compr": {keyword, isa.COMPR, "compr", nil, nil},
	"vm":    {keyword, isa.VM, "vm", nil, nil},

	"offset":      {number, isa.OFFSET, "offset", hasOffset, without(isa.Two)},
	"offset0":     {number, isa.OFFSET0, "offset0", with(isa.Two), with(isa.Two)},
	"offset1":     {number, isa.OFFSET1, "offset1", with(isa.Two), with(isa.Two)},
	"swizzle":     {swizzle, isa.OFFSET, "offset", hasSwizzle, nil},
	"flat_offset": {flatOffset, noField, "offset", nil, nil}, // also for FLAT before GCN 1.4
	"inst_offset": {flatOffset, isa.OFFSET, "inst_offset", nil, nil},
	"soffset":     {smemMore, isa.SOFFSET, "offset", without(isa.NoOffset), without(isa.NoOffset)},
	"gds":         {keyword, isa.GDS, "gds", without(isa.GDSOnly), nil},
	"gds!":        {implied, isa.GDS, "gds", with(isa.GDSOnly), nil},
	"idxen":       {keyword, isa.IDXEN, "idxen", without(isa.NoAddr), nil},
	"offen":       {keyword, isa.OFFEN, "offen", without(isa.NoAddr), nil},
	"addr64":      {keyword, isa.ADDR64, "addr64", without(isa.NoAddr), nil},
	"glc":         {keyword, isa.GLC, "glc", transfers, nil},
	"slc":         {keyword, isa.SLC, "slc", nil, nil},
	"nv":          {keyword, isa.NV, "nv", nil, nil},
	"cachepol":    {cachePol, isa.GLC, "", nil, nil},
	"tfe":         {keyword, isa.TFE, "tfe", hasTFE, nil},
	"lds":         {keyword, isa.LDS, "lds", loadsToLDS, nil},
	"lds!":        {implied, isa.LDS, "lds", with(isa.NoData), nil},
	"format":      {formatMod, isa.DFMT, "format", nil, nil},
	"dmask":       {dmask, isa.DMASK, "dmask", nil, nil},
	"unorm":       {keyword, isa.UNRM, "unorm", nil, nil},
	"r128":        {keyword, isa.R128, "r128", nil, nil},
	"a16":         {keyword, isa.A16, "a16", nil, nil},
	"lwe":         {keyword, isa.LWE, "lwe", nil, nil},
	"da":          {keyword, isa.DA, "da", nil, nil},
	"d16":         {keyword, isa.D16, "d16", nil, nil},

	"clamp":         {keyword, isa.CLAMP, "clamp", nil, nil},
	"omod":          {omod, isa.OMOD, "", multipliesResult, nil},
	"high":          {high, isa.SRC0, "high", with(isa.HalfAttr), with(isa.Interpolates)},
	"op_sel":        {opSel, isa.OPSEL, "op_sel", selectsHalves, nil},
	"op_sel_attr":   {opSel, isa.OPSEL, "op_sel", selectsHalvesOfAttribute, nil},
	"op_sel_packed": {bitList, isa.OPSEL, "op_sel", hasHalves, nil},
	"op_sel_hi":     {opSelHi, isa.OPSELHI, "op_sel_hi", hasHalves, nil},
	"neg_lo":        {bitList, isa.NEG, "neg_lo", notMixed, nil},
	"neg_hi":        {bitList, isa.NEGHI, "neg_hi", notMixed, nil},
	"vop3":          {mark, noField, "vop3", nil, hasShortForm},
	"dst_sel":       {sdwaSel, isa.DSTSEL, "dst_sel", writesVGPR, nil},
	"dst_unused":    {dstUnused, isa.DSTUNUSED, "dst_unused", writesVGPR, nil},
	"src0_sel":      {sdwaSel, isa.SRC0SEL, "src0_sel", nil, hasSource},
	"src1_sel":      {sdwaSel, isa.SRC1SEL, "src1_sel", hasTwoSources, hasTwoSources},
	"dpp_ctrl":      {dppCtrl, isa.DPPCTRL, "", nil, nil},
	"row_mask":      {lanes, isa.ROWMASK, "row_mask", nil, nil},
	"bank_mask":     {lanes, isa.BANKMASK, "bank_mask", nil, nil},
	"bound_ctrl":    {boundCtrl, isa.BOUNDCTRL, "bound_ctrl", nil, nil},
	"bound_ctrl:1":  {boundCtrl, isa.BOUNDCTRL, "bound_ctrl:1", nil, nil},
}

// with and without return functions that select rows with a flag, or without it.
func with(flag isa.Flags) applies {
	return func(_ isa.Inst, r *isa.Row) bool { return r.Has(flag) }
}

func without(flag isa.Flags) applies {
	return func(_ isa.Inst, r *isa.Row) bool { return !r.Has(flag) }
}

func hasSwizzle(_ isa.Inst, r *isa.Row) bool    { return r.Imm == isa.SwizzleImm }
func hasOffset(_ isa.Inst, r *isa.Row) bool     { return !r.Has(isa.Two) && r.Imm != isa.SwizzleImm }
func transfers(_ isa.Inst, r *isa.Row) bool     { return !r.Has(isa.NoOffset) && r.Mem.Elem > 0 }
func hasHalves(_ isa.Inst, r *isa.Row) bool     { return r.Sig.Src[0] != isa.B32 } // except v_dot4 and v_dot8
func notMixed(in isa.Inst, r *isa.Row) bool     { return sourceMods(in, r, 0) != mixMods }
func writesVGPR(_ isa.Inst, r *isa.Row) bool    { return r.Sig.Dst != isa.Mask }
func hasSource(_ isa.Inst, r *isa.Row) bool     { return r.Sig.NumSrc > 0 }
func hasTwoSources(_ isa.Inst, r *isa.Row) bool { return r.Sig.NumSrc > 1 }

func hasTFE(_ isa.Inst, r *isa.Row) bool {
	return r.Enc == isa.MIMG || !r.Has(isa.NoData) && r.Mem.Op != gcn.Atomic
}

func loadsToLDS(_ isa.Inst, r *isa.Row) bool {
	return !r.Has(isa.NoData) && r.Enc != isa.FLAT && lds32(r)
}

func selectsHalves(_ isa.Inst, r *isa.Row) bool { return opSelRow(r) && !r.Has(isa.Interpolates) }

func selectsHalvesOfAttribute(_ isa.Inst, r *isa.Row) bool {
	return opSelRow(r) && r.Has(isa.Interpolates) && r.Sig.Dst == isa.F16
}

func hasShortForm(in isa.Inst, r *isa.Row) bool {
	return r.Enc != in.Enc || severalForms(r.Name, in.Target)
}

func multipliesResult(in isa.Inst, r *isa.Row) bool {
	if r.Has(isa.Interpolates) {
		return r.Sig.Dst != isa.F16
	}
	return r.Sig.Dst.Info().Float || r.Has(isa.OMODToo) && !in.Has(isa.SRC0SEL)
}

// modifierList returns the modifiers of in. In LLVM syntax, ds_nop, buffer_wbinvl1 and SDWA of v_nop have no
// modifiers, because they have no operands.
func modifierList(in isa.Inst, r *isa.Row, s Syntax, operands []part) (ps []part) {
	if s == LLVM && len(operands) == 0 && !r.Has(isa.GDSOnly) {
		switch in.Enc {
		case isa.DS, isa.MUBUF, isa.VOP1SDWA: // ds_nop, buffer_wbinvl1, v_nop
			return nil
		}
	}
	for name := range strings.FieldsSeq(modifierOrder[in.Enc][s]) {
		name, no := strings.CutPrefix(name, "[no]")
		m, known := namedModifiers[name]
		if !known {
			panic("asm: there is no modifier " + name)
		}
		has := m.llvm
		if s == CLRX {
			has = m.clrx
		}
		if m.field != noField && !in.Has(m.field) || has != nil && !has(in, r) {
			continue
		}
		p := part{kind: m.kind, field: m.field, word: m.word, no: no}
		switch m.kind {
		case mark:
			p.field = 0
		case bitList, opSel, opSelHi:
			p.n = listedSources(r)
		case flatOffset, smemMore:
			p.field = isa.OFFSET
		}
		ps = append(ps, p)
	}
	return ps
}

// listedSources returns the number of sources for which a modifier that is a list has an element.
func listedSources(r *isa.Row) uint8 {
	if r.Has(isa.CarryIn) || r.Has(isa.Interpolates) { // CLRX accepts all elements
		return 3
	}
	return uint8(r.Sig.NumSrc)
}

// opSelRow reports whether OPSEL of a VOP3 instruction selects halves. An operand must have 16 bits, and
// the row must not be one of GCN 1.2 that was renamed.
func opSelRow(r *isa.Row) bool {
	if r.Enc != isa.VOP3A || r.Has(isa.NoOPSEL) {
		return false
	}
	if r.Has(isa.OPSELToo) {
		return true
	}
	for _, t := range append(r.Sig.Src[:], r.Sig.Dst) {
		if t.Info().Bits16 {
			return true
		}
	}
	return false
}

// unusedFields has the fields that clrxdisasm prints although no operand uses them.
var unusedFields = [isa.NumEncodings][]struct {
	field isa.Field
	word  string
}{
	isa.SOP1:   {{isa.SSRC0, "ssrc"}, {isa.SDST, "sdst"}},
	isa.SOP2:   {{isa.SDST, "sdst"}},
	isa.SOPK:   {{isa.SDST, "sdst"}},
	isa.SMEM:   {{isa.SDST, "sdst"}, {isa.SBASE, "sbase"}, {isa.OFFSET, "offset"}, {isa.IMM, "imm"}},
	isa.VOP1:   {{isa.VDST, "vdst"}, {isa.SRC0, "src0"}},
	isa.VOP3A:  {{isa.VDST, "dst"}, {isa.SRC0, "src0"}, {isa.SRC1, "vsrc1"}, {isa.SRC2, "vsrc2"}},
	isa.VOP3B:  {{isa.VDST, "dst"}, {isa.SRC0, "src0"}, {isa.SRC1, "vsrc1"}, {isa.SRC2, "vsrc2"}},
	isa.VOP3P:  {{isa.SRC2, "vsrc2"}},
	isa.DS:     {{isa.ADDR, "vaddr"}, {isa.DATA0, "vdata0"}, {isa.DATA1, "vdata1"}, {isa.VDST, "vdst"}},
	isa.MUBUF:  {{isa.ADDR, "vaddr"}, {isa.VDATA, "vdata"}, {isa.SRSRC, "srsrc"}, {isa.SOFFSET, "soffset"}},
	isa.MIMG:   {{isa.SSAMP, "ssamp"}},
	isa.FLAT:   {{isa.VDATA, "vdata"}, {isa.VDST, "vdst"}},
	isa.GLOBAL: {{isa.VDATA, "vdata"}, {isa.VDST, "vdst"}}, isa.SCRATCH: {{isa.VDATA, "vdata"}, {isa.VDST, "vdst"}},
}

// unusedList returns the fields that parts ps do not use. clrxdisasm prints these as name=value if they are
// not 0. The list also has the words for the encoding.
func unusedList(in isa.Inst, r *isa.Row, ps []part) (all []part) {
	for _, u := range unusedFields[in.Enc] {
		if in.Enc == isa.SMEM && u.field == isa.SDST && isa.TraitsOf(in.Target).SecondWord {
			u.word = "sdata"
		}
		if !in.Has(u.field) || used(ps, u.field) {
			continue
		}
		all = append(all, part{kind: unused, field: u.field, word: u.word})
		if n := int(u.field - isa.SRC0); u.field >= isa.SRC0 && u.field <= isa.SRC2 && in.Enc != isa.VOP3P {
			all = append(all, unusedSign(isa.ABS, uint8(n), "abs"), unusedSign(isa.NEG, uint8(n), "neg"))
		}
	}
	for n := r.Sig.NumSrc; n < len(wordSigns); n++ { // sources of a second word
		for _, sign := range [...]int{2, 0, 1} {
			if f := wordSigns[n][sign]; in.Has(f) {
				all = append(all, part{kind: unusedBit, field: f, word: signNames[sign] + strconv.Itoa(n)})
			}
		}
	}
	if in.Has(isa.SRC0SEL) {
		all = append(all, part{kind: mark, word: "sdwa"})
	}
	if in.Has(isa.DPPCTRL) {
		all = append(all, part{kind: mark, word: "dpp"})
	}
	if in.Enc == isa.EXP {
		for n := range uint8(4) {
			all = append(all, part{kind: unusedExp, src: n, word: "vsrc" + strconv.Itoa(int(n))})
		}
	}
	return all
}

// unusedSign returns the part for the bit of source n in f. The instruction does not have source n.
func unusedSign(f isa.Field, n uint8, stem string) part {
	return part{kind: unusedBit, field: f, src: n, word: stem + strconv.Itoa(int(n))}
}

// used reports whether a part has the field f.
func used(ps []part, f isa.Field) bool {
	for _, p := range ps {
		if p.field == f && p.kind != vcc && p.kind != expSource || p.kind == smemOffset && f == isa.IMM {
			return true
		}
	}
	return false
}
