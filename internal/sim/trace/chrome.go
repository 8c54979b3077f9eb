package trace

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/v1"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/sim/disasm"
	"github.com/gcnsim/gcnsim/internal/sim/timing"
	"github.com/gcnsim/gcnsim/internal/tool/demangle"
)

// maxEvents is the default limit on the events of a Chrome trace, about 100 MB.
const maxEvents = 500_000

// chrome writes a trace in the Chrome trace event format.
type chrome struct {
	w        *bufio.Writer
	base     uint64
	recorded uint64 // number of instructions
	events   int
	text     map[uint64]string // disassembly by PC
	places   map[uint64]string // positions by PC; see placeOf
	seen     map[thread]bool   // processes and threads that have been named
	queues   []string          // names of queues, by thread
}

// thread is a thread of a process, shown as a track.
type thread struct{ pid, tid int }

// Threads of a compute unit besides its wave slots, which are numbered slotsPerSIMD*SIMD+slot.
const (
	slotsPerSIMD = 16
	trackTA      = 1000
	trackL1      = 1001
	trackLDS     = 1002
	process      = -1 // stands for a process in chrome.seen
)

// pidQueues is the process of queues, pidL2 that of units which all compute units share. Those of compute units
// follow.
const (
	pidQueues = 0
	pidL2     = 1
)

// NewChrome starts a trace on w in the Chrome trace event format, which Perfetto and chrome://tracing show. It has a
// process for each compute unit with a thread for each wave slot of a SIMD, for TA, L1 and the LDS; a process for L2
// with a thread for each channel; and, if [Trace.Dispatch] is called, a process with a thread for each queue. The
// time unit is a cycle. The time that a wave waits before an instruction is a separate slice, named and coloured by
// the reason. Slices of a thread do not overlap. PCs are relative to base. The trace has about 100 MB at most, and
// states whether events are missing.
func NewChrome(w io.Writer, base uint64) *Trace {
	c := &chrome{
		w: bufio.NewWriter(w), base: base, text: map[uint64]string{}, places: map[uint64]string{}, seen: map[thread]bool{},
	}
	c.w.WriteString(`{"otherData":{"unit":"cycle; the model is approximate"},"traceEvents":[`)
	return &Trace{Limit: maxEvents, form: c}
}

func (c *chrome) size() int { return c.events }

// nameEvent sets the name or the order of a process or thread ("ph":"M").
type nameEvent struct {
	Name string         `json:"name"`
	Ph   string         `json:"ph"`
	PID  int            `json:"pid"`
	TID  int            `json:"tid"`
	Args map[string]any `json:"args"`
}

// slice is a complete event ("ph":"X").
type slice struct {
	Name  string `json:"name"`
	Cat   string `json:"cat"`
	Ph    string `json:"ph"`
	TS    uint64 `json:"ts"`
	Dur   uint64 `json:"dur"`
	PID   int    `json:"pid"`
	TID   int    `json:"tid"`
	Color string `json:"cname,omitempty"`
	Args  any    `json:"args,omitempty"`
}

type instArgs struct {
	PC    string `json:"pc"`
	At    string `json:"at,omitempty"` // function and source line
	Group string `json:"group"`
	Wave  int    `json:"wave"`
	Done  uint64 `json:"done,omitempty"` // time of completion, if later than the end of the slice
}

// lineArgs describe the lines of an access in a cache.
type lineArgs struct {
	For    string `json:"for,omitempty"`
	Lines  uint64 `json:"lines"`
	Misses uint64 `json:"misses"`
}

// Colours of caches that contained all lines, some lines or none.
const (
	colorHit  = "good"
	colorSome = "bad"
	colorMiss = "terrible"
)

func (c *chrome) add(s *timing.Span) {
	c.recorded++
	text := textOf(c.text, s, c.base)
	pid := pidL2 + 1 + s.CU
	slot := thread{pid, slotsPerSIMD*s.SIMD + s.Slot}
	c.nameProcess(pid, fmt.Sprintf("CU %d", s.CU))
	c.nameThread(slot, fmt.Sprintf("SIMD %d wave slot %d", s.SIMD, s.Slot))
	if s.Issue > s.Ready {
		c.slice(slot, slice{Name: "stall: " + s.Why.String(), Cat: "stall", TS: s.Ready, Dur: s.Issue - s.Ready,
			Color: stalls[s.Why].chrome})
	}
	args := instArgs{PC: fmt.Sprintf("0x%04x", s.PC-c.base), At: c.placeOf(s), Group: groupName(s), Wave: s.Wave}
	if s.Done > s.Free {
		args.Done = s.Done
	}
	c.slice(slot, slice{Name: text, Cat: (*isa.Inst)(s.Inst).Row().Enc.String(), TS: s.Issue, Dur: s.Free - s.Issue,
		Args: args})
	if s.LDS.Clocks > 0 {
		lds := thread{pid, trackLDS}
		c.nameThread(lds, "LDS")
		c.slice(lds, slice{Name: text, Cat: "LDS", TS: s.LDS.Begin, Dur: s.LDS.Clocks, Args: args})
	}
	if s.TA.Clocks > 0 {
		c.memory(s, pid, text, args)
	}
	for i := range s.L2 {
		c.service(&s.L2[i], s, text)
	}
}

