package sim

import (
	"github.com/gcnsim/gcnsim/gcn"
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

var classOf = [gcn.NumEncodings]Class{
	gcn.SOP1: ClassSALU, gcn.SOP2: ClassSALU, gcn.SOPC: ClassSALU, gcn.SOPK: ClassSALU, gcn.SOPP: ClassSALU,
	gcn.VOP1: ClassVALU, gcn.VOP2: ClassVALU, gcn.VOPC: ClassVALU,
	gcn.VOP3A: ClassVALU, gcn.VOP3B: ClassVALU, gcn.VOP3P: ClassVALU, gcn.VINTRP: ClassVALU,
	gcn.SMEM: ClassSMEM, gcn.MUBUF: ClassMUBUF, gcn.MTBUF: ClassMTBUF, gcn.MIMG: ClassMIMG,
	gcn.FLAT: ClassFLAT, gcn.GLOBAL: ClassGLOBAL, gcn.SCRATCH: ClassSCRATCH, gcn.DS: ClassDS, gcn.EXP: ClassEXP,
}

var _ = enum.Full(classOf[:], gcn.SOP1, gcn.SOP2, gcn.SOPC, gcn.SOPK, gcn.SOPP, gcn.Invalid,
	gcn.VOP1SDWA, gcn.VOP2SDWA, gcn.VOPCSDWA, gcn.VOP1DPP, gcn.VOP2DPP, gcn.VOPCDPP)
