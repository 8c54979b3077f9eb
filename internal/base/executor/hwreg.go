package executor

import "github.com/gcnsim/gcnsim/internal/isa"

// Hwreg decodes SIMM16 of S_GETREG and S_SETREG: the number of a hardware register in bits 5:0, the first bit in
// 10:6, and the number of bits minus 1 in 15:11, returned as a mask that is not shifted (rule ST8).
func Hwreg(in *isa.Inst) (id, shift, mask uint32) {
	imm := in.Get(isa.SIMM16)
	return imm & 63, imm >> 6 & 31, uint32(2<<(imm>>11&31) - 1)
}
