package alu

import (
	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/unit"
)

// Bind returns how in executes. Exec is nil, with the reason in Why, if the instruction
// or this form of it does not execute here. The function is bound to in: it may be
// called for many waves at a time, but not with another instruction.
func Bind(in *gcn.Inst) unit.Impl {
	r := in.Row()
	if level, why := r.Fidelity(); level == gcn.NotExecuted {
		return unit.Impl{Why: why}
	}
	switch r.Enc {
	case gcn.SOP1, gcn.SOP2, gcn.SOPC, gcn.SOPK, gcn.SOPP:
		return bindScalar(in, r)
	case gcn.VOP1, gcn.VOP2, gcn.VOPC, gcn.VOP3A, gcn.VOP3B, gcn.VOP3P:
		return bindVector(in, r)
	case gcn.EXP:
		return unit.Noted(r.Note, export)
	}
	return unit.Impl{Why: "not an ALU instruction"}
}
