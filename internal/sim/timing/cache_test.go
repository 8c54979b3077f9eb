package timing

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gcnsim/gcnsim/internal/testkit/effort"
)

// TestCacheReplacesWhatWasNotUsedForTheLongestTime compares caches with lists in the order of use.
func TestCacheReplacesWhatWasNotUsedForTheLongestTime(t *testing.T) {
	effort.Long(t)
	r := rand.New(rand.NewPCG(5, 2))
	for _, shape := range []struct{ sets, ways int }{{64, 4}, {1, 1}, {1, 8}, {3, 5}, {16, 16}, {2, 20}, {1, 256},
		{48, 12}} {
		c := newCache(&budget{}, shape.sets*shape.ways*LineBytes, shape.ways)
		lists := make([][]uint64, shape.sets) // line numbers + 1, latest first
		for i := range lists {
			lists[i] = make([]uint64, shape.ways)
		}
		for range 30000 {
			n := r.Uint64N(uint64(2*shape.sets*shape.ways)) << (r.UintN(2) * 30)
			list := lists[n%uint64(shape.sets)]
			at := slices.Index(list, n+1)
			set, hit := c.find(n)
			if hit != (at >= 0) {
				t.Fatalf("%v: line %d is found: %t", shape, n, hit)
			}
			if r.IntN(5000) == 0 {
				c.invalidate()
				for i := range lists {
					clear(lists[i])
				}
				continue
			}
			if at >= 0 {
				if got := numberOf(set[0].tag); got != n {
					t.Fatalf("%v: line %d is first, not %d", shape, got, n)
				}
				copy(list[1:at+1], list[:at])
				list[0] = n + 1
				continue
			}
			stream, last := r.IntN(8) == 0, shape.ways-1
			l, out := insert(set, n, 7, stream)
			if *l != (line{(n + 1) << 1, 7}) || out>>1 != list[last] {
				t.Fatalf("%v: line %d is inserted as %v in place of %d, not %d", shape, n, *l, out>>1, list[last])
			}
			list[last] = n + 1
			if !stream {
				copy(list[1:], list[:last])
				list[0] = n + 1
			}
		}
	}
}
