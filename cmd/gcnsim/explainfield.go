package main

import (
	"fmt"
	"math"
	"strings"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/gcn/asm"
)

// switches says what a field of one bit means when it is 0 and 1. Sources: the handbook's
// chapters on data, FLAT, LDS and scalar memory.
var switches = map[gcn.Field][2]string{
	gcn.IMM:       {"OFFSET is no immediate", "OFFSET is an immediate"},
	gcn.SOE:       {"no register besides OFFSET", "SOFFSET is added, too"},
	gcn.NV:        {"volatile memory", "non-volatile memory: a hint, no function"},
	gcn.SLC:       {"", "streaming hint for the L2 cache: no function"},
	gcn.TFE:       {"", "one more VGPR receives the residency status"},
	gcn.LDS:       {"data goes to VGPRs", "data goes to LDS, not to VGPRs"},
	gcn.GDS:       {"LDS", "GDS"},
	gcn.ADDR64:    {"", "ADDR is a 64-bit address; there is no range check"},
	gcn.OFFEN:     {"no VGPR gives an offset", "a VGPR gives the offset in bytes"},
	gcn.IDXEN:     {"no VGPR gives an index", "a VGPR gives the index"},
	gcn.DA:        {"the address has no slice", "the address has a slice"},
	gcn.R128:      {"the T# has 256 bits", "the T# has 128 bits"},
	gcn.A16:       {"", "addresses have 16 bits"},
	gcn.LWE:       {"", "warns if the level of detail is clamped"},
	gcn.D16:       {"", "data has 16 bits a component"},
	gcn.CLAMP:     {"", "the result is clamped"},
	gcn.COMPR:     {"32 bits a component", "two components of 16 bits in a VGPR"},
	gcn.DONE:      {"", "the last export of its kind"},
	gcn.VM:        {"", "EXEC is the mask of valid pixels"},
	gcn.SRC0SEXT:  {"", "SRC0 is sign-extended"},
	gcn.SRC0NEG:   {"", "SRC0 is negated"},
	gcn.SRC0ABS:   {"", "absolute value of SRC0"},
	gcn.SRC0SGPR:  {"SRC0 is a VGPR", "SRC0 is scalar"},
	gcn.SRC1SEXT:  {"", "VSRC1 is sign-extended"},
	gcn.SRC1NEG:   {"", "VSRC1 is negated"},
	gcn.SRC1ABS:   {"", "absolute value of VSRC1"},
	gcn.SRC1SGPR:  {"VSRC1 is a VGPR", "VSRC1 is scalar"},
	gcn.SDSTEN:    {"VCC is written", "SDST is written"},
	gcn.BOUNDCTRL: {"lanes without a source are left alone", "lanes without a source read 0"},
}

