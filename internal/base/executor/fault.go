package executor

import (
	"fmt"

	"github.com/gcnsim/gcnsim/state"
)

// NewFault returns a fault of kind k that no single lane caused. Executors leave wave, PC and
// text to the run loop.
func NewFault(k state.FaultKind, format string, args ...any) *state.Fault {
	return &state.Fault{Kind: k, What: fmt.Sprintf(format, args...), Lane: state.NoLane}
}
