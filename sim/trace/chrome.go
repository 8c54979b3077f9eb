package trace

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"

	"github.com/gcnsim/gcnsim/gcn/asm"
	"github.com/gcnsim/gcnsim/sim/timing"
)

// MaxEvents is how many instructions a [Chrome] trace records; it says so when there were
// more.
const MaxEvents = 1_000_000

// Chrome writes a trace in the Chrome trace event format, which Perfetto and
// chrome://tracing show: a process for each compute unit, in it a thread for each wave slot
// of a SIMD, for TA and for the LDS, and counters of L1; a process for L2. A unit of time
// is a cycle. The time that a wave waits before an instruction is an event of its own,
// named and coloured by its cause.
type Chrome struct {
	w    *bufio.Writer
	base uint64
	n    uint64
	some bool              // an event is written
	text map[uint64]string // by PC
	seen map[thread]bool   // processes and threads that have names
	l1   map[int]hits      // by CU
	l2   hits
}

// hits are sums over the instructions so far.
type hits struct {
	Hits   uint64 `json:"hits"`
	Misses uint64 `json:"misses"`
}

// thread is a track of a process.
type thread struct{ pid, tid int }

// Tracks of a compute unit besides its wave slots, whose number is slotsPerSIMD*SIMD+slot.
const (
	slotsPerSIMD = 16
	trackTA      = 1000
	trackLDS     = 1001
	process      = -1 // in Chrome.seen
)

// pidL2 is the process of what all compute units share; theirs follow.
const pidL2 = 1

// NewChrome begins a trace on w. base is what PCs count from.
func NewChrome(w io.Writer, base uint64) *Chrome {
	c := &Chrome{w: bufio.NewWriter(w), base: base, text: map[uint64]string{}, seen: map[thread]bool{}, l1: map[int]hits{}}
	c.w.WriteString(`{"otherData":{"unit":"cycle; the model is approximate"},"traceEvents":[`)
	return c
}

// nameEvent names a process or a thread ("ph":"M").
type nameEvent struct {
	Name string            `json:"name"`
	Ph   string            `json:"ph"`
	PID  int               `json:"pid"`
	TID  int               `json:"tid"`
	Args map[string]string `json:"args"`
}

// chromeEvent is a complete event ("ph":"X") or a counter ("ph":"C").
type chromeEvent struct {
	Name  string `json:"name"`
	Cat   string `json:"cat,omitempty"`
	Ph    string `json:"ph"`
	TS    uint64 `json:"ts"`
	Dur   uint64 `json:"dur,omitempty"`
	PID   int    `json:"pid"`
	TID   int    `json:"tid"`
	Color string `json:"cname,omitempty"`
	Args  any    `json:"args,omitempty"`
}

type chromeArgs struct {
	PC    string `json:"pc"`
	Group string `json:"group"`
	Wave  int    `json:"wave"`
	Done  uint64 `json:"done,omitempty"` // when it completed, if later than it ends
}

// Observe records one instruction. It is meant for [timing.Model.Trace].
func (c *Chrome) Observe(s *timing.Span) {
	if c.n++; c.n > MaxEvents {
		return
	}
	text := textOf(c.text, s)
	pid := pidL2 + 1 + s.CU
	tid := slotsPerSIMD*s.SIMD + s.Slot
	c.name(thread{pid, process}, fmt.Sprintf("CU %d", s.CU))
	c.name(thread{pid, tid}, fmt.Sprintf("SIMD %d wave slot %d", s.SIMD, s.Slot))
	if s.Issue > s.Ready {
		c.write(chromeEvent{Name: "stall: " + s.Why.String(), Cat: "stall", Ph: "X", TS: s.Ready, Dur: s.Issue - s.Ready, PID: pid, TID: tid, Color: stalls[s.Why].chrome})
	}
	args := chromeArgs{PC: fmt.Sprintf("0x%04x", s.PC-c.base), Group: groupName(s), Wave: s.Wave}
	if s.Done > s.Free {
		args.Done = s.Done
	}
	c.write(chromeEvent{Name: text, Cat: s.Inst.Row().Enc.String(), Ph: "X", TS: s.Issue, Dur: s.Free - s.Issue, PID: pid, TID: tid, Args: args})
	if s.UnitClocks == 0 {
		return
	}
	unit, name := trackTA, "TA"
	if s.LDS {
		unit, name = trackLDS, "LDS"
	}
	c.name(thread{pid, unit}, name)
	c.write(chromeEvent{Name: text, Cat: name, Ph: "X", TS: s.UnitBegin, Dur: s.UnitClocks, PID: pid, TID: unit, Args: args})
	if s.LDS {
		return
	}
	l1 := c.l1[s.CU]
	l1.Hits, l1.Misses = l1.Hits+s.L1Hits, l1.Misses+s.L1Misses
	c.l1[s.CU] = l1
	c.write(chromeEvent{Name: "L1", Ph: "C", TS: s.UnitBegin, PID: pid, Args: l1})
	if s.L1Misses > 0 {
		c.l2.Hits, c.l2.Misses = c.l2.Hits+s.L1Misses-s.L2Misses, c.l2.Misses+s.L2Misses
		c.name(thread{pidL2, process}, "L2")
		c.write(chromeEvent{Name: "L2, loads", Ph: "C", TS: s.UnitBegin, PID: pidL2, Args: c.l2})
	}
}

// textOf returns the disassembly of an instruction; texts keeps it.
func textOf(texts map[uint64]string, s *timing.Span) string {
	text, ok := texts[s.PC]
	if !ok {
		text = asm.Format(*s.Inst, asm.LLVM)
		texts[s.PC] = text
	}
	return text
}

func groupName(s *timing.Span) string {
	return fmt.Sprintf("%d,%d,%d", s.Group[0], s.Group[1], s.Group[2])
}

// name names a process or a thread when it is seen first.
func (c *Chrome) name(t thread, name string) {
	if c.seen[t] {
		return
	}
	c.seen[t] = true
	e := nameEvent{"thread_name", "M", t.pid, t.tid, map[string]string{"name": name}}
	if t.tid == process {
		e.Name, e.TID = "process_name", 0
	}
	c.write(e)
}

func (c *Chrome) write(event any) {
	b, err := json.Marshal(event)
	if err != nil {
		panic("trace: " + err.Error()) // strings and numbers always marshal
	}
	if c.some {
		c.w.WriteString(",")
	}
	c.some = true
	c.w.WriteString("\n")
	c.w.Write(b)
}

// Close ends the trace. The error is the first one of writing.
func (c *Chrome) Close() error {
	c.w.WriteString("\n]")
	if c.n > MaxEvents {
		fmt.Fprintf(c.w, `,"truncated":{"recorded":%d,"executed":%d}`, MaxEvents, c.n)
	}
	c.w.WriteString("}\n")
	return c.w.Flush()
}
