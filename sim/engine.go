package sim

import (
	"math/rand/v2"

	"github.com/gcnsim/gcnsim/internal/base/block"
)

// engineChoice says when the compiled engine executes instructions. The plain one executes all others. Both leave the
// same: TestEngines compares them.
type engineChoice struct {
	compiles bool        // there is machine code
	atOnce   bool        // programs are compiled before they execute, and not when they have executed many instructions
	enters   func() bool // asked before each call of machine code whether to make it; nil if all are made
}

// choice is the engine that the environment variable GCNSIM_BLOCKS selects. Tests change it.
var choice = chooseEngine(block.Setting())

// chooseEngine returns the choice that a value of GCNSIM_BLOCKS makes.
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

// How many instructions waves execute before a program is compiled: compiling takes a fraction of the time that they
// took.
const (
	hotInstructions = 1 << 15 // at least
	hotTurns        = 1 << 9  // for each of its dwords
)

// isHot reports whether the program is to be compiled.
func (h *hotCode) isHot() bool { return choice.atOnce || h.executed.Load() >= h.limit }

// count adds instructions that have executed.
func (h *hotCode) count(n uint64) {
	if h != nil && h.executed.Load() < h.limit {
		h.executed.Add(int64(n))
	}
}
