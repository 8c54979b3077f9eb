package record

import (
	"slices"

	"github.com/gcnsim/gcnsim/gcn/tile"
	"github.com/gcnsim/gcnsim/internal/explain"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/sim/disasm"
	"github.com/gcnsim/gcnsim/internal/sim/timing"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/state"
)

// Options limit how much is recorded. 0 selects a default.
type Options struct {
	// FirstWave is the number of waves to skip, Waves the number of waves to record after them.
	FirstWave, Waves int
	// From is the number of instructions to skip in each wave, Steps the number of instructions to record after them.
	From, Steps uint64
	// Bytes bounds the memory for steps.
	Bytes int
	// Times are the parameters that determine which lanes a unit takes together. nil selects those of a chip that
	// implements the target.
	Times *timing.Params
}

// Defaults of [Options].
const (
	DefaultWaves = 64
	DefaultSteps = 1 << 14
	DefaultBytes = 16 << 20
)

// Recorder records a run. It is a [sim.Watcher]. With a time model, pass [Recorder.Span] to [timing.Model.OnSpan].
type Recorder struct {
	sim.NoWatcher

	o       Options
	machine *sim.Machine    // the machine of the run
	regs    *tile.Registers // its tiling registers; nil if it has none, and then no image instruction executes
	r       Record
	group   []*state.Wave // waves of the current work-group
	latest  int           // index of the wave that issued the latest instruction
	waves   []*track      // tracks of the waves in group; nil if not recorded
	tracks  []*track
	known   map[windowKey]*track
	seen    int // number of waves so far
	end     ending
	bytes   int
	insts   map[place]int
	at      map[uint64]int // index of the latest instruction at each PC
	rules   map[string]int
	groups  map[string]int
	images  pictures
}

// place identifies an instruction, because programs that execute after one another may have the same address.
type place struct {
	pc uint64
	in isa.Inst
}

// windowKey identifies a wave.
type windowKey struct {
	group [3]uint32
	wave  int
}

// track is the state of recording one wave.
type track struct {
	w       Window
	last    state.Wave // registers and counters at the previous step
	begun   bool
	full    bool
	end     bool // the window belongs to the second run; see [Recorder.Fail]
	next    int  // index of the expected instruction
	pending bool
	issued  int // index of the instruction that was issued, if pending
	taps    []tap
	addrs   map[int]*[2]state.Lanes // low and high halves of the latest addresses, by instruction
	spans   []span
}

// New returns a recorder of one run.
func New(o Options) *Recorder {
	if o.Waves == 0 {
		o.Waves = DefaultWaves
	}
	if o.Steps == 0 {
		o.Steps = DefaultSteps
	}
	if o.Bytes == 0 {
		o.Bytes = DefaultBytes
	}
	return &Recorder{
		o: o, r: Record{Version: Version},
		known: map[windowKey]*track{}, insts: map[place]int{}, at: map[uint64]int{}, rules: map[string]int{},
		groups: map[string]int{},
	}
}

// Needs implements [sim.Watcher].
func (r *Recorder) Needs() sim.Needs { return sim.Needs{Events: sim.BeforeAndAfter} }

// Start implements [sim.Watcher]. The PCs of a launch are relative to its module.
func (r *Recorder) Start(run *sim.Run) error {
	r.machine = run.Machine
	r.regs, _ = run.Machine.Registers() // the run reports this error if it matters
	if run.Launch != nil {
		r.r.Base = run.Launch.Module.Base
	}
	return nil
}

// Begin implements [sim.Watcher].
func (r *Recorder) Begin(waves []*state.Wave) {
	r.group, r.waves = waves, r.waves[:0]
	for _, w := range waves {
		r.waves = slices.Grow(r.waves, w.ID+1)[:max(len(r.waves), w.ID+1)]
		r.waves[w.ID] = nil
		keep := r.seen >= r.o.FirstWave && len(r.tracks) < r.o.Waves && r.bytes < r.o.Bytes
		r.seen++
		if r.end.again {
			r.waves[w.ID] = r.beginEnd(w)
			continue
		}
		if !keep {
			r.r.LeftOut.Waves++
			continue
		}
		if r.o.Times == nil {
			p := timing.Default(w.Target)
			r.o.Times = &p
		}
		r.r.Target = w.Target.String()
		t := newTrack(w)
		r.waves[w.ID] = t
		r.tracks = append(r.tracks, t)
		r.known[windowKey{w.Group, w.ID}] = t
	}
}

