// Package unseen has the needs of a watcher that are reserved to watchers of this module, because their contract is
// too delicate for a public API. Such a watcher can leave code unseen, which then executes as machine code, and
// receives the accesses afterwards; or it can execute the work-groups of a dispatch in its own order. It has a method
// Unseen() any that returns [Needs]. Package sim calls it once, after the method Needs. The type is any because
// public types must not mention internal packages.
package unseen

import "github.com/gcnsim/gcnsim/state"

// Needs is the result of the method Unseen. E is *sim.Event; it is a type parameter because package sim imports this
// package.
type Needs[E any] struct {
	// Skip, if not nil, is called before an instruction. It returns the code from the PC of the event on that the
	// watcher need not see. This code executes without calls, in one or several turns of its wave, and then Skip is
	// called again. If the code has no bytes, the instruction is shown. Skip is called only if there is no other
	// watcher, and waves have no trap handler and collect no exceptions. If accesses is set, memory accesses will be
	// traced; only then may the code load, store and loop.
	Skip func(e E, accesses bool) Ahead
	// Skipped, if not nil, is called when n instructions of the code from Skip have executed, which may be fewer than
	// requested, or more if the code loops. The trace has accesses if Skip was called with accesses. The wave has the
	// state after all of them.
	Skipped func(e E, n uint64, trace Trace)
	// Scheduler, if not nil, executes the work-groups of a dispatch in its own order, and they may pause. It serves a
	// watcher that cannot process a whole work-group at once. Each call of next starts the next work-group in grid
	// order; many may have started and not ended. g is nil if there is no scratch for another work-group until one has
	// ended. more is false once none is left or one has failed. Scheduler must execute all of them to their ends. It may
	// call next and Run from any goroutine, but only one at a time; watchers of such a dispatch are called from these
	// goroutines.
	//
	// Scheduler is not called, and work-groups execute one after another, if a watcher sees instructions before they
	// execute, if two watchers have a Scheduler, or if the order of the work-groups matters.
	Scheduler func(next func() (g Group, more bool))
}

// Of returns the needs of w, or none if it has no method Unseen. A watcher that wraps another one returns that
// watcher's needs.
func Of[E any](w any) Needs[E] {
	u, _ := w.(interface{ Unseen() any })
	if u == nil {
		return Needs[E]{}
	}
	n, _ := u.Unseen().(Needs[E])
	return n
}

// Ahead is code that a wave will execute: whole instructions up to the first taken branch.
type Ahead struct {
	// Bytes is the size of the code in bytes from the next instruction on.
	Bytes uint64
	// Loops means that the last instruction is a branch back to the first one, which may be taken any number of times.
	Loops bool
}

// Trace has the memory accesses of code that executed unseen, in order.
type Trace interface {
	// Next skips pass accesses, then sets the event to the following access: PC and Inst, and if record is set also
	// Access with lanes and addresses. It returns false if there is none. Accesses of a loop come iteration by
	// iteration, so that those skipped at the end of one count in pass of the next call. If the access record is dense
	// and each lane has one dword, only lane 0 has an address.
	Next(pass int, record bool) bool
	// Lanes returns the addresses of an access, which is faster than its access record. ahead is the number of accesses
	// after the latest one of Next, 0 for that one. The address of a lane in exec is base + places[lane]; a second
	// element is second bytes after the first. places is reused and must not be changed. If there is no such access,
	// Lanes returns zeros.
	Lanes(ahead int) (exec, base uint64, places *state.Lanes, second uint64)
}

// Group is a work-group that has started, in a dispatch with a Scheduler. It has its own registers and memory.
type Group interface {
	// ID returns the id of the work-group, and Waves its number of waves.
	ID() [3]uint32
	Waves() int
	// Run executes the work-group until it pauses or ends; done means that it has ended.
	Run() (done bool)
	// Pause makes Run return after the instruction for which watchers are being called.
	Pause()
	// Left returns the number of work-groups of the dispatch that have not started.
	Left() int
	// RunNext executes the next n work-groups that have not started to their ends, and returns the number of their
	// instructions. The watcher with the Scheduler does not see them. If other watchers see them, they execute one after
	// another, else several at a time. If n is larger than Left, or if there is no scratch for another work-group, it
	// executes none, and ok is false.
	RunNext(n int) (instructions uint64, ok bool)
}
