package sim_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"

	halves "github.com/gcnsim/gcnsim/internal/base/half"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/sim/texture"
)

// picture is an image that a shader accesses, with a test of its final contents.
type picture struct {
	offset uint32 // offset of the T# in the descriptor set
	words  []uint32
	want   func(t *testing.T)
}

// Offsets of the T#s of storage images, and of images with a sampler and an FMASK.
const (
	pictureAt, countsAt, volumeAt, linesAt = 0x60, 0x80, 0xa0, 0xc0
	layersAt, samplesAt, fmaskAt, facesAt  = 0xe0, 0x140, 0x160, 0x1a0
)

// tiledMode returns a tiled mode for textures, linearMode a linear one.
func tiledMode(g gcn.Gen) int {
	if isa.GenTraits(g).SwizzleModes {
		return 25
	}
	return 14
}

func linearMode(g gcn.Gen) int {
	if isa.GenTraits(g).SwizzleModes {
		return 0
	}
	return 8
}

func newTexture(t *testing.T, m *sim.Machine, img gcn.Image) *texture.Texture {
	t.Helper()
	tex, err := texture.New(m, img)
	require.NoError(t, err)
	return tex
}

// put and get copy all slices of a level, one after the other.
func put[T texture.Element](t *testing.T, tex *texture.Texture, level, sample int, elements []T) {
	t.Helper()
	n := len(elements) / tex.Layout.Levels()[level].Depth
	for z := range tex.Layout.Levels()[level].Depth {
		require.NoError(t, texture.Upload(tex, level, z, sample, elements[z*n:][:n]))
	}
}

func get[T texture.Element](t *testing.T, tex *texture.Texture, level, sample int) (elements []T) {
	t.Helper()
	for z := range tex.Layout.Levels()[level].Depth {
		slice, err := texture.Download[T](tex, level, z, sample)
		require.NoError(t, err)
		elements = append(elements, slice...)
	}
	return elements
}

// imageShader returns a shader that reads and writes storage images, and applies atomics to them.
func imageShader() shaderTest {
	const n, side = shaderItems, 16
	in := random(2*n, anyUint32)
	pixels := random(n, func(r *rand.Rand) [4]uint8 { return [4]uint8{anyByte(r), anyByte(r), anyByte(r), anyByte(r)} })
	counts := random(3*n, func(r *rand.Rand) uint32 { return r.Uint32() >> 8 })
	for i := 0; i < n; i += 2 {
		in[n+i] = counts[2*n+i] // then the swap succeeds
	}
	volume := random(8*8*8*4, func(r *rand.Rand) uint16 {
		return uint16(halves.Round(math.Float32bits(float32(r.IntN(2048)-1024) / 16)))
	})
	swapped, volumeAfter, countsAfter := slices.Clone(pixels), slices.Clone(volume), slices.Clone(counts)
	lines := make([]uint32, 4*n)
	out := make([][4]uint32, 2*n)
	for group := range n / 64 {
		for i := 64 * group; i < 64*group+64; i++ { // the order of instructions matters only within each image
			x, y := i%side, i/side
			p := pixels[i]
			swapped[i] = [4]uint8{p[2], p[1], p[0], p[3]}
			out[2*i][0] = uint32(p[0]) | uint32(p[1])<<8 | uint32(p[2])<<16 | uint32(p[3])<<24
			if i == 0 {
				last := pixels[n-1]
				out[0][1] = uint32(last[0]) | uint32(last[1])<<8 | uint32(last[2])<<16 | uint32(last[3])<<24
			}
			sum := &countsAfter[(i&1)*n+y/2*side+x/2]
			out[2*i][2] = *sum
			*sum += in[i] & 0xffff
			top := &countsAfter[(i&1)*n+y/2*side+x/2+8]
			out[2*i][3] = *top
			*top = max(*top, in[i])
			swap := &countsAfter[2*n+i]
			out[2*i+1][0] = *swap
			if *swap == in[n+i] {
				*swap = in[i]
			}
			const texel = 4
			at := func(z int) []uint16 { return volumeAfter[((z*8+y%8)*8+x%8)*texel:][:texel] }
			from, to := at(x/8+y/8*2), at(4+x/8+y/8*2)
			for c := range texel {
				to[c] = uint16(halves.Round(math.Float32bits(2 * math.Float32frombits(halves.ToSingle(uint32(from[texel-1-c]))))))
			}
			copy(lines[(x*side+y)*4:], []uint32{in[i], 1, 2, 3})
			copy(out[2*i+1][1:], []uint32{8 + side<<8 + side<<16, 8 + side<<8 + side<<16, 8 + 3<<8 + side<<16})
		}
	}
	s := shaderOf("image", out, in)
	s.pictures = func(t *testing.T, m *sim.Machine) []picture {
		g := m.Target.Gen()
		array := gcn.Image{Type: gcn.Image1DArray, DataFormat: gcn.Data32_32_32_32, NumFormat: gcn.NumUINT, Width: side,
			Depth: side, TileMode: linearMode(g)}
		if isa.GenTraits(g).SwizzleModes { // GCN 1.4 drivers have no 1D images (rule IM3)
			array.Type = gcn.Image2DArray
		}
		pic := newTexture(t, m, gcn.Image{DataFormat: gcn.Data8_8_8_8, NumFormat: gcn.NumUNORM, Width: side, Height: side,
			TileMode: tiledMode(g)})
		cnt := newTexture(t, m, gcn.Image{Type: gcn.Image2DArray, DataFormat: gcn.Data32, NumFormat: gcn.NumUINT,
			Width: side, Height: side, Depth: 3, TileMode: tiledMode(g)})
		vol := newTexture(t, m, gcn.Image{Type: gcn.Image3D, DataFormat: gcn.Data16_16_16_16, NumFormat: gcn.NumFLOAT,
			Width: 8, Height: 8, Depth: 8, TileMode: tiledMode(g)})
		lin := newTexture(t, m, array)
		put(t, pic, 0, 0, slices.Concat(quads(pixels)...))
		put(t, cnt, 0, 0, counts)
		put(t, vol, 0, 0, volume)
		return []picture{
			{pictureAt, pic.Words(), func(t *testing.T) { require.Equal(t, slices.Concat(quads(swapped)...), get[uint8](t, pic, 0, 0)) }},
			{countsAt, cnt.Words(), func(t *testing.T) { require.Equal(t, countsAfter, get[uint32](t, cnt, 0, 0)) }},
			{volumeAt, vol.Words(), func(t *testing.T) { require.Equal(t, volumeAfter, get[uint16](t, vol, 0, 0)) }},
			{linesAt, lin.Words(), func(t *testing.T) { require.Equal(t, lines, get[uint32](t, lin, 0, 0)) }},
		}
	}
	return s
}

