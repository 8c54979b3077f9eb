package texture_test

import (
	"context"
	"fmt"
	"image"
	"image/color"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/gcn/tile"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/sim/texture"
	"github.com/gcnsim/gcnsim/state/lane"
)

// A shader copies a picture with tiles of 8x8 texels.
func ExampleNew() {
	m := sim.New(gcn.GFX803)
	from, _ := texture.New(m, gcn.Image{DataFormat: gcn.Data8_8_8_8, Width: 8, Height: 8, TileMode: 14}) // UNORM
	to, _ := texture.New(m, gcn.Image{DataFormat: gcn.Data8_8_8_8, Width: 8, Height: 8, TileMode: 8})
	picture := image.NewNRGBA(image.Rect(0, 0, 8, 8))
	picture.SetNRGBA(3, 5, color.NRGBA{R: 10, G: 20, B: 30, A: 255})
	_ = from.SetPicture(0, 0, picture)

	w := m.NewWave()
	w.SetSGPRs(0, from.Words()...)
	w.SetSGPRs(8, to.Words()...)
	w.SetVGPR(0, lane.Func(func(i int) uint32 { return uint32(i % 8) }))
	w.SetVGPR(1, lane.Func(func(i int) uint32 { return uint32(i / 8) }))
	_, err := m.RunAsm(context.Background(), w, `
		image_load v[4:7], v[0:1], s[0:7] dmask:0xf unorm
		s_waitcnt vmcnt(0)
		image_store v[4:7], v[0:1], s[8:15] dmask:0xf unorm
		s_endpgm`)
	copied, _ := to.Picture(0, 0)
	fmt.Println(err, color.NRGBAModel.Convert(copied.At(3, 5)))
	// Output: <nil> {10 20 30 255}
}

func TestFormats(t *testing.T) {
	picture := image.NewNRGBA(image.Rect(2, 1, 7, 5))
	for i := range picture.Pix {
		picture.Pix[i] = uint8(37 * i)
	}
	for _, chip := range []gcn.Target{gcn.GFX600, gcn.GFX704, gcn.GFX803, gcn.GFX900, gcn.GFX906} {
		for data := range uint8(64) {
			for num := range uint8(16) {
				m := sim.New(chip)
				tex, err := texture.New(m, gcn.Image{DataFormat: data, NumFormat: num, Width: 5, Height: 4, TileMode: 0})
				if err != nil {
					continue
				}
				if err = tex.SetPicture(0, 0, picture); err != nil {
					continue
				}
				back, err := tex.Picture(0, 0)
				require.NoError(t, err)
				if data == gcn.Data8_8_8_8 && num == gcn.NumUNORM {
					require.Equal(t, picture.NRGBAAt(4, 3), color.NRGBAModel.Convert(back.At(2, 2)))
				}
			}
		}
	}
}

// Colours keep their bits for every alpha.
func TestAlpha(t *testing.T) {
	m := sim.New(gcn.GFX803)
	tex, err := texture.New(m, gcn.Image{DataFormat: gcn.Data8_8_8_8, Width: 256, Height: 1, TileMode: 8})
	require.NoError(t, err)
	picture, wide := image.NewNRGBA(image.Rect(0, 0, 256, 1)), image.NewNRGBA64(image.Rect(0, 0, 256, 1))
	for i := range 256 {
		c := color.NRGBA{R: 200, G: 7, B: uint8(i), A: uint8(i)}
		picture.SetNRGBA(i, 0, c)
		wide.SetNRGBA64(i, 0, color.NRGBA64{R: 200 * 257, G: 7 * 257, B: uint16(i) * 257, A: uint16(i) * 257})
	}
	for _, img := range []image.Image{picture, wide} {
		require.NoError(t, tex.SetPicture(0, 0, img))
		back, err := tex.Picture(0, 0)
		require.NoError(t, err)
		require.Equal(t, wide, back)
	}
}

