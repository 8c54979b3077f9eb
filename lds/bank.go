package lds

import (
	"math/bits"

	"github.com/gcnsim/gcnsim/state"
)

// NumBanks is how many banks the LDS has: bank b holds the dwords whose byte address has b
// in bits 6:2. Source: rule CY10.
const NumBanks = 32

// BankUse describes how the banks of the LDS serve one access of a wave. The LDS serves the
// lanes in groups, its phases, one after the other; a phase takes as many cycles as its
// busiest bank has different dwords to give or take. Lanes that want the same dword
// share it.
type BankUse struct {
	Phases []uint64 // the lanes of each of the 2, 4 or 8 phases, as masks; callers must not change them
	Degree [8]int   // of each phase: its cycles, 1 without a conflict, 0 without an active lane
	Worst  int      // the largest degree: 1 is free of conflicts, 0 an access without lanes
	Cycles int      // clocks of all phases
}

// Banks returns how the lanes of exec, which access size bytes from addr on, share the
// banks. Addresses are byte offsets in the LDS; store matters above 8 bytes only.
// Instructions with two addresses make two accesses. Banks panics if size is not 1 to 16.
//
// Source: rule CY10. Assumed there or here: the groups of 128-bit loads, which were
// measured on a later chip, 96 bits like 128, a phase without lanes costs nothing.
func Banks(addr *[state.NumLanes]uint64, exec uint64, size int, store bool) BankUse {
	if size < 1 || size > 16 {
		panic("lds: Banks: size must be 1 to 16 bytes")
	}
	u := BankUse{Phases: phaseLanes(size, store)}
	for n, lanes := range u.Phases {
		u.Degree[n] = degree(addr, exec&lanes, uint64(size))
		u.Worst = max(u.Worst, u.Degree[n])
		u.Cycles += u.Degree[n]
	}
	return u
}

// phaseLanes returns the lanes of each phase of an access of size bytes, as masks.
func phaseLanes(size int, store bool) []uint64 {
	switch {
	case size <= 4:
		return halves[:]
	case size <= 8:
		return quarters[:]
	case store:
		return eighths[:]
	}
	return loadEighths[:]
}

var (
	halves   = [2]uint64{0xffffffff, 0xffffffff << 32}
	quarters = [4]uint64{0xffff, 0xffff << 16, 0xffff << 32, 0xffff << 48}
	eighths  = [8]uint64{0xff, 0xff << 8, 0xff << 16, 0xff << 24, 0xff << 32, 0xff << 40, 0xff << 48, 0xff << 56}
	// Lanes 0-3 and 20-23, 4-7 and 16-19, 8-11 and 28-31, 12-15 and 24-27; then +32.
	loadEighths = [8]uint64{
		0x00f0000f, 0x000f00f0, 0xf0000f00, 0x0f00f000,
		0x00f0000f << 32, 0x000f00f0 << 32, 0xf0000f00 << 32, 0x0f00f000 << 32,
	}
)

// degree returns the most different dwords that one bank has for the lanes of mask.
func degree(addr *[state.NumLanes]uint64, mask, size uint64) int {
	var dwords [NumBanks]uint64 // of the banks in use
	use := uint32(0)
	for m := mask; m != 0; m &= m - 1 {
		at := addr[bits.TrailingZeros64(m)&63]
		for dword := at / 4; dword <= (at+size-1)/4; dword++ {
			bank := dword % NumBanks
			if use>>bank&1 != 0 && dwords[bank] != dword {
				return conflict(addr, mask, size)
			}
			use |= 1 << bank
			dwords[bank] = dword
		}
	}
	return int(min(use, 1))
}

// conflict is [degree] for lanes that may conflict.
func conflict(addr *[state.NumLanes]uint64, mask, size uint64) int {
	// The different dwords seen so far, chained by bank: last[b] is one more than the
	// place of the latest one, 0 if there is none. Unaligned lanes reach five dwords.
	var seen [NumBanks * 2]uint64
	var before [NumBanks * 2]uint8
	var last, count [NumBanks]uint8
	n, worst := uint8(0), uint8(0)
	for m := mask; m != 0; m &= m - 1 {
		at := addr[bits.TrailingZeros64(m)&63]
	dwords:
		for dword := at / 4; dword <= (at+size-1)/4; dword++ {
			bank := dword % NumBanks
			for p := last[bank]; p != 0; p = before[p-1] {
				if seen[p-1] == dword {
					continue dwords
				}
			}
			seen[n], before[n] = dword, last[bank]
			n++
			last[bank] = n
			count[bank]++
			worst = max(worst, count[bank])
		}
	}
	return int(worst)
}