// dispatch writes a dispatch to the track of its queue.
func (c *chrome) dispatch(queue, name string, begin, end uint64) {
	tid := slices.Index(c.queues, queue)
	if tid < 0 {
		tid = len(c.queues)
		c.queues = append(c.queues, queue)
	}
	c.nameProcess(pidQueues, "dispatches")
	c.nameThread(thread{pidQueues, tid}, queue)
	c.slice(thread{pidQueues, tid}, slice{Name: name, Cat: "dispatch", TS: begin, Dur: end - begin})
}

// memory writes the work of TA and L1 for an instruction.
func (c *chrome) memory(s *timing.Span, pid int, text string, args instArgs) {
	ta, l1 := thread{pid, trackTA}, thread{pid, trackL1}
	c.nameThread(ta, "TA")
	if s.TAStopped > 0 {
		c.slice(ta, slice{Name: "stopped by L1", Cat: "stall", TS: s.TA.Begin - s.TAStopped, Dur: s.TAStopped,
			Color: colorMiss})
	}
	c.slice(ta, slice{Name: text, Cat: "TA", TS: s.TA.Begin, Dur: s.TA.Clocks, Args: args})
	if s.Lines == 0 {
		return
	}
	name, color := "through to L2", ""
	switch op := (*isa.Inst)(s.Inst).Row().Mem.Op; {
	case op != gcn.Load:
	case s.L1Misses == 0:
		name, color = "hit", colorHit
	case s.L1Hits == 0:
		name, color = "miss", colorMiss
	default:
		name, color = "hit and miss", colorSome
	}
	c.nameThread(l1, "L1")
	c.slice(l1, slice{Name: name, Cat: "L1", TS: s.TA.Begin, Dur: s.TA.Clocks, Color: color,
		Args: lineArgs{text, s.Lines, s.L1Misses}})
}

// service writes the work of an L2 channel. A fetch may be for another wave than that of s.
func (c *chrome) service(v *timing.Work, s *timing.Span, text string) {
	t := thread{pidL2, v.Channel}
	c.nameProcess(pidL2, "L2")
	c.nameThread(t, fmt.Sprintf("channel %d", v.Channel))
	name, color := "hit", colorHit
	switch {
	case v.Misses == v.Lines:
		name, color = "miss", colorMiss
	case v.Misses > 0:
		name, color = "hit and miss", colorSome
	}
	args := lineArgs{Lines: uint64(v.Lines), Misses: uint64(v.Misses), For: "instructions"}
	if !v.Fetch {
		args.For = fmt.Sprintf("CU %d, %s", s.CU, text)
	}
	c.slice(t, slice{Name: name, Cat: "L2", TS: v.Begin, Dur: v.Clocks, Color: color, Args: args})
}

// textOf returns the disassembly of an instruction, cached in texts.
func textOf(texts map[uint64]string, s *timing.Span, base uint64) string {
	text, ok := texts[s.PC]
	if !ok {
		text = disasm.Text((*isa.Inst)(s.Inst), s.PC, base)
		texts[s.PC] = text
	}
	return text
}

// maxPlace is the largest length of a position as text, because names of templates may be long.
const maxPlace = 80

// placeOf returns the function and source line of an instruction, for example "vadd(int*)+0x14, vadd.hip:6", cached
// in c.places. It is "" if the program has no code object.
func (c *chrome) placeOf(s *timing.Span) string {
	place, ok := c.places[s.PC]
	if !ok {
		place = demangle.Symbol(s.Program.Symbol(s.PC))
		if line := s.Program.Source(s.PC); line != "" && place != "" {
			place += ", " + line
		}
		if len(place) > maxPlace {
			place = strings.ToValidUTF8(place[:maxPlace], "") + "..."
		}
		c.places[s.PC] = place
	}
	return place
}

func groupName(s *timing.Span) string {
	return fmt.Sprintf("%d,%d,%d", s.Group[0], s.Group[1], s.Group[2])
}

// nameProcess names a process at its first use. Processes are shown in the order of their numbers.
func (c *chrome) nameProcess(pid int, name string) {
	c.name(thread{pid, process}, "process", 0, pid, name)
}

// nameThread names a thread at its first use.
func (c *chrome) nameThread(t thread, name string) { c.name(t, "thread", t.tid, t.tid, name) }

func (c *chrome) name(t thread, kind string, tid, place int, name string) {
	if c.seen[t] {
		return
	}
	c.seen[t] = true
	c.write(nameEvent{kind + "_name", "M", t.pid, tid, map[string]any{"name": name}})
	c.write(nameEvent{kind + "_sort_index", "M", t.pid, tid, map[string]any{"sort_index": place}})
}

func (c *chrome) slice(t thread, s slice) {
	s.Ph, s.PID, s.TID = "X", t.pid, t.tid
	c.write(s)
}

func (c *chrome) write(event any) {
	b, err := json.Marshal(event)
	if err != nil {
		panic("trace: " + err.Error()) // unreachable: strings and numbers can always be marshalled
	}
	if c.events > 0 {
		c.w.WriteString(",")
	}
	c.events++
	c.w.WriteString("\n")
	c.w.Write(b)
}

func (c *chrome) end(cut bool) error {
	c.w.WriteString("\n]")
	if cut {
		fmt.Fprintf(c.w, `,"truncated":{"recorded":%d}`, c.recorded)
	}
	c.w.WriteString("}\n")
	return c.w.Flush()
}
