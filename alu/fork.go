package alu

import (
	"math/bits"

	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/state"
)

// The stack of S_CBRANCH_*_FORK and S_CBRANCH_JOIN is in SGPRs. An entry has four SGPRs: EXEC, then PC. MODE.CSP
// counts the entries. Source: AMD GCN ISA manuals, "Divergent code flow".

// fork splits the lanes of EXEC by cond. The smaller half executes first, the other half is pushed. The lanes of cond
// continue at target, the others at the next instruction.
func fork(w *state.Wave, cond, target uint64) *state.Fault {
	pass, fail := cond&w.Exec(), ^cond&w.Exec()
	switch {
	case pass == w.Exec():
		w.PC = target
		return nil
	case fail == w.Exec():
		return nil
	}
	depth := csp(w)
	if depth == 7 { // CSP has three bits
		return executor.NewFault(state.FaultIllegal, "the branch stack is full: MODE.CSP is %d", depth)
	}
	mask, pc := fail, w.PC
	if bits.OnesCount64(fail) < bits.OnesCount64(pass) {
		mask, pc = pass, target
		w.SetExec(fail)
	} else {
		w.SetExec(pass)
		w.PC = target
	}
	w.SetScalar64(depth*4, mask)
	w.SetScalar64(depth*4+2, pc)
	setCSP(w, depth+1)
	return nil
}

// join continues with the other half of a fork. When CSP equals the depth in SSRC0, it continues behind the join.
func join(w *state.Wave, in *isa.Inst) *state.Fault {
	depth := csp(w)
	if depth == executor.Source(w, in.Get(isa.SSRC0), in.Get(isa.LITERAL)) {
		return nil
	}
	if depth == 0 {
		return executor.NewFault(state.FaultIllegal, "the branch stack is empty: MODE.CSP is 0")
	}
	depth--
	w.SetExec(w.Scalar64(depth * 4))
	w.PC = w.Scalar64(depth*4 + 2)
	setCSP(w, depth)
	return nil
}
