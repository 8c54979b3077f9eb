package sim

import (
	"math/rand/v2"

	"github.com/gcnsim/gcnsim/internal/base/block"
)

// engineChoice selects when the compiled engine executes instructions. The plain engine executes all others. Both
// produce the same results; TestEngines compares them.
type engineChoice struct {
	compiles bool        // programs may be compiled
	atOnce   bool        // programs are compiled before they execute, instead of after many instructions
	enters   func() bool // called before each call of machine code, to allow or prevent it; nil allows all
}

// choice is the engine that the environment variable GCNSIM_BLOCKS selects. Tests change it.
var choice = chooseEngine(block.Setting())

// chooseEngine returns the choice for a value of GCNSIM_BLOCKS.
func chooseEngine(value, wrong string) engineChoice {
	switch {
	case wrong != "" || block.Unavailable() != "":
		return engineChoice{}
	case value == block.Hot:
		return engineChoice{compiles: true, atOnce: true}
	case value == block.Random:
		return engineChoice{compiles: true, atOnce: true, enters: func() bool { return rand.Uint32()&1 != 0 }}
	}
	return engineChoice{compiles: true}
}

// The number of instructions that waves execute before a program is compiled. Compiling takes a fraction of the time
// that these instructions took.
const (
	hotInstructions = 1 << 15 // minimum
	hotTurns        = 1 << 9  // per dword of the program
)

// isHot reports whether the program should be compiled now.
func (h *hotCode) isHot() bool { return choice.atOnce || h.executed.Load() >= h.limit }

// count adds n executed instructions.
func (h *hotCode) count(n uint64) {
	if h != nil && h.executed.Load() < h.limit {
		h.executed.Add(int64(n))
	}
}
