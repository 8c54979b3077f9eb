package rect

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa/asm"
	"github.com/gcnsim/gcnsim/internal/isa/chip"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/state"
)

// corner is a vertex shader: the corners are (-1, -1), (-1, 1) and (1, -1), and parameter 0 is the position.
const corner = `
	v_mov_b32 v3, -1.0
	v_mov_b32 v4, 1.0
	v_mov_b32 v5, 0.5
	v_cmp_gt_u32 vcc, 2, v0
	v_cndmask_b32 v1, 1.0, v3, vcc
	v_cmp_eq_u32 vcc, 1, v0
	v_cndmask_b32 v2, -1.0, v4, vcc
	exp pos0 v1, v2, v5, v4 done
	exp param0 v1, v2, v5, v4
	s_endpgm`

// place is a pixel shader: green is the sum of the parameter's x and y, and red the x of the pixel's centre.
const place = `
	v_interp_p1_f32 v3, v0, attr0.x
	v_interp_p2_f32 v3, v1, attr0.x
	v_interp_p1_f32 v4, v0, attr0.y
	v_interp_p2_f32 v4, v1, attr0.y
	v_add_f32 v4, v3, v4
	exp mrt0 v2, v4, off, off done vm
	s_endpgm`

// bench is a draw to a linear image of 40 x 24 texels with two floats each, in a buffer of 64 KiB.
type bench struct {
	*Draw
	t     testing.TB
	image *sim.Buffer
}

const (
	width, height = 40, 24
	pitch         = 64
)

// memory lets a draw access the memory of a machine.
type memory struct{ *sim.Memory }

func (m memory) Read(b []byte, addr uint64) error  { return m.Memory.Read(addr, b) }
func (m memory) Write(b []byte, addr uint64) error { return m.Memory.Write(addr, b) }

func newBench(t testing.TB, c chip.Chip, vertex, pixel string) *bench {
	t.Helper()
	m := sim.New(c.Target)
	b := &bench{&Draw{Machine: m, Memory: memory{&m.Memory}, Registers: new(Registers), Vertices: 3, Instances: 1}, t,
		m.Alloc(64 << 10)}
	b.Registers.Clear()
	for at, text := range map[uint32]string{pgmLoVS: vertex, pgmLoPS: pixel} {
		p, err := asm.Assemble(c.Target, text, asm.LLVM)
		require.NoError(t, err)
		code := m.Alloc(4 * len(p.Words))
		for i, w := range p.Words {
			binary.LittleEndian.PutUint32(code.Bytes()[4*i:], w)
		}
		b.set(at, uint32(code.Addr>>8), uint32(code.Addr>>40), 3, 0)
	}
	half := func(x float32) uint32 { return math.Float32bits(x / 2) }
	b.set(viewportScale, half(width), half(width), half(height), half(height), math.Float32bits(1), 0)
	b.set(viewportControl, 0x43f)
	b.set(primitiveType, 0x11)
	b.set(inputEnable, 1<<linearCenter|1<<positionX, 1<<linearCenter|1<<positionX)
	b.set(colorFormat, export32GR)
	b.set(targetMask, 0xf, 0xf)
	b.set(colorControl, 0xcc0010)
	base, info := uint32(b.image.Addr>>8), uint32(gcn.Data32_32<<2|gcn.NumFLOAT<<8)
	if c.Target.Gen() == gcn.GCN14 {
		b.set(colorBase, base, uint32(b.image.Addr>>40), (width-1)<<14|height-1, 0, info, 1<<28)
		b.set(pitchVega, pitch-1)
	} else {
		const linearAligned = 8
		b.set(colorBase, base, pitch/8-1, pitch*height/64-1, 0, info, linearAligned)
	}
	return b
}

// set writes consecutive registers.
func (b *bench) set(addr uint32, values ...uint32) {
	for i, v := range values {
		*b.Registers.At(addr + 4*uint32(i)) = v
	}
}

// texel returns the red and green of a texel.
func (b *bench) texel(x, y int) [2]float32 {
	var v [2]float32
	for i := range v {
		v[i] = math.Float32frombits(binary.LittleEndian.Uint32(b.image.Bytes()[8*(y*pitch+x)+4*i:]))
	}
	return v
}

// chips has one chip of each generation.
var chips = []string{"tahiti", "hawaii", "fiji", "vega10"}

