package sim

import (
	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/base/block"
	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/state"
)

// skipper is what a watcher that skips instructions is asked and told: see [Needs].
type skipper struct {
	skip    func(e *Event, accesses bool) (bytes uint64, loops bool)
	skipped func(e *Event, n uint64, next func(pass int, record bool) bool)
}

// weight returns for how many instructions one that has executed counts, until its program is compiled. With a watcher
// an instruction takes about ten times as long as without, as long as it is not compiled.
func (s *skipper) weight() uint64 {
	if s.skip == nil {
		return 1
	}
	return 8
}

// reaches reports whether an instruction may reach memory or LDS.
func (s *step) reaches() bool { return s.class > ClassVALU }

// askToSkip returns how many bytes of code from the next instruction of w on, at step i of p, no watcher sees. It
// decides whether their accesses are noted: where blocks can note them, unless that has just failed. Only then may they
// be a loop.
func (r *runner) askToSkip(w *state.Wave, p *Program, i uint64) uint64 {
	n := &r.native
	n.noting, n.loops = false, false
	if r.skip.skip == nil || r.then&traps != 0 {
		return 0
	}
	accesses := r.skip.skipped != nil && n.refused != i+1 && !n.misses() && r.blocksOf(p, w, 0) != nil
	n.refused = 0
	r.event.PC, r.event.Inst = w.PC, &p.steps[i].in
	r.calling = 1
	bytes, loops := r.skip.skip(&r.event, accesses)
	r.calling = 0
	n.loops = loops && accesses
	if bytes != 0 {
		r.catchUp()
	}
	if n.noting = accesses && bytes != 0; n.noting {
		if n.context == nil {
			n.context = blockContexts.Get().(*block.Context)
		}
		n.context.BeginNotes()
	}
	return bytes
}

// tellSkipped tells the watcher that so many instructions have executed which it skipped.
func (r *runner) tellSkipped(executed uint64) {
	r.native.noting, r.native.noted = false, 0
	if executed == 0 {
		return
	}
	if r.native.next == nil {
		r.native.next = r.nextNoted
	}
	r.calling = 1
	r.skip.skipped(&r.event, executed, r.native.next)
	r.calling = 0
}

// nextNoted leaves out pass noted accesses, and makes the event the one that follows. It returns false if there is
// none. It fills in the access record if record is set.
func (r *runner) nextNoted(pass int, record bool) bool {
	n := &r.native
	count, _ := n.context.Notes()
	if n.noted = min(n.noted+pass, count); n.noted == count {
		return false
	}
	code := n.of.code
	i := n.context.NotedStep(code, n.noted)
	in := &r.event.Program.steps[i].in
	r.event.PC, r.event.Inst = r.event.Program.Base+4*i, in
	n.noted++
	if !record {
		return true
	}
	space := state.Global
	if in.Enc == gcn.DS {
		space = state.LDS
	}
	row := in.Row()
	executor.Begin(&r.access, &row.Mem, space, 0)
	r.access.Regs, r.access.Split = row.Mem.Dwords, row.Has(gcn.Two)
	n.context.Note(code, n.noted-1, &r.access)
	return true
}

// Places returns where the lanes of an access are that [Needs].Skipped is told of, which costs less than its access
// record: ahead says how many accesses after the latest one that next has gone to, 0 for that one itself. Each lane of
// exec is at its place from base on, and the second one of two elements of a lane is second bytes behind the first.
// places are used again, and must not be changed. If there is no such access Places returns zeros.
func (e *Event) Places(ahead int) (exec, base uint64, places *state.Lanes, second uint64) {
	n := e.native
	if n == nil || n.noted+ahead == 0 || n.context == nil {
		return 0, 0, nil, 0
	}
	if count, _ := n.context.Notes(); n.noted+ahead > count {
		return 0, 0, nil, 0
	}
	return n.context.Places(n.of.code, n.noted+ahead-1)
}

// span are the steps that runWithin executes: those from begin to end, of a wave that has executed some instructions
// before.
type span struct{ begin, end, executed uint64 }

// budgetAt returns how many instructions blocks may execute from step i on, at most limit: those that are left of the
// span, as far as their accesses can be noted. It lets a loop go round as often as that leaves room.
func (n *native) budgetAt(i, limit uint64) uint64 {
	b, s := n.of, &n.span
	_, free := n.context.Notes()
	room, reaching := uint64(free), uint64(b.reaching[s.end]-b.reaching[i])
	rest := uint64(b.before[s.end] - b.before[i])
	switch {
	case reaching > room:
		return min(rest, limit, room) // at most one note for each
	case n.loops && rest <= limit:
		body, notes := uint64(b.before[s.end]-b.before[s.begin]), uint64(b.reaching[s.end]-b.reaching[s.begin])
		n.context.Loop(s.end-1, body, min((limit-rest)/body, (room-reaching)/max(notes, 1)))
	case n.loops:
		n.context.Loop(0, 0, 0)
	}
	return min(rest, limit)
}

// isStraight reports whether a wave that has executed so many instructions has come to step i of the span by no branch
// but the one that closes the loop, and may go on.
func (n *native) isStraight(i, executed uint64) bool {
	b, s := n.of, &n.span
	executed -= s.executed
	at := uint64(b.before[i] - b.before[s.begin])
	if !n.loops {
		return executed == at
	}
	body := uint64(b.before[s.end] - b.before[s.begin])
	return i != s.begin && executed%body == at%body
}
