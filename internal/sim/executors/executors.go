// Package executors registers the executors of all encodings, and stops the program as it starts
// if an encoding has none. Package executor finds them: executor.Find.
package executors

import (
	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/isa"
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

var binders = executor.Binders()

var _ = enum.Full(binders[:], isa.Invalid,
	isa.VOP1SDWA, isa.VOP2SDWA, isa.VOPCSDWA, isa.VOP1DPP, isa.VOP2DPP, isa.VOPCDPP)
