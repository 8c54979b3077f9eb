// Package prove asks whether two builds of a kernel do the same for all inputs. [Kernels] follows one lane of both
// symbolically, package eval, and compares their stores: as terms, package term, or with a solver, package solve.
package prove

import (
	"time"

	"github.com/gcnsim/gcnsim/internal/prove/term"
	"github.com/gcnsim/gcnsim/internal/sim/codeobj"
)

// Program is a kernel of an object.
type Program struct {
	Object *codeobj.Object
	Kernel *codeobj.Kernel
}

// Limits bound the search for a proof.
type Limits struct {
	Time time.Duration
	// Easy leaves out what takes long. It bounds the search by work that does not depend on the machine, so that Time
	// alone ends it on a slow one.
	Easy bool
	// Solver answers questions in place of the built-in solver, if it is not nil.
	Solver func(question string, limit time.Duration) (answer string, err error)
}

// Proof is the result of a search for a proof.
type Proof struct {
	Proved  bool
	Why     string   // why nothing is proved
	Assumed []string // assumptions of the proof, as sentences
	Opaque  []string // operations that are known by their operands alone
	Solver  bool     // terms alone did not show it
	Time    time.Duration
	// Question has the conditions that a solver has to refute: the assumptions, and that the programs differ. It is
	// refuted already where terms are equal.
	Question []*term.Term
	Input    *Input // for which they may differ, nil if none was found
	// UpTo is how many iterations of each loop a proof covers, if there is none for all inputs; 0: there is none.
	UpTo int

	limits     Limits
	noOverflow bool // sums of 32 bits whose sign is extended are assumed not to overflow
}

// Input is a launch for which two programs may differ, as a solver found it. It takes floats, and other operations that
// are known by their operands, for functions of any values: only a run of both programs shows whether they differ.
type Input struct {
	Group, Size [3]uint32 // the work-group of the work-item, and how many work-items it has
	// Args has the bytes of explicit arguments that are passed by value, nil for others.
	Args [][]byte
	Data []Data
}

// Data is a byte of the buffer of an explicit argument.
type Data struct {
	Arg    int
	Offset uint64
	Value  byte
}
