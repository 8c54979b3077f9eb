// Package edge has what all generators of programs draw from: random numbers, the numbers at which compilers go wrong,
// and data with many of these.
package edge

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
)

// Origin says which program it is.
type Origin struct {
	Seed uint64 `json:"seed"`
	// Like is the seed of the program whose preferences it has. Programs that each have much of a few things show more
	// than programs that have a little of everything.
	Like uint64 `json:"like"`
}

// Of returns the program of a seed that has preferences of its own.
func Of(seed uint64) Origin { return Origin{seed, seed} }

// String returns the first line of a program.
func (o Origin) String() string {
	if o.Like == o.Seed {
		return fmt.Sprintf("seed %d", o.Seed)
	}
	return fmt.Sprintf("seed %d, like %d", o.Seed, o.Like)
}

// Rand returns the random numbers of the program, which differ by the language of programs.
func (o Origin) Rand(language uint64) *rand.Rand { return rand.New(rand.NewPCG(o.Seed, language)) }

// Prefers reports whether the program prefers something, by its name: about one in four.
func (o Origin) Prefers(name string) bool {
	h := fnv.New64a()
	h.Write([]byte(name))
	return rand.NewPCG(o.Like, h.Sum64()).Uint64()%4 == 0
}

// Kind returns one of n kinds, which the program has more of than of others.
func (o Origin) Kind(n int) int { return int(rand.NewPCG(o.Like, 0).Uint64() % uint64(n)) }

// One returns one of a list, which is likelier one that the program prefers.
func (o Origin) One(r *rand.Rand, all ...string) string {
	for range 3 {
		if s := all[r.IntN(len(all))]; o.Prefers(s) {
			return s
		}
	}
	return all[r.IntN(len(all))]
}

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
