package executor

import (
	"math"

	"github.com/gcnsim/gcnsim/internal/base/simd"
	"github.com/gcnsim/gcnsim/state"
)

// Place sets addr to (base + (v+off)) & keep in each lane, where v+off wraps at 32 bits. It returns an upper bound of
// v+off, and whether the addresses are those of consecutive dwords.
func Place(addr *[state.NumLanes]uint64, v *state.Lanes, off uint32, base, keep uint64) (bound uint64, dense bool) {
	bits, uneven := simd.Place(addr, v, off, base, keep)
	if uneven != 0 {
		return uint64(bits), false
	}
	// The registers contain consecutive offsets of dwords; this must not be broken by wrapping or a cleared bit.
	first := uint64(v[0] + off)
	start, end := base+first, base+first+4*(state.NumLanes-1)
	if first+4*(state.NumLanes-1) > math.MaxUint32 || start&keep != start || end&keep != end || start > end {
		return uint64(bits), false
	}
	return first + 4*(state.NumLanes-1), true
}
