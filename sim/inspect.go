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
	r.observer, r.inspector, r.closely = o, i, o != nil || i != nil
}
