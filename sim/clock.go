package sim

import (
	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/state"
)

// Clock returns the time to waves that read it; see [Needs].Clock. A time model has a Clock.
type Clock interface {
	// Now returns the core clock at which w issues in, the instruction before w.PC, which reads it. If ok is false,
	// other waves must execute first, and Now is called again for the instruction later.
	Now(w *state.Wave, in *gcn.Inst) (cycles uint64, ok bool)
	// Settle is called when all waves of a work-group have had their turn and some of them wait for the clock. It
	// advances the time until one of these can continue, and reports whether there is such a wave.
	Settle(waves []*state.Wave) bool
}

// setClock makes the waves of r read the clock of l, if a watcher in l has a clock.
func (r *runner) setClock(l *watchers) {
	c := l.needs.Clock
	if c == nil {
		return
	}
	r.clock, r.keeper = c, l.all[l.keeper-1]
	r.ports.Clock = func(w *state.Wave, in *isa.Inst) (cycles uint64, ok bool) {
		r.catchUp() // the clock's watcher must have seen all earlier instructions
		r.inCall = r.keeper
		cycles, ok = c.Now(w, (*gcn.Inst)(in))
		r.inCall = nil
		return cycles, ok
	}
}

// settle advances the time if a wave waits for it, and reports whether a wave can continue.
func (r *runner) settle(waves []*state.Wave) bool {
	if r.clock == nil {
		return false
	}
	for _, w := range waves {
		if !w.Ended && w.Wait == state.ClockTurn {
			r.inCall = r.keeper
			settled := r.clock.Settle(waves)
			r.inCall = nil
			return settled
		}
	}
	return false
}
