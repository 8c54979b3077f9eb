package check

import (
	"fmt"
	"math/bits"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/sim"
)

// outOfRange finds lanes whose elements were out of range.
func (c *Checker) outOfRange(e *sim.Event, s *site) {
	if !touches(e) {
		return
	}
	mask := e.Access.OutMask() &^ (e.Access.Misaligned | privateAtomics(e))
	if f := s.lanes(e, OutOfRange, Note, "", mask); f != nil {
		f.Message += "out of range: loads return 0, stores and atomics do nothing"
	}
}

// misaligned finds lanes that raised MEMVIOL because of their alignment.
func (c *Checker) misaligned(e *sim.Event, s *site) {
	if !touches(e) {
		return
	}
	rule := "L2"
	if e.Access.Op == gcn.Atomic {
		rule = "L4"
	}
	if f := s.lanes(e, Misaligned, Error, rule, e.Access.Misaligned); f != nil {
		f.Message += "misaligned, which raises MEMVIOL: loads return 0, stores and atomics do nothing"
	}
}

// rulesDiffer finds lanes that the other rule set would have treated differently.
func (c *Checker) rulesDiffer(e *sim.Event, s *site) {
	if !touches(e) {
		return
	}
	if f := s.lanes(e, RulesDiffer, Warning, "", e.Access.Differs); f != nil {
		f.Message += "addressed or range-checked differently by the seed and driver rules (" + e.Access.Subject + ")"
	}
}

// lanes returns a new finding about the lanes of mask, whose message begins with how many
// they are; nil if there are none or if it is there already.
func (s *site) lanes(e *sim.Event, k Kind, severity Severity, rule string, mask uint64) *Finding {
	if mask == 0 {
		return nil
	}
	f := s.first(e, k, "", rule)
	if f == nil {
		return nil
	}
	f.Severity, f.Lane = severity, bits.TrailingZeros64(mask)
	addr := e.Access.Addr[f.Lane]
	f.Addr = &addr
	if n := bits.OnesCount64(mask); n == 1 {
		f.Message = "1 lane is "
	} else {
		f.Message = fmt.Sprintf("%d lanes are ", n)
	}
	return f
}

// privateAtomics returns the lanes of a FLAT atomic in private memory, which hardware
// does not do: see [Checker.ignored].
func privateAtomics(e *sim.Event) uint64 {
	if e.Access.Op == gcn.Atomic {
		return e.Access.ScratchLanes
	}
	return 0
}
