// Package touched computes which dwords and cache lines an access touches. It is separate from package draw so that
// counting cache lines does not link the drawing code.
package touched

import (
	"math/bits"

	"github.com/gcnsim/gcnsim/state"
)

// LineDwords is the number of dwords in a cache line of L1 and L2 (rule CY7).
const LineDwords = 16

// Dwords returns the lanes that touch each dword. The key is the byte address / 4. Lanes out of range touch no dword.
func Dwords(a *state.Access) map[uint64][]int {
	all := map[uint64][]int{}
	lanes := a.Exec &^ a.LDSLanes
	if a.Scalar {
		lanes = 1
	}
	for ; lanes != 0; lanes &= lanes - 1 {
		n := bits.TrailingZeros64(lanes)
		for i := range int(a.Count) {
			out := a.Out[min(i, len(a.Out)-1)]
			if a.Scalar && a.Out[0]>>i&1 != 0 || !a.Scalar && out>>n&1 != 0 {
				continue
			}
			first := a.At(i, n)
			for dword := first / 4; dword <= (first+uint64(a.Elem)-1)/4; dword++ {
				all[dword] = append(all[dword], n)
			}
		}
	}
	return all
}

// Lines returns how many cache lines of 64 bytes an access to memory touches.
func Lines(a *state.Access) int {
	lines := map[uint64]bool{}
	for dword := range Dwords(a) {
		lines[dword/LineDwords] = true
	}
	return len(lines)
}
