// Package prove tries to prove that two builds of a kernel do the same for all inputs. [Kernels] executes one lane of
// both symbolically (package eval). It compares their stores as terms (package term) or by a solver (package solve).
package prove

import (
	"time"

	"github.com/gcnsim/gcnsim/internal/prove/term"
	"github.com/gcnsim/gcnsim/internal/sim/codeobj"
)

// Program is a kernel in a code object.
type Program struct {
	Object *codeobj.Object
	Kernel *codeobj.Kernel
}

// Limits limits the search for a proof.
type Limits struct {
	Time time.Duration
	// Easy skips the steps that take long. It limits the search by an amount of work that does not depend on the
	// machine. The limit Time then only matters on a slow machine.
	Easy bool
	// Solver, if not nil, answers questions instead of the built-in solver.
	Solver func(question string, limit time.Duration) (answer string, err error)
}

// Proof is the result of a search for a proof.
type Proof struct {
	Proved  bool
	Why     string   // why there is no proof
	Assumed []string // assumptions of the proof, as sentences
	Opaque  []string // operations whose results are taken as unknown functions of their operands
	Solver  bool     // the proof needed a solver: the terms are not equal
	Time    time.Duration
	// Question has the conditions that a solver must refute: the assumptions, and that the programs differ. It is
	// refuted without a solver if the terms are equal.
	Question []*term.Term
	Input    *Input // input for which they may differ, nil if none was found
	// UpTo is the number of iterations per loop that are proved, if there is no proof for all inputs; 0 means none.
	UpTo int

	limits     Limits
	noOverflow bool // assume that 32-bit sums whose sign is extended do not overflow
}

// Input is a launch for which two programs may differ, found by a solver. The solver chooses any results for floats and
// other opaque operations. Only a run of both programs shows whether they differ.
type Input struct {
	Group, Size [3]uint32 // work-group id, and work-items of the work-group per dimension
	// Args has the bytes of the explicit arguments that are passed by value, nil for the other arguments.
	Args [][]byte
	Data []Data
}

// Data is one byte of the buffer of an explicit argument.
type Data struct {
	Arg    int
	Offset uint64
	Value  byte
}
