package state

// Fidelity says how sure we are that an executed instruction does what hardware does.
type Fidelity uint8

// The levels. The zero value means that the instruction does not execute.
const (
	NotExecuted Fidelity = iota
	Exact                // follows a document that states it, and vectors confirm it
	Approximate          // right up to a stated error
	Assumed              // no source states it; the reason says what was assumed
)

var fidelityNames = [...]string{"not executed", "exact", "approximate", "assumed"}

// String returns the name the fidelity report uses.
func (f Fidelity) String() string { return fidelityNames[f] }

// Impl is how an instruction executes: what an executor package's Bind returns.
type Impl struct {
	Exec  Exec // nil: the instruction, or this form of it, does not execute
	Level Fidelity
	Why   string   // reason of a level other than Exact, or why it does not execute
	More  []string // further reasons of that level
	// Illegal: it does not execute because the program is wrong, not because it is not modelled.
	Illegal bool
}

// Forbidden is the Impl of a form that the machine forbids.
func Forbidden(why string) Impl { return Impl{Why: why, Illegal: true} }
