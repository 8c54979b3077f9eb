package debug

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/sim/registers"
	"github.com/gcnsim/gcnsim/state"
)

// breakpoint is a breakpoint at an instruction.
type breakpoint struct {
	id        int
	condition string // it stops if the value is not 0; "" always stops
}

// watchpoint is a data breakpoint. It stops at accesses to memory, or if a register changes.
type watchpoint struct {
	*value
	id, wave    int
	read, write bool
	was         uint64
}

// changed reports whether the register of x has changed since the last call. It is false if x is memory.
func (x *watchpoint) changed(waves []*state.Wave) bool {
	if x.get == nil || x.wave >= len(waves) {
		return false
	}
	was := x.was
	x.was = x.get(waves[x.wave])
	return x.was != was
}

// stop is the reason why execution stopped.
type stop struct {
	reason, text string
	ids          []int
}

// executes identifies an instruction of a wave. index is the number of instructions that the wave executed before.
type executes struct {
	group [3]uint32
	wave  int
	index uint64
}

// next identifies the instruction that executes next. The run must not be finished.
func (s *Session) next() executes { return executes{s.wave.Group, s.wave.ID, s.wave.Executed} }

// Place is a flag that names an instruction of a wave: [X,Y,Z:]WAVE:INSTRUCTION, all counted from 0. The zero Place
// names no instruction.
type Place struct {
	executes
	given bool
}

// String returns the value of the flag. It is empty if the flag was not given.
func (p *Place) String() string {
	if !p.given {
		return ""
	}
	return fmt.Sprintf("%d,%d,%d:%d:%d", p.group[0], p.group[1], p.group[2], p.wave, p.index)
}

// Set parses the value of the flag.
func (p *Place) Set(text string) error {
	var at executes
	full := text
	if strings.Count(text, ":") == 1 {
		full = "0,0,0:" + text
	}
	_, err := fmt.Sscanf(full+"\n", "%d,%d,%d:%d:%d\n", &at.group[0], &at.group[1], &at.group[2], &at.wave, &at.index)
	if err != nil || at.wave < 0 {
		return fmt.Errorf("%q is not WAVE:INSTRUCTION or X,Y,Z:WAVE:INSTRUCTION, as in 3:120 or 0,1,0:3:120", text)
	}
	*p = Place{at, true}
	return nil
}

// Type returns the syntax of the value for the help text.
func (*Place) Type() string { return "[X,Y,Z:]WAVE:INSTRUCTION" }

// Debugger is a session with breakpoints, source lines and the choices of its user.
type Debugger struct {
	*Session
	code         *code
	lane         int
	before       map[int]*state.Wave                 // copies of the waves at the previous stop
	sources      map[string]map[uint64][]*breakpoint // by file, "" for instruction breakpoints; then by PC
	watches      []*watchpoint
	traps        bool
	findings     map[executes]string // texts of findings, by instruction
	findingsStop bool
	stopped      stop
	// Slice returns the backward slice of the value that an instruction wrote to a lane. It is nil without a dispatch.
	Slice       func(group [3]uint32, wave int, index uint64, lane int) (string, error)
	paused      func() bool // called while instructions execute; true stops them
	interrupted bool        // paused ended the last call of forward or back
	ids         int
}

// atBreakpoint reports whether a breakpoint stops the next wave. It records the breakpoint in d.stopped.
func (d *Debugger) atBreakpoint() bool {
	if d.Finished() {
		return false
	}
	d.stopped = stop{}
	for _, at := range d.sources {
		for _, b := range at[d.wave.PC] {
			if d.holds(b) {
				d.stopped.reason = "breakpoint"
				d.stopped.ids = append(d.stopped.ids, b.id)
			}
		}
	}
	if d.At.given && d.At.executes == d.next() {
		d.stopped.reason = "breakpoint"
	}
	if text, found := d.findings[d.next()]; found && d.findingsStop && d.stopped.reason == "" {
		d.stopped = stop{reason: "exception", text: text}
	}
	return d.stopped.reason != ""
}

// holds reports whether the condition of a breakpoint holds. A condition that cannot be evaluated counts as true.
func (d *Debugger) holds(b *breakpoint) bool {
	if b.condition == "" {
		return true
	}
	v, err := d.Evaluate(b.condition, d.wave)
	if err != nil {
		d.stopped.text = fmt.Sprintf("the condition %s: %v", b.condition, err)
	}
	return err != nil || !v.isZero()
}

