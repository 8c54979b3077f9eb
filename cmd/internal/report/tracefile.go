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

// TraceFile is a trace that is written to a file when the run has ended.
type TraceFile struct {
	// Spans is how many instructions it was given.
	Spans int
	// Off leaves out what is executed while it is set.
	Off bool

	trace *trace.Trace
	text  bytes.Buffer // until it is whole
}

// NewTraceFile returns the trace of what the model times from now on: [trace.NewChrome] or
// [trace.NewKonata] makes it. PCs count from base.
func NewTraceFile(of func(w io.Writer, base uint64) *trace.Trace, base uint64, model *timing.Model) *TraceFile {
	t := &TraceFile{}
	t.trace = of(&t.text, base)
	var stop func()
	stop = model.OnSpan(func(s *timing.Span) {
		if t.Off {
			return
		}
		if t.trace.Observe(s); t.trace.Cut { // it takes no more
			stop()
			return
		}
		t.Spans++
	})
	return t
}

// Dispatch records that a queue ran a dispatch from one clock to another, unless t.Off is set.
func (t *TraceFile) Dispatch(queue, name string, begin, end uint64) {
	if !t.Off {
		t.trace.Dispatch(queue, name, begin, end)
	}
}

// Write writes the file, packed by gzip if its name ends in .gz, and says on out that it has, and what the trace lacks.
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

// Took says in a line how long a run took.
func Took(r *timing.Result) string {
	sure := r.Band().String()
	if r.Sampled != nil {
		sure += "; " + r.Sampled.String()
	}
	return fmt.Sprintf("%d cycles on %s, %.2f us at %d MHz (approximate; latencies are assumed; %s)",
		r.Cycles, r.Params.Chip, float64(r.Cycles)/float64(r.Params.ClockMHz), r.Params.ClockMHz, sure)
}