// values says what other fields mean.
var values = map[gcn.Field]func(x *inst, v uint32) string{
	gcn.OFFSET:  (*inst).offset,
	gcn.OFFSET0: (*inst).scaledOffset, gcn.OFFSET1: (*inst).scaledOffset,
	gcn.GLC:      (*inst).glc,
	gcn.DFMT:     func(_ *inst, v uint32) string { return dataFormat(v) },
	gcn.NFMT:     func(x *inst, v uint32) string { return asm.NumFormat(x.Gen(), v) },
	gcn.SIMM16:   (*inst).simm16,
	gcn.LITERAL:  (*inst).literal,
	gcn.SEG:      func(x *inst, _ uint32) string { return x.Enc.String() },
	gcn.DMASK:    (*inst).dmask,
	gcn.UNRM:     (*inst).unnormalized,
	gcn.EN:       func(_ *inst, v uint32) string { return picked(v, "components ", "X", "Y", "Z", "W") },
	gcn.TGT:      func(x *inst, _ uint32) string { return x.arg0() },
	gcn.ATTR:     func(_ *inst, v uint32) string { return fmt.Sprint("attribute ", v) },
	gcn.ATTRCHAN: func(_ *inst, v uint32) string { return "channel " + "xyzw"[v&3:v&3+1] },
	gcn.ABS:      func(_ *inst, v uint32) string { return picked(v, "absolute value of ", "SRC0", "SRC1", "SRC2") },
	gcn.NEG:      func(_ *inst, v uint32) string { return picked(v, "negates ", "SRC0", "SRC1", "SRC2") },
	gcn.NEGHI:    func(_ *inst, v uint32) string { return picked(v, "negates the high half of ", "SRC0", "SRC1", "SRC2") },
	gcn.OPSEL:    func(_ *inst, v uint32) string { return picked(v, "high half of ", "SRC0", "SRC1", "SRC2", "VDST") },
	gcn.OPSELHI: func(_ *inst, v uint32) string {
		return picked(v, "for the high result the high half of ", "SRC0", "SRC1")
	},
	gcn.OPSELHI2: func(_ *inst, v uint32) string { return picked(v, "for the high result the high half of ", "SRC2") },
	gcn.OMOD:     func(_ *inst, v uint32) string { return [4]string{"", "result * 2", "result * 4", "result / 2"}[v&3] },
	gcn.DSTSEL:   func(x *inst, _ uint32) string { return x.modifier("dst_sel") },
	gcn.DSTUNUSED: func(x *inst, _ uint32) string {
		return x.modifier("dst_unused")
	},
	gcn.SRC0SEL:  func(x *inst, _ uint32) string { return x.modifier("src0_sel") },
	gcn.SRC1SEL:  func(x *inst, _ uint32) string { return x.modifier("src1_sel") },
	gcn.DPPCTRL:  (*inst).dppControl,
	gcn.BANKMASK: func(_ *inst, v uint32) string { return picked(v, "writes banks ", "0", "1", "2", "3") },
	gcn.ROWMASK:  func(_ *inst, v uint32) string { return picked(v, "writes rows ", "0", "1", "2", "3") },
}

// purposes says what a register operand is for, where its type does not.
var purposes = map[gcn.Field]string{
	gcn.SRSRC: "V#", gcn.SOFFSET: "added to the address", gcn.VDATA: "data", gcn.DATA0: "data", gcn.DATA1: "second data",
	gcn.SADDR: "scalar base", gcn.OFFSET: "offset in bytes",
}

// meaning returns what field f says; used is false if the instruction ignores it.
func (x *inst) meaning(f gcn.Field) (text string, used bool) {
	if o, ok := x.operands[f]; ok {
		return x.register(f, o), true
	}
	switch {
	case x.Enc == gcn.MIMG && imageOperand[f] > 0:
		if f == gcn.SSAMP && !x.row.Has(gcn.Sampler) {
			return "", false
		}
		return x.arg(imageOperand[f] - 1), true
	case x.Enc == gcn.EXP && f == gcn.VDATA:
		return "VSRC0: " + x.exported(0), true
	case f == gcn.SADDR && x.Get(f) == gcn.NoSADDR:
		return "no scalar base", true
	case f == gcn.SSRC1 && x.row.Imm == gcn.IndexImm:
		return x.arg(1), true
	}
	if x.ignores(f) {
		return "", false
	}
	if s, ok := switches[f]; ok {
		return s[x.Get(f)&1], true
	}
	if value, ok := values[f]; ok {
		return value(x, x.Get(f)), true
	}
	return "", false
}

