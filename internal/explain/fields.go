package explain

import (
	"fmt"
	"math"
	"strings"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/isa/asm"
)

// switches has the meanings of 0 and 1 for fields with one bit. Sources: the handbook's chapters on data, FLAT, LDS
// and scalar memory.
var switches = map[isa.Field][2]string{
	isa.IMM:       {"OFFSET is no immediate", "OFFSET is an immediate"},
	isa.SOE:       {"no register besides OFFSET", "SOFFSET is added, too"},
	isa.NV:        {"volatile memory", "non-volatile memory: a hint, no function"},
	isa.SLC:       {"", "streaming hint for the L2 cache: no function"},
	isa.GDS:       {"LDS", "GDS"},
	isa.ADDR64:    {"", "ADDR is a 64-bit address; there is no range check"},
	isa.OFFEN:     {"no VGPR gives an offset", "a VGPR gives the offset in bytes"},
	isa.IDXEN:     {"no VGPR gives an index", "a VGPR gives the index"},
	isa.DA:        {"the address has no slice", "the address has a slice"},
	isa.R128:      {"the T# has 256 bits", "the T# has 128 bits"},
	isa.A16:       {"", "addresses have 16 bits"},
	isa.LWE:       {"", "warns if the level of detail is clamped"},
	isa.D16:       {"", "data has 16 bits a component"},
	isa.CLAMP:     {"", "the result is clamped"},
	isa.COMPR:     {"32 bits a component", "two components of 16 bits in a VGPR"},
	isa.DONE:      {"", "the last export of its kind"},
	isa.VM:        {"", "EXEC is the mask of valid pixels"},
	isa.SRC0SEXT:  {"", "SRC0 is sign-extended"},
	isa.SRC0NEG:   {"", "SRC0 is negated"},
	isa.SRC0ABS:   {"", "absolute value of SRC0"},
	isa.SRC0SGPR:  {"SRC0 is a VGPR", "SRC0 is scalar"},
	isa.SRC1SEXT:  {"", "VSRC1 is sign-extended"},
	isa.SRC1NEG:   {"", "VSRC1 is negated"},
	isa.SRC1ABS:   {"", "absolute value of VSRC1"},
	isa.SRC1SGPR:  {"VSRC1 is a VGPR", "VSRC1 is scalar"},
	isa.SDSTEN:    {"VCC is written", "SDST is written"},
	isa.BOUNDCTRL: {"lanes without a source are left alone", "lanes without a source read 0"},
}

// values has the functions that describe other fields.
var values = map[isa.Field]func(x *Inst, v uint32) string{
	isa.OFFSET:  (*Inst).offset,
	isa.OFFSET0: (*Inst).scaledOffset, isa.OFFSET1: (*Inst).scaledOffset,
	isa.GLC:      (*Inst).glc,
	isa.LDS:      (*Inst).toLDS,
	isa.TFE:      (*Inst).status,
	isa.DFMT:     func(_ *Inst, v uint32) string { return dataFormat(v) },
	isa.NFMT:     func(x *Inst, v uint32) string { return numFormat(x.Inst.Target.Gen(), v) },
	isa.SIMM16:   (*Inst).simm16,
	isa.LITERAL:  (*Inst).literal,
	isa.SEG:      func(x *Inst, _ uint32) string { return x.Inst.Enc.String() },
	isa.DMASK:    (*Inst).dmask,
	isa.UNRM:     (*Inst).unnormalized,
	isa.EN:       func(_ *Inst, v uint32) string { return picked(v, "components ", "X", "Y", "Z", "W") },
	isa.TGT:      text(isa.TGT),
	isa.ATTR:     func(_ *Inst, v uint32) string { return fmt.Sprint("attribute ", v) },
	isa.ATTRCHAN: func(_ *Inst, v uint32) string { return "channel " + "xyzw"[v&3:v&3+1] },
	isa.ABS:      func(_ *Inst, v uint32) string { return picked(v, "absolute value of ", "SRC0", "SRC1", "SRC2") },
	isa.NEG:      func(_ *Inst, v uint32) string { return picked(v, "negates ", "SRC0", "SRC1", "SRC2") },
	isa.NEGHI:    (*Inst).negHi,
	isa.OPSEL:    func(_ *Inst, v uint32) string { return picked(v, "high half of ", "SRC0", "SRC1", "SRC2", "VDST") },
	isa.OPSELHI:  func(x *Inst, v uint32) string { return x.selHi(v, "SRC0", "SRC1") },
	isa.OPSELHI2: func(x *Inst, v uint32) string { return x.selHi(v, "SRC2") },
	isa.SDST:     func(_ *Inst, v uint32) string { return fmt.Sprintf("%d, a number", v) },
	isa.OMOD:     func(_ *Inst, v uint32) string { return [4]string{"", "result * 2", "result * 4", "result / 2"}[v&3] },
	isa.DSTSEL:   text(isa.DSTSEL), isa.DSTUNUSED: text(isa.DSTUNUSED), isa.SRC0SEL: text(isa.SRC0SEL),
	isa.SRC1SEL:  text(isa.SRC1SEL),
	isa.DPPCTRL:  text(isa.DPPCTRL),
	isa.BANKMASK: func(_ *Inst, v uint32) string { return picked(v, "writes banks ", "0", "1", "2", "3") },
	isa.ROWMASK:  func(_ *Inst, v uint32) string { return picked(v, "writes rows ", "0", "1", "2", "3") },
}

