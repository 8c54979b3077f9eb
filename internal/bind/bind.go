// Package bind says which executor runs an instruction, and how well.
package bind

import (
	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/enum"
	"github.com/gcnsim/gcnsim/internal/unit"

	// The executors.
	_ "github.com/gcnsim/gcnsim/alu"
	_ "github.com/gcnsim/gcnsim/flat"
	_ "github.com/gcnsim/gcnsim/lds"
	_ "github.com/gcnsim/gcnsim/mimg"
	_ "github.com/gcnsim/gcnsim/mtbuf"
	_ "github.com/gcnsim/gcnsim/mubuf"
	_ "github.com/gcnsim/gcnsim/smem"
)

// Each encoding has an executor, which registered it as the program started.
var _ = enum.Full(unit.Binders[:], gcn.Invalid,
	gcn.VOP1SDWA, gcn.VOP2SDWA, gcn.VOPCSDWA, gcn.VOP1DPP, gcn.VOP2DPP, gcn.VOPCDPP)

// Inst returns how an instruction executes: the one table that the run loop and the
// support table read. Exec is nil if it does not execute; then Why says so.
func Inst(in *gcn.Inst) unit.Impl {
	if in.Op == 0 {
		return unit.Impl{Why: "it is no instruction"}
	}
	return unit.Binders[in.Row().Enc](in)
}
