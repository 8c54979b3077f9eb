package executor

import "github.com/gcnsim/gcnsim/internal/isa"

// Hwreg returns what SIMM16 of S_GETREG and S_SETREG names: the number of a hardware
// register in bits 5:0, the first bit in 10:6, and in 15:11 how many bits less one, here as
// a mask of bits that are not shifted yet (rule ST8).
func Hwreg(in *isa.Inst) (id, shift, mask uint32) {
	imm := in.Get(isa.SIMM16)
	return imm & 63, imm >> 6 & 31, uint32(2<<(imm>>11&31) - 1)
}
