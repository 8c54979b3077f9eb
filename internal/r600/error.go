package r600

import (
	"fmt"

	"github.com/gcnsim/gcnsim/state"
)

// ErrorKind says what is wrong.
type ErrorKind uint8

// The kinds of errors.
const (
	UnknownChip   ErrorKind = iota // no family has a chip of that name
	BadText                        // the text of a program, at Line and Col
	NoInstruction                  // words are not an instruction
	Fault                          // a program cannot continue: the instruction at Slot is not modelled, or has no meaning
	NoRectangle                    // three vertices do not make a rectangle that is modelled
)

// Error is the error of the functions of the package.
type Error struct {
	Kind      ErrorKind
	Fault     state.FaultKind // of an error of kind Fault: what a fault of GCN would be
	Line, Col int             // from 1; Col counts bytes
	Slot      int             // of the instruction, in units of 8 bytes from the start of the program
	Name      string          // of the instruction, as in VTX or SAMPLE; "" if the words are not an instruction
	What      string          // what is wrong
}

// Error says what is wrong and where.
func (e *Error) Error() string {
	switch {
	case e.Kind == BadText:
		return fmt.Sprintf("%d:%d: %s", e.Line, e.Col, e.What)
	case e.Kind == Fault && e.Name == "":
		return fmt.Sprintf("instruction %d: %s", e.Slot, e.What)
	case e.Kind == Fault:
		return fmt.Sprintf("instruction %d (%s): %s", e.Slot, e.Name, e.What)
	}
	return e.What
}

// The kinds of faults. Resources that a program names and the [Machine] does not have are not mapped.
const (
	unsupported, illegal, noWord = state.FaultUnsupported, state.FaultIllegal, state.FaultDecode
	noMemory, noRegister         = state.FaultMemory, state.FaultRegister
	offProgram, endless          = state.FaultPC, state.FaultLimit
)

func faultAt(kind state.FaultKind, slot int, name, format string, args ...any) error {
	return &Error{Kind: Fault, Fault: kind, Slot: slot, Name: name, What: fmt.Sprintf(format, args...)}
}

// noInstruction says why word number index of an instruction is not an instruction of family f.
func noInstruction(f Family, index int, word uint32, why string) error {
	return &Error{Kind: NoInstruction, What: fmt.Sprintf("word %d, 0x%08x, of an instruction of %v: %s", index, word, f,
		why)}
}
