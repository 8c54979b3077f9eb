package compare

import (
	"cmp"
	"slices"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/internal/base/simd"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/sim/registers"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/state"
)

// This file searches for the first instruction whose result differs, for two programs with mostly
// the same instructions.

// maxPartings is the maximum number of waves with differences that are examined.
const maxPartings = 256

// first runs both programs in lock step and sets the culprit of the difference.
func (c *inquiry) first() error {
	var all []*parting
	s := streams{align: c.aligned, found: func(p *parting) bool {
		all = append(all, p)
		return len(all) == maxPartings
	}}
	errs, ended := s.run(c.ctx, c.setups[0].watch, c.setups[1].watch)
	if c.ctx.Err() != nil {
		return c.ctx.Err()
	}
	if ended {
		all = append(all, faulted(&s, errs)...)
		if errs != [2]error{} { // the fault may have stopped other waves
			all = slices.DeleteFunc(all, func(p *parting) bool { return p.there[0] != p.there[1] && p.faults == [2]bool{} })
		}
	}
	if len(all) == 0 {
		c.note("no instruction that both programs have gives another result; what differs is in instructions that one " +
			"of them alone has")
		return nil
	}
	favoured := c.favoured()
	rank := func(p *parting) int {
		switch {
		case slices.Contains(favoured, p.id):
			return 0
		case slices.ContainsFunc(favoured, func(w waveID) bool { return w.group == p.id.group }):
			return 1
		}
		return 2
	}
	slices.SortStableFunc(all, func(a, b *parting) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)))
	})
	best := all[0]
	for _, p := range all {
		if _, memory := c.blame(p); !memory {
			best = p
			break
		}
	}
	d, err := examine(c.ctx, [2]Run{c.setups[0].watch, c.setups[1].watch}, best)
	if err != nil {
		return err
	}
	places, memory := c.blame(best)
	if memory {
		c.note("the first result that differs is that of a load, whose address agrees: which instruction stored what it " +
			"loads was not found")
	}
	for i, at := range places {
		if at == nil {
			continue
		}
		moment := [2]*Moment{d.Want, d.Got}[i]
		if moment == nil || at.n != best.at[i] {
			moment = shoot(c.ctx, c.setups[i].watch, best.id, at.n)
		}
		c.d.Culprit[i] = c.culprit(i, best, at, moment, d.Diffs)
	}
	return c.ctx.Err()
}

// faulted returns the waves that agree up to an instruction that faults in one run.
func faulted(s *streams, errs [2]error) (all []*parting) {
	for i, err := range errs {
		f, ok := err.(*state.Fault) //nolint:errorlint // runs return the error without a wrapper
		if !ok {
			continue
		}
		id := waveID{f.Group, f.Wave}
		w := s.waves[id]
		if w == nil {
			w = &progress{parting: parting{id: id}}
		}
		if w.parted {
			continue
		}
		known := slices.Contains(s.reported, &w.parting)
		w.there[i], w.pc[i], w.faults[i] = false, f.PC, true
		if !known {
			all = append(all, &w.parting)
		}
	}
	return all
}

// favoured returns the waves that stored the element or faulted.
func (c *inquiry) favoured() (all []waveID) {
	for i := range c.setups {
		if f := c.all[i].fault; f != nil {
			all = append(all, waveID{f.Group, f.Wave})
		}
	}
	for _, s := range c.slicers {
		if s != nil && len(s.nodes) > 0 {
			all = append(all, waveID{s.nodes[0].group, s.nodes[0].wave})
		}
	}
	return all
}

// blame returns the instruction that causes the difference of a wave, in both programs. at[i] is nil if program i
// does not have the instruction. memory is true if the instruction loads or updates memory, so that another
// instruction may have stored the wrong value.
func (c *inquiry) blame(p *parting) (at [2]*numbered, memory bool) {
	for i := range at {
		if p.there[i] || p.faults[i] {
			at[i] = &numbered{p.pc[i], p.at[i]}
		}
	}
	switch {
	case p.faults != [2]bool{}:
		return c.blameFault(p, at), false
	case !p.same:
		return c.blameWay(p, at), false
	}
	x, ok := c.inst(0, p.pc[0])
	y, also := c.inst(1, p.pc[1])
	if !ok || !also || x.Words != y.Words || x.Op != y.Op {
		return at, false
	}
	if gap := c.lastGap(p, &x); gap != nil {
		return *gap, false
	}
	if r := c.lastRenamed(p, &x); r != nil {
		return *r, false
	}
	return at, x.Row().Mem.Op == gcn.Load || x.Row().Mem.Op == gcn.Atomic
}

