package sim_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/sim/texture"
)

// Largest differences from the results of lavapipe, whose weights have more than 8 bits.
const (
	exact  = 0
	unorm  = 0x1p-23   // lavapipe multiplies codes by 1/255, rounded
	weight = 1.0 / 512 // a weight of 8 bits, for texels from 0 to 1; the weights of other axes are exact
	code   = 1.0 / 255 // lavapipe rounds texels of a single row to 8 bits
	corner = 0x1p-16   // lavapipe does not round the thirds that are averaged beyond a cube corner
)

// TestLookups compares with the results of Mesa's lavapipe for the same shaders and inputs:
// testdata/shaders/README.md.
func TestLookups(t *testing.T) {
	for _, s := range []struct {
		name  string
		slack []float64 // largest difference of each result, in the order of the shader
	}{
		{"sample", []float64{
			code, code, weight, weight, weight, unorm, weight, weight, exact, weight, weight, weight, weight, weight, unorm,
			exact, exact, exact,
			weight, weight, weight,
		}},
		{"shadow", []float64{weight, weight, weight, weight}},
		{"corners", []float64{corner, corner, corner, corner, corner}},
		{"gather", []float64{unorm, unorm, unorm, unorm, unorm, unorm, unorm, exact, exact, exact, exact, exact, unorm, exact, exact, exact, exact, exact}},
	} {
		want := shaderWords(t, filepath.Join(shaderDir, s.name+".want.hex"))
		require.Len(t, want, 64*4*len(s.slack))
		for _, c := range chips {
			t.Run(s.name+"."+c.name, func(t *testing.T) {
				const inputs = 128
				var noise lavapipeNoise
				in := make([]uint32, inputs)
				for i := range in {
					in[i] = noise.next()
				}
				shader := shaderTest{
					name: s.name, groups: 1, bindings: []binding{{0, make([]byte, 4*len(want)), nil, dwords},
						{0x10, raw(in), raw(in), dwords}},
					pictures: func(t *testing.T, m *sim.Machine) []picture { return lookupPictures(t, m, s.name) },
				}
				got := shader.run(t, c, shaderWords(t, filepath.Join(shaderDir, s.name+"."+c.name+".hex")))[0].Uint32s()
				for i, w := range want {
					result := i / 4 % len(s.slack)
					far := math.Abs(float64(math.Float32frombits(got[i])) - float64(math.Float32frombits(w)))
					if got[i] != w && !(far <= s.slack[result]) {
						t.Errorf("item %d, result %d, component %d: got %08x, want %08x: %g apart", i/4/len(s.slack), result, i%4,
							got[i], w, far)
					}
				}
			})
		}
	}
}

// lavapipeNoise is the random generator of lavapipe.c.
type lavapipeNoise uint32

func (x *lavapipeNoise) next() uint32 {
	*x = *x*1664525 + 1013904223
	return uint32(*x ^ *x>>16)
}

// lookupFormat is an image format in lavapipe.c.
type lookupFormat struct {
	data, num  uint8
	components int
	upload     func(tex *texture.Texture, level, slice int, codes []uint32) error // the codes have 8 bits each
}

// uploader returns a function that uploads elements, made from their codes by of.
func uploader[T texture.Element](of func(code uint32) T) func(*texture.Texture, int, int, []uint32) error {
	return func(tex *texture.Texture, level, slice int, codes []uint32) error {
		elements := make([]T, len(codes))
		for i, c := range codes {
			elements[i] = of(c)
		}
		return texture.Upload(tex, level, slice, 0, elements)
	}
}

func wideCode(c uint32) uint16   { return uint16(c * 257) }
func floatCode(c uint32) float32 { return float32(c) / 256 }

