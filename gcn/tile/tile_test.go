package tile_test

import (
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/gcn/tile"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/isa/chip"
	"github.com/gcnsim/gcnsim/internal/testkit/effort"
)

// coordinates are those of the elements that the lanes access.
type coordinates struct{ X, Y, Z, Sample *[64]uint32 }

// coords returns coordinates that are all 0.
func coords() coordinates {
	return coordinates{X: new([64]uint32), Y: new([64]uint32), Z: new([64]uint32), Sample: new([64]uint32)}
}

// checkLayout asserts that no two elements of a layout share a byte, that all lie inside the layout, and that Plan
// and Addr return the same addresses.
func checkLayout(t *testing.T, l *tile.Layout) {
	t.Helper()
	s := &l.Surface
	unit := uint64(s.Bytes)
	require.Less(t, l.Size, uint64(1)<<34, "%+v", s)
	taken := make([]uint64, l.Size/unit/64+1)
	rng := rand.New(rand.NewPCG(l.Size, 1))
	for i, v := range l.Levels() {
		plan, err := l.Plan(i, 0, 0, v.Depth)
		require.NoError(t, err)
		c := coords()
		some := c // nil for each coordinate whose only value is 0
		if s.Samples == 1 {
			some.Sample = nil
		}
		if v.Depth == 1 {
			some.Z = nil
		}
		var addrs [64]uint64
		n := 0
		flush := func() {
			mask := uint64(1)<<n - 1 // all lanes if n is 64
			require.Equal(t, mask, plan.Lanes(&addrs, mask, some.X, some.Y, some.Z, some.Sample))
			for j := range n {
				a := addrs[j]
				if a+unit > l.Size || a%unit != 0 || taken[a/unit/64]>>(a/unit%64)&1 != 0 {
					t.Fatalf("level %d %d,%d,%d,%d has address 0x%x of 0x%x, shared or odd: %+v", i, c.X[j], c.Y[j], c.Z[j],
						c.Sample[j], a, l.Size, s)
				}
				taken[a/unit/64] |= 1 << (a / unit % 64)
				if rng.IntN(256) == 0 {
					one, err := l.Addr(i, int(c.X[j]), int(c.Y[j]), int(c.Z[j]), int(c.Sample[j]))
					require.NoError(t, err)
					require.Equal(t, a, one, "%+v", s)
				}
			}
			n = 0
		}
		for at := range v.Width * v.Height * v.Depth * s.Samples {
			c.Sample[n], at = uint32(at%s.Samples), at/s.Samples
			c.X[n], at = uint32(at%v.Width), at/v.Width
			c.Y[n], c.Z[n] = uint32(at%v.Height), uint32(at/v.Height)
			if n++; n == 64-i%2 { // vary between all lanes and some lanes
				flush()
			}
		}
		flush()
	}
}

// isRefusal reports whether err is an *Error that Layout may return.
func isRefusal(err error) bool {
	var e *tile.Error
	return errors.As(err, &e) && (e.Kind == tile.BadSurface || e.Kind == tile.BadRegister || e.Kind == tile.NotSupported)
}

// requireKind requires that err is an *Error of the given kind.
func requireKind(t testing.TB, kind tile.ErrorKind, err error, about ...any) {
	t.Helper()
	var e *tile.Error
	require.ErrorAs(t, err, &e, about...)
	require.Equal(t, kind, e.Kind, about...)
}

// anySurface returns a random surface with few elements.
func anySurface(rng *rand.Rand) tile.Surface {
	s := tile.Surface{
		Type: gcn.ImageType(8 + rng.IntN(8)), Bytes: 1 << rng.IntN(5), Width: 1 + rng.IntN(80), Height: 1 + rng.IntN(80),
		Depth: 1,
		Mode:  rng.IntN(32), Pow2Pad: rng.IntN(3) > 0, PRT: rng.IntN(8) == 0, Swizzle: rng.Uint32(),
	}
	if rng.IntN(16) == 0 {
		s.Bytes = 12
	}
	if rng.IntN(6) == 0 {
		s.BlockW, s.BlockH = 4, 4
	}
	if s.Type == gcn.Image3D || isa.ShapeOf(s.Type).Layered {
		s.Depth = 1 + rng.IntN(12)
	}
	if isa.ShapeOf(s.Type).MSAA {
		s.Samples = 1 << rng.IntN(4)
	} else if rng.IntN(2) == 0 {
		s.Levels = 1 + rng.IntN(8)
	}
	return s
}

