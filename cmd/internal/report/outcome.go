package report

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"html"
	"io"
	"slices"
	"strings"

	"github.com/gcnsim/gcnsim/cmd/internal/request"
	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa/chip"
	"github.com/gcnsim/gcnsim/internal/sim/record"
	"github.com/gcnsim/gcnsim/internal/sim/timing"
	"github.com/gcnsim/gcnsim/internal/sim/trace"
	"github.com/gcnsim/gcnsim/internal/tool/files"
	"github.com/gcnsim/gcnsim/page"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/sim/check"
	"github.com/gcnsim/gcnsim/sim/spec"
)

// timed reports whether the options ask for times.
func (o *Options) timed() bool {
	return o.Timing != spec.NotTimed || o.Stats || o.Sensitivity || o.Trace != "" || o.Konata != "" || o.Report != ""
}

// watches reports whether the options need a watcher.
func (o *Options) watches() bool {
	return o.Stats || o.Fidelity || o.Trace != "" || o.Konata != "" || o.Report != ""
}

// choose sets the general options in s. target is the program's processor. It is an error if the program contradicts
// an option.
func (o *Options) choose(target gcn.Target, s *spec.Settings) (err error) {
	s.MaxInstructions = cmp.Or(o.Limit, s.MaxInstructions)
	if o.Rules != "" {
		if s.Rules, err = spec.ParseRules(o.Rules); err != nil {
			return fmt.Errorf("rules: %w", err)
		}
	}
	if o.handler != "" {
		h := &spec.TrapHandler{Asm: o.handler}
		if s.TrapHandler != nil {
			h.TMA, h.TMAArg = s.TrapHandler.TMA, s.TrapHandler.TMAArg
		}
		s.TrapHandler = h
	}
	return o.time(target, s)
}

// time sets the options of the time model in s.
func (o *Options) time(target gcn.Target, s *spec.Settings) error {
	s.Sensitivity = s.Sensitivity || o.Sensitivity
	if o.timed() {
		s.Timing = max(s.Timing, o.Timing, spec.Timed)
	}
	name := strings.ToLower(o.Chip)
	if o.MCPU != "" {
		processor, err := chip.ParseTarget(o.MCPU)
		if err != nil {
			return &request.FlagError{Flag: "mcpu", Err: err}
		}
		if processor != target {
			return fmt.Errorf("--mcpu=%s is %v, but the program is for %v", o.MCPU, processor, target)
		}
		if low := strings.ToLower(o.MCPU); name == "" && slices.Contains(timing.Presets(), low) {
			name = low
		}
	}
	if name != "" && s.Chip != "" && s.Chip != name {
		return fmt.Errorf("the command line says chip %s, but the file %s", name, s.Chip)
	}
	s.Chip = cmp.Or(name, s.Chip)
	return nil
}

// watcher collects data for the options while a program executes. Parts that no option needs are nil.
type watcher struct {
	want    *Options
	run     *spec.Run
	profile *trace.Profile
	chrome  *TraceFile
	konata  *TraceFile
	record  *record.Recorder
	// ordering has the results under several schedules.
	ordering *spec.Ordering
}

// order prints whether a dispatch has the same result under several schedules, if the options ask for it.
func (w *watcher) order(out io.Writer) error {
	if w.ordering == nil {
		return nil
	}
	fmt.Fprintln(out)
	return w.ordering.Write(out)
}

func (o *Options) watcher() *watcher { return &watcher{want: o, profile: new(trace.Profile)} }

// runs returns the options for all executions of a request.
func (o *Options) runs() *request.Options {
	all := &request.Options{Options: spec.Options{Adjust: o.choose, LimitBy: "--" + request.LimitFlag}}
	if len(o.Schedules) > 0 {
		all.Change = func(_ context.Context, d *spec.Dispatch, _ *spec.Options) error {
			d.Schedule = sim.Schedule(o.Schedules[0])
			return nil
		}
	}
	return all
}

