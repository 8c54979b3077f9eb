package sim_test

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/sim/texture"
)

// D16 loads of buffers are in doubt only if the V# has integers of more than 16 bits.
func TestDoubtsOfD16(t *testing.T) {
	for _, c := range []struct {
		data, num uint8
		certain   bool
	}{
		{4, gcn.NumUINT, false}, {11, gcn.NumSINT, false}, {4, gcn.NumFLOAT, true}, {2, gcn.NumFLOAT, true},
		{2, gcn.NumUINT, true}, {10, gcn.NumUNORM, true}, {1, gcn.NumSINT, true},
	} {
		m := sim.New(gcn.GFX900)
		w := m.NewWave()
		w.SetBuffer(0, gcn.Buffer{Base: m.Alloc(256).Addr, NumRecords: 256, DataFormat: c.data, NumFormat: c.num})
		res, err := m.RunAsm(context.Background(), w, "buffer_load_format_d16_x v1, off, s[0:3], 0")
		require.NoError(t, err)
		if c.certain {
			require.Empty(t, res.Fidelity, c)
			continue
		}
		require.Len(t, res.Fidelity, 1)
		require.Contains(t, res.Fidelity[0].Why, "what D16 loads make of integers of more than 16 bits")
	}
}

// A doubt about a format or a tiling is reported when an instruction uses it.
func TestDoubts(t *testing.T) {
	const linear, tiled, bc1, x24 = 8, 14, 35, 22
	for _, c := range []struct {
		img  gcn.Image
		inst string
		why  string // "" if nothing is in doubt
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
		tex, err := texture.New(m, c.img)
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
		require.Equal(t, gcn.Approximate, res.Fidelity[0].Level)
		var all []string
		for _, n := range res.Fidelity {
			all = append(all, n.Why)
		}
		require.Contains(t, strings.Join(all, "; "), c.why)
	}
}

// A run reports each doubt of an instruction once, in an order that does not depend on the execution. This includes
// doubts about texels that all lie in the border (rule IM13).
func TestDoubtsEach(t *testing.T) {
	m := sim.New(gcn.GFX900)
	tex, err := texture.New(m, gcn.Image{DataFormat: 10, NumFormat: 9, Width: 16, Height: 16,
		DstSel: [4]gcn.Sel{2, 4, 5, 6}})
	require.NoError(t, err)
	tex.BCSwizzle = 7
	border := gcn.SamplerState{Clamp: [3]gcn.Clamp{gcn.ClampBorder, gcn.ClampHalfBorder}, MagFilter: 3, MinFilter: 3,
		MaxAniso: 2, MipFilter: 2,
		PerfMip: 3, LODBiasSec: 1, CoordTrunc: true, BorderColorType: 3}
	for range 2 {
		w := m.NewWave()
		w.SetSGPRs(0, tex.Words()...)
		w.SetSGPRs(8, border.Words(gcn.GCN14)...)
		for lane := range w.V[0] {
			w.V[0][lane], w.V[1][lane] = math.Float32bits(-9), math.Float32bits(-9)
		}
		res, err := m.RunAsm(context.Background(), w,
			"image_sample_cl v4, v[0:2], s[0:7], s[8:11] dmask:1\nimage_sample_cl v[4:5], v[0:2], s[0:7], s[8:11] dmask:1 tfe")
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
			"LOD of a footprint", "_CL", "TFE", "anisotropic", "PERF_MIP", "LOD_BIAS_SEC", "MC_COORD_TRUNC",
			"no entry for BORDER_COLOR_PTR",
			"BC_SWIZZLE", "half a border", "rounded once", "1/64", "DST_SEL", "sRGB",
		} {
			require.Contains(t, text, why)
		}
	}
}

// Reserved codes are reported even if nothing is accessed (rule IF1).
func TestDoubtsReserved(t *testing.T) {
	m := sim.New(gcn.GFX803)
	for why, img := range map[string]gcn.Image{
		"DATA_FORMAT 15": {Type: gcn.Image2D, DataFormat: 15},
		"TYPE":           {Type: 3, DataFormat: 10},
		"":               {Type: 0, DataFormat: 10},
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