func TestNoTwoElementsShareAByte(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	done := 0
	for range effort.Rounds(900) {
		chips := chip.All()
		regs, err := tile.Preset(chips[rng.IntN(len(chips))].Name)
		require.NoError(t, err)
		l, err := regs.Layout(anySurface(rng))
		if err != nil {
			require.True(t, isRefusal(err), err)
			continue
		}
		done++
		checkLayout(t, &l)
	}
	assert.Greater(t, done, effort.Rounds(400))
}

// FuzzLayout: any registers give an error or a layout in which no two elements share a byte.
func FuzzLayout(f *testing.F) {
	f.Add(uint64(1), uint32(0x00800450), uint32(0x98), uint32(0x22011003), uint8(2))
	f.Add(uint64(2), uint32(0x00361290), uint32(0), uint32(0x12011003), uint8(0))
	f.Add(uint64(3), uint32(0), uint32(0), uint32(0x2a114042), uint8(3))
	f.Fuzz(func(t *testing.T, seed uint64, mode, macro, config uint32, gen uint8) {
		regs := &tile.Registers{Gen: gcn.Gen(gen), AddrConfig: config}
		for i := range regs.TileMode {
			regs.TileMode[i] = mode
		}
		for i := range regs.MacroTileMode {
			regs.MacroTileMode[i] = macro
		}
		rng := rand.New(rand.NewPCG(seed, 13))
		s := anySurface(rng)
		if rng.IntN(4) == 0 {
			s.Pitch = 8 << rng.IntN(8)
		}
		s.Width, s.Height, s.Depth = min(s.Width, 40), min(s.Height, 40), min(s.Depth, 9)
		l, err := regs.Layout(s)
		if err != nil {
			require.True(t, isRefusal(err), err)
			return
		}
		checkLayout(t, &l)
	})
}

// A chain of levels ends with one texel. A longer chain is refused in every tiling.
func TestChainTooLong(t *testing.T) {
	for _, name := range []string{"tahiti", "hawaii", "fiji", "vega10", "vega20"} {
		r := preset(t, name)
		for mode := range 32 {
			for levels := 8; levels <= 16; levels++ {
				_, err := r.Layout(tile.Surface{Type: gcn.Image2D, Bytes: 4, Width: 64, Height: 64, Levels: levels, Mode: mode})
				requireKind(t, tile.BadSurface, err, "%s mode %d, %d levels", name, mode, levels)
			}
		}
	}
	for mode := range 32 { // elements of several texels, which no format of that size has
		for levels := range 15 {
			_, err := preset(t, "vega10").Layout(tile.Surface{Type: gcn.Image2D, Bytes: 1, BlockW: 8, BlockH: 4, Width: 512,
				Height: 64, Levels: levels, Mode: mode})
			require.True(t, err == nil || isRefusal(err), err)
		}
	}
}

// A chain of linear levels accepts the EPITCH of drivers, which is a pitch, and the EPITCH of AMD's address library,
// which is the height of the chain.
func TestLinearChainPitch(t *testing.T) {
	img := gcn.Image{Type: gcn.Image2D, DataFormat: 10, Width: 37, Height: 21, LastLevel: 5, MaxMip: 5}
	for epitch, pitch := range map[int]int{64: 64, 44: 64, 128: 128, 45: 0, 65: 0} {
		img.Pitch = epitch
		s, err := tile.FromImage(gcn.GCN14, &img)
		require.NoError(t, err)
		l, err := preset(t, "vega10").Layout(s)
		if pitch == 0 {
			requireKind(t, tile.BadSurface, err)
			continue
		}
		require.NoError(t, err)
		require.Equal(t, pitch, l.Levels()[5].Pitch)
		require.Equal(t, uint64(4*pitch*43), l.Levels()[5].Offset)
		require.Equal(t, uint64(4*pitch*44), l.Size)
	}
}

