package block

import (
	"fmt"
	"os"
)

// Values of the environment variable GCNSIM_BLOCKS.
const (
	On  = "on"  // programs are compiled once they have executed often; the default
	Off = "off" // everything is interpreted; no tool compiles blocks either
	// Hot and Random are for tests: programs are compiled before they execute. With Random a block is entered every
	// other time.
	Hot    = "hot"
	Random = "random"
)

// Counts holds numbers of instructions: all, and those of some classes.
type Counts struct{ Executed, VALU, DS, FLAT, GLOBAL, MUBUF, SMEM uint64 }

// Left is the reason why blocks returned to the run loop.
type Left uint8

// Values of Left.
const (
	AtEnd   Left = iota // no block begins there, or the budget is used up
	Missed              // in a run, the host met a case that executors treat in another way
	Unknown             // the [Site] of the access is not known, or lanes are elsewhere
)

// Setting returns the value of GCNSIM_BLOCKS; wrong describes an invalid value and is "" for a valid one.
func Setting() (value, wrong string) {
	switch value = os.Getenv("GCNSIM_BLOCKS"); value {
	case "", On, Hot, Random:
		return value, ""
	case Off:
		return value, "GCNSIM_BLOCKS is off"
	}
	return value, fmt.Sprintf("GCNSIM_BLOCKS is %q: it can be on, off, hot or random", value)
}
