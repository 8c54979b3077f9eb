package sim_test

import (
	"context"
	"fmt"
	"image"
	"image/color"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/gcn/tile"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/state"
	"github.com/gcnsim/gcnsim/state/lane"
)

// A shader that copies a picture with tiles of 8x8 texels.
func ExampleMachine_NewTexture() {
	m := sim.New(gcn.GFX803)
	const rgba8, unorm = 10, 0
	from, _ := m.NewTexture(gcn.Image{DataFormat: rgba8, NumFormat: unorm, Width: 8, Height: 8, TileMode: 14})
	to, _ := m.NewTexture(gcn.Image{DataFormat: rgba8, NumFormat: unorm, Width: 8, Height: 8, TileMode: 8})
	picture := image.NewNRGBA(image.Rect(0, 0, 8, 8))
	picture.SetNRGBA(3, 5, color.NRGBA{R: 10, G: 20, B: 30, A: 255})
	_ = from.SetImage(0, 0, picture)

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
	copied, _ := to.GetImage(0, 0)
	fmt.Println(err, color.NRGBAModel.Convert(copied.At(3, 5)))
	// Output: <nil> {10 20 30 255}
}

func TestTextureFormats(t *testing.T) {
	picture := image.NewNRGBA(image.Rect(2, 1, 7, 5))
	for i := range picture.Pix {
		picture.Pix[i] = uint8(37 * i)
	}
	for _, chip := range []gcn.Target{gcn.GFX600, gcn.GFX704, gcn.GFX803, gcn.GFX900, gcn.GFX906} {
		for data := range uint8(64) {
			for num := range uint8(16) {
				m := sim.New(chip)
				tex, err := m.NewTexture(gcn.Image{DataFormat: data, NumFormat: num, Width: 5, Height: 4, TileMode: 0})
				if err != nil {
					continue
				}
				if err = tex.SetImage(0, 0, picture); err != nil {
					continue
				}
				back, err := tex.GetImage(0, 0)
				require.NoError(t, err)
				if data == 10 && num == 0 {
					require.Equal(t, picture.NRGBAAt(4, 3), color.NRGBAModel.Convert(back.At(2, 2)))
				}
			}
		}
	}
}

// Colours keep their bits at any alpha.
func TestTextureAlpha(t *testing.T) {
	m := sim.New(gcn.GFX803)
	tex, err := m.NewTexture(gcn.Image{DataFormat: 10, Width: 256, Height: 1, TileMode: 8})
	require.NoError(t, err)
	picture, wide := image.NewNRGBA(image.Rect(0, 0, 256, 1)), image.NewNRGBA64(image.Rect(0, 0, 256, 1))
	for i := range 256 {
		c := color.NRGBA{R: 200, G: 7, B: uint8(i), A: uint8(i)}
		picture.SetNRGBA(i, 0, c)
		wide.SetNRGBA64(i, 0, color.NRGBA64{R: 200 * 257, G: 7 * 257, B: uint16(i) * 257, A: uint16(i) * 257})
	}
	for _, img := range []image.Image{picture, wide} {
		require.NoError(t, tex.SetImage(0, 0, img))
		back, err := tex.GetImage(0, 0)
		require.NoError(t, err)
		require.Equal(t, wide, back)
	}
}

func TestTextureElements(t *testing.T) {
	m := sim.New(gcn.GFX900)
	tex, err := m.NewTexture(gcn.Image{DataFormat: 4, NumFormat: 7, Width: 20, Height: 10, Depth: 3, Type: gcn.Image2DArray, LastLevel: 2, TileMode: 25})
	require.NoError(t, err)
	require.Equal(t, tex.Image, func() gcn.Image { s := gcn.TSharp(tex.Words()); return s.Fields(gcn.GCN14) }(), "nothing is lost in the words")
	rows := make([]float32, 10*5)
	for i := range rows {
		rows[i] = float32(i)
	}
	require.NoError(t, sim.Upload(tex, 1, 2, 0, rows))
	back, err := sim.Download[float32](tex, 1, 2, 0)
	require.NoError(t, err)
	require.Equal(t, rows, back)
	require.Error(t, sim.Upload(tex, 1, 3, 0, rows))
	require.Error(t, sim.Upload(tex, 1, 2, 0, rows[1:]))
	var wrong *sim.TextureError
	require.ErrorAs(t, sim.Upload(tex, 1, 2, 0, append(rows, 0)), &wrong)
	_, err = sim.Download[uint64](tex, 2, 0, 0) // 10 elements of 4 bytes
	require.NoError(t, err)
	odd, err := m.NewTexture(gcn.Image{DataFormat: 4, NumFormat: 7, Width: 5, Height: 1})
	require.NoError(t, err)
	_, err = sim.Download[uint64](odd, 0, 0, 0)
	require.ErrorAs(t, err, &wrong)
	_, err = sim.Download[uint8](tex, 3, 0, 0)
	require.Error(t, err)
	require.Error(t, tex.SetImage(-1, 0, image.NewNRGBA(image.Rect(0, 0, 1, 1))))
}