// FuzzFromImage: any T# gives an error or a layout.
func FuzzFromImage(f *testing.F) {
	f.Add(uint8(2), []byte("0123456789abcdef0123456789abcdef"))
	for _, levels := range []int{6, 12, 15} { // chains that fit a mip tail, and longer ones
		img := gcn.Image{Type: gcn.Image2D, DataFormat: 10, Width: 64, Height: 64, TileMode: 25, LastLevel: levels,
			MaxMip: levels}
		var words []byte
		for _, w := range img.Words(gcn.GCN14) {
			words = binary.LittleEndian.AppendUint32(words, w)
		}
		f.Add(uint8(3), words)
	}
	f.Fuzz(func(t *testing.T, gen uint8, words []byte) {
		var d gcn.TSharp
		for i, b := range words[:min(32, len(words))] {
			d[i/4] |= uint32(b) << (i % 4 * 8)
		}
		regs := [...]string{"tahiti", "hawaii", "fiji", "vega10", "vega20"}
		r, err := tile.Preset(regs[int(gen)%len(regs)])
		require.NoError(t, err)
		img := d.Fields(r.Gen)
		s, err := tile.FromImage(r.Gen, &img)
		if err != nil {
			require.True(t, isRefusal(err), err)
			return
		}
		l, err := r.Layout(s)
		if err != nil {
			require.True(t, isRefusal(err), err)
			return
		}
		_, err = l.Addr(0, 0, 0, 0, 0)
		require.NoError(t, err)
	})
}

func preset(t testing.TB, name string) *tile.Registers {
	t.Helper()
	r, err := tile.Preset(name)
	require.NoError(t, err)
	return r
}

