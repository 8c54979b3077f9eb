package gpu

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"

	"github.com/gcnsim/gcnsim/device"
	"github.com/gcnsim/gcnsim/internal/files"
	"github.com/gcnsim/gcnsim/internal/job"
	"github.com/gcnsim/gcnsim/internal/show"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/sim/check"
	"github.com/gcnsim/gcnsim/sim/timing"
	"github.com/gcnsim/gcnsim/sim/trace"
)

// watcher collects what a caller wants to know while a program runs.
type watcher struct {
	want   *Options
	tell   io.Writer // what to tell at once
	log    io.Writer // nil: it is only counted
	device *device.Device

	mu         sync.Mutex // guards what follows
	opened     int
	unanswered int // lines of the log
	faults     int
	profiles   map[*device.Kernel]*trace.Profile
	traces     map[int]*fileTrace // by file
	times      []fileTimes
	kernels    []kernel
}

// kernel is what is kept of a kernel.
type kernel struct {
	*device.Kernel
	findings []check.Finding
	missed   []check.Site
	more     int
	profile  *trace.Profile
}

// fileTrace is the trace of an open file.
type fileTrace struct {
	chrome *trace.Trace
	spans  int
	events bytes.Buffer
}

type fileTimes struct {
	file   int
	result *timing.Result
}

// options returns the options of the device.
func (w *watcher) options() (*device.Options, error) {
	o := &device.Options{Chip: w.want.Chip, Log: w, Limit: w.want.Limit, Faulted: w.faulted}
	if len(w.want.Check) > 0 {
		if _, err := check.New(w.want.Check...); err != nil {
			return nil, fmt.Errorf("--check: %w", err)
		}
		o.Checker = w.checker
	}
	if w.want.Timing || w.want.Trace != "" {
		params, err := timing.Preset(w.want.Chip)
		if err != nil {
			return nil, fmt.Errorf("--timing: %w", err)
		}
		o.Timing = &params
		o.Timed = func(file int, r *timing.Result) {
			w.mu.Lock()
			defer w.mu.Unlock()
			if len(r.Insts) > 0 {
				w.times = append(w.times, fileTimes{file, r})
			}
		}
	}
	if w.want.Trace != "" {
		o.Trace = w.trace
	}
	if w.want.Stats || w.want.Report != "" {
		o.Observe = w.observe
	}
	return o, nil
}

// Write takes lines of the log.
func (w *watcher) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.unanswered++
	if w.log == nil {
		return len(b), nil
	}
	return w.log.Write(b)
}

// faulted tells of a context that is lost.
func (w *watcher) faulted(f *device.Fault) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.faults++
	w.unanswered-- // the log has it, too
	job.RaisedBy(f, "--"+job.LimitFlag)
	fmt.Fprintln(w.tell, f)
}

// checker returns what checks a new kernel.
func (w *watcher) checker() *check.Checker {
	c, err := check.New(w.want.Check...)
	if err != nil {
		panic(err) // options has tried it
	}
	return c
}

// trace begins the trace of an open file, and returns what it is made of. A file with number
// 0 is none.
func (w *watcher) trace(file int) func(*timing.Span) {
	t := &fileTrace{}
	t.chrome = trace.NewChrome(&t.events, 0)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.traces == nil {
		w.traces = map[int]*fileTrace{}
	}
	w.traces[file] = t
	return func(s *timing.Span) {
		t.spans++
		t.chrome.Observe(s)
	}
}

// observe counts what a dispatch does.
func (w *watcher) observe(d *device.Dispatch) func(sim.Event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.profiles == nil {
		w.profiles = map[*device.Kernel]*trace.Profile{}
	}
	p := w.profiles[d.Kernel]
	if p == nil {
		p = new(trace.Profile)
		w.profiles[d.Kernel] = p
	}
	return p.Observe
}

// closed keeps what is to be told of the kernels of a file.
func (w *watcher) closed(file int) {
	for _, k := range w.device.Kernels() {
		if k.File != file {
			continue
		}
		seen := kernel{Kernel: k}
		if c := k.Checker; c != nil {
			seen.findings = c.Findings()
			seen.missed, seen.more = c.Unexecuted()
			k.Checker = nil // it is large
		}
		w.mu.Lock()
		seen.profile = w.profiles[k]
		w.kernels = append(w.kernels, seen)
		w.mu.Unlock()
	}
}

