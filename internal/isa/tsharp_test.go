package isa_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/internal/isa"
)

// driverRow is a descriptor of testdata/images.txt.
type driverRow struct {
	gen              isa.Gen
	chip, kind, what string
	words            []uint32
}

func driverRows(t *testing.T) (rows []driverRow) {
	t.Helper()
	text, err := os.ReadFile("testdata/images.txt")
	require.NoError(t, err)
	gens := map[string]isa.Gen{"tahiti": isa.GCN10, "hawaii": isa.GCN11, "fiji": isa.GCN12, "stoney": isa.GCN12,
		"vega10": isa.GCN14, "vega20": isa.GCN141}
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		cols := strings.Split(strings.TrimSpace(line), "\t")
		r := driverRow{gens[cols[0]], cols[0], cols[1], cols[2], nil}
		for word := range strings.FieldsSeq(cols[3]) {
			v, err := strconv.ParseUint(word, 16, 32)
			require.NoError(t, err)
			r.words = append(r.words, uint32(v))
		}
		rows = append(rows, r)
	}
	return rows
}

// shape reads names such as "2DArray 37x21x5 mips6" and "2D ... mips2..4".
var shape = regexp.MustCompile(`^(1D|2D|3D|Cube)(Array)? (\d+)?(?:x(\d+))?(?:x(\d+))?.*?(?:mips(\d+))?(?:\.\.(\d+))?$`)

func TestTSharpOfDriver(t *testing.T) {
	n := 0
	for _, r := range driverRows(t) {
		if !strings.HasPrefix(r.kind, "tsharp") {
			continue
		}
		n++
		name := fmt.Sprintf("%s %s %s", r.chip, r.kind, r.what)
		d := isa.TSharp(r.words)
		img := d.Fields(r.gen)
		require.Equal(t, d, isa.TSharp(img.Words(r.gen)), name)
		require.Equal(t, isa.TSharp{}, isa.TSharp(isa.Reserved(d[:], isa.TSharpFields[r.gen])), name)
		f := isa.ImageFormatOf(r.gen, img.DataFormat, img.NumFormat)
		require.NotZero(t, f.Bytes, "%s: %v", name, img.DataFormat)
		if r.kind == "tsharp" {
			require.Equal(t, [2]int{16, 8}, [2]int{img.Width, img.Height}, name)
			require.Equal(t, isa.Image2D, img.Type, name)
			texels := int(f.Width)
			if isa.GenTraits(r.gen).SwizzleModes { // EPITCH counts elements
				texels = 1
			}
			require.Equal(t, 256, img.Pitch/texels*int(f.Bytes), name)
			continue
		}
		require.Equal(t, "8_8_8_8", f.Name)
		checkShape(t, name, r, &img)
	}
	require.Greater(t, n, 150)
}

func checkShape(t *testing.T, name string, r driverRow, img *isa.Image) {
	t.Helper()
	m := shape.FindStringSubmatch(r.what)
	require.NotNil(t, m, name)
	size := [3]int{1, 1, 1}
	for i := range size {
		if m[3+i] != "" {
			size[i], _ = strconv.Atoi(m[3+i])
		}
	}
	layers := 1
	switch {
	case m[1] == "1D" && m[2] != "":
		layers, size[1] = size[1], 1
	case m[1] == "2D" && m[2] != "":
		layers, size[2] = size[2], 1
	case m[1] == "Cube":
		layers, size[1] = max(6, size[1]), size[0]
	}
	if !strings.Contains(r.what, "swizzle") { // its size is the size of its level 2
		levels := 6 // of those that do not tell
		if m[6] != "" {
			levels, _ = strconv.Atoi(m[6])
		}
		require.Equal(t, levels, isa.ExtentOf(*img, r.gen).Levels, name)
		require.Equal(t, size[0], img.Width, name)
		require.Equal(t, size[1], img.Height, name)
	}
	if m[1] == "3D" {
		require.Equal(t, size[2], img.Depth, name)
	}
	require.Equal(t, layers, isa.ExtentOf(*img, r.gen).Layers, name)
	require.Equal(t, 1, isa.ExtentOf(*img, r.gen).Fragments)
}

func TestTSharpRoundTrip(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		g := isa.Gen(rng.IntN(isa.NumGens))
		var d isa.TSharp
		for i := range d {
			d[i] = rng.Uint32()
		}
		want, reserved := d, isa.Reserved(d[:], isa.TSharpFields[g])
		for i := range want {
			want[i] &^= reserved[i]
		}
		img := d.Fields(g)
		require.Equal(t, want, isa.TSharp(img.Words(g)), "%v %x", g, d)
		packed := isa.TSharp(img.Words(g))
		require.Equal(t, img, packed.Fields(g))
	}
}

