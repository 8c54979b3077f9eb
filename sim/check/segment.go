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

// This file lets instructions execute without events. A segment is a sequence of instructions. It is judged once, by
// the functions that judge single instructions, as if nothing were outstanding and all registers were written. When a
// wave reaches the segment later, the checker looks for the first instruction that the state of the wave can affect.
// The instructions before that one execute unseen, and their effects are those that the trial has found. If there are
// none, the first instruction of the segment is judged by itself. Segments have no rule of their own.

// segment is a sequence of instructions with the summary of its trial.
type segment struct {
	bytes     uint64
	n         uint64 // the number of instructions
	writes    regset
	vccz      bool // the segment reads VCCZ
	writesVCC bool
	left      vccz // the state of VCCZ at the end, if the segment writes VCC
	valu      bool // GPR indexing would change the registers of an instruction

	states uint64       // the number of wait states of the segment
	last   int          // the wait states before the last instruction that a row can begin with, -1 if there is none
	early  []earlyCheck // the rows that can begin before the segment and end in it
	late   []lateWrite  // the registers that rows ending behind the segment can apply to

	// Canonical registers, for findings of kind [Uninit].
	needs   regset // registers that the segment reads, in the lanes of EXEC, before it writes them
	across  regset // registers that the segment reads in other lanes
	masked  regset // registers whose undefined bits matter only if lanes are inactive, see [site.fillsLanes]
	defines regset // registers that the segment writes
	partly  regset // registers of defines that the segment does not write in all lanes of EXEC, or not in all bytes

	m0   *site // the last instruction of the segment that writes M0, nil if there is none
	m0At uint64

	batch *batch // the accesses of the segment
}

// noted is an instruction of a segment. at is the number of instructions of the segment before it.
type noted struct {
	*site
	at uint64
}

// earlyCheck is a check, with the wait states from the beginning of the segment to the instruction to be checked.
type earlyCheck struct {
	stateCheck
	at uint64
}

// lateWrite is a register that an instruction writes or reads late, with the wait states before the instruction.
type lateWrite struct {
	renamed
	noted
	states uint64
	held   bool // the instruction reads the register late, and does not write it
}

// maxSegment bounds the instructions of a segment.
const maxSegment = 1024

// skip returns the code of a segment at the instruction of e that may execute unseen, see [unseen.Needs].Skip.
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

// retireEnd applies a barrier or the end of a wave to the order of accesses. The waits of x have been judged.
func (c *Checker) retireEnd(x *step) {
	if c.seesRaces && !c.races.full {
		c.control(x)
	}
	if c.seesBarriers {
		c.retireBarrier(x)
	}
}

// canSkip reports whether w may execute s unseen, as far as MODE and STATUS, runs of memory instructions, barriers,
// VCCZ, GPR indexing and wait states allow. [Checker.countSkippable] judges outstanding instructions, and
// [regShadow.refuses] judges undefined bits of registers.
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

// refuses returns the registers with undefined bits that s reads, or that s writes without defining all their bits.
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

// undefinedLanesOf returns the lanes of r with undefined bits. For a register without lanes it returns all or none.
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

// applySkipped changes the state of w as executing s does. executed and exec are those of w at the beginning of s.
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

// defineAll marks registers as defined, vector registers only in the lanes of exec.
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
