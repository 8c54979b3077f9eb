package check

import (
	"math/bits"

	"github.com/gcnsim/gcnsim/alu"
	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/gcn/asm"
	"github.com/gcnsim/gcnsim/state"
)

// reg is a register: VGPRs first, then scalar registers by operand code, then state
// without an operand code.
type reg uint16

const (
	scalarRegs reg = state.MaxVGPRs
	flagRegs       = scalarRegs + gcn.NumScalarCodes
	numRegs        = flagRegs + 2*64 // flags end with the hardware registers
)

// Registers with a name.
const (
	regVCC  = scalarRegs + gcn.VCC
	regM0   = scalarRegs + gcn.M0
	regEXEC = scalarRegs + gcn.EXEC
)

// span returns the registers that f is about: the first one and how many there are. VCCZ
// and EXECZ stand for the registers that they follow.
func span(f *gcn.Effect) (first reg, n int) {
	first, n = reg(f.Code), int(f.Dwords)
	switch f.File {
	case gcn.VReg:
		first &= scalarRegs - 1
		return first, min(n, int(scalarRegs-first))
	case gcn.SReg:
		first = scalarRegs + first&(gcn.NumScalarCodes-1)
		return first, min(n, int(flagRegs-first))
	}
	switch gcn.Flag(f.Code) {
	case gcn.FlagVCCZ:
		return regVCC, 2
	case gcn.FlagEXECZ:
		return regEXEC, 2
	}
	return flagRegs + first, n
}

// canonical is r, or the half of VCC that lies in it if the wave is allocated sgprs SGPRs
// (rule ST3).
func (r reg) canonical(sgprs int) reg {
	if top := scalarRegs + reg(sgprs) - 2; sgprs > 0 && r >= top && r < top+2 {
		return regVCC + r - top
	}
	return r
}

// name returns the name of r as instruction in, of which f is an effect, would write it:
// VCC and EXEC are named as pairs if f is about both halves.
func (r reg) name(in *gcn.Inst, f *gcn.Effect) string {
	if r >= flagRegs {
		return flagName(gcn.Flag(r - flagRegs))
	}
	if pair := r &^ 1; (pair == regVCC || pair == regEXEC) && (f.Dwords == 2 || f.File == gcn.FlagReg) {
		return pair.operand(in, 2)
	}
	return r.operand(in, 1)
}

// operand returns n registers from r on as instruction in would write them.
func (r reg) operand(in *gcn.Inst, n int) string {
	o := gcn.Operand{File: gcn.VReg, Code: uint16(r), Dwords: uint8(n)}
	if r >= scalarRegs {
		o.File, o.Code = gcn.SReg, uint16(r-scalarRegs)
	}
	return asm.FormatOperand(*in, o)
}

// flagName names state without an operand code.
func flagName(f gcn.Flag) string {
	if f >= gcn.FlagHwreg {
		return alu.RegisterName(uint32(f - gcn.FlagHwreg))
	}
	return [...]string{gcn.FlagSCC: "scc", gcn.FlagVCCZ: "vccz", gcn.FlagEXECZ: "execz", gcn.FlagMODE: "mode"}[f]
}

// regset is a set of registers.
type regset [numRegs / 64]uint64

func (s *regset) add(r reg)      { s[r>>6] |= 1 << (r & 63) }
func (s *regset) has(r reg) bool { return s[r>>6]>>(r&63)&1 != 0 }

// meets reports whether s and t have a register in common.
func (s *regset) meets(t *regset) bool {
	any := uint64(0)
	for i := range s {
		any |= s[i] & t[i]
	}
	return any != 0
}

func (s *regset) union(t *regset) {
	for i := range s {
		s[i] |= t[i]
	}
}

// first returns the lowest register of s that is in t, too; ok is false if there is none.
func (s *regset) first(t *regset) (r reg, ok bool) {
	for i := range s {
		if both := s[i] & t[i]; both != 0 {
			return reg(64*i + bits.TrailingZeros64(both)), true
		}
	}
	return 0, false
}
