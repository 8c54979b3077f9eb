package imgtest

import (
	"bufio"
	"bytes"
	"compress/gzip"
	_ "embed" // the tables
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/gcn/tile"
)

//go:embed testdata/sample_cfg.tsv.gz
var configTable []byte

//go:embed testdata/sample.tsv.gz
var rowTable []byte

// GoldenConfig is an image with a sampler. Its fields are the columns that testdata/README.md describes.
type GoldenConfig struct {
	ID            int
	Op, Dim       string
	Width, Height int
	Depth, Layers int
	Levels        int
	Format        string
	Seed          uint32
	Mag, Min, Mip uint8
	Wrap          [3]string
	Border        string
	Bias          float32
	MinLOD        float32
	MaxLOD        float32
	Compare       int
	Component     int
}

// GoldenRow is a look-up and its result.
type GoldenRow struct {
	Class     string
	Coord     [4]uint32
	LOD       uint32
	Reference uint32
	Result    [4]uint32
	Tolerance [4]float64 // absolute
}

// GoldenCase is a configuration with at most as many look-ups as a wave has lanes.
type GoldenCase struct {
	GoldenConfig
	Rows []GoldenRow
}

// Golden returns the embedded tables.
func Golden() ([]GoldenCase, error) {
	return ReadGolden(bytes.NewReader(configTable), bytes.NewReader(rowTable))
}

// ReadGolden parses compressed tables of configurations and look-ups. Rows that are marked to be dropped are skipped.
func ReadGolden(configs, rows io.Reader) ([]GoldenCase, error) {
	var all []GoldenCase
	byID := map[int]GoldenConfig{}
	err := readTable(configs, func(get func(string) string) (err error) {
		byID[atoi(get("cfg"))], err = config(get)
		return err
	})
	if err != nil {
		return nil, err
	}
	last := map[int]int{} // for each configuration, the index of its last case, which may be full
	err = readTable(rows, func(get func(string) string) error {
		if get("use") != "keep" {
			return nil
		}
		id := atoi(get("cfg"))
		i, ok := last[id]
		if !ok || len(all[i].Rows) == 64 {
			i = len(all)
			all = append(all, GoldenCase{GoldenConfig: byID[id]})
			last[id] = i
		}
		all[i].Rows = append(all[i].Rows, row(get))
		return nil
	})
	return all, err
}

// readTable calls line for every line of a table, with a function that returns the value of a column.
func readTable(r io.Reader, line func(get func(column string) string) error) error {
	z, err := gzip.NewReader(r)
	if err != nil {
		return err
	}
	columns := map[string]int{}
	scan := bufio.NewScanner(z)
	for scan.Scan() {
		fields := strings.Split(scan.Text(), "\t")
		if len(columns) == 0 {
			for i, name := range fields {
				columns[name] = i
			}
			continue
		}
		if err := line(func(column string) string { return fields[columns[column]] }); err != nil {
			return err
		}
	}
	return scan.Err()
}

func atoi(s string) int { v, _ := strconv.Atoi(s); return v }

func hex(s string) uint32 { v, _ := strconv.ParseUint(s, 16, 32); return uint32(v) }

func real32(s string) float32 { v, _ := strconv.ParseFloat(s, 32); return float32(v) }

func config(get func(string) string) (c GoldenConfig, err error) {
	c = GoldenConfig{
		ID: atoi(get("cfg")), Op: get("op"), Dim: get("dim"), Width: atoi(get("width")), Height: atoi(get("height")),
		Depth:  atoi(get("depth")),
		Layers: atoi(get("layers")), Levels: atoi(get("levels")), Format: get("format"), Seed: hex(get("seed")),
		Mag: uint8(atoi(get("mag"))), Min: uint8(atoi(get("min"))), Mip: uint8(atoi(get("mip"))), Border: get("border"),
		Bias: real32(get("bias")), MinLOD: real32(get("minlod")), MaxLOD: real32(get("maxlod")), Compare: atoi(get("cmp")),
		Component: atoi(get("comp")),
	}
	if n := copy(c.Wrap[:], strings.Split(get("wrap"), ",")); n != 3 {
		return c, fmt.Errorf("imgtest: configuration %d has %d wrap modes", c.ID, n)
	}
	return c, nil
}

