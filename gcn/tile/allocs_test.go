package tile_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/gcn/tile"
)

// chains are surfaces with all levels down to one texel.
var chains = []struct {
	name, chip string
	s          tile.Surface
}{
	{"gfx6_2D", "tahiti", tile.Surface{Type: gcn.Image2D, Bytes: 4, Width: 4096, Height: 4096, Levels: 13, Mode: 14, Pow2Pad: true}},
	{"gfx8_2D", "fiji", tile.Surface{Type: gcn.Image2D, Bytes: 4, Width: 4096, Height: 4096, Levels: 13, Mode: 14, Pow2Pad: true}},
	{"gfx8_linear", "fiji", tile.Surface{Type: gcn.Image2D, Bytes: 4, Width: 4096, Height: 4096, Levels: 13, Mode: 8, Pow2Pad: true}},
	{"gfx8_3D_thick", "fiji", tile.Surface{Type: gcn.Image3D, Bytes: 4, Width: 256, Height: 256, Depth: 256, Levels: 9, Mode: 20, Pow2Pad: true}},
	{"gfx9_64KB_S_X", "vega10", tile.Surface{Type: gcn.Image2D, Bytes: 4, Width: 4096, Height: 4096, Levels: 13, Mode: 25}},
	{"gfx9_64KB_Z_3D", "vega10", tile.Surface{Type: gcn.Image3D, Bytes: 4, Width: 256, Height: 256, Depth: 256, Levels: 9, Mode: 8}},
}

// square returns the coordinates of 8x8 texels.
func square() *coordinates {
	c := &coordinates{X: new([64]uint32), Y: new([64]uint32)}
	for i := range c.X {
		c.X[i], c.Y[i] = uint32(100+i%8), uint32(200+i/8)
	}
	return c
}

func TestNoAllocations(t *testing.T) {
	c := square()
	var addrs [64]uint64
	for _, chain := range chains {
		r := preset(t, chain.chip)
		assert.Zero(t, testing.AllocsPerRun(10, func() { _, _ = r.Layout(chain.s) }), chain.name)
		l, err := r.Layout(chain.s)
		require.NoError(t, err)
		plan, err := l.Plan(0, 0, 0, 1)
		require.NoError(t, err)
		assert.Zero(t, testing.AllocsPerRun(10, func() { plan.Lanes(&addrs, ^uint64(0), c.X, c.Y, nil, nil) }), chain.name)
	}
}
