package compare

import (
	"context"
	"fmt"

	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/state"
)

// Run runs something from its beginning with a watcher. [Diverge] calls it up to twice,
// and may cancel ctx when it has seen enough.
type Run func(ctx context.Context, w sim.Watcher) error

// Divergence is the first instruction after which two runs are not in the same state.
type Divergence struct {
	Step  uint64    // instructions of the wave before it; they agree
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
	Inst   isa.Inst
	Source string      // the line that it was compiled from, "" if that is not known
	Before *state.Wave // nil if it is the wave's first instruction
	After  *state.Wave
	Access state.Access
	Trail  []Line // instructions that the wave executed around it
	At     int    // index of the instruction in Trail
}

// Line is an instruction of a trail.
type Line struct {
	PC   uint64
	Inst isa.Inst
}

// trailBefore and trailAfter are how many instructions a trail has at most around the one
// that matters.
const trailBefore, trailAfter = 4, 2

// Diverge runs two programs at a time and compares their waves instruction by instruction:
// the next PC, the registers that are written, and what memory instructions do to memory. It
// returns the first instruction after which a wave differs, nil if there is none. Both runs
// must begin in the same state, code and buffers at the same addresses, each time they are
// called, and work-groups must run in the same order. The error comes from the expected run.
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
	case errs[1] != nil: // after the expected run's last instruction
		return &Divergence{Step: s.sides[0].received, Err: errs[1]}, nil //nolint:nilerr // it is the divergence
	}
	return nil, nil
}

// camera takes the moment of an instruction of a wave, and the trail around it.
type camera struct {
	id     waveID
	number uint64 // in the wave
	n      uint64 // instructions of the wave so far
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

// clone copies a wave.
func clone(w *state.Wave) *state.Wave {
	c := *w
	c.V = append([]state.Lanes(nil), w.V...)
	return &c
}

// shoot runs again up to an instruction of a wave and a little further.
func shoot(ctx context.Context, run Run, id waveID, number uint64) *Moment {
	short, cancel := context.WithCancel(ctx)
	defer cancel()
	c := camera{id: id, number: number, stop: cancel}
	_ = run(short, sim.Observer(c.observe)) // what it comes to is known from the first time
	return c.moment
}

// examine looks at where both runs part.
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