// ignores reports whether a field that names no register has no effect here.
func (x *inst) ignores(f gcn.Field) bool {
	m := &x.row.Mem
	switch f {
	case gcn.SIMM16:
		return x.row.Sig.Src[0] == gcn.None
	case gcn.OFFSET, gcn.IMM, gcn.SOE:
		return x.row.Has(gcn.NoOffset) || m.Op == gcn.Special && m.Elem == 0 && x.row.Enc == gcn.MUBUF
	case gcn.ABS, gcn.NEG, gcn.OMOD:
		return x.row.Has(gcn.NoMods) && x.Enc == gcn.VOP3A
	case gcn.DSTSEL:
		return x.modifier("dst_sel") == ""
	case gcn.DSTUNUSED:
		return x.modifier("dst_unused") == ""
	case gcn.SRC1SEL, gcn.SRC1SEXT, gcn.SRC1NEG, gcn.SRC1ABS, gcn.SRC1SGPR:
		return x.row.Sig.NumSrc() < 2
	case gcn.LDS:
		return x.row.Enc == gcn.MUBUF && m.Op != gcn.Load
	}
	return false
}

// imageOperand is one more than the place of a register field in the text of MIMG.
var imageOperand = map[gcn.Field]int{gcn.VDATA: 1, gcn.ADDR: 2, gcn.SRSRC: 3, gcn.SSAMP: 4}

// register describes a register operand or a constant: text, purpose or type, access.
func (x *inst) register(f gcn.Field, o gcn.Operand) string {
	parts := []string{asm.FormatOperand(x.Inst, o)}
	switch {
	case x.Enc == gcn.VINTRP && f == gcn.VSRC1:
		parts[0] = x.arg(1)
	case x.Enc == gcn.MIMG && f == gcn.ADDR:
		least, most := x.AddrRange()
		return fmt.Sprintf("%s, address, by type of image: %s", parts[0], span(least, most, "VGPR"))
	case x.Enc == gcn.MIMG && f != gcn.VDATA:
		return parts[0] + map[gcn.Field]string{gcn.SRSRC: ", T#", gcn.SSAMP: ", S#"}[f]
	}
	switch {
	case x.row.Has(gcn.Lanes64) && (f == gcn.OFFSET || f == gcn.SOFFSET):
		parts = append(parts, "offset in bytes of one lane: times 64")
	case f == gcn.ADDR:
		parts = append(parts, x.address())
	case f == gcn.SBASE && x.row.Has(gcn.BufferBase):
		parts = append(parts, "V#")
	case f == gcn.SBASE:
		parts = append(parts, "64-bit base address")
	case purposes[f] != "":
		parts = append(parts, purposes[f])
	case o.Type != gcn.None:
		parts = append(parts, o.Type.String())
	}
	switch {
	case o.Write && o.Read:
		parts = append(parts, "read and written")
	case o.Write:
		parts = append(parts, "written")
	}
	return strings.Join(parts, ", ")
}

// address says what the registers of ADDR hold.
func (x *inst) address() string {
	switch {
	case x.row.Mem.Elem == 0 && !x.row.Mem.Format:
		return "operand"
	case x.row.Enc == gcn.DS:
		return "byte address"
	case x.row.Enc == gcn.SCRATCH, x.row.Enc == gcn.GLOBAL && x.Get(gcn.SADDR) != gcn.NoSADDR:
		return "32-bit offset"
	case x.row.Enc == gcn.FLAT, x.row.Enc == gcn.GLOBAL, x.Bool(gcn.ADDR64):
		return "64-bit address"
	case x.Bool(gcn.IDXEN) && x.Bool(gcn.OFFEN):
		return "index, then offset"
	case x.Bool(gcn.IDXEN):
		return "index"
	}
	return "offset"
}

func (x *inst) offset(v uint32) string {
	if x.row.Enc == gcn.SMEM {
		if !x.Bool(gcn.IMM) {
			return "a literal follows"
		}
		return fmt.Sprintf("%+d bytes", int(x.Int(gcn.OFFSET))*int(x.Target.Traits().ScalarOffsetUnit))
	}
	if x.row.Name == "ds_swizzle_b32" {
		return "which lane each lane reads: " + x.modifier("offset")
	}
	return fmt.Sprintf("%+d bytes", x.Int(gcn.OFFSET))
}

