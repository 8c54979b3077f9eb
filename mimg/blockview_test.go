package mimg_test

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/isa/format"
	"github.com/gcnsim/gcnsim/internal/testkit/memtest"
	"github.com/gcnsim/gcnsim/state"
)

// Drivers of GCN 1.4 let shaders write compressed images as integers, one level at a time through T#s with all
// levels. Loads decode the written blocks.
func TestBlocksWrittenAsIntegers(t *testing.T) {
	const width, height, levels = 40, 28, 6
	for _, target := range []gcn.Target{gcn.GFX900, gcn.GFX906} {
		for data := uint8(gcn.DataBC1); data < gcn.DataBC1+7; data++ {
			img := gcn.Image{DataFormat: data, NumFormat: gcn.NumUNORM, Width: width, Height: height, LastLevel: levels - 1,
				MaxMip: levels - 1, TileMode: tiled(target.Gen())}
			b := newBench(t, target, img)
			img = b.img
			f, err := format.LookupImage(target.Gen(), data, gcn.NumUNORM)
			require.NoError(t, err)
			integers, mask := uint8(gcn.Data32_32), int64(3)
			if f.Size == 16 {
				integers, mask = gcn.Data32_32_32_32, 15
			}
			r := rand.New(rand.NewPCG(uint64(data), 17))
			for l, level := range b.l.Levels() {
				// The size is enlarged so that halving it yields that of the level: the 5x3 texels of level 3 are 2x1 blocks;
				// halving 10x7 would yield only one.
				b.bind(func(i *gcn.Image) {
					*i = img
					i.DataFormat, i.NumFormat, i.BaseLevel, i.LastLevel = integers, gcn.NumUINT, l, l
					i.Width, i.Height = max(width/4, level.Width<<l), max(height/4, level.Height<<l)
				})
				blocks := make([][]byte, level.Width*level.Height)
				b.w.SetExec(0)
				for i := range blocks {
					blocks[i] = make([]byte, f.Size)
					for j := range blocks[i] {
						blocks[i][j] = byte(r.Uint32())
					}
					b.w.V[0][i%64], b.w.V[1][i%64] = uint32(i%level.Width), uint32(i/level.Width)
					for j := range f.Size / 4 {
						b.w.V[4+j][i%64] = binary.LittleEndian.Uint32(blocks[i][4*j:])
					}
					if b.w.SetExec(b.w.Exec() | 1<<(i%64)); i%64 == 63 || i == len(blocks)-1 {
						require.Nil(t, b.run(t, "image_store", memtest.Fields{isa.DMASK: mask}))
						b.w.SetExec(0)
					}
				}
				b.bind(func(i *gcn.Image) { *i = img })
				w, h := max(1, width>>l), max(1, height>>l)
				b.w.SetExec(state.FullExec)
				for lane := range 64 {
					at := r.IntN(w * h)
					b.w.V[0][lane], b.w.V[1][lane], b.w.V[2][lane] = uint32(at%w), uint32(at/w), uint32(l)
				}
				require.Nil(t, b.run(t, "image_load_mip", nil))
				for lane := range 64 {
					x, y := int(b.w.V[0][lane]), int(b.w.V[1][lane])
					want := decodeTexel(f, blocks[y/4*level.Width+x/4], uint32(y%4*4+x%4))
					for c := range f.Components {
						require.Equal(t, want[c], b.w.V[4+c][lane], "%v, level %d, texel %d, %d, component %d", f, l, x, y, c)
					}
				}
			}
		}
	}
}

// decodeTexel returns the components of a texel of an element.
func decodeTexel(f *format.Format, element []byte, texel uint32) (c [format.MaxComponents]uint32) {
	var words, dst [format.MaxComponents][]uint32
	for i := range words {
		words[i], dst[i] = make([]uint32, 1), c[i:i+1]
	}
	for i, b := range element {
		words[i/4][0] |= uint32(b) << (i % 4 * 8)
	}
	f.Extract(&words, []uint32{texel})
	f.Unpack(&dst, &words)
	return c
}
