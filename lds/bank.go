package lds

import (
	"math/bits"

	"github.com/gcnsim/gcnsim/state"
)

// NumBanks is the number of banks of the LDS. Bank b holds the dwords whose byte address has b in bits 6:2. Source:
// rule CY10.
const NumBanks = 32

// BankUse describes how the banks of the LDS serve one access of a wave. The LDS serves the lanes in groups, called
// phases, one after the other. A phase takes as many cycles as the number of different dwords that its busiest bank
// must read or write. Lanes that access the same dword share it.
type BankUse struct {
	Phases []uint64 // the lanes of each of the 2, 4 or 8 phases, as masks; callers must not change them
	Degree [8]int   // cycles of each phase: 1 without a conflict, 0 without an active lane
	Worst  int      // the largest Degree: 1 means no conflict, 0 no active lane
	Cycles int      // clocks that all phases take together
}

// Banks returns how the lanes of exec share the banks when each accesses size bytes at its addr, a byte offset in the
// LDS. store matters above 8 bytes only. Instructions with two addresses make two accesses. Banks panics if size is
// not 1 to 16.
//
// Source: rule CY10. Assumed, not confirmed by a source: the groups of 128-bit loads, which were measured on a later
// chip; that 96 bits are served like 128; that a phase without active lanes takes no cycle.
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
	// The first four: lanes 0-3 and 20-23, 4-7 and 16-19, 8-11 and 28-31, 12-15 and 24-27. The others: 32 lanes higher.
	loadEighths = [8]uint64{
		0x00f0000f, 0x000f00f0, 0xf0000f00, 0x0f00f000,
		0x00f0000f << 32, 0x000f00f0 << 32, 0xf0000f00 << 32, 0x0f00f000 << 32,
	}
)

// degree returns the number of different dwords that the lanes of mask access in the busiest bank.
func degree(addr *[state.NumLanes]uint64, mask, size uint64) int {
	var dwords [NumBanks]uint64 // dwords of each bank in use
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

// conflict computes [degree] for lanes that may conflict.
func conflict(addr *[state.NumLanes]uint64, mask, size uint64) int {
	// The different dwords seen so far, in one list per bank: last[b] is 1 + the index of the latest one, 0 if the list
	// is empty. A lane that is not aligned accesses up to five dwords.
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
