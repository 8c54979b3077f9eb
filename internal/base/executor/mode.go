package executor

import (
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/state"
)

// GPRIndexing reports whether GPR indexing is on. Generations without it ignore the bit of MODE.
func GPRIndexing(w *state.Wave) bool {
	return w.Mode&state.ModeGPRIdxEn != 0 && isa.TraitsOf(w.Target).GPRIndexing
}
