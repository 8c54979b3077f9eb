package sim

import (
	"cmp"
	"slices"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/state"
)

// Result is what a run leaves behind besides registers and memory.
type Result struct {
	Instructions uint64             // wave-instructions executed
	ByClass      [NumClasses]uint64 // the same by class
	Fidelity     []Note             // executed instructions that are not exact, by mnemonic
	inexact      map[gcn.Op]Note
}

// Note is one line of the fidelity report.
type Note struct {
	Mnemonic string
	Level    state.Fidelity
	Why      string
}

// add merges the counts and notes of another part of the run.
func (r *Result) add(other *Result) {
	r.Instructions += other.Instructions
	for i, n := range other.ByClass {
		r.ByClass[i] += n
	}
	for op, n := range other.inexact {
		r.mark(op, n)
	}
}

func (r *Result) mark(op gcn.Op, n Note) {
	if r.inexact == nil {
		r.inexact = map[gcn.Op]Note{}
	}
	if old, ok := r.inexact[op]; !ok || n.Why < old.Why { // the same whatever runs first
		r.inexact[op] = n
	}
}

// finish fills the report from what was collected.
func (r *Result) finish() *Result {
	r.Fidelity = r.Fidelity[:0]
	for _, n := range r.inexact {
		r.Fidelity = append(r.Fidelity, n)
	}
	slices.SortFunc(r.Fidelity, func(a, b Note) int { return cmp.Compare(a.Mnemonic, b.Mnemonic) })
	return r
}
