package executor_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/base/simd"
	"github.com/gcnsim/gcnsim/state"
)

// Place computes the sum of each lane for every pattern of offsets.
func TestPlace(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	pick := func(of ...uint64) uint64 { return of[r.IntN(len(of))] }
	dense := 0
	for range 3000 {
		first, step := uint32(pick(0, 2, 100, math.MaxUint32-252, math.MaxUint32-251, r.Uint64())),
			uint32(pick(4, 4, 4, 0, 8))
		var v state.Lanes
		for lane := range v {
			v[lane] = first + uint32(lane)*step
		}
		if r.IntN(3) == 0 {
			v[r.IntN(64)] = r.Uint32()
		}
		off := uint32(pick(0, 4, 4095, math.MaxUint32-1000, r.Uint64()))
		base := pick(0, 0x1000, 1<<48-300, 0x1003, math.MaxUint64-200)
		keep := pick(1<<48-1, 1<<48-4, math.MaxUint64, math.MaxUint64-3)
		var addr [state.NumLanes]uint64
		bound, ok := executor.Place(&addr, &v, off, base, keep)
		consecutive := true
		for lane, x := range v {
			sum := uint64(x + off)
			if addr[lane] != (base+sum)&keep || sum > bound {
				t.Fatalf("lane %d: %#x + %#x & %#x is at %#x, bound %#x", lane, base, sum, keep, addr[lane], bound)
			}
			consecutive = consecutive && addr[lane] == addr[0]+4*uint64(lane)
		}
		if ok {
			require.True(t, consecutive)
			dense++
		}
	}
	require.Greater(t, dense, 300)
}

func TestUniform(t *testing.T) {
	var v state.Lanes
	require.True(t, simd.Uniform(&v))
	for lane := range v {
		v[lane] = 5
		require.Equal(t, lane == 63, simd.Uniform(&v))
	}
}
