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

// laneMove makes what executes a vector instruction that is no kernel: one that moves lanes
// or chooses registers.
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

// readFirstLane reads the lowest active lane, lane 0 if EXEC is zero.
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

// vectorSelect says what is wrong with a VGPR where a lane move needs a scalar.
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

// laneSelect binds SRC1 of VOP3, or the operand code in VSRC1 of GCN 1.0 and 1.1.
func laneSelect(in *isa.Inst) sreg {
	code := in.Get(isa.VSRC1)
	if in.Enc == isa.VOP3A {
		code = in.Get(isa.SRC1)
	}
	return sourceCode(code, in.Get(isa.LITERAL), isa.B32)
}
