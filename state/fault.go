package state

import (
	"fmt"
	"strings"

	"github.com/gcnsim/gcnsim/internal/tool/demangle"
	"github.com/gcnsim/gcnsim/internal/tool/enum"
)

// FaultKind classifies a [Fault].
type FaultKind uint8

// The kinds of faults.
const (
	FaultMemory      FaultKind = iota // no memory is mapped at the address
	FaultDecode                       // the words are not an instruction
	FaultUnsupported                  // the instruction, or this form of it, is not modelled
	FaultIllegal                      // the hardware forbids this form of the instruction
	FaultRegister                     // the wave has no such register
	FaultPC                           // the PC left the program
	FaultLimit                        // the instruction limit was reached
	FaultDeadlock                     // waves wait for one another forever
	FaultTrap                         // the program executed s_trap
	FaultInternal                     // a defect of the simulator or of a watcher; Err has the location
	numFaultKinds    = iota
)

var faultKinds = [numFaultKinds]string{
	FaultMemory: "memory", FaultDecode: "decode", FaultUnsupported: "unsupported", FaultIllegal: "illegal",
	FaultRegister: "register", FaultPC: "pc",
	FaultLimit: "limit", FaultDeadlock: "deadlock", FaultTrap: "trap", FaultInternal: "internal",
}

var _ = enum.Full[FaultKind](faultKinds[:])

// String returns the name that the command line prints.
func (k FaultKind) String() string { return enum.Name(faultKinds[:], k) }

// NoLane is the lane of a fault that no single lane caused.
const NoLane = -1

// Fault ends the execution of a wave. It is never an architectural behaviour of the GPU, such as an out-of-range load
// that returns 0.
type Fault struct {
	Kind  FaultKind
	What  string // the problem and how to solve it
	Group [3]uint32
	Wave  int
	Lane  int    // the lane that caused it, or NoLane
	PC    uint64 // address of the instruction
	Addr  uint64 // the address of a memory fault
	Text  string // disassembly of the instruction, or ""
	// Symbol is the position of PC in the code object, for example "vadd+0x48". It is "" if the program has no symbols.
	Symbol string
	// Source is the source line that the instruction was compiled from, for example "k.cl:12", or "".
	Source string
	// Dispatch is the name of the launch, "" if it has none.
	Dispatch string
	Err      error // the cause, may be nil
}

// Error returns one sentence with every field that is set. Function names are demangled.
func (f *Fault) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s fault at pc 0x%x", f.Kind, f.PC)
	if f.Symbol != "" {
		fmt.Fprintf(&b, ", %s", demangle.Symbol(f.Symbol))
	}
	if f.Text != "" {
		fmt.Fprintf(&b, " (%s)", f.Text)
	}
	if f.Source != "" {
		fmt.Fprintf(&b, ", %s", f.Source)
	}
	if f.Dispatch != "" {
		fmt.Fprintf(&b, ", %s", f.Dispatch)
	}
	fmt.Fprintf(&b, ", group %d,%d,%d, wave %d", f.Group[0], f.Group[1], f.Group[2], f.Wave)
	if f.Lane != NoLane {
		fmt.Fprintf(&b, ", lane %d", f.Lane)
	}
	if f.Kind == FaultMemory {
		fmt.Fprintf(&b, ", address 0x%x", f.Addr)
	}
	b.WriteString(": ")
	b.WriteString(f.What)
	return b.String()
}

// Unwrap returns the cause.
func (f *Fault) Unwrap() error { return f.Err }
