package timing

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestWakeupsComeInOrder compares the queue with a set that is searched for its least element: by time, then by
// number of the SIMD.
func TestWakeupsComeInOrder(t *testing.T) {
	type entry struct {
		at     uint64
		number int
	}
	r := rand.New(rand.NewPCG(3, 1))
	for _, n := range []int{4, 64, 152, 600} {
		simds := make([]*simd, n)
		for i := range simds {
			simds[i] = &simd{number: i}
		}
		h, all, now := newWakeups(n), map[entry]bool{}, uint64(0)
		copy(h.simds, simds)
		for range 20000 {
			if len(all) == 0 || r.IntN(100) < 48 {
				far := uint64(1) << r.UintN(14)
				e := entry{now + r.Uint64N(far), r.IntN(n)}
				e.at += (uint64(e.number) - e.at) % cycleGroup
				h.push(e.at, simds[e.number])
				all[e] = true
				continue
			}
			at, s, ok := h.pop(never)
			require.True(t, ok)
			least := entry{never, 0}
			for e := range all {
				if e.at < least.at || e.at == least.at && e.number < least.number {
					least = e
				}
			}
			require.Equal(t, least, entry{at, s.number})
			delete(all, least)
			now = at
		}
		for range len(all) {
			at, s, ok := h.pop(never)
			require.True(t, ok)
			delete(all, entry{at, s.number})
		}
		require.Empty(t, all)
		_, _, ok := h.pop(never)
		require.False(t, ok)
	}
}
