package check

import (
	"math/bits"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/sim/internal/registers"
	"github.com/gcnsim/gcnsim/state"
)

// This file lets instructions execute that nobody needs to look at. A segment is a run of instructions that reach no
// memory. It is judged once, by the functions that judge each instruction, as if nothing were outstanding and all
// registers were written. Whenever a wave comes to it after that, it is asked whether what the wave brings along can
// matter to one of its instructions. If not, the segment executes unseen, and its effects are those that were found.
// If so, its first instruction is judged by itself. Segments have no rule of their own.

// segment is a run of instructions. Nothing follows a branch, and only scalar instructions follow one that writes
// EXEC.
type segment struct {
	bytes uint64
	n     uint64 // instructions
	// next is an instruction behind them that reaches memory, and is judged with them before it executes. It is nil if
	// there is none. If n is 0, too, the instruction at which the segment begins must always be judged by itself.
	next *site
	wait *site // the S_WAITCNT that it begins with, nil if it begins with something else

	reads, writes regset
	vccz          bool // it reads VCCZ
	writesVCC     bool
	left          vccz // what is known of VCCZ after it has written VCC
	valu          bool // GPR indexing would move registers

	states uint64       // wait states
	last   int          // of the last instruction that a row can begin with, -1 if there is none
	early  []earlyCheck // rows that can end in it and begin before it
	late   []lateWrite  // registers that rows behind it can be about

	// Registers without other names, for findings of kind [Uninit].
	needs   regset // which it reads, in the lanes of EXEC, before it has written them
	across  regset // which it reads in other lanes
	defines regset // which it writes
	partly  regset // of those, which it does not write in all lanes of EXEC, or not all bytes of

	m0     *site // the last instruction that writes M0, nil if there is none
	m0At   uint64
	issues []noted // instructions with findings that follow from themselves
}

// noted is an instruction of a segment: at is how many instructions of the segment lie before it.
type noted struct {
	*site
	at uint64
}

// earlyCheck is a check with the wait states between the beginning of the segment and its instruction.
type earlyCheck struct {
	stateCheck
	at uint64
}

// lateWrite is a register that an instruction writes, with the wait states before it.
type lateWrite struct {
	renamed
	noted
	states uint64
	held   bool // it reads it late, and does not write it
}

// maxSegment bounds the instructions of a segment.
const maxSegment = 256

// skip is [sim.Needs].Skip: it returns how many bytes of code of a segment that begins at the instruction of e need
// not be seen.
func (c *Checker) skip(e *sim.Event) uint64 {
	c.switchWave(e)
	w := c.step.wave
	switch {
	case c.whole, w.Executed == w.unseen && w.next != nil:
		return 0
	case w.Executed < w.unseen: // its turn ended in a segment
		return w.unseenEnd - e.PC
	}
	p := c.program(e)
	s := p.segments[(e.PC-p.Base)/4]
	if s == nil {
		if s = c.segmentAt(p, e); s == nil {
			return 0
		}
	}
	if s.n == 0 && s.next == nil || !c.passesBy(e, w, s) {
		return 0
	}
	c.passBy(e, w, s)
	w.unseen, w.unseenEnd, w.next = w.Executed+s.n, e.PC+s.bytes, s.next
	return s.bytes
}

// retireNext judges the instruction behind a segment, x, which has executed: what can be known before was judged with
// the segment.
func (c *Checker) retireNext(x *step) {
	x.wave.next = nil
	if c.seesWaits {
		x.wave.counters.makeRoom(x)
		c.retireWaits(x)
	}
	c.follow(x)
	if x.isClean() {
		if c.seesRaces {
			c.retireRaces(x)
		}
		if x.wave.shadow != nil && c.undef.reaches(x) {
			c.undefRetire(x)
		}
		if !x.hasResource {
			return
		}
	}
	for _, a := range c.analyses {
		if a.retire != nil && a != &waits && a != &waitStates && !(x.isClean() && (a == &race || a == &uninit)) {
			a.retire(c, x)
		}
	}
}

// isClean reports whether the access of x is one in memory, or of DS, LDS, of which every lane does what the program
// says: the checks of ranges and of ignored bits have nothing to say about it.
func (x *step) isClean() bool {
	a := x.Access
	return a.Out == [4]uint64{} && a.Misaligned|a.Cut|a.Differs|a.LDSLanes|a.ScratchLanes == 0 && !x.toM0 &&
		len(x.fixed) == 0
}

