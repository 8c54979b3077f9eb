package report

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/gcnsim/gcnsim/cmd/internal/raster"
	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/gcn/chip"
	"github.com/gcnsim/gcnsim/internal/draw"
	"github.com/gcnsim/gcnsim/internal/specjson"
	"github.com/gcnsim/gcnsim/internal/tool/files"
	"github.com/gcnsim/gcnsim/page"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/sim/record"
	"github.com/gcnsim/gcnsim/sim/spec"
	"github.com/gcnsim/gcnsim/sim/timing"
	"github.com/gcnsim/gcnsim/sim/trace"
)

// timed reports whether a caller asks for times.
func (o *Options) timed() bool {
	return o.Timing != specjson.NotTimed || o.Stats || o.Sensitivity || o.Trace != "" || o.Konata != "" || o.Report != ""
}

// watches reports whether a caller asks for what a watcher sees.
func (o *Options) watches() bool {
	return o.Stats || o.Fidelity || o.Trace != "" || o.Konata != "" || o.Report != "" || o.Draw != ""
}

// choose puts what the options say of time into s, which is for a program for target. What
// contradicts it is an error.
func (o *Options) choose(target gcn.Target, s *specjson.TimingSpec) error {
	s.Sensitivity = s.Sensitivity || o.Sensitivity
	if o.timed() {
		s.Timing = max(s.Timing, o.Timing, specjson.Timed)
	}
	name := strings.ToLower(o.Chip)
	if o.MCPU != "" {
		processor, err := chip.ParseTarget(o.MCPU)
		if err != nil {
			return &specjson.FlagError{Flag: "mcpu", Err: err}
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

// watcher collects what a caller asks for while a program runs. A part that is not asked for is nil.
type watcher struct {
	want    *Options
	run     *spec.Run
	profile *trace.Profile
	chrome  *TraceFile
	konata  *TraceFile
	record  *record.Recorder
	picture *draw.Only
	// ordering is what the dispatch leaves under several schedules.
	ordering *spec.Ordering
}

// order shows whether a dispatch leaves the same under several schedules, if a caller asks for it.
func (w *watcher) order(out io.Writer) error {
	if w.ordering == nil {
		return nil
	}
	fmt.Fprintln(out)
	return w.ordering.Write(out)
}

func (o *Options) watcher() *watcher { return &watcher{want: o, profile: new(trace.Profile)} }

// runs are what the options say of any run of a request.
func (o *Options) runs() *specjson.Options {
	all := &specjson.Options{Adjust: o.choose, Limit: o.Limit, LimitBy: "--" + specjson.LimitFlag,
		Rules: o.Rules, TrapHandler: o.handler}
	for _, s := range o.Schedules {
		all.Schedules = append(all.Schedules, sim.Schedule(s))
	}
	return all
}

// options are what the options add to a request: the run is watched only if they ask for it,
// because work-groups that are watched run one after another. The error is about the file of
// suppressions.
func (w *watcher) options() (*specjson.Options, error) {
	o := w.want.runs()
	o.Check, o.Judged, o.Uses = w.want.Check, w.want.Judged, w.want.Uses
	o.Ordered = func(x *spec.Ordering) { w.ordering = x }
	if w.want.watches() {
		o.Watch = w.watch
	}
	if w.want.Draw != "" {
		pc, err := draw.ParsePC(w.want.Draw)
		if err != nil {
			return nil, &specjson.FlagError{Flag: "draw", Err: err}
		}
		w.picture = &draw.Only{PC: pc}
	}
	if w.want.Suppressions == "" {
		return o, nil
	}
	var err error
	o.Suppressions, err = ReadSuppressions(w.want.Suppressions)
	return o, err
}

// watch returns who looks at a run.
func (w *watcher) watch(run *spec.Run) []sim.Watcher {
	w.run = run
	all := []sim.Watcher{w.profile}
	if w.want.Trace != "" {
		w.chrome = NewTraceFile(trace.NewChrome, run.Base, run.Model)
	}
	if w.want.Konata != "" {
		w.konata = NewTraceFile(trace.NewKonata, run.Base, run.Model)
	}
	if w.want.Report != "" {
		w.record = record.New(w.want.Record)
		run.Model.OnSpan(w.record.Span)
		all = append(all, w.record)
	}
	if w.picture != nil {
		all = append(all, sim.Observer(w.picture.See))
	}
	return all
}

// stats shows what the program accessed and how long it took, if that is known, as far as a caller asks for it. base is
// what PCs count from.
func (w *watcher) stats(out io.Writer, took *timing.Result, base uint64) error {
	if w.want.Stats {
		fmt.Fprintln(out)
		if err := w.profile.WriteMemory(out, base); err != nil {
			return err
		}
	}
	if !w.want.Stats && w.want.Timing == specjson.NotTimed || took == nil {
		return nil
	}
	return writeTimes(out, took, base)
}

// outcome is what a run came to.
type outcome struct {
	title string
	res   *sim.Result
	took  *timing.Result // nil if it is not known
	*specjson.Judgement
	failed error // why the run ended early
}

// write writes the files that the options name, and tells so on out.
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
		if err := w.report(out, o); err != nil {
			return err
		}
	}
	if w.picture == nil {
		return nil
	}
	c, err := w.picture.Canvas()
	if err != nil {
		return &specjson.FlagError{Flag: "draw", Err: err}
	}
	return raster.Beside(out, w.want.Picture, c)
}

// report writes the page about the run.
func (w *watcher) report(out io.Writer, o *outcome) error {
	rec := w.record.Record()
	rec.Title = o.title
	if o.took != nil {
		rec.Chip, rec.Cycles = o.took.Params.Chip, o.took.Cycles
	}
	rec.AddFindings(o.Findings)
	viewer, err := page.Viewer(rec)
	if err != nil {
		return err
	}
	var html bytes.Buffer
	r := trace.Report{
		Title: o.title, Target: w.run.Target.String(), Result: o.res, Profile: w.profile, Times: o.took, Base: w.run.Base,
		Checked: o.Checked, Findings: o.Findings, Unexecuted: o.Missed, More: o.More,
		Policy: viewer.Policy, Head: viewer.Head, Viewer: viewer.Body,
	}
	if o.failed != nil {
		r.Ended = o.failed.Error()
	}
	if err := r.Write(&html); err != nil {
		return err
	}
	if err := files.Write(w.want.Report, html.Bytes()); err != nil {
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

// writeTimes shows how long a run took and why. base is what PCs count from.
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
			lines = append(lines, fmt.Sprintf("%-31s %14s", m.Name, specjson.Decimal(m.Value)))
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
