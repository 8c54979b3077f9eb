package executor

import (
	"math/bits"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/state"
)

// AlignMask returns the low address bits that an access of size bytes clears, and those that must be zero, else
// MEMVIOL is raised. Source: rule L1 for mode DWORD; rule L2 for the other modes, which GCN 1.0 does not have.
func AlignMask(t gcn.Target, mode state.Alignment, size int) (clear, must uint64) {
	dword := uint64(min(size, 4) - 1)
	if !isa.TraitsOf(t).AlignModes {
		return dword, 0
	}
	switch mode {
	case state.DefaultAlign, state.AlignDword:
		return dword, 0
	case state.AlignDwordStrict:
		return 0, dword
	case state.AlignStrict: // 12 bytes are aligned to 4
		return 0, uint64(size&-size - 1)
	}
	return 0, 0
}

// AtomicAlignMask does what [AlignMask] does, for an atomic. In every mode it must be aligned to its size, else
// MEMVIOL is raised and nothing is done; GCN 1.0 aligns down (rule L4). In mode DWORD the address is first aligned to
// 4 bytes, as rule L1 requires for every operation.
func AtomicAlignMask(t gcn.Target, mode state.Alignment, size int) (clear, must uint64) {
	if !isa.TraitsOf(t).AlignModes {
		return uint64(size - 1), 0
	}
	clear, _ = AlignMask(t, mode, size)
	return clear, uint64(size - 1)
}

// NoteCut sets a.Cut to the lanes whose address, before alignment, has a bit of clear set.
func NoteCut(addr *[state.NumLanes]uint64, clear uint64, a *state.Access) {
	for lane, at := range addr {
		if at&clear != 0 {
			a.Cut |= 1 << lane
		}
	}
	a.Cut &= a.Exec
}

// CheckAlign drops the lanes of mask whose first address has a bit of must set: it adds them to a.Misaligned and, for
// every element, to a.Out, and raises MEMVIOL (rules L2 and L5).
func CheckAlign(w *state.Wave, must, mask uint64, a *state.Access) {
	if must == 0 {
		return
	}
	for ; mask != 0; mask &= mask - 1 {
		lane := bits.TrailingZeros64(mask) & 63
		if a.Addr[lane]&must == 0 {
			continue
		}
		w.TrapSts |= state.TrapMemViol
		a.Misaligned |= 1 << lane
		for i := range a.Out {
			a.Out[i] |= 1 << lane
		}
	}
}
