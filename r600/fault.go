package r600

import "fmt"

// Fault is a program that cannot go on: it has something that is not modelled, or does
// something that has no meaning.
type Fault struct {
	Slot int    // of the instruction, in units of 8 bytes from the start of the program
	Name string // of the instruction, as in VTX or SAMPLE; "" if it is none
	What string
	Err  error // the cause, if it has a type of its own, as *[DecodeError]
}

// Error names the instruction.
func (f *Fault) Error() string {
	if f.Name == "" {
		return fmt.Sprintf("instruction %d: %s", f.Slot, f.What)
	}
	return fmt.Sprintf("instruction %d (%s): %s", f.Slot, f.Name, f.What)
}

// Unwrap returns the cause.
func (f *Fault) Unwrap() error { return f.Err }