func TestElements(t *testing.T) {
	m := sim.New(gcn.GFX900)
	tex, err := texture.New(m, gcn.Image{DataFormat: gcn.Data32, NumFormat: gcn.NumFLOAT, Width: 20, Height: 10,
		Depth: 3, Type: gcn.Image2DArray, LastLevel: 2, TileMode: 25})
	require.NoError(t, err)
	require.Equal(t, tex.Image, func() gcn.Image { s := gcn.TSharp(tex.Words()); return s.Fields(gcn.GCN14) }(),
		"nothing is lost in the words")
	rows := make([]float32, 10*5)
	for i := range rows {
		rows[i] = float32(i)
	}
	require.NoError(t, texture.Upload(tex, 1, 2, 0, rows))
	back, err := texture.Download[float32](tex, 1, 2, 0)
	require.NoError(t, err)
	require.Equal(t, rows, back)
	require.Error(t, texture.Upload(tex, 1, 3, 0, rows))
	require.Error(t, texture.Upload(tex, 1, 2, 0, rows[1:]))
	var wrong *texture.Error
	require.ErrorAs(t, texture.Upload(tex, 1, 2, 0, append(rows, 0)), &wrong)
	_, err = texture.Download[uint64](tex, 2, 0, 0) // 10 elements of 4 bytes
	require.NoError(t, err)
	odd, err := texture.New(m, gcn.Image{DataFormat: gcn.Data32, NumFormat: gcn.NumFLOAT, Width: 5, Height: 1})
	require.NoError(t, err)
	_, err = texture.Download[uint64](odd, 0, 0, 0)
	require.ErrorAs(t, err, &wrong)
	_, err = texture.Download[uint8](tex, 3, 0, 0)
	require.Error(t, err)
	require.Error(t, tex.SetPicture(-1, 0, image.NewNRGBA(image.Rect(0, 0, 1, 1))))
}

// Fields that do not fit a T#, or that contradict each other, are refused by name.
func TestFields(t *testing.T) {
	for field, change := range map[string]func(*gcn.Image){
		"Width": func(i *gcn.Image) { i.Width = -5 }, "Height": func(i *gcn.Image) { i.Height = 1<<14 + 1 },
		"Depth": func(i *gcn.Image) { i.Depth = -1 }, "NumFormat": func(i *gcn.Image) { i.NumFormat = 77 },
		"DataFormat": func(i *gcn.Image) { i.DataFormat = 64 }, "LastLevel": func(i *gcn.Image) { i.LastLevel = 16 },
		"BaseLevel": func(i *gcn.Image) { i.BaseLevel = -1 }, "TileMode": func(i *gcn.Image) { i.TileMode = 32 },
		"BaseArray": func(i *gcn.Image) { i.Type, i.Depth, i.BaseArray = gcn.Image2DArray, 4, 4 },
		"MaxMip":    func(i *gcn.Image) { i.MaxMip = 16 },
	} {
		for _, target := range []gcn.Target{gcn.GFX600, gcn.GFX700, gcn.GFX803, gcn.GFX900, gcn.GFX906} {
			img := gcn.Image{DataFormat: gcn.Data8_8_8_8, Width: 64, Height: 64}
			change(&img)
			_, err := texture.New(sim.New(target), img)
			var wrong *texture.Error
			require.ErrorAs(t, err, &wrong, "%s %v", field, target)
			require.Contains(t, err.Error(), field)
		}
	}
}

// The tiling registers are those of the machine, which must suit its target.
func TestTiling(t *testing.T) {
	m := sim.New(gcn.GFX803)
	img := gcn.Image{DataFormat: gcn.Data8_8_8_8, Width: 64, Height: 64, TileMode: 14}
	fiji, err := texture.New(m, img)
	require.NoError(t, err)
	m.Tiling, err = tile.Preset("polaris11")
	require.NoError(t, err)
	polaris, err := texture.New(m, img)
	require.NoError(t, err)
	require.NotEqual(t, fiji.Layout, polaris.Layout)

	m.Tiling, err = tile.Preset("vega10")
	require.NoError(t, err)
	var wrong *sim.Error
	_, err = texture.New(m, img)
	require.ErrorAs(t, err, &wrong)
	_, err = m.RunAsm(context.Background(), m.NewWave(), "s_nop 0")
	require.NoError(t, err, "nothing needs the registers")
	_, err = m.RunAsm(context.Background(), m.NewWave(), "image_load v0, v[0:1], s[0:7] dmask:1")
	require.ErrorAs(t, err, &wrong)
	require.Contains(t, err.Error(), "vega10 are for gcn1.4, the machine is gfx803")
}

// Upload copies elements of any format, here floats to a level of an array.
func ExampleUpload() {
	m := sim.New(gcn.GFX900)
	tex, _ := texture.New(m, gcn.Image{
		DataFormat: gcn.Data32, NumFormat: gcn.NumFLOAT, Type: gcn.Image2DArray, Width: 4, Height: 4, Depth: 3,
		LastLevel: 1, TileMode: 25,
	})
	const level, slice, sample = 1, 2, 0
	err := texture.Upload(tex, level, slice, sample, []float32{1, 2, 3, 4}) // 2x2 texels
	rows, _ := texture.Download[float32](tex, level, slice, sample)
	fmt.Println(err, rows)
	// Output: <nil> [1 2 3 4]
}
