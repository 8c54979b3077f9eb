package alu

import (
	"math"
	"math/bits"

	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/base/simd"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/state"
)

// registerOps are the vector instructions that select registers at run time or write more than one.
var registerOps = executor.Bindings[laneMove]{
	"v_movreld_b32":  func(in *isa.Inst) executor.Exec { return moveRelative(in, false, true) },
	"v_movrels_b32":  func(in *isa.Inst) executor.Exec { return moveRelative(in, true, false) },
	"v_movrelsd_b32": func(in *isa.Inst) executor.Exec { return moveRelative(in, true, true) },
	"v_swap_b32":     swap,
	"v_mqsad_u32_u8": maskedQuadSad,
	"v_clrexcp":      clearExceptions,
	"v_nop": func(*isa.Inst) executor.Exec {
		return func(*state.Wave, *executor.Ports, *isa.Inst, *state.Access) *state.Fault { return nil }
	},
}

// moveRelative moves SRC0 to VDST under EXEC. M0 is added to the number of the source register, the destination
// register, or both. V0 replaces a source that the wave does not have; a destination that it does not have is not
// written (rule ST23).
func moveRelative(in *isa.Inst, source, destination bool) executor.Exec {
	src, dst := vectorSource(in, in.Row(), 0), in.Get(isa.VDST)
	return func(w *state.Wave, _ *executor.Ports, _ *isa.Inst, _ *state.Access) *state.Fault {
		from := src.fetch(w, 0).lo
		if source && src.kind == fromVGPR {
			n, _ := executor.Relative(w, src.code, 1, w.NumVGPRs)
			from = &w.V[n]
		}
		to, ok := dst, true
		if destination {
			to, ok = executor.Relative(w, dst, 1, w.NumVGPRs)
		}
		if ok {
			simd.Merge(&w.V[to], from, w.Exec())
		}
		return nil
	}
}

// swap exchanges VDST and SRC0 in the active lanes.
func swap(in *isa.Inst) executor.Exec {
	src, dst := vectorSource(in, in.Row(), 0), in.Get(isa.VDST)
	return func(w *state.Wave, _ *executor.Ports, _ *isa.Inst, _ *state.Access) *state.Fault {
		to, ok := destination(w, dst, 1)
		if !ok {
			return nil
		}
		a, b := &w.V[to], src.fetch(w, 0).lo
		for m := w.Exec(); m != 0; m &= m - 1 {
			i := bits.TrailingZeros64(m) & 63
			a[i], b[i] = b[i], a[i]
		}
		return nil
	}
}

// maskedQuadSad executes V_MQSAD_U32_U8: four sums in four registers, each saturated.
func maskedQuadSad(in *isa.Inst) executor.Exec {
	a, b := vectorSource(in, in.Row(), 0), vectorSource(in, in.Row(), 1)
	c, dst := in.Get(isa.SRC2)-isa.VGPR0, in.Get(isa.VDST) // SRC2 is a VGPR: [executor.Check] rejects constants
	return func(w *state.Wave, _ *executor.Ports, _ *isa.Inst, _ *state.Access) *state.Fault {
		from, ref := a.fetch(w, 0), b.fetch(w, 1).lo
		dst, ok := destination(w, dst, 4)
		if !ok {
			return nil
		}
		c := c
		if executor.GPRIndexing(w) {
			c, _ = executor.Indexed(w, c, 2, 4)
		}
		for m := w.Exec(); m != 0; m &= m - 1 {
			i := bits.TrailingZeros64(m) & 63
			bytes, r := from.at(i), ref[i]
			var sums [4]uint32
			for n := range sums {
				sum := uint64(w.V[int(c)+n][i]) + uint64(msad8(uint32(bytes>>(8*n)), r))
				sums[n] = uint32(min(sum, math.MaxUint32))
			}
			for n, sum := range sums {
				w.V[int(dst)+n][i] = sum
			}
		}
		return nil
	}
}

// clearExceptions clears the exception bits 6:0 of TRAPSTS.
func clearExceptions(*isa.Inst) executor.Exec {
	return func(w *state.Wave, _ *executor.Ports, _ *isa.Inst, _ *state.Access) *state.Fault {
		w.TrapSts &^= 0x7f
		return nil
	}
}
