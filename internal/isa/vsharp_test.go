package isa_test

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/internal/isa"
)

// TestVSharpBits sets each field alone and compares with the bit numbers of rule R9.
func TestVSharpBits(t *testing.T) {
	for _, tt := range []struct {
		name   string
		b      isa.Buffer
		lo, hi int
	}{
		{"BASE", isa.Buffer{Base: 1<<48 - 1}, 0, 47},
		{"STRIDE", isa.Buffer{Stride: 0x3fff}, 48, 61},
		{"Cache swizzle", isa.Buffer{CacheSwizzle: true}, 62, 62},
		{"Swizzle enable", isa.Buffer{Swizzle: true}, 63, 63},
		{"NUMRECORDS", isa.Buffer{NumRecords: 0xffffffff}, 64, 95},
		{"DST_SEL_X", isa.Buffer{DstSel: [4]isa.Sel{7}}, 96, 98},
		{"DST_SEL_Y", isa.Buffer{DstSel: [4]isa.Sel{0, 7}}, 99, 101},
		{"DST_SEL_Z", isa.Buffer{DstSel: [4]isa.Sel{0, 0, 7}}, 102, 104},
		{"DST_SEL_W", isa.Buffer{DstSel: [4]isa.Sel{0, 0, 0, 7}}, 105, 107},
		{"NUMFORMAT", isa.Buffer{NumFormat: 7}, 108, 110},
		{"DATAFORMAT", isa.Buffer{DataFormat: 15}, 111, 114},
		{"ELEMSIZE", isa.Buffer{ElemSize: 16}, 115, 116},
		{"INDEXSTRIDE", isa.Buffer{IndexStride: 64}, 117, 118},
		{"TID_ENABLE", isa.Buffer{AddTID: true}, 119, 119},
		{"Hash enable", isa.Buffer{Hash: true}, 121, 121},
		{"HEAP", isa.Buffer{Heap: true}, 122, 122},
		{"TYPE", isa.Buffer{Type: 3}, 126, 127},
	} {
		var want [4]uint32
		for bit := tt.lo; bit <= tt.hi; bit++ {
			want[bit/32] |= 1 << (bit % 32)
		}
		if tt.b.DataFormat != 0 { // DST_SEL is R, G, B, A then
			want[3] |= 0xfac
		}
		require.Equal(t, want[:], tt.b.Words(), tt.name)
		for bit := tt.lo; bit <= tt.hi; bit++ {
			require.NotZero(t, isa.VSharpBits[bit/32]>>(bit%32)&1, tt.name)
		}
	}
}

func TestVSharpRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		v := isa.VSharp{r.Uint32(), r.Uint32(), r.Uint32(), r.Uint32()}
		got := isa.VSharp(v.Fields().Words())
		for i := range v {
			require.Equal(t, v[i]&isa.VSharpBits[i], got[i])
		}
		require.Equal(t, v.Fields(), got.Fields())
	}
}

// A buffer with a format gives its components in their order unless DstSel says otherwise;
// a plain one, and one whose words are 0, have none.
func TestBufferSelectsComponents(t *testing.T) {
	v := isa.VSharp(isa.Buffer{DataFormat: 4, NumFormat: 7}.Words())
	require.Equal(t, [4]isa.Sel{isa.SelR, isa.SelG, isa.SelB, isa.SelA}, v.Fields().DstSel)
	v = isa.VSharp(isa.Buffer{DataFormat: 4, DstSel: [4]isa.Sel{isa.Sel1}}.Words())
	require.Equal(t, [4]isa.Sel{isa.Sel1}, v.Fields().DstSel)
	require.Equal(t, isa.VSharp{}, isa.VSharp(isa.Buffer{}.Words()))
}

// TestVSharpSizes is rule R9: element size 2<<ELEMSIZE, index stride 8<<INDEXSTRIDE.
func TestVSharpSizes(t *testing.T) {
	for code := range uint32(4) {
		v := isa.VSharp{3: code<<19 | code<<21}
		require.Equal(t, uint32(2)<<code, v.Fields().ElemSize)
		require.Equal(t, uint32(8)<<code, v.Fields().IndexStride)
	}
}

// TestVSharpGolden reads descriptors of a driver.
func TestVSharpGolden(t *testing.T) {
	f, err := os.Open("testdata/vsharp.txt")
	require.NoError(t, err)
	defer f.Close()
	formats := map[string]struct {
		dfmt, nfmt uint8
		size       uint32
		sel        string
	}{
		"R8_UNORM":                 {1, 0, 1, "R001"},
		"R16G16_SINT":              {5, 5, 4, "RG01"},
		"B8G8R8A8_UNORM":           {10, 0, 4, "BGRA"},
		"A2B10G10R10_UNORM_PACK32": {9, 0, 4, "RGBA"},
		"R32G32B32A32_SFLOAT":      {14, 7, 16, "RGBA"},
	}
	lines := 0
	for s := bufio.NewScanner(f); s.Scan(); {
		if strings.HasPrefix(s.Text(), "#") {
			continue
		}
		cols := strings.Split(s.Text(), "\t")
		var v isa.VSharp
		_, err := fmt.Sscanf(cols[2], "%x %x %x %x", &v[0], &v[1], &v[2], &v[3])
		require.NoError(t, err)
		b, want := v.Fields(), formats[cols[1]]
		require.Equal(t, uint64(0x100000400), b.Base)
		require.Equal(t, want.size, b.Stride, s.Text())
		records := 0x800 / want.size
		if cols[0] == "fiji" { // rule K4
			records = 0x800
		}
		require.Equal(t, records, b.NumRecords, s.Text())
		require.Equal(t, [2]uint8{want.dfmt, want.nfmt}, [2]uint8{b.DataFormat, b.NumFormat}, s.Text())
		require.Equal(t, want.sel, fmt.Sprintf("%v%v%v%v", b.DstSel[0], b.DstSel[1], b.DstSel[2], b.DstSel[3]), s.Text())
		require.Equal(t, v, isa.VSharp(b.Words()), s.Text())
		lines++
	}
	require.Equal(t, 25, lines)
}

// TestDescriptorsReadWithoutAVariable calls getters on what packs a descriptor.
func TestDescriptorsReadWithoutAVariable(t *testing.T) {
	if base := isa.VSharp((isa.Buffer{Base: 0x1234}).Words()).Fields().Base; base != 0x1234 {
		t.Errorf("base of a V#: 0x%x", base)
	}
	if base := isa.TSharp((isa.Image{Base: 0x1200}).Words(isa.GCN12)).Fields(isa.GCN12).Base; base != 0x1200 {
		t.Errorf("base of a T#: 0x%x", base)
	}
	if c := isa.SSharp((isa.SamplerState{Compare: 3}).Words(isa.GCN12)).Fields(isa.GCN12).Compare; c != 3 {
		t.Errorf("comparison of a S#: %d", c)
	}
	if n := isa.ExtentOf((isa.Image{Type: isa.Image2D, LastLevel: 2}), isa.GCN12).ViewLevels; n != 3 {
		t.Errorf("levels of an image: %d", n)
	}
}
