package sim

import (
	"cmp"
	"maps"
	"slices"

	"github.com/gcnsim/gcnsim/gcn"
)

// Result holds the counts and the fidelity report of a run. Its effects are in registers and memory.
type Result struct {
	Instructions uint64             // number of wave-instructions executed
	ByClass      [NumClasses]uint64 // Instructions by class
	Fidelity     []Note             // executed instructions that are not exact, by mnemonic; one note for each reason
}

// Note is one line of the fidelity report.
type Note struct {
	Mnemonic string
	Level    gcn.Fidelity
	Why      string
}

// Add adds other to r, so that r is the result of both runs. Earlier copies of r do not change.
func (r *Result) Add(other *Result) {
	r.count(other)
	r.Fidelity = slices.Concat(r.Fidelity, other.Fidelity)
	slices.SortStableFunc(r.Fidelity, compareNotes)
	r.Fidelity = slices.Compact(r.Fidelity)
}

// count adds the counts of other to r.
func (r *Result) count(other *Result) {
	r.Instructions += other.Instructions
	for i, n := range other.ByClass {
		r.ByClass[i] += n
	}
}

// compareNotes defines the order of the fidelity report.
func compareNotes(a, b Note) int {
	return cmp.Or(cmp.Compare(a.Mnemonic, b.Mnemonic), cmp.Compare(a.Level, b.Level), cmp.Compare(a.Why, b.Why))
}

// tally accumulates the result of a run, or of some of its work-groups.
type tally struct {
	Result                   // Fidelity is not set
	notes  map[Note]struct{} // the lines of Result.Fidelity
}

// add adds the tally of other work-groups.
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

// finish returns the complete result.
func (t *tally) finish() *Result {
	r := t.Result
	r.Fidelity = slices.SortedStableFunc(maps.Keys(t.notes), compareNotes)
	return &r
}
