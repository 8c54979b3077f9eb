package main

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/job"
	"github.com/gcnsim/gcnsim/internal/wholefile"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/sim/timing"
	"github.com/gcnsim/gcnsim/sim/trace"
)

// timed reports whether the flags ask for times.
func (f *runFlags) timed() bool {
	return f.stats || f.trace != "" || f.konata != "" || f.report != ""
}

// choose puts what the flags say of time into s, which is for a program for target. What
// contradicts it is an error.
func (f *runFlags) choose(target gcn.Target, s *job.TimingSpec) error {
	s.Timing = s.Timing || f.timed()
	chip := strings.ToLower(f.chip)
	if f.mcpu != "" {
		processor, err := gcn.ParseTarget(f.mcpu)
		if err != nil {
			return fmt.Errorf("--mcpu: %w", err)
		}
		if processor != target {
			return fmt.Errorf("--mcpu=%s is %v, but the program is for %v", f.mcpu, processor, target)
		}
		if low := strings.ToLower(f.mcpu); chip == "" && slices.Contains(timing.Presets(), low) {
			chip = low
		}
	}
	if chip != "" && s.Chip != "" && s.Chip != chip {
		return fmt.Errorf("the command line says chip %s, but the file %s", chip, s.Chip)
	}
	s.Chip = cmp.Or(chip, s.Chip)
	return nil
}

// watcher collects what the flags ask for while a program runs.
type watcher struct {
	flags   *runFlags
	run     job.Run
	profile *trace.Profile
	chrome  *trace.Chrome
	events  bytes.Buffer // the trace, until it is whole
	konata  *trace.Konata
}

func (f *runFlags) watcher() *watcher { return &watcher{flags: f, profile: trace.NewProfile()} }

// options are what the flags add to a request: the run is watched only if they ask for it,
// because work-groups that are watched run one after another.
func (w *watcher) options() *job.Options {
	o := &job.Options{Adjust: w.flags.choose, Check: w.flags.check}
	if w.flags.timed() {
		o.Observe = w.observe
	}
	return o
}

// observe begins to watch a run.
func (w *watcher) observe(run job.Run) sim.Observer {
	w.run = run
	if w.flags.trace != "" {
		w.chrome = trace.NewChrome(&w.events, run.Base)
	}
	if w.flags.konata != "" {
		w.konata = trace.NewKonata(run.Base)
	}
	if w.chrome != nil || w.konata != nil {
		run.Model.Trace = w.span
	}
	return w.profile.Observe
}

func (w *watcher) span(s *timing.Span) {
	if w.chrome != nil {
		w.chrome.Observe(s)
	}
	if w.konata != nil {
		w.konata.Observe(s)
	}
}

// stats shows what the program accessed and how long it took, if the flags ask for it.
func (w *watcher) stats(out io.Writer, took *timing.Result) error {
	if !w.flags.stats {
		return nil
	}
	fmt.Fprintln(out)
	if err := w.profile.WriteMemory(out, w.run.Base); err != nil {
		return err
	}
	return writeTimes(out, took, w.run.Base)
}

// write writes the files that the flags name, and tells so on out.
func (w *watcher) write(out io.Writer, title string, res *sim.Result, took *timing.Result) error {
	if w.chrome != nil {
		if err := w.chrome.Close(); err != nil {
			return err
		}
		if err := wholefile.Write(w.flags.trace, w.events.Bytes()); err != nil {
			return err
		}
		fmt.Fprintf(out, "\ntrace written to %s; one unit of time is one cycle\n", w.flags.trace)
		writeDropped(out, w.chrome.Dropped())
	}
	if w.konata != nil {
		var file bytes.Buffer
		if err := w.konata.Write(&file); err != nil {
			return err
		}
		if err := wholefile.Write(w.flags.konata, file.Bytes()); err != nil {
			return err
		}
		fmt.Fprintf(out, "\nKonata trace written to %s\n", w.flags.konata)
		writeDropped(out, w.konata.Dropped())
	}
	if w.flags.report == "" {
		return nil
	}
	var page bytes.Buffer
	r := trace.Report{Title: title, Target: w.run.Target.String(), Result: res, Profile: w.profile, Times: took, Base: w.run.Base}
	if err := r.Write(&page); err != nil {
		return err
	}
	if err := wholefile.Write(w.flags.report, page.Bytes()); err != nil {
		return err
	}
	fmt.Fprintf(out, "\nreport written to %s\n", w.flags.report)
	return nil
}

// writeDropped says that a trace lacks n instructions, if it does.
func writeDropped(out io.Writer, n uint64) {
	if n > 0 {
		fmt.Fprintf(out, "it lacks the last %d instructions\n", n)
	}
}

// writeTimes shows how long a run took and why. base is what PCs count from.
func writeTimes(out io.Writer, r *timing.Result, base uint64) error {
	fmt.Fprintf(out, "\n%d cycles on %s, %.2f us at %d MHz (approximate; latencies are assumed)\n",
		r.Cycles, r.Params.Chip, float64(r.Cycles)/float64(r.Params.ClockMHz), r.Params.ClockMHz)
	if err := r.WriteShares(out); err != nil {
		return err
	}
	fmt.Fprintln(out)
	if err := r.WriteTimeline(out, base); err != nil {
		return err
	}
	var lines []string
	for _, m := range r.Metrics() {
		if m.Value != 0 {
			lines = append(lines, fmt.Sprintf("%-31s %14s", m.Name, job.Decimal(m.Value)))
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
