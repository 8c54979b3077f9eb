package record

import (
	"context"
	"errors"

	"github.com/gcnsim/gcnsim/state"
)

// endSteps is the number of instructions before a failure that a second run records.
const endSteps = 1 << 11

// Interrupted is the kind of a [Fault] that stands for the cancellation of a run.
const Interrupted = "interrupted"

// ending describes a failure, and a second run that records the instructions before it.
type ending struct {
	fault  *Fault
	source string // source line of the faulting instruction
	wave   int    // number of waves that began before its wave
	from   uint64 // number of the first instruction that the second run records
	again  bool   // the current run is the second one
}

// Fail records that the run ended early. err is the error of the run, a *[state.Fault] or the error of its context;
// other errors have no location and change nothing. Call it after the run, before another run.
//
// Again is set if the run failed at an instruction that is not recorded, because a window was full before. The caller
// may then execute the same run again, with r as the watcher and without [Recorder.Span], before it requests the
// record. The record then has a second window of the wave with the instructions before the fault. An interrupt cannot
// be repeated.
func (r *Recorder) Fail(err error) (again bool) {
	if r.end.again { // the second run failed as well
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

// again prepares r for the second run, if there should be one, and reports whether there should.
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

// beginEnd returns the track that records w in the second run, nil if w is not the wave that failed.
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

// issueFault issues the faulting instruction in t if t has reached it, if there is one, and if it has not been
// issued. A fault at an instruction limit has none.
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

// keep reports whether t, of the second run, reached the point at which the first run failed. If so, it subtracts the
// instructions of t from those that r omits.
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
