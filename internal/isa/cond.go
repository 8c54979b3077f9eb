package isa

// Cond is the condition of a comparison: the set of outcomes for which it is true. Source: AMD GCN ISA manuals, SOPC
// and VOPC.
type Cond uint8

// The outcomes, and the conditions of scalar comparisons.
const (
	CondLess Cond = 1 << iota
	CondEqual
	CondGreater
	CondUnordered // an operand is NaN
	CondClass     // not a comparison: SRC1 selects classes of SRC0

	CondLessEqual    = CondLess | CondEqual
	CondGreaterEqual = CondGreater | CondEqual
	CondUnequal      = CondLess | CondGreater
)

// condition is a condition in the spelling of VOPC mnemonics.
type condition struct {
	name   string
	cond   Cond
	second string // another spelling, or ""
}

// The conditions of vector compares, in the order of their opcodes. Source: AMD GCN ISA
// manuals, VOPC; CLRX for the second spellings.
var (
	floatConds = []condition{
		{"f", 0, ""}, {"lt", CondLess, ""}, {"eq", CondEqual, ""}, {"le", CondLessEqual, ""}, {"gt", CondGreater, ""},
		{"lg", CondUnequal, ""}, {"ge", CondGreaterEqual, ""}, {"o", ordered, ""}, {"u", CondUnordered, ""},
		{"nge", CondUnordered | CondLess, ""}, {"nlg", CondUnordered | CondEqual, ""},
		{"ngt", CondUnordered | CondLessEqual, ""}, {"nle", CondUnordered | CondGreater, ""},
		{"neq", CondUnordered | CondUnequal, ""}, {"nlt", CondUnordered | CondGreaterEqual, ""},
		{"tru", CondUnordered | ordered, "t"},
	}
	intConds = []condition{
		{"f", 0, ""}, {"lt", CondLess, ""}, {"eq", CondEqual, ""}, {"le", CondLessEqual, ""}, {"gt", CondGreater, ""},
		{"ne", CondUnequal, "lg"}, {"ge", CondGreaterEqual, ""}, {"t", CondUnordered | ordered, "tru"},
	}
	classConds = []condition{{"class", CondClass, ""}}
)

const ordered = CondLess | CondEqual | CondGreater
