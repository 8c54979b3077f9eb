package executor

import (
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/state"
)

// Begin resets a for an instruction with the traits m under the mask exec. Addresses are not changed.
func Begin(a *state.Access, m *isa.Mem, space state.Space, exec uint64) {
	a.Op, a.Space, a.Scalar, a.Split, a.Dense = m.Op, space, false, false, false
	a.Elem, a.Count, a.Exec = m.Elem, m.Count, exec
	a.Out = [4]uint64{}
	a.LDSLanes, a.ScratchLanes, a.Differs, a.Misaligned, a.Cut = 0, 0, 0, 0, 0
	a.NumDoubts = 0
	a.Reg, a.Regs, a.Taps, a.Level, a.Doubt = 0, 0, 0, 0, ""
}

// Doubt adds a list of reasons why the result of a is not certain. The list must be immutable and outlive the access;
// an empty list is ignored.
func Doubt(a *state.Access, list []string) {
	if len(list) > 0 {
		a.Doubts[a.NumDoubts] = list
		a.NumDoubts++
	}
}
