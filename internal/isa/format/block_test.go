package format_test

import (
	"encoding/hex"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa/format"
)

// elementOf parses the dwords of an element from hexadecimal bytes.
func elementOf(t testing.TB, text string) (words [4]uint32) {
	raw, err := hex.DecodeString(text)
	require.NoError(t, err)
	for i, b := range raw {
		words[i/4] |= uint32(b) << (i % 4 * 8)
	}
	return words
}

// texel loads one texel of an element.
func texel(f *format.Format, words [4]uint32, at uint32) [4]uint32 {
	var src [4][]uint32
	for j := range src {
		src[j] = words[j : j+1]
	}
	f.Extract(&src, []uint32{at})
	return unpack(f, words)
}

// blockFormat returns the format for a Vulkan name such as "BC1_RGB_UNORM_BLOCK".
func blockFormat(t *testing.T, name string) *format.Format {
	parts := strings.Split(name, "_")
	nums := map[string]uint8{"UNORM": gcn.NumUNORM, "SNORM": gcn.NumSNORM, "SRGB": gcn.NumSRGB, "UFLOAT": gcn.NumUNORM,
		"SFLOAT": gcn.NumSNORM}
	data, ok := codeOf(gcn.DataFormatName, strings.TrimSuffix(parts[0], "H"))
	require.True(t, ok, name)
	return mustLookup(t, data, nums[parts[len(parts)-2]])
}

// TestBlockVectors compares texels of blocks with Mesa lavapipe, see [TestFetchVectors].
func TestBlockVectors(t *testing.T) {
	type mode struct {
		data, num uint8
		code      uint32
	}
	seen := map[mode]bool{}
	rows(t, "bc.tsv", func(name string, fields []string) {
		f := blockFormat(t, name)
		words := elementOf(t, fields[0])
		switch f.Data {
		case 40:
			code := words[0] & 31
			if code&2 == 0 {
				code &= 3
			}
			seen[mode{f.Data, f.Num, code}] = true
		case 41:
			seen[mode{data: f.Data, code: words[0] & -words[0] & 0xff}] = true
		}
		for at, want := range fields[1:] {
			got := texel(f, words, uint32(at))
			for i, bits := range strings.Split(want, ",") {
				v := got[i] // Vulkan applies DST_SEL afterwards
				if i == 3 && (f.Components < 4 || strings.HasPrefix(name, "BC1_RGB_")) {
					v = f.One
				}
				if f.Num == gcn.NumSRGB && i < 3 {
					require.InDelta(t, f64(hex32(t, bits)), f64(v), 0.02, "%s %s texel %d component %d", name, fields[0], at, i)
					continue
				}
				require.LessOrEqual(t, ulp(v, hex32(t, bits)), uint32(1), "%s %s texel %d component %d: got %x, want %s", name,
					fields[0], at, i, v, bits)
			}
		}
	})
	modes := map[uint8]int{}
	for key := range seen {
		modes[key.data]++
	}
	require.Equal(t, map[uint8]int{40: 2 * 15, 41: 9}, modes, "with and without sign, and a reserved mode each")
}
