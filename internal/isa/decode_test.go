package isa

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
)

// BenchmarkDecode decodes a mix of encodings; beside it, reading the same words.
func BenchmarkDecode(b *testing.B) {
	words := []uint32{
		0xc00a0002, 0x00000010, 0xbf8cc07f, 0x24000082, 0x32040000, 0x38060280, 0xdc508010, 0x047f0002, 0xe0505004,
		0x80000500,
		0xd1cb8204, 0x23ca0b04, 0xd86e0301, 0x06000000, 0xd0cc0006, 0x00020802, 0xbe862006, 0xbf88000c, 0xf0800f00,
		0x00820800,
		0xbe8900ff, 0x12345678, 0x7e0202f9, 0x00041102, 0xbf810000,
	}
	b.Run("decode", func(b *testing.B) {
		b.ReportAllocs()
		n := 0
		for b.Loop() {
			n = 0
			for at := 0; at < len(words); n++ {
				i, err := Decode(GFX900, words[at:])
				if err != nil {
					b.Fatal(err)
				}
				at += int(i.Size) / 4
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/inst")
	})
	b.Run("read", func(b *testing.B) {
		sum := uint32(0)
		for b.Loop() {
			for _, w := range words {
				sum += w
			}
		}
		sink = sum
	})
}

var sink uint32

// Tables of processors are made as the first instruction is decoded, by any goroutine, and those with the same
// instructions have one.
func TestTablesAreMadeOnce(t *testing.T) {
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for target := range Target(NumTargets) {
				_, err := Decode(target, []uint32{0xbf810000}) // s_endpgm
				assert.NoError(t, err)
			}
		})
	}
	all.Wait()
	distinct := map[*table]bool{}
	for target := range tables {
		distinct[tables[target].Load()] = true
	}
	assert.NotContains(t, distinct, (*table)(nil))
	assert.Less(t, len(distinct), NumTargets)
}
