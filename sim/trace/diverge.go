package trace

import (
	"context"
	"fmt"
	"hash/maphash"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/state"
)

// Run runs something from its beginning with an observer. [Diverge] calls it up to twice,
// and may cancel ctx when it has seen enough.
type Run func(ctx context.Context, o sim.Observer) error

// Divergence is the first instruction after which two runs are not in the same state.
type Divergence struct {
	Step  uint64    // instructions of all waves before it; they agree
	Group [3]uint32 // work-group of the wave
	Wave  int       // in its work-group
	// Want and Got are the instruction in the two runs; nil if a run stopped before it.
	Want, Got *Moment
	Err       error  // why the actual run stopped before it, nil if it just ended
	Diffs     []Diff // what differs, the program counter first, then memory, then registers
}

// Moment is one executed instruction.
type Moment struct {
	PC     uint64
	Inst   gcn.Inst
	Before *state.Wave // nil if it is the wave's first instruction
	After  *state.Wave
	Access state.Access
	Trail  []Line // instructions that the wave executed around it
	At     int    // index of the instruction in Trail
}

// Line is an instruction of a trail.
type Line struct {
	PC   uint64
	Inst gcn.Inst
}

// trailBefore and trailAfter are how many instructions a trail has at most around the one
// that matters.
const trailBefore, trailAfter = 4, 2

// Diverge runs two programs and compares them instruction by instruction: the next PC,
// all registers, and what memory instructions do to memory. It returns the first
// instruction after which they differ, nil if there is none. Both runs must begin in the
// same state, code and buffers at the same addresses, each time they are called. The
// error is that of the expected run.
func Diverge(ctx context.Context, want, got Run) (*Divergence, error) {
	seed := maphash.MakeSeed()
	expected := journal{seed: seed}
	if err := want(ctx, expected.record); err != nil {
		return nil, fmt.Errorf("the expected run: %w", err)
	}
	short, cancel := context.WithCancel(ctx)
	defer cancel()
	actual := follower{journal: expected, stop: cancel}
	err := got(short, actual.compare)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if actual.found || actual.n < len(expected.states) {
		return examine(ctx, want, got, uint64(actual.n), actual.found, err)
	}
	if err != nil { // after the expected run's last instruction
		return &Divergence{Step: uint64(len(expected.states)), Err: err}, nil
	}
	return nil, nil
}

// journal is the state after each instruction, hashed.
type journal struct {
	seed   maphash.Seed
	states []uint64
}

func (j *journal) record(e sim.Event) { j.states = append(j.states, j.hash(&e)) }

// follower compares a run with the journal of another until they differ.
type follower struct {
	journal
	n     int // instructions that agree
	found bool
	stop  context.CancelFunc
}

func (f *follower) compare(e sim.Event) {
	if f.found {
		return
	}
	if f.n == len(f.states) || f.hash(&e) != f.states[f.n] {
		f.found = true
		f.stop()
		return
	}
	f.n++
}

// scalars is the state of a wave besides its VGPRs, as far as it is compared.
type scalars struct {
	group     [3]uint32
	wave      int
	pc, next  uint64
	s         [gcn.NumScalarCodes]uint32
	scc, mode uint32
	stopped   [2]bool
}

// effect is what an instruction does to memory.
type effect struct {
	op     gcn.MemOp
	code   gcn.Op // of an atomic: what it computes
	exec   uint64
	out    [4]uint64
	shape  [2]uint8
	at     [4][state.NumLanes]uint64
	stored [4]state.Lanes
}

// hash returns a number that two different states hardly share. VGPRs that are 0 do not
// count, so that waves may have different numbers of them.
func (j *journal) hash(e *sim.Event) uint64 {
	w := e.Wave
	h := maphash.Comparable(j.seed, scalars{
		w.Group, w.ID, e.PC, w.PC, w.S, w.SCC, uint32(w.Mode), [2]bool{w.Ended, w.AtBarrier},
	})
	for i := range w.V {
		if v := &w.V[i]; *v != (state.Lanes{}) {
			h = h*31 + maphash.Comparable(j.seed, *v) ^ uint64(i)
		}
	}
	if e.Access.Op != gcn.NoMem {
		h = h*31 + maphash.Comparable(j.seed, effectOf(e.Inst, w, e.Access))
	}
	return h
}