// blameFault is blame for a wave that faulted. at has the instruction that faulted.
func (c *inquiry) blameFault(p *parting, at [2]*numbered) [2]*numbered {
	i := 0
	if p.faults[1] {
		i = 1
	}
	if in, ok := c.inst(i, p.pc[i]); ok {
		if gap := c.lastGap(p, &in); gap != nil {
			return *gap
		}
	}
	return at
}

// blameWay is blame for a wave that continues at different instructions, at. The cause is an instruction before
// them.
func (c *inquiry) blameWay(p *parting, at [2]*numbered) [2]*numbered {
	if gap := c.lastGap(p, nil); gap != nil {
		return *gap
	}
	if at[0] == nil || at[1] == nil || p.agreed == 0 {
		return at
	}
	return [2]*numbered{&p.before[0], &p.before[1]}
}

// lastGap returns the latest instruction before p that only one program has. If in is not nil, the
// instruction must write a register that in reads.
func (c *inquiry) lastGap(p *parting, in *isa.Inst) *[2]*numbered {
	var reads []isa.Effect
	if in != nil {
		reads = in.Effects(nil)
	}
	var best *[2]*numbered
	latest := uint64(0)
	for i := range p.gaps {
		for _, g := range slices.Backward(p.gaps[i]) {
			x, ok := c.inst(i, g.pc)
			if !ok || in != nil && !feeds(&x, reads) {
				continue
			}
			if distance := p.at[i] - g.n; best == nil || distance < latest {
				latest, best = distance, &[2]*numbered{}
				best[i] = &numbered{g.pc, g.n}
			}
			break
		}
	}
	return best
}

// lastRenamed returns the latest pair of instructions before p that write different registers, if only one of
// the registers is a source of in.
func (c *inquiry) lastRenamed(p *parting, in *isa.Inst) *[2]*numbered {
	reads := in.Effects(nil)
	for _, pair := range slices.Backward(p.renamed) {
		x, ok := c.inst(0, pair[0].pc)
		y, also := c.inst(1, pair[1].pc)
		if ok && also && feeds(&x, reads) != feeds(&y, reads) {
			return &[2]*numbered{&pair[0], &pair[1]}
		}
	}
	return nil
}

// feeds reports whether in writes a register that one of the effects reads reads.
func feeds(in *isa.Inst, reads []isa.Effect) bool {
	for _, w := range in.Effects(nil) {
		for _, r := range reads {
			if w.Write && !r.Write {
				a, n := registers.Span(&w)
				b, m := registers.Span(&r)
				if a < b+reg(m) && b < a+reg(n) {
					return true
				}
			}
		}
	}
	return false
}

// inst returns the instruction at pc of program i.
func (c *inquiry) inst(i int, pc uint64) (isa.Inst, bool) {
	for _, p := range c.code[i] {
		if in, ok := p.Inst(pc); ok {
			return isa.Inst(in), true
		}
	}
	return isa.Inst{}, false
}

// program returns the program that contains pc in run i.
func (c *inquiry) program(i int, pc uint64) *sim.Program {
	for _, p := range c.code[i] {
		if pc >= p.Base && pc < p.End {
			return p
		}
	}
	return nil
}

// culprit makes a Step of the instruction that causes diffs.
func (c *inquiry) culprit(i int, p *parting, at *numbered, m *Moment, diffs []Diff) *Step {
	s := &Step{
		PC: c.all[i].session.inFile(at.pc), Group: p.id.group, Wave: p.id.wave, Index: at.n, Parts: true, Lane: state.NoLane,
		Symbol: c.program(i, at.pc).Symbol(at.pc), Source: c.program(i, at.pc).Source(at.pc),
	}
	in, ok := c.inst(i, at.pc)
	if !ok {
		return s
	}
	site := site{pc: at.pc, inst: in, effects: in.Effects(nil)}
	s.Text = site.text()
	if m == nil || m.PC != at.pc {
		return s
	}
	s.Lane = simd.FirstLane(m.After.Exec())
	for _, diff := range diffs {
		if diff.Lanes != 0 && !diff.mask() {
			s.Lane = simd.FirstLane(diff.Lanes)
			break
		}
	}
	s.Item = c.all[i].session.item(s.Group, s.Wave, s.Lane)
	if m.Before != nil {
		s.Reads = operands(m.Before, &in, site.effects, s.Lane, false)
	}
	s.Writes = operands(m.After, &in, site.effects, s.Lane, true)
	return s
}
