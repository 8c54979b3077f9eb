package block

import "os"

// Values of the environment variable GCNSIM_BLOCKS. Others are as if it were not set.
const (
	Off = "off" // everything is interpreted, as without the variable; no tool makes blocks either
	On  = "on"  // programs are compiled when they have executed often
	// Hot and Random are for tests: programs are compiled before they execute. With Random a block is entered every
	// other time.
	Hot    = "hot"
	Random = "random"
)

// Counts are numbers of instructions: all of them, vector instructions and loads from LDS.
type Counts struct{ Executed, VALU, DS uint64 }

// Setting returns the value of GCNSIM_BLOCKS.
func Setting() string { return os.Getenv("GCNSIM_BLOCKS") }

// Made is what becomes of a block.
type Made struct {
	Steps   []int // its instructions
	Entered bool  // the run loop enters it; else it follows another one
	Bytes   int   // of machine code
	Runs    []RunText
}

// RunText is a run of vector instructions as text.
type RunText struct {
	First, N int      // its first step and how many vector instructions it has
	Checked  bool     // exceptions of the machine are looked at
	List     []string // what is done with each strip of eight lanes
}