// quads returns arrays of four bytes as slices.
func quads(all [][4]uint8) (s [][]uint8) {
	for i := range all {
		s = append(s, all[i][:])
	}
	return s
}

// unorm8Bits returns the value of an 8-bit unorm code in a shader, as bits of a float.
func unorm8Bits(c uint16) uint32 { return math.Float32bits(float32(c) / 255) }

// fetchShader returns a shader that fetches texels: levels of blocks with one colour each, and samples through FMASK.
func fetchShader() shaderTest {
	const n, side, layers, levels, fragments = shaderItems, 32, 4, 4, 4
	in := random(n, anyUint32)
	var colors [levels][]uint16 // colours of the blocks
	for l := range colors {
		blocks := max(1, side>>l/4)
		colors[l] = random(blocks*blocks*layers, func(r *rand.Rand) uint16 { return uint16(r.Uint32()) | 1 })
	}
	var stored [fragments][][4]uint8
	for f := range stored {
		stored[f] = random(n, func(r *rand.Rand) [4]uint8 { return [4]uint8{anyByte(r), anyByte(r), anyByte(r), byte(f)} })
	}
	mask := random(n, anyByte) // two bits per sample
	out := make([][4]uint32, 2*n)
	for i, v := range in {
		level, x, y, z := int(v&3), int(v>>8&31), int(v>>16&31), int(v>>2&3)
		if size := side >> level; x < size && y < size {
			c := colors[level][(z*(size/4)+y/4)*(size/4)+x/4]
			r, g, b := c>>11, c>>5&63, c&31
			out[2*i] = [4]uint32{unorm8Bits(r<<3 | r>>2), unorm8Bits(g<<2 | g>>4), unorm8Bits(b<<3 | b>>2), math.Float32bits(1)}
		}
		p := stored[mask[i]>>(v>>24&3*2)&3][i]
		out[2*i+1] = [4]uint32{
			uint32(p[0]) | uint32(p[1])<<8 | uint32(p[2])<<16 | uint32(p[3])<<24,
			uint32(side>>level + max(1, 8>>level)<<8), uint32(side>>level + max(1, 8>>level)<<8), layers + 2<<8 + levels<<16,
		}
	}
	s := shaderOf("fetch", out, in)
	s.pictures = func(t *testing.T, m *sim.Machine) []picture {
		g := m.Target.Gen()
		msaa := 14
		if isa.GenTraits(g).SwizzleModes {
			msaa = 25
		}
		arr := newTexture(t, m, gcn.Image{Type: gcn.Image2DArray, DataFormat: gcn.DataBC1, Width: side, Height: side,
			Depth: layers, LastLevel: levels - 1, TileMode: tiledMode(g)})
		for l, blocks := range colors {
			words := make([]uint64, len(blocks))
			for i, c := range blocks {
				words[i] = uint64(c) // the first colour of a block must be the greater one
			}
			put(t, arr, l, 0, words)
		}
		ms := newTexture(t, m, gcn.Image{Type: gcn.Image2DMSAA, DataFormat: gcn.Data8_8_8_8, Width: 16, Height: 16,
			LastLevel: 2, TileMode: msaa})
		for f := range stored {
			put(t, ms, 0, f, slices.Concat(quads(stored[f])...))
		}
		fm := gcn.Image{DataFormat: isa.DataFMASK8_S4_F4, NumFormat: gcn.NumUINT, Width: 16, Height: 16,
			TileMode: linearMode(g)}
		if isa.GenTraits(g).SwizzleModes {
			fm.DataFormat, fm.NumFormat = isa.DataFMASK, isa.DataFMASK8_S4_F4-isa.DataFMASK8_S2_F1
		}
		codes := newTexture(t, m, fm)
		put(t, codes, 0, 0, mask)
		depth := 2
		if isa.GenTraits(g).SwizzleModes {
			depth *= 6
		}
		cubes := newTexture(t, m, gcn.Image{Type: gcn.ImageCube, DataFormat: gcn.Data32, NumFormat: gcn.NumUINT, Width: 8,
			Height: 8, Depth: depth, LastLevel: 3, TileMode: tiledMode(g)})
		return []picture{{layersAt, arr.Words(), nil}, {samplesAt, ms.Words(), nil}, {fmaskAt, codes.Words(), nil},
			{facesAt, cubes.Words(), nil}}
	}
	return s
}