// inWords are fields that have a text whenever an instruction has them. SDWA's selections of a part of the result
// have no effect if the result is a lane mask.
var inWords = map[isa.Field]bool{isa.DSTSEL: true, isa.DSTUNUSED: true}

// text returns a function that describes a field as assembly text does.
func text(f isa.Field) func(*Inst, uint32) string {
	return func(x *Inst, _ uint32) string { return asm.FormatField(gcn.Inst(x.Inst), f) }
}

// purposes describes the purpose of a register operand whose type does not tell it.
var purposes = map[isa.Field]string{
	isa.SRSRC: "V#", isa.SOFFSET: "added to the address", isa.VDATA: "data", isa.DATA0: "data", isa.DATA1: "second data",
	isa.SADDR: "scalar base", isa.OFFSET: "offset in bytes",
}

// meaning returns the meaning of field f and whether the instruction uses it.
func (x *Inst) meaning(f isa.Field) (text string, used bool) {
	in := x.Inst
	if o, ok := x.operands[f]; ok && f != isa.TFE {
		return x.operand(f, o), true
	}
	switch {
	case in.Enc == isa.EXP && f == isa.VDATA:
		return "VSRC0: " + x.exported(0), true
	case f == isa.SADDR && in.Get(f) == isa.NoSADDR:
		return "no scalar base", true
	case f == isa.SSRC1 && x.row().Imm == isa.IndexImm:
		return asm.FormatField(gcn.Inst(in), f), true
	case x.row().Has(isa.Parameter) && f == isa.VSRC1, x.row().Has(isa.Interpolates) && (f == isa.SRC0 || f == isa.SRC1):
		return asm.FormatField(gcn.Inst(in), f), true
	case in.Reads()&x.bits(f) == 0:
		return "", false
	}
	if s, ok := switches[f]; ok {
		return s[in.Get(f)&1], true
	}
	if value, ok := values[f]; ok {
		text := value(x, in.Get(f))
		return text, text != "" || !inWords[f]
	}
	return "", false
}

