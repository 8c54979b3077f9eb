package check

import (
	"cmp"
	"slices"

	"github.com/gcnsim/gcnsim/gcn"
)

// Finding is one defect of a program, or of what it was run with.
type Finding struct {
	Kind     Kind
	Severity Severity
	Site

	// Field names the field, register or setting that the finding is about, as in "V#
	// TYPE" or "s96"; "" if it is about an address.
	Field string
	// Producer is the earlier instruction of a pair, nil if the finding is about one.
	Producer *Site
	Reg      string  // the register that the finding is about, as in "v1", "" if there is none
	Space    string  // the memory, as in "lds", "" if there is none
	Lane     int     // the first lane that it is about, [state.NoLane] if it is about none
	Addr     *uint64 // that lane's address, nil if that is not what is wrong
	Count    uint64  // how many times it was found

	Rule string // id in the handbook, "" if there is none
	// Message is what is wrong, in a sentence, and Fix what to do about it, "" if that goes
	// without saying. Addresses of instructions in them are absolute, as PCs are; see
	// [Finding.From].
	Message, Fix string

	message, fix said
	load         uint64 // where the program lies that PC is of
	base         uint64 // what PCs count from
	defect       defect
	guess        *site // see [Finding.excused]
}

// Site is where a finding was made first: an instruction that a wave executed. That of a
// finding about a setting has no Text.
type Site struct {
	PC   uint64
	Inst gcn.Inst
	Text string // Inst in LLVM syntax
	// Symbol is the place in the code object, as in "vadd+0x48", "" if the program is of none.
	Symbol string
	// Source is the line that the instruction was compiled from, as in "k.cl:12", "" if that
	// is not known.
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
