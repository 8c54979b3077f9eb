package r600

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa/format"
)

// records returns the vertex buffer of a copy: x, y, u and v of each vertex.
func records(vertices ...[4]float32) Buffer {
	var b []byte
	for _, v := range vertices {
		for _, c := range v {
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(c))
		}
	}
	return Buffer{Data: b, Stride: 16}
}

// load returns a copy shader of a family.
func load(t testing.TB, f Family, name string) *Program {
	t.Helper()
	_, words := read(t, f, name)
	p, err := Load(f, words)
	require.NoError(t, err)
	return p
}

// looked returns an existing format.
func looked(data, num uint8) *format.Format {
	f, err := format.Lookup(data, num)
	if err != nil {
		panic(err)
	}
	return f
}

var rgba8 = looked(gcn.Data8_8_8_8, gcn.NumUNORM)

// picture returns an image of random texels.
func picture(t testing.TB, f *format.Format, w, h, pitch int) *Image {
	t.Helper()
	img, err := NewImage(f, w, h, pitch)
	require.NoError(t, err)
	r := rand.New(rand.NewPCG(uint64(w), uint64(h)))
	for i := range img.Data {
		img.Data[i] = byte(r.Uint32())
	}
	return img
}

// copyRect executes both shaders: it copies the texels at from in src to the pixels at to in dst.
func copyRect(t testing.TB, m *Machine, from, to, size [2]int) {
	t.Helper()
	corner := func(x, y int) [4]float32 {
		return [4]float32{float32(to[0] + x), float32(to[1] + y), float32(from[0] + x), float32(from[1] + y)}
	}
	m.Buffers = []Buffer{records(corner(0, 0), corner(0, size[1]), corner(size[0], size[1]))}
	m.Samplers = []Sampler{{}}
	out, err := m.Vertices(load(t, R600, "vs"), []uint32{0, 1, 2})
	require.NoError(t, err)
	require.NoError(t, m.Rect(load(t, R600, "ps"), [3]Output(out)))
}

// Copies equal those of a simple loop, byte for byte. Sizes are no multiples of a wave, and rectangles extend outside
// of source and target.
func TestCopy(t *testing.T) {
	for _, c := range []struct{ from, to, size, src, dst [2]int }{
		{[2]int{0, 0}, [2]int{0, 0}, [2]int{37, 23}, [2]int{37, 23}, [2]int{37, 23}},
		{[2]int{0, 0}, [2]int{0, 0}, [2]int{1, 1}, [2]int{1, 1}, [2]int{1, 1}},
		{[2]int{0, 0}, [2]int{0, 0}, [2]int{64, 2}, [2]int{64, 2}, [2]int{64, 2}},
		{[2]int{3, 5}, [2]int{7, 2}, [2]int{13, 11}, [2]int{37, 23}, [2]int{29, 31}},
		{[2]int{30, 20}, [2]int{0, 0}, [2]int{20, 20}, [2]int{37, 23}, [2]int{29, 31}}, // behind the last texels
		{[2]int{-4, -3}, [2]int{2, 2}, [2]int{20, 20}, [2]int{37, 23}, [2]int{29, 31}}, // before the first texels
		// behind the edge of the target
		{[2]int{0, 0}, [2]int{-3, 25}, [2]int{40, 40}, [2]int{37, 23}, [2]int{29, 31}},
		{[2]int{0, 0}, [2]int{4, 4}, [2]int{0, 5}, [2]int{37, 23}, [2]int{29, 31}}, // an empty rectangle
	} {
		// Float and normalised formats preserve the texels.
		for _, f := range []*format.Format{rgba8, looked(gcn.Data8, gcn.NumUNORM), looked(gcn.Data16, gcn.NumUNORM),
			looked(gcn.Data32_32, gcn.NumFLOAT), looked(gcn.Data32_32_32_32, gcn.NumFLOAT)} {
			t.Run(fmt.Sprint(c, f), func(t *testing.T) {
				m := &Machine{Textures: []*Image{picture(t, f, c.src[0], c.src[1], c.src[0]+3)},
					Targets: []*Image{picture(t, f, c.dst[0], c.dst[1], c.dst[0]+6)}}
				src, dst := m.Textures[0], m.Targets[0]
				bytes := src.format.Size
				want := append([]byte(nil), dst.Data...)
				for y := range c.size[1] {
					for x := range c.size[0] {
						to := [2]int{c.to[0] + x, c.to[1] + y}
						if min(to[0], to[1]) < 0 || to[0] >= c.dst[0] || to[1] >= c.dst[1] {
							continue
						}
						u, v := min(max(0, c.from[0]+x), c.src[0]-1), min(max(0, c.from[1]+y), c.src[1]-1)
						at := bytes * (v*(c.src[0]+3) + u)
						copy(want[bytes*(to[1]*(c.dst[0]+6)+to[0]):], src.Data[at:at+bytes])
					}
				}
				copyRect(t, m, c.from, c.to, c.size)
				assert.Equal(t, want, dst.Data)
			})
		}
	}
}

