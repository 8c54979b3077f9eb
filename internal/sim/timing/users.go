package timing

import (
	"io"

	"github.com/gcnsim/gcnsim/sim"
)

// Watch is a [Model] for users of the library: a watcher that says at the end what a run took.
type Watch struct {
	sim.Watcher
	model *Model
}

// WatchOf returns m for users, nil if m is nil.
func WatchOf(m *Model) *Watch {
	if m == nil {
		return nil
	}
	return &Watch{Watcher: m, model: m}
}

// Unseen returns the needs of the model: see package unseen.
func (w *Watch) Unseen() any { return w.model.Unseen() }

// ModelOf returns the model behind w, nil if w is nil.
func ModelOf(w *Watch) *Model {
	if w == nil {
		return nil
	}
	return w.model
}

// Finish returns the times of the run. The error says what of the run does not fit the model.
func (w *Watch) Finish() (*Took, error) {
	r, err := w.model.Finish()
	return TookOf(r), err
}

// Took is a [Result] for users of the library.
type Took struct {
	Cycles uint64 // until the last access is complete and DRAM has what L2 displaced
	result *Result
}

// TookOf returns r for users, nil if r is nil.
func TookOf(r *Result) *Took {
	if r == nil {
		return nil
	}
	return &Took{r.Cycles, r}
}

// ResultOf returns the result behind t, nil if t is nil.
func ResultOf(t *Took) *Result {
	if t == nil {
		return nil
	}
	return t.result
}

// Metric returns a counter under AMD's name, or a metric that rocprofiler derives from counters. ok is false if there
// is no such name.
func (t *Took) Metric(name string) (value float64, ok bool) { return t.result.Metric(name) }

// WriteTimeline writes where the time went, instruction by instruction. PCs count from base.
func (t *Took) WriteTimeline(w io.Writer, base uint64) error { return t.result.WriteTimeline(w, base) }
