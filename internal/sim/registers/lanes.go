package registers

import "github.com/gcnsim/gcnsim/state"

// Whole returns the lanes of mask whose elements lie one after another and are all in range:
// their access is one of so many bytes.
func Whole(a *state.Access, mask uint64) uint64 {
	if a.Split {
		return 0
	}
	for _, out := range a.Out[:min(int(a.Count), len(a.Out))] {
		mask &^= out
	}
	return mask
}
