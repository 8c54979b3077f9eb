package timing

import (
	"io"

	"github.com/gcnsim/gcnsim/sim"
)

// Watch is a [Model] for users of the library: a watcher that returns the times of a run at its end.
type Watch struct {
	sim.Watcher
	model *Model
}

// WatchOf returns the Watch for m, nil if m is nil.
func WatchOf(m *Model) *Watch {
	if m == nil {
		return nil
	}
	return &Watch{Watcher: m, model: m}
}

// Unseen returns the needs of the model; see package unseen.
func (w *Watch) Unseen() any { return w.model.Unseen() }

// ModelOf returns the model in w, nil if w is nil.
func ModelOf(w *Watch) *Model {
	if w == nil {
		return nil
	}
	return w.model
}

// Finish returns the times of the run. The error describes why the run cannot be timed.
func (w *Watch) Finish() (*Took, error) {
	r, err := w.model.Finish()
	return TookOf(r), err
}

// Took is a [Result] for users of the library.
type Took struct {
	Cycles uint64 // until the last access is complete and DRAM has the lines that L2 replaced
	result *Result
}

// TookOf returns the Took for r, nil if r is nil.
func TookOf(r *Result) *Took {
	if r == nil {
		return nil
	}
	return &Took{r.Cycles, r}
}

// ResultOf returns the result in t, nil if t is nil.
func ResultOf(t *Took) *Result {
	if t == nil {
		return nil
	}
	return t.result
}

// Metric returns a counter under AMD's name, or a metric that rocprofiler derives from counters. ok is false if there
// is no such name.
func (t *Took) Metric(name string) (value float64, ok bool) { return t.result.Metric(name) }

// WriteTimeline writes the times of each instruction. PCs are relative to base. The error comes from w.
func (t *Took) WriteTimeline(w io.Writer, base uint64) error { return t.result.WriteTimeline(w, base) }
