package gpu

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"

	"github.com/gcnsim/gcnsim/cmd/internal/report"
	"github.com/gcnsim/gcnsim/cmd/internal/request"
	"github.com/gcnsim/gcnsim/internal/device"
	"github.com/gcnsim/gcnsim/internal/sim/timing"
	"github.com/gcnsim/gcnsim/internal/sim/trace"
	"github.com/gcnsim/gcnsim/internal/tool/plural"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/sim/check"
	"github.com/gcnsim/gcnsim/sim/spec"
)

// watcher collects data for the options while a program executes.
type watcher struct {
	want   *Options
	tell   io.Writer // receives messages while the program executes
	log    io.Writer // nil: lines are only counted
	device *device.Device
	saver  *saver     // nil if no dispatches are saved
	only   *selection // nil watches all dispatches; guarded by mu
	stop   *stopper   // nil if no dispatch stops for a debugger

	mu         sync.Mutex // guards the fields below
	opened     int
	unanswered int // number of lines in the log
	faults     int
	running    map[*device.Kernel]*kernel // kernels of open device files
	traces     map[int]*report.TraceFile  // by number of the file
	clocks     map[int]uint64             // by number of the file: end of its last dispatch, in cycles
	stamps     uint64                     // timestamps that the program has requested
	queues     bool                       // it opened /dev/kfd, where each packet's time is stored in memory
	times      []fileTimes
	unseen     int       // cooperative launches, which cannot be watched
	partly     int       // watched dispatches that did not end
	killed     string    // what ended the program from outside, or ""
	draws      int       // draws, which cannot be watched either
	kernels    []*kernel // kernels of closed device files
	list       []listed
	// findings so far, by number of file and kernel, with PCs relative to its address
	found map[[2]int][]check.Finding
}

// kernel holds the data that is kept for a kernel.
type kernel struct {
	*device.Kernel
	profile  *trace.Profile
	checker  *check.Checker // nil without checks, and after the file has closed
	findings []check.Finding
	missed   []check.Site
	more     int

	// The number of watched dispatches, and the sums of their results.
	runs   int
	cycles uint64
	total  sim.Result
}

type fileTimes struct {
	file   int
	result *timing.Result
}

// options returns the options of the device.
func (w *watcher) options(ctx context.Context) (*device.Options, error) {
	o := &device.Options{Chip: w.want.Chip, Log: w, Limit: w.want.Limit, Drawn: w.drawn}
	if len(w.want.Check) > 0 {
		if _, err := check.New(w.want.Check...); err != nil {
			return nil, fmt.Errorf("--check: %w", err)
		}
	}
	if w.want.Runtime && !w.tellsOfKernels() {
		return nil, errors.New("--runtime has no effect without --stats, --timing, --report or --check")
	}
	if w.want.Timing != spec.NotTimed || w.want.Trace != "" {
		params, err := timing.Preset(w.want.Chip)
		if err != nil {
			return nil, fmt.Errorf("--timing: %w", err)
		}
		params.Sampled = w.want.Timing == spec.Sampled
		if w.want.params != nil {
			w.want.params(&params)
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
	if w.want.looks() || w.want.List || w.want.Debug != "" {
		o.Watch = w.watch
	}
	if w.want.Only != "" && !w.want.looks() {
		return nil, errors.New("--only has no effect without --check, --report, --save, --stats or --trace")
	}
	var err error
	if w.only, err = parseOnly("--only", w.want.Only); err != nil {
		return nil, err
	}
	if w.stop, err = newStopper(ctx, w.want, w.tell); err != nil {
		return nil, err
	}
	if w.want.Save != "" {
		if w.saver, err = newSaver(ctx, w.want, w.tell); err != nil {
			return nil, err
		}
	}
	return o, nil
}

// looks reports whether an option needs watched dispatches, to which Only then applies.
func (o *Options) looks() bool {
	return o.Stats || o.Report != "" || o.Trace != "" || len(o.Check) > 0 || o.Save != ""
}

// Write receives lines of the log.
func (w *watcher) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.unanswered++
	if w.log == nil {
		return len(b), nil
	}
	return w.log.Write(b)
}

// faulted reports a lost context.
func (w *watcher) faulted(f *device.Fault) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.faults++
	w.unanswered-- // the log has a line for the fault, too
	spec.RaisedBy(f, "--"+request.LimitFlag)
	fmt.Fprintln(w.tell, f)
}

