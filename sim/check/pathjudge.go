package check

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/sim/registers"
	"github.com/gcnsim/gcnsim/internal/tool/plural"
	"github.com/gcnsim/gcnsim/sim/check/internal/exact"
	"github.com/gcnsim/gcnsim/state"
)

// judge looks for findings, after the initial state of each block is known.
func (p *paths) judge() {
	v := &values{p, map[exact.Word]generic{}}
	for _, b := range p.order {
		now := p.load(b)
		exec := func() { b.masks = append(b.masks, p.words.Mask(&now.values, registers.EXEC)) }
		p.each(b, func(x *step) {
			exec()
			p.choose(x, now)
			v.meet(x, now)
			v.judgeStack(x, now)
			p.judgeWritten(x, now)
			p.judgeM0(x, now)
			p.judgeBarrier(x, b)
			p.advance(x, now)
			b.setsExec = b.setsExec || x.writes.has(registers.EXEC)
		})
		exec()
		if p.c.has(WaitState) {
			p.judgeStates(b)
		}
	}
	p.judgeLanes()
	p.judgeMerges()
	v.judgeSpaces()
	p.tellDoubts()
}

// judgeWritten reports registers that x uses and that no path has written.
func (p *paths) judgeWritten(x *step, now *flow) {
	if !p.c.has(Uninit) {
		return
	}
	for i := range x.effects {
		f := &x.effects[i]
		u, _ := x.useOf(f)
		if f.Write || u == noUse || uses[u].severity != Error || x.oneOf(f) {
			continue
		}
		first, n := registers.Span(f)
		for k := range n {
			if r := (first + reg(k)).Canonical(x.sgprs); !now.written.has(r) {
				p.c.use(x, u, found{r, state.NoLane, neverWritten(r)}, f)
				now.written.add(r)
				break
			}
		}
	}
}

// judgeM0 reports LDS accesses with an M0 that a function called earlier has left (rule DS3).
func (p *paths) judgeM0(x *step, now *flow) {
	if !p.c.has(StaleM0) || !isa.TraitsOf(x.Inst.Target).LDSLimitM0 || x.Inst.Enc != isa.DS {
		return
	}
	limit := slices.ContainsFunc(x.effects, func(f isa.Effect) bool { return !f.Write && f.Role == isa.RoleLimit })
	for _, s := range now.m0 {
		if !limit || s.call == p.in || s.call == nil {
			continue
		}
		f := x.first(defect{kind: StaleM0, reg: "m0", rule: "DS3", from: s.site})
		if f == nil {
			continue
		}
		f.Severity = Warning
		if len(now.m0) == 1 {
			f.Severity = Error
		}
		at := s.place(x.Wave, 0)
		f.Producer = &at
		f.message = say("M0 bounds LDS here, and a function that was called has set it: %v", s.named())
		f.fix = say("s_mov_b32 m0, -1 before %v", pc(x.PC))
	}
}

// judgeBarrier reports a barrier that a wave skips if none of its lanes takes a branch.
func (p *paths) judgeBarrier(x *step, b *block) {
	if !x.wait.barrier || !p.c.has(SkippedBarrier) || p.oneWave() {
		return
	}
	from := p.skips(b)
	if from == nil {
		return
	}
	if f := x.first(defect{kind: SkippedBarrier, from: from}); f != nil {
		at := from.place(x.Wave, 0)
		f.Producer = &at
		f.message = say("waves in which no lane is active behind %v do not come to this barrier: the others wait for ever "+
			"unless all waves of a work-group do the same", from.named())
	}
}

// oneWave reports whether a work-group has only one wave, for which barriers have no effect.
func (p *paths) oneWave() bool {
	g := p.kernel.ReqdGroupSize
	return g[0] != 0 && g[0]*g[1]*g[2] <= state.NumLanes
}

// skips returns a branch on EXECZ with one side that leads to b and one that leads to the end of the kernel without
// b, or nil.
func (p *paths) skips(b *block) *site {
	passed := map[*block]bool{b: true} // blocks from which an end is reachable without b
	var pass func(from *block)
	pass = func(from *block) {
		if !passed[from] {
			passed[from] = true
			for _, before := range from.prev {
				pass(before)
			}
		}
	}
	for _, end := range p.order {
		if len(end.next) == 0 {
			pass(end)
		}
	}
	delete(passed, b)
	for _, from := range p.order {
		if from.call != b.call || !passed[from] ||
			!slices.ContainsFunc(from.next, func(n *block) bool { return !passed[n] }) {
			continue
		}
		if from.ends.inst.Row().Has(isa.ReadsEXECZ) {
			return from.ends
		}
	}
	return nil
}

// note adds a note about the instruction at pc.
func (p *paths) note(pc uint64, kind Kind, text string) {
	program, in := p.at(pc)
	if program == nil || !p.c.has(kind) {
		return
	}
	x := p.step(program, pc, in)
	if p.here = nil; p.quiet {
		return
	}
	if f := x.first(defect{kind: kind}); f != nil {
		f.message = say("%s", text)
	}
}

