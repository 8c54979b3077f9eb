package tile_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/gcn/tile"
	"github.com/gcnsim/gcnsim/internal/isa/chip"
)

// Download returns the texels that Upload stored, for all slices and samples of all levels.
func TestUploadDownload(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 22))
	done := 0
	for range 200 {
		chips := chip.All()
		l, err := preset(t, chips[rng.IntN(len(chips))].Name).Layout(anySurface(rng))
		if err != nil {
			continue
		}
		done++
		surface := make([]byte, l.Size)
		var want [][]byte
		eachRows(&l, func(level, z, sample, w, h int) {
			stride := w*l.Surface.Bytes + 3
			rows := make([]byte, stride*h)
			for i := range rows {
				rows[i] = byte(rng.Uint32())
			}
			require.NoError(t, l.Upload(surface, level, z, sample, rows, stride))
			want = append(want, rows)
		})
		eachRows(&l, func(level, z, sample, w, h int) {
			rows := want[0]
			want = want[1:]
			n := w * l.Surface.Bytes
			got := make([]byte, n*h)
			require.NoError(t, l.Download(got, 0, surface, level, z, sample))
			for y := range h {
				require.Equal(t, rows[y*(n+3):][:n], got[y*n:][:n], "%+v", l.Surface)
			}
		})
	}
	assert.Greater(t, done, 80)
}

func eachRows(l *tile.Layout, f func(level, z, sample, w, h int)) {
	for i, v := range l.Levels() {
		for z := range v.Depth {
			for s := range l.Surface.Samples {
				f(i, z, s, v.Width, v.Height)
			}
		}
	}
}

func TestUploadRefusals(t *testing.T) {
	l, err := preset(t, "fiji").Layout(tile.Surface{Type: gcn.Image2D, Bytes: 4, Width: 10, Height: 10, Mode: 14})
	require.NoError(t, err)
	surface, rows := make([]byte, l.Size), make([]byte, 400)
	require.NoError(t, l.Upload(surface, 0, 0, 0, rows, 0))
	requireKind(t, tile.NoElement, l.Upload(surface, 1, 0, 0, rows, 0))
	requireKind(t, tile.NoElement, l.Upload(surface, 0, 1, 0, rows, 0))
	requireKind(t, tile.NoElement, l.Upload(surface, 0, 0, -1, rows, 0))
	requireKind(t, tile.BadSurface, l.Upload(surface[1:], 0, 0, 0, rows, 0))
	requireKind(t, tile.BadSurface, l.Upload(surface, 0, 0, 0, rows[1:], 0))
	requireKind(t, tile.BadSurface, l.Download(rows, 39, surface, 0, 0, 0))
	requireKind(t, tile.BadSurface, l.Download(rows, math.MaxInt, surface, 0, 0, 0))
}
