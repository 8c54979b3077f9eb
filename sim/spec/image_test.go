package spec

import (
	"encoding/binary"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/sim"
)

// TestTexels: what is put into an image comes out of it, of each type, with levels, and each
// byte lies where it is said to.
func TestTexels(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, target := range []gcn.Target{gcn.GFX600, gcn.GFX701, gcn.GFX803, gcn.GFX900, gcn.GFX906} {
		for _, s := range []Image{
			{Size: []uint32{70}}, {Size: []uint32{33, 9}}, {Size: []uint32{33, 9}, Levels: new(uint32(4))},
			{Size: []uint32{9, 7, 5}}, {Size: []uint32{9, 7, 5}, Type: "2d_array"}, {Size: []uint32{9, 9, 2}, Type: "CUBE"},
			{Size: []uint32{70, 3}, Type: "1D_ARRAY"},
			{Size: []uint32{16, 16, 3}, Levels: new(uint32(3)), Type: "2D_ARRAY"},
		} {
			for _, format := range []string{"R8_UNORM", "R16G16B16A16_SFLOAT", "32_32_32_32_UINT", "BC1_UNORM"} {
				if format[0] == 'B' && s.Size[0] == 70 { // no compressed 1D images
					continue
				}
				s.Format, s.Random = format, &Random{Seed: 3}
				l := &loader{m: sim.New(target), left: maxMemoryBytes}
				tex, err := l.image(&s, 0)
				require.NoError(t, err, "%v %+v", target, s)
				want := make([]byte, texelBytes(tex))
				require.NoError(t, s.Random.Fill(want, 0, 0))
				got, err := texels(tex)
				require.NoError(t, err)
				require.Equal(t, want, got)
				for range 5 {
					at := r.Uint64N(uint64(len(want)))
					addr, err := texelAddr(tex, at)
					require.NoError(t, err)
					tex.Buffer.Bytes()[addr-tex.Buffer.Addr] ^= 0xff
					want[at] ^= 0xff
					got, err = texels(tex)
					require.NoError(t, err)
					require.Equal(t, want, got, "%v %+v: byte %d", target, s, at)
				}
			}
		}
	}
}

func TestImageFormats(t *testing.T) {
	r, g, b, a := gcn.SelR, gcn.SelR+1, gcn.SelR+2, gcn.SelR+3
	for name, want := range map[string]struct {
		data, num uint8
		sel       [4]gcn.Sel
	}{
		"R8G8B8A8_UNORM":    {gcn.Data8_8_8_8, gcn.NumUNORM, [4]gcn.Sel{}},
		"b8g8r8a8_srgb":     {gcn.Data8_8_8_8, gcn.NumSRGB, [4]gcn.Sel{b, g, r, a}},
		"A8B8G8R8_UNORM":    {gcn.Data8_8_8_8, gcn.NumUNORM, [4]gcn.Sel{a, b, g, r}},
		"A8_UNORM":          {gcn.Data8, gcn.NumUNORM, [4]gcn.Sel{0, 0, 0, r}},
		"G8R8_UINT":         {gcn.Data8_8, gcn.NumUINT, [4]gcn.Sel{g, r, 0, gcn.Sel1}},
		"R16G16_SNORM":      {gcn.Data16_16, gcn.NumSNORM, [4]gcn.Sel{}},
		"R32_SFLOAT":        {gcn.Data32, gcn.NumFLOAT, [4]gcn.Sel{}},
		"R32G32B32A32_SINT": {gcn.Data32_32_32_32, gcn.NumSINT, [4]gcn.Sel{}},
		"10_11_11_FLOAT":    {gcn.Data10_11_11, gcn.NumFLOAT, [4]gcn.Sel{}},
		"BC7_SRGB":          {gcn.DataBC7, gcn.NumSRGB, [4]gcn.Sel{}},
		"5_6_5_UNORM":       {gcn.Data5_6_5, gcn.NumUNORM, [4]gcn.Sel{}},
	} {
		data, num, sel, err := parseImageFormat(gcn.GFX803, name)
		require.NoError(t, err, name)
		assert.Equal(t, want, struct {
			data, num uint8
			sel       [4]gcn.Sel
		}{data, num, sel}, name)
	}
}

