package gpu

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/gcnsim/gcnsim/cmd/internal/report"
	"github.com/gcnsim/gcnsim/internal/device"
	"github.com/gcnsim/gcnsim/internal/tool/plural"
	"github.com/gcnsim/gcnsim/sim/check"
	"github.com/gcnsim/gcnsim/sim/spec"
)

// listed is a dispatch or a draw in the list.
type listed struct {
	file, number         int
	draw                 bool
	kernel               *device.Kernel
	grid, group          [3]uint64
	instructions, cycles uint64
	findings             int // number of new findings: no earlier dispatch of the kernel had them
	failed               bool
}

// ended records a finished dispatch in the list and in its kernel k, which is nil if nothing watched d.
func (w *watcher) ended(d *device.Dispatch, k *kernel) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if t := w.traces[d.File]; t != nil {
		begin := w.clocks[d.File]
		w.clocks[d.File] += d.Cycles
		t.Dispatch(d.Ring, fmt.Sprintf("%d: %s", d.Number, nameOf(d.Kernel)), begin, begin+d.Cycles)
	}
	l := newListed(d)
	if k != nil {
		k.runs++
		k.cycles += d.Cycles
		if d.Err != nil {
			w.partly++
		}
		if d.Result != nil {
			k.total.Add(d.Result)
		}
		if k.checker != nil && w.want.List {
			l.findings = w.newFindings(k)
		}
	}
	if w.want.List && (w.want.Runtime || !d.Kernel.Runtime) {
		w.list = append(w.list, l)
	}
}

// newFindings returns the number of k's findings that no earlier dispatch of the same code had.
func (w *watcher) newFindings(k *kernel) (n int) {
	code := [2]int{k.File, k.Number}
	for _, f := range k.checker.Findings() {
		f = f.From(k.Address)
		if !slices.ContainsFunc(w.found[code], func(of check.Finding) bool { return sameDefect(&f, &of) }) {
			w.found[code] = append(w.found[code], f)
			n++
		}
	}
	return n
}

// drawn records a finished draw.
func (w *watcher) drawn(d *device.Dispatch) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.draws++
	w.only.drawn(d)
	if w.want.List {
		l := newListed(d)
		l.draw = true
		w.list = append(w.list, l)
	}
}

// newListed returns the list entry of a finished dispatch.
func newListed(d *device.Dispatch) listed {
	l := listed{file: d.File, number: d.Number, kernel: d.Kernel, cycles: d.Cycles, failed: d.Err != nil}
	for i := range l.grid {
		l.grid[i], l.group[i] = itemsOf(&d.Registers, i), uint64(d.Registers.NumThread[i]&0xffff)
	}
	if d.Result != nil {
		l.instructions = d.Result.Instructions
	}
	return l
}

// writeList prints a line for each dispatch and each draw, in order. Draws are neither timed nor checked.
func (w *watcher) writeList(out io.Writer) error {
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	line := func(file, number, grid, group, instructions, cycles, findings any, name string) {
		fmt.Fprintf(t, "%v\t%v\t%v\t%v\t%v\t", file, number, grid, group, instructions)
		if w.want.Timing != spec.NotTimed || w.want.Trace != "" {
			fmt.Fprintf(t, "%v\t", cycles)
		}
		if len(w.want.Check) > 0 {
			fmt.Fprintf(t, "%v\t", findings)
		}
		fmt.Fprintln(t, name)
	}
	line("file", "dispatch", "grid", "work-group", "instructions", "cycles", "findings", "name")
	dims := func(d [3]uint64) string { return fmt.Sprintf("%d,%d,%d", d[0], d[1], d[2]) }
	for _, l := range w.list {
		name := nameOf(l.kernel)
		if l.failed {
			name += " (it did not end)"
		}
		if l.draw {
			line(l.file, drawName(l.number), dims(l.grid), "-", l.instructions, "-", "-", name)
			continue
		}
		line(l.file, l.number, dims(l.grid), dims(l.group), l.instructions, l.cycles, l.findings, name)
	}
	if err := t.Flush(); err != nil || w.want.Timing != spec.NotTimed || w.want.Stats {
		return err // stats prints the times of files
	}
	for _, x := range w.times {
		fmt.Fprintf(out, "file %d: %s\n", x.file, report.Took(x.result))
	}
	return nil
}

// drawName returns the name of a draw in the list.
func drawName(number int) string { return fmt.Sprint("draw ", number) }

// selection selects the dispatches that are watched.
type selection struct {
	flag string   // the flag, for errors
	name string   // [AnyKernel], or the name of a kernel
	n    int      // which dispatch with that name, from 1 on; 0 means all
	runs int      // dispatches with that name so far
	seen []string // names of all dispatches
	draw bool     // a draw has the name
}

// AnyKernel is the name that selects all kernels.
const AnyKernel = "*"

// parseOnly parses a flag's value, NAME or NAME:N. It returns nil for "", which selects all dispatches.
func parseOnly(flag, text string) (*selection, error) {
	if text == "" {
		return nil, nil
	}
	s := &selection{flag: flag, name: text}
	if i := strings.LastIndexByte(text, ':'); i > 0 && text[i-1] != ':' {
		n, err := strconv.Atoi(text[i+1:])
		if err != nil || n < 1 {
			return nil, fmt.Errorf("%s: %q is no number of a run, from 1 on, as in %s:2", flag, text[i+1:], text[:i])
		}
		s.name, s.n = text[:i], n
	}
	return s, nil
}

// takes reports whether the next dispatch, a dispatch of k, is selected.
func (s *selection) takes(k *device.Kernel) bool {
	if s == nil {
		return true
	}
	name := nameOf(k)
	if !slices.Contains(s.seen, name) {
		s.seen = append(s.seen, name)
	}
	if !slices.Contains([]string{name, k.Title(), k.Name, AnyKernel}, s.name) {
		return false
	}
	s.runs++
	return s.n == 0 || s.n == s.runs
}

// drawn records a draw, whose name may be the selected one.
func (s *selection) drawn(d *device.Dispatch) {
	if s != nil && (s.name == nameOf(d.Kernel) || s.name == drawName(d.Number)) {
		s.draw = true
	}
}

// missed returns an error if no dispatch was selected.
func (s *selection) missed() error {
	const most = 20
	switch {
	case s == nil || s.runs > 0 && s.n <= s.runs:
		return nil
	case s.runs == 0 && s.draw:
		return fmt.Errorf("%s: %s is a draw; --list shows draws, and --check, --debug, --report, --save, --stats and "+
			"--trace do not look at them", s.flag, s.name)
	case s.runs > 0:
		return fmt.Errorf("%s: %s ran %s, there is no run %d", s.flag, s.name, plural.Of(s.runs, "time"), s.n)
	case len(s.seen) == 0:
		return fmt.Errorf("%s: nothing was dispatched, and so nothing of the name %s", s.flag, s.name)
	}
	names, more := s.seen[:min(len(s.seen), most)], ""
	if len(s.seen) > most {
		more = ", ..."
	}
	return fmt.Errorf("%s: there is no dispatch of %s; the names are %s%s", s.flag, s.name, strings.Join(names, ", "),
		more)
}
