package main

import (
	"fmt"
	"math/bits"
	"strings"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/gcn/asm"
)

// specials says what memory instructions do that are no load, store or atomic.
var specials = map[string]string{
	"buffer_wbinvl1":         "invalidates the L1 cache",
	"buffer_wbinvl1_sc":      "invalidates the volatile lines of the L1 cache",
	"buffer_wbinvl1_vol":     "invalidates the volatile lines of the L1 cache",
	"buffer_store_lds_dword": "stores 1 dword a lane from LDS at M0[15:0] + OFFSET + lane*4 to the buffer",
	"ds_nop":                 "does nothing",
	"ds_swizzle_b32":         "moves 1 dword a lane from the lane that OFFSET names; LDS is not touched",
	"ds_permute_b32":         "sends 1 dword a lane to the lane (ADDR+OFFSET)/4 mod 64; LDS is not touched",
	"ds_bpermute_b32":        "fetches 1 dword a lane from the lane (ADDR+OFFSET)/4 mod 64; LDS is not touched",
	"ds_read_addtid_b32":     "loads 1 dword a lane from M0[15:0] + OFFSET + lane*4",
	"ds_write_addtid_b32":    "stores 1 dword a lane to M0[15:0] + OFFSET + lane*4",
	"ds_append":              "adds the number of active lanes to a counter once and returns the old value",
	"ds_consume":             "subtracts the number of active lanes from a counter once and returns the old value",
	"s_dcache_inv":           "invalidates the scalar data cache",
	"s_dcache_wb":            "writes back the scalar data cache",
	"s_dcache_inv_vol":       "invalidates the volatile lines of the scalar data cache",
	"s_dcache_wb_vol":        "writes back the volatile lines of the scalar data cache",
	"s_memtime":              "loads the 64-bit clock counter",
	"s_memrealtime":          "loads the 64-bit real time counter",
	"image_get_resinfo":      "returns the size of the image and its number of mip levels",
	"image_get_lod":          "returns the level of detail that sampling would use",
}

// places names the memory that an encoding reaches.
var places = [gcn.NumEncodings]string{
	gcn.SMEM: "memory", gcn.DS: "LDS", gcn.MUBUF: "the buffer", gcn.MTBUF: "the buffer", gcn.MIMG: "the image",
	gcn.FLAT: "global, LDS or scratch memory", gcn.GLOBAL: "global memory", gcn.SCRATCH: "scratch memory",
}

// counters names what S_WAITCNT waits for. Source: rule W2.
var counters = [gcn.NumEncodings]string{
	gcn.SMEM: "lgkmcnt", gcn.DS: "lgkmcnt", gcn.MUBUF: "vmcnt", gcn.MTBUF: "vmcnt", gcn.MIMG: "vmcnt",
	gcn.FLAT: "vmcnt and lgkmcnt", gcn.GLOBAL: "vmcnt", gcn.SCRATCH: "vmcnt", gcn.EXP: "expcnt",
}

// does says in a few lines what the instruction does, from the traits of its row.
func (x *inst) does() []string {
	first := x.computes()
	if m := &x.row.Mem; m.Op != gcn.NoMem {
		first = x.memory(m)
	}
	return append([]string{first}, x.effects()...)
}

func (x *inst) place() string {
	switch {
	case x.Bool(gcn.GDS):
		return "GDS"
	case x.row.Has(gcn.BufferBase):
		return "the buffer"
	}
	return places[x.row.Enc]
}

// whose says whether a lane or the wave moves the data.
func (x *inst) whose() string {
	if x.row.Enc == gcn.SMEM {
		return "for the wave"
	}
	return "a lane"
}

func (x *inst) memory(m *gcn.Mem) string {
	switch m.Op {
	case gcn.Load:
		verb := "loads"
		switch {
		case x.row.Has(gcn.Gathers):
			return "returns a component of four texels a lane of the image, not filtered"
		case x.row.Has(gcn.Sampler):
			verb = "samples"
		}
		text := fmt.Sprintf("%s %s %s from %s", verb, x.amount(m), x.whose(), x.place())
		if m.Elem < 4 && !m.Format && m.D16 == gcn.Full {
			text += map[bool]string{true: ", sign-extended", false: ", zero-extended"}[m.Signed]
		}
		if x.Bool(gcn.LDS) {
			text += " into LDS at M0[15:0] + lane*4"
		}
		return text + x.conversion(m) + map[gcn.D16Half]string{
			gcn.LowHalf: " into bits 15:0; bits 31:16 are kept", gcn.HighHalf: " into bits 31:16; bits 15:0 are kept"}[m.D16]
	case gcn.Store:
		return fmt.Sprintf("stores %s %s to %s", x.amount(m), x.whose(), x.place()) + x.conversion(m) +
			map[gcn.D16Half]string{gcn.HighHalf: ", taken from bits 31:16"}[m.D16]
	case gcn.Atomic:
		size := int(m.Elem) * int(m.Count)
		if x.Enc == gcn.MIMG { // DMASK says which (rule IM5)
			size = max(4*bits.OnesCount32(x.Get(gcn.DMASK))/m.DataDwords(), size)
		}
		text := fmt.Sprintf("atomic %v of %s %s in %s; ", m.Atomic, count(size, "byte"), x.whose(), x.place())
		switch {
		case m.Ret:
			return text + "returns the old value"
		case x.Bool(gcn.GLC):
			return text + "returns the old value because GLC is set"
		case x.row.Enc == gcn.DS:
			return text + "returns nothing"
		}
		return text + "returns nothing because GLC is not set"
	}
	if text := specials[x.row.Name]; text != "" {
		return text
	}
	return "a special operation on " + x.place()
}

