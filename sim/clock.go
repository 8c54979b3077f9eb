package sim

import (
	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/state"
)

// Clock tells waves what time it is: [Needs].Clock. A model of time has one.
type Clock interface {
	// Now returns the core clock at which w issues in, the instruction before w.PC, which reads
	// it. If ok is false other waves must continue first, and the instruction is asked for again.
	Now(w *state.Wave, in *gcn.Inst) (cycles uint64, ok bool)
	// Settle is called when all waves of a work-group have had their turn and some wait
	// for the clock. It lets time continue until it reaches one of these, and reports whether
	// it does.
	Settle(waves []*state.Wave) bool
}

// setClock makes the waves of r read the clock of l, if one of them has one.
func (r *runner) setClock(l *watchers) {
	c := l.needs.Clock
	if c == nil {
		return
	}
	r.clock, r.keeper = c, l.all[l.keeper-1]
	r.ports.Clock = func(w *state.Wave, in *isa.Inst) (cycles uint64, ok bool) {
		r.catchUp() // who tells the time has seen all that was before
		r.inCall = r.keeper
		cycles, ok = c.Now(w, (*gcn.Inst)(in))
		r.inCall = nil
		return cycles, ok
	}
}

// settle lets time continue if a wave waits for it, and reports whether it reached one.
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
