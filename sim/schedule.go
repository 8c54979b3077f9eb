package sim

import (
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"github.com/gcnsim/gcnsim/state"
)

// Schedule is the order in which the waves and work-groups of a dispatch take turns: the empty string, [RoundRobin],
// [Reverse], [Cooperative], or "random:SEED" with a number.
//
// With the empty string each work-group executes to its end, several at a time. With the others one wave executes at
// a time, and after each turn of a wave another work-group has a turn, so that work-groups which wait for one another
// continue. If there is a watcher, work-groups execute one after another, in the order in which the schedule starts
// them. The same schedule always has the same result.
type Schedule string

// Schedules.
const (
	// RoundRobin gives up to 64 work-groups short turns, in the order of the grid.
	RoundRobin Schedule = "round-robin"
	// Reverse starts with the last wave of the last work-group. Turns are long, and up to 256 work-groups may wait for
	// one another.
	Reverse Schedule = "reverse"
	// Cooperative starts all work-groups before one of them has a second turn, like a cooperative launch. Work-groups
	// may wait for all others, and may use barriers of global wave sync.
	Cooperative Schedule = "cooperative"
)

// A turn has roundTurn instructions, in random orders up to randomTurn. resident is the number of work-groups that
// have started and not ended. The limit is higher for Reverse, because its first work-groups may wait for all later
// ones.
const (
	roundTurn       = 16
	randomTurn      = 64
	resident        = 64
	reverseResident = 256
)

// order is a parsed [Schedule] with the state of its random numbers.
type order struct {
	kind  Schedule // without the seed
	state uint64
}

// randomOrder is the text before the seed of a random order.
const randomOrder = "random:"

// order parses s. label names the dispatch in the error.
func (s Schedule) order(label string) (order, error) {
	seed, random := strings.CutPrefix(string(s), randomOrder)
	if random {
		if n, err := strconv.ParseUint(seed, 0, 64); err == nil {
			return order{randomOrder, n}, nil
		}
	} else if s == "" || s == RoundRobin || s == Reverse || s == Cooperative {
		return order{kind: s}, nil
	}
	return order{}, badLaunch(label, "Schedule is %.40q; it must be round-robin, reverse, cooperative, or random:SEED "+
		"with a number below 2^64", s)
}

// below returns a random number less than n.
func (o *order) below(n int) int {
	o.state += 0x9e3779b97f4a7c15
	hi, _ := bits.Mul64(mix(o.state), uint64(n))
	return int(hi)
}

// waves sets to to the numbers of n waves in the order of their turns.
func (o *order) waves(to *[maxGroupWaves]uint8, n int) {
	for i := range n {
		to[i] = uint8(i)
		if o.kind == Reverse {
			to[i] = uint8(n - 1 - i)
		}
	}
	if o.kind == randomOrder {
		for i := n - 1; i > 0; i-- {
			j := o.below(i + 1)
			to[i], to[j] = to[j], to[i]
		}
	}
}

// turn returns the number of instructions in the next turn.
func (o *order) turn() int {
	switch o.kind {
	case RoundRobin:
		return roundTurn
	case randomOrder:
		return 1 + o.below(randomTurn)
	}
	return slice
}

// place returns the work-group that starts n-th. Random schedules start in the order of the grid; their turns are
// random.
func (d *dispatch) place(n int64) int {
	if d.order.kind == Reverse {
		return d.total - 1 - int(n)
	}
	return int(n)
}

// interleaves reports whether the work-groups of d follow a schedule.
func (d *dispatch) interleaves() bool {
	return d.order.kind != "" && len(d.c.watched().all) == 0
}

// interleave gives turns to the work-groups that next starts.
func (d *dispatch) interleave(next func() (g *turningGroup, more bool)) {
	most := resident
	switch d.order.kind {
	case Reverse:
		most = reverseResident
	case Cooperative:
		most = d.total
	}
	var live []*turningGroup
	more := true
	for at := 0; ; at++ {
		for more && len(live) < most && (d.order.kind != Reverse || at >= len(live)) {
			var g *turningGroup
			if g, more = next(); g == nil {
				break
			}
			live = append(live, g)
			if d.order.kind == Reverse {
				break
			}
		}
		if len(live) == 0 {
			return
		}
		if at >= len(live) {
			at = 0
		}
		i := at
		if d.order.kind == randomOrder {
			i = d.order.below(len(live))
		}
		d.quiet++
		live[i].stuck = d.quiet > d.patience(len(live))
		if d.resume(live[i]) {
			live = append(live[:i], live[i+1:]...)
			at--
		}
		if d.failed.Load() < int64(d.total) { // others may wait for the work-group that failed
			d.failed.Store(-1)
			return
		}
	}
}

// resume gives g a turn, with its waves' state of the GDS synchronization, and reports whether g has ended.
func (d *dispatch) resume(g *turningGroup) (done bool) {
	if d.gds.Hi == 0 {
		return g.Run()
	}
	s := &d.m.sync
	s.Passed, s.Done = g.passed, g.done
	done = g.Run()
	g.passed, g.done = s.Passed, s.Done
	return done
}

// patience returns the number of turns in a row without an executed instruction that proves a deadlock of the started
// work-groups. Random schedules need many turns until every work-group has had one.
func (d *dispatch) patience(live int) int {
	turns := 2 * live * (d.wavesPerGroup + 1)
	if d.order.kind == randomOrder {
		turns *= 64
	}
	return turns
}

// waitForOthers gives other work-groups turns, because none of the waves can continue. It returns false if no wave
// waits for another work-group, or if all work-groups wait.
func (r *runner) waitForOthers(waves []*state.Wave) bool {
	if r.turn == nil || r.order.kind == "" || r.turn.stuck {
		return false
	}
	shared := slices.ContainsFunc(waves, func(w *state.Wave) bool {
		return !w.Ended && (w.Wait == state.GWSBarrier || w.Wait == state.GWSSemaphore)
	})
	if shared {
		r.turn.yield(struct{}{})
	}
	return shared
}
