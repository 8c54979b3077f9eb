package smem

import (
	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/state"
)

// cache is a cache instruction: the scalar cache holds nothing that memory does not (rule
// SM7).
func cache(*op) executor.Exec { return nothing }

func nothing(_ *state.Wave, _ *executor.Ports, in *isa.Inst, a *state.Access) *state.Fault {
	executor.Begin(a, &in.Row().Mem, state.Global, 0)
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

// clock is S_MEMTIME and S_MEMREALTIME: a 64-bit time in an SGPR pair (rule SM7). Without
// Ports.Clock it is a function of the instructions that the wave has executed, so that
// runs are reproducible.
func (o *op) clock(tick uint64) executor.Exec {
	return func(w *state.Wave, p *executor.Ports, in *isa.Inst, a *state.Access) *state.Fault {
		cycles := instCycles * w.Executed
		if p.Clock != nil {
			now, ok := p.Clock(w, in)
			if !ok {
				w.Wait = state.ClockTurn
				return executor.Blocked
			}
			cycles, w.Wait = now, state.NoWait
		}
		executor.Begin(a, o.mem, state.Global, 0)
		a.Op, a.Scalar, a.Reg, a.Regs = gcn.NoMem, true, uint16(o.sdata), 2
		w.SetScalar64(uint32(o.sdata), cycles/tick)
		return nil
	}
}
