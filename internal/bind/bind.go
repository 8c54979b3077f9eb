// Package bind says which executor runs an instruction, and how well.
package bind

import (
	"github.com/gcnsim/gcnsim/alu"
	"github.com/gcnsim/gcnsim/flat"
	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/enum"
	"github.com/gcnsim/gcnsim/internal/unit"
	"github.com/gcnsim/gcnsim/lds"
	"github.com/gcnsim/gcnsim/mimg"
	"github.com/gcnsim/gcnsim/mtbuf"
	"github.com/gcnsim/gcnsim/mubuf"
	"github.com/gcnsim/gcnsim/smem"
)

// Binders names the package that executes each encoding. It does not change but in tests.
var Binders = [gcn.NumEncodings]func(*gcn.Inst) unit.Impl{
	gcn.SOP1: alu.Bind, gcn.SOP2: alu.Bind, gcn.SOPC: alu.Bind, gcn.SOPK: alu.Bind, gcn.SOPP: alu.Bind,
	gcn.VOP1: alu.Bind, gcn.VOP2: alu.Bind, gcn.VOPC: alu.Bind,
	gcn.VOP3A: alu.Bind, gcn.VOP3B: alu.Bind, gcn.VOP3P: alu.Bind, gcn.VINTRP: alu.Bind, gcn.EXP: alu.Bind,
	gcn.SMEM: smem.Bind, gcn.DS: lds.Bind, gcn.MUBUF: mubuf.Bind, gcn.MTBUF: mtbuf.Bind, gcn.MIMG: mimg.Bind,
	gcn.FLAT: flat.Bind, gcn.GLOBAL: flat.Bind, gcn.SCRATCH: flat.Bind,
}

var _ = enum.Full(Binders[:], gcn.Invalid,
	gcn.VOP1SDWA, gcn.VOP2SDWA, gcn.VOPCSDWA, gcn.VOP1DPP, gcn.VOP2DPP, gcn.VOPCDPP)

// Inst returns how an instruction executes: the one table that the run loop and the
// support table read. Exec is nil if it does not execute; then Why says so.
func Inst(in *gcn.Inst) unit.Impl {
	if in.Op == 0 {
		return unit.Impl{Why: "it is no instruction"}
	}
	return Binders[in.Row().Enc](in)
}
