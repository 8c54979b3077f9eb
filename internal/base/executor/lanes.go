package executor

import (
	"math/bits"

	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/state"
)

// DPP is the data-parallel permutation of SRC0 in an instruction. Source: GcnSdwaDpp (CLRX) and the AMD GCN3 ISA
// manual, VOP_DPP. Lanes are numbered 0 to 63; a DPP row is 16 of them.
type DPP struct {
	From    [state.NumLanes]uint8 // the lane that each lane reads, if its bit in Valid is set
	Valid   uint64                // lanes whose source lane exists, in the same DPP row where DPP_CTRL requires it
	Enabled uint64                // lanes that BANK_MASK and ROW_MASK enable
	Zero    bool                  // BOUND_CTRL: lanes without a source lane read 0 instead of being disabled
}

// DPPOf returns the permutation of in, which must be in a DPP encoding. ok is false if its DPP_CTRL is reserved.
func DPPOf(in *isa.Inst) (d DPP, ok bool) {
	d.Zero = in.Bool(isa.BOUNDCTRL)
	ctrl, banks, rows := in.Get(isa.DPPCTRL), in.Get(isa.BANKMASK), in.Get(isa.ROWMASK)
	for i := range state.NumLanes {
		from, ok := DPPLane(ctrl, i)
		if !ok {
			return DPP{}, false
		}
		if from >= 0 && from < state.NumLanes {
			d.From[i] = uint8(from)
			d.Valid |= 1 << i
		}
		if banks>>(i>>2&3)&1 != 0 && rows>>(i>>4)&1 != 0 {
			d.Enabled |= 1 << i
		}
	}
	return d, true
}

// Lanes returns the lanes that read a value, from a lane that is in exec, and the lanes of exec that write a result.
func (d *DPP) Lanes(exec uint64) (read, write uint64) {
	read = d.Valid
	if exec != state.FullExec {
		for i, from := range &d.From {
			read &^= (exec>>(from&63)&1 ^ 1) << i
		}
	}
	write = exec & d.Enabled
	if !d.Zero {
		write &= read
	}
	return read, write
}

// DPPLane returns the lane that lane i reads under DPP_CTRL ctrl. The lane may be outside of the wave. ok is false if
// ctrl is reserved.
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
	return wholeDPPLane(ctrl, i)
}

// wholeDPPLane does what [DPPLane] does, for the controls without a distance.
func wholeDPPLane(ctrl uint32, i int) (from int, ok bool) {
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
	case 0x142: // row_bcast:15: lanes of the first row read themselves
		if i > 15 {
			return i&^15 - 1, true
		}
		return i, true
	case 0x143: // row_bcast:31: lanes of the first two rows read themselves
		return min(i, 31), true
	}
	return 0, false
}

// PermuteLane returns the lane that DS_PERMUTE_B32 writes to, or DS_BPERMUTE_B32 reads from, in a lane whose address
// is addr (rule DS8).
func PermuteLane(addr, offset uint32) uint32 { return (addr + offset) / 4 % state.NumLanes }

// Modes of DS_SWIZZLE_B32 that GCN 1.2 added to OFFSET[15:13] (rule DS7).
const (
	SwizzleRotate = 0xc000
	swizzleFFT    = 0xe000
)

// SwizzleSource returns the lane that lane reads under the pattern of DS_SWIZZLE_B32 (rule DS7). modes tells whether
// the generation has rotate and FFT modes.
func SwizzleSource(pattern, lane uint32, modes bool) uint32 {
	if modes && pattern >= SwizzleRotate {
		return swizzleMode(pattern, lane)
	}
	if pattern>>15 != 0 { // two bits for each lane of a quad
		return lane&^3 + pattern>>(2*(lane&3))&3
	}
	and, or, xor := pattern&31, pattern>>5&31, pattern>>10&31
	return lane&32 + (lane&31&and | or) ^ xor
}

// swizzleMode does what SwizzleSource does, for the rotate and FFT modes, which stay within 32 lanes. Source: AMD
// RDNA3 ISA manual, DS_SWIZZLE_B32.
func swizzleMode(pattern, lane uint32) uint32 {
	mask := pattern & 31
	if pattern >= swizzleFFT {
		reversed := uint32(bits.Reverse8(uint8(lane)) >> 3)
		return lane&32 | lane&mask | reversed>>bits.OnesCount32(mask)
	}
	by := pattern >> 5 & 31
	if pattern>>10&1 != 0 {
		by = -by
	}
	return lane&32 | lane&mask | (lane+by)&31&^mask
}
