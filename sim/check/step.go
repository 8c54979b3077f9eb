package check

import (
	"github.com/gcnsim/gcnsim/gcn"
	native "github.com/gcnsim/gcnsim/internal/base/block"
	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/base/simd"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/sim/registers"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/state"
)

// step is an instruction that a wave executes, as analyses see it: before it executes,
// when its access record says nothing yet, and after.
type step struct {
	*sim.Event
	*site
	wave *wave

	executed uint64 // instructions that the wave had executed before

	// Registers before the instruction.
	exec, vcc uint64
	m0        uint32
	selected  int // the lane that a scalar operand selects, of instructions with [isa.SelectLane]

	// What it reads and writes. Of most instructions these are the effects of the site; of some
	// they depend on the state of the wave.
	effects []isa.Effect
	reads   *regset
	writes  *regset
	shifted bool // they do
	outside int  // if they do, the effect whose registers the wave does not have, -1 if there is none
	noted   bool // it is one of a batch; if it stores, its registers hold what it has stored
	// overtaken is set if other stores of the batch to its memory may have come after it.
	overtaken bool
	moved     struct {
		effects       []isa.Effect
		reads, writes regset
	} // then they are here
}

// issue makes x the instruction of e, which is about to execute.
func (x *step) issue(e *sim.Event, s *site) {
	w := e.Wave
	x.Event, x.site = e, s
	x.executed, x.exec, x.vcc, x.m0 = w.Executed, w.Exec(), w.Scalar64(gcn.VCC), w.S[gcn.M0]
	x.effects, x.reads, x.writes = s.effects, &s.reads, &s.writes
	if x.shifted = s.moves || s.valu && executor.GPRIndexing(w); x.shifted {
		x.move()
	}
	if s.selects {
		x.selected = registers.SelectedLane(w, (*isa.Inst)(x.Inst))
	}
}

// isNoted reports whether x is an instruction of a batch.
func (x *step) isNoted() bool { return native.Compiles && x.noted }

// all are the lanes of a register that has none.
const allLanes = ^uint64(0)

// lanes returns the lanes in which an effect of x reads or writes its registers.
func (x *step) lanes(f *isa.Effect) uint64 {
	if x.wave.onPath() != nil { // it decides by masks
		return allLanes
	}
	switch f.Lanes {
	case isa.ActiveLanes:
		return x.exec
	case isa.MovedLanes:
		return x.fetched()
	case isa.FirstLane:
		return 1 << simd.FirstLane(x.exec)
	case isa.SelectLane:
		return 1 << x.selected
	}
	return allLanes
}

// onPath returns the paths whose values w has, nil if it has its own.
func (w *wave) onPath() *paths {
	if w == nil || w.paths == nil || w.paths.words == nil {
		return nil
	}
	return w.paths
}

// wave is what a checker keeps of a wave.
type wave struct {
	*state.Wave
	counters counters
	vccz     vccz
	stamps   stamps
	race     raceWave
	shadow   *regShadow // of checkers that look for [Uninit]
	m0       origin     // what has set M0, of checkers that look for [OutOfRange]
	paths    *paths     // whose path it follows, nil of a wave of a run

	came cameTo // of checkers that look for [SkippedBarrier]

	branched *site // the branch that it has just executed, nil if the latest instruction is none

	begun bool // MODE and STATUS, with which it began, have been looked at
}

// begin resets w, so that it can follow the wave next.
func (w *wave) begin(next *state.Wave) {
	w.Wave = next
	w.counters.reset()
	w.vccz = vccz{}
	w.stamps.reset()
	w.race.reset()
	w.m0 = origin{}
	w.begun, w.came, w.branched = false, cameTo{}, nil
}
