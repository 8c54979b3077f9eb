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
