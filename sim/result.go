package sim

import (
	"cmp"
	"slices"

	"github.com/gcnsim/gcnsim/gcn"
)

// Result is what a run leaves behind besides registers and memory.
type Result struct {
	Instructions uint64             // wave-instructions executed
	ByClass      [NumClasses]uint64 // the same by class
	Fidelity     []Note             // executed instructions that are not exact, by mnemonic: one for each reason
	inexact      map[Note]struct{}
}

// Note is one line of the fidelity report.
type Note struct {
	Mnemonic string
	Level    gcn.Fidelity
	Why      string
}

// Add makes r the result of both runs together.
func (r *Result) Add(other *Result) {
	r.add(other)
	r.finish()
}

// add merges the counts and notes of another part of the run.
func (r *Result) add(other *Result) {
	r.Instructions += other.Instructions
	for i, n := range other.ByClass {
		r.ByClass[i] += n
	}
	for n := range other.inexact {
		r.mark(n)
	}
}

func (r *Result) mark(n Note) {
	if r.inexact == nil {
		r.inexact = map[Note]struct{}{}
	}
	r.inexact[n] = struct{}{}
}

// finish fills the report from what was collected.
func (r *Result) finish() *Result {
	r.Fidelity = r.Fidelity[:0]
	for n := range r.inexact {
		r.Fidelity = append(r.Fidelity, n)
	}
	slices.SortFunc(r.Fidelity, func(a, b Note) int {
		return cmp.Or(cmp.Compare(a.Mnemonic, b.Mnemonic), cmp.Compare(a.Level, b.Level), cmp.Compare(a.Why, b.Why))
	})
	return r
}