// watch returns the watchers of a dispatch. The first dispatch of a file starts the file's trace.
func (w *watcher) watch(d *device.Dispatch) (all []sim.Watcher) {
	w.mu.Lock()
	defer w.mu.Unlock()
	chosen := w.only.takes(d.Kernel)
	w.beginTrace(d, chosen)
	if f := w.stop.watch(d, w.want.Runtime); f != nil {
		all = append(all, f)
	}
	if !chosen {
		w.whenEnded(d, nil)
		return all
	}
	k := w.running[d.Kernel]
	if k == nil {
		k = &kernel{Kernel: d.Kernel}
		if w.want.Stats || w.want.Report != "" {
			k.profile = new(trace.Profile)
		}
		if len(w.want.Check) > 0 {
			var err error
			if k.checker, err = check.New(w.want.Check...); err != nil {
				panic(err) // cannot happen: options has tried it
			}
		}
		if w.running == nil {
			w.running = map[*device.Kernel]*kernel{}
		}
		w.running[d.Kernel] = k
	}
	if d.Registers.Schedule == sim.Cooperative {
		w.unseen++
		w.whenEnded(d, nil)
		return nil
	}
	if k.profile != nil {
		all = append(all, k.profile)
	}
	if k.checker != nil {
		all = append(all, k.checker)
	}
	if w.saver != nil && (w.want.Runtime || !d.Kernel.Runtime) {
		if f := w.saver.watch(d); f != nil {
			all = append(all, f)
		}
	}
	w.whenEnded(d, k)
	return all
}

// whenEnded makes d.Ended also record the dispatch in the list.
func (w *watcher) whenEnded(d *device.Dispatch, k *kernel) {
	before := d.Ended
	d.Ended = func() {
		if before != nil {
			before()
		}
		w.ended(d, k)
	}
}

// beginTrace starts the trace of d's file, if the options ask for one and it has none. chosen says that d is traced.
func (w *watcher) beginTrace(d *device.Dispatch, chosen bool) {
	if w.want.Trace == "" || d.Model == nil {
		return
	}
	t := w.traces[d.File]
	if t == nil {
		if w.traces == nil {
			w.traces, w.clocks = map[int]*report.TraceFile{}, map[int]uint64{}
		}
		t = report.NewTraceFile(trace.NewChrome, 0, d.Model)
		w.traces[d.File] = t
	}
	t.Off = !chosen
}

// closed stores the results of a file's kernels when it closes. stamps is its number of timestamps.
func (w *watcher) closed(file int, stamps uint64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stamps += stamps
	for _, d := range w.device.Kernels() {
		if d.File != file {
			continue
		}
		k := w.running[d]
		switch {
		case k == nil && w.only != nil:
			continue
		case k == nil: // it was not watched
			k = &kernel{Kernel: d}
		case w.only != nil:
			part := *d
			part.Dispatches, part.Cycles, part.Total = k.runs, k.cycles, k.total
			k.Kernel = &part
		}
		delete(w.running, d)
		if c := k.checker; c != nil {
			k.findings = readable(c.Findings())
			k.missed, k.more = c.Unexecuted()
			k.checker = nil // frees memory
		}
		w.kernels = append(w.kernels, k)
	}
}

