package tile_test

import (
	"bufio"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/gcn/tile"
	"github.com/gcnsim/gcnsim/internal/testkit/effort"
)

// row is a line of a table of testdata, by column.
type row map[string]string

func (r row) int(t *testing.T, column string) int {
	t.Helper()
	v, err := strconv.ParseInt(r[column], 0, 64)
	require.NoError(t, err, "%s: %v", column, r)
	return int(v)
}

// eachRow calls f for each line of a table of testdata; see testdata/README.md.
func eachRow(t *testing.T, name string, f func(row)) (n int) {
	t.Helper()
	file, err := os.Open("testdata/" + name)
	require.NoError(t, err)
	defer file.Close()
	z, err := gzip.NewReader(file)
	require.NoError(t, err)
	s := bufio.NewScanner(z)
	require.True(t, s.Scan())
	columns := strings.Split(s.Text(), "\t")
	for ; s.Scan(); n++ {
		if effort.LeavesOut(n) {
			continue
		}
		r := row{}
		for i, v := range strings.Split(s.Text(), "\t") {
			r[columns[i]] = v
		}
		f(r)
	}
	require.NoError(t, s.Err())
	return n
}

// registers returns the preset of the row's chip, after checking that its registers equal the row's.
func registers(t *testing.T, r row) *tile.Registers {
	t.Helper()
	regs, err := tile.Preset(r["chip"])
	require.NoError(t, err)
	require.EqualValues(t, r.int(t, "gb_addr_config"), regs.AddrConfig)
	if r["tileidx"] == "" {
		return regs
	}
	require.EqualValues(t, r.int(t, "gb_tile_mode"), regs.TileMode[r.int(t, "tileidx")])
	if i := r.int(t, "macroidx"); i >= 0 {
		require.EqualValues(t, r.int(t, "gb_macrotile_mode"), regs.MacroTileMode[i])
	}
	return regs
}

var kinds = map[string]gcn.ImageType{
	"2d": gcn.Image2DArray, "2darray": gcn.Image2DArray, "2dmsaa": gcn.Image2DMSAAArray, "3d": gcn.Image3D,
	"cube": gcn.ImageCube, "bc": gcn.Image2DArray,
	"1d": gcn.Image1DArray,
}

func surface(t *testing.T, r row) tile.Surface {
	s := tile.Surface{
		Bytes: r.int(t, "bpp") / 8, Width: r.int(t, "width"), Height: r.int(t, "height"), Depth: r.int(t, "depth_or_slices"),
		Samples: r.int(t, "samples"), Levels: r.int(t, "levels"), Pow2Pad: r["pow2pad"] == "1",
		Type: kinds[r["kind"]+r["restype"]],
	}
	if s.Samples > 1 {
		s.Type = gcn.Image2DMSAAArray
	}
	if r["kind"] == "bc" {
		s.BlockW, s.BlockH = 4, 4
	}
	if r["sw_mode"] != "" {
		s.Mode = r.int(t, "sw_mode")
		return s
	}
	s.Mode = r.int(t, "tileidx")
	s.PRT = s.Mode >= 21 && s.Mode <= 25 // PRT modes of GCN 1.0
	return s
}

// hash returns FNV-1a over the addresses of all elements in the order z, y, x, sample.
func hash(t *testing.T, l *tile.Layout, level int) string {
	t.Helper()
	plan, err := l.Plan(level, 0, 0, l.Levels()[level].Depth)
	require.NoError(t, err)
	h, v := fnv.New64a(), &l.Levels()[level]
	samples := l.Surface.Samples
	n := v.Width * v.Height * v.Depth * samples
	var b [8]byte
	for i := 0; i < n; i += 64 {
		c := coords()
		var addrs [64]uint64
		mask := uint64(0)
		for j := range min(64, n-i) {
			at := i + j
			c.Sample[j], at = uint32(at%samples), at/samples
			c.X[j], at = uint32(at%v.Width), at/v.Width
			c.Y[j], c.Z[j] = uint32(at%v.Height), uint32(at/v.Height)
			mask |= 1 << j
		}
		require.Equal(t, mask, plan.Lanes(&addrs, mask, c.X, c.Y, c.Z, c.Sample))
		for j := range min(64, n-i) {
			binary.LittleEndian.PutUint64(b[:], addrs[j])
			h.Write(b[:])
		}
	}
	return fmt.Sprintf("%016x", h.Sum64())
}

