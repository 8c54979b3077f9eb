package explain

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa"
)

// assertNotes compares notes with parts of the wanted ones.
func assertNotes(t *testing.T, name string, want, notes []string) {
	t.Helper()
	if assert.Len(t, notes, len(want), "%s: %q", name, notes) {
		for i, part := range want {
			assert.Contains(t, notes[i], part, name)
		}
	}
}

func TestExplainTSharpNotes(t *testing.T) {
	good := gcn.Image{Base: 0x100000, Type: gcn.Image2D, DataFormat: 10, Width: 64, Height: 64, Pitch: 256,
		TileMode: 14, DstSel: [4]gcn.Sel{4, 5, 6, 7}}
	vega := func(i *gcn.Image) { i.TileMode, i.Pitch, i.Depth = 9, 128, 1 }
	for _, c := range []struct {
		name   string
		target gcn.Target
		change func(*gcn.Image)
		want   []string
	}{
		{"good", gcn.GFX803, func(*gcn.Image) {}, nil},
		{"type", gcn.GFX803, func(i *gcn.Image) { i.Type = 2 }, []string{"TYPE 2 is no image"}},
		{"select", gcn.GFX803, func(i *gcn.Image) { i.DstSel[2] = 3 }, []string{"DST_SEL_Z = 3"}},
		{"format", gcn.GFX803, func(i *gcn.Image) { i.DataFormat = 23 }, []string{"DATA_FORMAT 23 is reserved"}},
		{"size unknown", gcn.GFX803, func(i *gcn.Image) { i.DataFormat = 61 }, []string{"no layout: tile: not supported: data format 61 32_AS_8"}},
		{"number format", gcn.GFX803, func(i *gcn.Image) { i.NumFormat = 14 }, []string{"NUM_FORMAT 14 is reserved"}},
		{"float bytes", gcn.GFX803, func(i *gcn.Image) { i.NumFormat = 7 }, []string{"NUM_FORMAT FLOAT does not go with 8_8_8_8"}},
		{"srgb words", gcn.GFX803, func(i *gcn.Image) { i.DataFormat, i.NumFormat = 4, 9 }, []string{"NUM_FORMAT SRGB does not go with 32"}},
		{"no level", gcn.GFX803, func(i *gcn.Image) { i.BaseLevel = 1 }, []string{"BASE_LEVEL is beyond LAST_LEVEL"}},
		{"levels", gcn.GFX803, func(i *gcn.Image) { i.LastLevel, i.Pow2Pad = 7, true }, []string{"8 levels (LAST_LEVEL+1), but 64x64x1 has 7"}},
		{"unpadded", gcn.GFX803, func(i *gcn.Image) { i.LastLevel = 2 }, []string{"no source confirms: levels without POW2_PAD"}},
		{"no layer", gcn.GFX803, func(i *gcn.Image) { i.Type, i.Depth, i.BaseArray = gcn.Image2DArray, 4, 1 }, []string{"BASE_ARRAY is beyond the last layer"}},
		{"layers", gcn.GFX803, func(i *gcn.Image) { i.Type, i.Depth, i.LastArray = gcn.Image2DArray, 4, 4 }, []string{"LAST_ARRAY is beyond DEPTH: the image has 4 layers"}},
		{"1D", gcn.GFX803, func(i *gcn.Image) { i.Type, i.TileMode = gcn.Image1D, 8 }, []string{"HEIGHT does not matter"}},
		{"min LOD", gcn.GFX803, func(i *gcn.Image) { i.MinLOD = 1 }, []string{"MIN_LOD is beyond LAST_LEVEL"}},
		{"interlaced", gcn.GFX803, func(i *gcn.Image) { i.Interlaced = true }, []string{"INTERLACED"}},
		{"metadata", gcn.GFX803, func(i *gcn.Image) { i.Compression = true }, []string{"COMPRESSION_EN"}},
		{"pitch", gcn.GFX803, func(i *gcn.Image) { i.Pitch = 100 }, []string{"no layout: tile: a pitch of 100 elements"}},
		{"swizzle", gcn.GFX803, func(i *gcn.Image) { i.Base |= 0x500 }, []string{"the surface is at 0x100000"}},
		{"alignment", gcn.GFX803, func(i *gcn.Image) { i.Base = 0x108000 }, []string{"the surface at 0x108000 is not aligned to 131072 bytes"}},
		{"vega", gcn.GFX900, vega, nil},
		{"vega levels", gcn.GFX900, func(i *gcn.Image) { vega(i); i.LastLevel = 1 }, []string{"LAST_LEVEL is beyond MAX_MIP"}},
		{"vega layers", gcn.GFX906, func(i *gcn.Image) { vega(i); i.Type, i.BaseArray = gcn.Image2DArray, 1 }, []string{"BASE_ARRAY is beyond the last layer"}},
		{"vega EPITCH", gcn.GFX900, func(i *gcn.Image) { vega(i); i.LastLevel, i.MaxMip = 5, 5; i.Pitch = 64 }, []string{"EPITCH+1 is 64"}},
	} {
		img := good
		c.change(&img)
		assertNotes(t, c.name, c.want, TSharp(c.target, gcn.TSharp(img.Words(c.target.Gen())), false).Notes)
	}
	got := explained(t, "tsharp", gcn.GCN12, 0x1000, 0x00a00000, 63<<14|63, 0xd0e00fac)
	assert.Contains(t, got, "a 2D array image needs a T# of 256 bits")
	assert.NotContains(t, got, "META_ADDRESS")
	assert.Contains(t, explained(t, "tsharp", gcn.GCN12, 0, 0, 0, 0, 0, 0, 0, 0), "an unbound resource")
	assert.Contains(t, explained(t, "tsharp", gcn.GCN10, 0x1000, 0, 0, 0x94e00fac, 0, 0, 0, 0x80000001),
		"reserved bits are set: 122 (MTYPE[2] of gcn1.2), 224 (META_ADDRESS of gcn1.4.1), 255 (META_ADDRESS of gcn1.4.1)")
}

