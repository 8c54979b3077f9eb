package simd

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// The sums of bytes equal those of the formula, including the largest and the smallest bytes.
func TestBilinear(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	var words, sums [4]Lanes
	var pos [2][NumLanes]int32
	for range 500 {
		for i := range NumLanes {
			for k := range words {
				words[k][i] = [...]uint32{rng.Uint32(), 0xff00ff00, 0x00ff00ff, 0, 0xffffffff}[rng.IntN(5)]
			}
			pos[0][i], pos[1][i] = rng.Int32N(1<<20)-1<<19, rng.Int32N(1<<20)-1<<19
		}
		Bilinear(&sums, &words, &pos[0], &pos[1])
		for i := range NumLanes {
			fx, fy := uint32(pos[0][i]&(steps-1)), uint32(pos[1][i]&(steps-1))
			for c := range sums {
				v := func(k int) uint32 { return words[k][i] >> (8 * c) & 255 }
				want := (v(0)*(steps-fx)+v(1)*fx)*(steps-fy) + (v(2)*(steps-fx)+v(3)*fx)*fy
				require.Equal(t, want, sums[c][i])
			}
		}
	}
}
