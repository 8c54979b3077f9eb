package registers

import (
	"github.com/gcnsim/gcnsim/alu"
	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/gcn/asm"
	"github.com/gcnsim/gcnsim/state"
)

// Reg is a register: VGPRs first, then scalar registers by operand code, then state without
// an operand code.
type Reg uint16

// Where the kinds of registers begin, and how many registers there are.
const (
	ScalarRegs Reg = state.MaxVGPRs
	FlagRegs       = ScalarRegs + gcn.NumScalarCodes
	NumRegs        = FlagRegs + 2*64 // flags end with the hardware registers
)

// Registers with a name.
const (
	VCC  = ScalarRegs + gcn.VCC
	M0   = ScalarRegs + gcn.M0
	EXEC = ScalarRegs + gcn.EXEC
)

// Span returns the registers that f is about: the first one and how many there are. VCCZ
// and EXECZ stand for the registers that they follow.
func Span(f *gcn.Effect) (first Reg, n int) {
	first, n = Reg(f.Code), int(f.Dwords)
	switch f.File {
	case gcn.VReg:
		first &= ScalarRegs - 1
		return first, min(n, int(ScalarRegs-first))
	case gcn.SReg:
		first = ScalarRegs + first&(gcn.NumScalarCodes-1)
		return first, min(n, int(FlagRegs-first))
	}
	switch gcn.Flag(f.Code) {
	case gcn.FlagVCCZ:
		return VCC, 2
	case gcn.FlagEXECZ:
		return EXEC, 2
	}
	return FlagRegs + first, n
}

// Canonical is r, or the half of VCC that lies in it if the wave is allocated sgprs SGPRs
// (rule ST3).
func (r Reg) Canonical(sgprs int) Reg {
	if top := ScalarRegs + Reg(sgprs) - 2; sgprs > 0 && r >= top && r < top+2 {
		return VCC + r - top
	}
	return r
}

// Name returns the name of r as instruction in, of which f is an effect, would write it:
// VCC and EXEC are named as pairs if f is about both halves.
func (r Reg) Name(in *gcn.Inst, f *gcn.Effect) string {
	if pair := r &^ 1; (pair == VCC || pair == EXEC) && (f.Dwords == 2 || f.File == gcn.FlagReg) {
		return pair.Operand(in, 2)
	}
	return r.Operand(in, 1)
}

// Operand returns n registers from r on as instruction in would write them.
func (r Reg) Operand(in *gcn.Inst, n int) string {
	o := gcn.Operand{File: gcn.VReg, Code: uint16(r), Dwords: uint8(n)}
	switch {
	case r >= FlagRegs:
		return FlagName(gcn.Flag(r - FlagRegs))
	case r >= ScalarRegs:
		o.File, o.Code = gcn.SReg, uint16(r-ScalarRegs)
	}
	return asm.FormatOperand(*in, o)
}

// FlagName names state without an operand code.
func FlagName(f gcn.Flag) string {
	if f >= gcn.FlagHwreg {
		name, _ := alu.Register(uint32(f - gcn.FlagHwreg))
		return name
	}
	return [...]string{gcn.FlagSCC: "scc", gcn.FlagVCCZ: "vccz", gcn.FlagEXECZ: "execz", gcn.FlagMODE: "mode"}[f]
}
