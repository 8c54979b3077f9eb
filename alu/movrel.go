package alu

import (
	"math"
	"math/bits"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/base/simd"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/state"
)

// registerOps are the vector instructions that choose registers while they run or
// write more than one.
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

// moveRelative moves SRC0 to VDST under EXEC; M0 is added to the number of the source
// register, of the destination, or of both.
func moveRelative(in *isa.Inst, source, destination bool) executor.Exec {
	src, dst := vectorSource(in, in.Row(), 0), in.Get(isa.VDST)
	return func(w *state.Wave, _ *executor.Ports, _ *isa.Inst, _ *state.Access) *state.Fault {
		from := src.fetch(w, 0).lo
		if source && src.kind == fromVGPR {
			n, f := relative(w, src.code)
			if f != nil {
				return f
			}
			from = &w.V[n]
		}
		to := uint64(dst)
		if destination {
			var f *state.Fault
			if to, f = relative(w, dst); f != nil {
				return f
			}
		}
		simd.Merge(&w.V[to], from, w.Exec())
		return nil
	}
}

// relative is VGPR n + M0.
func relative(w *state.Wave, n uint32) (uint64, *state.Fault) {
	at := uint64(n) + uint64(w.S[gcn.M0])
	if at >= uint64(w.NumVGPRs) {
		return 0, executor.NewFault(state.FaultRegister, "v[%d + M0] with M0 = 0x%x is beyond the wave's %d VGPRs", n,
			w.S[gcn.M0], w.NumVGPRs)
	}
	return at, nil
}

// swap exchanges VDST and SRC0 in the active lanes.
func swap(in *isa.Inst) executor.Exec {
	src, dst := vectorSource(in, in.Row(), 0), in.Get(isa.VDST)
	return func(w *state.Wave, _ *executor.Ports, _ *isa.Inst, _ *state.Access) *state.Fault {
		a, b := &w.V[destination(w, dst, 1)], src.fetch(w, 0).lo
		for m := w.Exec(); m != 0; m &= m - 1 {
			i := bits.TrailingZeros64(m) & 63
			a[i], b[i] = b[i], a[i]
		}
		return nil
	}
}

// maskedQuadSad is V_MQSAD_U32_U8: four sums in four registers, each saturated.
func maskedQuadSad(in *isa.Inst) executor.Exec {
	a, b := vectorSource(in, in.Row(), 0), vectorSource(in, in.Row(), 1)
	c, dst := in.Get(isa.SRC2)-isa.VGPR0, in.Get(isa.VDST) // [executor.Check] lets no constant through
	return func(w *state.Wave, _ *executor.Ports, _ *isa.Inst, _ *state.Access) *state.Fault {
		from, ref := a.fetch(w, 0), b.fetch(w, 1).lo
		c, dst := c, dst
		if executor.GPRIndexing(w) {
			c, dst = indexed(w, c, 2, 4), indexed(w, dst, indexDst, 4)
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