var (
	lookupFormats = map[string]lookupFormat{
		"unorm8":  {gcn.Data8_8_8_8, gcn.NumUNORM, 4, uploader(func(c uint32) uint8 { return uint8(c) })},
		"sint8":   {gcn.Data8_8_8_8, gcn.NumSINT, 4, uploader(func(c uint32) uint8 { return uint8(c) })},
		"half":    {gcn.Data16_16_16_16, gcn.NumFLOAT, 4, uploader(func(c uint32) uint16 { return uint16(0x3800 | c<<2) })},
		"uint16":  {gcn.Data16_16_16_16, gcn.NumUINT, 4, uploader(wideCode)},
		"float":   {gcn.Data32_32_32_32, gcn.NumFLOAT, 4, uploader(floatCode)},
		"depth32": {gcn.Data32, gcn.NumFLOAT, 1, uploader(floatCode)},
		"depth16": {gcn.Data16, gcn.NumUNORM, 1, uploader(wideCode)},
	}
	lookupShapes = map[string]gcn.ImageType{
		"1darray": gcn.Image1DArray, "2d": gcn.Image2D, "2darray": gcn.Image2DArray, "3d": gcn.Image3D,
		"cube": gcn.ImageCube, "cubearray": gcn.ImageCube,
	}
	lookupWraps = map[string]gcn.Clamp{
		"repeat": gcn.ClampWrap, "mirror": gcn.ClampMirror, "edge": gcn.ClampLastTexel, "border": gcn.ClampBorder,
		"once": gcn.ClampMirrorOnceLastTexel,
	}
	lookupFilters  = map[string]uint8{"nearest": 0, "linear": 1}
	lookupBorders  = map[string]uint8{"clear": 0, "black": 1, "white": 2}
	lookupCompares = map[string]uint8{"less": 1, "lessequal": 3, "greater": 4, "notequal": 5, "greaterequal": 6}
)

// lookupPictures creates the images and samplers of a .pictures file. An image occupies 96 bytes of the descriptor
// set: its T#, the T# of FMASK, and the S#.
func lookupPictures(t *testing.T, m *sim.Machine, name string) (all []picture) {
	text, err := os.ReadFile(filepath.Join(shaderDir, name+".pictures"))
	require.NoError(t, err)
	g := m.Target.Gen()
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		var at, width, height, depth, levels int
		var shape, format, x, y, z, filter, mip, option string
		_, err := fmt.Sscan(line, &at, &shape, &format, &width, &height, &depth, &levels, &x, &y, &z, &filter, &mip, &option)
		require.NoError(t, err)
		f := lookupFormats[format]
		img := gcn.Image{
			Type: lookupShapes[shape], DataFormat: f.data, NumFormat: f.num,
			Width: width, Height: height, Depth: depth, LastLevel: levels - 1, TileMode: tiledMode(g),
		}
		if isa.GenTraits(g).SwizzleModes {
			if img.Type == gcn.Image1DArray { // GCN 1.4 drivers have no 1D images (rule IM3)
				img.Type = gcn.Image2DArray
			}
			if img.Type == gcn.ImageCube {
				img.Depth *= 6
			}
		}
		tex := newTexture(t, m, img)
		noise := lavapipeNoise(at)
		for l, level := range tex.Layout.Levels() {
			for slice := range level.Depth {
				w, h := max(width>>l, 1), max(height>>l, 1)
				codes := make([]uint32, w*h*f.components)
				for i := range codes {
					codes[i] = noise.next() >> 8 & 0xff
				}
				require.NoError(t, f.upload(tex, l, slice, codes))
			}
		}
		linear := lookupFilters[filter]
		s := gcn.SamplerState{ // packed as in the driver RADV, radv_init_sampler
			Clamp: [3]gcn.Clamp{lookupWraps[x], lookupWraps[y], lookupWraps[z]}, Compare: lookupCompares[option], MaxLOD: 15,
			MagFilter: linear, MinFilter: linear, MipFilter: 1 + lookupFilters[mip], BorderColorType: lookupBorders[option],
			Unnormalized: option == "texels", TruncCoord: linear == 0, PrecFix: true, NoLSBCeil: true, Compat: true,
			AnisoOverride: true,
		}
		all = append(all, picture{layersAt + uint32(at-9)*96,
			slices.Concat(tex.Words(), make([]uint32, 12), s.On(g).Words(g)), nil})
	}
	return all
}
