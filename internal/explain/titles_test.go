package explain

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gcnsim/gcnsim/gcn"
)

func TestTitles(t *testing.T) {
	b := gcn.Buffer{Base: 0x1000, Stride: 4, NumRecords: 64, Swizzle: true, ElemSize: 4, IndexStride: 64, AddTID: true,
		Type: 1}
	assert.Equal(t, "V#{base 0x1000, stride 4, records 0x40, swizzle 4 bytes x 64, add_tid, type 1}",
		(&Buffer{Buffer: b}).title())
	img := gcn.Image{Base: 0x1000, Type: gcn.Image2DArray, Width: 64, Height: 32, Depth: 4, DataFormat: 10,
		DstSel: [4]gcn.Sel{4, 5, 6, 7}, LastLevel: 2, TileMode: 14}
	assert.Equal(t, "T#{2D array 64x32, base 0x1000, dfmt 10, nfmt 0, sel RGBA, levels 0-2, tiling 14}",
		(&Image{State: img}).title())
	assert.Equal(t, "T#{type 0}", (&Image{}).title())
	s := gcn.SamplerState{Clamp: [3]gcn.Clamp{gcn.ClampLastTexel, gcn.ClampLastTexel}, MagFilter: 1, MinFilter: 1,
		MaxLOD: 8, LODBias: -0.5, Unnormalized: true, Compare: 1}
	assert.Equal(t, "S#{clamp CLAMP_LAST_TEXEL CLAMP_LAST_TEXEL WRAP, mag 1, min 1, z 0, mip 0, lod 0 to 8, bias "+
		"-0.5, unnormalized, compare 1}", (&Sampler{State: s}).title())
}
