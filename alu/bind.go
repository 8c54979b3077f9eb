package alu

import (
	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/unit"
	"github.com/gcnsim/gcnsim/state"
)

// Bind returns how in executes. Exec is nil, with the reason in Why, if the instruction
// or this form of it does not execute here. The function is bound to in: it may be
// called for many waves at a time, but not with another instruction.
func Bind(in *gcn.Inst) unit.Impl {
	r := in.Row()
	if why := unmodelled[r.Name]; why != "" {
		return unit.Impl{Why: why}
	}
	switch r.Enc {
	case gcn.SOP1, gcn.SOP2, gcn.SOPC, gcn.SOPK, gcn.SOPP:
		return bindScalar(in, r)
	case gcn.VOP1, gcn.VOP2, gcn.VOPC, gcn.VOP3A, gcn.VOP3B, gcn.VOP3P:
		return bindVector(in, r)
	case gcn.VINTRP:
		return unit.Impl{Why: interpolation}
	case gcn.EXP:
		return noted(r, export)
	}
	return unit.Impl{Why: "not an ALU instruction"}
}

// exact is the result of a Bind whose semantics the manuals state.
func exact(exec unit.Exec) unit.Impl { return unit.Impl{Exec: exec, Level: state.Exact} }
