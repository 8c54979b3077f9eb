package asm

import (
	"strconv"
	"strings"

	"github.com/gcnsim/gcnsim/gcn"
)

// modifierOrder lists the modifiers of each encoding, in LLVM's and in CLRX's order: names in
// namedModifiers, [no] before those that LLVM takes with "no" before the word, too. Source: rule K18;
// llvm-mc 22; clrxdisasm 0.1.9.
var modifierOrder = [gcn.NumEncodings][numSyntaxes]string{
	gcn.SMEM:     {"soffset [no]glc", "glc nv soffset"},
	gcn.EXP:      {"done compr vm", "done compr vm"},
	gcn.DS:       {"offset0 offset1 offset swizzle [no]gds gds!", "offset0 offset1 offset gds"},
	gcn.MUBUF:    {bufferLLVM, bufferCLRX},
	gcn.MTBUF:    {bufferLLVM, bufferCLRX + " format"},
	gcn.MIMG:     {imageLLVM, imageCLRX},
	gcn.FLAT:     {flatLLVM, flatCLRX},
	gcn.GLOBAL:   {flatLLVM, flatCLRX},
	gcn.SCRATCH:  {flatLLVM, flatCLRX},
	gcn.VOP3A:    {vop3LLVM, vop3CLRX},
	gcn.VOP3B:    {vop3LLVM, vop3CLRX},
	gcn.VOP3P:    {packed, packed},
	gcn.VOP1SDWA: {sdwaLLVM, sdwaCLRX},
	gcn.VOP2SDWA: {sdwaLLVM, sdwaCLRX},
	gcn.VOPCSDWA: {sdwaLLVM, sdwaCLRX},
	gcn.VOP1DPP:  {dppLLVM, dppCLRX},
	gcn.VOP2DPP:  {dppLLVM, dppCLRX},
	gcn.VOPCDPP:  {dppLLVM, dppCLRX},
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

// applies reports whether in, an instruction of row r, has a modifier.
type applies func(in gcn.Inst, r *gcn.Row) bool

// modifier is a modifier. In two columns it says which instructions have it in each syntax, of those
// whose encoding has the field; nil stands for all of them.
type modifier struct {
	kind  kind
	field gcn.Field
	word  string
	llvm  applies
	clrx  applies
}

// namedModifiers are the modifiers by their names in modifierOrder.
var namedModifiers = map[string]modifier{
	"done":  {keyword, gcn.DONE, "done", nil, nil},
	"compr": {keyword, gcn.COMPR, "compr", nil, nil},
	"vm":    {keyword, gcn.VM, "vm", nil, nil},

	"offset":      {number, gcn.OFFSET, "offset", hasOffset, without(gcn.Two)},
	"offset0":     {number, gcn.OFFSET0, "offset0", with(gcn.Two), with(gcn.Two)},
	"offset1":     {number, gcn.OFFSET1, "offset1", with(gcn.Two), with(gcn.Two)},
	"swizzle":     {swizzle, gcn.OFFSET, "offset", hasSwizzle, nil},
	"flat_offset": {flatOffset, noField, "offset", nil, nil}, // of FLAT before GCN 1.4, too
	"inst_offset": {flatOffset, gcn.OFFSET, "inst_offset", nil, nil},
	"soffset":     {smemMore, gcn.SOFFSET, "offset", without(gcn.NoOffset), without(gcn.NoOffset)},
	"gds":         {keyword, gcn.GDS, "gds", without(gcn.GDSOnly), nil},
	"gds!":        {implied, gcn.GDS, "gds", with(gcn.GDSOnly), nil},
	"idxen":       {keyword, gcn.IDXEN, "idxen", without(gcn.NoAddr), nil},
	"offen":       {keyword, gcn.OFFEN, "offen", without(gcn.NoAddr), nil},
	"addr64":      {keyword, gcn.ADDR64, "addr64", without(gcn.NoAddr), nil},
	"glc":         {keyword, gcn.GLC, "glc", transfers, nil},
	"slc":         {keyword, gcn.SLC, "slc", nil, nil},
	"nv":          {keyword, gcn.NV, "nv", nil, nil},
	"cachepol":    {cachePol, gcn.GLC, "", nil, nil},
	"tfe":         {keyword, gcn.TFE, "tfe", hasTFE, nil},
	"lds":         {keyword, gcn.LDS, "lds", loadsToLDS, nil},
	"lds!":        {implied, gcn.LDS, "lds", with(gcn.NoData), nil},
	"format":      {formatMod, gcn.DFMT, "format", nil, nil},
	"dmask":       {dmask, gcn.DMASK, "dmask", nil, nil},
	"unorm":       {keyword, gcn.UNRM, "unorm", nil, nil},
	"r128":        {keyword, gcn.R128, "r128", nil, nil},
	"a16":         {keyword, gcn.A16, "a16", nil, nil},
	"lwe":         {keyword, gcn.LWE, "lwe", nil, nil},
	"da":          {keyword, gcn.DA, "da", nil, nil},
	"d16":         {keyword, gcn.D16, "d16", nil, nil},

	"clamp":         {keyword, gcn.CLAMP, "clamp", nil, nil},
	"omod":          {omod, gcn.OMOD, "", multipliesResult, nil},
	"high":          {high, gcn.SRC0, "high", with(gcn.HalfAttr), with(gcn.Interpolates)},
	"op_sel":        {opSel, gcn.OPSEL, "op_sel", selectsHalves, nil},
	"op_sel_attr":   {opSel, gcn.OPSEL, "op_sel", selectsHalvesOfAttribute, nil},
	"op_sel_packed": {bitList, gcn.OPSEL, "op_sel", hasHalves, nil},
	"op_sel_hi":     {opSelHi, gcn.OPSELHI, "op_sel_hi", hasHalves, nil},
	"neg_lo":        {bitList, gcn.NEG, "neg_lo", notMixed, nil},
	"neg_hi":        {bitList, gcn.NEGHI, "neg_hi", notMixed, nil},
	"vop3":          {mark, noField, "vop3", nil, hasShortForm},
	"dst_sel":       {sdwaSel, gcn.DSTSEL, "dst_sel", writesVGPR, nil},
	"dst_unused":    {dstUnused, gcn.DSTUNUSED, "dst_unused", writesVGPR, nil},
	"src0_sel":      {sdwaSel, gcn.SRC0SEL, "src0_sel", nil, hasSource},
	"src1_sel":      {sdwaSel, gcn.SRC1SEL, "src1_sel", hasTwoSources, hasTwoSources},
	"dpp_ctrl":      {dppCtrl, gcn.DPPCTRL, "", nil, nil},
	"row_mask":      {lanes, gcn.ROWMASK, "row_mask", nil, nil},
	"bank_mask":     {lanes, gcn.BANKMASK, "bank_mask", nil, nil},
	"bound_ctrl":    {boundCtrl, gcn.BOUNDCTRL, "bound_ctrl", nil, nil},
	"bound_ctrl:1":  {boundCtrl, gcn.BOUNDCTRL, "bound_ctrl:1", nil, nil},
}

// with and without return what applies to rows that have a flag, or that have it not.
func with(flag gcn.Flags) applies {
	return func(_ gcn.Inst, r *gcn.Row) bool { return r.Has(flag) }
}

func without(flag gcn.Flags) applies {
	return func(_ gcn.Inst, r *gcn.Row) bool { return !r.Has(flag) }
}

func hasSwizzle(_ gcn.Inst, r *gcn.Row) bool    { return r.Imm == gcn.SwizzleImm }
func hasOffset(_ gcn.Inst, r *gcn.Row) bool     { return !r.Has(gcn.Two) && r.Imm != gcn.SwizzleImm }
func transfers(_ gcn.Inst, r *gcn.Row) bool     { return !r.Has(gcn.NoOffset) && r.Mem.Elem > 0 }
func hasHalves(_ gcn.Inst, r *gcn.Row) bool     { return r.Sig.Src[0] != gcn.B32 } // not v_dot4, v_dot8
func notMixed(in gcn.Inst, r *gcn.Row) bool     { return sourceMods(in, r, 0) != mixMods }
func writesVGPR(_ gcn.Inst, r *gcn.Row) bool    { return r.Sig.Dst != gcn.Mask }
func hasSource(_ gcn.Inst, r *gcn.Row) bool     { return r.Sig.NumSrc > 0 }
func hasTwoSources(_ gcn.Inst, r *gcn.Row) bool { return r.Sig.NumSrc > 1 }

func hasTFE(_ gcn.Inst, r *gcn.Row) bool {
	return r.Enc == gcn.MIMG || !r.Has(gcn.NoData) && r.Mem.Op != gcn.Atomic
}

func loadsToLDS(_ gcn.Inst, r *gcn.Row) bool {
	return !r.Has(gcn.NoData) && r.Enc != gcn.FLAT && lds32(r)
}

func selectsHalves(_ gcn.Inst, r *gcn.Row) bool { return opSelRow(r) && !r.Has(gcn.Interpolates) }

func selectsHalvesOfAttribute(_ gcn.Inst, r *gcn.Row) bool {
	return opSelRow(r) && r.Has(gcn.Interpolates) && r.Sig.Dst == gcn.F16
}

func hasShortForm(in gcn.Inst, r *gcn.Row) bool {
	return r.Enc != in.Enc || severalForms(r.Name, in.Target)
}

func multipliesResult(in gcn.Inst, r *gcn.Row) bool {
	if r.Has(gcn.Interpolates) {
		return r.Sig.Dst != gcn.F16
	}
	return r.Sig.Dst.Info().Float || r.Has(gcn.OMODToo) && !in.Has(gcn.SRC0SEL)
}

// modifierList lists the modifiers of in. LLVM has none of ds_nop, buffer_wbinvl1 and SDWA of v_nop,
// which have no operands.
func modifierList(in gcn.Inst, r *gcn.Row, s Syntax, operands []part) (ps []part) {
	if s == LLVM && len(operands) == 0 && !r.Has(gcn.GDSOnly) {
		switch in.Enc {
		case gcn.DS, gcn.MUBUF, gcn.VOP1SDWA: // ds_nop, buffer_wbinvl1, v_nop
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
			p.field = gcn.OFFSET
		}
		ps = append(ps, p)
	}
	return ps
}

// listedSources returns how many sources a modifier that is a list has an element for.
func listedSources(r *gcn.Row) uint8 {
	if r.Has(gcn.CarryIn) || r.Has(gcn.Interpolates) { // CLRX takes all elements
		return 3
	}
	return uint8(r.Sig.NumSrc)
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

// unusedList lists what clrxdisasm shows, as name=value, of fields that parts ps do not use, if
// they are not 0, and the words for the encoding.
func unusedList(in gcn.Inst, r *gcn.Row, ps []part) (all []part) {
	for _, u := range unusedFields[in.Enc] {
		if in.Enc == gcn.SMEM && u.field == gcn.SDST && in.Target.Traits().SecondWord {
			u.word = "sdata"
		}
		if !in.Has(u.field) || used(ps, u.field) {
			continue
		}
		all = append(all, part{kind: unused, field: u.field, word: u.word})
		if n := int(u.field - gcn.SRC0); u.field >= gcn.SRC0 && u.field <= gcn.SRC2 && in.Enc != gcn.VOP3P {
			all = append(all, unusedSign(gcn.ABS, uint8(n), "abs"), unusedSign(gcn.NEG, uint8(n), "neg"))
		}
	}
	for n := r.Sig.NumSrc; n < len(wordSigns); n++ { // of a second word
		for _, sign := range [...]int{2, 0, 1} {
			if f := wordSigns[n][sign]; in.Has(f) {
				all = append(all, part{kind: unusedBit, field: f, word: signNames[sign] + strconv.Itoa(n)})
			}
		}
	}
	if in.Has(gcn.SRC0SEL) {
		all = append(all, part{kind: mark, word: "sdwa"})
	}
	if in.Has(gcn.DPPCTRL) {
		all = append(all, part{kind: mark, word: "dpp"})
	}
	if in.Enc == gcn.EXP {
		for n := range uint8(4) {
			all = append(all, part{kind: unusedExp, src: n, word: "vsrc" + strconv.Itoa(int(n))})
		}
	}
	return all
}

// unusedSign is the bit of source n in f, of a source that is not there.
func unusedSign(f gcn.Field, n uint8, stem string) part {
	return part{kind: unusedBit, field: f, src: n, word: stem + strconv.Itoa(int(n))}
}

// used reports whether a part has field f.
func used(ps []part, f gcn.Field) bool {
	for _, p := range ps {
		if p.field == f && p.kind != vcc && p.kind != expSource || p.kind == smemOffset && f == gcn.IMM {
			return true
		}
	}
	return false
}
