package state

import (
	"fmt"
	"strings"

	"github.com/gcnsim/gcnsim/internal/tool/demangle"
	"github.com/gcnsim/gcnsim/internal/tool/enum"
)

// FaultKind classifies a [Fault].
type FaultKind uint8

// The kinds.
const (
	FaultMemory      FaultKind = iota // an address no range is mapped at
	FaultDecode                       // words that are no instruction
	FaultUnsupported                  // an instruction or a form of it that is not modelled
	FaultIllegal                      // an instruction the machine forbids in this form
	FaultRegister                     // a register the wave does not have
	FaultPC                           // execution left the program
	FaultLimit                        // the instruction limit was reached
	FaultDeadlock                     // waves wait for one another for ever
	FaultTrap                         // the program executed s_trap
	FaultInternal                     // a defect of the simulator, or of a watcher; the cause tells where
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

// Fault is an execution that cannot continue. It is not the GPU's architectural
// behaviour, such as an out-of-range load that returns 0.
type Fault struct {
	Kind  FaultKind
	What  string // what is wrong and what to do
	Group [3]uint32
	Wave  int
	Lane  int    // NoLane if none
	PC    uint64 // address of the instruction
	Addr  uint64 // of a memory fault
	Text  string // disassembly of the instruction, "" if there is none
	// Symbol is the place of PC in the code object, as in "vadd+0x48", "" if the program is of
	// none.
	Symbol string
	// Source is the line that the instruction was compiled from, as in "k.cl:12", "" if that
	// is not known.
	Source string
	// Dispatch is the name of the launch, "" if it has none.
	Dispatch string
	Err      error // cause, may be nil
}

// Error is one sentence with everything that is known. It has names of functions as their sources have them.
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
