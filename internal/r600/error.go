package r600

import (
	"fmt"

	"github.com/gcnsim/gcnsim/state"
)

// ErrorKind is the kind of an [Error].
type ErrorKind uint8

// The kinds of errors.
const (
	UnknownChip   ErrorKind = iota // no family has a chip with that name
	BadText                        // a syntax error in a program's text, at Line and Col
	NoInstruction                  // words are not an instruction
	Fault                          // a program cannot continue: the instruction at Slot is invalid or not modelled
	NoRectangle                    // three vertices are not corners of a rectangle that is modelled
)

// Error is the error type of the package.
type Error struct {
	Kind      ErrorKind
	Fault     state.FaultKind // kind of the fault, if Kind is Fault
	Line, Col int             // from 1; Col counts bytes
	Slot      int             // position of the instruction, in units of 8 bytes from the start of the program
	// name of the instruction, such as VTX or SAMPLE; "" if the words are not an instruction
	Name string
	What string // description
}

// Error returns a message with the location.
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

// The kinds of faults. A resource that the [Machine] does not have counts as unmapped.
const (
	unsupported, illegal, noWord = state.FaultUnsupported, state.FaultIllegal, state.FaultDecode
	noMemory, noRegister         = state.FaultMemory, state.FaultRegister
	offProgram, endless          = state.FaultPC, state.FaultLimit
)

func faultAt(kind state.FaultKind, slot int, name, format string, args ...any) error {
	return &Error{Kind: Fault, Fault: kind, Slot: slot, Name: name, What: fmt.Sprintf(format, args...)}
}

// noInstruction returns the error that word number index of an instruction is invalid in family f.
func noInstruction(f Family, index int, word uint32, why string) error {
	return &Error{Kind: NoInstruction, What: fmt.Sprintf("word %d, 0x%08x, of an instruction of %v: %s", index, word, f,
		why)}
}
