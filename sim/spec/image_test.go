package spec

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/sim/compare"
	"github.com/gcnsim/gcnsim/internal/testkit/elftest"
	"github.com/gcnsim/gcnsim/sim"
)

// TestTexels: texels that are written to an image can be read again, for each type and with levels, and each byte is
// at the address that texelAddr returns.
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
				if format[0] == 'B' && s.Size[0] == 70 { // there are no compressed 1D images
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

// TestSamplerFields encodes a sampler for each generation.
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

// TestImageObject: the OpenCL image object has the fields that ROCm's device library reads: channel type and order,
// which its tables convert to OpenCL numbers, and the width.
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

// painted returns a dispatch that stores to the texels of a row of a 64 by 64 image: the number of the lane, or with
// value other the number of another lane for lane 37.
func painted(target gcn.Target, value string, im Image) *Dispatch {
	return &Dispatch{
		Object: elftest.Kernel(target.String(), `
	s_load_dwordx2 s[4:5], s[0:1], 0x0
	s_waitcnt lgkmcnt(0)
	s_load_dwordx8 s[8:15], s[4:5], 0x0
	v_mov_b32 v1, 9
	`+value+`
	s_waitcnt lgkmcnt(0)
	image_store v2, v[0:1], s[8:15] dmask:0x1 unorm`),
		Target: &target, Kernel: "k", Grid: [3]uint32{64, 1, 1}, Args: []Arg{{Image: &im}},
	}
}

// TestDiffOfImages: images with different layouts are compared texel by texel, and the store of a texel that differs
// is found in each.
func TestDiffOfImages(t *testing.T) {
	im := Image{Format: "R32_FLOAT", Size: []uint32{64, 64}}
	const lane, other = "v_cvt_f32_u32 v2, v0", `v_cvt_f32_u32 v2, v0
	v_cmp_eq_u32 vcc, 37, v0
	v_mov_b32 v3, 0x42140001
	v_cndmask_b32 v2, v2, v3, vcc`
	a, b := painted(gcn.GFX803, lane, im), painted(gcn.GFX900, lane, im)
	var memory [2]*Memory
	for i, d := range []*Dispatch{a, b} {
		res, err := d.Run(t.Context(), nil)
		require.NoError(t, err)
		memory[i] = res.Memory[0]
	}
	require.NotEqual(t, memory[0].Buffer.Bytes(), memory[1].Buffer.Bytes(), "the layouts are other ones")
	got, err := compare.Programs(t.Context(), compare.SetupOf(a.Program(nil)), compare.SetupOf(b.Program(nil)))
	require.NoError(t, err)
	v, why := got.Verdict()
	assert.Equal(t, compare.Same, v, why)

	b = painted(gcn.GFX900, other, im)
	got, err = compare.Programs(t.Context(), compare.SetupOf(a.Program(nil)), compare.SetupOf(b.Program(nil)))
	require.NoError(t, err)
	d := got.Difference
	require.NotNil(t, d)
	assert.Equal(t, compare.Element{Arg: 0, Offset: 4 * (9*64 + 37), Size: 4}, d.Element)
	assert.Equal(t, []byte{0, 0, 0x14, 0x42}, d.A.Value) // the float 37
	assert.Equal(t, []byte{1, 0, 0x14, 0x42}, d.B.Value)
	for _, h := range []*compare.Half{&d.A, &d.B} {
		require.NotNil(t, h.Store)
		assert.Contains(t, h.Store.Text, "image_store")
		assert.Equal(t, [3]uint64{37, 0, 0}, h.Store.Item)
	}

	for _, d := range []*Dispatch{a, b} {
		d.Expect = []Expect{{Arg: 0, Want: make([]byte, 4*64*64), As: F32, ULP: new(uint64(1))}}
	}
	got, err = compare.Programs(t.Context(), compare.SetupOf(a.Program(nil)), compare.SetupOf(b.Program(nil)))
	require.NoError(t, err)
	v, why = got.Verdict()
	assert.Equal(t, compare.Same, v, why)
	assert.Equal(t, 1, got.Tolerated)
}

// pictures has the kernels, and files in memory.
type pictures map[string][]byte

func (p pictures) ReadFile(name string, limit int64) ([]byte, error) {
	if b, ok := p[name]; ok {
		return b, nil
	}
	return kernels{}.ReadFile(name, limit)
}

func (p pictures) WriteFile(name string, data []byte) error {
	p[name] = bytes.Clone(data)
	return nil
}

func encode(t *testing.T, picture image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, png.Encode(&b, picture))
	return b.Bytes()
}

