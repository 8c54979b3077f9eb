package trace

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/sim/disasm"
	"github.com/gcnsim/gcnsim/internal/sim/timing"
	"github.com/gcnsim/gcnsim/internal/tool/enum"
	"github.com/gcnsim/gcnsim/internal/tool/markup"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/sim/check"
)

// Report holds the data of a run that [Report.Write] shows on one page.
type Report struct {
	Title   string
	Target  string
	Result  *sim.Result
	Profile *Profile       // nil for a page without execution counts
	Times   *timing.Result // nil if the run was not timed
	Base    uint64         // address to which PCs are relative
	Ended   string         // why the run ended early, or ""

	// Checked means that the run was checked, so that Findings and Unexecuted are shown.
	Checked    bool
	Findings   []check.Finding
	Unexecuted []check.Site
	More       int // number of instructions without execution that Unexecuted omits

	// Policy is the Content-Security-Policy of the page; "" selects one that allows no scripts and no network. Head and
	// Viewer are HTML for its head and for the place before the listing.
	Policy       string
	Head, Viewer string
}

// view holds the values that the page shows.
type view struct {
	*Report
	counted           bool // there is a profile
	Policy            string
	Style             string // CSS rules
	Classes           []named
	Lines             []line
	Sources           bool      // lines have source positions
	Settings          []finding // findings that belong to no instruction
	Lanes, Bytes, Out uint64
	*timesView
}

// named is a number with a name; Cause selects the style of its colour.
type named struct {
	Name, Value, Cause string
	Percent            float64
}

// line is one line of the listing.
type line struct {
	PC, Text, Space   string
	Source            string
	Waves             uint64
	Percent           float64 // percent of the most often executed instruction
	Lanes, Bytes, Out uint64
	Memory            bool
	Time              *lineTimes
	Missed            bool // no wave executed it
	Findings          []finding

	at uint64 // PC
}

// lineTimes are the times of a line: cycles, averaged over executions.
type lineTimes struct {
	First             uint64
	Busy, Stall, Done string // "" if 0
	Cause, For        string
	Share             float64 // percent of the cycles of all waves
	Bar               []named // Share by cause, in percent of the longest line
}

// timesView is the part of the page for a timed run.
type timesView struct {
	Micros, IPC, Occupancy string
	Share                  []named // distribution of the waves' cycles
	Counters, Metrics      []named
	Assumed, Given         []timing.Field
}

// stalls are the colours of reasons: in the report, readable in both themes, and by name in Chrome traces.
var stalls = [timing.NumStalls]struct{ color, chrome string }{
	timing.StallFetch: {"#8c7a6b", "grey"}, timing.StallVM: {"#c0392b", "terrible"}, timing.StallEXP: {"#8e6c1a", "olive"},
	timing.StallLGKM: {"#c96a26", "bad"}, timing.StallCounter: {"#5b6b80", "black"},
	timing.StallBarrier: {"#a38a12", "yellow"},
	timing.StallSleep:   {"#a877a5", "grey"},
	timing.StallTA:      {"#9b59b6", "thread_state_uninterruptible"}, timing.StallLDS: {"#4f86c6", "thread_state_iowait"},
	timing.StallVALU: {"#2a9486", "good"}, timing.StallIssue: {"#7f8c9b", "white"},
}

var _ = enum.Full[timing.Stall](stalls[:])

// busyStyle is the style of cycles that a wave spends on an instruction.
const busyStyle = "busy"

func styleOf(s timing.Stall) string { return fmt.Sprintf("w%d", s) }

// Write writes a self-contained page of HTML. The error comes from w.
func (r *Report) Write(w io.Writer) error {
	full, counted := *r, r.Profile != nil
	full.Result, full.Profile = cmp.Or(r.Result, &sim.Result{}), cmp.Or(r.Profile, &Profile{})
	r = &full
	v := view{Report: r, counted: counted, Policy: cmp.Or(r.Policy, markup.ClosedPolicy)}
	for class, n := range r.Result.ByClass {
		if n > 0 {
			v.Classes = append(v.Classes, named{Name: sim.Class(class).String(), Value: strconv.FormatUint(n, 10),
				Percent: percent(n, r.Result.Instructions)})
		}
	}
	v.addLines()
	v.addFindings()
	if r.Times != nil {
		v.addTimes()
	}
	_, err := io.WriteString(w, v.html())
	return err
}