// The vertex shader works for any number of vertices. Records behind the buffer's end are zeros.
func TestVertices(t *testing.T) {
	const n = 3*Threads + 7
	var all [][4]float32
	var indices []uint32
	for i := range n {
		all = append(all, [4]float32{float32(i), -float32(i), float32(i) / 2, 1000 + float32(i)})
		indices = append(indices, uint32(n-1-i))
	}
	var waves []string
	m := &Machine{Buffers: []Buffer{records(all...)}, Trace: func(e Event) {
		if e.Wave == 3 && (e.Clause || e.Slot > 0) {
			waves = append(waves, fmt.Sprint(e.Slot, " ", e.Clause, " ", e.Inst.Name, " ", e.Threads))
		}
	}}
	for f := range Family(families) {
		waves = nil
		out, err := m.Vertices(load(t, f, "vs"), append(indices, n, math.MaxUint32))
		require.NoError(t, err)
		for i, index := range indices {
			v := all[index]
			assert.Equal(t, [4]float32{v[0], v[1], 0, 1}, floats(out[i].Position))
			assert.Equal(t, [4]float32{v[2], v[3], 0, 1}, floats(out[i].Params[0]))
		}
		for _, o := range out[n:] {
			assert.Equal(t, [4]float32{0, 0, 0, 1}, floats(o.Position))
		}
		assert.Equal(t, []string{"4 true FETCH 9", "6 true FETCH 9", "1 false EXPORT_DONE 9", "2 false EXPORT_DONE 9"}, waves)
	}
}

// A feature that is not modelled is a fault that names it.
func TestFaults(t *testing.T) {
	for _, c := range []struct {
		name, old, new string // a replacement in the program's text
		want           string
	}{
		{"vs", "FETCH_TYPE(SQ_VTX_FETCH_VERTEX_DATA)", "FETCH_TYPE(SQ_VTX_FETCH_INSTANCE_DATA)", "instruction 4 (FETCH): SQ_VTX_FETCH_INSTANCE_DATA is not modelled"},
		{"vs", "ADDR(4)", "ADDR(5)", "instruction 0 (VTX): ADDR(5) is no multiple of 2"},
		{"vs", "ADDR(4)", "ADDR(6)", "instruction 0 (VTX): the clause ends at word 20 of a program of 16"},
		{"vs", "FMT_32_32_FLOAT", "FMT_2_10_10_10", "instruction 4 (FETCH): elements of FMT_2_10_10_10 are not modelled"},
		{"vs", "SQ_VTX_INST_FETCH", "SQ_VTX_INST_SEMANTIC", "instruction 4 (SEMANTIC): the instruction is not modelled"},
		{"vs", "ENDIAN_SWAP(SQ_ENDIAN_NONE)", "ENDIAN_SWAP(SQ_ENDIAN_8IN32)", "instruction 4 (FETCH): SQ_ENDIAN_8IN32 is not modelled; only SQ_ENDIAN_NONE is"},
		{"vs", "END_OF_PROGRAM(1)", "END_OF_PROGRAM(0)", "instruction 4 (ALU_PUSH_BEFORE): USES_WATERFALL 1 is not modelled; only USES_WATERFALL 0 is"},
		{"vs", "COND(SQ_CF_COND_ACTIVE)", "COND(SQ_CF_COND_BOOL)", "SQ_CF_COND_BOOL is not modelled"},
		{"vs", "ARRAY_BASE(CF_POS0)", "ARRAY_BASE(CF_POS1)", "SQ_EXPORT_POS from ARRAY_BASE 61 to 61 is not modelled"},
		{"vs", "SRC_SEL_W(SQ_SEL_W)", "SRC_SEL_W(SQ_SEL_MASK)", "instruction 1 (EXPORT_DONE): SRC_SEL_W 7 selects nothing"},
		{"ps", "SQ_TEX_INST_SAMPLE", "SQ_TEX_INST_GET_LOD", "instruction 2 (GET_LOD): the instruction is not modelled"},
		{"ps", "COORD_TYPE_Y(TEX_UNNORMALIZED)", "COORD_TYPE_Y(TEX_NORMALIZED)", "TEX_NORMALIZED is not modelled"},
		{"ps", "LOD_BIAS(0)", "LOD_BIAS(3)", "LOD_BIAS 3 is not modelled"},
		{"ps", "CF_INST(SQ_CF_INST_TEX)", "CF_INST(SQ_CF_INST_CUT_VERTEX)", "instruction 0 (CUT_VERTEX): the instruction is not modelled"},
		{"ps", "CF_INST(SQ_CF_INST_TEX)", "CF_INST(SQ_CF_INST_VTX)", "instruction 2 (SAMPLE): a texture fetch in a clause of vertex fetches"},
	} {
		text, _ := read(t, R600, c.name)
		words, _, err := Assemble(R600, strings.Replace(text, c.old, c.new, 1))
		require.NoError(t, err, c.new)
		_, err = Load(R600, words)
		var fault *Error
		require.ErrorAs(t, err, &fault, c.new)
		assert.ErrorContains(t, err, c.want, c.new)
	}
	_, err := Load(R600, nil)
	assert.ErrorContains(t, err, "the program does not end")
	_, err = Load(R600, []uint32{0, 1 << 29})
	assert.ErrorContains(t, err, "instruction 0: the clause ends in a group; set LAST in its last instruction")
	_, err = Load(R700, []uint32{0, 0x3a << 23})
	assert.ErrorContains(t, err, "instruction 0 (MEM_EXPORT): the instruction is not modelled")
}

