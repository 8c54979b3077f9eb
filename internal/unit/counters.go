package unit

import (
	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/state"
)

// Issue counts what an instruction leaves outstanding; the run loop does so for every
// instruction. One that would overflow a counter waits until the counter has room, so that
// a counter never exceeds its maximum (rule W9).
func Issue(w *state.Wave, c gcn.Counts) {
	t := w.Target.Traits()
	w.VMCnt = min(w.VMCnt+c.VM, t.MaxVM)
	w.EXPCnt = min(w.EXPCnt+c.EXP, t.MaxEXP)
	w.LGKMCnt = min(w.LGKMCnt+c.LGKM, t.MaxLGKM)
}