// passesBy reports whether nothing that w brings along can matter to an instruction of s.
func (c *Checker) passesBy(e *sim.Event, w *wave, s *segment) bool {
	if !w.begun {
		if uint32(w.Mode)&^c.mode|uint32(w.Status())&^c.status != 0 && c.on[Ignored] {
			return false
		}
		w.begun = true
	}
	q, st := &w.counters, &w.stamps
	if s.n == 0 && st.run.of != 0 && st.run.store.site != nil {
		return false // see [Checker.judgeRun]
	}
	if w.race.waiting || len(w.race.acquiring) > 0 || s.valu && executor.GPRIndexing(w.Wave) || w.vccz.stale && s.vccz {
		return false
	}
	if len(q.live) > 0 {
		if s.wait != nil {
			q.waitFor(&s.wait.wait)
		}
		if s.reads.meets(&q.results) || s.writes.meets(&q.results) || s.writes.meets(&q.sources) ||
			s.writesVCC && w.Target.Traits().StaleVCCZ {
			return false
		}
	}
	if st.clock-st.last <= maxStates {
		for i := range s.early {
			if k := &s.early[i]; st.lacking(&k.stateCheck, st.clock+k.at) != nil {
				return false
			}
		}
	}
	if w.shadow == nil {
		return true
	}
	if !c.undef.placed {
		c.step.Event = e
		c.locate(&c.step)
	}
	return w.shadow.passes(s, w.Exec())
}

// passes reports whether s reads no undefined bit, and its writes leave none where there was one in their lanes.
func (h *regShadow) passes(s *segment, exec uint64) bool {
	for i := range h.dirty {
		dirty := h.dirty[i]
		if dirty&(s.needs[i]|s.across[i]|s.partly[i]) == 0 {
			continue
		}
		for m := dirty & (s.needs[i] | s.across[i] | s.partly[i]); m != 0; m &= m - 1 {
			r := reg(64*i + bits.TrailingZeros64(m))
			lanes := h.undefinedLanesOf(r)
			if lanes == 0 {
				h.dirty[i] &^= m & -m
				continue
			}
			if r >= registers.ScalarRegs || lanes&exec != 0 || s.across.has(r) {
				return false
			}
		}
	}
	return true
}

// undefinedLanesOf returns the lanes of r with undefined bits; those of a register without lanes are all.
func (h *regShadow) undefinedLanesOf(r reg) uint64 {
	switch {
	case r < registers.ScalarRegs:
		return h.lanes[r]
	case r < registers.FlagRegs:
		if h.s[r-registers.ScalarRegs] == 0 {
			return 0
		}
	case h.scc == 0 || r != scc:
		return 0
	}
	return allLanes
}

// passBy leaves what s leaves.
func (c *Checker) passBy(e *sim.Event, w *wave, s *segment) {
	st := &w.stamps
	for i := range s.late {
		k := &s.late[i]
		now := stamp{st.clock + k.states, k.site, w.Executed + k.at, k.raw}
		if k.held {
			st.held[k.reg] = now
		} else {
			st.wrote[k.reg] = now
		}
	}
	if s.last >= 0 {
		st.last = st.clock + uint64(s.last)
	}
	st.clock += s.states
	if s.n > 0 {
		st.run.of = 0
	}
	if s.writesVCC {
		w.vccz = s.left
		w.vccz.index += w.Executed
	}
	if s.m0 != nil {
		w.m0 = origin{s.m0, w.Executed + s.m0At}
	}
	if w.shadow != nil {
		w.shadow.defineAll(&s.defines, w.Exec())
	}
	if len(s.issues) > 0 {
		c.repeatIssues(e, w, s)
	}
}

// repeatIssues counts the findings that follow from instructions of s alone.
func (c *Checker) repeatIssues(e *sim.Event, w *wave, s *segment) {
	if !c.on[Ignored] {
		return
	}
	for i := range s.issues {
		k := &s.issues[i]
		at := *e
		at.PC, at.Inst = k.site.at, &k.inst
		x := &step{Event: &at, site: k.site, wave: w, executed: w.Executed + k.at}
		c.reportIssues(x, k.fixed)
	}
}

