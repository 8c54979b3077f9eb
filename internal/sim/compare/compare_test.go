package compare_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/internal/isa/asm"
	"github.com/gcnsim/gcnsim/internal/sim/codeobj"
	"github.com/gcnsim/gcnsim/internal/sim/compare"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/state"
)

// kernel is a compiled kernel with a one-dimensional grid, and its launch.
type kernel struct {
	file, name  string
	grid, group uint32
	buffers     []int // sizes in bytes; all buffers but the first are filled with a pattern
	more        []sim.Arg
	plants      [][2]string // texts of instructions, and the instructions that replace them
}

var (
	vadd   = kernel{name: "vadd", grid: 256, group: 64, buffers: []int{1024, 1024, 1024}, more: []sim.Arg{sim.U32(200)}}
	reduce = kernel{name: "reduce", grid: 512, group: 128, buffers: []int{16, 16, 2048}}
)

// on returns k from an object for another processor.
func (k kernel) on(file string) kernel {
	k.file = file
	return k
}

// with returns k with one more replaced instruction.
func (k kernel) with(right, wrong string) kernel {
	k.plants = append(slices.Clone(k.plants), [2]string{right, wrong})
	return k
}

// setup returns a setup that loads and launches k.
func (k kernel) setup(t *testing.T) compare.Setup {
	t.Helper()
	data, err := os.ReadFile("../../../testdata/kernels/" + k.file)
	require.NoError(t, err)
	o, err := codeobj.Parse(data)
	require.NoError(t, err)
	for _, plant := range k.plants {
		var words [2][]byte
		for i, text := range plant {
			p, err := asm.Assemble(o.Target, text, asm.LLVM)
			require.NoError(t, err)
			for _, w := range p.Words {
				words[i] = binary.LittleEndian.AppendUint32(words[i], w)
			}
		}
		require.Len(t, words[1], len(words[0]))
		at := bytes.Index(data, words[0])
		require.Positive(t, at, plant[0])
		copy(data[at:], words[1])
	}
	return func() (*compare.Session, error) {
		m := sim.New(o.Target)
		m.Placement = 1
		mod, err := m.LoadObject(data)
		if err != nil {
			return nil, err
		}
		s := &compare.Session{Machine: m, Launch: sim.Launch{Module: mod, Kernel: k.name, Grid: [3]uint32{k.grid},
			Group: [3]uint32{k.group}}}
		for i, size := range k.buffers {
			b := m.Alloc(size)
			for j := range b.Bytes() {
				if i > 0 {
					b.Bytes()[j] = byte(j*j>>3 + i)
				}
			}
			s.Buffers = append(s.Buffers, b)
			s.Launch.Args = append(s.Launch.Args, sim.BufferArg(b))
		}
		for _, a := range k.more {
			s.Buffers, s.Launch.Args = append(s.Buffers, nil), append(s.Launch.Args, a)
		}
		return s, nil
	}
}

func programs(t *testing.T, a, b kernel) *compare.Difference {
	t.Helper()
	res, err := compare.Programs(t.Context(), a.setup(t), b.setup(t))
	require.NoError(t, err)
	return res.Difference
}

func TestSamePrograms(t *testing.T) {
	for _, file := range []string{"vadd.fiji.co", "vadd.gfx900.co", "vadd.O0.tahiti.co", "vadd.v2.fiji.co"} {
		assert.Nil(t, programs(t, vadd.on("vadd.tahiti.co"), vadd.on(file)), file)
	}
}

// TestMistake checks that the difference has the wrong instruction, and the store of the element.
func TestMistake(t *testing.T) {
	d := programs(t, vadd.on("vadd.fiji.co"), vadd.on("vadd.fiji.co").with("v_add_u32_e32 v2, vcc, v2, v4",
		"v_sub_u32_e32 v2, vcc, v2, v4"))
	require.NotNil(t, d)
	assert.False(t, d.Faulted)
	assert.Zero(t, d.Arg)
	require.NotNil(t, d.Culprit[1])
	assert.Equal(t, "v_add_u32_e32 v2, vcc, v2, v4", d.Culprit[0].Text)
	assert.Equal(t, "v_sub_u32_e32 v2, vcc, v2, v4", d.Culprit[1].Text)
	require.NotNil(t, d.A.Store)
	assert.EqualValues(t, d.Offset/4, d.A.Store.Item[0])
	assert.Equal(t, d.A.Store.Item, d.B.Store.Item)
	assert.True(t, strings.HasPrefix(d.A.Store.Text, "flat_store_dword"))
	var b strings.Builder
	require.NoError(t, d.Write(&b))
	assert.Contains(t, b.String(), "v_sub_u32_e32 v2, vcc, v2, v4")
	parts := 0
	for _, s := range d.B.Slice {
		if s.Parts {
			parts++
			assert.Equal(t, "v_sub_u32_e32 v2, vcc, v2, v4", s.Text)
		}
	}
	assert.Equal(t, 1, parts)
}

