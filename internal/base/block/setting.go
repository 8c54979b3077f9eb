package block

import (
	"fmt"
	"os"
)

// Values of the environment variable GCNSIM_BLOCKS.
const (
	On  = "on"  // programs are compiled when they have executed often, as without the variable
	Off = "off" // everything is interpreted; no tool makes blocks either
	// Hot and Random are for tests: programs are compiled before they execute. With Random a block is entered every
	// other time.
	Hot    = "hot"
	Random = "random"
)

// Counts are numbers of instructions: all of them, and those of some classes.
type Counts struct{ Executed, VALU, DS, FLAT, GLOBAL, MUBUF, SMEM uint64 }

// Left says why blocks did not continue.
type Left uint8

// The reasons.
const (
	AtEnd   Left = iota // no block begins there, or the budget is used up
	Missed              // the machine found a case in a run that it treats in another way
	Unknown             // the [Site] of the access there is not known, or lanes are elsewhere
)

// Setting returns the value of GCNSIM_BLOCKS, and what is wrong with it, "" if nothing is.
func Setting() (value, wrong string) {
	switch value = os.Getenv("GCNSIM_BLOCKS"); value {
	case "", On, Hot, Random:
		return value, ""
	case Off:
		return value, "GCNSIM_BLOCKS is off"
	}
	return value, fmt.Sprintf("GCNSIM_BLOCKS is %q: it can be on, off, hot or random", value)
}
