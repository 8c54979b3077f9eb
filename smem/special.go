package smem

import (
	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/state"
)

// cache executes a cache instruction. The simulator has no scalar cache (rule SM7), so nothing changes.
func cache(*op) executor.Exec { return nothing }

func nothing(_ *state.Wave, _ *executor.Ports, in *isa.Inst, a *state.Access) *state.Fault {
	executor.Begin(a, &in.Row().Mem, state.Global, 0)
	a.Op = gcn.NoMem
	return nil
}

// Core cycles in one tick of the two clocks. The reference clock is assumed to tick once in eight core cycles.
const (
	coreTick = 1
	realTick = 8
)

// instCycles is the duration of an instruction when there is no time model: 64 lanes on 16 units take 4 cycles.
const instCycles = 4

// clock executes S_MEMTIME and S_MEMREALTIME, which write a 64-bit time to an SGPR pair (rule SM7). If Ports.Clock is
// nil, the time follows from the number of instructions that the wave has executed, so that runs are reproducible.
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
