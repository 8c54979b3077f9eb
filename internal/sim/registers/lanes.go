package registers

import (
	"math/bits"

	"github.com/gcnsim/gcnsim/state"
)

// Whole returns the lanes of mask whose elements are adjacent and all in range, so that their access is a single
// range of bytes.
func Whole(a *state.Access, mask uint64) uint64 {
	if a.Split {
		return 0
	}
	for _, out := range a.Out[:min(int(a.Count), len(a.Out))] {
		mask &^= out
	}
	return mask
}

// Elements calls each with the bytes that an access reached: an element that is in range, or all of a lane's if they
// lie one after another. Private memory counts as global memory: its addresses are addresses there.
func Elements(a *state.Access, each func(space state.Space, addr, size uint64, lane int)) {
	space, size := a.Space, uint64(a.Elem)
	if space == state.Scratch {
		space = state.Global
	}
	if a.Scalar {
		for i := range int(a.Count) {
			if a.Out[0]>>i&1 == 0 {
				each(space, a.At(i, 0), size, 0)
			}
		}
		return
	}
	whole := Whole(a, a.Exec)
	for m := a.Exec; m != 0; m &= m - 1 {
		lane, where := bits.TrailingZeros64(m)&63, space
		if a.LDSLanes>>lane&1 != 0 {
			where = state.LDS
		}
		if whole>>lane&1 != 0 {
			each(where, a.Addr[lane], size*uint64(a.Count), lane)
			continue
		}
		for i := range int(a.Count) {
			if a.Out[min(i, len(a.Out)-1)]>>lane&1 == 0 {
				each(where, a.At(i, lane), size, lane)
			}
		}
	}
}
