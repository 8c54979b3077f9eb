package check

import (
	"maps"
	"slices"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/sim/registers"
	"github.com/gcnsim/gcnsim/sim/check/internal/exact"
	"github.com/gcnsim/gcnsim/state"
)

// flow is the state at a point of the code, combined over all paths to it: outstanding instructions and settings of
// M0 of any path, and constants that all paths have in common.
type flow struct {
	live    []entry // since is negative: the increments of each counter after the entry
	vccz    vccz
	values  exact.Registers
	kept    map[reg]exact.Word // values of lanes of VGPRs, see spillAt, and the state of GPR indexing
	spilled regset             // VGPRs that may have such lanes
	written regset             // registers that some path has written
	apertures
	m0 []m0Set
}

// m0Set is an instruction that may have set M0 last, to a value that may limit LDS.
type m0Set struct {
	*site
	call *call // call in which it was executed
}

// start returns the state at the start of the kernel (rules ST11 and ST12).
func (p *paths) start() *flow {
	f := &flow{kept: map[reg]exact.Word{indexingOn: exact.Zero}}
	p.given(&f.values)
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

// returned returns f after the call of an unknown function. By the calling convention it may have waited for
// everything.
func (p *paths) returned(f *flow) *flow {
	after := &flow{kept: map[reg]exact.Word{indexingOn: exact.Zero},
		apertures: f.apertures}
	after.values.SetMask(registers.EXEC, p.words.Mask(&f.values, registers.EXEC))
	for i := range after.written {
		after.written[i] = ^uint64(0)
	}
	return after
}

// join combines b's initial state with other, the state at the end of from, which may be nil. It reports whether that
// changes b.
func (b *block) join(w *exact.Words, from *block, other *flow) (changed bool) {
	f := &b.flow
	b.came[from] = other
	changed = b.joinValues(w)
	for i := range f.written {
		changed = changed || other.written[i]&^f.written[i] != 0
	}
	f.written.union(&other.written)
	f.spilled.union(&other.spilled)
	if !b.known {
		f.apertures = other.apertures
	}
	changed = f.join(&other.apertures) || changed
	for _, s := range other.m0 {
		if !slices.Contains(f.m0, s) {
			f.m0, changed = append(f.m0, s), true
		}
	}
	if f.vccz.worse(&other.vccz) {
		f.vccz, changed = other.vccz, true
	}
	for i := range other.live {
		if b.outstanding(other.live[i]) {
			changed = true
		}
	}
	return changed
}

// joinValues keeps the values that all known paths to b have in common, and reports whether they have changed. After
// many visits values can only be removed, so that the iteration ends.
func (b *block) joinValues(w *exact.Words) (changed bool) {
	const most = 32
	b.joins++
	values, kept := b.values, maps.Clone(b.kept)
	if b.joins <= most {
		out := b.came[b.first.from()]
		b.values, b.kept = out.values, maps.Clone(out.kept)
		b.values.At = b.place
	}
	for _, out := range b.came {
		w.Join(&b.values, &out.values)
		maps.DeleteFunc(b.kept, func(r reg, v exact.Word) bool {
			other, ok := out.kept[r]
			return !ok || other != v
		})
	}
	return b.values != values || !maps.Equal(b.kept, kept)
}

// worse reports whether VCCZ may be more stale on another path.
func (v *vccz) worse(other *vccz) bool {
	return other.stale && (!v.stale || other.load && !v.load)
}

// outstanding adds e to the outstanding instructions of b. It reports whether that changes b, which is the case if e
// is new, or if fewer instructions have followed it.
func (b *block) outstanding(e entry) bool {
	for i := range b.live {
		old := &b.live[i]
		if old.site != e.site || old.in != e.in || old.need != e.need || old.order != e.order || old.done != e.done ||
			old.freed != e.freed || old.mask != e.mask || old.apart != e.apart {
			continue
		}
		changed := false
		for i := range e.noted {
			changed = changed || old.noted[i] && !e.noted[i]
			old.noted[i] = old.noted[i] && e.noted[i]
		}
		for k := range e.since {
			if e.since[k] > old.since[k] {
				old.since[k], changed = e.since[k], true
			}
		}
		if changed {
			old.via = &trail{e.via, b}
		}
		return changed
	}
	e.via = &trail{e.via, b}
	b.live = append(b.live, e)
	return true
}

// load sets the wave's counters to those at the start of b, and returns the rest of the state there.
func (p *paths) load(b *block) *flow {
	q := &p.wave.counters
	q.reset()
	q.live = append(q.live, b.live...)
	q.settle()
	p.wave.vccz = b.vccz
	p.in, p.way, p.here = b.call, b.first, &trail{nil, b}
	return &flow{values: b.values, kept: maps.Clone(b.kept), spilled: b.spilled, written: b.written,
		m0: slices.Clone(b.m0), apertures: b.apertures}
}

// store returns the state at the end of the current block.
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

// advance executes x on the wave.
func (p *paths) advance(x *step, now *flow) {
	c := p.c
	if p.visits != nil && slices.Contains(c.analyses, &waits) { // the values are known in this phase
		c.issueWaits(x)
		c.retireWaits(x)
	}
	now.written.union(x.writes)
	before := now.values
	p.compute(x, now)
	if x.writes.has(registers.EXEC) && p.movesLanes(x, &before, now) {
		for i := range p.wave.counters.live {
			p.wave.counters.live[i].apart = true
		}
	}
	now.follow(x, p.readsAperture(x, now))
	if x.writes.has(registers.M0) {
		now.m0 = now.m0[:0]
		const wholeLDS = 1 << 16
		if v, known := p.words.Number(p.words.Get(&now.values, registers.M0)); !known || v < wholeLDS {
			now.m0 = append(now.m0, m0Set{x.site, p.in})
		}
	}
}

// movesLanes reports whether x may change EXEC to completely different lanes: neither mask includes the other, and no
// register kept the new one.
func (p *paths) movesLanes(x *step, before *exact.Registers, now *flow) bool {
	w := p.words
	after := w.KnownMask(w.Mask(&now.values, registers.EXEC))
	for i := range x.effects {
		f := &x.effects[i]
		if first, n := registers.Span(f); !f.Write && f.File == isa.SReg && n == 2 &&
			w.KnownMask(w.Mask(before, first.Canonical(x.sgprs))) == after {
			return false
		}
	}
	return !w.Within(after, p.mask) && !w.Within(p.mask, after)
}

// compute updates values after x, including lanes of VGPRs that store scalar registers.
func (p *paths) compute(x *step, now *flow) {
	lane, from := p.selected(x, now), byteRange{}
	if x.wait.path == pathScalar && (*isa.Inst)(x.Inst).Row().Mem.Op == gcn.Load {
		from = p.bytesOf(x, now)
	}
	if !x.shifted {
		p.words.Execute(x.exact(), &now.values)
	}
	if p.words.Mask(&now.values, registers.EXEC) == everyLane {
		now.values.SetMask(registers.EXEC, exact.Mask{exact.All, exact.All})
	}
	p.loadArguments(x, from, now)
	for r, f := range eachRegister(x.effects) {
		switch {
		case !f.Write && f.Lanes == isa.SelectLane && f.File == isa.VReg && f.Field != isa.VDST:
			if v, ok := now.kept[spillAt(r, lane)]; ok && lane != state.NoLane {
				now.values.Set((registers.ScalarRegs + reg((*isa.Inst)(x.Inst).Get(isa.VDST))).Canonical(x.sgprs), v)
			}
		case f.Write && f.File == isa.VReg:
			p.spill(x, f, r, lane, now)
		}
		if f.Write && x.shifted {
			now.values.Set(r.Canonical(x.sgprs), p.words.Named(namedHere, now.values.At, x.PC, uint64(r)))
		}
	}
	p.followIndexing(x, now)
}

// readsAperture reports whether x writes the high half of LDS addresses to a register.
func (p *paths) readsAperture(x *step, now *flow) bool {
	base := p.words.Constant(isa.TraitsOf(x.Inst.Target).SharedBase)
	for r, f := range eachRegister(x.effects) {
		if f.Write && r < registers.FlagRegs && p.get(x, now, r) == base {
			return true
		}
	}
	return false
}

// namedHere is the first part of names of words that are not made by the evaluator.
const namedHere = 1 << 32

// spill records the value that x writes to a lane of VGPR r, and forgets overwritten ones.
func (p *paths) spill(x *step, f *isa.Effect, r reg, lane int, now *flow) {
	if f.Lanes == isa.SelectLane && lane != state.NoLane && !x.shifted {
		now.kept[spillAt(r, lane)] = p.source(x, now)
		now.spilled.add(r)
		return
	}
	for lane := range state.NumLanes {
		if now.spilled.has(r) {
			delete(now.kept, spillAt(r, lane))
		}
	}
}

// source returns the value of x's SRC0, a scalar register or a constant.
func (p *paths) source(x *step, now *flow) exact.Word {
	code := (*isa.Inst)(x.Inst).Get(isa.SRC0)
	if code < isa.NumScalarCodes && code <= gcn.EXEC+1 {
		return p.words.Get(&now.values, (registers.ScalarRegs + reg(code)).Canonical(x.sgprs))
	}
	return p.words.Constant(executor.Source(p.wave.Wave, code, (*isa.Inst)(x.Inst).Get(isa.LITERAL)))
}

// selected returns the lane that an operand of x selects, or [state.NoLane] if it is unknown or there is none.
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
		v, ok := p.number(now, first)
		if !ok {
			return state.NoLane
		}
		p.wave.S[first-registers.ScalarRegs] = v
	}
	return registers.SelectedLane(p.wave.Wave, (*isa.Inst)(x.Inst))
}

