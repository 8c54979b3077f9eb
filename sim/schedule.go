package sim

import (
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"github.com/gcnsim/gcnsim/state"
)

// Schedule is the order in which the waves and the work-groups of a dispatch have their turns:
// the empty string, [RoundRobin], [Reverse], [Cooperative], or "random:SEED" with a number. With the empty string each
// work-group runs to its end, several at a time. With the others one wave executes at a time, and work-groups
// that wait for one another get on: after each turn of a wave another work-group has its own. If somebody
// watches, work-groups run one after another, in the order in which the schedule begins them. The same schedule
// gives the same run.
type Schedule string

// Schedules.
const (
	// RoundRobin gives up to 64 work-groups short turns, in the order of the grid.
	RoundRobin Schedule = "round-robin"
	// Reverse begins with the last wave of the last work-group. Turns are long, and up to 256 work-groups
	// wait for one another.
	Reverse Schedule = "reverse"
	// Cooperative begins all work-groups before one of them has a second turn, as a cooperative launch does:
	// work-groups may wait for all others, at barriers of global wave sync, too.
	Cooperative Schedule = "cooperative"
)

// A turn has roundTurn instructions, or up to randomTurn in random orders. Up to resident work-groups
// have begun at a time; those that reverse begins may wait for all that follow, so there are more of them.
const (
	roundTurn       = 16
	randomTurn      = 64
	resident        = 64
	reverseResident = 256
)

// order is a [Schedule] that was read, and the state of its random numbers.
type order struct {
	kind  Schedule // without a seed
	state uint64
}

// randomOrder is the text before the seed of a random order.
const randomOrder = "random:"

// order reads s.
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

// below returns a random number below n.
func (o *order) below(n int) int {
	o.state += 0x9e3779b97f4a7c15
	hi, _ := bits.Mul64(mix(o.state), uint64(n))
	return int(hi)
}

// waves puts the numbers of n waves into to in the order of their turns.
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

// turn returns how many instructions the next turn has.
func (o *order) turn() int {
	switch o.kind {
	case RoundRobin:
		return roundTurn
	case randomOrder:
		return 1 + o.below(randomTurn)
	}
	return slice
}

// place returns which work-group is the n-th to begin. Random orders begin in the order of the grid, and
// turns are random.
func (d *dispatch) place(n int64) int {
	if d.order.kind == Reverse {
		return d.total - 1 - int(n)
	}
	return int(n)
}

// interleaves reports whether the work-groups of d take the turns of a schedule.
func (d *dispatch) interleaves() bool {
	return d.order.kind != "" && len(d.c.watched().all) == 0
}

// interleave gives the work-groups that next begins their turns.
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
		if d.failed.Load() < int64(d.total) { // others may wait for the one that failed
			d.failed.Store(-1)
			return
		}
	}
}

// resume gives g a turn, with what its waves have passed at the GDS, and reports whether g has ended.
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

// patience returns how many turns in a row without an instruction show that the work-groups that have begun wait for
// one another in vain. In random orders it may take many until each has had its turns.
func (d *dispatch) patience(live int) int {
	turns := 2 * live * (d.wavesPerGroup + 1)
	if d.order.kind == randomOrder {
		turns *= 64
	}
	return turns
}

// waitForOthers lets other work-groups have their turns because none of the waves can continue. It reports false if no
// wave waits for what another work-group can do, or all work-groups wait.
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