func newTrack(w *state.Wave) *track {
	return &track{w: Window{Group: w.Group, Wave: w.ID, VGPRs: w.NumVGPRs, LDS: w.LDSBytes},
		addrs: map[int]*[2]state.Lanes{}}
}

// Issue implements [sim.Watcher].
func (r *Recorder) Issue(e *sim.Event) {
	r.latest = e.Wave.ID
	t := r.waves[e.Wave.ID]
	if t == nil || t.full || e.Wave.Executed < r.o.From {
		return
	}
	if !t.begun {
		t.begun = true
		t.w.From = e.Wave.Executed
		t.begin(e.Wave)
		r.bytes += len(t.w.steps)
	}
	t.pending, t.issued = true, r.inst(e)
	t.taps = nil
	if (*isa.Inst)(e.Inst).Row().Enc == isa.MIMG && r.regs != nil {
		t.taps = tapsOf(e, r.regs)
		r.images.see(r.machine, e)
	}
}

// Retire implements [sim.Watcher].
func (r *Recorder) Retire(e *sim.Event) {
	t := r.waves[e.Wave.ID]
	if t == nil || !t.pending {
		if !r.end.again {
			r.r.LeftOut.Instructions++
		}
		return
	}
	t.pending = false
	before := len(t.w.steps)
	r.step(t, e)
	r.bytes += len(t.w.steps) - before
	t.w.Count++
	t.full = uint64(t.w.Count) >= r.o.Steps || r.bytes >= r.o.Bytes
}

// Record returns the record. Call it after the run and, with a time model, after [timing.Model.Finish].
func (r *Recorder) Record() *Record {
	for _, t := range r.tracks {
		if t.begun {
			r.issueFault(t)
		}
	}
	out := r.r
	out.Windows = nil
	out.Pictures, out.LeftOut.Pictures = r.images.take()
	for _, t := range r.tracks {
		if !t.begun { // the wave ended before the first instruction to record
			if !t.end {
				out.LeftOut.Waves++
			}
			continue
		}
		if t.end && !r.end.keep(t, &out) {
			continue
		}
		w := t.w
		w.steps = slices.Clip(w.steps)
		if t.pending { // the pending instruction faulted
			w.steps = append(w.steps, flagFault|flagJump)
			w.steps = appendSigned(w.steps, int32(t.issued-t.next))
			w.Count++
		}
		w.times, w.Timed = t.times()
		if w.Timed {
			out.LeftOut.Untimed += uint64(w.Count - len(t.spans))
		}
		out.Windows = append(out.Windows, w)
	}
	p := &out
	for i := range p.Windows {
		p.Windows[i].record = p
	}
	return p
}

// inst returns the index of an instruction in Insts, adding it if necessary.
func (r *Recorder) inst(e *sim.Event) int {
	key := place{e.PC, isa.Inst(*e.Inst)}
	if n, ok := r.insts[key]; ok {
		r.at[e.PC] = n
		return n
	}
	in, row := (*isa.Inst)(e.Inst), (*isa.Inst)(e.Inst).Row()
	c := in.Counts()
	i := Inst{
		PC: e.PC, Text: disasm.Text(in, e.PC, r.r.Base), Source: e.Program.Source(e.PC), Class: row.Enc.String(),
		VM: c.VM, EXP: c.EXP, LGKM: c.LGKM, Wait: row.Control == isa.Waits, Formula: explain.Formula(*in),
	}
	switch {
	case row.Enc == isa.MUBUF || row.Enc == isa.MTBUF:
		i.Kind, i.Resource = "vsharp", 1+4*int(in.Get(isa.SRSRC))
	case row.Enc == isa.MIMG:
		i.Kind, i.Resource = "tsharp", 1+4*int(in.Get(isa.SRSRC))
		if row.Has(isa.Sampler) {
			i.Sampler = 1 + 4*int(in.Get(isa.SSAMP))
		}
	case row.Has(isa.BufferBase):
		i.Kind, i.Resource = "vsharp", 1+2*int(in.Get(isa.SBASE))
	}
	r.insts[key] = r.add(i)
	return r.insts[key]
}

// add appends a new instruction and returns its index.
func (r *Recorder) add(i Inst) int {
	n := len(r.r.Insts)
	r.at[i.PC] = n
	r.r.Insts = append(r.r.Insts, i)
	return n
}
