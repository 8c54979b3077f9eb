package registers

import (
	"github.com/gcnsim/gcnsim/alu"
	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/isa/asm"
	"github.com/gcnsim/gcnsim/state"
)

// Reg identifies a register: VGPRs first, then scalar registers by operand code, then state without an operand code.
type Reg uint16

// The first number of each kind of registers, and the number of all registers.
const (
	ScalarRegs Reg = state.MaxVGPRs
	FlagRegs       = ScalarRegs + isa.NumScalarCodes
	NumRegs        = FlagRegs + 2*64 // the hardware registers are the last flags
)

// Registers with a name.
const (
	VCC  = ScalarRegs + gcn.VCC
	M0   = ScalarRegs + gcn.M0
	EXEC = ScalarRegs + gcn.EXEC
)

// Span returns the range of registers that f accesses: the first one and their number. VCCZ and EXECZ are represented
// by the registers from which they are derived.
func Span(f *isa.Effect) (first Reg, n int) {
	first, n = Reg(f.Code), int(f.Dwords)
	switch f.File {
	case isa.VReg:
		first &= ScalarRegs - 1
		return first, min(n, int(ScalarRegs-first))
	case isa.SReg:
		first = ScalarRegs + first&(isa.NumScalarCodes-1)
		return first, min(n, int(FlagRegs-first))
	}
	switch isa.Flag(f.Code) {
	case isa.FlagVCCZ:
		return VCC, 2
	case isa.FlagEXECZ:
		return EXEC, 2
	}
	return FlagRegs + first, n
}

// Canonical returns r, or the half of VCC that occupies r if the wave is allocated sgprs SGPRs (rule ST3).
func (r Reg) Canonical(sgprs int) Reg {
	if top := ScalarRegs + Reg(sgprs) - 2; sgprs > 0 && r >= top && r < top+2 {
		return VCC + r - top
	}
	return r
}

// Name returns the name of r in the text of instruction in. f is an effect of in: if it accesses both halves of VCC
// or EXEC, the name is that of the pair.
func (r Reg) Name(in *isa.Inst, f *isa.Effect) string {
	if pair := r &^ 1; (pair == VCC || pair == EXEC) && (f.Dwords == 2 || f.File == isa.FlagReg) {
		return pair.Operand(in, 2)
	}
	return r.Operand(in, 1)
}

// Operand returns the text of n registers from r on in instruction in.
func (r Reg) Operand(in *isa.Inst, n int) string {
	o := isa.Operand{File: isa.VReg, Code: uint16(r), Dwords: uint8(n)}
	switch {
	case r >= FlagRegs:
		return FlagName(isa.Flag(r - FlagRegs))
	case r >= ScalarRegs:
		o.File, o.Code = isa.SReg, uint16(r-ScalarRegs)
	}
	return asm.FormatOperand(gcn.Inst(*in), o)
}

// FlagName returns the name of state without an operand code.
func FlagName(f isa.Flag) string {
	if f >= isa.FlagHwreg {
		name, _ := alu.Register(uint32(f - isa.FlagHwreg))
		return name
	}
	return [...]string{isa.FlagSCC: "scc", isa.FlagVCCZ: "vccz", isa.FlagEXECZ: "execz", isa.FlagMODE: "mode"}[f]
}
