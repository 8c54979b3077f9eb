package smem

import (
	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/unit"
	"github.com/gcnsim/gcnsim/state"
)

// cacheOp is a cache instruction: the scalar cache holds nothing that memory does not
// (rule SM7).
func cacheOp(*op) unit.Impl { return unit.Impl{Exec: nothing, Level: state.Exact} }

// lineOp is an instruction on lines of the cache.
func lineOp(*op) unit.Impl {
	return unit.Impl{Exec: nothing, Level: state.Approximate, Why: "neither drops nor fetches cache lines"}
}

func nothing(_ *state.Wave, _ *unit.Ports, in *gcn.Inst, a *state.Access) *state.Fault {
	a.Begin(&in.Row().Mem, state.Global, 0)
	a.Op = gcn.NoMem
	return nil
}

// Core cycles of one tick of the clocks. The reference clock is taken to tick once in
// eight of them.
const (
	coreTick = 1
	realTick = 8
)

// instCycles are the cycles of an instruction where no model of time runs: those that 64
// lanes need on 16 units.
const instCycles = 4

// clockImpl is S_MEMTIME and S_MEMREALTIME: a 64-bit time in an SGPR pair (rule SM7).
// Without Ports.Clock it is a function of the instructions that the wave has executed, so
// that runs are reproducible.
func clockImpl(o *op, tick uint64) unit.Impl {
	return unit.Impl{
		Exec: func(w *state.Wave, p *unit.Ports, in *gcn.Inst, a *state.Access) *state.Fault {
			cycles := instCycles * w.Executed
			if p.Clock != nil {
				now, ok := p.Clock(w, in)
				if !ok {
					w.Wait = state.Wait{On: state.ClockTurn}
					return unit.Blocked
				}
				cycles, w.Wait = now, state.Wait{}
			}
			a.Begin(o.mem, state.Global, 0)
			a.Op, a.Scalar, a.Reg, a.Regs = gcn.NoMem, true, uint16(o.sdata), 2
			w.SetScalar64(uint32(o.sdata), cycles/tick)
			return nil
		},
		Level: state.Approximate, Why: "time is that of the timing model if there is one, else four cycles an instruction; the reference clock has an eighth of the core clock",
	}
}
