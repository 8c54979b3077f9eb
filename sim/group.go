package sim

import (
	"context"
	"fmt"
	"strings"

	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/tool/enum"
	"github.com/gcnsim/gcnsim/state"
)

// group executes the waves of one work-group until all have ended. They take turns: a turn ends at a barrier, at the
// end of the wave, after a slice of instructions, or when the wave must wait for another wave. A barrier opens when
// all waves that have not ended have reached it (rule RC3). The error is a *[state.Fault] or the error of ctx.
func (r *runner) group(ctx context.Context, waves []*state.Wave) error {
	r.ctx, r.inCall = ctx, nil
	if r.ports.Sync != nil {
		r.ports.Sync.Begin()
	}
	r.begin(waves)
	if r.driven {
		return r.drive(waves)
	}
	var at round
	for {
		for w := at.wave(r, waves); w != nil; w = at.wave(r, waves) {
			if w.Ended || w.AtBarrier {
				at.pass(r, w, false)
				continue
			}
			before := w.Executed
			if f := r.run(w); f != nil {
				return f
			}
			if err := ctx.Err(); err != nil {
				return fmt.Errorf("stopped after %d instructions of wave %d of work-group %d,%d,%d, at pc 0x%x: %w",
					w.Executed, w.ID, w.Group[0], w.Group[1], w.Group[2], w.PC, err)
			}
			if r.order.kind != "" && r.turn != nil {
				r.turn.yield(struct{}{})
			}
			progress := w.Executed != before || w.Ended
			if progress {
				r.turn.moved()
			}
			at.pass(r, w, progress)
		}
		if done, err := r.endRound(&at, waves); done || err != nil {
			return err
		}
	}
}

// round is the progress of a work-group in a round. In a round each of its waves has a turn.
type round struct {
	turns         [maxGroupWaves]uint8
	at            int // index of the wave in turns
	used, length  int // instructions of the turn that have executed, and the length of the turn; 0 before it begins
	live, waiting int // numbers of waves that have had their turn in this round
	progress      bool
}

// wave returns the wave whose turn it is and begins the turn, or returns nil if the round has ended.
func (l *round) wave(r *runner, waves []*state.Wave) *state.Wave {
	if l.at == len(waves) {
		return nil
	}
	i := l.at
	if r.order.kind != "" {
		if l.at == 0 && l.length == 0 {
			r.order.waves(&l.turns, len(waves))
		}
		i = int(l.turns[i])
	}
	if l.length == 0 {
		if l.length = slice; r.order.kind != "" && !waves[i].Ended {
			l.length = r.order.turn()
			r.sliceCut = slice - l.length
		}
	}
	return waves[i]
}

// pass ends the turn of w. progress tells whether w executed an instruction.
func (l *round) pass(r *runner, w *state.Wave, progress bool) {
	switch {
	case !w.Ended:
		l.live++
	case r.ports.Sync != nil:
		r.ports.Sync.Done |= 1 << w.ID
	}
	if w.AtBarrier {
		l.waiting++
	}
	l.progress = l.progress || progress
	l.used, l.length = 0, 0
	l.at++
}

// endRound begins another round, or returns true if all waves have ended. It opens a barrier that all waves have
// reached. The error is the *[state.Fault] of a deadlock.
func (r *runner) endRound(l *round, waves []*state.Wave) (done bool, err error) {
	progress := r.settle(waves) || l.progress
	switch {
	case l.live == 0:
		return true, nil
	case l.waiting == l.live:
		for _, w := range waves {
			w.AtBarrier = false
		}
	case !progress && !r.waitForOthers(waves):
		return false, r.deadlock(waves)
	}
	*l = round{}
	return false, nil
}

// waits names the resources and counters that waves wait for, without the number.
var waits = [state.NumWaits]string{
	state.NoWait: "nothing", state.GWSBarrier: "the barrier of GWS resource",
	state.GWSSemaphore: "the semaphore of GWS resource",
	state.OrderedTurn:  "its turn at ordered counter", state.ClockTurn: "others to reach its time on clock",
}

var _ = enum.Full[state.Wait](waits[:])

// deadlock returns the fault of a work-group all of whose waves wait. It describes the first wave that waits in an
// instruction.
func (r *runner) deadlock(waves []*state.Wave) *state.Fault {
	var first *state.Wave
	var all []string
	for _, w := range waves {
		switch {
		case w.Ended:
		case w.AtBarrier:
			all = append(all, fmt.Sprintf("wave %d at s_barrier for the others", w.ID))
		default:
			if first == nil {
				first = w
			}
			all = append(all, fmt.Sprintf("wave %d for %s %d", w.ID, waits[w.Wait], w.WaitIndex))
		}
	}
	f := executor.NewFault(state.FaultDeadlock, "no wave of the work-group can go on; waiting are %s",
		strings.Join(all, ", "))
	for _, p := range r.code {
		if p.contains(first.PC) {
			return r.fault(first, p, first.PC, f)
		}
	}
	return r.fault(first, r.code[0], first.PC, f)
}

// count adds the instruction counts of ended waves to the result.
func (r *runner) count(waves []*state.Wave) {
	for _, w := range waves {
		r.res.Instructions += w.Executed
	}
}