// The fault names a missing resource.
func TestResources(t *testing.T) {
	img := picture(t, rgba8, 8, 8, 8)
	_, err := (&Machine{}).Vertices(load(t, R600, "vs"), []uint32{0})
	assert.EqualError(t, err, "instruction 4 (FETCH): there is no buffer 0")
	_, err = (&Machine{Buffers: make([]Buffer, 2)}).Vertices(load(t, R600, "vs"), []uint32{0})
	assert.EqualError(t, err, "instruction 4 (FETCH): there is no buffer 0")
	_, err = (&Machine{}).Vertices(load(t, R600, "ps"), []uint32{0})
	assert.EqualError(t, err, "instruction 2 (SAMPLE): there is no texture 0")
	m := &Machine{Buffers: []Buffer{records([4]float32{0, 0, 0, 0}, [4]float32{0, 8, 0, 8}, [4]float32{8, 8, 8, 8})}}
	v, err := m.Vertices(load(t, R600, "vs"), []uint32{0, 1, 2})
	require.NoError(t, err)
	m.Textures, m.Targets = []*Image{img}, []*Image{img}
	assert.EqualError(t, m.Rect(load(t, R600, "ps"), [3]Output(v)), "instruction 2 (SAMPLE): there is no sampler 0")
	m.Samplers = []Sampler{{Bilinear: true}}
	assert.ErrorContains(t, m.Rect(load(t, R600, "ps"), [3]Output(v)), "sampler 0 is not modelled")
	assert.ErrorContains(t, m.Rect(load(t, R600, "vs"), [3]Output(v)), "SQ_EXPORT_POS is for the other kind of shader")
	v[1].Position[0] = math.Float32bits(1)
	var rect *Error
	require.ErrorAs(t, m.Rect(load(t, R600, "ps"), [3]Output(v)), &rect)
	assert.ErrorContains(t, rect, "do not lie along the axes")
	v[1].Position[0] = math.Float32bits(float32(math.NaN()))
	assert.ErrorContains(t, m.Rect(load(t, R600, "ps"), [3]Output(v)), "vertex 1 lies at")
	_, err = NewImage(looked(gcn.Data2_10_10_10, gcn.NumUNORM), 4, 4, 0)
	assert.ErrorContains(t, err, "2_10_10_10")
	_, _, err = element{data: 25}.lookup()
	assert.ErrorContains(t, err, "FMT_2_10_10_10")
	_, err = NewImage(rgba8, 0, 4, 0)
	assert.Error(t, err)
}

// FuzzRun: random words survive decoding, and conversion to text and back. A program of random words loads and
// executes, or faults.
func FuzzRun(f *testing.F) {
	add := func(family Family, words []uint32) {
		b, err := binary.Append(nil, binary.LittleEndian, words)
		require.NoError(f, err)
		f.Add(uint8(family), b)
	}
	for _, name := range []string{"vs", "ps"} {
		_, words := read(f, R600, name)
		add(R600, words)
	}
	file, err := os.ReadFile("testdata/rv770.hex")
	require.NoError(f, err)
	for _, words := range unlist(f, file) {
		add(R700, words)
	}
	f.Fuzz(func(t *testing.T, family uint8, b []byte) {
		var words []uint32
		for ; len(b) >= 4; b = b[4:] {
			words = append(words, binary.LittleEndian.Uint32(b))
		}
		comeBack(t, Family(family%families), words)
		p, err := Load(Family(family%families), words)
		var fault *Error
		if err != nil {
			assert.ErrorAs(t, err, &fault)
			return
		}
		img := picture(t, rgba8, 5, 5, 0)
		m := &Machine{Buffers: []Buffer{records([4]float32{1, 2, 3, 4}), {Data: make([]byte, 4096), Stride: 1}},
			Textures: []*Image{img}, Samplers: []Sampler{{}}, Targets: []*Image{img}, Loops: []Loop{{Count: 3, Step: 1}},
			limit: 1 << 16}
		if err := m.Group(p, make([]Thread, Threads+3)); err != nil {
			assert.ErrorAs(t, err, &fault)
		}
		if _, err := m.Vertices(p, []uint32{0, 1}); err != nil {
			assert.ErrorAs(t, err, &fault)
		}
		var v [3]Output
		for i, at := range [3][2]float32{{0, 0}, {0, 5}, {5, 5}} {
			v[i].Position = vec{math.Float32bits(at[0]), math.Float32bits(at[1]), 0, math.Float32bits(1)}
		}
		if err := m.Rect(p, v); err != nil {
			assert.ErrorAs(t, err, &fault)
		}
	})
}
