package compare

import (
	"context"
	"fmt"

	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/state"
)

// Run executes a program from its beginning with a watcher. [Diverge] calls it up to twice, and may
// cancel ctx when it needs no more events.
type Run func(ctx context.Context, w sim.Watcher) error

// Divergence is the first instruction after which two runs have different states.
type Divergence struct {
	Step  uint64    // number of instructions of the wave before it, all equal
	Group [3]uint32 // work-group of the wave
	Wave  int       // number of the wave in its work-group
	// Want and Got are the instruction in the two runs. One of them is nil if its run stopped before the instruction.
	Want, Got *Moment
	Err       error  // error that stopped the actual run, nil if it ended normally
	Diffs     []Diff // values that differ: the PC first, then memory, then registers
}

// Moment is one executed instruction.
type Moment struct {
	PC     uint64
	Inst   isa.Inst
	Source string      // source line, "" if it is unknown
	Before *state.Wave // state before it, nil for the wave's first instruction
	After  *state.Wave
	Access state.Access
	Trail  []Line // instructions of the wave before and after it
	At     int    // index of the instruction in Trail
}

// Line is an instruction of a trail.
type Line struct {
	PC   uint64
	Inst isa.Inst
}

// trailBefore and trailAfter are the maximum numbers of instructions in a trail before and after the
// instruction of the Moment.
const trailBefore, trailAfter = 4, 2

// Diverge runs two programs side by side and compares their waves instruction by instruction: the next PC,
// the written registers, and the effects on memory. It returns the first instruction after which a wave
// differs, or nil if no wave differs. Each call of want and got must begin in the same state, with code and
// buffers at the same addresses, and must run work-groups in the same order. The error comes from the
// expected run, want.
func Diverge(ctx context.Context, want, got Run) (*Divergence, error) {
	var first *parting
	s := streams{found: func(p *parting) bool {
		first = p
		return true
	}}
	errs, ended := s.run(ctx, want, got)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case ended && errs[0] != nil:
		return nil, fmt.Errorf("the expected run: %w", errs[0])
	case first != nil:
		d, err := examine(ctx, [2]Run{want, got}, first)
		if d != nil && d.Got == nil {
			d.Err = errs[1]
		}
		return d, err
	case errs[1] != nil: // the actual run failed after the last instruction of the expected run
		return &Divergence{Step: s.sides[0].received, Err: errs[1]}, nil //nolint:nilerr // part of the divergence
	}
	return nil, nil
}

// camera records the Moment of one instruction of a wave.
type camera struct {
	id     waveID
	number uint64 // number of the instruction in the wave
	n      uint64 // number of instructions of the wave so far
	last   *state.Wave
	trail  []Line
	moment *Moment
	stop   context.CancelFunc
}

func (c *camera) observe(e *sim.Event) {
	if (waveID{e.Wave.Group, e.Wave.ID}) != c.id {
		if c.moment != nil && e.Wave.Group != c.id.group {
			c.stop()
		}
		return
	}
	switch line := (Line{e.PC, isa.Inst(*e.Inst)}); {
	case c.n < c.number:
		c.trail = append(c.trail, line)
		c.trail = c.trail[max(len(c.trail)-trailBefore, 0):]
		if c.n+1 == c.number {
			c.last = clone(e.Wave)
		}
	case c.moment == nil:
		c.moment = &Moment{
			PC: e.PC, Inst: isa.Inst(*e.Inst), Source: e.Program.Source(e.PC), Before: c.last, After: clone(e.Wave),
			Access: *e.Access,
			Trail:  append(c.trail, line), At: len(c.trail),
		}
	case len(c.moment.Trail)-c.moment.At <= trailAfter:
		c.moment.Trail = append(c.moment.Trail, line)
	default:
		c.stop()
	}
	c.n++
}

// clone returns a deep copy of a wave.
func clone(w *state.Wave) *state.Wave {
	c := *w
	c.V = append([]state.Lanes(nil), w.V...)
	return &c
}

// shoot executes run again, until shortly after an instruction of a wave, and returns the Moment of the instruction.
func shoot(ctx context.Context, run Run, id waveID, number uint64) *Moment {
	short, cancel := context.WithCancel(ctx)
	defer cancel()
	c := camera{id: id, number: number, stop: cancel}
	_ = run(short, sim.Observer(c.observe)) // the first run has returned the error
	return c.moment
}

// examine returns the divergence at the instruction where both runs differ.
func examine(ctx context.Context, runs [2]Run, p *parting) (*Divergence, error) {
	d := &Divergence{Step: p.agreed, Group: p.id.group, Wave: p.id.wave}
	for i, m := range []**Moment{&d.Want, &d.Got} {
		if p.there[i] {
			*m = shoot(ctx, runs[i], p.id, p.at[i])
		}
	}
	if d.Want != nil && d.Got != nil {
		d.Diffs = differences(d.Want, d.Got)
	}
	return d, ctx.Err()
}