// defineAll makes registers defined: vector registers in the lanes of exec.
func (h *regShadow) defineAll(all *regset, exec uint64) {
	for i := range all {
		for m := all[i] & h.dirty[i]; m != 0; m &= m - 1 {
			switch r := reg(64*i + bits.TrailingZeros64(m)); {
			case r < registers.ScalarRegs:
				h.defineVGPR(int(r), exec, 0xf)
				continue
			case r < registers.FlagRegs:
				h.s[r-registers.ScalarRegs] = 0
			case r == scc:
				h.scc = 0
			}
			h.dirty[i] &^= m & -m
		}
	}
}

// segmentAt returns the segment that begins at the instruction of e. It returns nil if an instruction of it has not
// been executed before: the first time each is judged by itself.
func (c *Checker) segmentAt(p *code, e *sim.Event) *segment {
	t := c.newTrial(e)
	s := &segment{last: -1}
	for pc, scalar := e.PC, false; pc < p.End && s.n < maxSegment; {
		in, ok := p.Inst(pc)
		if !ok {
			break
		}
		passes := mayPass(&in, e.Wave, s.n == 0)
		if !passes && !mayBeNext(&in) {
			break
		}
		site := p.sites[(pc-p.Base)/4]
		if site == nil {
			return nil
		}
		if site.moves || site.trap != "" || scalar && site.vector || !t.judge(site) {
			break
		}
		if !passes {
			if !site.selects && !site.writesEXEC() && !c.replays(site) && !site.storesScalars() {
				s.next = site
				s.add(t, site)
			}
			break
		}
		s.add(t, site)
		s.bytes += uint64(in.Size)
		s.n++
		t.step.executed = s.n
		pc += uint64(in.Size)
		scalar = scalar || site.writesEXEC()
		if in.Row().Has(gcn.Branch) {
			break
		}
	}
	s.late = keepLate(s.late, s.states)
	p.segments[(e.PC-p.Base)/4] = s
	return s
}

// writesEXEC reports whether s writes a half of EXEC.
func (s *site) writesEXEC() bool {
	return s.writes.has(registers.EXEC) || s.writes.has(registers.EXEC+1)
}

// mayBeNext reports whether an instruction that reaches memory can be judged with those before it.
func mayBeNext(in *gcn.Inst) bool {
	r := in.Row()
	switch pathOf(in) {
	case pathVMEM, pathFLAT, pathLDS, pathScalar:
	default:
		return false
	}
	switch r.Mem.Op {
	case gcn.Load, gcn.Store, gcn.Atomic:
	default:
		return false
	}
	return r.Control == gcn.NoControl && r.Mem.Move == gcn.NoMove && !r.Mem.InLDS && in.Enc != gcn.MIMG &&
		registers.Transfer(in) == gcn.NoMem
}

// mayPass reports whether an instruction can be part of a segment, of which it is the first one or not.
func mayPass(in *gcn.Inst, w *state.Wave, first bool) bool {
	r := in.Row()
	switch r.Control {
	case gcn.NoControl, gcn.Idles, gcn.GoesAway:
	case gcn.Waits:
		if !first {
			return false
		}
	default:
		return false
	}
	if pathOf(in) != noPath || r.Mem.Op != gcn.NoMem || r.Imm == gcn.HwregImm || r.Imm == gcn.IndexImm ||
		r.Has(gcn.WritesMODE) || r.Has(gcn.Jumps) || r.Has(gcn.WritesTRAPSTS) {
		return false
	}
	var buf [8]gcn.Operand
	return executor.Find(in).Exec != nil && executor.CheckOperands(in, w.NumVGPRs, in.Operands(buf[:0])) == nil
}

// trial is a wave that executes a segment without a run: nothing is outstanding and all registers are written.
type trial struct {
	c     *Checker
	event sim.Event
	step  step
	paths paths // it counts what is found
	wave  *wave
	begun uint64 // clock of wait states
}

