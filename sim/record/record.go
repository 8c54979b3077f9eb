// Package record writes a run, step by step, to a file that the viewer of `gcnsim page` shows: the registers that
// each instruction changed, the addresses of its lanes, which of them were out of range and by which rule, texels and
// weights, and outstanding counters. docs/RECORD.md describes the file.
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

// Options select the waves and steps to record.
type Options = record.Options

// Recorder records a run.
type Recorder struct {
	sim.Watcher
	recorder *record.Recorder
}

// New returns a recorder for one run. A recorder does not change results.
func New(o Options) *Recorder {
	r := record.New(o)
	return &Recorder{Watcher: r, recorder: r}
}

// Write writes the record to w. Call it after the run. The error comes from w.
func (r *Recorder) Write(w io.Writer) error { return r.recorder.Record().Write(w) }
