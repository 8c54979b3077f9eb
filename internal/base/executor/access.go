package executor

import (
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/state"
)

// Begin prepares a for an instruction with the traits m under the mask exec. Addresses are
// left as they are.
func Begin(a *state.Access, m *isa.Mem, space state.Space, exec uint64) {
	a.Op, a.Space, a.Scalar, a.Split, a.Dense = m.Op, space, false, false, false
	a.Elem, a.Count, a.Exec = m.Elem, m.Count, exec
	a.Out = [4]uint64{}
	a.LDSLanes, a.ScratchLanes, a.Differs, a.Misaligned, a.Cut = 0, 0, 0, 0, 0
	a.NumDoubts = 0
	a.Reg, a.Regs, a.Taps, a.Level, a.Doubt = 0, 0, 0, 0, ""
}

// Doubt adds a list of reasons why the result of a is not certain. It must not change and
// outlives the access; empty ones are left out.
func Doubt(a *state.Access, list []string) {
	if len(list) > 0 {
		a.Doubts[a.NumDoubts] = list
		a.NumDoubts++
	}
}
