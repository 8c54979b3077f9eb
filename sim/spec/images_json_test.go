package spec

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// pictures is kernels with files in memory.
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
