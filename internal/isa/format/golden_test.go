package format_test

import (
	"encoding/hex"
	"fmt"
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa/format"
)

// vulkan returns the format and the DST_SEL for a Vulkan format name. Its components are listed from the lowest byte,
// in packed formats from the highest bit.
func vulkan(t *testing.T, name string) (*format.Format, format.Select) {
	parts := strings.Split(name, "_")
	comps := regexp.MustCompile(`([RGBAED])(\d+)`).FindAllStringSubmatch(parts[0], -1)
	var letters, sizes []string
	for _, c := range comps {
		letters, sizes = append(letters, c[1]), append(sizes, c[2])
	}
	data := strings.Join(sizes, "_") // package gcn names widths from the highest bit
	if !strings.Contains(name, "PACK") {
		data = reversed(sizes)
	} else {
		letters = strings.Split(reversed(letters), "_")
	}
	num := strings.NewReplacer("UFLOAT", "FLOAT", "SFLOAT", "FLOAT").Replace(parts[1])
	d, ok := codeOf(gcn.DataFormatName, data)
	if !ok {
		return nil, format.Select{}
	}
	n, ok := codeOf(gcn.NumFormatName, num)
	require.True(t, ok, num)
	f, err := format.Lookup(d, n)
	require.NoError(t, err, name)
	sel := format.Select{gcn.Sel0, gcn.Sel0, gcn.Sel0, gcn.Sel1}
	for c, letter := range letters {
		if i := strings.Index("RGBA", strings.Replace(letter, "D", "R", 1)); i >= 0 {
			sel[i] = gcn.SelR + gcn.Sel(c)
		}
	}
	return f, sel
}

func reversed(list []string) string {
	var r []string
	for i := range list {
		r = append(r, list[len(list)-1-i])
	}
	return strings.Join(r, "_")
}

func hex32(t *testing.T, s string) uint32 {
	v, err := strconv.ParseUint(s, 16, 32)
	require.NoError(t, err)
	return uint32(v)
}

// rows calls row with the fields of each line of a table in testdata.
func rows(t *testing.T, file string, row func(name string, fields []string)) (n int) {
	text, err := os.ReadFile("testdata/" + file)
	require.NoError(t, err)
	for line := range strings.Lines(string(text)) {
		if !strings.HasPrefix(line, "#") {
			f := strings.Fields(line)
			row(f[0], f[1:])
			n++
		}
	}
	return n
}

// ulp returns the number of singles between a and b.
func ulp(a, b uint32) uint32 {
	if a>>31 != b>>31 {
		return a&^(1<<31) + b&^(1<<31)
	}
	return max(a, b) - min(a, b)
}

// TestFetchVectors compares loads with Mesa lavapipe. It multiplies by a reciprocal to convert normalised formats,
// which differs by one unit in the last place; only a few digits of its sRGB are correct. Signed 2-bit alpha: see
// Format.UnsignedAlpha.
func TestFetchVectors(t *testing.T) {
	used := map[string]bool{}
	n := rows(t, "fetch.tsv", func(name string, fields []string) {
		f, sel := vulkan(t, name)
		require.NotNil(t, f, name)
		used[name] = true
		raw, err := hex.DecodeString(fields[0])
		require.NoError(t, err)
		var words [4]uint32
		for i, b := range raw {
			words[i/4] |= uint32(b) << (i % 4 * 8)
		}
		require.Len(t, raw, f.Size, name)
		v := unpack(f, words)
		for i := range 4 {
			from, got := sel.Load(f, i)
			if from != format.Absent {
				got = v[from]
			}
			want := hex32(t, fields[1+i])
			switch what := fmt.Sprintf("%s %s component %d: got %x, want %x", name, fields[0], i, got, want); {
			case f.Num == 9:
				require.InDelta(t, f64(want), f64(got), 0.01, what)
			case f.Num == gcn.NumUNORM || f.Num == gcn.NumSNORM:
				require.LessOrEqual(t, ulp(got, want), uint32(1), what)
			case f.Kind == format.Float && math.IsNaN(f64(want)):
				require.True(t, math.IsNaN(f64(got)), what)
			default:
				require.Equal(t, want, got, what)
			}
		}
	})
	t.Logf("%d rows of %d formats", n, len(used))
}

// TestStoreVectors compares stores with Mesa lavapipe. Components are skipped in which lavapipe differs: it rounds
// ties of normalised formats differently, stores the maximum for NaN, and truncates small floats.
func TestStoreVectors(t *testing.T) {
	compared, skipped := 0, 0
	rows(t, "store.tsv", func(name string, fields []string) {
		f, sel := vulkan(t, name)
		require.NotNil(t, f, name)
		raw, err := hex.DecodeString(fields[4])
		require.NoError(t, err)
		var want, v [4]uint32
		for i, b := range raw {
			want[i/4] |= uint32(b) << (i % 4 * 8)
		}
		for c := range f.Components {
			if i := sel.Store(c, 4); i != format.Absent {
				v[c] = hex32(t, fields[i])
			}
		}
		got := unpack(f, pack(f, v))
		stored := unpack(f, want)
		for c := range f.Components {
			x := f64(v[c])
			switch {
			case f.Kind != format.Float:
			case x != x || f.Num == gcn.NumFLOAT && x != f64(stored[c]):
				skipped++
				continue
			case f.Num != gcn.NumFLOAT:
				top := math.Ldexp(1, widths[f.Data][c]-int(f.Num)) - 1
				if _, frac := math.Modf(math.Abs(x) * top); math.Abs(frac-0.5) < 1.0/64 {
					skipped++
					continue
				}
			}
			compared++
			require.Equal(t, stored[c], got[c], "%s %v component %d", name, fields, c)
		}
	})
	require.Greater(t, compared, 3*skipped)
}
