package trace

import "github.com/gcnsim/gcnsim/internal/sim/timing"

// Trace writes the times of a run to a file for a viewer. Pass its Observe to [timing.Model.OnSpan].
type Trace struct {
	// Limit is the approximate number of events in the trace; for [NewKonata] the number of instructions.
	Limit int
	// Cut means that instructions are missing because of Limit.
	Cut bool

	form
	dispatches int
}

// maxDispatches is the largest number of dispatches in a trace.
const maxDispatches = 100_000

// Dispatch writes that a queue executed a dispatch from clock begin to clock end. [NewKonata] does not show it. The
// trace omits dispatches after the first 100000.
func (t *Trace) Dispatch(queue, name string, begin, end uint64) {
	if t.dispatches++; t.dispatches <= maxDispatches {
		t.dispatch(queue, name, begin, end)
	}
}

// form is a file format.
type form interface {
	add(s *timing.Span)
	dispatch(queue, name string, begin, end uint64)
	size() int // number of events, which Limit bounds
	end(cut bool) error
}

// Observe writes one instruction, or sets Cut.
func (t *Trace) Observe(s *timing.Span) {
	if t.size() >= t.Limit {
		t.Cut = true
		return
	}
	t.add(s)
}

// Close ends the file. The error is the first one from writing.
func (t *Trace) Close() error { return t.end(t.Cut) }