// unreached reports instructions of the kernel, and of functions that it calls, that no path reaches. It ignores
// padding instructions without effect.
func (p *paths) unreached(reached map[uint64]bool) {
	for _, program := range p.programs {
		for _, f := range program.Functions() {
			if !reached[f.VAddr] {
				continue
			}
			var first uint64
			n := 0
			tell := func() {
				if p.way = nil; n > 0 {
					p.note(first, Unreachable, fmt.Sprintf("no path leads here: %s", plural.Of(n, "instruction")))
				}
				n = 0
			}
			for pc, in := range program.Insts(f.VAddr, f.VAddr+f.Size) {
				switch {
				case reached[pc]:
					tell()
				case isa.Inst(in).Row().Control == isa.Idles && n == 0:
				default:
					if n == 0 {
						first = pc
					}
					n++
				}
			}
			tell()
		}
	}
}

// window is a path to a block: its last instructions, as many as rows of wait states need.
type window struct {
	insts  []uint64
	blocks []*block
}

// maxWindows limits the paths to a block that are judged.
const maxWindows = 256

// windows returns the paths to a block. The first one may be empty.
func (p *paths) windows(b *block) (all []window) {
	add := func(w window) {
		if !slices.ContainsFunc(all, func(o window) bool { return slices.Equal(o.insts, w.insts) }) {
			all = append(all, w)
		}
	}
	var back func(b *block, w window, states int)
	back = func(b *block, w window, states int) {
		if len(all) >= maxWindows {
			return
		}
		w.blocks = append([]*block{b}, w.blocks...)
		for _, before := range b.prev {
			var insts []uint64
			p.each(before, func(x *step) { insts = append(insts, x.PC) })
			longer, sum := w, states
			for len(insts) > 0 && sum < maxStates {
				last := insts[len(insts)-1]
				insts = insts[:len(insts)-1]
				longer.insts = append([]uint64{last}, longer.insts...)
				_, in := p.at(last)
				sum += executor.WaitStates(&in)
			}
			if sum < maxStates {
				back(before, longer, sum)
				continue
			}
			longer.blocks = append([]*block{before}, longer.blocks...)
			add(longer)
		}
		if len(b.prev) == 0 {
			add(w)
		}
	}
	back(b, window{}, 0)
	return all
}

// judgeStates judges wait states between pairs of instructions whose second one is in b.
func (p *paths) judgeStates(b *block) {
	c, st := p.c, &p.wave.stamps
	for i, w := range p.windows(b) {
		p.way = w.blocks[0].first
		for _, next := range w.blocks[1:] {
			p.way = &trail{p.way, next}
		}
		contradicts := !p.isPossible(w.blocks)
		p.here = nil
		st.reset()
		for _, pc := range w.insts {
			program, in := p.at(pc)
			c.retireStates(p.step(program, pc, in))
		}
		begun := st.clock
		p.each(b, func(x *step) {
			near := st.clock-begun < maxStates
			if p.impossible = contradicts && near; i == 0 || near {
				c.issueStates(x)
				c.retireStates(x)
			}
		})
		p.impossible = false
	}
}

// isPossible reports whether the conditions of a path do not contradict each other, ignoring loops.
func (p *paths) isPossible(way []*block) bool {
	both, left := exact.Ones, maxWays
	for i := len(way) - 1; i > 0; i-- {
		if p.closes(way[i-1], way[i]) {
			return both != exact.Zero
		}
		both = p.words.And(both, way[i-1].condition(p.words, way[i]))
	}
	return p.comesTo(way[0], both, &left)
}

// tell sets the path of a finding, from e, which is outstanding, to x, the current instruction.
func (p *paths) tell(x *step, f *Finding, e *entry) {
	way, _ := p.wayTo(x, e.site, outstanding(e))
	way = cmp.Or(way, e.via, p.here)
	f.Path, f.Lane = p.path(way), state.NoLane
}

// meeting says whether the hazard between an instruction and an outstanding one occurs.
type meeting uint8

const (
	misses      meeting = iota
	contradicts         // the conditions of each path contradict each other
	mayMeet             // it depends on data
	likely              // it depends on data, but among few registers
	isMeeting
)

// meets returns whether x and e conflict in t, considering the lanes of both and the registers that M0 may select.
func (p *paths) meets(x *step, e *entry, t touched) meeting {
	most := isMeeting
	if _, ok := p.wayTo(x, e.site, outstanding(e)); !ok {
		most = contradicts
	}
	if x.oneOf(t.Effect) {
		if most = min(most, likely); !p.bounded {
			most = min(most, mayMeet)
		}
	}
	if t.File != isa.VReg || e.mask == (exact.Mask{}) {
		return most
	}
	w, reading := p.words, p.mask
	if t.Lanes == isa.FirstLane && reading == noLanes { // it is lane 0 then
		reading[0] = w.Constant(1)
	}
	both := w.AndMask(reading, e.mask)
	n, known := p.lanes(both)
	switch t.Lanes {
	case isa.ActiveLanes, isa.FirstLane, isa.MovedLanes:
		switch {
		case known && n == 0:
			return misses
		case both == reading, t.Lanes == isa.ActiveLanes && (both == e.mask || known):
			return most
		}
	default:
		if e.mask == everyLane {
			return most
		}
	}
	if e.apart {
		return min(most, mayMeet)
	}
	return most
}