func TestRefusals(t *testing.T) {
	good := tile.Surface{Type: gcn.Image2D, Bytes: 4, Width: 64, Height: 64, Mode: 14}
	for _, c := range []struct {
		chip   string
		change func(s *tile.Surface, r *tile.Registers)
		want   string
	}{
		{"fiji", func(s *tile.Surface, r *tile.Registers) { s.Type = 3 }, "not an image type; they are 8 to 15"},
		{"fiji", func(s *tile.Surface, r *tile.Registers) { s.Bytes = 3 }, "elements of 3 bytes; they have 1, 2, 4, 8, 12 or 16"},
		{"fiji", func(s *tile.Surface, r *tile.Registers) { s.BlockW = 16 }, "elements of 16x1 texels; they have up to 8x4"},
		{"fiji", func(s *tile.Surface, r *tile.Registers) { s.BlockW = 8 }, "bits with tiling"},
		{"fiji", func(s *tile.Surface, r *tile.Registers) { s.Width = 0 }, "size 0x64"},
		{"fiji", func(s *tile.Surface, r *tile.Registers) { s.Depth = 2 }, "2D image of depth 2; only 3D images, cubes and arrays have more than 1"},
		{"fiji", func(s *tile.Surface, r *tile.Registers) { s.Type, s.Depth = gcn.Image3D, 10000 }, "depth 10000; it is 1 to 8192"},
		{"fiji", func(s *tile.Surface, r *tile.Registers) { s.Samples = 4 }, "2D image of 4 samples; MSAA images have 1, 2, 4 or 8, others 1"},
		{"fiji", func(s *tile.Surface, r *tile.Registers) { s.Levels = -1 }, "Levels -1; each is 1 or more, and 0 is 1"},
		{"fiji", func(s *tile.Surface, r *tile.Registers) { s.Levels = 17 }, "17 levels; there are 1 to 16, and 1 of an image with samples"},
		{"fiji", func(s *tile.Surface, r *tile.Registers) { s.Pitch = -1 }, "pitch -1; it is up to 65536, and 0 is the smallest one"},
		{"fiji", func(s *tile.Surface, r *tile.Registers) { s.Pitch = 100 }, "a pitch of 100 elements for 64 elements in 2D_THIN1: not a multiple of 256 or too small; the smallest one is 256"},
		{"fiji", func(s *tile.Surface, r *tile.Registers) { s.Mode = 32 }, "tiling mode 32; it is 0 to 31"},
		{"fiji", func(s *tile.Surface, r *tile.Registers) { s.Bytes = 12 }, "96-bit elements"},
		{"fiji", func(s *tile.Surface, r *tile.Registers) { s.Mode, s.Bytes = 28, 16 }, "rotated micro tiles"},
		{"fiji", func(s *tile.Surface, r *tile.Registers) {
			s.Type, s.Samples, s.Mode = gcn.Image2DMSAA, 2, 20
		}, "2D_THICK with more than one sample"},
		{"fiji", func(s *tile.Surface, r *tile.Registers) { r.Gen = 9 }, "Gen of the registers is gcn.Gen(9); it is gcn1.0 to gcn1.4.1"},
		{"fiji", func(s *tile.Surface, r *tile.Registers) { r.AddrConfig |= 0x100 }, "BANK_INTERLEAVE_SIZE"},
		{"fiji", func(s *tile.Surface, r *tile.Registers) { r.TileMode[14] |= 7 << 22 }, "GB_TILE_MODE14 = 0x03c00450: the micro tile mode is reserved"},
		{"fiji", func(s *tile.Surface, r *tile.Registers) { r.TileMode[14] = 0x02400010 | 3<<6 }, "PIPE_CONFIG is reserved"},
		{"fiji", func(s *tile.Surface, r *tile.Registers) {
			r.TileMode[14] = 0x02400010 | 7<<6
			r.MacroTileMode[2] = 0xd4
		}, "P4_32x32"},
		{"fiji", func(s *tile.Surface, r *tile.Registers) { r.TileMode[14] = 0x02400010 | 8<<6 }, "P8_16x16_8x16"},
		{"fiji", func(s *tile.Surface, r *tile.Registers) {
			for i := range r.MacroTileMode {
				r.MacroTileMode[i] = 3 << 4 // aspect 8, 2 banks
			}
		}, "aspect of 8 with 2 banks"},
		{"fiji", func(s *tile.Surface, r *tile.Registers) {
			s.Bytes = 1
			r.MacroTileMode = [16]uint32{}
		}, "bank parameters do not suit 8-bit elements"},
		{"tahiti", func(s *tile.Surface, r *tile.Registers) { r.TileMode[14] = 5 << 2 }, "PRT_THIN1 does not exist on gcn1.0"},
		{"vega10", func(s *tile.Surface, r *tile.Registers) { s.Mode = 12 }, "SW_MODE 12 is reserved; those with a name are 0, 1, 2, 3, "},
		{"vega10", func(s *tile.Surface, r *tile.Registers) { s.Mode, s.Bytes = 9, 12 }, "64KB_S with 96-bit elements"},
		{"vega10", func(s *tile.Surface, r *tile.Registers) { s.Mode, s.Type = 9, gcn.Image1D }, "64KB_S with 1D images"},
		{"vega10", func(s *tile.Surface, r *tile.Registers) { s.Mode, s.Type = 27, gcn.Image3D }, "64KB_R_X with 3D images"},
		{"vega10", func(s *tile.Surface, r *tile.Registers) { s.Mode, s.Levels = 1, 3 }, "256B_S with levels"},
		{"vega10", func(s *tile.Surface, r *tile.Registers) { s.Mode, s.Type, s.Samples = 5, gcn.Image2DMSAA, 4 }, "4KB_S with samples"},
		{"vega10", func(s *tile.Surface, r *tile.Registers) { s.Mode, s.Bytes = 8, 16 }, "64KB_Z with 128-bit elements"},
		{"vega10", func(s *tile.Surface, r *tile.Registers) { s.Mode, s.Type, s.Samples = 0, gcn.Image2DMSAA, 4 }, "linear surfaces with samples"},
		{"vega10", func(s *tile.Surface, r *tile.Registers) { s.Mode, s.Levels, s.Pitch = 25, 4, 77 }, "EPITCH+1 is 77, but the chain of levels needs"},
		{"vega10", func(s *tile.Surface, r *tile.Registers) { s.Mode, s.Pitch = 25, 77 }, "a pitch of 77 elements"},
		{"vega10", func(s *tile.Surface, r *tile.Registers) { s.Mode = 25; r.AddrConfig |= 8 }, "PIPE_INTERLEAVE_SIZE"},
	} {
		s, r := good, preset(t, c.chip)
		c.change(&s, r)
		_, err := r.Layout(s)
		require.ErrorContains(t, err, c.want)
		require.True(t, isRefusal(err))
	}
	_, err := tile.Preset("navi10")
	requireKind(t, tile.UnknownChip, err)
	require.ErrorContains(t, err, "navi10")
}

