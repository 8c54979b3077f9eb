// Package executors registers the executors of all encodings, and panics at program start if an encoding has none.
// executor.Find returns them.
package executors

import (
	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/tool/enum"

	// the packages that register executors
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
