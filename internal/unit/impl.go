package unit

import "github.com/gcnsim/gcnsim/state"

// Impl is how an instruction executes: what an executor package's Bind returns.
type Impl struct {
	Exec  Exec // nil: the instruction, or this form of it, does not execute
	Level state.Fidelity
	Why   string   // reason of a level other than Exact, or why it does not execute
	More  []string // further reasons of that level
	// Illegal: it does not execute because the program is wrong, not because it is not modelled.
	Illegal bool
}

// Forbidden is the Impl of a form that the machine forbids.
func Forbidden(why string) Impl { return Impl{Why: why, Illegal: true} }