func TestAssumptions(t *testing.T) {
	for _, c := range []struct {
		name   string
		chip   string
		change func(s *tile.Surface, r *tile.Registers)
		text   string
	}{
		{"none", "fiji", func(s *tile.Surface, r *tile.Registers) {}, ""},
		{"prt", "fiji", func(s *tile.Surface, r *tile.Registers) { s.Mode = 11; r.TileMode[11] = r.TileMode[10]&^(15<<2) | 6<<2 }, "rotation of PRT_2D and PRT_3D"},
		{"swizzle", "fiji", func(s *tile.Surface, r *tile.Registers) { s.Swizzle, s.Levels, s.Pow2Pad = 5, 7, true }, "swizzle ignored by small levels"},
		{"general", "fiji", func(s *tile.Surface, r *tile.Registers) { r.TileMode[14] = 0 }, "LINEAR_GENERAL"},
		{"96 bits", "fiji", func(s *tile.Surface, r *tile.Registers) { s.Mode, s.Bytes = 8, 12 }, "96-bit elements"},
		{"96 bits of GCN 1.4", "vega10", func(s *tile.Surface, r *tile.Registers) { s.Mode, s.Bytes = 0, 12 }, "96-bit elements"},
		{"unpadded", "fiji", func(s *tile.Surface, r *tile.Registers) { s.Mode, s.Levels = 8, 3 }, "levels without POW2_PAD"},
	} {
		s, r := tile.Surface{Type: gcn.Image2D, Bytes: 4, Width: 300, Height: 300, Mode: 14}, preset(t, c.chip)
		c.change(&s, r)
		l, err := r.Layout(s)
		require.NoError(t, err, c.name)
		assert.Equal(t, c.text, l.Assumed, c.name)
	}
}

func TestRangeErrors(t *testing.T) {
	l, err := preset(t, "fiji").Layout(tile.Surface{Type: gcn.Image2D, Bytes: 4, Width: 100, Height: 50, Mode: 14})
	require.NoError(t, err)
	for _, at := range [][5]int{{1, 0, 0, 0, 0}, {-1, 0, 0, 0, 0}, {0, 100, 0, 0, 0}, {0, 0, 50, 0, 0}, {0, 0, 0, 1, 0},
		{0, 0, 0, 0, 1}, {0, -1, 0, 0, 0}} {
		_, err := l.Addr(at[0], at[1], at[2], at[3], at[4])
		requireKind(t, tile.NoElement, err)
	}
	_, err = l.Addr(0, 100, 0, 0, 0)
	require.EqualError(t, err, "tile: no element 100, 0, 0, sample 0 in level 0, which has 100 x 50 x 1 elements of "+
		"1 samples, each from 0 on")
	_, err = l.Plan(1, 0, 0, 1)
	requireKind(t, tile.NoElement, err)
	assert.Equal(t, "tile: no level 1; the surface has levels 0 to 0", err.Error())

	plan, err := l.Plan(0, 0, 0, 1)
	require.NoError(t, err)
	c := coordinates{X: &[64]uint32{99, 100, 0, 0, 0xffffffff}, Y: &[64]uint32{49, 0, 50}, Z: &[64]uint32{3: 1},
		Sample: &[64]uint32{5: 1}}
	addrs := [64]uint64{1: 7}
	assert.Equal(t, uint64(1|1<<6), plan.Lanes(&addrs, 0x7f, c.X, c.Y, c.Z, c.Sample))
	assert.EqualValues(t, 7, addrs[1])
	plan, err = l.Plan(0, 0, 1, 1) // there is no slice 1
	require.NoError(t, err)
	assert.Zero(t, plan.Lanes(&addrs, 1, nil, nil, nil, nil))
}

