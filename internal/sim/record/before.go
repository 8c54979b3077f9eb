package record

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/r600"
	"github.com/gcnsim/gcnsim/state"
)

// Before records a run of package r600, on a chip before GCN. [Before.Trace] is called for each event of its machine.
// A step is a control flow instruction, a fetch, or a group of ALU instructions. The record's vector registers are
// register components that were not always 0, named as in R1.x. EXEC has the threads that execute, VCC those that are
// not killed. Addresses are relative to the buffer or image. Steps have no times, findings or pictures.
type Before struct {
	r      Record
	latest *beforeWave // the wave that executed last
	waves  []*beforeWave
	known  map[beforeKey]*beforeWave
	insts  map[uint64]int // index of the instruction, by PC
	names  map[component]int

	program r600.Function
	number  int    // number of the current program
	base    uint64 // PC of its first word
	bytes   int
}

// beforeKey identifies a wave.
type beforeKey struct{ program, wave int }

// component is one of the components X, Y, Z and W of a register.
type component struct{ register, elem int }

// beforeWave is a wave. It is not recorded if track is nil.
type beforeWave struct {
	*track
	of    *r600.State
	state state.Wave // the wave's state in the form that track records
	seen  [r600.Threads][len(r600.State{}.GPR[0])][4]uint32

	group     []r600.Inst // the group of ALU instructions, until it is complete
	from, end int         // slots of the current instruction or group
	op        gcn.MemOp   // load, store or atomic, if the instruction accesses memory
}

// NewBefore returns a recorder of one run on a chip.
func NewBefore(chip string, family r600.Family) *Before {
	return &Before{r: Record{Version: Version, Target: family.String(), Chip: chip}, known: map[beforeKey]*beforeWave{},
		insts: map[uint64]int{}, names: map[component]int{}}
}

// Begin sets the program that the waves execute from now on. Its PCs follow those of earlier programs.
func (b *Before) Begin(program r600.Function) {
	b.base += 4 * uint64(len(b.program.Words))
	b.program, b.number = program, b.number+1
}

// Trace records the instruction in e.
func (b *Before) Trace(e r600.Event) {
	key := beforeKey{b.number, e.Wave}
	w := b.known[key]
	if w == nil {
		w = b.begin(&e)
		b.known[key] = w
	}
	w.of, b.latest = e.State, w
	if w.track != nil && w.pending {
		b.finish(w)
	}
	if len(w.group) == 0 {
		w.from = e.Slot
	}
	w.group, w.end = append(w.group, e.Inst), e.Slot
	last, _, isALU := e.Inst.Field("LAST")
	if isALU && last == 0 {
		return
	}
	group := w.group
	w.group = w.group[:0]
	switch {
	case w.track == nil || w.full:
		b.r.LeftOut.Instructions++
		return
	case b.bytes >= DefaultBytes || w.w.Count >= DefaultSteps:
		w.full = true
		b.r.LeftOut.Instructions++
		return
	}
	w.pending, w.issued = true, b.inst(w, group, isALU, e.Clause)
	w.op = gcn.Load
	if _, _, exports := e.Inst.Field("RW_GPR"); exports {
		w.op = gcn.Store
	}
}

// begin returns the wave of e, whose first instruction this is.
func (b *Before) begin(e *r600.Event) *beforeWave {
	w := &beforeWave{of: e.State}
	if len(b.waves) == DefaultWaves || b.bytes >= DefaultBytes {
		b.r.LeftOut.Waves++
		return w
	}
	w.track = &track{w: Window{Wave: e.Wave, Name: b.program.Name},
		addrs: map[int]*[2]state.Lanes{}}
	b.waves = append(b.waves, w)
	b.see(w)
	w.begin(&w.state)
	b.bytes += len(w.w.steps)
	return w
}

// inst returns the index of the instruction or group that w has executed.
func (b *Before) inst(w *beforeWave, group []r600.Inst, isALU, clause bool) int {
	pc := b.base + 8*uint64(w.from)
	if n, ok := b.insts[pc]; ok {
		return n
	}
	in := Inst{PC: pc, Class: "CF"}
	if isALU {
		in.Class = "ALU"
	} else if clause {
		in.Class = "fetch"
	}
	literals := b.program.Words[min(2*w.end+2, len(b.program.Words)):]
	var texts []string
	for i := range group {
		texts = append(texts, textBefore(&group[i], literals))
	}
	in.Text = strings.Join(texts, "; ")
	if 2*w.from < len(b.program.Lines) {
		in.Source = strings.TrimPrefix(fmt.Sprintf("%s:%d", b.program.Name, b.program.Lines[2*w.from]), ":")
	}
	b.insts[pc] = len(b.r.Insts)
	b.r.Insts = append(b.r.Insts, in)
	return b.insts[pc]
}