// TestSamplerFields packs a sampler for each generation.
func TestSamplerFields(t *testing.T) {
	s := Sampler{
		Filter: "linear", Mip: "linear", Address: [3]string{"mirrored_repeat", "clamp_to_border", "clamp_to_edge"},
		Border: "opaque_black", Compare: "greater",
		Unnormalized: true, LOD: &[2]float32{0.5, 7.25}, Bias: -2.5, Anisotropy: 16,
	}
	f, err := s.state()
	require.NoError(t, err)
	for g := range gcn.Gen(gcn.NumGens) {
		got := gcn.SSharp(f.Words(g)).Fields(g)
		assert.Equal(t, gcn.SamplerState{
			Clamp: [3]gcn.Clamp{gcn.ClampMirror, gcn.ClampBorder, gcn.ClampLastTexel}, BorderColorType: gcn.BorderOpaqueBlack,
			Compare: gcn.CompareGreater, Unnormalized: true,
			MinLOD: 0.5, MaxLOD: 7.25, LODBias: -2.5, MagFilter: gcn.FilterAnisoBilinear, MinFilter: gcn.FilterAnisoBilinear,
			ZFilter: gcn.ZLinear, MipFilter: gcn.MipLinear, MaxAniso: 4,
		}, got)
	}
	var plain Sampler
	f, err = plain.state()
	require.NoError(t, err)
	assert.Equal(t, gcn.SamplerState{MaxLOD: 16, ZFilter: gcn.ZPoint}, f)
}

// TestImageObject: the object that a kernel of OpenCL gets the address of has what ROCm's device library reads: channel
// type and order, which its tables make numbers of OpenCL, and the width.
func TestImageObject(t *testing.T) {
	const firstType, firstOrder = 0x10d0, 0x10b0 // CL_SNORM_INT8, CL_R; the tables of opencl.bc:
	types := []int{0, 1, 2, 3, 15, 5, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14}
	orders := []int{1, 0, 0xa, 2, 0xb, 3, 4, 0xc, 5, 6, 7, 0xe, 0xf, 0x10, 0x11, 0x12}
	for _, c := range []struct {
		format     string
		typ, order int
	}{
		{"R8G8B8A8_UNORM", 0x10d2, 0x10b5}, {"B8G8R8A8_UNORM", 0x10d2, 0x10b6}, {"R8G8B8A8_SRGB", 0x10d2, 0x10c1},
		{"R32_SFLOAT", 0x10de, 0x10b0}, {"R16G16_SFLOAT", 0x10dd, 0x10b2}, {"R8_SNORM", 0x10d0, 0x10b0},
		{"R32G32B32A32_UINT", 0x10dc, 0x10b5}, {"R16G16_SINT", 0x10d8, 0x10b2}, {"5_6_5_UNORM", 0x10d4, 0x10b4},
		{"A8_UNORM", 0x10d2, 0x10b1},
	} {
		l := &loader{m: sim.New(gcn.GFX900), left: maxMemoryBytes, sizes: []uint32{8}}
		arg, mem, err := l.arg(&Arg{Image: &Image{Size: []uint32{33, 9}, Format: c.format}}, 0)
		require.NoError(t, err)
		object := make([]byte, 48)
		addr := binary.LittleEndian.Uint64(reflect.ValueOf(arg).FieldByName("bytes").Bytes())
		require.NoError(t, l.m.Read(addr, object))
		words := mem.Image.Words()
		for i, want := range append(words, uint32(slices.Index(types, c.typ-firstType)),
			uint32(slices.Index(orders, c.order-firstOrder)), 33) {
			assert.Equal(t, want, binary.LittleEndian.Uint32(object[4*i:]), "%s: word %d", c.format, i)
		}
	}
}
