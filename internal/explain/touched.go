package explain

import (
	"fmt"
	"strings"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/isa/asm"
)

// touches returns the state that the instruction reads, writes and counts without naming it. It omits EXEC as the
// mask of lanes.
func (x *Inst) touches() (lines []string) {
	add := func(when bool, line string) {
		if when {
			lines = append(lines, line)
		}
	}
	var index []string
	for _, e := range x.Effects {
		switch {
		case e.Named, e.Role == isa.RoleExec && !e.Write, x.row().Imm == isa.HwregImm && e.File == isa.FlagReg:
		case e.File == isa.SReg && e.Code == gcn.M0 && !e.Write:
			index = append(index, "reads M0: "+x.m0(e.Role))
		default:
			line := either(e.Write, "writes ", "reads ") + x.register(&e) + when(e.Role == isa.RoleMask, ", one bit a lane")
			add(len(lines) == 0 || lines[len(lines)-1] != line, line) // SCC may be a named operand as well
		}
	}
	r := x.row()
	add(r.Has(isa.Branch) || r.Has(isa.Jumps), "may branch")
	add(r.Has(isa.IndexesVGPRs), "can reach VGPRs that it does not name, or lets later instructions do so")
	add(r.Has(isa.KeepsHigh), either(isa.TraitsOf(x.Inst.Target).KeepHigh, "keeps",
		"clears")+" bits 31:16 of the destination")
	lines = append(lines, index...)
	add(x.Counts != isa.Counts{}, "counted by "+counters(x.Counts))
	return lines
}

// register returns the name of the registers of e, which no field names.
func (x *Inst) register(e *isa.Effect) string {
	if e.File == isa.FlagReg {
		return isa.Flag(e.Code).String()
	}
	return strings.ToUpper(asm.FormatOperand(gcn.Inst(x.Inst), isa.Operand{File: e.File, Code: e.Code, Dwords: e.Dwords}))
}

// m0 describes the use of M0. Source: rule ST18.
func (x *Inst) m0(role isa.Role) string {
	in, r := x.Inst, x.row()
	gds := r.Enc == isa.DS && in.Bool(isa.GDS)
	switch role {
	case isa.RoleMessage:
		return "the data of the message"
	case isa.RoleIndex:
		return "an index of registers"
	}
	switch {
	case r.Enc == isa.VINTRP || r.Has(isa.Interpolates):
		return "where the attributes are"
	case r.Mem.Op == gcn.NoMem: // LDS_DIRECT (rule DP10)
		return "the LDS address of the operand in bits 15:0, its type in bits 18:16"
	case r.Enc == isa.MUBUF, r.Mem.ByLane:
		return "the LDS address in bits 15:0"
	case r.Has(isa.GDSOnly) && r.Mem.Elem == 0:
		return "the resource in bits 21:16"
	case r.Has(isa.GDSOnly):
		return "base in bits 31:16"
	case r.Has(isa.ReadsM0): // DS_APPEND and DS_CONSUME
		return "base in bits " + either(gds, "31:16", "15:0")
	case gds:
		return "base in bits 31:16, size in bits 15:0"
	}
	return "the limit of LDS addresses in bytes"
}

// counters returns the names of the counters that c increments, with the increment if it is more than 1.
func counters(c isa.Counts) string {
	var all []string
	for _, n := range []struct {
		name string
		by   uint8
	}{{"vmcnt", c.VM}, {"expcnt", c.EXP}, {"lgkmcnt", c.LGKM}} {
		if n.by > 0 {
			all = append(all, n.name+when(n.by > 1, " (%d)", n.by))
		}
	}
	return and(all)
}

// exported describes source n of an export.
func (x *Inst) exported(n int) string {
	vgpr, used := x.Inst.Exported(n)
	return either(used, fmt.Sprint("v", vgpr), "not used")
}
