package executor

import (
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/state"
)

// WaitStates returns the number of wait states that in counts as, for other instructions (rule W11).
func WaitStates(in *isa.Inst) int {
	if in.Row().Control != isa.Idles {
		return 1
	}
	return 1 + int(in.Get(isa.SIMM16)&(1<<isa.TraitsOf(in.Target).NopBits-1))
}

// Issue increments the counters of outstanding operations for an issued instruction; the run loop calls it for every
// instruction. On hardware an instruction that would overflow a counter waits until the counter has room, so that a
// counter never exceeds its maximum (rule W9).
func Issue(w *state.Wave, c isa.Counts) {
	t := isa.TraitsOf(w.Target)
	w.VMCnt = min(w.VMCnt+c.VM, t.MaxVM)
	w.EXPCnt = min(w.EXPCnt+c.EXP, t.MaxEXP)
	w.LGKMCnt = min(w.LGKMCnt+c.LGKM, t.MaxLGKM)
}