func row(get func(string) string) GoldenRow {
	r := GoldenRow{Class: get("class"), LOD: hex(get("lod_bits")), Reference: hex(get("dref_bits"))}
	for i, s := range strings.Split(get("coord_bits"), ",") {
		r.Coord[i] = hex(s)
	}
	for i, column := range []string{"r", "g", "b", "a"} {
		r.Result[i] = hex(get(column))
	}
	for i, s := range strings.Split(get("tol"), ",") {
		r.Tolerance[i], _ = strconv.ParseFloat(s, 64)
	}
	return r
}

// goldenFormats has the T# codes of a format, and the function by which the generator converts a random number to a
// texel.
var goldenFormats = map[string]struct {
	data, num  uint8
	components int
	put        func(b []byte, x uint32) []byte
}{
	"R8G8B8A8_UNORM":      {10, unorm, 4, randomByte},
	"R8G8B8A8_UINT":       {10, uintNum, 4, randomByte},
	"R32G32B32A32_SFLOAT": {14, float, 4, func(b []byte, x uint32) []byte { return le32(b, (float32(x>>20)-2048)/256) }},
	"D32_SFLOAT":          {4, float, 1, func(b []byte, x uint32) []byte { return le32(b, float32(x>>24)/256) }},
}

func randomByte(b []byte, x uint32) []byte { return append(b, byte(x>>24)) }

func le32(b []byte, v float32) []byte {
	return binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
}

// GoldenBase is the address of the images.
const GoldenBase = 0x1_0000_0000

// goldenTypes are the image types by dimension.
var goldenTypes = map[string]gcn.ImageType{
	"1D": gcn.Image1D, "2D": gcn.Image2D, "3D": gcn.Image3D, "Cube": gcn.ImageCube, "1DArray": gcn.Image1DArray,
	"2DArray":   gcn.Image2DArray,
	"CubeArray": gcn.ImageCube,
}

// Surface returns the image of the configuration, with its texels, in a tiling mode. 1D images of GCN 1.4 are linear
// in all modes (rule SW3).
func (c *GoldenConfig) Surface(t gcn.Target, mode int) (*Surface, error) {
	f, ok := goldenFormats[c.Format]
	if !ok {
		return nil, fmt.Errorf("imgtest: format %s", c.Format)
	}
	regs, err := tile.ForTarget(t)
	if err != nil {
		return nil, err
	}
	if t.Gen() >= gcn.GCN14 && dims(goldenTypes[c.Dim]) == 1 {
		mode = 0
	}
	img := gcn.Image{
		Base: GoldenBase, Type: goldenTypes[c.Dim], DataFormat: f.data, NumFormat: f.num, Width: c.Width, Height: c.Height,
		TileMode:  mode,
		LastLevel: c.Levels - 1, DstSel: [4]gcn.Sel{gcn.SelR, gcn.SelG, gcn.SelB, gcn.SelA},
	}
	depth := c.Layers
	if img.Type == gcn.Image3D {
		depth = c.Depth
	}
	s, err := NewSurface(t, regs, img, depth)
	if err != nil {
		return nil, err
	}
	x := c.Seed
	err = s.Each(func([5]int) []byte {
		var b []byte
		for range f.components {
			x = x*1664525 + 1013904223
			b = f.put(b, x)
		}
		return b
	})
	return s, err
}

// goldenWraps are the clamp modes by name.
var goldenWraps = map[string]gcn.Clamp{
	"repeat": gcn.ClampWrap, "mirrored_repeat": gcn.ClampMirror, "clamp_edge": gcn.ClampLastTexel,
	"clamp_border": gcn.ClampBorder,
	"mirror_once":  gcn.ClampMirrorOnceLastTexel,
}

// Sampler returns the S# of the configuration.
func (c *GoldenConfig) Sampler() gcn.SamplerState {
	s := gcn.SamplerState{
		MagFilter: c.Mag, MinFilter: c.Min, MipFilter: 1 + c.Mip, LODBias: c.Bias, MinLOD: c.MinLOD,
		MaxLOD: min(c.MaxLOD, 16), Compare: uint8(max(0, c.Compare)),
	}
	for i, name := range c.Wrap {
		s.Clamp[i] = goldenWraps[name]
	}
	switch {
	case strings.HasPrefix(c.Border, "opaque_black"):
		s.BorderColorType = 1
	case strings.HasPrefix(c.Border, "opaque_white"):
		s.BorderColorType = 2
	}
	return s
}

