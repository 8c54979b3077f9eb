// Package unseen is the part of a watcher's needs that only watchers of this module may have, because its contract is
// too delicate to promise: a watcher leaves code unseen, which then executes as machine code, and is told afterwards
// what it accessed; or it runs the work-groups of a dispatch in an order of its own. Such a watcher has a method
// Unseen() any, which returns [Needs]: package sim calls it once, behind the method Needs. Its type is any because
// public types show none of internal packages.
package unseen

import "github.com/gcnsim/gcnsim/state"

// Needs is in the result of the method Unseen. E is *sim.Event: package sim stands on this one.
type Needs[E any] struct {
	// Skip, if not nil, is called before an instruction: it returns the code from the PC of the event on that the
	// watcher does not need to see. That executes without calls, whether in one turn of its wave or in several, and
	// then Skip is called again. If it has no bytes the instruction is shown. Skip is called only for a watcher that
	// looks alone, where waves have no trap handler and nothing collects exceptions. If accesses is set the watcher
	// will be told of accesses to memory; the code may then load and store, and go back.
	Skip func(e E, accesses bool) Ahead
	// Skipped, if not nil, is called when instructions that Skip named have executed: n of them, which may be less than
	// Skip named, or more if they loop. The trace has accesses if Skip was called with accesses. The wave is the one
	// after all of them.
	Skipped func(e E, n uint64, trace Trace)
	// Scheduler, if not nil, runs the work-groups of a dispatch in an order of its own, and they may
	// pause: for a watcher that cannot take at once all that one executes. Each call of next begins
	// the next work-group in grid order; many may have begun and not ended. g is nil if there is no
	// scratch for another one until one has ended, and more is false once none is left or one has
	// failed. Scheduler must run all of them to their ends. It may call next and Run from any goroutine, one call at a
	// time: so watchers of such a dispatch are called.
	//
	// Work-groups run one after another all the same, and Scheduler is not called, if a watcher looks
	// before instructions, if two have a Scheduler, or if the order of the work-groups matters.
	Scheduler func(next func() (g Group, more bool))
}

// Of returns the needs of w, none if it has no method Unseen. Watchers that wrap another one return its.
func Of[E any](w any) Needs[E] {
	u, _ := w.(interface{ Unseen() any })
	if u == nil {
		return Needs[E]{}
	}
	n, _ := u.Unseen().(Needs[E])
	return n
}

// Ahead is code ahead of a wave: whole instructions, up to the first branch that is taken.
type Ahead struct {
	// Bytes is how many bytes of code there are from the next instruction on.
	Bytes uint64
	// Loops says that the last instruction is a branch back to the first one, which may be taken any number of times.
	Loops bool
}

// Trace is the accesses to memory of code that executed unseen, in the order in which they executed.
type Trace interface {
	// Next leaves out pass accesses, then makes the event that of the access that follows: PC, Inst, and with record
	// also Access, its lanes and addresses. It returns false if none is left. Accesses of a loop come iteration by
	// iteration, so that those that are left out at the end of one count in pass of the next call. If the access record
	// is dense and each lane has one dword, it has the address of lane 0 alone.
	Next(pass int, record bool) bool
	// Lanes returns the addresses of the lanes of an access, which costs less than its access record: ahead says how
	// many accesses after the latest one that Next has gone to, 0 for that one itself. Each lane of exec is at its
	// place from base on, and the second one of two elements of a lane is second bytes behind the first. places are
	// used again, and must not be changed. If there is no such access Lanes returns zeros.
	Lanes(ahead int) (exec, base uint64, places *state.Lanes, second uint64)
}

// Group is a work-group that has begun, of a dispatch with a Scheduler. It has its own registers and memory.
type Group interface {
	// ID returns the number of the work-group in each dimension, and Waves how many waves it has.
	ID() [3]uint32
	Waves() int
	// Run lets the work-group execute until it pauses or ends; done reports that it has ended.
	Run() (done bool)
	// Pause makes Run return after the instruction that watchers are called for.
	Pause()
	// Left returns how many work-groups of the dispatch have not begun.
	Left() int
	// RunNext runs the next n work-groups of the dispatch that have not begun to their ends, and returns how many
	// instructions they executed. The watcher whose Scheduler calls it does not see them. Other watchers do, and then
	// one runs after another; else several run at a time. If n is more than are left, or if there is no scratch for
	// another work-group, it runs none, and ok is false.
	RunNext(n int) (instructions uint64, ok bool)
}
