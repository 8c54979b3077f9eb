package sim_test

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/sim/check"
	"github.com/gcnsim/gcnsim/state"
	"github.com/gcnsim/gcnsim/state/lane"
)

const shaderDir = "../testdata/shaders"

// chip is a GPU that the shaders of testdata/shaders are compiled for. The driver keeps descriptors and scratch
// memory in a 4 GiB window. The high dword of its addresses is a constant in compiled code.
type chip struct {
	name   string
	target gcn.Target
	window uint64
	// bytes is set if NUM_RECORDS is in bytes even with a stride (rule K4).
	bytes bool
}

var chips = []chip{
	{"tahiti", gcn.GFX600, 0, false}, {"hawaii", gcn.GFX701, 0, false}, {"polaris10", gcn.GFX803, 0, true},
	{"vega10", gcn.GFX900, 0xffff8000_00000000, false}, {"vega20", gcn.GFX906, 0xffff8000_00000000, false},
}

// Addresses of the driver's data within the windows, and the bytes of scratch per wave.
const (
	setOffset, scratchOffset = 0x10000000, 0x20000000
	scratchBytes             = 64 << 10
)

// binding is a buffer that a shader accesses.
type binding struct {
	offset   uint32 // offset of its descriptor in the set
	in, want []byte
	format   texelFormat
}

// texelFormat describes the elements of a texel buffer: dword 3 of the V#, and its stride.
type texelFormat struct{ word3, stride uint32 }

// V# dwords as the driver packs them: destination selects, number and data format (rules DP12 and DP13; values from
// RADV, radv_make_texel_buffer_descriptor).
const (
	selXYZW, selXY01            = 4 | 5<<3 | 6<<6 | 7<<9, 4 | 5<<3 | 0<<6 | 1<<9
	numUnorm, numUint, numFloat = 0 << 12, 4 << 12, 7 << 12
	data32, data16x2, data8x4   = 4 << 15, 5 << 15, 10 << 15
)

var (
	dwords     = texelFormat{selXYZW | numFloat | data32, 0}
	unorm8     = texelFormat{selXYZW | numUnorm | data8x4, 4}
	uint16Pair = texelFormat{selXY01 | numUint | data16x2, 4}
)

// descriptor returns the V# of a buffer of size bytes at addr.
func (f texelFormat) descriptor(c chip, addr uint64, size uint32) []uint32 {
	records := size
	if f.stride > 0 && !c.bytes {
		records /= f.stride
	}
	return []uint32{uint32(addr), uint32(addr>>32)&0xffff | f.stride<<16, records, f.word3}
}

// shaderTest is a shader with its inputs and expected outputs.
type shaderTest struct {
	name     string
	groups   uint32
	push     []uint32 // its push constants, in order
	bindings []binding
	pictures func(t *testing.T, m *sim.Machine) []picture // nil if it uses no images
}

// TestShaders executes compute shaders as a graphics driver compiles and starts them.
func TestShaders(t *testing.T) {
	for _, s := range shaderTests() {
		for _, c := range chips {
			t.Run(s.name+"."+c.name, func(t *testing.T) {
				s.run(t, c, shaderWords(t, filepath.Join(shaderDir, s.name+"."+c.name+".hex")))
			})
		}
	}
}

func shaderWords(t *testing.T, file string) (words []uint32) {
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "#") {
			continue
		}
		for word := range strings.FieldsSeq(line) {
			w, err := strconv.ParseUint(word, 16, 32)
			require.NoError(t, err)
			words = append(words, uint32(w))
		}
	}
	require.NotEmpty(t, words)
	return words
}

// run executes one wave for each work-group. User SGPRs: the scratch address in s[0:1], the low half of the
// descriptor set's address in s2, push constants from s3 on; then the work-group id and the scratch offset of the
// wave. It returns the buffers of s.bindings.
func (s *shaderTest) run(t *testing.T, c chip, words []uint32) []*sim.Buffer {
	m := sim.New(c.target)
	m.Rules = state.DriverRules
	checks, err := check.New("wait", "wait-state")
	require.NoError(t, err)
	require.NoError(t, m.Watch(checks))
	set, err := m.Map(c.window+setOffset, 0x1000)
	require.NoError(t, err)
	scratch, err := m.Map(c.window+scratchOffset, scratchBytes)
	require.NoError(t, err)
	buffers := make([]*sim.Buffer, len(s.bindings))
	for i, b := range s.bindings {
		buffers[i] = m.Alloc(len(b.in))
		copy(buffers[i].Bytes(), b.in)
		for k, w := range b.format.descriptor(c, buffers[i].Addr, uint32(len(b.in))) {
			binary.LittleEndian.PutUint32(set.Bytes()[int(b.offset)+4*k:], w)
		}
	}
	var pictures []picture
	if s.pictures != nil {
		pictures = s.pictures(t, m)
	}
	for _, pic := range pictures {
		for k, w := range pic.words {
			binary.LittleEndian.PutUint32(set.Bytes()[int(pic.offset)+4*k:], w)
		}
	}
	p := sim.NewProgram(c.target, 0x1000, words, state.MaxVGPRs)
	const swizzleEnable = 1 << 31 // a bit of V# dword 1
	for g := range s.groups {
		w := m.NewWave()
		w.PC = p.Base
		w.SetSGPRs(0, uint32(scratch.Addr), uint32(scratch.Addr>>32)&0xffff|swizzleEnable, uint32(set.Addr))
		w.SetSGPRs(3, s.push...)
		w.SetSGPRs(3+len(s.push), g, 0)
		w.SetVGPR(0, lane.Times(1))
		_, err := m.RunProgram(ctx, p, w)
		require.NoError(t, err)
	}
	for _, f := range checks.Findings() {
		assert.Equal(t, check.Note, f.Severity, "%v", f) // compilers insert the instructions that hardware requires
	}
	for _, pic := range pictures {
		if pic.want != nil {
			pic.want(t)
		}
	}
	for i, b := range s.bindings {
		if b.want != nil {
			if msg := firstDifference(b.want, buffers[i].Bytes()); msg != "" {
				t.Errorf("descriptor 0x%x: %s", b.offset, msg)
			}
		}
	}
	return buffers
}
