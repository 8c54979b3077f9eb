package report

import (
	"bytes"
	"fmt"

	"github.com/gcnsim/gcnsim/cmd/internal/request"
	"github.com/gcnsim/gcnsim/internal/r600"
	"github.com/gcnsim/gcnsim/internal/sim/trace"
	"github.com/gcnsim/gcnsim/internal/tool/files"
	"github.com/gcnsim/gcnsim/page"
	"github.com/gcnsim/gcnsim/sim"
)

// noEffect says that a flag has no effect on a chip before GCN.
func (r *run) noEffect(flag string) error {
	return &request.FlagError{Flag: flag, Err: fmt.Errorf("it has no effect on %s, a chip before GCN; leave it out",
		r.MCPU)}
}

// stepsReport writes the page about a run that ended with err, if it began.
func (r *run) stepsReport(file, title string, err error) error {
	rec := r.steps.Record(err)
	if len(rec.Windows) == 0 {
		return nil
	}
	rec.Title = title
	var steps bytes.Buffer
	if failed := rec.Write(&steps); failed != nil {
		return failed
	}
	viewer, failed := page.Viewer(steps.Bytes())
	if failed != nil {
		return failed
	}
	about := trace.Report{Title: title, Target: rec.Target, Result: &sim.Result{Instructions: rec.LeftOut.Instructions},
		Policy: viewer.Policy, Head: viewer.Head, Viewer: viewer.Body}
	for i := range rec.Windows {
		about.Result.Instructions += uint64(rec.Windows[i].Count)
	}
	if err != nil {
		about.Ended = err.Error()
	}
	var html bytes.Buffer
	if failed := about.Write(&html); failed != nil {
		return failed
	}
	if failed := files.Write(file, html.Bytes()); failed != nil {
		return failed
	}
	fmt.Fprintf(r.out, "\nreport written to %s\n", file)
	if n := rec.LeftOut.Instructions; n > 0 {
		fmt.Fprintf(r.out, "it does not show step by step %d of %d instructions\n", n, about.Result.Instructions)
	}
	return nil
}

// tracing returns what a machine calls for the instructions of a program.
func (r *run) tracing(f r600.Function, counts *tally) func(r600.Event) {
	if r.steps == nil {
		return counts.add
	}
	r.steps.Begin(f)
	return func(e r600.Event) {
		counts.add(e)
		r.steps.Trace(e)
	}
}
