package block

import "os"

// Values of the environment variable GCNSIM_BLOCKS. Others are as if it were not set.
const (
	Off = "off" // everything is interpreted
	// Hot and Random are for tests: programs are compiled before they execute. With Random a block is entered every
	// other time.
	Hot    = "hot"
	Random = "random"
)

// Counts are numbers of instructions: all of them, vector instructions and loads from LDS.
type Counts struct{ Executed, VALU, DS uint64 }

// Setting returns the value of GCNSIM_BLOCKS.
func Setting() string { return os.Getenv("GCNSIM_BLOCKS") }
