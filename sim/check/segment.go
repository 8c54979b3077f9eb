package check

import (
	"math/bits"

	native "github.com/gcnsim/gcnsim/internal/base/block"
	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/sim/registers"
	"github.com/gcnsim/gcnsim/internal/sim/unseen"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/state"
)

// This file lets instructions execute that nobody needs to look at. A segment is a run of instructions. It is judged
// once, by the functions that judge each instruction, as if nothing were outstanding and all registers were written.
// Whenever a wave comes to it after that, the checker asks whether what the wave brings along can matter to one of its
// instructions. Those before the first such instruction execute unseen, and their effects are those that were found.
// If there are none, the instruction at which the segment begins is judged by itself. Segments have no rule of their
// own.

// segment is a run of instructions.
type segment struct {
	bytes     uint64
	n         uint64 // instructions
	writes    regset
	vccz      bool // it reads VCCZ
	writesVCC bool
	left      vccz // what is known of VCCZ after it has written VCC
	valu      bool // GPR indexing would move registers

	states uint64       // wait states
	last   int          // of the last instruction that a row can begin with, -1 if there is none
	early  []earlyCheck // rows that can end in it and begin before it
	late   []lateWrite  // registers that rows behind it can be about

	// Registers without other names, for findings of kind [Uninit].
	needs   regset // which it reads, in the lanes of EXEC, before it has written them
	across  regset // which it reads in other lanes
	masked  regset // whose undefined bits matter to it only if lanes are inactive, see [site.fillsLanes]
	defines regset // which it writes
	partly  regset // of those, which it does not write in all lanes of EXEC, or not all bytes of

	m0   *site // the last instruction that writes M0, nil if there is none
	m0At uint64

	batch *batch // what its accesses to memory add
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
const maxSegment = 1024

// skip is [unseen.Needs].Skip: it returns the code of a segment that begins at the instruction of e.
func (c *Checker) skip(e *sim.Event, accesses bool) (a unseen.Ahead) {
	c.switchWave(e)
	w := c.step.wave
	c.skipping.batch, c.skipping.passed = nil, 0
	if c.whole {
		return a
	}
	p := c.program(e)
	if w.race.waiting && !c.races.full { // see [Checker.issueRaces]
		c.openBarrier()
	}
	if w.shadow != nil && !c.undef.placed {
		c.step.Event = e
		c.locate(&c.step)
	}
	s := c.batchToSkip(p, e.PC, w, native.Compiles && accesses && c.mayBatch(p))
	if s == nil {
		return a
	}
	w.comesTo(e.PC)
	k := &c.skipping
	k.code, k.batch, k.executed, k.exec = p, s, w.Executed, w.Exec()
	return unseen.Ahead{Bytes: s.bytes, Loops: s.batch.loops}
}

// retireEnd judges what a barrier or the end of a wave does to races. Its waits have been judged.
func (c *Checker) retireEnd(x *step) {
	if c.seesRaces && !c.races.full {
		c.control(x)
	}
	if c.seesBarriers {
		c.retireBarrier(x)
	}
}

// canSkip reports whether w may begin s, as far as MODE and STATUS, runs of memory instructions, barriers, VCCZ, GPR
// indexing and wait states go. What is outstanding is asked for by [Checker.countSkippable], undefined bits of
// registers by [regShadow.refuses].
func (c *Checker) canSkip(w *wave, s *segment) bool {
	if !w.begun {
		if uint32(w.Mode)&^c.mode|uint32(w.Status())&^c.status != 0 && c.on[Ignored] {
			return false
		}
		w.begun = true
	}
	st := &w.stamps
	if st.run.of != 0 && st.run.store.site != nil {
		return false // see [Checker.judgeRun]
	}
	if w.race.waiting || len(w.race.acquiring) > 0 || s.valu && executor.GPRIndexing(w.Wave) || w.vccz.stale && s.vccz {
		return false
	}
	if st.clock-st.last <= maxStates {
		for i := range s.early {
			if k := &s.early[i]; st.lacking(&k.stateCheck, st.clock+k.at) != nil {
				return false
			}
		}
	}
	return true
}

// refuses returns registers with undefined bits that s reads, or in which it leaves some in the lanes that it writes.
func (h *regShadow) refuses(s *segment, w *state.Wave) (bad regset) {
	if h == nil {
		return bad
	}
	for i, dirty := range h.dirty {
		if dirty == 0 {
			continue
		}
		reads := s.needs[i] | s.across[i] | s.partly[i]
		if w.Exec() != state.FullExec {
			reads |= s.masked[i]
		}
		for m := dirty & reads; m != 0; m &= m - 1 {
			r := reg(64*i + bits.TrailingZeros64(m))
			lanes := h.undefinedLanesOf(r)
			if lanes == 0 {
				h.dirty[i] &^= m & -m
				continue
			}
			if r >= registers.ScalarRegs || lanes&w.Exec() != 0 || s.across.has(r) {
				bad.add(r.Canonical(w.NumSGPRs))
			}
		}
	}
	return bad
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

// applySkipped changes the state of w as s does; w has begun s after executed instructions with EXEC exec.
func (s *segment) applySkipped(w *wave, executed, exec uint64) {
	st := &w.stamps
	for i := range s.late {
		k := &s.late[i]
		now := stamp{st.clock + k.states, k.site, executed + k.at, k.raw}
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
	st.run.of = 0
	if s.writesVCC {
		w.vccz = s.left
		w.vccz.index += executed
	}
	if s.m0 != nil {
		w.m0 = origin{s.m0, executed + s.m0At}
	}
	if w.shadow != nil {
		w.shadow.defineAll(&s.defines, exec)
	}
	b := s.batch
	if w.shadow != nil && b.last != 0 {
		w.shadow.defineAll(&b.masks[b.last], w.Exec())
	}
	b.leave(w, executed)
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