func TestLevelsOfTileModes(t *testing.T) {
	n := eachRow(t, "gfx678_levels.tsv.gz", func(r row) {
		l, err := registers(t, r).Layout(surface(t, r))
		require.NoError(t, err, r)
		i := r.int(t, "level")
		v := &l.Levels()[i]
		require.Equal(t, r["tilemode"], v.Mode, r)
		require.Equal(t, [3]int{r.int(t, "pitch"), r.int(t, "pheight"), r.int(t, "pdepth")},
			[3]int{v.Pitch, v.Rows, v.Slices}, r)
		require.EqualValues(t, r.int(t, "leveloffset"), v.Offset, r)
		require.EqualValues(t, r.int(t, "levelsize"), v.Size, r)
		if i == 0 {
			require.EqualValues(t, r.int(t, "basealign"), l.Align, r)
		}
		require.Equal(t, r["fnv64"], hash(t, &l, i), r)
	})
	require.Greater(t, n, 3000)
}

func TestAddressesOfTileModes(t *testing.T) {
	n := eachRow(t, "gfx678_addr.tsv.gz", func(r row) {
		s := surface(t, r)
		s.Swizzle = uint32(r.int(t, "swizzle"))
		s.Pitch = r.int(t, "pitch0") * max(1, s.BlockW)
		l, err := registers(t, r).Layout(s)
		require.NoError(t, err, r)
		got, err := l.Addr(r.int(t, "level"), r.int(t, "x"), r.int(t, "y"), r.int(t, "z"), r.int(t, "sample"))
		require.NoError(t, err, r)
		require.EqualValues(t, r.int(t, "addr"), got, r)
	})
	require.Greater(t, n, 3000)
}

func TestLevelsOfSwizzleModes(t *testing.T) {
	n := eachRow(t, "gfx9_levels.tsv.gz", func(r row) {
		l, err := registers(t, r).Layout(surface(t, r))
		require.NoError(t, err, r)
		i := r.int(t, "level")
		require.Equal(t, [2]int{r.int(t, "chainpitch"), r.int(t, "chainheight")}, [2]int{l.ChainPitch, l.ChainHeight}, r)
		epitch := l.ChainPitch
		if r["epitch_is_height"] == "1" {
			epitch = l.ChainHeight
		}
		require.Equal(t, epitch, l.EPitch, r)
		require.EqualValues(t, r.int(t, "surfsize"), l.Size, r)
		require.EqualValues(t, r.int(t, "basealign"), l.Align, r)
		if l.Surface.Mode != 0 {
			require.EqualValues(t, r.int(t, "mip_macro_off")+r.int(t, "mip_tail_off"), l.Levels()[i].Offset, r)
		}
		require.Equal(t, r["fnv64"], hash(t, &l, i), r)
	})
	require.Greater(t, n, 1500)
}

func TestAddressesOfSwizzleModes(t *testing.T) {
	n := eachRow(t, "gfx9_addr.tsv.gz", func(r row) {
		s := surface(t, r)
		s.Swizzle = uint32(r.int(t, "pipebankxor"))
		l, err := registers(t, r).Layout(s)
		require.NoError(t, err, r)
		got, err := l.Addr(r.int(t, "level"), r.int(t, "x"), r.int(t, "y"), r.int(t, "z"), r.int(t, "sample"))
		require.NoError(t, err, r)
		require.EqualValues(t, r.int(t, "addr"), got, r)
	})
	require.Greater(t, n, 3000)
}
