package sim

import (
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/tool/enum"
)

// Class groups instructions for counting.
type Class uint8

// The classes.
const (
	ClassSALU Class = iota
	ClassVALU
	ClassSMEM
	ClassMUBUF
	ClassMTBUF
	ClassMIMG
	ClassFLAT
	ClassGLOBAL
	ClassSCRATCH
	ClassDS
	ClassEXP
	NumClasses = iota
)

var classNames = [NumClasses]string{
	ClassSALU: "SALU", ClassVALU: "VALU", ClassSMEM: "SMEM", ClassMUBUF: "MUBUF", ClassMTBUF: "MTBUF",
	ClassMIMG: "MIMG", ClassFLAT: "FLAT",
	ClassGLOBAL: "GLOBAL", ClassSCRATCH: "SCRATCH", ClassDS: "DS", ClassEXP: "EXP",
}

var _ = enum.Full[Class](classNames[:])

// String returns the name the command line prints.
func (c Class) String() string { return enum.Name(classNames[:], c) }

var classOf = [isa.NumEncodings]Class{
	isa.SOP1: ClassSALU, isa.SOP2: ClassSALU, isa.SOPC: ClassSALU, isa.SOPK: ClassSALU, isa.SOPP: ClassSALU,
	isa.VOP1: ClassVALU, isa.VOP2: ClassVALU, isa.VOPC: ClassVALU,
	isa.VOP3A: ClassVALU, isa.VOP3B: ClassVALU, isa.VOP3P: ClassVALU, isa.VINTRP: ClassVALU,
	isa.SMEM: ClassSMEM, isa.MUBUF: ClassMUBUF, isa.MTBUF: ClassMTBUF, isa.MIMG: ClassMIMG,
	isa.FLAT: ClassFLAT, isa.GLOBAL: ClassGLOBAL, isa.SCRATCH: ClassSCRATCH, isa.DS: ClassDS, isa.EXP: ClassEXP,
}

var _ = enum.Full(classOf[:], isa.SOP1, isa.SOP2, isa.SOPC, isa.SOPK, isa.SOPP, isa.Invalid,
	isa.VOP1SDWA, isa.VOP2SDWA, isa.VOPCSDWA, isa.VOP1DPP, isa.VOP2DPP, isa.VOPCDPP)
