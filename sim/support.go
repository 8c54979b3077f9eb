package sim

import (
	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/state"
)

// Support is what the simulator does with one instruction on one generation.
type Support struct {
	Exists bool // the generation has it: it decodes, encodes and prints
	Level  state.Fidelity
	Why    string // reason of a level other than Exact
}

// SupportOf returns how op is supported on g, in its native encoding with all fields 0.
func SupportOf(op gcn.Op, g gcn.Gen) Support {
	in, err := gcn.New(g, op, gcn.Invalid)
	if err != nil {
		return Support{}
	}
	impl := Bind(&in)
	if impl.Exec == nil {
		return Support{Exists: true, Level: state.NotExecuted, Why: impl.Why}
	}
	return Support{Exists: true, Level: impl.Level, Why: impl.Why}
}