// TestRenamed checks that written values are compared without their registers: the first difference is the first
// other value. A value that no instruction reads counts, too.
func TestRenamed(t *testing.T) {
	right := vadd.on("vadd.fiji.co")
	renamed := right.with("flat_load_dword v4, v[4:5]", "flat_load_dword v6, v[4:5]")
	assert.Nil(t, programs(t, right, renamed.with("v_add_u32_e32 v2, vcc, v2, v4", "v_add_u32_e32 v2, vcc, v2, v6")))
	for name, c := range map[string]struct {
		wrong kernel
		want  string
	}{
		"another value": {renamed.with("v_add_u32_e32 v2, vcc, v2, v4", "v_sub_u32_e32 v2, vcc, v2, v6"), "v_sub_u32_e32 v2, vcc, v2, v6"},
		"lost":          {renamed, "flat_load_dword v6, v[4:5]"},
	} {
		d := programs(t, right, c.wrong)
		require.NotNil(t, d, name)
		require.NotNil(t, d.Culprit[1], name)
		assert.Equal(t, c.want, d.Culprit[1].Text, name)
		for _, s := range append(d.A.Slice, d.B.Slice...) {
			assert.Equal(t, d.A.Store.Lane, s.Lane, "%s: %s", name, s.Text)
		}
	}
}

// TestAcrossCompilers checks that the wrong instruction is marked if the two programs have different
// instructions.
func TestAcrossCompilers(t *testing.T) {
	for _, wrong := range []string{"ds_read2_b32 v[3:4], v1 offset1:17", "ds_read2_b32 v[3:4], v1 offset0:1 offset1:16"} {
		d := programs(t, reduce.on("reduce.gfx900.co"),
			reduce.on("reduce.fiji.co").with("ds_read2_b32 v[3:4], v1 offset1:16", wrong))
		require.NotNil(t, d)
		assert.NotEmpty(t, d.Notes)
		assert.Equal(t, [2]*compare.Step{}, d.Culprit)
		var parts []string
		for _, s := range d.B.Slice {
			if s.Parts {
				parts = append(parts, s.Text)
			}
		}
		assert.Equal(t, []string{wrong}, parts)
		assert.NotEmpty(t, d.A.Slice)
	}
}

// TestLastStores checks the work-item and the instruction that stored each element.
func TestLastStores(t *testing.T) {
	s, err := compare.LastStores(t.Context(), vadd.on("vadd.fiji.co").setup(t))
	require.NoError(t, err)
	for _, n := range []uint64{0, 63, 64, 199} {
		step, err := s.Of(t.Context(), 0, 4*n+3)
		require.NoError(t, err)
		require.NotNil(t, step)
		assert.Equal(t, [3]uint64{n}, step.Item)
		assert.Equal(t, int(n%64), step.Lane)
		assert.Equal(t, "flat_store_dword v[0:1], v2", step.Text)
	}
	step, err := s.Of(t.Context(), 0, 800) // the kernel stores 200 elements, up to byte 799
	require.NoError(t, err)
	assert.Nil(t, step)
}

// TestElsewhere checks that a misplaced store of a work-item is found, also with its lane off, in programs with
// different instructions.
func TestElsewhere(t *testing.T) {
	right, wrong := vadd.on("vadd.fiji.co"), vadd.on("vadd.gfx900.co")
	for plant, text := range map[[2]string]string{
		{"global_store_dword v[0:1], v2, off", "global_store_dword v[0:1], v2, off offset:64"}: "global_store_dword " +
			"v[0:1], v2, off offset:64",
		{"s_and_saveexec_b64 s[0:1], vcc", "s_mov_b64 exec, 12"}: "s_mov_b64 exec, 12",
	} {
		d := programs(t, right, wrong.with(plant[0], plant[1]))
		require.NotNil(t, d)
		assert.Equal(t, []string{text}, marked(d.B.Slice))
		assert.Contains(t, strings.Join(d.Notes, " "), "stores this value, or would if its lane were on")
	}
}

