package check

import (
	"github.com/gcnsim/gcnsim/internal/sim/registers"
	"github.com/gcnsim/gcnsim/sim/check/internal/exact"
)

// This file tracks EXEC through a batch. Its values are not known when the batch is made, but their relations are:
// s_and_saveexec removes lanes, and s_or with the saved mask restores them.

// laneSet is a value of EXEC in a batch. Mask 0 is the value at the start of the batch.
type laneSet struct {
	within  uint64 // bit set of the masks that are known to include its lanes, itself among them
	some    bool   // it has lanes if mask 0 has some
	noted   bool   // an access of lanes is noted under it
	defines regset // VGPRs that the batch writes under it, and not before that under a mask that includes it
	lanes   exact.Mask
}

// execMasks are the masks of a batch, in order of appearance.
type execMasks struct {
	all       []laneSet
	now       int
	before    []*site // instructions before the first one that writes EXEC
	evaluator *exact.Evaluator
	registers exact.Registers
	begun     bool // registers has the current values
}

const maxExecMasks = 64

// begin starts a batch with mask 0 only.
func (m *execMasks) begin() {
	clear(m.all)
	m.all, m.now, m.before, m.begun = append(m.all[:0], laneSet{within: 1, some: true}), 0, m.before[:0], false
}

// changes processes s, the next instruction, which writes EXEC: it finds the new mask, or adds one.
func (m *execMasks) changes(s *site) {
	if !m.begun {
		m.create(s)
	}
	m.execute(s)
	e := m.evaluator
	next := laneSet{lanes: e.Mask(&m.registers, registers.EXEC)}
	for i := range m.all {
		old := &m.all[i]
		if old.lanes == next.lanes {
			m.now = i
			return
		}
		if e.Within(next.lanes, old.lanes) {
			next.within |= 1 << i
		}
		next.some = next.some || old.some && e.Within(old.lanes, next.lanes)
	}
	m.now = len(m.all)
	next.within |= 1 << m.now
	m.all = append(m.all, next)
}

// create starts with unknown registers, and executes the instructions before the first write of EXEC.
func (m *execMasks) create(s *site) {
	if m.evaluator == nil {
		m.evaluator = exact.NewEvaluator(s.inst.Target)
	}
	m.begun, m.registers = true, exact.Registers{}
	m.evaluator.Reset(s.inst.Target)
	m.all[0].lanes = m.evaluator.Mask(&m.registers, registers.EXEC)
	for _, s := range m.before {
		m.execute(s)
	}
}

// execute executes s on the registers.
func (m *execMasks) execute(s *site) {
	m.registers.At++
	m.evaluator.Execute(s.exact(), &m.registers)
}

// passes processes s, the next instruction, which does not write EXEC.
func (m *execMasks) passes(s *site) {
	if s.idles { // the branch is not taken
		m.all[m.now].some = true
	}
	if !m.begun {
		m.before = append(m.before, s)
		return
	}
	m.execute(s)
}

// isFull reports whether m has the greatest number of masks.
func (m *execMasks) isFull() bool { return len(m.all) == maxExecMasks }

// tell records that an access of lanes is noted under the current mask. It returns that mask if this is its first
// access, and 0 otherwise.
func (m *execMasks) tell() (under int) {
	if m.now == 0 || m.all[m.now].noted {
		return 0
	}
	m.all[m.now].noted = true
	return m.now
}

// includes reports whether the batch has written VGPR r in all currently active lanes.
func (m *execMasks) includes(r reg) bool {
	for i := 1; i < len(m.all); i++ {
		if m.all[m.now].within>>i&1 != 0 && m.all[i].defines.has(r) {
			return true
		}
	}
	return false
}

// narrow reports whether all currently active lanes were active when the batch began.
func (m *execMasks) narrow() bool { return m.all[m.now].within&1 != 0 }
