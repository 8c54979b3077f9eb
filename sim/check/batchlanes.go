package check

import (
	"math/rand/v2"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/state"
)

// This file follows EXEC through a batch. Its values are not known when the batch is made, but how they are related is:
// s_and_saveexec takes lanes out, and s_or with what it has saved puts them back. The relations are found by executing
// the scalar instructions of the batch in several waves that begin with random registers.

// laneSet is a value of EXEC in a batch. Mask 0 is the one with which the batch begins.
type laneSet struct {
	within  uint64 // the masks whose lanes include its lanes, as bits; it is one of them
	some    bool   // it has lanes if mask 0 has some
	noted   bool   // an access on lanes is noted under it
	defines regset // VGPRs that the batch writes under it and, before that, under no mask that includes it
	values  [numWorlds]uint64
}

// laneSets are the masks of a batch, in the order in which they come.
type laneSets struct {
	all    []laneSet
	now    int
	before []*site // the instructions before the first one that writes EXEC
	worlds []*state.Wave
	begun  bool // the worlds execute
	random *rand.Rand
	core
}

const (
	numWorlds   = 32 // a relation that holds in all of these holds always
	maxLaneSets = 64
)

// begin begins a batch: it has mask 0 alone.
func (m *laneSets) begin() {
	clear(m.all)
	m.all, m.now, m.before, m.begun = append(m.all[:0], laneSet{within: 1, some: true}), 0, m.before[:0], false
}

// changes follows s, the next instruction, which writes EXEC: it finds the mask that s leaves, or adds one.
func (m *laneSets) changes(s *site) {
	if !m.begun {
		m.create(s.inst.Target)
	}
	m.execute(s)
	next := laneSet{within: ^uint64(0)}
	same, holds := ^uint64(0), ^uint64(0)
	for world, w := range m.worlds {
		exec := w.Exec()
		next.values[world] = exec
		for i := range m.all {
			v := m.all[i].values[world]
			if exec != v {
				same &^= 1 << i
			}
			if exec&^v != 0 {
				next.within &^= 1 << i
			}
			if v&^exec != 0 {
				holds &^= 1 << i
			}
		}
	}
	for i := range m.all {
		if same>>i&1 != 0 {
			m.now = i
			return
		}
		next.some = next.some || holds>>i&1 != 0 && m.all[i].some
	}
	m.now = len(m.all)
	next.within = next.within&(1<<m.now-1) | 1<<m.now
	m.all = append(m.all, next)
}

// create begins the worlds with random registers, and executes in them what comes before the first write of EXEC.
func (m *laneSets) create(t gcn.Target) {
	m.begun = true
	if m.worlds == nil {
		m.random = rand.New(rand.NewPCG(0, 0)) //nolint:gosec // the same in each run
		for range numWorlds {
			m.worlds = append(m.worlds, state.NewWave(t, 1))
		}
	}
	for world, w := range m.worlds {
		w.Reset(t)
		for i := range w.S {
			w.S[i] = m.random.Uint32()
		}
		w.SCC = m.random.Uint32() & 1
		m.all[0].values[world] = w.Exec()
	}
	for _, s := range m.before {
		m.execute(s)
	}
}

// passes follows s, the next instruction, which does not write EXEC.
func (m *laneSets) passes(s *site) {
	if s.idles { // and falls through
		m.all[m.now].some = true
	}
	if !m.begun {
		m.before = append(m.before, s)
		return
	}
	m.execute(s)
}

// execute executes s in all worlds. Scalar results of other instructions are random numbers; EXEC loses lanes by them.
func (m *laneSets) execute(s *site) {
	if s.inst.Row().Control != gcn.NoControl {
		return
	}
	for _, w := range m.worlds {
		if s.inst.Enc <= gcn.SOPP && m.executes(w, s) {
			continue
		}
		before := w.Exec()
		for i := range s.effects {
			if f := &s.effects[i]; f.Write && f.File == gcn.SReg {
				for n := range int(f.Dwords) {
					w.S[(int(f.Code)+n)&(gcn.NumScalarCodes-1)] = m.random.Uint32()
				}
			}
		}
		if w.SCC = m.random.Uint32() & 1; s.vector {
			w.SetExec(before & w.Exec())
		}
	}
}

// isFull reports whether m has as many masks as a batch may have.
func (m *laneSets) isFull() bool { return len(m.all) == maxLaneSets }

// tell records that an access on lanes is noted under the mask of now. It returns that mask if no access before was.
func (m *laneSets) tell() (under int) {
	if m.now == 0 || m.all[m.now].noted {
		return 0
	}
	m.all[m.now].noted = true
	return m.now
}

// includes reports whether the batch has written VGPR r in all lanes that are active now.
func (m *laneSets) includes(r reg) bool {
	for i := 1; i < len(m.all); i++ {
		if m.all[m.now].within>>i&1 != 0 && m.all[i].defines.has(r) {
			return true
		}
	}
	return false
}

// narrow reports whether the lanes that are active now were active when the batch began.
func (m *laneSets) narrow() bool { return m.all[m.now].within&1 != 0 }