// afterInstruction reports whether the last instruction of w stops execution: by a data breakpoint or a trap.
func (d *Debugger) afterInstruction(w *state.Wave, privileged bool) bool {
	if d.traps && w.Privileged() && !privileged {
		d.stopped = stop{reason: "exception", text: "the wave has entered the trap handler"}
		return true
	}
	var ids []int
	for _, x := range d.watches {
		if x.changed(d.group.Waves()) || x.met(d.group.Access()) {
			ids = append(ids, x.id)
		}
	}
	if ids != nil {
		d.stopped = stop{reason: "data breakpoint", ids: ids}
	}
	return ids != nil
}

// met reports whether an access touches the memory of x in the direction that x watches.
func (x *watchpoint) met(a *state.Access) (met bool) {
	if x.get != nil || a.Op == gcn.NoMem || a.Op == gcn.Load && !x.read || a.Op == gcn.Store && !x.write {
		return false
	}
	registers.Elements(a, func(space state.Space, addr, size uint64, _ int) {
		met = met || space == x.space && addr < x.addr+x.size && x.addr < addr+size
	})
	return met
}

// probe returns a probe that stops at breakpoints and if done returns true.
func (d *Debugger) probe(done func() bool) probe {
	privileged := d.wave != nil && d.wave.Privileged()
	for _, x := range d.watches {
		x.changed(d.group.Waves())
	}
	return probe{
		at: func() bool {
			if privileged = !d.Finished() && d.wave.Privileged(); d.atBreakpoint() {
				return true
			}
			if !d.Finished() && done != nil && done() {
				d.stopped = stop{reason: "step"}
				return true
			}
			return false
		},
		after: func(w *state.Wave) bool { return d.afterInstruction(w, privileged) },
	}
}

// forward executes until a breakpoint, until done returns true, or to the end.
func (d *Debugger) forward(done func() bool) {
	d.stopped = stop{}
	d.interrupted = false
	switch err := d.Forward(d.probe(done), d.paused); {
	case err != nil:
		d.stopped = stop{reason: "exception", text: err.Error()}
	case d.stopped.reason != "":
	case d.Finished():
		d.stopped = stop{reason: "pause", text: "all work-groups have ended"}
	default:
		d.interrupted = true
	}
}

// back moves back to a breakpoint, to a position where done returns true, or to the first instruction.
func (d *Debugger) back(done func() bool) {
	d.stopped, d.interrupted = stop{}, false
	held, err := d.Back(d.probe(done), func() bool {
		d.interrupted = d.paused()
		return d.interrupted
	})
	switch {
	case d.interrupted:
	case err != nil:
		d.stopped = stop{reason: "exception", text: err.Error()}
	case !held:
		d.stopped = stop{reason: "entry", text: "here the work-group begins"}
	case done == nil:
		if d.stopped.reason = "breakpoint"; !d.atBreakpoint() {
			d.stopped = stop{reason: "data breakpoint"}
		}
	case !d.atBreakpoint():
		d.stopped = stop{reason: "step"}
	}
}

// Kinds of steps.
const (
	over = iota // steps over calls
	into
	out
)

// stepEnds returns a function that reports whether a step of wave id ends, at an instruction or at the start of a line.
func (d *Debugger) stepEnds(id, how int, instruction bool) func() bool {
	n, _ := d.group.Number()
	depth, first := len(d.calls[id]), d.at(id)
	byLine := !instruction && first != nil && first.line != 0
	return func() bool {
		if now, _ := d.group.Number(); now != n || d.group.Waves()[id].Ended {
			return true
		}
		deep := len(d.calls[id])
		if d.wave.ID != id || how == over && deep > depth || how == out && deep >= depth {
			return false
		}
		p := d.at(id)
		return how == out || !byLine || p == nil || p.line == 0 && deep <= depth || p.starts
	}
}

// at returns the instruction that a wave executes next, or nil if there is none.
func (d *Debugger) at(id int) *place { return d.code.at(d.group.Waves()[id].PC) }

// pcOf parses the address of an instruction in the form of the protocol.
func pcOf(reference string, offset int) (uint64, error) {
	pc, err := strconv.ParseUint(reference, 0, 64)
	if err != nil {
		return 0, fmt.Errorf("%s is not the address of an instruction", reference)
	}
	return pc + uint64(offset), nil
}
