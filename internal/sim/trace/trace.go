package trace

import "github.com/gcnsim/gcnsim/internal/sim/timing"

// Trace writes the times of a run as a file that a viewer shows. Its Observe is meant for
// [timing.Model].Trace.
type Trace struct {
	// Limit is how many events the trace holds, give or take those of one instruction; of
	// [NewKonata] how many instructions.
	Limit int
	// Cut says that instructions are not in the trace because of its Limit.
	Cut bool

	form
	dispatches int
}

// maxDispatches is how many dispatches a trace holds.
const maxDispatches = 100_000

// Dispatch records that a queue ran a dispatch from clock begin to clock end. [NewKonata] does not show it. More than
// 100000 dispatches are left out.
func (t *Trace) Dispatch(queue, name string, begin, end uint64) {
	if t.dispatches++; t.dispatches <= maxDispatches {
		t.dispatch(queue, name, begin, end)
	}
}

// form is a kind of file.
type form interface {
	add(s *timing.Span)
	dispatch(queue, name string, begin, end uint64)
	size() int // bytes written, which Limit bounds
	end(cut bool) error
}

// Observe records one instruction, or sets Cut.
func (t *Trace) Observe(s *timing.Span) {
	if t.size() >= t.Limit {
		t.Cut = true
		return
	}
	t.add(s)
}

// Close ends the file. The error is the first one of writing.
func (t *Trace) Close() error { return t.end(t.Cut) }
