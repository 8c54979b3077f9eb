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

// DPPLane returns the lane that lane i reads, which may be outside the wave, and
// whether ctrl is defined.
func DPPLane(ctrl uint32, i int) (from int, ok bool) { return executor.DPPLane(ctrl, i) }

// permute returns src as the lanes see it and the lanes that take part. A source lane
// that EXEC switches off is invalid, as one outside the row or wave is.
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
