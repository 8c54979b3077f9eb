// Package edge has the numbers at which compilers go wrong, and data with many of them.
package edge

import (
	"encoding/binary"
	"math/rand/v2"
)

// Numbers are numbers at which compilers go wrong.
var Numbers = []uint32{0, 1, 2, 3, 7, 31, 32, 33, 63, 64, 0x7f, 0x80, 0xff, 0x100, 0x7fff, 0x8000, 0xffff, 0x10000,
	0x7fffff, 0x800000, 0xffffff, 0x1000000, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff}

// Number returns one of them.
func Number(r *rand.Rand) uint32 { return Numbers[r.IntN(len(Numbers))] }

// Data returns the data that a kernel reads, in 32-bit words.
func Data(r *rand.Rand, words int) (data []byte) {
	for range words {
		v := r.Uint32()
		switch r.IntN(4) {
		case 0:
			v = Number(r)
		case 1:
			v >>= r.IntN(32)
		}
		data = binary.LittleEndian.AppendUint32(data, v)
	}
	return data
}
