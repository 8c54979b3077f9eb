package check

import (
	"github.com/gcnsim/gcnsim/internal/sim/registers"
	"github.com/gcnsim/gcnsim/sim/check/internal/exact"
)

// This file follows EXEC through a batch. Its values are not known when the batch is made, but how they are related is:
// s_and_saveexec takes lanes out, and s_or with what it has saved puts them back.

// laneSet is a value of EXEC in a batch. Mask 0 is the one with which the batch begins.
type laneSet struct {
	within  uint64 // the masks whose lanes are known to include its lanes, as bits; it is one of them
	some    bool   // it has lanes if mask 0 has some
	noted   bool   // an access on lanes is noted under it
	defines regset // VGPRs that the batch writes under it and, before that, under no mask that includes it
	lanes   exact.Mask
}

// execMasks are the masks of a batch, in the order in which they come.
type execMasks struct {
	all       []laneSet
	now       int
	before    []*site // the instructions before the first one that writes EXEC
	evaluator *exact.Evaluator
	registers exact.Registers
	begun     bool // registers has the values up to now
}

const maxExecMasks = 64

// begin begins a batch: it has mask 0 alone.
func (m *execMasks) begin() {
	clear(m.all)
	m.all, m.now, m.before, m.begun = append(m.all[:0], laneSet{within: 1, some: true}), 0, m.before[:0], false
}

// changes follows s, the next instruction, which writes EXEC: it finds the mask that s leaves, or adds one.
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

// create begins with registers of which nothing is known, and executes what comes before the first write of EXEC.
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

// execute lets s change registers.
func (m *execMasks) execute(s *site) {
	m.registers.At++
	m.evaluator.Execute(s.exact(), &m.registers)
}

// passes follows s, the next instruction, which does not write EXEC.
func (m *execMasks) passes(s *site) {
	if s.idles { // and falls through
		m.all[m.now].some = true
	}
	if !m.begun {
		m.before = append(m.before, s)
		return
	}
	m.execute(s)
}

// isFull reports whether m has as many masks as a batch may have.
func (m *execMasks) isFull() bool { return len(m.all) == maxExecMasks }

// tell records that an access on lanes is noted under the mask of now. It returns that mask if no access before was.
func (m *execMasks) tell() (under int) {
	if m.now == 0 || m.all[m.now].noted {
		return 0
	}
	m.all[m.now].noted = true
	return m.now
}

// includes reports whether the batch has written VGPR r in all lanes that are active now.
func (m *execMasks) includes(r reg) bool {
	for i := 1; i < len(m.all); i++ {
		if m.all[m.now].within>>i&1 != 0 && m.all[i].defines.has(r) {
			return true
		}
	}
	return false
}

// narrow reports whether the lanes that are active now were active when the batch began.
func (m *execMasks) narrow() bool { return m.all[m.now].within&1 != 0 }