// number returns the constant in a register. ok is false if its value is not constant.
func (p *paths) number(now *flow, r reg) (n uint32, ok bool) {
	return p.words.Number(p.words.Known(p.words.Get(&now.values, r.Canonical(p.kernel.SGPRs))))
}

// spillAt is the index of a VGPR's lane among the values of a flow.
func spillAt(r reg, lane int) reg { return registers.NumRegs + r*state.NumLanes + reg(lane) }

const scc = registers.FlagRegs + reg(isa.FlagSCC)

// targets returns the targets of a jump through the pair of scalar registers from code on: each address that they may
// have. It is nil if these are unknown or have several high halves.
func (p *paths) targets(now *flow, code uint32) (all []uint64) {
	known, halves := true, [2][]uint64{}
	for i := range halves {
		r := (registers.ScalarRegs + reg(code) + reg(i)).Canonical(p.kernel.SGPRs)
		p.words.Choices(p.words.Get(&now.values, r), func(a exact.Word) {
			n, ok := p.words.Number(a)
			known, halves[i] = known && ok, append(halves[i], uint64(n))
		})
	}
	if !known || len(halves[1]) != 1 {
		return nil
	}
	for _, low := range halves[0] {
		all = append(all, halves[1][0]<<32|low)
	}
	return all
}
