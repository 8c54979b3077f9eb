package smem

import (
	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/state"
)

// cacheOp is a cache instruction: the scalar cache holds nothing that memory does not
// (spec/memory.md 8.7).
func cacheOp(*op) state.Impl { return state.Impl{Exec: nothing, Level: state.Exact} }

// countedOp is a cache instruction that LGKMCNT counts.
func countedOp(*op) state.Impl {
	return state.Impl{Exec: nothingCounted, Level: state.Approximate, Why: "neither drops nor fetches cache lines"}
}

func nothing(_ *state.Wave, _ *state.Ports, in *gcn.Inst, a *state.Access) *state.Fault {
	a.Begin(&in.Row().Mem, state.Global, 0)
	a.Op = gcn.NoMem
	return nil
}

func nothingCounted(w *state.Wave, p *state.Ports, in *gcn.Inst, a *state.Access) *state.Fault {
	w.Issue(0, 0, 1)
	return nothing(w, p, in, a)
}

// Clocks as a function of the instructions that the wave has executed, so that runs are
// reproducible: one instruction takes the four cycles that 64 lanes need on 16 units, and
// the reference clock ticks once in eight core cycles.
func coreTicks(w *state.Wave) uint64 { return 4 * w.Executed }
func realTicks(w *state.Wave) uint64 { return w.Executed / 2 }

// clockImpl is S_MEMTIME and S_MEMREALTIME: a 64-bit time in an SGPR pair (8.7).
func clockImpl(o *op, ticks func(*state.Wave) uint64) state.Impl {
	return state.Impl{
		Exec: func(w *state.Wave, _ *state.Ports, _ *gcn.Inst, a *state.Access) *state.Fault {
			w.Issue(0, 0, o.lgkm)
			a.Begin(o.mem, state.Global, 0)
			a.Op, a.Scalar, a.Reg, a.Regs = gcn.NoMem, true, uint16(o.sdata), 2
			w.SetScalar64(uint32(o.sdata), ticks(w))
			return nil
		},
		Level: state.Approximate, Why: "time is counted in executed instructions",
	}
}