// Call returns an instruction that does the look-ups of the case, one in each lane.
func (c *GoldenCase) Call(t gcn.Target, mode int) (*Call, error) {
	s, err := c.Surface(t, mode)
	if err != nil {
		return nil, err
	}
	call := s.Call(map[string]string{
		"lod": "image_sample_l", "gather": "image_gather4_lz", "shadow": "image_sample_c_l", "gshadow": "image_gather4_c_lz",
	}[c.Op])
	call.S = gcn.SSharp(c.Sampler().Words(t.Gen()))
	call.DA = layered(s.Image.Type)
	call.DMASK = 15
	switch {
	case c.Compare >= 0:
		call.DMASK = 1
	case c.Op == "gather":
		call.DMASK = 1 << c.Component
	}
	call.Exec = 1<<len(c.Rows) - 1
	call.VAddr = make([][64]uint32, call.AddressVGPRs())
	call.VData = make([][64]uint32, call.DataVGPRs())
	for lane := range c.Rows {
		for i, v := range c.address(call, &c.Rows[lane]) {
			call.VAddr[i][lane] = v
		}
	}
	return call, nil
}

// address returns the address VGPRs for a look-up, with the corrections that compilers add: they round the layer, and
// for gathers of integers before GCN 1.4 they add half a texel (rules IM3 and IM9).
func (c *GoldenCase) address(call *Call, row *GoldenRow) (v []uint32) {
	if c.Compare >= 0 {
		v = append(v, row.Reference)
	}
	n := dims(goldenTypes[c.Dim])
	if goldenTypes[c.Dim] == gcn.ImageCube {
		v = append(v, c.cube(row)...)
		n = 0
	}
	for i, size := range []int{c.Width, c.Height, c.Depth}[:n] {
		x := float64(math.Float32frombits(row.Coord[i]))
		if c.Op == "gather" && strings.HasSuffix(c.Format, "UINT") && !call.vega() {
			x -= 0.5 / float64(size)
		}
		v = append(v, single(x))
	}
	if call.DA && n > 0 {
		v = append(v, single(math.RoundToEven(value(row.Coord[n]))))
	}
	if c.Op == "lod" || c.Op == "shadow" {
		v = append(v, row.LOD)
	}
	return v
}

// cube returns the results of V_CUBESC, V_CUBETC, V_CUBEMA and V_CUBEID for a direction, in the form that compilers
// use: the position on the face, from 1 to 2, and the token of face and layer (rule IM3). The layer must be in range,
// because the packed token of GCN 1.0 to 1.2 cannot be clamped by layers.
func (c *GoldenCase) cube(row *GoldenRow) []uint32 {
	x, y, z := value(row.Coord[0]), value(row.Coord[1]), value(row.Coord[2])
	ax, ay, az := math.Abs(x), math.Abs(y), math.Abs(z)
	negative := map[bool]float64{true: 1}
	var s, t, major, face float64
	switch {
	case az >= ax && az >= ay:
		s, t, major, face = math.Copysign(x, x*z), -y, az, 4+negative[z < 0]
	case ay >= ax:
		s, t, major, face = x, math.Copysign(z, z*y), ay, 2+negative[y < 0]
	default:
		s, t, major, face = -math.Copysign(z, z*x), -y, ax, negative[x < 0]
	}
	layer := 0.0
	if c.Dim == "CubeArray" {
		layer = min(max(math.RoundToEven(value(row.Coord[3])), 0), float64(c.Layers/6-1))
	}
	return []uint32{single(s/major/2 + 1.5), single(t/major/2 + 1.5), single(8*layer + face)}
}

// Check compares results with the table and describes the first wrong one.
func (c *GoldenCase) Check(data [][64]uint32) error {
	integer := strings.HasSuffix(c.Format, "UINT")
	for lane, row := range c.Rows {
		for i := range data {
			got, want := value(data[i][lane]), value(row.Result[i])
			if integer {
				got, want = float64(data[i][lane]), float64(row.Result[i])
			}
			if !(math.Abs(got-want) <= row.Tolerance[i]) {
				return fmt.Errorf("%+v\nlook-up %d %s at %v, lod %v, reference %v: component %d is %v, not %v (+-%v)",
					c.GoldenConfig, lane, row.Class,
					floats(row.Coord[:]), value(row.LOD), value(row.Reference), i, got, want, row.Tolerance[i])
			}
		}
	}
	return nil
}

func floats(v []uint32) (f []float64) {
	for _, x := range v {
		f = append(f, value(x))
	}
	return f
}
