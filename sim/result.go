package sim

import (
	"cmp"
	"maps"
	"slices"

	"github.com/gcnsim/gcnsim/gcn"
)

// Result holds the results of a run besides registers and memory.
type Result struct {
	Instructions uint64             // wave-instructions executed
	ByClass      [NumClasses]uint64 // the same by class
	Fidelity     []Note             // executed instructions that are not exact, by mnemonic: one for each reason
}

// Note is one line of the fidelity report.
type Note struct {
	Mnemonic string
	Level    gcn.Fidelity
	Why      string
}

// Add makes r the result of both runs together. Copies of r from before stay as they are.
func (r *Result) Add(other *Result) {
	r.count(other)
	r.Fidelity = slices.Concat(r.Fidelity, other.Fidelity)
	slices.SortStableFunc(r.Fidelity, compareNotes)
	r.Fidelity = slices.Compact(r.Fidelity)
}

// count adds the counts of other.
func (r *Result) count(other *Result) {
	r.Instructions += other.Instructions
	for i, n := range other.ByClass {
		r.ByClass[i] += n
	}
}

// compareNotes orders the fidelity report.
func compareNotes(a, b Note) int {
	return cmp.Or(cmp.Compare(a.Mnemonic, b.Mnemonic), cmp.Compare(a.Level, b.Level), cmp.Compare(a.Why, b.Why))
}

// tally collects the result of a run, or of a part of it.
type tally struct {
	Result                   // except for Fidelity
	notes  map[Note]struct{} // lines of Result.Fidelity
}

// add merges another part of the run.
func (t *tally) add(other *tally) {
	t.count(&other.Result)
	for n := range other.notes {
		t.mark(n)
	}
}

func (t *tally) mark(n Note) {
	if t.notes == nil {
		t.notes = map[Note]struct{}{}
	}
	t.notes[n] = struct{}{}
}

// finish returns the result.
func (t *tally) finish() *Result {
	r := t.Result
	r.Fidelity = slices.SortedStableFunc(maps.Keys(t.notes), compareNotes)
	return &r
}
