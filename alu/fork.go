package alu

import (
	"math/bits"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/unit"
	"github.com/gcnsim/gcnsim/state"
)

// The stack of S_CBRANCH_*_FORK and S_CBRANCH_JOIN lies in SGPRs, four for an entry:
// EXEC, then PC. MODE.CSP counts the entries. Source: AMD GCN ISA manuals, "Divergent
// code flow".

const cspShift = 29

func setCSP(w *state.Wave, csp uint32) {
	w.Mode = w.Mode&(1<<cspShift-1) | state.Mode(csp)<<cspShift
}

// fork splits EXEC by cond: the smaller half runs first, the other one is pushed. The
// lanes of cond go to target, the others go on.
func fork(w *state.Wave, cond, target uint64) *state.Fault {
	pass, fail := cond&w.Exec(), ^cond&w.Exec()
	switch {
	case pass == w.Exec():
		w.PC = target
		return nil
	case fail == w.Exec():
		return nil
	}
	csp := w.Mode.CSP()
	if csp == 7 { // three bits
		return state.NewFault(state.FaultIllegal, "the branch stack is full: MODE.CSP is %d", csp)
	}
	mask, pc := fail, w.PC
	if bits.OnesCount64(fail) < bits.OnesCount64(pass) {
		mask, pc = pass, target
		w.SetExec(fail)
	} else {
		w.SetExec(pass)
		w.PC = target
	}
	w.SetScalar64(csp*4, mask)
	w.SetScalar64(csp*4+2, pc)
	setCSP(w, csp+1)
	return nil
}

// join goes on with the other half of a fork, or past it when CSP is that of SSRC0.
func join(w *state.Wave, in *gcn.Inst) *state.Fault {
	csp := w.Mode.CSP()
	if csp == unit.Source(w, in.Get(gcn.SSRC0), in.Get(gcn.LITERAL)) {
		return nil
	}
	if csp == 0 {
		return state.NewFault(state.FaultIllegal, "the branch stack is empty: MODE.CSP is 0")
	}
	csp--
	w.SetExec(w.Scalar64(csp * 4))
	w.PC = w.Scalar64(csp*4 + 2)
	setCSP(w, csp)
	return nil
}