// finish tells what is known when all files are closed, and writes the files that the
// options name.
func (w *watcher) finish(out io.Writer, title string) ([]check.Finding, error) {
	byNumber := func(a, b kernel) int { return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Number, b.Number)) }
	slices.SortFunc(w.kernels, byNumber)
	slices.SortFunc(w.times, func(a, b fileTimes) int { return cmp.Compare(a.file, b.file) })
	if w.unanswered > 0 && w.log == nil {
		fmt.Fprintf(w.tell, "%s asked the device %d times for what it has not; --log=FILE says what\n", title, w.unanswered)
	}
	var all []check.Finding
	for _, k := range w.kernels {
		all = append(all, k.findings...)
	}
	if (w.want.Stats || w.want.Timing) && len(w.kernels) > 0 {
		if err := w.stats(out); err != nil {
			return all, err
		}
	}
	if len(w.want.Check) > 0 {
		if err := w.judge(out, len(all)); err != nil {
			return all, err
		}
	}
	if err := w.writeTraces(); err != nil {
		return all, err
	}
	if w.want.Report != "" {
		return all, w.report(filepath.Base(title))
	}
	return all, nil
}

// stats shows the kernels.
func (w *watcher) stats(out io.Writer) error {
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	cycles := ""
	if w.want.Timing || w.want.Trace != "" {
		cycles = "cycles\t"
	}
	fmt.Fprintf(t, "file\tkernel\tdispatches\tinstructions\t%sfirst at\n", cycles)
	for _, k := range w.kernels {
		fmt.Fprintf(t, "%d\t%d\t%d\t%d\t", k.File, k.Number, k.Dispatches, k.Total.Instructions)
		if cycles != "" {
			fmt.Fprintf(t, "%d\t", k.Cycles)
		}
		fmt.Fprintln(t, k.Code)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, x := range w.times {
		r := x.result
		fmt.Fprintf(out, "\nfile %d: %d cycles on %s, %.2f us at %d MHz (approximate; latencies are assumed)\n",
			x.file, r.Cycles, r.Params.Chip, float64(r.Cycles)/float64(r.Params.ClockMHz), r.Params.ClockMHz)
		if err := show.WriteShares(out, r); err != nil {
			return err
		}
	}
	for _, k := range w.kernels {
		if k.profile == nil || !w.want.Stats {
			continue
		}
		fmt.Fprintf(out, "\n%s: %s\n", k.name(), classes(&k.Total))
		if err := k.profile.WriteMemory(out, k.Address); err != nil {
			return err
		}
	}
	return nil
}

// count says how many there are of something.
func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// name is what a kernel is called.
func (k *kernel) name() string { return fmt.Sprintf("file %d, kernel %d", k.File, k.Number) }

// classes says how many instructions of which class were executed.
func classes(r *sim.Result) string {
	var all []string
	for class, n := range r.ByClass {
		if n > 0 {
			all = append(all, fmt.Sprintf("%v %d", sim.Class(class), n))
		}
	}
	return strings.Join(all, ", ")
}

// judge shows n findings.
func (w *watcher) judge(out io.Writer, n int) error {
	if n == 0 {
		fmt.Fprintf(w.tell, "no findings in %s\n", count(len(w.kernels), "kernel"))
	}
	for _, k := range w.kernels {
		if len(k.findings) == 0 {
			continue
		}
		fmt.Fprintf(out, "\n%s at %s, %s; never executed, and so not judged: %s\n",
			k.name(), k.Code, count(k.Dispatches, "run"), count(len(k.missed)+k.more, "instruction"))
		if err := check.Write(out, k.findings, k.Address); err != nil {
			return err
		}
	}
	return nil
}

// writeTraces writes the trace of each file that dispatched anything: of the first one under
// the name that was given, of the others with their number in it.
func (w *watcher) writeTraces() error {
	if w.want.Trace == "" {
		return nil
	}
	first := true
	for n := range w.opened {
		file, name := n+1, w.want.Trace
		t := w.traces[file]
		if t == nil || t.spans == 0 {
			continue
		}
		if !first {
			ext := filepath.Ext(name)
			name = fmt.Sprintf("%s-%d%s", strings.TrimSuffix(name, ext), file, ext)
			if err := w.want.Uses.Writes(name, "--trace"); err != nil {
				return err
			}
		}
		first = false
		if err := t.chrome.Close(); err != nil {
			return err
		}
		if err := files.Write(name, t.events.Bytes()); err != nil {
			return err
		}
		fmt.Fprintf(w.tell, "trace of file %d written to %s; one unit of time is one cycle\n", file, name)
		if lost := t.chrome.Dropped; lost > 0 {
			fmt.Fprintf(w.tell, "it lacks the last %d instructions\n", lost)
		}
	}
	return nil
}