// judged sets the options of checks in s.
func (o *Options) judged(s *spec.Settings, known []check.Suppression) error {
	s.Check = append(slices.Clip(s.Check), o.Check...)
	s.Suppressions = append(slices.Clip(s.Suppressions), known...)
	switch {
	case len(s.Check) > 0:
		return nil
	case o.Judged:
		return &request.FlagError{Flag: "fail-on", Err: request.ErrUnchecked}
	case known != nil:
		return &request.FlagError{Flag: "suppressions", Err: request.ErrUnchecked}
	}
	return nil
}

// schedules executes a dispatch with each of several schedules.
func (w *watcher) schedules(ctx context.Context, d *spec.Dispatch, o *spec.Options) (err error) {
	list := make([]sim.Schedule, len(w.want.Schedules))
	for i, s := range w.want.Schedules {
		list[i] = sim.Schedule(s)
	}
	if len(list) > 0 {
		d.Schedule = list[0]
	}
	if len(list) > 1 {
		w.ordering, err = d.Schedules(ctx, o, list)
	}
	return err
}

// options returns the options for a request. It sets a watcher only if it is needed, because work-groups execute one
// after another if they are watched. The error is about the file of suppressions.
func (w *watcher) options() (*request.Options, error) {
	o := w.want.runs()
	var known []check.Suppression
	o.Uses, o.Change = w.want.Uses, w.schedules
	o.Adjust = func(target gcn.Target, s *spec.Settings) error {
		if err := w.want.judged(s, known); err != nil {
			return err
		}
		return w.want.choose(target, s)
	}
	if w.want.watches() {
		o.Watch = w.watch
	}
	if w.want.Suppressions == "" {
		return o, nil
	}
	var err error
	known, err = ReadSuppressions(w.want.Suppressions)
	return o, err
}

// watch returns the watchers of an execution.
func (w *watcher) watch(run *spec.Run) []sim.Watcher {
	w.run = run
	all := []sim.Watcher{w.profile}
	if w.want.Trace != "" {
		w.chrome = NewTraceFile(trace.NewChrome, run.Base, timing.ModelOf(run.Model))
	}
	if w.want.Konata != "" {
		w.konata = NewTraceFile(trace.NewKonata, run.Base, timing.ModelOf(run.Model))
	}
	if w.want.Report != "" {
		w.record = record.New(w.want.Record)
		timing.ModelOf(run.Model).OnSpan(w.record.Span)
		all = append(all, w.record)
	}
	return all
}

// stats prints the accesses and times that the options ask for. PCs are relative to base.
func (w *watcher) stats(out io.Writer, took *timing.Result, base uint64) error {
	if w.want.Stats {
		fmt.Fprintln(out)
		if err := w.profile.WriteMemory(out, base); err != nil {
			return err
		}
	}
	if !w.want.Stats && w.want.Timing == spec.NotTimed || took == nil {
		return nil
	}
	return writeTimes(out, took, base)
}

// outcome is the result of an execution.
type outcome struct {
	title  string
	res    *sim.Result
	took   *timing.Result // nil without times
	found  *spec.Result   // the findings
	failed error          // why the execution ended early
}

// write writes the files that the options name, and reports that on out.
func (w *watcher) write(out io.Writer, o *outcome) error {
	if w.chrome != nil {
		if err := w.chrome.Write(out, w.want.Trace, "\ntrace written to "+w.want.Trace+"; one unit of time is "+
			"one cycle"); err != nil {
			return err
		}
	}
	if w.konata != nil {
		if err := w.konata.Write(out, w.want.Konata, "\nKonata trace written to "+w.want.Konata); err != nil {
			return err
		}
	}
	if w.record != nil {
		return w.report(out, o)
	}
	return nil
}