// Fields that a T# cannot hold, or that contradict each other, are refused by name.
func TestTextureFields(t *testing.T) {
	for field, change := range map[string]func(*gcn.Image){
		"Width": func(i *gcn.Image) { i.Width = -5 }, "Height": func(i *gcn.Image) { i.Height = 1<<14 + 1 },
		"Depth": func(i *gcn.Image) { i.Depth = -1 }, "NumFormat": func(i *gcn.Image) { i.NumFormat = 77 },
		"DataFormat": func(i *gcn.Image) { i.DataFormat = 64 }, "LastLevel": func(i *gcn.Image) { i.LastLevel = 7 },
		"BaseLevel": func(i *gcn.Image) { i.BaseLevel = -1 }, "TileMode": func(i *gcn.Image) { i.TileMode = 32 },
		"BaseArray": func(i *gcn.Image) { i.Type, i.Depth, i.BaseArray = gcn.Image2DArray, 4, 4 },
		"MaxMip":    func(i *gcn.Image) { i.MaxMip = 16 },
	} {
		for _, target := range []gcn.Target{gcn.GFX600, gcn.GFX700, gcn.GFX803, gcn.GFX900, gcn.GFX906} {
			img := gcn.Image{DataFormat: 10, Width: 64, Height: 64}
			change(&img)
			_, err := sim.New(target).NewTexture(img)
			var wrong *sim.TextureError
			require.ErrorAs(t, err, &wrong, "%s %v", field, target)
			require.Contains(t, err.Error(), field)
		}
	}
}

// The tiling registers are those of the machine, as long as they suit its target.
func TestTiling(t *testing.T) {
	m := sim.New(gcn.GFX803)
	img := gcn.Image{DataFormat: 10, Width: 64, Height: 64, TileMode: 14}
	fiji, err := m.NewTexture(img)
	require.NoError(t, err)
	m.Tiling, err = tile.Preset("polaris11")
	require.NoError(t, err)
	polaris, err := m.NewTexture(img)
	require.NoError(t, err)
	require.NotEqual(t, fiji.Layout, polaris.Layout)

	m.Tiling, err = tile.Preset("vega10")
	require.NoError(t, err)
	var wrong *sim.TilingError
	_, err = m.NewTexture(img)
	require.ErrorAs(t, err, &wrong)
	_, err = m.RunAsm(context.Background(), m.NewWave(), "s_nop 0")
	require.NoError(t, err, "nothing needs the registers")
	_, err = m.RunAsm(context.Background(), m.NewWave(), "image_load v0, v[0:1], s[0:7] dmask:1")
	require.ErrorAs(t, err, &wrong)
	require.Contains(t, err.Error(), "vega10 are for gcn1.4, the machine is gfx803")
}

// What is in doubt of a format or a tiling is reported when an instruction meets it.
func TestDoubts(t *testing.T) {
	const linear, tiled, bc1, x24 = 8, 14, 35, 22
	for _, c := range []struct {
		img  gcn.Image
		inst string
		why  string // "" if all is certain
	}{
		{gcn.Image{DataFormat: 10, TileMode: tiled}, "image_load", ""},
		{gcn.Image{DataFormat: 10, NumFormat: 10, TileMode: tiled}, "image_load", "bits of 0"},
		{gcn.Image{DataFormat: 10, TileMode: tiled}, "image_load d16", ""},
		{gcn.Image{DataFormat: 4, NumFormat: 4, TileMode: tiled}, "image_load d16", "D16"},
		{gcn.Image{DataFormat: 10, NumFormat: 9, TileMode: tiled}, "image_load", "sRGB"},
		{gcn.Image{DataFormat: 4, NumFormat: 7, TileMode: tiled, DstSel: [4]gcn.Sel{gcn.SelG}}, "image_load", "format lacks"},
		{gcn.Image{DataFormat: bc1, TileMode: tiled}, "image_load", "blocks"},
		{gcn.Image{DataFormat: x24, NumFormat: 7, TileMode: tiled}, "image_load", "depth format"},
		{gcn.Image{DataFormat: 13, NumFormat: 7, TileMode: linear}, "image_load_pck", "96-bit elements"},
		{gcn.Image{DataFormat: 1, NumFormat: 0, TileMode: linear}, "image_load_pck", "less than 32 bits"},
		{gcn.Image{DataFormat: 10, NumFormat: 9, TileMode: tiled}, "image_load_pck", ""},
		{gcn.Image{DataFormat: 4, NumFormat: 7, TileMode: tiled}, "image_store", ""},
		{gcn.Image{DataFormat: 2, NumFormat: 7, TileMode: tiled}, "image_store", "small floats"},
		{gcn.Image{DataFormat: 5, NumFormat: 0, TileMode: tiled}, "image_store", "leaves out"},
		{gcn.Image{DataFormat: 10, NumFormat: 9, TileMode: tiled, Interlaced: true}, "image_atomic_add", "INTERLACED"},
	} {
		m := sim.New(gcn.GFX803)
		c.img.Width, c.img.Height = 16, 16
		tex, err := m.NewTexture(c.img)
		require.NoError(t, err)
		w := m.NewWave()
		w.SetSGPRs(0, tex.Words()...)
		name, modifier, _ := strings.Cut(c.inst, " ")
		res, err := m.RunAsm(context.Background(), w, name+" v4, v[0:1], s[0:7] dmask:1 "+modifier)
		require.NoError(t, err)
		if c.why == "" {
			require.Empty(t, res.Fidelity)
			continue
		}
		require.Equal(t, state.Approximate, res.Fidelity[0].Level)
		var all []string
		for _, n := range res.Fidelity {
			all = append(all, n.Why)
		}
		require.Contains(t, strings.Join(all, "; "), c.why)
	}
}