func TestBaseAndSwizzle(t *testing.T) {
	s := tile.Surface{Type: gcn.Image2D, Bytes: 4, Width: 256, Height: 256, Mode: 14}
	for _, c := range []struct {
		chip string
		mode int
		mask uint64
	}{{"fiji", 14, 0}, {"fiji", 8, 0}, {"fiji", 13, 0}, {"vega10", 0, 0}, {"vega10", 9, 0}, {"vega10", 25, 255},
		{"raven", 21, 3}} {
		s.Mode = c.mode
		l, err := preset(t, c.chip).Layout(s)
		require.NoError(t, err)
		if c.chip == "fiji" && c.mode == 14 { // 16 pipes, 8 banks by GB_MACROTILE_MODE2 = 0x98
			c.mask = 127
		}
		assert.Equal(t, c.mask<<8, l.SwizzleMask, "%s %d", c.chip, c.mode)
	}
}

func TestFromImage(t *testing.T) {
	for _, c := range []struct {
		name string
		gen  gcn.Gen
		img  gcn.Image
		want tile.Surface
	}{
		{"2D array", gcn.GCN12, gcn.Image{Base: 0x12300, Type: gcn.Image2DArray, DataFormat: 10, Width: 64, Height: 32, Depth: 5, Pitch: 128, LastLevel: 2, TileMode: 14, Pow2Pad: true},
			tile.Surface{Type: gcn.Image2DArray, Bytes: 4, BlockW: 1, BlockH: 1, Width: 64, Height: 32, Depth: 5, Samples: 1,
				Levels: 3, Pitch: 128, Mode: 14, Pow2Pad: true, Swizzle: 0x123}},
		{"cubes", gcn.GCN11, gcn.Image{Type: gcn.ImageCube, DataFormat: 35, Width: 64, Height: 64, Depth: 2, Pitch: 64, TileMode: 13},
			tile.Surface{Type: gcn.ImageCube, Bytes: 8, BlockW: 4, BlockH: 4, Width: 64, Height: 64, Depth: 12, Samples: 1,
				Levels: 1, Pitch: 64, Mode: 13}},
		{"cubes of GCN 1.4", gcn.GCN14, gcn.Image{Type: gcn.ImageCube, DataFormat: 10, Width: 64, Height: 64, Depth: 12, Pitch: 64, MaxMip: 3, TileMode: 25},
			tile.Surface{Type: gcn.ImageCube, Bytes: 4, BlockW: 1, BlockH: 1, Width: 64, Height: 64, Depth: 12, Samples: 1,
				Levels: 4, Pitch: 64, Mode: 25}},
		{"3D", gcn.GCN10, gcn.Image{Type: gcn.Image3D, DataFormat: 1, Width: 64, Height: 64, Depth: 9, Pitch: 64, TileMode: 18},
			tile.Surface{Type: gcn.Image3D, Bytes: 1, BlockW: 1, BlockH: 1, Width: 64, Height: 64, Depth: 9, Samples: 1,
				Levels: 1, Pitch: 64, Mode: 18}},
		{"MSAA", gcn.GCN12, gcn.Image{Type: gcn.Image2DMSAA, DataFormat: 10, Width: 64, Height: 64, LastLevel: 3, Pitch: 64, TileMode: 14},
			tile.Surface{Type: gcn.Image2DMSAA, Bytes: 4, BlockW: 1, BlockH: 1, Width: 64, Height: 64, Depth: 1, Samples: 8,
				Levels: 1, Pitch: 64, Mode: 14}},
		{"128 bits", gcn.GCN12, gcn.Image{Type: gcn.Image2D, DataFormat: 10, Width: 64, Height: 64, Pitch: 1, TileMode: 14},
			tile.Surface{Type: gcn.Image2D, Bytes: 4, BlockW: 1, BlockH: 1, Width: 64, Height: 64, Depth: 1, Samples: 1,
				Levels: 1, Mode: 14}},
		{"slice", gcn.GCN12, gcn.Image{Type: gcn.Image2D, DataFormat: 10, Width: 64, Height: 64, Pitch: 64, BaseArray: 3, TileMode: 14},
			tile.Surface{Type: gcn.Image2DArray, Bytes: 4, BlockW: 1, BlockH: 1, Width: 64, Height: 64, Depth: 4, Samples: 1,
				Levels: 1, Pitch: 64, Mode: 14}},
	} {
		got, err := tile.FromImage(c.gen, &c.img)
		require.NoError(t, err, c.name)
		assert.Equal(t, c.want, got, c.name)
	}
	_, err := tile.FromImage(gcn.GCN12, &gcn.Image{DataFormat: 61})
	require.EqualError(t, err, "tile: not supported: data format 61 32_AS_8, whose size in memory no source tells; "+
		"choose another one")
}

