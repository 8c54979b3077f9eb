package executor

import (
	"math/bits"

	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/state"
)

// NumExceptions is the number of arithmetic exceptions in TRAPSTS.EXCP (rule ST20).
const NumExceptions = 7

// Raised has the lanes that raise each arithmetic exception, by its bit in TRAPSTS.
type Raised [NumExceptions]uint64

// Add adds the exceptions of a lane.
func (r *Raised) Add(lane int, exceptions state.TrapSts) {
	for e := exceptions & state.TrapExcp; e != 0; e &= e - 1 {
		r[bits.TrailingZeros32(uint32(e))] |= 1 << lane
	}
}

// Exceptions returns the exceptions that some lane raises, as bits of TRAPSTS.
func (r *Raised) Exceptions() (all state.TrapSts) {
	for i, lanes := range r {
		if lanes != 0 {
			all |= 1 << i
		}
	}
	return all
}

// Lanes returns the lanes that raise one of the given exceptions.
func (r *Raised) Lanes(exceptions state.TrapSts) (lanes uint64) {
	for i := range r {
		if exceptions>>i&1 != 0 {
			lanes |= r[i]
		}
	}
	return lanes
}

// Raises adds to r the exceptions that an instruction would raise if w executed it next. It does not change w.
type Raises func(w *state.Wave, r *Raised)

// RaisedBy returns the function that computes the exceptions of an instruction, nil if it raises none. why is not ""
// if they are not known. Package alu sets it.
var RaisedBy func(in *isa.Inst) (raises Raises, why string)
