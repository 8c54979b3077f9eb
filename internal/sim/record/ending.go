package record

import (
	"context"
	"errors"

	"github.com/gcnsim/gcnsim/state"
)

// endSteps is how many instructions before the place where a run failed a second run records.
const endSteps = 1 << 11

// Interrupted is the kind of a [Fault] that stands for an interrupt: the run was told to end.
const Interrupted = "interrupted"

// ending is where a run failed, and a second run that records the instructions before it.
type ending struct {
	fault  *Fault
	source string // of the instruction of fault
	wave   int    // how many waves of the run began before it
	from   uint64 // first instruction that the second run records
	again  bool   // this is the second run
}

// Fail says that the run ended early; err is the error of the run, a *[state.Fault] or the error of its
// context. Others are about no place of the run and change nothing. Call it after the run,
// before another one.
//
// Again is set if the run failed at an instruction that is not recorded, because a window was full
// before. Then the caller may run the same once more, with r as the watcher and without
// [Recorder.Span], before it asks for the record: that gets a second window of the wave, of the
// instructions before the fault. What ended from outside does not do so again.
func (r *Recorder) Fail(err error) (again bool) {
	if r.end.again { // it failed again
		return false
	}
	var f *Fault
	if fault, ok := errors.AsType[*state.Fault](err); ok {
		r.end.source = fault.Source
		f = &Fault{
			Site: Site{PC: fault.PC, Group: fault.Group, Wave: fault.Wave, Text: fault.Text},
			Kind: fault.Kind.String(), Message: fault.What, Lane: fault.Lane, Addr: fault.Addr,
		}
	} else if errors.Is(err, context.Canceled) && len(r.group) > 0 {
		f = &Fault{
			Site: Site{Group: r.group[0].Group, Wave: r.latest},
			Kind: Interrupted, Message: "the run was told to end when this wave was here", Lane: state.NoLane,
		}
	} else {
		return false
	}
	for i, w := range r.group {
		if w.ID != f.Wave || w.Group != f.Group {
			continue
		}
		f.Step = w.Executed
		if f.Kind == Interrupted {
			f.PC = w.PC
		}
		r.end.fault, r.end.wave = f, r.seen-len(r.group)+i
	}
	r.r.Fault = f
	return r.again()
}

// again makes r ready for the second run, if there should be one.
func (r *Recorder) again() bool {
	f := r.end.fault
	if f == nil || f.Kind == Interrupted {
		return false
	}
	if f.Step > endSteps {
		r.end.from = f.Step - endSteps
	}
	if t := r.known[windowKey{f.Group, f.Wave}]; t != nil && t.begun {
		recorded := t.w.From + uint64(t.w.Count)
		if recorded == f.Step {
			return false
		}
		r.end.from = max(r.end.from, recorded)
	}
	r.end.again = true
	r.seen, r.bytes = 0, 0
	r.o.From, r.o.Steps = r.end.from, endSteps+1
	return true
}

// beginEnd returns what records w in the second run, nil if that is not the wave that failed.
func (r *Recorder) beginEnd(w *state.Wave) *track {
	f := r.end.fault
	if r.seen-1 != r.end.wave || w.ID != f.Wave || w.Group != f.Group {
		return nil
	}
	t := newTrack(w)
	t.end = true
	r.tracks = append(r.tracks, t)
	return t
}

// issueFault issues the instruction of the fault in t, if t has come to it, it is one, and it
// has not been issued: that of a limit is not.
func (r *Recorder) issueFault(t *track) {
	f := r.end.fault
	if f == nil || f.Text == "" || t.pending || t.w.Wave != f.Wave || t.w.Group != f.Group ||
		t.w.From+uint64(t.w.Count) != f.Step {
		return
	}
	n, ok := r.at[f.PC]
	if !ok {
		n = r.add(Inst{PC: f.PC, Text: f.Text, Source: r.end.source})
	}
	t.pending, t.issued = true, n
}

// keep reports whether t, of the second run, has come to the place where the first one failed,
// and if so takes its instructions off those that r leaves out.
func (e *ending) keep(t *track, r *Record) bool {
	if t.w.From+uint64(t.w.Count) != e.fault.Step {
		return false
	}
	r.LeftOut.Instructions -= min(r.LeftOut.Instructions, uint64(t.w.Count))
	for i := range r.Windows {
		if w := &r.Windows[i]; w.Group == t.w.Group && w.Wave == t.w.Wave {
			return true
		}
	}
	r.LeftOut.Waves--
	return true
}