// Index 8 of every chip's table is linear: rule TM4.
func TestPresets(t *testing.T) {
	for _, c := range chip.All() {
		name := c.Name
		l, err := preset(t, name).Layout(tile.Surface{Type: gcn.Image2D, Bytes: 4, Width: 64, Height: 64,
			Mode: 8 * b2i(preset(t, name).TileMode[8] != 0)})
		require.NoError(t, err)
		assert.Equal(t, map[bool]string{false: "LINEAR_ALIGNED", true: "LINEAR"}[isa.GenTraits(c.Target.Gen()).SwizzleModes],
			l.Levels()[0].Mode, name)
	}
	for target := range gcn.Target(gcn.NumTargets) {
		r, err := tile.ForTarget(target)
		require.NoError(t, err, target)
		assert.Equal(t, target.Gen(), r.Gen, target)
	}
	assert.Equal(t, "64KB_R_X", tile.SwizzleModeName(27))
	assert.Empty(t, tile.SwizzleModeName(28))
	assert.Empty(t, tile.SwizzleModeName(-1))
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// Square agrees with Lanes for each of its elements.
func TestSquare(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, chain := range chains {
		l, err := preset(t, chain.chip).Layout(chain.s)
		require.NoError(t, err)
		for i, v := range l.Levels() {
			plan, err := l.Plan(i, 0, 0, v.Depth)
			require.NoError(t, err)
			var x, y [2][64]uint32
			var z [64]uint32
			for lane := range z { // a few coordinates lie one beyond the edge
				x[0][lane], x[1][lane] = uint32(rng.IntN(v.Width+min(lane/60, 1))), uint32(rng.IntN(v.Width))
				y[0][lane], y[1][lane] = uint32(rng.IntN(v.Height)), uint32(rng.IntN(v.Height+min(lane/60, 1)))
				z[lane] = uint32(rng.IntN(v.Depth + lane/63))
			}
			for _, slice := range []*[64]uint32{nil, &z} {
				var got, want [4][64]uint64
				all := ^uint64(0)
				for k := range want {
					all &= plan.Lanes(&want[k], ^uint64(0), &x[k&1], &y[k>>1], slice, nil)
				}
				in := plan.Square(&[4]*[64]uint64{&got[0], &got[1], &got[2], &got[3]}, [2]*[64]uint32{&x[0], &x[1]},
					[2]*[64]uint32{&y[0], &y[1]}, slice)
				require.Equal(t, all, in, chain.name)
				for k := range want {
					for lane := range z {
						if in>>lane&1 != 0 {
							require.Equal(t, want[k][lane], got[k][lane], chain.name)
						}
					}
				}
			}
		}
	}
}