// amount says how much moves: "4 dwords", "2 bytes", "3 components".
func (x *inst) amount(m *gcn.Mem) string {
	switch {
	case x.Enc == gcn.MIMG && !m.Format:
		return count(max(bits.OnesCount32(x.Get(gcn.DMASK)), 1), "dword")
	case x.Enc == gcn.MIMG:
		return count(max(bits.OnesCount32(x.Get(gcn.DMASK)), 1), "component")
	case m.Format:
		return count(int(m.Count), "component")
	case x.row.Has(gcn.Two):
		return fmt.Sprintf("2 times %s, at two addresses,", count(int(m.Elem), "byte"))
	case m.Elem == 4:
		return count(int(m.Count), "dword")
	}
	return count(int(m.Elem)*int(m.Count), "byte")
}

func (x *inst) conversion(m *gcn.Mem) string {
	switch {
	case !m.Format || x.Enc == gcn.MIMG:
		return ""
	case x.Enc == gcn.MTBUF:
		return fmt.Sprintf(", converted by the format %s %s", asm.DataFormat(x.Get(gcn.DFMT)), asm.NumFormat(x.Gen(), x.Get(gcn.NFMT)))
	}
	return ", converted by the format in the V#"
}

// computes describes an instruction without memory traits by its operands.
func (x *inst) computes() string {
	switch x.row.Enc {
	case gcn.EXP:
		return "exports VGPRs to " + x.arg0()
	case gcn.SOPP:
		if text, used := x.meaning(gcn.SIMM16); used {
			return "program control: " + text
		}
		return "program control"
	}
	dst, src := x.dataflow()
	scope := "for each lane of EXEC: "
	if x.row.Enc <= gcn.SOPK || x.row.Has(gcn.ScalarDst) || x.row.Has(gcn.ScalarSrc1) {
		scope = "for the wave: "
	}
	switch {
	case len(dst) > 0 && len(src) > 0:
		return scope + "writes " + strings.Join(dst, " and ") + " from " + strings.Join(src, ", ")
	case len(dst) > 0:
		return scope + "writes " + strings.Join(dst, " and ")
	case len(src) > 0:
		return scope + "reads " + strings.Join(src, ", ")
	}
	return "no registers are named"
}

// dataflow returns what is written and what is read, constants included.
func (x *inst) dataflow() (dst, src []string) {
	for _, o := range x.Operands(nil) {
		text := asm.FormatOperand(x.Inst, o)
		if o.Type != gcn.None {
			text += " (" + o.Type.String() + ")"
		}
		if o.Write {
			dst = append(dst, text)
		}
		if o.Read {
			src = append(src, text)
		}
	}
	if text, used := x.meaning(gcn.SIMM16); x.Has(gcn.SIMM16) && used && !x.row.Has(gcn.Branch) {
		if x.row.Sig.Dst == gcn.None && strings.HasPrefix(text, "hwreg(") {
			dst = append(dst, text)
		} else {
			src = append(src, text)
		}
	}
	if x.row.Has(gcn.LiteralK) {
		src = append(src, fmt.Sprintf("0x%x", x.Get(gcn.LITERAL)))
	}
	return dst, src
}

// arg0 returns the first operand of an export, which no comma follows.
func (x *inst) arg0() string {
	if f := strings.Fields(x.text); len(f) > 1 {
		return f[1]
	}
	return ""
}

// effects lists what the instruction reads and writes without naming it.
func (x *inst) effects() []string {
	var all []string
	add := func(when bool, text string) {
		if when {
			all = append(all, text)
		}
	}
	r, t := x.row, x.Target.Traits()
	_, inVOP3 := x.operands[gcn.SRC2]
	_, sdst := x.operands[gcn.SDST]
	add(r.Has(gcn.ReadsSCC), "reads SCC")
	add(r.Has(gcn.WritesSCC), "writes SCC")
	add(r.Has(gcn.CarryIn) && !inVOP3, "reads VCC, one bit a lane")
	add(r.Has(gcn.CarryOut) && !sdst, "writes VCC, one bit a lane")
	add(r.Has(gcn.WritesEXEC), "writes EXEC")
	add(r.Has(gcn.Branch), "may branch")
	add(r.Has(gcn.IndexesVGPRs), "can reach VGPRs that it does not name, or lets later instructions do so")
	if r.Has(gcn.KeepsHigh) {
		add(true, map[bool]string{true: "keeps bits 31:16 of the destination", false: "clears bits 31:16 of the destination"}[t.KeepHigh])
	}
	lds := r.Enc == gcn.DS && r.Mem.Elem > 0
	add(lds && x.Bool(gcn.GDS), "reads M0: base in bits 31:16, size in bits 15:0")
	add(lds && !x.Bool(gcn.GDS) && t.LDSLimitM0, "reads M0: the limit of LDS addresses in bytes")
	add(x.Bool(gcn.LDS), "reads M0: the LDS address in bits 15:0")
	if c := counters[r.Enc]; c != "" {
		add(true, "counted by "+c)
	}
	return all
}
