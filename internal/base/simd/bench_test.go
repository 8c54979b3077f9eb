package simd

import (
	"math/rand/v2"
	"testing"
)

func BenchmarkGather(b *testing.B) {
	words := make([]uint32, 1<<14)
	var d, off Lanes
	var addr [NumLanes]uint64
	for i := range addr {
		off[i] = uint32(rand.IntN(len(words))) * 4
		addr[i] = 1<<32 + uint64(off[i])
	}
	for _, c := range []struct {
		name string
		mask uint64
	}{{"all", allLanes}, {"half", allLanes >> 1}} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				Gather(&d, words, &addr, 1<<32, c.mask)
			}
		})
	}
	b.Run("plain", func(b *testing.B) {
		for b.Loop() {
			for i, o := range off {
				d[i] = words[o/4]
			}
		}
	})
	b.Run("add", func(b *testing.B) {
		add := Int("add")
		for b.Loop() {
			add(&d, &d, &off, nil)
		}
	})
}