// effectOf returns the effect of an instruction from the state after it.
func effectOf(in *gcn.Inst, w *state.Wave, a *state.Access) (f effect) {
	f = effect{op: a.Op, exec: a.Exec, out: a.Out, shape: [2]uint8{a.Elem, a.Count}}
	if a.Op == gcn.Atomic {
		f.code = in.Op
	}
	if a.Scalar {
		f.at[0][0] = a.Addr[0]
		return f
	}
	for i := range min(int(a.Count), len(f.at)) {
		for lane := range state.NumLanes {
			if a.Exec>>lane&1 != 0 {
				f.at[i][lane] = a.At(i, lane)
			}
		}
	}
	for i, reg := range storedRegs(in, a.Op) {
		if int(reg) < len(w.V) && i < len(f.stored) {
			for lane := range state.NumLanes {
				if a.Exec>>lane&1 != 0 {
					f.stored[i][lane] = w.V[reg][lane]
				}
			}
		}
	}
	return f
}

// storedRegs returns the VGPRs whose contents an instruction stores; none if it returns
// something, because that may have taken their place.
func storedRegs(in *gcn.Inst, op gcn.MemOp) (regs []uint16) {
	if op != gcn.Store && op != gcn.Atomic {
		return nil
	}
	for _, o := range in.Operands(nil) {
		switch {
		case o.Write:
			return nil
		case o.File == gcn.VReg && (o.Field == gcn.VDATA || o.Field == gcn.DATA0 || o.Field == gcn.DATA1):
			for k := range uint16(o.Dwords) {
				regs = append(regs, o.Code+k)
			}
		}
	}
	return regs
}

// camera takes the moment of step number step of a run, and the trail of its wave.
type camera struct {
	step, n uint64
	last    map[waveID]*state.Wave // after the latest instruction of each wave
	trails  map[waveID][]Line
	id      waveID
	moment  *Moment
	stop    context.CancelFunc
}

type waveID struct {
	group [3]uint32
	wave  int
}

func (c *camera) observe(e sim.Event) {
	id := waveID{e.Wave.Group, e.Wave.ID}
	switch line := (Line{e.PC, *e.Inst}); {
	case c.moment == nil && c.n < c.step:
		c.trails[id] = append(c.trails[id], line)
		c.trails[id] = c.trails[id][max(len(c.trails[id])-trailBefore, 0):]
		c.last[id] = clone(e.Wave, c.last[id])
	case c.moment == nil:
		trail := append([]Line(nil), c.trails[id]...)
		c.id = id
		c.moment = &Moment{
			PC: e.PC, Inst: *e.Inst, Before: c.last[id], After: clone(e.Wave, nil), Access: *e.Access,
			Trail: append(trail, line), At: len(trail),
		}
	case id == c.id && len(c.moment.Trail)-c.moment.At <= trailAfter:
		c.moment.Trail = append(c.moment.Trail, line)
	case id == c.id || e.Wave.Group != c.id.group:
		c.stop()
	}
	c.n++
}

// clone copies a wave, into the storage of old if there is one.
func clone(w, old *state.Wave) *state.Wave {
	if old == nil {
		old = &state.Wave{}
	}
	v := old.V
	if len(v) != len(w.V) {
		v = make([]state.Lanes, len(w.V))
	}
	copy(v, w.V)
	*old = *w
	old.V = v
	return old
}

// shoot runs again up to step and a little further.
func shoot(ctx context.Context, run Run, step uint64) (*Moment, waveID) {
	short, cancel := context.WithCancel(ctx)
	defer cancel()
	c := camera{step: step, last: map[waveID]*state.Wave{}, trails: map[waveID][]Line{}, stop: cancel}
	_ = run(short, c.observe) // what it comes to is known from the first time
	return c.moment, c.id
}

// examine looks at step of both runs. found says that the actual run reached it; err is
// what that run came to.
func examine(ctx context.Context, want, got Run, step uint64, found bool, err error) (*Divergence, error) {
	d := &Divergence{Step: step}
	var id waveID
	if found {
		d.Got, id = shoot(ctx, got, step)
	} else {
		d.Err = err
	}
	if m, at := shoot(ctx, want, step); m != nil {
		d.Want, id = m, at
	}
	d.Group, d.Wave = id.group, id.wave
	if d.Want != nil && d.Got != nil {
		d.Diffs = differences(d.Want, d.Got)
	}
	return d, ctx.Err()
}
