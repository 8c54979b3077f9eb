package alu

import (
	"fmt"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/simd"
	"github.com/gcnsim/gcnsim/state"
)

// dpp is a bound data-parallel permutation of SRC0. Source: GcnSdwaDpp (CLRX) and the
// AMD GCN3 ISA manual, VOP_DPP; lanes are numbered 0 to 63, a row is 16 of them.
type dpp struct {
	from    [state.NumLanes]uint8 // source lane
	valid   uint64                // lanes with a source lane
	enabled uint64                // lanes that BANK_MASK and ROW_MASK leave on
	zero    bool                  // BOUND_CTRL: lanes without a source read 0 instead of staying off
}

func dppOf(in *gcn.Inst) (*dpp, string) {
	d := &dpp{zero: in.Bool(gcn.BOUNDCTRL)}
	ctrl, banks, rows := in.Get(gcn.DPPCTRL), in.Get(gcn.BANKMASK), in.Get(gcn.ROWMASK)
	for i := range state.NumLanes {
		from, ok := DPPLane(ctrl, i)
		if !ok {
			return nil, fmt.Sprintf("DPP_CTRL 0x%x is not defined", ctrl)
		}
		if from >= 0 && from < state.NumLanes {
			d.from[i] = uint8(from)
			d.valid |= 1 << i
		}
		if banks>>(i>>2&3)&1 != 0 && rows>>(i>>4)&1 != 0 {
			d.enabled |= 1 << i
		}
	}
	return d, ""
}

// DPPLane returns the lane that lane i reads, which may be outside the wave, and
// whether ctrl is defined.
func DPPLane(ctrl uint32, i int) (from int, ok bool) {
	row, n := i&^15, int(ctrl&15)
	inRow := func(at int) int {
		if at < 0 || at > 15 {
			return -1
		}
		return row + at
	}
	switch {
	case ctrl <= 0xff: // quad_perm
		return i&^3 + int(ctrl>>(2*(i&3))&3), true
	case ctrl > 0x100 && ctrl <= 0x10f: // row_shl
		return inRow(i&15 + n), true
	case ctrl > 0x110 && ctrl <= 0x11f: // row_shr
		return inRow(i&15 - n), true
	case ctrl > 0x120 && ctrl <= 0x12f: // row_ror
		return row + (i-n)&15, true
	}
	switch ctrl {
	case 0x130: // wave_shl:1
		return i + 1, true
	case 0x134: // wave_rol:1
		return (i + 1) & 63, true
	case 0x138: // wave_shr:1
		return i - 1, true
	case 0x13c: // wave_ror:1
		return (i - 1) & 63, true
	case 0x140: // row_mirror
		return i ^ 15, true
	case 0x141: // row_half_mirror
		return i ^ 7, true
	case 0x142: // row_bcast:15: the first row keeps its own lanes
		if i > 15 {
			return row - 1, true
		}
		return i, true
	case 0x143: // row_bcast:31: the first two rows keep their own lanes
		if i > 31 {
			return 31, true
		}
		return i, true
	}
	return 0, false
}

// permute returns src as the lanes see it and the lanes that take part. A source lane
// that EXEC switches off is invalid, as one outside the row or wave is.
func (d *dpp) permute(w *state.Wave, src *state.Lanes, exec uint64) (*state.Lanes, uint64) {
	out := &w.Temp()[tempDPP]
	for i, from := range &d.from {
		out[i] = src[from&63]
	}
	good := d.valid
	if exec != state.FullExec {
		for i, from := range &d.from {
			good &^= (exec>>(from&63)&1 ^ 1) << i
		}
	}
	mask := exec & d.enabled
	if !d.zero {
		return out, mask & good
	}
	simd.Merge(out, &zeroLanes, ^good)
	return out, mask
}