func (c *Checker) newTrial(e *sim.Event) *trial {
	if c.trial == nil {
		c.trial = &trial{c: c, wave: &wave{}, paths: paths{c: c, quiet: true}}
	}
	t := c.trial
	t.event = sim.Event{Program: e.Program, Wave: e.Wave, Access: &state.Access{}}
	t.wave.begin(e.Wave)
	t.wave.paths = &t.paths
	t.step.executed = 0
	t.begun = t.wave.stamps.clock
	return t
}

// judge lets t execute an instruction, and reports whether nothing is found.
func (t *trial) judge(s *site) bool {
	t.event.PC, t.event.Inst = s.at, &s.inst
	x := &t.step
	*x = step{Event: &t.event, site: s, wave: t.wave, executed: x.executed, exec: allLanes, effects: s.effects,
		reads: &s.reads, writes: &s.writes}
	before := t.paths.met
	t.c.issueWaits(x)
	t.c.issueStates(x)
	if t.paths.met != before {
		return false
	}
	t.c.retireWaits(x)
	t.c.retireStates(x)
	return true
}

// add makes an instruction, which t has just executed, the next one of s.
func (s *segment) add(t *trial, site *site) {
	at := noted{site, s.n}
	states := t.wave.stamps.clock - t.begun - uint64(site.state.states)
	for i := range site.state.checks {
		k := &site.state.checks[i]
		if states < uint64(k.row.states) && !s.wrote(k.reg) {
			s.early = append(s.early, earlyCheck{*k, states})
		}
	}
	for _, r := range site.state.writes {
		s.late = append(s.late, lateWrite{renamed: r, noted: at, states: states})
	}
	for _, r := range site.state.keeps {
		s.late = append(s.late, lateWrite{renamed: renamed{r, r}, noted: at, states: states, held: true})
	}
	if site.state.first {
		s.last = int(states)
	}
	if site.wait.waits {
		s.wait = site
	}
	s.reads.union(&site.reads)
	s.writes.union(&site.writes)
	s.vccz = s.vccz || site.wait.vccz && !s.writesVCC
	s.writesVCC = s.writesVCC || site.writes.has(registers.VCC) || site.writes.has(registers.VCC+1)
	s.valu = s.valu || site.valu
	if site.writes.has(registers.M0) {
		s.m0, s.m0At = site, s.n
	}
	if len(site.fixed) > 0 && site != s.next {
		s.issues = append(s.issues, at)
	}
	s.follow(site)
	s.states, s.left = t.wave.stamps.clock-t.begun, t.wave.vccz // a finding would change what comes next
}

// wrote reports whether an instruction of s has written r.
func (s *segment) wrote(r reg) bool {
	for i := range s.late {
		if s.late[i].reg == r && !s.late[i].held {
			return true
		}
	}
	return false
}

// follow adds what an instruction reads and writes to what s needs and defines.
func (s *segment) follow(site *site) {
	for i := range site.effects {
		f := &site.effects[i]
		first, n := registers.Span(f)
		for k := range n {
			r := first + reg(k)
			switch own := f.File != gcn.VReg || f.Lanes == gcn.ActiveLanes; {
			case f.Write, site.wait.path == pathFLAT && f.File == gcn.SReg: // see [Checker.flatUses]
			case !own:
				s.across.add(r)
			case !s.defines.has(r) || s.partly.has(r):
				s.needs.add(r)
			}
		}
	}
	dpp := site.inst.Has(gcn.DPPCTRL)
	for i := range site.effects {
		f := &site.effects[i]
		first, n := registers.Span(f)
		for k := range n {
			if r := first + reg(k); f.Write {
				s.defines.add(r)
				switch {
				case f.File != gcn.VReg:
				case f.Lanes != gcn.ActiveLanes:
					s.across.add(r)
					s.partly.add(r)
				case dpp || f.Bytes != 0xf:
					s.partly.add(r)
				}
			}
		}
	}
}

// keepLate returns the last write of each register that the rows of wait states can still be about behind a segment.
func keepLate(all []lateWrite, states uint64) (kept []lateWrite) {
	var seen [2]regset
	for i := len(all) - 1; i >= 0 && all[i].states+maxStates >= states; i-- {
		k := 0
		if all[i].held {
			k = 1
		}
		if !seen[k].has(all[i].reg) {
			seen[k].add(all[i].reg)
			kept = append(kept, all[i])
		}
	}
	return kept
}