// see stores the present state of w for the next step.
func (b *Before) see(w *beforeWave) {
	for i, v := range [2]uint64{w.of.Active, w.of.Valid} {
		code := [2]int{gcn.EXEC, gcn.VCC}[i]
		w.state.S[code], w.state.S[code+1] = uint32(v), uint32(v>>32)
	}
	for t := range w.seen {
		if w.seen[t] == w.of.GPR[t] {
			continue
		}
		for register, v := range w.of.GPR[t] {
			for elem, x := range v {
				if x != w.seen[t][register][elem] {
					b.set(w, component{register, elem}, t, x)
				}
			}
		}
		w.seen[t] = w.of.GPR[t]
	}
}

// set sets a register component of thread t to x.
func (b *Before) set(w *beforeWave, c component, t int, x uint32) {
	n, ok := b.names[c]
	switch {
	case !ok && len(b.r.Names) == state.MaxVGPRs:
		n = -1
		b.r.LeftOut.Registers++
	case !ok:
		n = len(b.r.Names)
		b.r.Names = append(b.r.Names, registerName(uint32(c.register), c.elem))
	}
	b.names[c] = n
	if n < 0 {
		return
	}
	for len(w.state.V) <= n {
		w.state.V = append(w.state.V, state.Lanes{})
	}
	w.state.V[n][t] = x
}

// finish writes the pending step.
func (b *Before) finish(w *beforeWave) {
	before := len(w.w.steps)
	b.see(w)
	exec := w.last.Exec()
	w.w.steps = w.appendStep(w.w.steps, 0, w.issued-w.next, func(p []byte) (byte, []byte) {
		flags, p := w.changes(p, &w.state, nil)
		if w.of.Touched == 0 {
			return flags, p
		}
		a := state.Access{Op: w.op, Space: state.Global, Exec: w.of.Touched, Addr: w.of.Addr, Elem: uint8(w.of.Bytes),
			Count: 1}
		if n := w.of.Bytes / 4; n > 0 && 4*n == w.of.Bytes {
			a.Elem, a.Count = 4, uint8(min(n, math.MaxUint8))
		}
		return flags | flagAccess, w.appendAccess(p, &a, exec, 0, 0)
	})
	w.next, w.pending = w.issued+1, false
	w.w.Count++
	b.bytes += len(w.w.steps) - before
}

// Record returns the record. Call it after the run, with the run's error, which may be nil.
func (b *Before) Record(err error) *Record {
	wrong, _ := errors.AsType[*r600.Error](err)
	if wrong != nil && wrong.Kind == r600.Fault && b.latest != nil && b.latest.track != nil {
		b.fail(b.latest, wrong)
	}
	out := b.r
	for _, w := range b.waves {
		if w.pending {
			b.finish(w)
		}
		w.w.VGPRs = len(out.Names)
		w.w.steps = slices.Clip(w.w.steps)
		out.Windows = append(out.Windows, w.w)
	}
	for i := range out.Windows {
		out.Windows[i].record = &out
	}
	return &out
}

// fail records that the run ended with a fault in w: in the pending step, or after it.
func (b *Before) fail(w *beforeWave, wrong *r600.Error) {
	at := Site{PC: b.base + 8*uint64(wrong.Slot), Wave: w.w.Wave, Text: wrong.Name}
	faulted := w.pending && wrong.Fault != state.FaultLimit && w.from <= wrong.Slot && wrong.Slot <= w.end
	if w.pending && !faulted {
		b.finish(w)
	}
	at.Step = uint64(w.w.Count)
	if faulted {
		w.w.steps = appendSigned(append(w.w.steps, flagFault|flagJump), int32(w.issued-w.next))
		w.w.Count++
		w.pending = false
	}
	b.r.Fault = &Fault{Site: at, Kind: wrong.Fault.String(), Message: wrong.What, Lane: state.NoLane}
}