// scaledOffset is an offset that counts elements, or 64 of them (rule DS1).
func (x *inst) scaledOffset(v uint32) string {
	step := uint32(x.row.Mem.Elem)
	if x.row.Has(gcn.Stride64) {
		step *= 64
	}
	return fmt.Sprintf("%d * %d = %+d bytes", v, step, v*step)
}

// glc is rule DP7.
func (x *inst) glc(v uint32) string {
	switch {
	case x.row.Mem.Op == gcn.Atomic:
		return [2]string{"the old value is not returned", "the old value is returned"}[v&1]
	case v == 0:
		return ""
	case x.row.Mem.Op == gcn.Load:
		return "misses the L1 cache: coherent"
	}
	return "writes through the L1 cache"
}

func (x *inst) simm16(v uint32) string {
	for _, function := range []string{"hwreg(", "sendmsg(", "gpr_idx("} {
		if at := strings.Index(x.text, function); at >= 0 {
			text, _, _ := strings.Cut(x.text[at:], ")")
			return text + ")"
		}
	}
	switch {
	case x.row.Name == "s_waitcnt":
		var parts []string
		for _, c := range asm.WaitCounts(x.Gen(), v) {
			if c.Value < c.Max {
				parts = append(parts, fmt.Sprintf("%s at most %d", c.Name, c.Value))
			}
		}
		if parts == nil {
			return "waits for nothing"
		}
		return "waits for " + strings.Join(parts, ", ")
	case x.row.Has(gcn.Branch):
		to := 4 * (int(x.Int(gcn.SIMM16)) + 1)
		return fmt.Sprintf("%+d dwords after the next instruction: to this one %+d bytes", x.Int(gcn.SIMM16), to)
	case x.row.Sig.Src[x.row.Sig.NumSrc()-1] == gcn.U16:
		return fmt.Sprint(v)
	}
	return fmt.Sprint(x.Int(gcn.SIMM16))
}

func (x *inst) literal(v uint32) string {
	if x.row.Enc == gcn.SMEM { // GCN 1.1: dwords (rule SM1)
		return fmt.Sprintf("%+d bytes", int64(v)*int64(x.Target.Traits().ScalarOffsetUnit))
	}
	return fmt.Sprintf("%d, as f32 %v", int32(v), math.Float32frombits(v))
}

// exported describes source n of an export: COMPR makes two serve four channels.
func (x *inst) exported(n int) string {
	reg, need := n, x.Get(gcn.EN)>>n&1 != 0
	if x.Bool(gcn.COMPR) {
		if n > 1 {
			return "not used"
		}
		need = x.Get(gcn.EN)>>(2*n)&3 != 0
	}
	if !need {
		return "not used"
	}
	return fmt.Sprint("v", x.Words>>(32+8*reg)&0xff)
}

// dppControl returns the part of the text that says which lane a lane reads.
func (x *inst) dppControl(uint32) string {
	for word := range strings.FieldsSeq(x.text) {
		for _, name := range []string{"quad_perm:", "row_shl:", "row_shr:", "row_ror:", "row_mirror", "row_half_mirror", "row_bcast:", "wave_"} {
			if strings.HasPrefix(word, name) {
				return word
			}
		}
	}
	return ""
}

// picked lists the names of the bits of v, "" for none.
func picked(v uint32, before string, names ...string) string {
	var all []string
	for i, name := range names {
		if v>>i&1 != 0 {
			all = append(all, name)
		}
	}
	if all == nil {
		return ""
	}
	return before + strings.Join(all, ", ")
}

// dataFormat names a data format; see rule K15.
func dataFormat(code uint32) string {
	name := asm.DataFormat(code)
	if other := map[uint32]string{8: "2_10_10_10", 9: "10_10_10_2"}[code]; other != "" {
		name += " (an older page of the CLRX documents calls it " + other + ")"
	}
	return name
}