func TestExplainSSharpNotes(t *testing.T) {
	for _, c := range []struct {
		name   string
		gen    gcn.Gen
		change func(*gcn.SamplerState)
		want   []string
	}{
		{"good", gcn.GCN12, func(*gcn.SamplerState) {}, nil},
		{"filters", gcn.GCN12, func(s *gcn.SamplerState) { s.MipFilter, s.FilterMode = 3, 3 }, []string{"code 3 of Z_FILTER and MIP_FILTER", "FILTER_MODE 3"}},
		{"LOD", gcn.GCN12, func(s *gcn.SamplerState) { s.MinLOD, s.MaxLOD = 3, 2 }, []string{"the level of detail is always 3"}},
		{"texels", gcn.GCN12, func(s *gcn.SamplerState) { s.Unnormalized, s.MipFilter = true, 1 }, []string{"levels need normalized", "WRAP and MIRROR"}},
		{"border", gcn.GCN12, func(s *gcn.SamplerState) { s.BorderColorType = 2 }, []string{"BORDER_COLOR_TYPE does not matter"}},
		{"aniso", gcn.GCN12, func(s *gcn.SamplerState) { s.MaxAniso = 5 }, []string{"no filter is anisotropic", "more than 16 times"}},
		{"open", gcn.GCN14, func(s *gcn.SamplerState) { s.PerfZ, s.BlendZeroPRT = 1, true }, []string{"exact effect of PERF_Z, BLEND_ZERO_PRT"}},
	} {
		s := gcn.SamplerState{MagFilter: 1, MinFilter: 1, MaxLOD: 15}
		c.change(&s)
		assertNotes(t, c.name, c.want, SSharp(c.gen, gcn.SSharp(s.Words(c.gen))).Notes)
	}
	assert.Contains(t, explained(t, "ssharp", gcn.GCN10, 1<<31, 0, 0, 0),
		"reserved bits are set: 31 (COMPAT_MODE of gcn1.4.1)")
	assert.Contains(t, explained(t, "tsharp", gcn.GCN14, 0x1000, 0x00a00000, 1<<31, 0x92000fac, 0, 0, 0, 0),
		"reserved bits are set: 95 (INTERLACED of gcn1.2), 121 (POW2_PAD of gcn1.2)")
}

// What explain says something about is a field of some generation.
func TestExplainNamesFieldsOfImages(t *testing.T) {
	images, samplers := map[string]bool{}, map[string]bool{}
	for g := range gcn.Gen(gcn.NumGens) {
		for _, f := range isa.TSharpFields[g] {
			images[f.Name] = true
		}
		for _, f := range isa.SSharpFields[g] {
			samplers[f.Name] = true
		}
	}
	for name := range imageMeanings {
		assert.True(t, images[name], name)
	}
	for name := range samplerMeanings {
		assert.True(t, samplers[name], name)
	}
}

func TestExplainTakesEveryTSharpAndSSharp(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	for range 500 {
		g := gcn.Gen(rng.IntN(gcn.NumGens))
		words := make([]uint32, 8)
		for i := range words {
			words[i] = rng.Uint32()
		}
		require.Contains(t, explained(t, "tsharp", g, words...), "DATA_FORMAT")
		require.Contains(t, explained(t, "ssharp", g, words[:4]...), "LOD_BIAS")
	}
}
