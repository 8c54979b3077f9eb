package report

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"strings"

	"github.com/gcnsim/gcnsim/internal/sim/timing"
	"github.com/gcnsim/gcnsim/internal/sim/trace"
	"github.com/gcnsim/gcnsim/internal/tool/files"
	"github.com/gcnsim/gcnsim/internal/tool/plural"
)

// TraceFile is a trace that is collected during an execution and written to a file afterwards.
type TraceFile struct {
	// Spans is the number of instructions that it received.
	Spans int
	// Off ignores instructions while it is set.
	Off bool

	trace *trace.Trace
	text  bytes.Buffer // the trace so far
}

// NewTraceFile returns a trace of all instructions that model times from now on. of is [trace.NewChrome] or
// [trace.NewKonata]. PCs are relative to base.
func NewTraceFile(of func(w io.Writer, base uint64) *trace.Trace, base uint64, model *timing.Model) *TraceFile {
	t := &TraceFile{}
	t.trace = of(&t.text, base)
	var stop func()
	stop = model.OnSpan(func(s *timing.Span) {
		if t.Off {
			return
		}
		if t.trace.Observe(s); t.trace.Cut { // the trace is full
			stop()
			return
		}
		t.Spans++
	})
	return t
}

// Dispatch adds the time range of a queue's dispatch, unless t.Off is set.
func (t *TraceFile) Dispatch(queue, name string, begin, end uint64) {
	if !t.Off {
		t.trace.Dispatch(queue, name, begin, end)
	}
}

// Write writes the file, compressed by gzip if its name ends in .gz. It reports that on out, together with what the
// trace lacks.
func (t *TraceFile) Write(out io.Writer, name, done string) error {
	if err := t.trace.Close(); err != nil {
		return err
	}
	text := &t.text
	if strings.HasSuffix(name, ".gz") {
		text = new(bytes.Buffer)
		w := gzip.NewWriter(text)
		if _, err := w.Write(t.text.Bytes()); err != nil {
			return err
		}
		if err := w.Close(); err != nil {
			return err
		}
	}
	if err := files.Write(name, text.Bytes()); err != nil {
		return err
	}
	fmt.Fprintln(out, done)
	if t.trace.Cut {
		fmt.Fprintf(out, "it is full: it has the first %s, and none after them\n", plural.Of(t.Spans, "instruction"))
	}
	return nil
}

// Took describes in a line how long an execution took.
func Took(r *timing.Result) string {
	sure := r.Band().String()
	if r.Sampled != nil {
		sure += "; " + r.Sampled.String()
	}
	return fmt.Sprintf("%d cycles on %s, %.2f us at %d MHz (approximate; latencies are assumed; %s)",
		r.Cycles, r.Params.Chip, float64(r.Cycles)/float64(r.Params.ClockMHz), r.Params.ClockMHz, sure)
}
