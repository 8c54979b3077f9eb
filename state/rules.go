package state

import "github.com/gcnsim/gcnsim/internal/tool/enum"

// Rules selects a rule set (rule K10).
type Rules uint8

// The rule sets.
const (
	DefaultRules Rules = iota // SeedRules for a wave alone, DriverRules for a dispatch
	SeedRules                 // the documents to the letter, with the exceptions of rule K20
	DriverRules               // the behaviour that drivers and compilers depend on
	RDNARules                 // buffers and names in texts as on RDNA, everything else as SeedRules
	NumRules
)

var ruleNames = [NumRules]string{DefaultRules: "default", SeedRules: "seed", DriverRules: "driver", RDNARules: "rdna"}

var _ = enum.Full[Rules](ruleNames[:])

// String returns the name that the command line uses.
func (r Rules) String() string { return enum.Name(ruleNames[:], r) }

// Alignment is SH_MEM_CONFIG.alignment_mode (rule L2).
type Alignment uint8

// The alignment modes.
const (
	DefaultAlign     Alignment = iota // AlignDword for a wave alone, AlignNone for a dispatch
	AlignDword                        // addresses are aligned down to the smaller of the size and 4
	AlignDwordStrict                  // addresses misaligned to the smaller of the size and 4 raise MEMVIOL
	AlignStrict                       // addresses misaligned to the size raise MEMVIOL
	AlignNone                         // all addresses are valid
)