// TestTSharpBits sets fields alone and compares with the bit numbers of rule TD1.
func TestTSharpBits(t *testing.T) {
	for _, c := range []struct {
		gen isa.Gen
		img isa.Image
		at  int
		v   uint64
	}{
		{isa.GCN10, isa.Image{Base: 0xabcd_ef01_2300}, 0, 0xabcdef0123},
		{isa.GCN10, isa.Image{MinLOD: 1.5}, 40, 0x180},
		{isa.GCN10, isa.Image{DataFormat: 63}, 52, 63},
		{isa.GCN10, isa.Image{NumFormat: 15}, 58, 15},
		{isa.GCN10, isa.Image{Width: 1 << 14}, 64, 1<<14 - 1},
		{isa.GCN10, isa.Image{Height: 100}, 78, 99},
		{isa.GCN10, isa.Image{PerfMod: 7}, 92, 7},
		{isa.GCN10, isa.Image{Interlaced: true}, 95, 1},
		{isa.GCN10, isa.Image{DstSel: [4]isa.Sel{4, 5, 6, 7}}, 96, 0xfac},
		{isa.GCN10, isa.Image{BaseLevel: 15}, 108, 15},
		{isa.GCN10, isa.Image{LastLevel: 9}, 112, 9},
		{isa.GCN10, isa.Image{TileMode: 31}, 116, 31},
		{isa.GCN10, isa.Image{Pow2Pad: true}, 121, 1},
		{isa.GCN10, isa.Image{Type: isa.Image2DMSAAArray}, 124, 15},
		{isa.GCN10, isa.Image{Depth: 1 << 13}, 128, 1<<13 - 1},
		{isa.GCN10, isa.Image{Pitch: 1 << 14}, 141, 1<<14 - 1},
		{isa.GCN10, isa.Image{BaseArray: 1<<13 - 1}, 160, 1<<13 - 1},
		{isa.GCN10, isa.Image{LastArray: 1<<13 - 1}, 173, 1<<13 - 1},
		{isa.GCN10, isa.Image{MinLODWarn: 15.99609375}, 192, 0xfff},
		{isa.GCN11, isa.Image{MType: 3}, 62, 3},
		{isa.GCN11, isa.Image{MType: 4, ATC: true}, 122, 3},
		{isa.GCN11, isa.Image{CounterBank: 255, LODCount: true}, 204, 0x1ff},
		{isa.GCN12, isa.Image{Compression: true, LostColor: 15}, 213, 1 | 15<<7},
		{isa.GCN12, isa.Image{Meta: 0xff_ffff_ff00}, 224, 0xffffffff},
		{isa.GCN14, isa.Image{NV: true, MetaDirect: true}, 62, 3},
		{isa.GCN14, isa.Image{Pitch: 1 << 16, BCSwizzle: 7}, 141, 1<<19 - 1},
		{isa.GCN14, isa.Image{ArrayPitch: 15, Meta: 0xff << 40}, 173, 15 | 0xff<<4},
		{isa.GCN14, isa.Image{MetaLinear: true, MetaPipeAligned: true, MetaRBAligned: true, MaxMip: 15}, 185, 0x7f},
	} {
		var want isa.TSharp
		for i := range 64 {
			if c.v>>i&1 != 0 {
				want[(c.at+i)/32] |= 1 << ((c.at + i) % 32)
			}
		}
		require.Equal(t, want, isa.TSharp(c.img.Words(c.gen)), "%v bit %d", c.gen, c.at)
	}
}

func TestTSharpFieldsDoNotOverlap(t *testing.T) {
	for g := range isa.Gen(isa.NumGens) {
		end := 0
		for _, f := range isa.TSharpFields[g] {
			assert.GreaterOrEqual(t, f.Shift, end, "%v %s", g, f.Name)
			end = f.Shift + f.Width
		}
		assert.LessOrEqual(t, end, 256)
		end = 0
		for _, f := range isa.SSharpFields[g] {
			assert.GreaterOrEqual(t, f.Shift, end, "%v %s", g, f.Name)
			end = f.Shift + f.Width
		}
		assert.LessOrEqual(t, end, 128)
	}
	words := []uint32{0, 0x00a00000, 0, 0, 0x0007e000, 0, 0, 0}
	for _, f := range isa.TSharpFields[isa.GCN14] {
		switch f.Name {
		case "DATA_FORMAT":
			assert.EqualValues(t, 10, f.Get(words))
		case "EPITCH":
			assert.EqualValues(t, 63, f.Get(words))
		}
	}
}

func TestImageFormats(t *testing.T) {
	for _, c := range []struct {
		gen       isa.Gen
		data, num uint8
		want      isa.ImageFormat
	}{
		{isa.GCN10, 10, 0, isa.ImageFormat{Name: "8_8_8_8", Bytes: 4, Width: 1, Height: 1}},
		{isa.GCN12, 41, 9, isa.ImageFormat{Name: "BC7", Bytes: 16, Width: 4, Height: 4}},
		{isa.GCN10, 32, 0, isa.ImageFormat{Name: "GB_GR", Bytes: 4, Width: 2, Height: 1}},
		{isa.GCN12, 54, 4, isa.ImageFormat{Name: "FMASK32_S8_F8", Bytes: 4, Width: 1, Height: 1}},
		{isa.GCN14, 45, 10, isa.ImageFormat{Name: "FMASK32_S8_F8", Bytes: 4, Width: 1, Height: 1}},
		{isa.GCN14, 45, 13, isa.ImageFormat{Name: "FMASK", Width: 1, Height: 1}},
		{isa.GCN14, 56, 0, isa.ImageFormat{}},
		{isa.GCN12, 24, 0, isa.ImageFormat{}},
		{isa.GCN12, 200, 0, isa.ImageFormat{}},
	} {
		assert.Equal(t, c.want, isa.ImageFormatOf(c.gen, c.data, c.num), "%v %d", c.gen, c.data)
	}
	assert.Equal(t, "gcn.ImageType(3)", isa.ImageType(3).String())
	assert.False(t, isa.ShapeOf(isa.ImageType(200)).Valid)
}
