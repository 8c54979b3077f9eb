package lds_test

import (
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/lds"
	"github.com/gcnsim/gcnsim/state"
)

const all = ^uint64(0)

// strided returns the addresses lane*step, in bytes.
func strided(step uint64) (addr [state.NumLanes]uint64) {
	for lane := range addr {
		addr[lane] = uint64(lane) * step
	}
	return addr
}

// Degrees for strides of 0 to 64 dwords, worked out by hand. With b32 the lanes of a half-wave use 32/gcd(stride, 32)
// banks. With b64 and an even stride they use pairs of banks in the same way. An odd stride makes the first dword of
// a lane conflict with the second dword of another lane, except for stride 1, where it is the same dword.
var degreeB32 = [65]int{
	1, 1, 2, 1, 4, 1, 2, 1, 8, 1, 2, 1, 4, 1, 2, 1, 16, 1, 2, 1, 4, 1, 2, 1, 8, 1, 2, 1, 4, 1, 2, 1,
	32, 1, 2, 1, 4, 1, 2, 1, 8, 1, 2, 1, 4, 1, 2, 1, 16, 1, 2, 1, 4, 1, 2, 1, 8, 1, 2, 1, 4, 1, 2, 1, 32,
}

var degreeB64 = [65]int{
	1, 1, 1, 2, 2, 2, 1, 2, 4, 2, 1, 2, 2, 2, 1, 2, 8, 2, 1, 2, 2, 2, 1, 2, 4, 2, 1, 2, 2, 2, 1, 2,
	16, 2, 1, 2, 2, 2, 1, 2, 4, 2, 1, 2, 2, 2, 1, 2, 8, 2, 1, 2, 2, 2, 1, 2, 4, 2, 1, 2, 2, 2, 1, 2, 16,
}

// degreeB128 has the degrees for strides of 0, 4, 8, ... 64 dwords, where each lane uses four banks.
var degreeB128 = [17]int{1, 1, 2, 1, 4, 1, 2, 1, 8, 1, 2, 1, 4, 1, 2, 1, 8}

func TestBanksOfStrides(t *testing.T) {
	for stride := range 65 {
		addr := strided(uint64(stride) * 4)
		for _, store := range []bool{false, true} {
			u := lds.Banks(&addr, all, 4, store)
			d := degreeB32[stride]
			require.Equal(t, lds.BankUse{Phases: lds.PhaseLanes(4, store), Degree: [8]int{d, d}, Worst: d, Cycles: 2 * d}, u,
				"b32, stride %d", stride)
			u = lds.Banks(&addr, all, 8, store)
			d = degreeB64[stride]
			require.Equal(t, lds.BankUse{Phases: lds.PhaseLanes(8, store), Degree: [8]int{d, d, d, d}, Worst: d,
				Cycles: 4 * d}, u, "b64, stride %d", stride)
			if stride%4 == 0 {
				u = lds.Banks(&addr, all, 16, store)
				d = degreeB128[stride/4]
				require.Equal(t, lds.BankUse{Phases: lds.PhaseLanes(16, store), Degree: [8]int{d, d, d, d, d, d, d, d}, Worst: d,
					Cycles: 8 * d}, u, "b128, stride %d", stride)
			}
		}
	}
}

func TestBanksBroadcast(t *testing.T) {
	// Bytes of one dword are one access; two dwords of one bank are two.
	addr := strided(1)
	u := lds.Banks(&addr, all, 1, false)
	assert.Equal(t, 1, u.Worst)
	for lane := range addr {
		addr[lane] = 128 * uint64(lane%2)
	}
	u = lds.Banks(&addr, all, 4, false)
	assert.Equal(t, 2, u.Worst)
	assert.Equal(t, 4, u.Cycles)
}

func TestBanksMask(t *testing.T) {
	addr := strided(128)
	u := lds.Banks(&addr, 0x7, 4, false)
	assert.Equal(t, lds.BankUse{Phases: lds.PhaseLanes(4, false), Degree: [8]int{3}, Worst: 3, Cycles: 3}, u)
	u = lds.Banks(&addr, 0, 4, false)
	assert.Equal(t, lds.BankUse{Phases: lds.PhaseLanes(4, false)}, u)
	assert.Zero(t, u.Worst)
}

// Lanes 0-3 share a phase with lanes 4-7 when they store 16 bytes, and with lanes 20-23 when they load.
func TestBanksOf128BitLoadsAndStores(t *testing.T) {
	var addr [state.NumLanes]uint64
	for lane := range addr {
		quad := lane&3 | lane>>4&1<<2 | lane<<3
		addr[lane] = uint64(quad) * 16
	}
	load, store := lds.Banks(&addr, all, 16, false), lds.Banks(&addr, all, 16, true)
	assert.Equal(t, 1, load.Worst)
	assert.Equal(t, 2, store.Worst)
	load, store = lds.Banks(&addr, all, 12, false), lds.Banks(&addr, all, 12, true)
	assert.Equal(t, 1, load.Worst)
	assert.Equal(t, 2, store.Worst)
}

func TestPhasesCoverTheWaveOnce(t *testing.T) {
	for _, size := range []int{1, 2, 4, 8, 12, 16} {
		for _, store := range []bool{false, true} {
			var seen uint64
			phases := lds.PhaseLanes(size, store)
			for _, lanes := range phases {
				assert.Zero(t, seen&lanes)
				assert.Equal(t, 64/len(phases), bits.OnesCount64(lanes))
				seen |= lanes
			}
			assert.Equal(t, all, seen)
		}
	}
}

// plainBanks counts the cycles with maps, as a reference.
func plainBanks(addr *[state.NumLanes]uint64, exec uint64, size int, store bool) (cycles int) {
	for _, lanes := range lds.PhaseLanes(size, store) {
		banks := map[uint64]map[uint64]bool{}
		worst := 0
		for lane := range addr {
			if exec&lanes>>lane&1 == 0 {
				continue
			}
			for b := addr[lane]; b < addr[lane]+uint64(size); b++ {
				bank := b >> 2 & 31
				if banks[bank] == nil {
					banks[bank] = map[uint64]bool{}
				}
				banks[bank][b>>2] = true
				worst = max(worst, len(banks[bank]))
			}
		}
		cycles += worst
	}
	return cycles
}

func TestBanksAgainstMaps(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		size := []int{1, 2, 4, 8, 12, 16}[rng.IntN(6)]
		span := uint64(1) << (2 + rng.IntN(15))
		var addr [state.NumLanes]uint64
		for lane := range addr {
			addr[lane] = rng.Uint64N(span) // includes addresses that are not aligned
		}
		exec := rng.Uint64() | uint64(-int64(rng.IntN(2)))
		store := rng.IntN(2) == 1
		u := lds.Banks(&addr, exec, size, store)
		require.Equal(t, plainBanks(&addr, exec, size, store), u.Cycles, "size %d, exec %x, store %v, addresses %v", size,
			exec, store, addr)
	}
}

func TestBanksAllocateNothing(t *testing.T) {
	addr := strided(12)
	assert.Zero(t, testing.AllocsPerRun(100, func() { sink += lds.Banks(&addr, all, 8, false).Cycles }))
}

var sink int
