package tile_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/gcn/tile"
	"github.com/gcnsim/gcnsim/internal/testkit/effort"
)

// blockView returns the surface that a driver of GCN 1.4 describes to a shader that writes a level of compressed
// blocks as integers. Its size in blocks is chosen so that halving it yields the size of the level, as far as that
// does not change the layout. Source: Mesa's RADV, image views, with the sizes of level 0 that AMD's address library
// returns.
func blockView(l *tile.Layout, level int) tile.Surface {
	s, first := l.Surface, l.Levels()[0]
	grown := func(texels, blocks, most int) int {
		return min(max((max(1, texels>>level)+3)/4<<level, blocks), most)
	}
	w, h := first.Pitch, first.Rows
	if first.InTail { // thin blocks: the tail takes half of a block
		w /= 2
	}
	s.Width, s.Height = grown(s.Width, first.Width, w), grown(s.Height, first.Height, h)
	s.BlockW, s.BlockH, s.Pitch = 1, 1, l.EPitch
	return s
}

// A T# of integers over compressed blocks finds each block at the same address as the T# of the blocks. This holds in
// all levels down to one texel, which are two more levels than its own size allows.
func TestBlockViews(t *testing.T) {
	rng := rand.New(rand.NewPCG(15, 16))
	long, blocks := 0, 0
	for range effort.Rounds(1500) {
		chips := []string{"vega10", "vega12", "vega20", "raven", "raven2"}
		r := preset(t, chips[rng.IntN(len(chips))])
		s := tile.Surface{
			Type: gcn.Image2DArray, Bytes: 8 << rng.IntN(2), BlockW: 4, BlockH: 4, Width: 1 + rng.IntN(1<<rng.IntN(11)),
			Height: 1 + rng.IntN(1<<rng.IntN(11)),
			Depth:  1 + rng.IntN(3), Mode: rng.IntN(32), Swizzle: rng.Uint32(),
		}
		for most := max(s.Width, s.Height); most > 0; most /= 2 {
			s.Levels++
		}
		l, err := r.Layout(s)
		if err != nil {
			require.True(t, isRefusal(err), err)
			continue
		}
		for i, level := range l.Levels() {
			s := blockView(&l, i)
			v, err := r.Layout(s)
			require.NoError(t, err, "%+v", s)
			if s.Width>>(s.Levels-1) == 0 && s.Height>>(s.Levels-1) == 0 {
				long++
			}
			require.Equal(t, l.Size, v.Size)
			at := v.Levels()[i]
			for range 64 {
				x, y, z := rng.IntN(min(level.Width, at.Width)), rng.IntN(min(level.Height, at.Height)), rng.IntN(level.Depth)
				want, err := l.Addr(i, x, y, z, 0)
				require.NoError(t, err)
				got, err := v.Addr(i, x, y, z, 0)
				require.NoError(t, err)
				if got != want {
					t.Fatalf("level %d, block %d, %d, %d of %+v through %+v is at %#x, want %#x", i, x, y, z, l.Surface, s, got, want)
				}
				blocks++
			}
		}
	}
	assert.Greater(t, long, effort.Rounds(1000))
	assert.Greater(t, blocks, effort.Rounds(100_000))
}

// Surfaces whose elements are as large as a compressed block may have two levels beyond one texel, because drivers
// describe all levels at once.
func TestLevelsOfBlocks(t *testing.T) {
	for _, c := range []struct {
		chip                string
		bytes, block, texel int
		most                int
	}{
		{"vega10", 8, 1, 10, 6}, {"vega20", 16, 1, 10, 6}, {"vega10", 4, 1, 10, 4}, {"vega10", 8, 4, 40, 6},
		{"vega10", 8, 4, 3, 2}, {"vega20", 8, 1, 1, 3}, {"fiji", 8, 1, 10, 4}, {"hawaii", 16, 1, 10, 4},
		{"tahiti", 8, 4, 40, 6},
	} {
		for levels := 1; levels <= 16; levels++ {
			_, err := preset(t, c.chip).Layout(tile.Surface{
				Type: gcn.Image2D, Bytes: c.bytes, BlockW: c.block, BlockH: c.block, Width: c.texel, Height: c.texel,
				Levels: levels, Mode: 9, Pow2Pad: true,
			})
			if levels <= c.most {
				require.NoError(t, err, "%+v, %d levels", c, levels)
			} else {
				requireKind(t, tile.BadSurface, err, "%+v, %d levels", c, levels)
			}
		}
	}
}
