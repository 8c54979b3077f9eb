package sim

import (
	"math"
	"slices"

	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/sim/steps"
	"github.com/gcnsim/gcnsim/state"
)

// directed implements [steps.Group]: a work-group that a director drives.
type directed struct {
	r     *runner
	waves []*state.Wave
	at    round
	sync  executor.Sync // used if the run has none of its own
}

// drive lets the director of r drive a work-group.
func (r *runner) drive(waves []*state.Wave) error {
	flags, unseen := r.flags, r.ports.Unseen
	r.flags, r.ports.Unseen = flags|visible, false // execute instructions one by one, with their access records
	defer func() { r.flags, r.ports.Unseen, r.sliceCut = flags, unseen, 0 }()
	return r.director.Direct(&directed{r: r, waves: waves})
}

// Number implements [steps.Group].
func (g *directed) Number() (n, total int64) { return g.r.number, max(g.r.total, 1) }

// Waves implements [steps.Group].
func (g *directed) Waves() []*state.Wave { return g.waves }

// Access implements [steps.Group].
func (g *directed) Access() *state.Access { return &g.r.access }

// Turn implements [steps.Group].
func (g *directed) Turn() (*state.Wave, error) {
	for {
		if w := g.at.wave(g.r, g.waves); w != nil && !w.Ended && !w.AtBarrier {
			return w, nil
		} else if w != nil {
			g.at.pass(g.r, w, false)
			continue
		}
		if done, err := g.r.endRound(&g.at, g.waves); done || err != nil {
			return nil, err
		}
	}
}

// Step implements [steps.Group].
func (g *directed) Step() (executed bool, err error) {
	r, w := g.r, g.at.wave(g.r, g.waves)
	defer func() {
		if v := recover(); v != nil {
			err = r.internal(v)
		}
	}()
	before := w.Executed
	r.sliceCut = slice - 1
	if f := r.run(w); f != nil {
		return false, f
	}
	if err := r.ctx.Err(); err != nil {
		return false, err
	}
	executed = w.Executed != before
	if g.at.used++; !executed || w.Ended || w.AtBarrier || g.at.used >= g.at.length {
		g.at.pass(r, w, executed || w.Ended)
	}
	return executed, nil
}

// Inst implements [steps.Group].
func (g *directed) Inst(pc uint64) (in isa.Inst, ok bool) {
	for _, p := range g.r.code {
		if p.contains(pc) && pc&3 == 0 {
			in, ok := p.Inst(pc)
			return isa.Inst(in), ok
		}
	}
	return isa.Inst{}, false
}

// Storage implements [steps.Group].
func (g *directed) Storage() (lds, gds, private []byte, base uint64) {
	p := &g.r.ports
	if v, ok := p.Mem.(*view); ok && v.scratch != nil {
		private, base = v.scratch.Bytes[:v.scratch.Hi], v.scratch.Base
	}
	return p.LDS.Bytes[:p.LDS.Hi], p.GDS.Bytes[:p.GDS.Hi], private, base
}

// rest is the part of a saved state that belongs to the run loop.
type rest struct {
	at    round
	order order
	sync  executor.Sync
}

func (g *directed) syncs() *executor.Sync {
	if s := g.r.ports.Sync; s != nil {
		return s
	}
	return &g.sync
}

// Save implements [steps.Group].
func (g *directed) Save(last *steps.State) *steps.State {
	if last == nil {
		last = &steps.State{}
	}
	s := &steps.State{Pages: map[uint64][]steps.Page{}, Rest: rest{g.at, g.r.order, *g.syncs()}}
	for e := range g.r.memory.list().From(0) {
		if e.Value.Seal != executor.Unbound {
			s.Pages[e.Lo] = steps.Copy(spanBytes(e.Value), last.Pages[e.Lo])
		}
	}
	lds, gds, private, _ := g.Storage()
	for i, b := range [...][]byte{lds, gds, private} {
		s.Sundry[i] = steps.Copy(b, last.Sundry[i])
	}
	for _, w := range g.waves {
		v := *w
		v.V = slices.Clone(w.V)
		v.Messages, v.Exports = slices.Clip(w.Messages), slices.Clip(w.Exports)
		s.Waves = append(s.Waves, v)
	}
	return s
}

func spanBytes(s *executor.Span) []byte { return s.Bytes[s.Lo:s.Hi] }

// Load implements [steps.Group].
func (g *directed) Load(s *steps.State) {
	for e := range g.r.memory.list().From(0) {
		if pages, there := s.Pages[e.Lo]; there {
			steps.Restore(spanBytes(e.Value), pages)
		}
	}
	lds, gds, private, _ := g.Storage()
	for i, b := range [...][]byte{lds, gds, private} {
		steps.Restore(b, s.Sundry[i])
	}
	for i, w := range g.waves {
		v := w.V
		if n := len(s.Waves[i].V) - len(v); n > 0 {
			v = append(v, make([]state.Lanes, n)...)
		}
		*w = s.Waves[i]
		clear(v[copy(v, w.V):])
		w.V = v
	}
	rest := s.Rest.(rest) //nolint:forcetypeassert // Save made it
	g.at, g.r.order, *g.syncs() = rest.at, rest.order, rest.sync
}

// undirected reports whether the director leaves work-group n alone. The answer holds for all work-groups before
// until. skipped tells that work-group n does not execute at all.
func (r *runner) undirected(n int64) (until int64, skipped, alone bool) {
	if r.director == nil {
		return math.MaxInt64, false, true
	}
	skip, from := r.director.From()
	switch {
	case n < skip:
		return skip, true, true
	case n < from:
		return from, false, true
	}
	return n, false, false
}
