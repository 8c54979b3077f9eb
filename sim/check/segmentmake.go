package check

import (
	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/sim/registers"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/state"
)

// writesEXEC reports whether s writes a half of EXEC.
func (s *site) writesEXEC() bool {
	return s.writes.has(registers.EXEC) || s.writes.has(registers.EXEC+1)
}

// isAccess reports whether an instruction is a load, store or atomic that batches support.
func isAccess(in *isa.Inst) bool {
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
	return r.Control == isa.NoControl && r.Mem.Move == isa.NoMove && !r.Mem.InLDS && in.Enc != isa.MIMG &&
		registers.Transfer(in) == gcn.NoMem
}

// mayEnd reports whether an instruction is a barrier or an end of the program that can be judged together with the
// instructions before it.
func (c *Checker) mayEnd(in *isa.Inst) bool {
	k := in.Row().Control
	return k == isa.Ends || k == isa.Barrier && !c.Options.BarrierDrain
}

// mayPass reports whether s can be part of a segment without being an access.
func (s *site) mayPass(w *state.Wave) bool {
	in, r := &s.inst, s.inst.Row()
	switch r.Control {
	case isa.NoControl, isa.Idles, isa.GoesAway, isa.Waits:
	default:
		return false
	}
	if pathOf(in) != noPath || r.Mem.Op != gcn.NoMem || r.Imm == isa.HwregImm || r.Imm == isa.IndexImm ||
		r.Has(isa.WritesMODE) || r.Has(isa.Jumps) || r.Has(isa.WritesTRAPSTS) {
		return false
	}
	var buf [8]isa.Operand
	return s.execute != nil && executor.CheckOperands(in, w.NumVGPRs, in.Operands(buf[:0])) == nil
}

// trial is a wave that executes a segment for judging it: nothing is outstanding, and all registers are defined.
type trial struct {
	c     *Checker
	event sim.Event
	step  step
	paths paths // counts the findings
	wave  *wave
	begun uint64 // clock of wait states at the start
	masks execMasks
}

func (c *Checker) newTrial(p *sim.Program, w *state.Wave) *trial {
	if c.trial == nil {
		c.trial = &trial{c: c, wave: &wave{}, paths: paths{c: c, quiet: true}}
	}
	t := c.trial
	t.event = sim.Event{Program: p, Wave: w, Access: &state.Access{}}
	t.wave.begin(w)
	t.wave.paths = &t.paths
	t.step.executed = 0
	t.begun = t.wave.stamps.clock
	t.masks.begin()
	return t
}

// judge executes an instruction in t, and reports whether there are no findings.
func (t *trial) judge(s *site) bool {
	t.event.PC, t.event.Inst = s.at, (*gcn.Inst)(&s.inst)
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
	return t.paths.met == before
}

// add adds an instruction, which t has just executed, to s.
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
	s.writes.union(&site.writes)
	s.vccz = s.vccz || site.wait.vccz && !s.writesVCC
	s.writesVCC = s.writesVCC || site.writesVCC()
	s.valu = s.valu || site.valu
	if site.writes.has(registers.M0) {
		s.m0, s.m0At = site, s.n
	}
	s.follow(site, &t.masks)
	s.states, s.left = t.wave.stamps.clock-t.begun, t.wave.vccz // without findings these values are valid
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

// follow adds the registers that an instruction reads and writes to s.needs and s.defines.
func (s *segment) follow(site *site, m *execMasks) {
	fills := m.now == 0 && site.fillsLanes()
	for r, f := range eachRegister(site.effects) {
		switch own := f.File != isa.VReg || f.Lanes == isa.ActiveLanes; {
		case f.Write, site.wait.path == pathFLAT && f.File == isa.SReg: // see [Checker.flatUses]
		case !own:
			s.across.add(r)
		case fills && !s.defines.has(r):
			s.masked.add(r)
		case !s.hasDefined(r, m) || s.partly.has(r):
			s.need(r, m)
		}
	}
	dpp := site.inst.Has(isa.DPPCTRL)
	for r, f := range eachRegister(site.effects) {
		switch {
		case !f.Write:
			continue
		case f.File != isa.VReg:
		case f.Lanes != isa.ActiveLanes:
			s.across.add(r)
			s.partly.add(r)
		case dpp || f.Bytes != 0xf:
			s.need(r, m)
			s.partly.add(r)
		}
		s.define(r, m)
	}
}

// fillsLanes reports whether s combines EXEC with another source such that undefined bits of that source do not
// matter if all lanes are active, for example s_or_b64 s[2:3], s[2:3], exec.
func (s *site) fillsLanes() bool {
	r := s.inst.Row()
	if s.inst.Enc != isa.SOP2 || r.Has(isa.ReadsSCC) {
		return false
	}
	o := operation{flows: r.Flow, width: uint(32 * r.Sig.Dst.Info().Dwords)}
	unknown, exec := value{undef: allLanes}, value{bits: allLanes}
	return s.inst.Get(isa.SSRC1) == gcn.EXEC && o.apply(unknown, exec, value{}, value{}).undef == 0 ||
		s.inst.Get(isa.SSRC0) == gcn.EXEC && o.apply(exec, unknown, value{}, value{}).undef == 0
}

// need adds a register that is read in the currently active lanes.
func (s *segment) need(r reg, m *execMasks) {
	if r < registers.ScalarRegs && !m.narrow() {
		s.across.add(r)
		return
	}
	s.needs.add(r)
}

// define adds a register that is written.
func (s *segment) define(r reg, m *execMasks) {
	if r >= registers.ScalarRegs || m.now == 0 {
		s.defines.add(r)
	} else if !s.hasDefined(r, m) {
		m.all[m.now].defines.add(r)
	}
}

// hasDefined reports whether a register has been written in all currently active lanes.
func (s *segment) hasDefined(r reg, m *execMasks) bool {
	return s.defines.has(r) && (r >= registers.ScalarRegs || m.narrow()) || m.includes(r)
}

// keepLate returns the last write of each register that can still matter for rows of wait states after a segment.
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
