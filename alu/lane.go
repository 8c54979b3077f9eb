package alu

import (
	"math/bits"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/base/executor"
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

// laneMove makes what executes a vector instruction that is no kernel: one that moves lanes
// or chooses registers.
type laneMove func(in *gcn.Inst) executor.Exec

func (f laneMove) bind(in *gcn.Inst, r *gcn.Row) executor.Impl {
	if why := vectorSelect(in, r); why != "" {
		return executor.Forbidden(why)
	}
	if (in.Has(gcn.SRC0SEL) || in.Has(gcn.DPPCTRL)) && r.Sig.NumSrc > 0 {
		return executor.Impl{Why: "SDWA and DPP forms of " + r.Name + " are not modelled"}
	}
	return executor.Noted(r.Note, f(in))
}

// readFirstLane reads the lowest active lane, lane 0 if EXEC is zero.
func readFirstLane(in *gcn.Inst) executor.Exec {
	src, dst := vectorSource(in, in.Row(), 0), in.Get(gcn.VDST)
	return func(w *state.Wave, _ *executor.Ports, _ *gcn.Inst, _ *state.Access) *state.Fault {
		lane := 0
		if e := w.Exec(); e != 0 {
			lane = bits.TrailingZeros64(e)
		}
		w.S[dst&(gcn.NumScalarCodes-1)] = src.fetch(w, 0).lo[lane&63]
		return nil
	}
}

// readLane reads the lane of the scalar SRC1, modulo 64.
func readLane(in *gcn.Inst) executor.Exec {
	src, sel, dst := vectorSource(in, in.Row(), 0), laneSelect(in), in.Get(gcn.VDST)
	return func(w *state.Wave, _ *executor.Ports, _ *gcn.Inst, _ *state.Access) *state.Fault {
		w.S[dst&(gcn.NumScalarCodes-1)] = src.fetch(w, 0).lo[sel.read(w)&63]
		return nil
	}
}

// writeLane writes the scalar SRC0 to the lane of the scalar SRC1, modulo 64.
func writeLane(in *gcn.Inst) executor.Exec {
	val, sel, dst := sourceCode(in.Get(gcn.SRC0), in.Get(gcn.LITERAL), gcn.B32), laneSelect(in), in.Get(gcn.VDST)
	return func(w *state.Wave, _ *executor.Ports, _ *gcn.Inst, _ *state.Access) *state.Fault {
		w.V[destination(w, dst, 1)][sel.read(w)&63] = uint32(val.read(w))
		return nil
	}
}

// vectorSelect says what is wrong with a VGPR where a lane move needs a scalar.
func vectorSelect(in *gcn.Inst, r *gcn.Row) string {
	switch {
	case !r.Has(gcn.ScalarSrc1):
	case in.Get(gcn.SRC1) >= gcn.VGPR0:
		return "the lane select of " + r.Name + " must be scalar"
	case !r.Has(gcn.ScalarDst) && in.Get(gcn.SRC0) >= gcn.VGPR0:
		return "the value of " + r.Name + " must be scalar"
	}
	return ""
}

// laneSelect binds SRC1 of VOP3, or the operand code in VSRC1 of GCN 1.0 and 1.1.
func laneSelect(in *gcn.Inst) sreg {
	code := in.Get(gcn.VSRC1)
	if in.Enc == gcn.VOP3A {
		code = in.Get(gcn.SRC1)
	}
	return sourceCode(code, in.Get(gcn.LITERAL), gcn.B32)
}
