// Package executors registers the executors of all encodings, and stops the program as it starts
// if an encoding has none. Package executor finds them: executor.Find.
package executors

import (
	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/tool/enum"

	// The executors.
	_ "github.com/gcnsim/gcnsim/alu"
	_ "github.com/gcnsim/gcnsim/flat"
	_ "github.com/gcnsim/gcnsim/lds"
	_ "github.com/gcnsim/gcnsim/mimg"
	_ "github.com/gcnsim/gcnsim/mtbuf"
	_ "github.com/gcnsim/gcnsim/mubuf"
	_ "github.com/gcnsim/gcnsim/smem"
)

var _ = enum.Full(executor.Binders[:], gcn.Invalid,
	gcn.VOP1SDWA, gcn.VOP2SDWA, gcn.VOPCSDWA, gcn.VOP1DPP, gcn.VOP2DPP, gcn.VOPCDPP)