// finish prints the results after all files have closed, and writes the files that the options name.
func (w *watcher) finish(out io.Writer, title string) ([]check.Finding, error) {
	own := w.leaveOut()
	w.join()
	slices.SortFunc(w.times, func(a, b fileTimes) int { return cmp.Compare(a.file, b.file) })
	if w.unanswered > 0 && w.log == nil {
		fmt.Fprintf(w.tell, "%s asked the device %d times for what it has not; --log=FILE says what\n", title, w.unanswered)
	}
	if own != "" {
		fmt.Fprintln(w.tell, own)
	}
	if w.unseen > 0 {
		fmt.Fprintf(w.tell, "checks, times and profiles leave cooperative launches out (%d): they look at one work-group "+
			"after another, and those of a cooperative launch wait for one another\n", w.unseen)
	}
	if w.draws > 0 && w.only == nil && (w.want.looks() || w.want.Timing != spec.NotTimed) {
		fmt.Fprintf(w.tell, "checks, times, profiles, traces and --save leave draws out (%d): with these the driver copies "+
			"and clears; --list shows them\n", w.draws)
	}
	w.tellClocks(title)
	if w.want.List {
		if err := w.writeList(out); err != nil {
			return nil, err
		}
	}
	var all []check.Finding
	for _, k := range w.kernels {
		all = append(all, k.findings...)
	}
	if (w.want.Stats || w.want.Timing != spec.NotTimed) && len(w.kernels)+len(w.times) > 0 {
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
	if w.saver != nil {
		if err := w.saver.finish(); err != nil {
			return all, err
		}
	}
	if w.want.Report != "" {
		if err := w.report(filepath.Base(title)); err != nil {
			return all, err
		}
	}
	return all, cmp.Or(w.only.missed(), w.stop.missed())
}

// tellClocks prints which of the times that the program shows come from the card.
func (w *watcher) tellClocks(title string) {
	timed := w.want.Timing != spec.NotTimed || w.want.Trace != ""
	switch {
	case len(w.kernels) == 0 || !timed && w.stamps == 0:
	case !timed:
		fmt.Fprintf(w.tell, "what %s measures by time stamps and events counts instructions, by any other clock it is time of "+
			"this computer, which simulates: neither is time of %s; give --timing for that\n", title, w.want.Chip)
	case w.stamps == 0 && !w.queues:
		fmt.Fprintf(w.tell, "%s asked the card for no time: times that it shows are those of this computer, which "+
			"simulates, not of %s\n", title, w.want.Chip)
	default:
		fmt.Fprintf(w.tell, "what %s measures by time stamps and events is the time of %s, by any other clock that of this "+
			"computer, which simulates\n", title, w.want.Chip)
	}
}

// table prints a line for each kernel, or nothing if there are no kernels.
func (w *watcher) table(out io.Writer) error {
	if len(w.kernels) == 0 {
		return nil
	}
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	cycles := ""
	if w.want.Timing != spec.NotTimed || w.want.Trace != "" {
		cycles = "cycles\t"
	}
	names := ""
	if slices.ContainsFunc(w.kernels, func(k *kernel) bool { return k.title() != "" }) {
		names = "\tname"
	}
	fmt.Fprintf(t, "file\tkernel\tdispatches\tinstructions\t%sfirst at%s\n", cycles, names)
	for _, k := range w.kernels {
		fmt.Fprintf(t, "%d\t%d\t%d\t%d\t", k.File, k.Number, k.Dispatches, k.Total.Instructions)
		if cycles != "" {
			fmt.Fprintf(t, "%d\t", k.Cycles)
		}
		fmt.Fprint(t, k.Code)
		if names != "" {
			fmt.Fprintf(t, "\t%s", k.title())
		}
		fmt.Fprintln(t)
	}
	return t.Flush()
}

// stats prints the kernels, and the times of files.
func (w *watcher) stats(out io.Writer) error {
	if err := w.table(out); err != nil {
		return err
	}
	for _, x := range w.times {
		r := x.result
		fmt.Fprintf(out, "\nfile %d: %s\n", x.file, report.Took(r))
		if err := report.WriteShares(out, r); err != nil {
			return err
		}
	}
	for _, k := range w.kernels {
		if k.profile == nil || !w.want.Stats {
			continue
		}
		fmt.Fprintf(out, "\n%s: %s\n", k.name(), classes(&k.Total))
		if err := k.profile.WriteMemory(out, k.base()); err != nil {
			return err
		}
	}
	return nil
}

// classes formats the number of executed instructions by class.
func classes(r *sim.Result) string {
	var all []string
	for class, n := range r.ByClass {
		if n > 0 {
			all = append(all, fmt.Sprintf("%v %d", sim.Class(class), n))
		}
	}
	return strings.Join(all, ", ")
}

// watched describes which part of the dispatches was checked, if they were not all checked completely. Otherwise it
// returns "".
func (w *watcher) watched() string {
	if w.partly == 0 && w.killed == "" {
		return ""
	}
	all := 0
	for _, k := range w.kernels {
		all += k.runs
	}
	text := fmt.Sprintf("the run was cut: checks watched %d dispatches, %d of them to the end", all, all-w.partly)
	if w.killed != "" {
		text += "; the program did not end by itself (" + w.killed + ")"
	}
	return text
}

// judge prints n findings.
func (w *watcher) judge(out io.Writer, n int) error {
	cut := w.watched()
	switch {
	case n > 0 && cut != "":
		fmt.Fprintln(w.tell, cut)
	case cut != "":
		fmt.Fprintf(w.tell, "no findings so far in %s; %s\n", plural.Of(len(w.kernels), "kernel"), cut)
	case n == 0:
		fmt.Fprintf(w.tell, "no findings in %s\n", plural.Of(len(w.kernels), "kernel"))
	}
	for _, k := range w.kernels {
		if len(k.findings) == 0 {
			continue
		}
		fmt.Fprintf(out, "\n%s at %s, %s; never executed, and so not judged: %s\n",
			k.name(), k.Code, plural.Of(k.Dispatches, "run"), plural.Of(len(k.missed)+k.more, "instruction"))
		if err := check.Write(out, k.findings, k.base()); err != nil {
			return err
		}
	}
	return nil
}

// numbered inserts a number before a file's extension, as in "t-2.json.gz".
func numbered(name string, n int) string {
	ext := filepath.Ext(name)
	if ext == ".gz" {
		ext = filepath.Ext(strings.TrimSuffix(name, ext)) + ext
	}
	return fmt.Sprintf("%s-%d%s", strings.TrimSuffix(name, ext), n, ext)
}

// writeTraces writes the trace of each file with dispatches. The first trace has the given name; others have their
// number in the name.
func (w *watcher) writeTraces() error {
	if w.want.Trace == "" {
		return nil
	}
	first := true
	for n := range w.opened {
		file, name := n+1, w.want.Trace
		t := w.traces[file]
		if t == nil || t.Spans == 0 {
			continue
		}
		if !first {
			name = numbered(name, file)
			if err := w.want.Uses.Writes(name, "--trace"); err != nil {
				return err
			}
		}
		first = false
		if err := t.Write(w.tell, name, fmt.Sprintf("trace of file %d written to %s; one unit of time is one cycle", file,
			name)); err != nil {
			return err
		}
	}
	return nil
}
