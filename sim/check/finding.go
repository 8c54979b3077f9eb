package check

import (
	"cmp"
	"slices"

	"github.com/gcnsim/gcnsim/gcn"
)

// Finding is a defect of a program, or of the settings and data of its run.
type Finding struct {
	Kind     Kind
	Severity Severity
	Site

	// Field names the field, register or setting that the finding is about, as in "V#
	// TYPE" or "s96"; "" if it is about an address.
	Field string
	// Producer is the earlier instruction of a pair, nil if the finding is about one instruction.
	Producer *Site
	Reg      string  // the register that the finding is about, as in "v1", "" if there is none
	Space    string  // the memory, as in "lds", "" if there is none
	Lane     int     // the first lane that the finding is about, [state.NoLane] if there is none
	Addr     *uint64 // the address that Lane accesses, nil if the finding is not about an address
	// Count is the number of times that the defect occurred. With a Path it is 1 if the waves of a run took each branch
	// of the path without the defect, else 0.
	Count uint64
	// Path holds the blocks of code that lead to the instruction, from Producer if there is one. [Checker.Paths] sets
	// it. It is empty if no path leads to the code, and nil in a finding of a run.
	Path []Site

	Rule string // the id of the rule in the handbook, "" if there is none
	// Message is a sentence that says what is wrong. Fix says what to do, and is "" if that is obvious. In both,
	// addresses of instructions are absolute, like PC: see [Finding.From].
	Message, Fix string

	message, fix said
	load         uint64 // the address at which the program, or its code object, was loaded
	base         uint64 // the address that PC and the addresses of messages are relative to
	defect       defect
	guess        *site // the load of a value that may only be a guess, see [Finding.excused]
}

// Site is the instruction at which a defect first occurred, and the wave that executed it. In a finding about a
// setting, Text is "".
type Site struct {
	PC   uint64
	Inst gcn.Inst
	Text string // Inst in LLVM syntax
	// Symbol is the location in the code object, as in "vadd+0x48", "" if there is no code object.
	Symbol string
	// Source is the line that the instruction was compiled from, as in "k.cl:12", "" if the code object
	// does not say.
	Source string
	Index  uint64    // the number of instructions that the wave executed before this one
	Group  [3]uint32 // the number of the work-group in each dimension
	Wave   int       // the number of the wave in the work-group
}

// sortFindings sorts findings by address and then by kind. Findings about settings come first.
func sortFindings(all []Finding) {
	order := map[Kind]int{}
	for i, k := range kinds {
		order[k.Kind] = i
	}
	slices.SortStableFunc(all, func(a, b Finding) int {
		return cmp.Or(
			-cmp.Compare(len(b.Text), 0)+cmp.Compare(len(a.Text), 0),
			cmp.Compare(a.PC, b.PC), cmp.Compare(order[a.Kind], order[b.Kind]),
			-cmp.Compare(a.Severity, b.Severity), cmp.Compare(a.producerPC(), b.producerPC()),
			cmp.Compare(a.Field, b.Field), cmp.Compare(a.Reg, b.Reg), cmp.Compare(a.Message, b.Message))
	})
}

func (f Finding) producerPC() uint64 {
	if f.Producer == nil {
		return 0
	}
	return f.Producer.PC
}