// report writes the HTML page.
func (w *watcher) report(out io.Writer, o *outcome) error {
	rec := w.record.Record()
	rec.Title = o.title
	if o.took != nil {
		rec.Chip, rec.Cycles = o.took.Params.Chip, o.took.Cycles
	}
	rec.AddFindings(o.found.Findings)
	var file, text bytes.Buffer
	if err := rec.Write(&file); err != nil {
		return err
	}
	viewer, err := page.Viewer(file.Bytes())
	if err != nil {
		return err
	}
	r := trace.Report{
		Title: o.title, Target: w.run.Target.String(), Result: o.res, Profile: w.profile, Times: o.took, Base: w.run.Base,
		Checked: o.found.Checked, Findings: o.found.Findings, Unexecuted: o.found.Unexecuted, More: o.found.MoreUnexecuted,
		Policy: viewer.Policy, Head: viewer.Head,
		Viewer: fmt.Sprintf("<div id=\"gcnsim-debug\" hidden>%s</div>\n", html.EscapeString(w.want.Debug)) + viewer.Body,
	}
	if o.failed != nil {
		r.Ended = o.failed.Error()
	}
	if err := r.Write(&text); err != nil {
		return err
	}
	if err := files.Write(w.want.Report, text.Bytes()); err != nil {
		return err
	}
	fmt.Fprintf(out, "\nreport written to %s\n", w.want.Report)
	waves := rec.LeftOut.Waves + uint64(len(rec.Windows))
	switch first := w.want.Record.FirstWave; {
	case uint64(first) >= waves:
		fmt.Fprintf(out, "--window: there is no wave %d; there were %d, which count from 0\n", first, waves)
	case len(rec.Windows) == 0:
		fmt.Fprintf(out, "--window: no wave from %d on has executed instruction %d, which counts from 0\n", first,
			w.want.Record.From)
	}
	if n := rec.LeftOut.Instructions; n > 0 {
		fmt.Fprintf(out, "it does not show step by step %d of %d instructions; --window chooses others\n", n,
			o.res.Instructions)
	}
	return nil
}

// writeTimes prints how long an execution took and why. PCs are relative to base.
func writeTimes(out io.Writer, r *timing.Result, base uint64) error {
	fmt.Fprintf(out, "\n%s\n", Took(r))
	if err := WriteShares(out, r); err != nil {
		return err
	}
	fmt.Fprintln(out)
	if err := r.WriteTimeline(out, base); err != nil {
		return err
	}
	var lines []string
	for _, m := range r.Metrics {
		if m.Value != 0 {
			lines = append(lines, fmt.Sprintf("%-31s %14s", m.Name, spec.Decimal(m.Value)))
		}
	}
	fmt.Fprintln(out)
	half := (len(lines) + 1) / 2
	for i, line := range lines[:half] {
		if half+i < len(lines) {
			line += "    " + lines[half+i]
		}
		fmt.Fprintln(out, line)
	}
	fmt.Fprintln(out, "\nleft out of the time model:")
	for _, what := range r.NotModelled {
		fmt.Fprintln(out, "  "+what)
	}
	return nil
}

// ended prints the partial results of an execution that ended early, and writes the files that the options name,
// unless nothing was executed. again executes the same once more. The error comes from the files.
func (r *run) ended(title string, watch *watcher, err error, again func(*request.Options)) error {
	stopped, ok := errors.AsType[*spec.StoppedError](err)
	if !ok {
		if r.Leaves != nil {
			r.Leaves(func() string { return "the run had not begun, nothing was written" })
		}
		return nil
	}
	took := timing.ResultOf(stopped.Result.Times)
	if err := errors.Join(watch.order(r.out), watch.stats(r.out, took, stopped.Result.Base)); err != nil {
		return err
	}
	if len(stopped.Result.Findings) > 0 {
		if err := r.tell(stopped.Result); err != nil {
			return err
		}
	}
	if rec := watch.record; rec != nil {
		if rec.Fail(stopped.Err) {
			o := r.runs()
			o.Watch = func(*spec.Run) []sim.Watcher { return []sim.Watcher{rec} }
			again(o)
		}
	}
	failed := stopped.Err
	if errors.Is(err, context.Canceled) {
		failed = errors.New("it was interrupted")
	}
	return watch.write(r.out, &outcome{title, stopped.Result.Result, took, stopped.Result, failed})
}