// TestImagesOfADispatch inverts a picture on every generation.
func TestImagesOfADispatch(t *testing.T) {
	in, want := image.NewNRGBA(image.Rect(0, 0, 48, 16)), image.NewNRGBA(image.Rect(0, 0, 48, 16))
	for i := range in.Pix {
		in.Pix[i] = uint8(i * 29)
		want.Pix[i] = 255 - in.Pix[i]
	}
	wrong := image.NewNRGBA(want.Rect)
	copy(wrong.Pix, want.Pix)
	wrong.SetNRGBA(17, 9, color.NRGBA{})
	for _, cpu := range []string{"tahiti", "hawaii", "fiji", "gfx900", "gfx906"} {
		for _, tiling := range []string{"", `,"tiling":8`} {
			if cpu[0] == 'g' && tiling != "" {
				tiling = `,"tiling":0`
			}
			files := pictures{"in.png": encode(t, in), "want.png": encode(t, want), "wrong.png": encode(t, wrong)}
			spec := func(expect string) *Reply {
				req, err := ParseDispatch(fmt.Appendf(nil, `{"code_object":"picture.%s.co","kernel":"picture","grid":[48,16],"workgroup":[16,8],
					"args":[{"image":{"format":"R8G8B8A8_UNORM","size":[48,16],"file":"in.png"%s}},{"image":{"format":"R32_UINT","size":[3,2]}}],
					"dump":[{"arg":0,"file":"out.png"},{"arg":1,"hex":true}],"expect":[{"arg":1,"hex":"8000000080000000"},{"arg":0,"file":%q}]}`, cpu, tiling, expect))
				require.NoError(t, err)
				reply, err := req.Answer(t.Context(), &Options{Files: files})
				require.NoError(t, err, cpu)
				return reply
			}
			reply := spec("want.png")
			assert.True(t, reply.OK)
			out, err := png.Decode(bytes.NewReader(files["out.png"]))
			require.NoError(t, err)
			assert.Equal(t, want, out, cpu)
			assert.Equal(t, bytes.Repeat([]byte{128, 0, 0, 0}, 6), bytes.Join(reply.Dump[1].Hex, nil))

			reply = spec("wrong.png")
			require.False(t, reply.OK)
			m := reply.Error.Mismatch
			assert.Equal(t, uint64(9*48+17), m.Element)
			assert.Equal(t, &[3]uint64{17, 9, 0}, m.Item)
			assert.Contains(t, reply.Error.Text, "image_store")
		}
	}
}

