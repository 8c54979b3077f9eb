package check

import (
	"cmp"
	"slices"

	"github.com/gcnsim/gcnsim/gcn"
)

// Finding is one defect of a program, or of the settings and data that it was run with.
type Finding struct {
	Kind     Kind
	Severity Severity
	Site

	// Field names the field, register or setting that the finding is about, as in "V#
	// TYPE" or "s96"; "" if it is about an address.
	Field string
	// Producer is the earlier one of two instructions, nil if the finding is about one instruction.
	Producer *Site
	Reg      string  // the register that the finding is about, as in "v1", "" if there is none
	Space    string  // the memory, as in "lds", "" if there is none
	Lane     int     // the first lane that the finding is about, [state.NoLane] if it is about no lane
	Addr     *uint64 // the address that Lane accesses, nil if the finding is not about an address
	// Count is how many times the defect was met. With a Path it is 1 if the waves of a run took each branch of the path
	// and did not meet the defect, else 0.
	Count uint64
	// Path is the way to the instruction, from Producer on if there is one, of a finding of [Checker.Paths]: where
	// blocks of code begin; empty of code to which no path leads. It is nil of findings of a run.
	Path []Site

	Rule string // id in the handbook, "" if there is none
	// Message says what is wrong, in a sentence. Fix says what to do about it; it is "" if that is
	// obvious. Addresses of instructions in both are absolute, as PCs are: see [Finding.From].
	Message, Fix string

	message, fix said
	load         uint64 // where the program, or its code object, was loaded
	base         uint64 // the address that PCs count from
	defect       defect
	guess        *site // see [Finding.excused]
}

// Site is where a finding was made first: an instruction that a wave executed. A finding about a
// setting has a site without Text.
type Site struct {
	PC   uint64
	Inst gcn.Inst
	Text string // Inst in LLVM syntax
	// Symbol is the place in the code object, as in "vadd+0x48", "" if there is no code object.
	Symbol string
	// Source is the line that the instruction was compiled from, as in "k.cl:12", "" if the code object
	// does not say.
	Source string
	Index  uint64    // how many instructions the wave had executed before
	Group  [3]uint32 // work-group
	Wave   int       // number in the work-group
}

// sortFindings orders findings by where they are, those about settings first, then by
// kind.
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
