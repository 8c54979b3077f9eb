package sim

import (
	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/state"
)

// Inspector looks at a run more closely than an observer: at each instruction also before
// it executes, while registers hold what it is going to read. An inspector must not change
// what it sees. A dispatch with one runs its work-groups one after another, in order.
type Inspector interface {
	// Begin is called before the first instruction of a work-group, with its waves.
	Begin(waves []*state.Wave)
	// Issue is called before an instruction executes: once, even if the wave must then wait
	// for another one. It is the last call for an instruction that faults. The access record
	// of the event is not that of the instruction yet.
	Issue(e *Event)
	// Retire is called after an instruction has executed, after the observer.
	Retire(e *Event)
}

// issue shows an instruction to the inspector.
func (r *runner) issue(w *state.Wave, pc uint64, in *gcn.Inst) {
	if w.Wait != state.NoWait { // it has been shown
		return
	}
	r.show(pc, in)
	r.inspector.Issue(&r.event)
	r.watched = false
}

// show makes in at pc the instruction that is seen.
func (r *runner) show(pc uint64, in *gcn.Inst) { r.event.PC, r.event.Inst, r.watched = pc, in, true }

// unseen are instructions that have executed, one after another, and that a sparse observer has
// not seen yet.
type unseen struct {
	last *step  // nil if there is none
	from uint64 // PC of the first one
	pc   uint64 // that of the last one
	exec uint64 // EXEC after the latest instruction that was seen
}

// seen shows the instruction of s, which has executed, if it must be seen, and reports whether.
func (r *runner) seen(w *state.Wave, s *step) bool {
	u := &r.unseen
	goesOn := s.then&flows == 0 || w.PC == r.pc()+uint64(s.in.Size) && !w.Ended && !w.AtBarrier
	if r.sparse && goesOn && s.class <= ClassVALU && r.access.Op == gcn.NoMem && w.Exec() == u.exec {
		if u.last == nil {
			u.from = r.pc()
		}
		u.last, u.pc = s, r.pc()
		return false
	}
	r.event.Before = 0
	if u.last != nil {
		r.event.Before = r.pc() - u.from
	}
	u.last, u.exec = nil, w.Exec()
	r.retire(r.pc(), &s.in)
	return true
}

// catchUp shows the latest instruction that has executed if it was not seen: the wave as it was
// then, if the next one has faulted.
func (r *runner) catchUp() {
	u, w := &r.unseen, r.wave
	if u.last == nil {
		return
	}
	in, pc := &u.last.in, w.PC
	w.PC, r.access.Op = u.pc+uint64(in.Size), gcn.NoMem
	r.event.Before, u.last = u.pc-u.from, nil
	r.retire(u.pc, in)
	w.PC = pc
}

// retire shows an instruction that has executed to who watches.
func (r *runner) retire(pc uint64, in *gcn.Inst) {
	r.show(pc, in)
	if r.observer != nil {
		r.observer(r.event)
	}
	if r.inspector != nil {
		r.inspector.Retire(&r.event)
	}
	r.watched = false
}

// watch makes an observer and an inspector, which may be nil, see what r executes.
func (r *runner) watch(o func(Event), i Inspector) {
	r.observer, r.inspector, r.then = o, i, 0
	if o != nil || i != nil {
		r.then = shown
	}
}
