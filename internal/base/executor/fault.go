package executor

import (
	"fmt"

	"github.com/gcnsim/gcnsim/state"
)

// NewFault returns a fault of kind k that no single lane caused. The run loop sets wave, PC and text.
func NewFault(k state.FaultKind, format string, args ...any) *state.Fault {
	return &state.Fault{Kind: k, What: fmt.Sprintf(format, args...), Lane: state.NoLane}
}
