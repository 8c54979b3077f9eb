// Package record writes what a run did, step by step, to a file that the viewer of `gcnsim page` shows: the registers
// that each instruction changed, the addresses of its lanes and which were out of range by which rule, texels and
// weights, counters in flight. docs/RECORD.md describes the file.
//
//	rec := record.New(record.Options{})
//	err := m.Watch(rec)
//	_, err = m.RunAsm(ctx, w, text)
//	err = rec.Write(file)
package record

import (
	"io"

	"github.com/gcnsim/gcnsim/internal/sim/record"
	"github.com/gcnsim/gcnsim/sim"
)

// Options say which waves and steps are recorded.
type Options = record.Options

// Recorder records a run.
type Recorder struct {
	sim.Watcher
	recorder *record.Recorder
}

// New returns a recorder of one run. A recorder changes no result.
func New(o Options) *Recorder {
	r := record.New(o)
	return &Recorder{Watcher: r, recorder: r}
}

// Write writes the record. Call it after the run.
func (r *Recorder) Write(w io.Writer) error { return r.recorder.Record().Write(w) }
