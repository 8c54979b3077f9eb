// Package edge is used by all program generators. It has random numbers, numbers at which compilers often go wrong,
// and input data that contains many of them.
package edge

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
)

// Origin identifies a generated program.
type Origin struct {
	Seed uint64 `json:"seed"`
	// Like is the seed of the program's preferences. Programs that use a few features often reveal more bugs than
	// programs that use all features equally.
	Like uint64 `json:"like"`
}

// Of returns the origin for a seed, with preferences from the same seed.
func Of(seed uint64) Origin { return Origin{seed, seed} }

// String returns the origin as the program's first line.
func (o Origin) String() string {
	if o.Like == o.Seed {
		return fmt.Sprintf("seed %d", o.Seed)
	}
	return fmt.Sprintf("seed %d, like %d", o.Seed, o.Like)
}

// Rand returns the program's source of random numbers. It is different for each language.
func (o Origin) Rand(language uint64) *rand.Rand { return rand.New(rand.NewPCG(o.Seed, language)) }

// Prefers reports whether the program prefers the feature with that name. It prefers about one in four.
func (o Origin) Prefers(name string) bool {
	h := fnv.New64a()
	h.Write([]byte(name))
	return rand.NewPCG(o.Like, h.Sum64()).Uint64()%4 == 0
}

// Kind returns a number below n: the kind that the program has most of.
func (o Origin) Kind(n int) int { return int(rand.NewPCG(o.Like, 0).Uint64() % uint64(n)) }

// One returns a random element of all. Preferred elements are more likely.
func (o Origin) One(r *rand.Rand, all ...string) string {
	for range 3 {
		if s := all[r.IntN(len(all))]; o.Prefers(s) {
			return s
		}
	}
	return all[r.IntN(len(all))]
}

// Numbers are numbers at which compilers often go wrong.
var Numbers = []uint32{0, 1, 2, 3, 7, 31, 32, 33, 63, 64, 0x7f, 0x80, 0xff, 0x100, 0x7fff, 0x8000, 0xffff, 0x10000,
	0x7fffff, 0x800000, 0xffffff, 0x1000000, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff}

// Number returns a random element of Numbers.
func Number(r *rand.Rand) uint32 { return Numbers[r.IntN(len(Numbers))] }

// Data returns a kernel's input data. words is the number of 32-bit words.
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
