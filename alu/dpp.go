package alu

import (
	"fmt"

	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/base/simd"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/state"
)

func dppOf(in *isa.Inst) (*executor.DPP, string) {
	d, ok := executor.DPPOf(in)
	if !ok {
		return nil, fmt.Sprintf("DPP_CTRL 0x%x is not defined", in.Get(isa.DPPCTRL))
	}
	return &d, ""
}

// DPPLane returns the lane that lane i reads under the DPP control ctrl. The lane may be outside the wave. ok is
// false if ctrl is reserved.
func DPPLane(ctrl uint32, i int) (from int, ok bool) { return executor.DPPLane(ctrl, i) }

// permute returns src permuted by DPP, and the lanes that take part. A source lane that EXEC disables is invalid, in
// the same way as a lane outside of the DPP row or the wave.
func permute(d *executor.DPP, w *state.Wave, src *state.Lanes, exec uint64) (*state.Lanes, uint64) {
	out := &w.Temp()[tempDPP]
	for i, from := range &d.From {
		out[i] = src[from&63]
	}
	read, write := d.Lanes(exec)
	if d.Zero {
		simd.Merge(out, &zeroLanes, ^read)
	}
	return out, write
}
