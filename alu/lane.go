package alu

import (
	"math/bits"

	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/state"
)

// laneOps are the instructions that move single lanes between vector and scalar
// registers. They ignore EXEC except for v_readfirstlane_b32.
var laneOps = executor.Bindings[laneMove]{
	"v_readfirstlane_b32":  readFirstLane,
	"v_readlane_b32":       readLane,
	"v_readlane_regrd_b32": readLane,
	"v_writelane_b32":      writeLane,
}

// laneMove returns the executor of a vector instruction that is not a kernel: one that moves lanes or selects
// registers at run time.
type laneMove func(in *isa.Inst) executor.Exec

func (f laneMove) bind(in *isa.Inst, r *isa.Row) executor.Impl {
	if why := vectorSelect(in, r); why != "" {
		return executor.Forbidden(why)
	}
	if (in.Has(isa.SRC0SEL) || in.Has(isa.DPPCTRL)) && r.Sig.NumSrc > 0 {
		return executor.Impl{Why: "SDWA and DPP forms of " + r.Name + " are not modelled"}
	}
	return executor.Noted(r.Note, f(in))
}

// readFirstLane reads the lowest active lane, or lane 0 if no lane is active.
func readFirstLane(in *isa.Inst) executor.Exec {
	src, dst := vectorSource(in, in.Row(), 0), in.Get(isa.VDST)
	return func(w *state.Wave, _ *executor.Ports, _ *isa.Inst, _ *state.Access) *state.Fault {
		lane := 0
		if e := w.Exec(); e != 0 {
			lane = bits.TrailingZeros64(e)
		}
		w.S[dst&(isa.NumScalarCodes-1)] = src.fetch(w, 0).lo[lane&63]
		return nil
	}
}

// readLane reads the lane of the scalar SRC1, modulo 64.
func readLane(in *isa.Inst) executor.Exec {
	src, sel, dst := vectorSource(in, in.Row(), 0), laneSelect(in), in.Get(isa.VDST)
	return func(w *state.Wave, _ *executor.Ports, _ *isa.Inst, _ *state.Access) *state.Fault {
		w.S[dst&(isa.NumScalarCodes-1)] = src.fetch(w, 0).lo[sel.read(w)&63]
		return nil
	}
}

// writeLane writes the scalar SRC0 to the lane of the scalar SRC1, modulo 64.
func writeLane(in *isa.Inst) executor.Exec {
	val, sel, dst := sourceCode(in.Get(isa.SRC0), in.Get(isa.LITERAL), isa.B32), laneSelect(in), in.Get(isa.VDST)
	return func(w *state.Wave, _ *executor.Ports, _ *isa.Inst, _ *state.Access) *state.Fault {
		if at, ok := destination(w, dst, 1); ok {
			w.V[at][sel.read(w)&63] = uint32(val.read(w))
		}
		return nil
	}
}

// vectorSelect returns an error text if a lane move has a VGPR where it needs a scalar, "" otherwise.
func vectorSelect(in *isa.Inst, r *isa.Row) string {
	switch {
	case !r.Has(isa.ScalarSrc1):
	case in.Get(isa.SRC1) >= isa.VGPR0:
		return "the lane select of " + r.Name + " must be scalar"
	case !r.Has(isa.ScalarDst) && in.Get(isa.SRC0) >= isa.VGPR0:
		return "the value of " + r.Name + " must be scalar"
	}
	return ""
}

// laneSelect binds the lane number: SRC1 of VOP3, or the operand code in VSRC1 on GCN 1.0 and 1.1.
func laneSelect(in *isa.Inst) sreg {
	code := in.Get(isa.VSRC1)
	if in.Enc == isa.VOP3A {
		code = in.Get(isa.SRC1)
	}
	return sourceCode(code, in.Get(isa.LITERAL), isa.B32)
}