// addLines adds the listing: executed instructions, and those that were not executed if the run was checked.
func (v *view) addLines() {
	rows := v.Profile.Rows()
	most := uint64(1)
	for _, row := range rows {
		most = max(most, row.Waves)
	}
	for _, row := range rows {
		l := line{
			at: row.PC, PC: fmt.Sprintf("0x%04x", row.PC-v.Base), Text: disasm.Text((*isa.Inst)(&row.Inst), row.PC, v.Base),
			Source: row.Source, Waves: row.Waves, Percent: percent(row.Waves, most),
			Lanes: row.Lanes, Bytes: row.Bytes, Out: row.Out, Memory: row.Memory,
		}
		if row.Memory {
			l.Space = row.Space.String()
			v.Lanes += row.Lanes
			v.Bytes += row.Bytes
			v.Out += row.Out
		}
		v.Lines = append(v.Lines, l)
	}
	for i := range v.Unexecuted {
		u := &v.Unexecuted[i]
		v.Lines = append(v.Lines, line{
			at: u.PC, PC: fmt.Sprintf("0x%04x", u.PC-v.Base), Text: disasm.Text((*isa.Inst)(&u.Inst), u.PC, v.Base),
			Source: u.Source,
			Missed: true,
		})
	}
	slices.SortStableFunc(v.Lines, func(a, b line) int { return cmp.Compare(a.at, b.at) })
	v.Sources = slices.ContainsFunc(v.Lines, func(l line) bool { return l.Source != "" })
}

// addTimes adds the parts of the page about times.
func (v *view) addTimes() {
	t := v.Times
	turns, _ := t.Metric("SQ_WAVE_CYCLES") // in cycle groups of 4 clocks
	v.timesView = &timesView{
		Micros:    fmt.Sprintf("%.2f", float64(t.Cycles)/float64(t.Params.ClockMHz)),
		IPC:       fmt.Sprintf("%.3f", float64(v.Result.Instructions)/float64(max(t.Cycles, 1))),
		Occupancy: fmt.Sprintf("%.1f", 4*turns/float64(max(t.Cycles, 1))),
	}
	v.Style = "." + busyStyle + "{background:#5f8f4e}\n"
	for i := range stalls {
		v.Style += fmt.Sprintf(".%s{background:%s}\n", styleOf(timing.Stall(i)), stalls[i].color)
	}
	total := t.Busy
	for _, n := range t.Stalls {
		total += n
	}
	byPC, longest := make(map[uint64]*timing.InstTimes, len(t.Insts)), uint64(1)
	for i := range t.Insts {
		x := &t.Insts[i]
		byPC[x.PC] = x
		longest = max(longest, x.Busy+x.Stalled)
	}
	v.Share = append(v.Share, named{"issuing", fmt.Sprint(t.Busy), busyStyle, percent(t.Busy, total)})
	for why, n := range t.Stalls {
		if n > 0 {
			v.Share = append(v.Share, named{timing.Stall(why).String(), fmt.Sprint(n), styleOf(timing.Stall(why)),
				percent(n, total)})
		}
	}
	for i := range v.Lines {
		if x := byPC[v.Lines[i].at]; x != nil && x.Count > 0 {
			v.Lines[i].Time = timesOf(x, longest, total)
		}
	}
	for _, m := range t.Metrics {
		n := named{Name: m.Name, Value: strconv.FormatFloat(m.Value, 'f', -1, 64)}
		if m.Raw {
			v.Counters = append(v.Counters, n)
			continue
		}
		n.Value = strconv.FormatFloat(m.Value, 'f', 2, 64)
		v.Metrics = append(v.Metrics, n)
	}
	for _, f := range t.Params.Fields() {
		if f.Assumed {
			v.Assumed = append(v.Assumed, f)
		} else {
			v.Given = append(v.Given, f)
		}
	}
}

// timesOf returns the times of a line. A time of longest fills a bar; shares are fractions of total.
func timesOf(x *timing.InstTimes, longest, total uint64) *lineTimes {
	average := func(sum uint64) string {
		if 2*sum < x.Count { // the percentage would round to 0
			return ""
		}
		return fmt.Sprint((sum + x.Count/2) / x.Count)
	}
	l := &lineTimes{First: x.First, Busy: average(x.Busy), Stall: average(x.Stalled), Done: average(x.Latency),
		Share: percent(x.Busy+x.Stalled, total)}
	if 2*x.Stalled >= x.Count { // otherwise it rounds to 0
		l.Cause, l.For = styleOf(x.Why), x.Why.String()
	}
	for why, n := range x.Stalls {
		if n > 0 {
			l.Bar = append(l.Bar, named{timing.Stall(why).String(), fmt.Sprint(n), styleOf(timing.Stall(why)),
				percent(n, longest)})
		}
	}
	l.Bar = append(l.Bar, named{"issuing", fmt.Sprint(x.Busy), busyStyle, percent(x.Busy, longest)})
	return l
}

// percent returns n in percent of whole.
func percent(n, whole uint64) float64 { return 100 * float64(n) / float64(max(whole, 1)) }