// marked returns the instructions of a slice where the difference begins.
func marked(slice []compare.Step) (all []string) {
	for _, s := range slice {
		if s.Parts {
			all = append(all, s.Text)
		}
	}
	return all
}

// TestLimit checks that the write of M0 is marked if it puts LDS out of reach. The other program is for a processor
// that does not need M0.
func TestLimit(t *testing.T) {
	d := programs(t, reduce.on("reduce.gfx900.co"),
		reduce.on("reduce.fiji.co").with("s_mov_b32 m0, -1", "s_mov_b32 m0, 0"))
	require.NotNil(t, d)
	assert.Contains(t, marked(d.B.Slice), "s_mov_b32 m0, 0")
}

// TestNotStored checks an element that only one program stores.
func TestNotStored(t *testing.T) {
	d := programs(t, vadd.on("vadd.fiji.co"), vadd.on("vadd.fiji.co").with("flat_store_dword v[0:1], v2",
		"flat_load_dword v2, v[0:1]"))
	require.NotNil(t, d)
	assert.NotNil(t, d.A.Store)
	assert.Nil(t, d.B.Store)
	assert.Contains(t, d.Culprit[1].Text, "flat_load_dword")
}

// TestFault checks a program that faults, or never ends, where the other program ends normally.
func TestFault(t *testing.T) {
	right := vadd.on("vadd.fiji.co")
	wild := [2]string{"v_addc_u32_e32 v1, vcc, v3, v1, vcc", "v_addc_u32_e32 v1, vcc, v0, v1, vcc"}
	endless := [2]string{"s_endpgm", "s_branch 65535"}
	for kind, plant := range map[state.FaultKind][2]string{state.FaultMemory: wild, state.FaultLimit: endless} {
		d := programs(t, right, right.with(plant[0], plant[1]))
		require.NotNil(t, d)
		assert.True(t, d.Faulted)
		assert.Nil(t, d.A.Fault)
		require.NotNil(t, d.B.Fault)
		assert.Equal(t, kind, d.B.Fault.Kind)
		require.NotNil(t, d.Culprit[1])
		assert.Equal(t, plant[1], d.Culprit[1].Text)
		var b strings.Builder
		require.NoError(t, d.Write(&b))
		assert.Contains(t, b.String(), "a: runs to its end")
	}
	both := right.with(wild[0], wild[1])
	d := programs(t, both, both)
	require.NotNil(t, d)
	assert.NotNil(t, d.A.Fault)
	assert.NotNil(t, d.B.Fault)
}

func TestProgramsRefuses(t *testing.T) {
	var setup *compare.SetupError
	few, other, none := vadd.on("vadd.fiji.co"), vadd.on("vadd.fiji.co"),
		kernel{file: "vadd.fiji.co", name: "vadd", grid: 1, group: 1}
	few.buffers = few.buffers[:2]
	other.buffers = []int{1024, 1024, 512}
	missing := vadd.on("vadd.fiji.co")
	missing.name = "nothing"
	for name, c := range map[string]struct {
		b    kernel
		text string
	}{
		"arguments": {few, "b: kernel vadd: it takes 4 arguments, 3 given"},
		"size":      {other, "argument 2 is a buffer of 1024 bytes in a and of 512 in b"},
		"kernel":    {missing, "b: "},
		"none":      {none, "b: kernel vadd: it takes 4 arguments, 0 given"},
	} {
		_, err := compare.Programs(t.Context(), vadd.on("vadd.fiji.co").setup(t), c.b.setup(t))
		require.ErrorAs(t, err, &setup, name)
		assert.ErrorContains(t, err, c.text, name)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := compare.Programs(ctx, vadd.on("vadd.fiji.co").setup(t), vadd.on("vadd.fiji.co").setup(t))
	assert.ErrorIs(t, err, context.Canceled)
}

// TestOrder checks that a dependence on the order of work-groups is detected.
func TestOrder(t *testing.T) {
	e, err := compare.Order(t.Context(), vadd.on("vadd.fiji.co").setup(t))
	require.NoError(t, err)
	assert.Nil(t, e)
	ticket := kernel{file: "ticket.fiji.co", name: "ticket", grid: 256, group: 64, buffers: []int{2048, 64}}
	zeroed := ticket.setup(t)
	e, err = compare.Order(t.Context(), func() (*compare.Session, error) {
		s, err := zeroed()
		if err == nil {
			for _, b := range s.Buffers {
				for i := range b.Bytes() {
					b.Bytes()[i] = 0
				}
			}
		}
		return s, err
	})
	require.NoError(t, err)
	assert.NotNil(t, e)
}