// TestRectangle: each pixel has the parameters of its centre; pixels outside of the scissors are unchanged.
func TestRectangle(t *testing.T) {
	for _, name := range chips {
		b := newBench(t, *chip.Lookup(name), corner, place)
		b.set(viewportScissor, 3|2<<16, 33|21<<16)
		require.NoError(t, b.Run(t.Context()), name)
		assert.Positive(t, b.Instructions)
		assert.Equal(t, [3]uint32{30, 19, 1}, [3]uint32{b.Width, b.Height, b.Rectangles})
		assert.Equal(t, "clear", b.Name())
		for y := range height {
			for x := range width {
				var want [2]float32
				if x >= 3 && x < 33 && y >= 2 && y < 21 {
					want = [2]float32{float32(x) + 0.5, 2*(float32(x)+0.5)/width - 1 + 2*(float32(y)+0.5)/height - 1}
				}
				got := b.texel(x, y)
				require.Equal(t, want[0], got[0], "%s %d,%d", name, x, y)
				require.InDelta(t, want[1], got[1], 1e-6, "%s %d,%d", name, x, y)
			}
		}
		b.set(targetMask, 1, 0xf) // only red is written
		b.set(viewportScissor, 0, whole)
		require.NoError(t, b.Run(t.Context()))
		assert.Equal(t, [2]float32{0.5, 0}, b.texel(0, 0))
		assert.NotZero(t, b.texel(10, 10)[1])
	}
}

// TestNames: the name of a draw follows from its pixel shader and its targets.
func TestNames(t *testing.T) {
	const loads = `
	s_load_dwordx4 s[0:3], s[4:5], 0x0
	image_load v0, v[0:1], s[8:15] dmask:0x1
	exp mrt0 v0, v0, off, off done vm
	s_endpgm`
	b := newBench(t, *chip.Lookup("fiji"), corner, loads)
	var err error
	b.pixel, err = b.load("pixel", pgmLoPS, userPS)
	require.NoError(t, err)
	assert.Equal(t, "copy", b.Name())
	b.targets = []store{&plane{}}
	assert.Equal(t, "copy of depth", b.Name())
	b.targets = []store{&plane{}, &color{}}
	assert.Equal(t, "copy", b.Name())
}

// TestRefusals: an unsupported draw is refused with the feature's name.
func TestRefusals(t *testing.T) {
	const info, attrib = colorBase + cbInfo, colorBase + cbAttrib
	writesDepth, writesStencil := []uint32{depthControl, 0x76}, []uint32{depthControl, 0x701}
	for what, change := range map[string][][]uint32{ // registers and their values
		"primitives of type 4 (triangles)": {{primitiveType, 4}},
		"a geometry shader":                {{shaderStages, 0x20}},
		"4 samples a pixel":                {{aaConfig, 2}},
		"blending":                         {{blendControl, 1 << 30}},
		"clip and cull distances":          {{vsOutControl, 1}},
		"a viewport transform":             {{viewportControl, 0x300}},
		"clip rectangles":                  {{clipRectRule, 0xff}},
		"a window offset":                  {{windowOffset, 1}},
		"a logical one":                    {{colorControl, 0x660010}},
		"a compressed colour":              {{info, 1<<14 | 11<<2}},
		"with samples":                     {{attrib, 1 << 12}},
		"a pixel shader with scratch":      {{pgmLoPS + rsrc2, 1}},
		"a colour buffer of format":        {{info, 13 << 2}},
		"that takes 16":                    {{colorFormat, exportHalf}},
		"tests of depth":                   {{depthControl, 0x16}, {dbZInfo, 3}},
		"operation 5 on stencils":          {writesStencil, {dbStencilInfo, 1}, {stencilControl, 0x50}},
		"a depth buffer of 24":             {writesDepth, {dbZInfo, 2}},
		"a fast clear":                     {writesDepth, {dbZInfo, 3}, {dbRenderControl, 1}},
		"of a tiling mode that no":         {writesDepth, {dbZInfo, 3}, {dbDepthInfo, 0xf0}},
	} {
		b := newBench(t, *chip.Lookup("fiji"), corner, place)
		for _, register := range change {
			b.set(register[0], register[1])
		}
		err := b.Run(t.Context())
		require.ErrorContains(t, err, what)
		require.ErrorAs(t, err, new(*Error), what)
	}
	for what, text := range map[string]string{
		"exports no position": "s_endpgm",
		"perspective":         "v_mov_b32 v1, 2.0\n exp pos0 v1, v1, v1, v1 done\n s_endpgm",
		"a parallelogram": "v_mov_b32 v1, 1.0\n v_cvt_f32_u32 v0, v0\n v_mul_f32 v2, v0, v0\n" +
			"exp pos0 v0, v2, v1, v1 done\n s_endpgm",
	} {
		require.ErrorContains(t, newBench(t, *chip.Lookup("fiji"), text, place).Run(t.Context()), what)
	}
}

// TestShaderFaults: an error in a shader is a fault with the instruction.
func TestShaderFaults(t *testing.T) {
	b := newBench(t, *chip.Lookup("fiji"), corner, "s_load_dword s0, s[8:9], 0x0\n s_endpgm")
	f := &state.Fault{}
	require.ErrorAs(t, b.Run(t.Context()), &f)
	assert.Equal(t, state.FaultMemory, f.Kind)
	b = newBench(t, *chip.Lookup("fiji"), "loop: s_branch loop", place)
	require.ErrorAs(t, b.Run(t.Context()), &f)
	assert.Equal(t, state.FaultLimit, f.Kind)
	*b.Registers.At(pgmLoVS) = 0x123456
	require.Error(t, b.Run(t.Context()))
}
