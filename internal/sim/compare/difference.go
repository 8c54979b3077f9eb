package compare

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/gcnsim/gcnsim/internal/tool/jsonout"
	"github.com/gcnsim/gcnsim/state"
)

// Element is an element of a buffer, given by the argument and the offset in the buffer.
type Element struct {
	Arg    int    `json:"arg"`
	Offset uint64 `json:"offset"` // bytes
	Size   int    `json:"-"`      // bytes
}

// Difference describes the first difference between two programs that should do the same.
type Difference struct {
	// Faulted is set if at least one program faults. Otherwise Element differs.
	Faulted bool
	Element
	// Elements is the number of elements that differ, out of Of elements in the buffers that differ.
	Elements, Of int
	A, B         Half
	// Culprit is the first instruction whose result differs, in a and in b. It is set if most instructions of the
	// programs are the same. If only one program has the instruction, the Culprit of the other program is nil.
	Culprit [2]*Step
	// Notes are sentences about facts that could not be determined, with the reason.
	Notes []string

	tolerated int              // number of elements that differ within tolerance
	floats    map[Element]bool // elements that differ, within tolerance as floats
}

// Signature is the same for differences that usually have the same cause. It has the kind of the difference, and the
// mnemonics of the instructions that do not agree. It has no kernels, registers, values or addresses.
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

// Half is the part of a Difference that describes one of the two programs.
type Half struct {
	Value []byte       // bytes of the element
	Fault *state.Fault // fault that ended the run, nil if the run ended without a fault
	// Store is the instruction that stored the element, nil if no instruction stored it.
	Store *Step
	// Varies is set if the value of the element depends on the order of work-items.
	Varies bool
	// Slice has the instructions that computed the value and do not agree with the other program, and the
	// instructions that wrote their sources, in the order of execution.
	Slice []Step
}

// Step is an executed instruction.
type Step struct {
	PC   jsonout.Address `json:"pc"` // address in the file of the code object
	Text string          `json:"text"`
	// Symbol is the location in the code, "vadd+0x48" for example. It is "" without a code object.
	Symbol string    `json:"symbol,omitempty"`
	Source string    `json:"source,omitempty"` // source line, "" if it is unknown
	Group  [3]uint32 `json:"group"`
	Wave   int       `json:"wave"`
	Lane   int       `json:"lane"` // lane of the values in Reads and Writes
	Item   [3]uint64 `json:"-"`    // global id of the work-item in Lane
	Index  uint64    `json:"inst"` // number of the instruction in the wave
	Reads  []Operand `json:"reads,omitempty"`
	Writes []Operand `json:"writes,omitempty"`
	Memory []Element `json:"memory,omitempty"` // elements that it reads and that hold their initial value
	Agrees bool      `json:"agrees,omitempty"` // the other program computes the same value here
	// Parts is set if the difference begins here: as far as known, its sources agree and its result does not.
	Parts bool `json:"parts,omitempty"`
	// Overflows is set if it computes a sum, difference or product that does not fit a signed number of 32 bits.
	Overflows bool `json:"-"`
}
