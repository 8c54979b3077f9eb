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

// step is the instruction that a wave executes. Analyses see a step twice: before it executes, when its access record
// is still empty, and after.
type step struct {
	*sim.Event
	*site
	wave *wave

	executed uint64 // the number of instructions that the wave executed before this one

	// Registers before the instruction.
	exec, vcc uint64
	m0        uint32
	selected  int // the lane that a scalar operand selects, set for instructions with [isa.SelectLane]

	// The reads and writes of the instruction. For most instructions they are those of the site. For some, they depend
	// on the state of the wave.
	effects []isa.Effect
	reads   *regset
	writes  *regset
	shifted bool // the effects depend on the state of the wave
	outside int  // if shifted, the index of the effect whose registers the wave does not have, -1 if there is none
	noted   bool // the instruction belongs to a batch; its data registers still hold the stored values
	// overtaken says that a later store of the batch may have overwritten the memory of this instruction.
	overtaken bool
	moved     struct {
		effects       []isa.Effect
		reads, writes regset
	} // holds effects, reads and writes if shifted is set
}

// issue sets x to the instruction of e, which is about to execute.
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

// allLanes stands for the lanes of a register that has no lanes, such as an SGPR.
const allLanes = ^uint64(0)

// lanes returns the lanes in which an effect of x reads or writes its registers.
func (x *step) lanes(f *isa.Effect) uint64 {
	if x.wave.onPath() != nil { // on a path, symbolic masks decide instead
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

// onPath returns the paths that w follows with symbolic values, or nil if its registers have values.
func (w *wave) onPath() *paths {
	if w == nil || w.paths == nil || w.paths.words == nil {
		return nil
	}
	return w.paths
}

// wave is the state of a wave, with the state that the analyses keep about it.
type wave struct {
	*state.Wave
	counters counters
	vccz     vccz
	stamps   stamps
	race     raceWave
	shadow   *regShadow // the undefined bits of registers, nil if the checker does not look for [Uninit]
	m0       origin     // where the value of M0 comes from, if the checker looks for [OutOfRange]
	paths    *paths     // the paths that the wave follows, nil in a run

	came cameTo // the count of barriers that the wave reached, if the checker looks for [SkippedBarrier]

	branched *site // the last instruction that the wave executed if it is a branch, else nil

	begun bool // the initial MODE and STATUS of the wave have been checked
}

// begin resets w for the wave next.
func (w *wave) begin(next *state.Wave) {
	w.Wave = next
	w.counters.reset()
	w.vccz = vccz{}
	w.stamps.reset()
	w.race.reset()
	w.m0 = origin{}
	w.begun, w.came, w.branched = false, cameTo{}, nil
}
