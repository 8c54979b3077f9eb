package state

import "github.com/gcnsim/gcnsim/internal/tool/enum"

// Rules chooses between the rule sets of rule K10.
type Rules uint8

// The rule sets.
const (
	DefaultRules Rules = iota // SeedRules for a bare wave, DriverRules for a dispatch
	SeedRules                 // the letter of the documents, with the exceptions of rule K20
	DriverRules               // the behaviour that drivers and compilers rely on
	RDNARules                 // buffers and names in texts as on RDNA, all else as SeedRules
	NumRules
)

var ruleNames = [NumRules]string{DefaultRules: "default", SeedRules: "seed", DriverRules: "driver", RDNARules: "rdna"}

var _ = enum.Full[Rules](ruleNames[:])

// String returns the name the command line uses.
func (r Rules) String() string { return enum.Name(ruleNames[:], r) }

// Alignment is SH_MEM_CONFIG.alignment_mode (rule L2).
type Alignment uint8

// The alignment modes.
const (
	DefaultAlign     Alignment = iota // AlignDword for a bare wave, AlignNone for a dispatch
	AlignDword                        // align down to the smaller of the size and 4
	AlignDwordStrict                  // misaligned to the smaller of the size and 4: MEMVIOL
	AlignStrict                       // misaligned to the size: MEMVIOL
	AlignNone                         // any address
)
