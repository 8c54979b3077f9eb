package executor

import (
	"math/bits"

	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/state"
)

// NumExceptions is how many exceptions of arithmetic TRAPSTS.EXCP has (rule ST20).
const NumExceptions = 7

// Raised holds the lanes that raise each exception of arithmetic, by its bit in TRAPSTS.
type Raised [NumExceptions]uint64

// Add adds the exceptions of a lane.
func (r *Raised) Add(lane int, exceptions state.TrapSts) {
	for e := exceptions & state.TrapExcp; e != 0; e &= e - 1 {
		r[bits.TrailingZeros32(uint32(e))] |= 1 << lane
	}
}

// Exceptions returns the exceptions that a lane raises, as TRAPSTS has them.
func (r *Raised) Exceptions() (all state.TrapSts) {
	for i, lanes := range r {
		if lanes != 0 {
			all |= 1 << i
		}
	}
	return all
}

// Lanes returns the lanes that raise one of the exceptions.
func (r *Raised) Lanes(exceptions state.TrapSts) (lanes uint64) {
	for i := range r {
		if exceptions>>i&1 != 0 {
			lanes |= r[i]
		}
	}
	return lanes
}

// Raises adds to r what an instruction raises if w executes it next. It changes nothing of w.
type Raises func(w *state.Wave, r *Raised)

// RaisedBy returns what tells the exceptions of an instruction, nil if it raises none. why is not "" if they
// are not known. It belongs to package alu.
var RaisedBy func(in *isa.Inst) (raises Raises, why string)
