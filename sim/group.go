package sim

import (
	"context"
	"fmt"
	"strings"

	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/tool/enum"
	"github.com/gcnsim/gcnsim/state"
)

// group runs the waves of one work-group to their end: in turn, each until a barrier, its
// end, its slice or where it must wait for another wave. A barrier opens when all waves
// that have not ended are at it (rule RC3). The error is a *[state.Fault] or the error of ctx.
func (r *runner) group(ctx context.Context, waves []*state.Wave) error {
	r.ctx, r.inCall = ctx, nil
	if r.ports.Sync != nil {
		r.ports.Sync.Begin()
	}
	r.begin(waves)
	var turns [maxGroupWaves]uint8
	for {
		live, waiting, progress := 0, 0, false
		if r.order.kind != "" {
			r.order.waves(&turns, len(waves))
		}
		for i, w := range waves {
			if r.order.kind != "" {
				w = waves[turns[i]]
				r.sliceCut = slice - r.order.turn()
			}
			if w.Ended {
				continue
			}
			if !w.AtBarrier {
				before := w.Executed
				if f := r.run(w); f != nil {
					return f
				}
				if err := ctx.Err(); err != nil {
					return err
				}
				if r.order.kind != "" && r.turn != nil {
					r.turn.yield(struct{}{})
				}
				if w.Executed != before || w.Ended {
					progress = true
					r.turn.moved()
				}
			}
			switch {
			case !w.Ended:
				live++
			case r.ports.Sync != nil:
				r.ports.Sync.Done |= 1 << w.ID
			}
			if w.AtBarrier {
				waiting++
			}
		}
		progress = r.settle(waves) || progress
		switch {
		case live == 0:
			return nil
		case waiting == live:
			for _, w := range waves {
				w.AtBarrier = false
			}
		case !progress && !r.waitForOthers(waves):
			return r.deadlock(waves)
		}
	}
}

// waits say what waves wait for, before the number of the resource or counter.
var waits = [state.NumWaits]string{
	state.NoWait: "nothing", state.GWSBarrier: "the barrier of GWS resource",
	state.GWSSemaphore: "the semaphore of GWS resource",
	state.OrderedTurn:  "its turn at ordered counter", state.ClockTurn: "others to reach its time on clock",
}

var _ = enum.Full[state.Wait](waits[:])

// deadlock is the fault of a work-group all of whose waves wait: that of the first one
// that an instruction keeps.
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

// count adds the instructions of waves that ended to the result.
func (r *runner) count(waves []*state.Wave) {
	for _, w := range waves {
		r.res.Instructions += w.Executed
	}
}
