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

// Made describes a compiled block.
type Made struct {
	Steps   []int // its instructions
	Entered bool  // the run loop enters it; else it follows another one
	Bytes   int   // of machine code
	// Access says how the block begins if its first instruction accesses memory; nil if it does not.
	Access []string
	Runs   []RunText
}

// RunText is a run of vector instructions as text.
type RunText struct {
	First, N int      // its first step and how many vector instructions it has
	Checked  bool     // exceptions of the machine are looked at
	List     []string // what is done with each strip of lanes
}
