package state

// Issue counts operations that are outstanding from now on in VMCNT, EXPCNT and
// LGKMCNT. An instruction that would overflow a counter waits until the counter has
// room, so that a counter never exceeds its maximum (spec/hazards.md 1).
func (w *Wave) Issue(vm, exp, lgkm uint8) {
	w.VMCnt = min(w.VMCnt+vm, w.T.MaxVM)
	w.EXPCnt = min(w.EXPCnt+exp, w.T.MaxEXP)
	w.LGKMCnt = min(w.LGKMCnt+lgkm, w.T.MaxLGKM)
}