// A run reports each reason of an instruction once, in the same order whatever runs first,
// and those of texels that are all in the border too (spec/images.md 6).
func TestDoubtsEach(t *testing.T) {
	m := sim.New(gcn.GFX900)
	tex, err := m.NewTexture(gcn.Image{DataFormat: 10, NumFormat: 9, Width: 16, Height: 16, DstSel: [4]gcn.Sel{2, 4, 5, 6}})
	require.NoError(t, err)
	tex.BCSwizzle = 7
	border := gcn.SamplerState{Clamp: [3]gcn.Clamp{gcn.ClampBorder, gcn.ClampHalfBorder}, MagFilter: 3, MinFilter: 3, MaxAniso: 2, MipFilter: 2,
		PerfMip: 3, LODBiasSec: 1, CoordTrunc: true, BorderColorType: 3}
	for range 2 {
		w := m.NewWave()
		w.SetSGPRs(0, tex.Words()...)
		w.SetSGPRs(8, border.Words(gcn.GCN14)...)
		for lane := range w.V[0] {
			w.V[0][lane], w.V[1][lane] = math.Float32bits(-9), math.Float32bits(-9)
		}
		res, err := m.RunAsm(context.Background(), w, "image_sample_cl v4, v[0:2], s[0:7], s[8:11] dmask:1\nimage_sample_cl v[4:5], v[0:2], s[0:7], s[8:11] dmask:1 tfe")
		require.NoError(t, err)
		var all []string
		for _, n := range res.Fidelity {
			require.Equal(t, "image_sample_cl", n.Mnemonic)
			all = append(all, n.Why)
		}
		require.True(t, slices.IsSorted(all))
		require.Len(t, slices.Compact(slices.Clone(all)), len(all))
		text := strings.Join(all, "; ")
		for _, why := range []string{
			"LOD of a footprint", "_CL", "TFE", "anisotropic", "PERF_MIP", "LOD_BIAS_SEC", "MC_COORD_TRUNC", "no entry for BORDER_COLOR_PTR",
			"BC_SWIZZLE", "half a border", "rounded once", "1/64", "DST_SEL", "sRGB",
		} {
			require.Contains(t, text, why)
		}
	}
}

// Reserved codes are reported, though nothing is accessed (spec/images.md 2.1).
func TestDoubtsReserved(t *testing.T) {
	m := sim.New(gcn.GFX803)
	for why, img := range map[string]gcn.Image{
		"DATA_FORMAT 15": {Type: gcn.Image2D, DataFormat: 15}, "TYPE": {Type: 3, DataFormat: 10}, "": {Type: 0, DataFormat: 10},
	} {
		img.Width, img.Height, img.Depth = 4, 4, 1
		w := m.NewWave()
		w.SetSGPRs(0, img.Words(gcn.GCN12)...)
		res, err := m.RunAsm(context.Background(), w, "image_load v4, v[0:1], s[0:7] dmask:1")
		require.NoError(t, err)
		if why == "" {
			require.Empty(t, res.Fidelity)
			continue
		}
		require.Len(t, res.Fidelity, 1)
		require.Contains(t, res.Fidelity[0].Why, why)
	}
}
