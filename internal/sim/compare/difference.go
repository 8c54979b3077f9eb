package compare

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/gcnsim/gcnsim/internal/tool/jsonout"
	"github.com/gcnsim/gcnsim/state"
)

// Element is a place in the buffer of an argument.
type Element struct {
	Arg    int    `json:"arg"`
	Offset uint64 `json:"offset"` // bytes
	Size   int    `json:"-"`      // bytes
}

// Difference is where two programs that should do the same do not.
type Difference struct {
	// Faulted: one of them faults, or both. Else an element differs.
	Faulted bool
	Element
	// Elements is how many elements differ, Of how many the buffers that differ have.
	Elements, Of int
	A, B         Half
	// Culprit is the first instruction whose result differs, in a and in b, where the programs have the same instructions
	// for the most part; where it is in one of them alone, the other one is nil.
	Culprit [2]*Step
	// Notes say in sentences what could not be found out, and why.
	Notes []string

	tolerated int              // elements that differ and are near enough
	floats    map[Element]bool // those that are near enough as the floats that were stored
}

// Signature returns what differences with the same cause as a rule have in common: their kind, and the mnemonics of
// the instructions of both slices that do not agree. Kernels, registers, values and addresses are not among that.
func (d *Difference) Signature() string {
	kind := "memory"
	if d.Faulted {
		kind = "fault"
	}
	sides := make([]string, 2)
	for i, h := range []*Half{&d.A, &d.B} {
		var names []string
		add := func(s *Step) {
			if s != nil && !s.Agrees {
				name, _, _ := strings.Cut(s.Text, " ")
				names = append(names, name)
			}
		}
		if h.Fault != nil {
			names = append(names, h.Fault.Kind.String())
		}
		for n := range h.Slice {
			add(&h.Slice[n])
		}
		add(d.Culprit[i])
		slices.Sort(names)
		sides[i] = strings.Join(slices.Compact(names), ",")
	}
	return fmt.Sprintf("%s: a %s; b %s", kind, cmp.Or(sides[0], "-"), cmp.Or(sides[1], "-"))
}

// Half is one of the two programs.
type Half struct {
	Value []byte       // of the element
	Fault *state.Fault // that ended the run, nil if none did
	// Store is the instruction that stored the element, nil if none did.
	Store *Step
	// Varies: what the element holds depends on the order of work-items.
	Varies bool
	// Slice are the instructions that the value comes from and that do not agree with the
	// other program, with those that they read from, in the order of execution.
	Slice []Step
}

// Step is an executed instruction.
type Step struct {
	PC   jsonout.Address `json:"pc"` // in the file of the code object
	Text string          `json:"text"`
	// Symbol is where it stands, as in "vadd+0x48", "" without a code object.
	Symbol string    `json:"symbol,omitempty"`
	Source string    `json:"source,omitempty"` // the line that it was compiled from, "" if that is not known
	Group  [3]uint32 `json:"group"`
	Wave   int       `json:"wave"`
	Lane   int       `json:"lane"` // one that matters
	Item   [3]uint64 `json:"-"`    // the global id of its work-item
	Index  uint64    `json:"inst"` // number of the instruction in the wave
	Reads  []Operand `json:"reads,omitempty"`
	Writes []Operand `json:"writes,omitempty"`
	Memory []Element `json:"memory,omitempty"` // of arguments, as it was before the run, that it reads
	Agrees bool      `json:"agrees,omitempty"` // the other program computes the same here
	// Parts: what it reads agrees, as far as that is known, and what it writes does not.
	Parts bool `json:"parts,omitempty"`
	// Overflows: it computes a sum, difference or product that no signed number of 32 bits is.
	Overflows bool `json:"-"`
}