func TestImagesRefuse(t *testing.T) {
	files := pictures{"small.png": encode(t, image.NewNRGBA(image.Rect(0, 0, 3, 3))),
		"bad.png": []byte("\x89PNG\r\n\x1a\nno")}
	for keys, want := range map[string]string{
		`"size":[4,4]`:                                 `format: "" is no image format`,
		`"format":"R8G8_FOO","size":[4]`:               `format: "R8G8_FOO" is no image format`,
		`"format":"R5G6B5_UNORM","size":[4]`:           `format: "R5G6B5_UNORM" is no image format`,
		`"format":"R8R8_UNORM","size":[4]`:             `is no image format`,
		`"format":"R8G16_UNORM","size":[4]`:            `is no image format`,
		`"format":"R8_UNORM"`:                          "size: give the width",
		`"format":"R8_UNORM","size":[]`:                "size: give the width",
		`"format":"R8_UNORM","size":[4,0]`:             "size[1]: 0 is not in 1 to 16384",
		`"format":"R8_UNORM","size":[16385]`:           "size[0]: 16385 is not in 1 to 16384",
		`"format":"R8_UNORM","size":[4,4],"type":"3D"`: "size: 2 numbers, but an image of type 3D has 3",
		`"format":"R8_UNORM","size":[4,4],"type":"2D_MSAA"`: `type: "2D_MSAA" is not known; known are 1D, 2D, 3D, ` +
			`CUBE, 1D_ARRAY, 2D_ARRAY`,
		`"format":"R8_UNORM","size":[4,4],"levels":17`:           "levels: 17 is not in 1 to 16",
		`"format":"R8_UNORM","size":[4,4],"levels":0`:            "levels: 0 is not",
		`"format":"R8_UNORM","size":[4,4],"tiling":99`:           "TileMode is 99",
		`"format":"R8_UNORM","size":[4,4],"hex":"00","file":"a"`: "both hex and file",
		`"format":"R8_UNORM","size":[4,4],"hex":"00","random":1`: "hex, file and noinit have no effect",
		`"format":"R8_UNORM","size":[2,1],"hex":"000000"`:        "3 bytes for an image of 2",
		`"format":"R8_UNORM","size":[4,4],"file":"small.png"`: "small.png: a picture of 3 x 3 texels for an " +
			"image of 4 x 4",
		`"format":"R8_UNORM","size":[4,4],"file":"bad.png"`:            "bad.png: ",
		`"format":"R8_UNORM","size":[4,4],"file":"none"`:               "none",
		`"format":"BC1_UNORM","size":[3,3],"file":"small.png"`:         "no picture can be converted",
		`"format":"R32G32B32A32_UINT","size":[16384,16384,8192]`:       "more than the 4294967296 that a request may map",
		`"format":"R32G32B32A32_UINT","size":[16384,16384],"levels":9`: "more than the 4294967296",
	} {
		req, err := ParseDispatch([]byte(`{"code_object":"picture.fiji.co","kernel":"picture","grid":[16,8],` +
			`"workgroup":[16,8],"args":[{"image":{` + keys + `}}]}`))
		require.NoError(t, err, keys)
		_, err = req.Answer(t.Context(), &Options{Files: files})
		assert.ErrorContains(t, err, "args[0]: image", keys)
		assert.ErrorContains(t, err, want, keys)
	}
	for keys, want := range map[string]string{
		`"filter":"cubic"`:                      `filter: "cubic" is not known; known are nearest, linear`,
		`"mip":"x"`:                             "known are none, nearest, linear",
		`"address":"wrap"`:                      "known are repeat, mirrored_repeat, clamp_to_edge",
		`"address":["repeat","x"]`:              `address: "x" is not known`,
		`"border":"red"`:                        "known are transparent_black",
		`"compare":"<"`:                         "known are never, less",
		`"lod":[2,1]`:                           "lod: 2 to 1 is not within 0 to 16",
		`"lod":["nan",1]`:                       "lod: NaN to 1",
		`"bias":32`:                             "bias: 32 is not",
		`"anisotropy":3`:                        "anisotropy: give 1, 2, 4, 8 or 16",
		`"address":["repeat","repeat","x","x"]`: "1:",
		`"address":7`:                           "1:",
		`"address":["repeat",7]`:                "1:",
	} {
		req, err := ParseDispatch([]byte(`{"code_object":"picture.fiji.co","kernel":"picture","grid":[1],` +
			`"args":[{"sampler":{` + keys + `}}]}`))
		if want == "1:" {
			require.ErrorContains(t, err, "args[0].sampler.address", keys)
			continue
		}
		require.NoError(t, err, keys)
		_, err = req.Answer(t.Context(), &Options{Files: files})
		assert.ErrorContains(t, err, "args[0]: sampler: ", keys)
		assert.ErrorContains(t, err, want, keys)
	}
}
