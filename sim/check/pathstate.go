package check

import (
	"maps"
	"slices"

	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/sim/internal/registers"
	"github.com/gcnsim/gcnsim/state"
)

// flow is what is known at a place of the code on all paths that lead there: what may be outstanding and what M0
// may hold on any of them, what they have in common of constants.
type flow struct {
	live      []entry // since is negative: what each counter has added after the entry
	vccz      vccz
	constants map[reg]uint32 // also in lanes of VGPRs, see spillAt
	spilled   regset         // VGPRs that may have such lanes
	written   regset         // registers that some path has written
	m0        []m0Set
}

// m0Set is an instruction that may have set M0 last, to something that may bound LDS.
type m0Set struct {
	*site
	call *call // in which it was executed
}

// start returns what is known at the start of the kernel (rules ST11 and ST12).
func (p *paths) start() *flow {
	f := &flow{constants: map[reg]uint32{}}
	given := givenBy(p.kernel)
	for _, s := range given.scalars {
		for n := range s.count {
			f.written.add(registers.ScalarRegs + reg(s.first+n))
		}
	}
	for n := range given.workItems {
		f.written.add(reg(n))
	}
	f.written.add(registers.EXEC)
	f.written.add(registers.EXEC + 1)
	for r := registers.FlagRegs; r < registers.NumRegs; r++ {
		if r != registers.FlagRegs+reg(isa.FlagSCC) {
			f.written.add(r)
		}
	}
	return f
}

// returned returns f behind the call of a function of which nothing is known: the calling convention lets it wait
// for everything.
func (f *flow) returned() *flow {
	after := &flow{constants: map[reg]uint32{}}
	for i := range after.written {
		after.written[i] = ^uint64(0)
	}
	return after
}

// join adds what is known on another path to f, and reports whether that changes f.
func (b *block) join(other *flow) (changed bool) {
	f := &b.flow
	if !b.known {
		f.constants = maps.Clone(other.constants)
	}
	maps.DeleteFunc(f.constants, func(r reg, v uint32) bool {
		if now, ok := other.constants[r]; ok && now == v {
			return false
		}
		changed = true
		return true
	})
	for i := range f.written {
		changed = changed || other.written[i]&^f.written[i] != 0
	}
	f.written.union(&other.written)
	f.spilled.union(&other.spilled)
	for _, s := range other.m0 {
		if !slices.Contains(f.m0, s) {
			f.m0, changed = append(f.m0, s), true
		}
	}
	if f.vccz.worse(&other.vccz) {
		f.vccz, changed = other.vccz, true
	}
	for i := range other.live {
		if f.outstanding(other.live[i], b.start) {
			changed = true
		}
	}
	return changed
}

// worse reports whether more is wrong with VCCZ on another path.
func (v *vccz) worse(other *vccz) bool {
	return other.stale && (!v.stale || other.load && !v.load)
}

// outstanding adds e to what may be outstanding in the block at start, and reports whether that changes f: it
// does if e is not there, or if fewer instructions have followed it.
func (f *flow) outstanding(e entry, start uint64) bool {
	for i := range f.live {
		old := &f.live[i]
		if old.site != e.site || old.in != e.in || old.need != e.need || old.order != e.order || old.done != e.done ||
			old.freed != e.freed || old.apart != e.apart {
			continue
		}
		changed := false
		for k := range e.since {
			if e.since[k] > old.since[k] {
				old.since[k], changed = e.since[k], true
			}
		}
		if changed {
			old.via = &trail{e.via, start}
		}
		return changed
	}
	e.via = &trail{e.via, start}
	f.live = append(f.live, e)
	return true
}

// load makes the counters of the wave those at the beginning of b, and returns the rest of what is known there.
func (p *paths) load(b *block) *flow {
	q := &p.wave.counters
	q.reset()
	q.live = append(q.live, b.live...)
	q.settle()
	p.wave.vccz = b.vccz
	p.in, p.way, p.here = b.call, b.first, &trail{nil, b.start}
	return &flow{constants: maps.Clone(b.constants), spilled: b.spilled, written: b.written, m0: slices.Clone(b.m0)}
}

// store returns what is known at the end of the block at hand.
func (p *paths) store(now *flow) *flow {
	q := &p.wave.counters
	for i := range q.live {
		e := &q.live[i]
		for k := range e.since {
			e.since[k] = -q.younger(e, counter(k))
		}
		if e.via == nil {
			e.via = p.here
		}
	}
	now.live, now.vccz = slices.Clone(q.live), p.wave.vccz
	return now
}

// advance lets the wave execute x.
func (p *paths) advance(x *step, now *flow) {
	c := p.c
	if slices.Contains(c.analyses, &waits) {
		c.issueWaits(x)
		c.retireWaits(x)
	}
	if p.movesLanes(x) {
		for i := range p.wave.counters.live {
			p.wave.counters.live[i].apart = true
		}
	}
	now.written.union(x.writes)
	p.compute(x, now)
	if x.writes.has(registers.M0) {
		now.m0 = now.m0[:0]
		const wholeLDS = 1 << 16
		if v, known := now.constants[registers.M0]; !known || v < wholeLDS {
			now.m0 = append(now.m0, m0Set{x.site, p.in})
		}
	}
}

