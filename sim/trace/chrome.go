package trace

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/gcn/asm"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/state"
)

// MaxEvents is how many instructions a [Chrome] trace records; it says so when there
// were more.
const MaxEvents = 1_000_000

// Chrome writes a trace in the Chrome trace event format, which Perfetto and
// chrome://tracing show: a process for each work-group, a thread for each wave, and an
// event for each instruction. Without timing an instruction takes one unit of time, and
// the order is that of execution.
type Chrome struct {
	w    *bufio.Writer
	base uint64
	n    uint64
	some bool              // an event is written
	text map[uint64]string // by PC
	pids map[[3]uint32]int // work-groups seen
	tids map[thread]bool   // waves seen
}

// NewChrome begins a trace on w. base is what PCs count from.
func NewChrome(w io.Writer, base uint64) *Chrome {
	c := &Chrome{w: bufio.NewWriter(w), base: base, text: map[uint64]string{}, pids: map[[3]uint32]int{}, tids: map[thread]bool{}}
	c.w.WriteString(`{"otherData":{"unit":"one instruction; cycles are not modelled"},"traceEvents":[`)
	return c
}

// thread is a wave of a work-group.
type thread struct{ pid, wave int }

// nameEvent names a process or a thread ("ph":"M").
type nameEvent struct {
	Name string            `json:"name"`
	Ph   string            `json:"ph"`
	PID  int               `json:"pid"`
	TID  int               `json:"tid"`
	Args map[string]string `json:"args"`
}

// chromeEvent is a complete event ("ph":"X").
type chromeEvent struct {
	Name string     `json:"name"`
	Cat  string     `json:"cat"`
	Ph   string     `json:"ph"`
	TS   uint64     `json:"ts"`
	Dur  uint64     `json:"dur"`
	PID  int        `json:"pid"`
	TID  int        `json:"tid"`
	Args chromeArgs `json:"args"`
}

type chromeArgs struct {
	PC    string `json:"pc"`
	Exec  string `json:"exec"`
	Lanes int    `json:"lanes,omitempty"`
	Bytes int    `json:"bytes,omitempty"`
	Space string `json:"space,omitempty"`
}

// Observe records one executed instruction. It is a [sim.Observer].
func (c *Chrome) Observe(e sim.Event) {
	if c.n++; c.n > MaxEvents {
		return
	}
	text, ok := c.text[e.PC]
	if !ok {
		text = asm.Format(*e.Inst, asm.LLVM)
		c.text[e.PC] = text
	}
	pid := c.process(e.Wave)
	event := chromeEvent{
		Name: text, Cat: e.Inst.Row().Enc.String(), Ph: "X", TS: c.n - 1, Dur: 1,
		PID: pid, TID: e.Wave.ID,
		Args: chromeArgs{PC: fmt.Sprintf("0x%04x", e.PC-c.base), Exec: fmt.Sprintf("0x%016x", e.Wave.Exec())},
	}
	if a := e.Access; a.Op != gcn.NoMem {
		event.Args.Lanes, event.Args.Bytes, event.Args.Space = a.Lanes(), a.Bytes(), a.Space.String()
	}
	c.write(event)
}

// process returns the number of the wave's work-group; a new group or wave is named first.
func (c *Chrome) process(w *state.Wave) int {
	pid, known := c.pids[w.Group]
	if !known {
		pid = len(c.pids) + 1
		c.pids[w.Group] = pid
		c.write(nameEvent{"process_name", "M", pid, 0, map[string]string{
			"name": fmt.Sprintf("work-group %d,%d,%d", w.Group[0], w.Group[1], w.Group[2])}})
	}
	if t := (thread{pid, w.ID}); !c.tids[t] {
		c.tids[t] = true
		c.write(nameEvent{"thread_name", "M", pid, w.ID, map[string]string{"name": fmt.Sprintf("wave %d", w.ID)}})
	}
	return pid
}

func (c *Chrome) write(event any) {
	b, err := json.Marshal(event)
	if err != nil {
		panic("trace: " + err.Error()) // strings and numbers always marshal
	}
	if c.some {
		c.w.WriteByte(',')
	}
	c.some = true
	c.w.WriteByte('\n')
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