// operand describes a register operand or a constant: text, purpose or type, read or written.
func (x *Inst) operand(f isa.Field, o isa.Operand) string {
	parts := []string{asm.FormatOperand(gcn.Inst(x.Inst), o)}
	switch {
	case x.Inst.Enc == isa.MIMG && f == isa.ADDR:
		least, most := x.Inst.AddrRange()
		return fmt.Sprintf("%s, address, by type of image: %s", parts[0], span(least, most, "VGPR"))
	case x.Inst.Enc == isa.MIMG && f != isa.VDATA:
		return parts[0] + either(f == isa.SRSRC, ", T#", ", S#")
	}
	switch {
	case x.row().Mem.Lanes64 && (f == isa.OFFSET || f == isa.SOFFSET):
		parts = append(parts, "offset in bytes of one lane: times 64")
	case f == isa.ADDR:
		parts = append(parts, x.address())
	case f == isa.SBASE && x.row().Has(isa.BufferBase):
		parts = append(parts, "V#")
	case f == isa.SBASE:
		parts = append(parts, "64-bit base address")
	case purposes[f] != "":
		parts = append(parts, purposes[f])
	case o.Type != isa.None:
		parts = append(parts, o.Type.String())
	}
	switch read, written := x.reaches(f); {
	case written && read:
		parts = append(parts, "read and written")
	case written:
		parts = append(parts, "written")
	}
	return strings.Join(parts, ", ")
}

// address describes the contents of the registers in ADDR.
func (x *Inst) address() string {
	switch {
	case x.row().Imm == isa.SwizzleImm:
		return "data"
	case x.row().Mem.Move != isa.NoMove:
		return "lane times 4"
	case x.row().Mem.Elem == 0 && !x.row().Mem.Format:
		return "operand"
	case x.row().Enc == isa.DS:
		return "byte address"
	case x.row().Enc == isa.SCRATCH, x.row().Enc == isa.GLOBAL && x.Inst.Get(isa.SADDR) != isa.NoSADDR:
		return "32-bit offset"
	case x.row().Enc == isa.FLAT, x.row().Enc == isa.GLOBAL, x.Inst.Bool(isa.ADDR64):
		return "64-bit address"
	case x.Inst.Bool(isa.IDXEN) && x.Inst.Bool(isa.OFFEN):
		return "index, then offset"
	case x.Inst.Bool(isa.IDXEN):
		return "index"
	}
	return "offset"
}

// offset describes an offset in bytes, or the other use of OFFSET.
func (x *Inst) offset(uint32) string {
	if x.row().Enc == isa.SMEM {
		if !x.Inst.Bool(isa.IMM) {
			return "a literal follows"
		}
		return fmt.Sprintf("%+d bytes", int(x.Inst.Int(isa.OFFSET))*int(isa.TraitsOf(x.Inst.Target).ScalarOffsetUnit))
	}
	if x.row().Imm == isa.SwizzleImm {
		return "which lane each lane reads: " + asm.FormatField(gcn.Inst(x.Inst), isa.OFFSET)
	}
	return fmt.Sprintf("%+d bytes", x.Inst.Int(isa.OFFSET))
}

// scaledOffset describes an offset in elements, or in units of 64 elements (rule DS1).
func (x *Inst) scaledOffset(v uint32) string {
	step := uint32(x.row().Mem.Elem)
	if x.row().Mem.Stride64 {
		step *= 64
	}
	return fmt.Sprintf("%d * %d = %+d bytes", v, step, v*step)
}

// selHi describes the sources whose high half OP_SEL_HI selects for the high result. For instructions with mixed
// floats they are the sources that are halves.
func (x *Inst) selHi(v uint32, names ...string) string {
	return picked(v, either(x.row().Has(isa.MixesHalves), "16 bits: ", "for the high result the high half of "), names...)
}

// negHi describes NEG_HI: it negates the high halves, or has another meaning for instructions with mixed floats.
func (x *Inst) negHi(v uint32) string {
	return picked(v, either(x.row().Has(isa.MixesHalves), "absolute value of ", "negates the high half of "), "SRC0",
		"SRC1", "SRC2")
}

// glc describes GLC (rule DP7).
func (x *Inst) glc(v uint32) string {
	switch {
	case x.row().Mem.Op == gcn.Atomic:
		return [2]string{"the old value is not returned", "the old value is returned"}[v&1]
	case v == 0:
		return ""
	case x.row().Mem.Op == gcn.Load:
		return "misses the L1 cache: coherent"
	}
	return "writes through the L1 cache"
}

