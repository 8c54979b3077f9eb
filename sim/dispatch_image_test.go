package sim_test

import (
	"fmt"
	"image"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/sim/texture"
)

// The work-groups of a compiled kernel share images, one after another and in parallel.
func TestDispatchOfImages(t *testing.T) {
	const width, height = 128, 64
	picture := image.NewNRGBA(image.Rect(0, 0, width, height))
	for i := range picture.Pix {
		picture.Pix[i] = uint8(i * 29)
	}
	for cpu, target := range map[string]gcn.Target{"tahiti": gcn.GFX600, "hawaii": gcn.GFX701, "fiji": gcn.GFX803,
		"gfx900": gcn.GFX900, "gfx906": gcn.GFX906} {
		for _, workers := range []int{1, 4} {
			t.Run(fmt.Sprintf("%s/%d", cpu, workers), func(t *testing.T) {
				m := sim.New(target)
				mod, err := m.LoadObject(kernelObject(t, "picture."+cpu+".co"))
				require.NoError(t, err)
				mode := tiledMode(target.Gen())
				tex := newTexture(t, m, gcn.Image{DataFormat: gcn.Data8_8_8_8, NumFormat: gcn.NumUNORM, Width: width,
					Height: height, TileMode: mode})
				counts := newTexture(t, m, gcn.Image{DataFormat: gcn.Data32, NumFormat: gcn.NumUINT, Width: 8, Height: 8,
					TileMode: mode})
				require.NoError(t, tex.SetPicture(0, 0, picture))
				res, err := m.Dispatch(ctx, sim.Launch{
					Module: mod, Kernel: "picture", Grid: [3]uint32{width, height}, Group: [3]uint32{16, 8}, Workers: workers,
					Args: []sim.Arg{sim.Bytes(raw(tex.Words())), sim.Bytes(raw(counts.Words()))},
				})
				require.NoError(t, err)
				require.EqualValues(t, 3*width*height/64, res.ByClass[sim.ClassMIMG])
				got, err := texture.Download[uint8](tex, 0, 0, 0)
				require.NoError(t, err)
				for i, v := range picture.Pix {
					require.Equal(t, 255-v, got[i], "byte %d", i)
				}
				for i, n := range get[uint32](t, counts, 0, 0) {
					require.EqualValues(t, 16*8, n, "work-group %d", i)
				}
			})
		}
	}
}
