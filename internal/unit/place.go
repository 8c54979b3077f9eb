package unit

import (
	"math"

	"github.com/gcnsim/gcnsim/state"
)

// Place sets addr to (base + (v+off)) & keep of each lane, where v+off wraps at 32 bits.
// It returns a bound that no v+off exceeds, and whether the addresses are those of
// consecutive dwords.
func Place(addr *[state.NumLanes]uint64, v *state.Lanes, off uint32, base, keep uint64) (bound uint64, dense bool) {
	if dwords(v) {
		first := uint64(v[0] + off)
		start, end := base+first, base+first+4*(state.NumLanes-1)
		if first+4*(state.NumLanes-1) <= math.MaxUint32 && start&keep == start && end&keep == end && start <= end {
			for lane := 0; lane < state.NumLanes; lane += 4 {
				a := (*[4]uint64)(addr[lane : lane+4])
				a[0], a[1], a[2], a[3] = start, start+4, start+8, start+12
				start += 16
			}
			return first + 4*(state.NumLanes-1), true
		}
	}
	for lane := 0; lane < state.NumLanes; lane += 4 {
		x, a := (*[4]uint32)(v[lane:lane+4]), (*[4]uint64)(addr[lane:lane+4])
		o0, o1, o2, o3 := uint64(x[0]+off), uint64(x[1]+off), uint64(x[2]+off), uint64(x[3]+off)
		a[0], a[1], a[2], a[3] = base+o0, base+o1, base+o2, base+o3
		bound |= o0 | o1 | o2 | o3
	}
	if (base|bound|(base+bound))&^keep != 0 { // else no sum has a bit to clear
		for lane := range addr {
			addr[lane] &= keep
		}
	}
	return bound, false
}

// dwords reports whether the lanes hold v[0], v[0]+4, v[0]+8 and so on.
func dwords(v *state.Lanes) bool {
	if v[state.NumLanes-1]-v[0] != 4*(state.NumLanes-1) || v[0] > math.MaxUint32-4*(state.NumLanes-1) {
		return false
	}
	return differ(v, uint64(v[0])|uint64(v[0]+4)<<32, 8<<32|8) == 0
}

// Uniform reports whether all lanes hold the same value.
func Uniform(v *state.Lanes) bool {
	return v[0] == v[state.NumLanes-1] && differ(v, uint64(v[0])|uint64(v[0])<<32, 0) == 0
}

// differ returns 0 if the lanes, two at a time, hold want, want+step, want+2*step and so
// on.
func differ(v *state.Lanes, want, step uint64) (diff uint64) {
	for i := 0; i < state.NumLanes; i += 8 {
		x := (*[8]uint32)(v[i : i+8])
		diff |= (uint64(x[0]) | uint64(x[1])<<32) ^ want
		want += step
		diff |= (uint64(x[2]) | uint64(x[3])<<32) ^ want
		want += step
		diff |= (uint64(x[4]) | uint64(x[5])<<32) ^ want
		want += step
		diff |= (uint64(x[6]) | uint64(x[7])<<32) ^ want
		want += step
	}
	return diff
}