// movesLanes reports whether lanes that a scalar instruction gives EXEC may all be others than those before: they are
// neither a part of them, nor are those a part of them, nor are they what a register kept. It is found by executing x.
func (p *paths) movesLanes(x *step) bool {
	if x.vector || !x.writes.has(registers.EXEC) {
		return false
	}
	const before = 0x0f0f0f0f
	values := [...]uint32{0x33333333, 0x55555555}
	kept := []uint32{}
	for i := range x.effects {
		f := &x.effects[i]
		if first, n := registers.Span(f); !f.Write && f.File == isa.SReg && first != registers.EXEC {
			v := values[len(kept)%len(values)]
			kept = append(kept, v)
			for k := range n {
				p.wave.set(first+reg(k), v)
			}
		}
	}
	p.wave.SetExec(before<<32 | before)
	if !p.executes(p.wave.Wave, x.site) {
		return true
	}
	after := uint32(p.wave.Exec())
	p.wave.SetExec(state.FullExec)
	return after&^before != 0 && before&^after != 0 && !slices.Contains(kept, after)
}

// compute follows constants in scalar registers, and in lanes of VGPRs that keep scalar registers, through x, as far as
// it only computes.
func (p *paths) compute(x *step, now *flow) {
	values := now.constants
	r := (*isa.Inst)(x.Inst).Row()
	known := (r.Enc <= isa.SOPP || x.selects) && r.Imm != isa.HwregImm && !r.Has(isa.Jumps) && !r.Has(isa.WritesMODE) &&
		!x.moves
	lane := p.selected(x, now)
	for i := range x.effects {
		f := &x.effects[i]
		if f.Write || !known || x.selects && f.Field == isa.VDST { // the lanes that v_writelane_b32 keeps
			continue
		}
		first, n := registers.Span(f)
		for k := range n {
			at := constantAt(f, first+reg(k), lane)
			v, ok := values[at]
			known = known && ok
			p.wave.set(at, v)
		}
	}
	if known {
		p.wave.PC = x.PC + uint64(x.Inst.Size)
		known = p.executes(p.wave.Wave, x.site)
	}
	for i := range x.effects {
		f := &x.effects[i]
		if first, n := registers.Span(f); f.Write {
			for k := range n {
				p.writeConstant(constantAt(f, first+reg(k), lane), known, now)
			}
		}
	}
	if x.writes.has(registers.EXEC) {
		p.wave.SetExec(state.FullExec)
	}
}

// writeConstant keeps the value that an instruction has left at at, or forgets the one before if it is not known.
func (p *paths) writeConstant(at reg, known bool, now *flow) {
	if v, ok := p.wave.get(at); known && ok {
		now.constants[at] = v
		if at >= registers.NumRegs {
			now.spilled.add((at - registers.NumRegs) / state.NumLanes)
		}
		return
	}
	delete(now.constants, at)
	if at < registers.ScalarRegs && now.spilled.has(at) {
		for lane := range state.NumLanes {
			delete(now.constants, spillAt(at, lane))
		}
	}
}

// selected returns the lane that an operand of x selects, [state.NoLane] if it is not known or there is none.
func (p *paths) selected(x *step, now *flow) int {
	if !x.selects {
		return state.NoLane
	}
	for i := range x.effects {
		f := &x.effects[i]
		if f.Write || f.Role != isa.RoleLane {
			continue
		}
		first, _ := registers.Span(f)
		v, ok := now.constants[first]
		if !ok {
			return state.NoLane
		}
		p.wave.set(first, v)
	}
	return registers.SelectedLane(p.wave.Wave, (*isa.Inst)(x.Inst))
}

// spillAt is where the constants of a flow have a lane of a VGPR.
func spillAt(r reg, lane int) reg { return registers.NumRegs + r*state.NumLanes + reg(lane) }

// constantAt is where the constants of a flow have register r of f, of which an instruction with one lane uses that.
func constantAt(f *isa.Effect, r reg, lane int) reg {
	if f.File == isa.VReg && f.Lanes == isa.SelectLane && lane != state.NoLane {
		return spillAt(r, lane)
	}
	return r
}

const scc = registers.FlagRegs + reg(isa.FlagSCC)

// set gives a scalar register, SCC or the lane of a VGPR a value.
func (w *wave) set(r reg, v uint32) {
	switch {
	case r >= registers.NumRegs:
		w.V[(r-registers.NumRegs)/state.NumLanes][(r-registers.NumRegs)%state.NumLanes] = v
	case r == scc:
		w.SCC = v
	case r >= registers.ScalarRegs && r < registers.FlagRegs:
		w.S[r-registers.ScalarRegs] = v
	}
}

// get returns the value of a scalar register, SCC or the lane of a VGPR; ok is false of others.
func (w *wave) get(r reg) (v uint32, ok bool) {
	switch {
	case r >= registers.NumRegs:
		return w.V[(r-registers.NumRegs)/state.NumLanes][(r-registers.NumRegs)%state.NumLanes], true
	case r == scc:
		return w.SCC, true
	case r >= registers.ScalarRegs && r < registers.FlagRegs && r&^1 != registers.EXEC:
		return w.S[r-registers.ScalarRegs], true
	}
	return 0, false
}

// target is where a jump goes, as far as it is known.
type target struct {
	pc    uint64
	known bool
}

// target returns the target of a jump by the pair of scalar registers from code on.
func (f *flow) target(code uint32) target {
	lo, ok := f.constants[registers.ScalarRegs+reg(code)]
	hi, too := f.constants[registers.ScalarRegs+reg(code)+1]
	return target{uint64(hi)<<32 | uint64(lo), ok && too}
}