// toLDS describes the destination of a load's data.
func (x *Inst) toLDS(v uint32) string {
	switch {
	case x.row().Mem.Op != gcn.Load:
		return either(v == 0, "", "data goes to LDS: for loads only")
	case v == 0:
		return "data goes to VGPRs"
	}
	return "data goes to LDS, not to VGPRs"
}

// status describes TFE, which adds a register (rule DP6). A store writes only that register.
func (x *Inst) status(v uint32) string {
	if o, ok := x.operands[isa.TFE]; ok {
		return asm.FormatOperand(gcn.Inst(x.Inst), o) + " receives the residency status, written"
	}
	return either(v == 0, "", "one more VGPR receives the residency status")
}

// simm16 describes the immediate of SOPK and SOPP.
func (x *Inst) simm16(v uint32) string {
	row, n := x.row(), x.Inst.Int(isa.SIMM16)
	switch {
	case row.Imm == isa.WaitImm:
		return waits(x.Inst.Waits(), isa.TraitsOf(x.Inst.Target))
	case row.Imm != isa.PlainImm:
		return asm.FormatField(gcn.Inst(x.Inst), isa.SIMM16)
	case row.Has(isa.Branch):
		return fmt.Sprintf("%+d dwords after the next instruction: to this one %+d bytes", n, 4*(int(n)+1))
	case row.Sig.Src[max(row.Sig.NumSrc-1, 0)] == isa.U16:
		return fmt.Sprint(v)
	}
	return fmt.Sprint(n)
}

// waits describes the counters that S_WAITCNT waits for.
func waits(until isa.Counts, t *isa.Traits) string {
	const topLGKM = 15 // rule K7
	var parts []string
	for _, c := range []struct {
		name       string
		until, top uint8
	}{{"vmcnt", until.VM, t.MaxVM}, {"expcnt", until.EXP, t.MaxEXP}, {"lgkmcnt", until.LGKM, topLGKM}} {
		if c.until < c.top {
			parts = append(parts, fmt.Sprintf("%s at most %d", c.name, c.until))
		}
	}
	if parts == nil {
		return "waits for nothing"
	}
	return "waits for " + strings.Join(parts, ", ")
}

func (x *Inst) literal(v uint32) string {
	if x.row().Enc == isa.SMEM { // GCN 1.1: an offset in dwords (rule SM1)
		return fmt.Sprintf("%+d bytes", int64(v)*int64(isa.TraitsOf(x.Inst.Target).ScalarOffsetUnit))
	}
	return fmt.Sprintf("%d, as f32 %v", int32(v), math.Float32frombits(v))
}

// dataFormat returns the name of a buffer data format. An older page of CLRX has two names exchanged (rule K15).
func dataFormat(code uint32) string {
	old := func(code uint8) string {
		return " (an older page of the CLRX documents calls it " + gcn.DataFormatName(code) + ")"
	}
	switch code {
	case gcn.Data10_10_10_2:
		return formatName(code) + old(gcn.Data2_10_10_10)
	case gcn.Data2_10_10_10:
		return formatName(code) + old(gcn.Data10_10_10_2)
	}
	return formatName(code)
}

// formatName returns the name of a buffer data format, including codes that are not formats.
func formatName(code uint32) string {
	switch code {
	case gcn.DataInvalid:
		return "INVALID"
	case reservedFormat:
		return reserved(code)
	}
	return gcn.DataFormatName(uint8(code))
}

// reservedFormat is the reserved code of buffer data formats (rule DP12).
const reservedFormat = 15

// numFormat returns the name of a buffer number format.
func numFormat(g gcn.Gen, code uint32) string {
	if code == gcn.NumSNORM_OGL && !isa.GenTraits(g).SnormOGL {
		return reserved(code)
	}
	return gcn.NumFormatName(uint8(code))
}

func reserved(code uint32) string { return fmt.Sprintf("RESERVED_%d", code) }
