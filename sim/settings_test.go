package sim_test

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/gcn/tile"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/sim/texture"
	"github.com/gcnsim/gcnsim/state"
	"github.com/gcnsim/gcnsim/state/lane"
)

// The tests below change each setting of a machine and of a launch, one at a time, and require a difference in the
// results of a run: registers, memory, the error or the events that an observer sees. A new setting must be added
// here.

// settingsOf returns the names of the exported fields of a struct, including those of embedded structs.
func settingsOf(typ reflect.Type) (names []string) {
	for f := range typ.Fields() {
		switch {
		case f.Anonymous:
			names = append(names, settingsOf(f.Type)...)
		case f.IsExported():
			names = append(names, f.Name)
		}
	}
	return names
}

// listsAll requires that a table has each of the settings of T.
func listsAll[T, V any](t *testing.T, table map[string]V) {
	t.Helper()
	names := settingsOf(reflect.TypeFor[T]())
	slices.Sort(names)
	var listed []string
	for name := range table {
		listed = append(listed, name)
	}
	slices.Sort(listed)
	require.Equal(t, names, listed)
}

// machineScene depends on each setting of a machine at least once.
const machineScene = `
	s_getreg_b32 s80, hwreg(HW_REG_LDS_ALLOC)
	buffer_load_dword v1, v0, s[0:3], 0 idxen
	buffer_load_dword v2, v0, s[4:7], 0 offen offset:2
	ds_write_b32 v0, v0 gds
	image_load v3, v[20:21], s[8:15] dmask:0x1 unorm
	image_sample_lz v4, v[22:23], s[8:15], s[16:19] dmask:0x1
	s_memtime s[82:83]
	s_nop 0
	s_getreg_b32 s81, hwreg(15)
	v_rcp_f32 v90, 0`

// machineOutcome returns the results of machineScene on a machine of GFX900 after change.
func machineOutcome(t *testing.T, change func(*sim.Machine)) string {
	seen := map[uint64]uint64{} // a few addresses, and lanes whose addresses differ
	m := sim.New(gcn.GFX900)
	m.BorderColors = [][4]uint32{{math.Float32bits(2)}}
	require.NoError(t, m.Watch(sim.Observer(func(e *sim.Event) { seen[e.PC] = e.Access.Addr[9] ^ e.Access.Differs<<7 })))
	tex, err := texture.New(m, gcn.Image{DataFormat: 4, NumFormat: 7, Width: 64, Height: 64, TileMode: 25})
	require.NoError(t, err)
	m.Memory = sim.Memory{}
	change(m)
	image, err := m.Allocate(1<<16, 1<<16)
	if err != nil {
		return err.Error()
	}
	copy(image.Bytes(), slices.Repeat([]byte("0123456789abcde"), 4369))
	tex.Base = image.Addr
	w := m.NewWave()
	w.SetBuffer(0, gcn.Buffer{Base: image.Addr, NumRecords: 1024, Stride: 16, Swizzle: true, ElemSize: 4,
		IndexStride: 64})
	w.SetBuffer(4, gcn.Buffer{Base: image.Addr, NumRecords: 1024})
	w.SetSGPRs(8, tex.Words()...)
	w.SetSGPRs(16, gcn.SamplerState{Clamp: [3]gcn.Clamp{gcn.ClampBorder}, BorderColorType: 3}.Words(gcn.GCN14)...)
	w.S[gcn.M0] = math.MaxUint32
	w.SetVGPR(0, lane.Times(4))
	w.SetVGPR(20, lane.Times(1))
	w.SetVGPR(21, lane.Times(1))
	w.SetVGPR(22, lane.All(math.Float32bits(-1)))
	_, err = m.RunAsm(ctx, w, machineScene)
	return fmt.Sprint(w.V[:5], w.S[80:84], string(m.GDS().Bytes()), seen, err, w.TrapSts, w.Status(), loadTwice(t, m))
}

// loadTwice reports whether an object that is loaded twice is parsed only once.
func loadTwice(t *testing.T, m *sim.Machine) bool {
	if m.Target != gcn.GFX900 {
		return false
	}
	a, err := m.LoadObject(kernelObject(t, "vadd.gfx900.co"))
	require.NoError(t, err)
	b, err := m.LoadObject(kernelObject(t, "vadd.gfx900.co"))
	require.NoError(t, err)
	return a.Object == b.Object
}

func TestEverySettingOfAMachineHasAnEffect(t *testing.T) {
	table := map[string]func(*sim.Machine){
		"Placement":    func(m *sim.Machine) { m.Placement = 7 },
		"MaxBytes":     func(m *sim.Machine) { m.MaxBytes = 4096 },
		"Target":       func(m *sim.Machine) { m.Target = gcn.GFX803 },
		"Rules":        func(m *sim.Machine) { m.Rules = state.DriverRules },
		"Align":        func(m *sim.Machine) { m.Align = state.AlignNone },
		"Compare":      func(m *sim.Machine) { m.Compare = true },
		"Limit":        func(m *sim.Machine) { m.Limit = 3 },
		"LDSSize":      func(m *sim.Machine) { m.LDSSize = 1024 },
		"GDSSize":      func(m *sim.Machine) { m.GDSSize = 128 },
		"Tiling":       func(m *sim.Machine) { m.Tiling = &tile.Registers{Gen: gcn.GCN14, AddrConfig: 0x2a114042 ^ 7} },
		"BorderColors": func(m *sim.Machine) { m.BorderColors[0][0]++ },
		"Objects":      func(m *sim.Machine) { m.Objects = new(sim.ObjectCache) },
		"TrapHandler":  func(m *sim.Machine) { m.TrapHandler = &sim.TrapHandler{Words: []uint32{0xbf810000}} },
		"Exceptions":   func(m *sim.Machine) { m.Exceptions = true },
	}
	listsAll[sim.Machine](t, table)
	want := machineOutcome(t, func(*sim.Machine) {})
	require.Equal(t, want, machineOutcome(t, func(*sim.Machine) {}))
	require.Contains(t, want, "<nil>", "the scene runs to its end")
	for name, change := range table {
		require.NotEqual(t, want, machineOutcome(t, change), name)
	}
}

// beyond is a kernel that loads beyond the end of a buffer, where the rule sets disagree.
const beyond = `
	.amdgcn_target "amdgcn-amd-amdhsa--gfx803"
beyond:
	s_load_dwordx2 s[4:5], s[0:1], 0x0
	s_waitcnt lgkmcnt(0)
	s_or_b32 s5, s5, 0x40000
	s_mov_b32 s6, 8
	s_mov_b32 s7, 0x27000
	v_rcp_f32 v1, 0
	buffer_load_dword v1, v0, s[4:7], 0 idxen
	s_endpgm
	.section .rodata,"a",@progbits
	.p2align 6
	.amdhsa_kernel beyond
		.amdhsa_kernarg_size 8
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_next_free_vgpr 2
		.amdhsa_next_free_sgpr 8
	.end_amdhsa_kernel
	.amdgpu_metadata
---
amdhsa.kernels:
  - .args:
      - .address_space:  global
        .name:           out
        .offset:         0
        .size:           8
        .value_kind:     global_buffer
    .group_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .kernarg_segment_size: 8
    .max_flat_workgroup_size: 256
    .name:           beyond
    .private_segment_fixed_size: 0
    .sgpr_count:     8
    .symbol:         beyond.kd
    .vgpr_count:     2
    .wavefront_size: 64
amdhsa.target:   amdgcn-amd-amdhsa--gfx803
amdhsa.version:
  - 1
  - 1
...
	.end_amdgpu_metadata
`

// launchOutcome returns the results of a kernel that stores its launch parameters and the time.
func launchOutcome(t *testing.T, object []byte, kernel string, change func(*sim.Launch)) string {
	m := sim.New(gcn.GFX803)
	mod, err := m.LoadObject(object)
	require.NoError(t, err)
	out := m.Alloc(4096)
	var seen []any
	l := sim.Launch{
		Module: mod, Kernel: kernel, Grid: [3]uint32{128}, Group: [3]uint32{64}, Args: []sim.Arg{sim.BufferArg(out)},
		Workers: 1, // work-groups store to the same addresses
	}
	require.NoError(t, l.Watch(sim.Observer(func(e *sim.Event) {
		if s := (*isa.Inst)(e.Inst).Row().Name; s == "s_memtime" || s == "s_load_dword" || s == "buffer_load_dword" {
			seen = append(seen, s, e.Wave.S[:16], e.Wave.LDSBytes, e.Rules, e.Align, *e.Access,
				e.Wave.TrapSts, e.Wave.Status())
		}
	})))
	change(&l)
	res, err := m.Dispatch(ctx, l)
	return fmt.Sprint(string(out.Bytes()), seen, err, res)
}

func TestEverySettingOfALaunchHasAnEffect(t *testing.T) {
	told := false
	table := map[string]func(*sim.Launch){
		"Module": func(l *sim.Launch) {
			var err error
			l.Module, err = sim.New(gcn.GFX803).LoadObject(kernelObject(t, "vadd.fiji.co"))
			require.NoError(t, err)
		},
		"Kernel":      func(l *sim.Launch) { l.Kernel = "" },
		"Grid":        func(l *sim.Launch) { l.Grid[0] = 256 },
		"Group":       func(l *sim.Launch) { l.Group[0] = 128 },
		"Args":        func(l *sim.Launch) { l.Args = nil },
		"Offset":      func(l *sim.Launch) { l.Offset[1] = 3 },
		"WorkDim":     func(l *sim.Launch) { l.WorkDim = 3 },
		"Kernarg":     func(l *sim.Launch) { l.Kernarg = make([]byte, 64) },
		"Registers":   func(l *sim.Launch) { l.Args, l.Registers = nil, &sim.Registers{} },
		"DynamicLDS":  func(l *sim.Launch) { l.DynamicLDS = 1024 },
		"GroupLimit":  func(l *sim.Launch) { l.GroupLimit = 32 },
		"Rules":       func(l *sim.Launch) { l.Rules = state.SeedRules },
		"Align":       func(l *sim.Launch) { l.Align = state.AlignDword },
		"Compare":     func(l *sim.Launch) { l.Compare = true },
		"Limit":       func(l *sim.Launch) { l.Limit = 2 },
		"TrapHandler": func(l *sim.Launch) { l.TrapHandler = &sim.TrapHandler{Words: []uint32{0xbf810000}} },
		"Exceptions":  func(l *sim.Launch) { l.Exceptions = true },
		"Workers":     nil, // the results must not depend on it
		"Schedule":    func(l *sim.Launch) { l.Schedule = sim.Reverse },
		"Progress":    func(l *sim.Launch) { l.Progress = func(int, int) { told = true } },
	}
	listsAll[sim.Launch](t, table)
	objects := map[string][]byte{"where": kernelObject(t, "where.v4.fiji.co"),
		"clock": kernelObject(t, "clock.fiji.co"), "beyond": []byte(beyond)}
	for name, change := range table {
		if change == nil {
			continue
		}
		differs := false
		told = false
		for kernel, object := range objects {
			differs = differs || launchOutcome(t, object, kernel, change) != launchOutcome(t, object, kernel,
				func(*sim.Launch) {})
		}
		require.True(t, differs || told, name)
	}
}

// TestRegistersOfADriver: registers replace arguments, and code is at the requested address.
func TestRegistersOfADriver(t *testing.T) {
	m := sim.New(gcn.GFX803)
	var bad *sim.Error
	_, err := m.LoadObjectAt(kernelObject(t, "vadd.fiji.co"), "vadd", 0x1002)
	require.ErrorAs(t, err, &bad)
	_, err = m.LoadObjectAt(kernelObject(t, "vadd.fiji.co"), "vadd", 0x100)
	require.ErrorAs(t, err, &bad)
	mod, err := m.LoadObjectAt(kernelObject(t, "vadd.fiji.co"), "vadd", 0x7000100)
	require.NoError(t, err)
	k, err := mod.Object.Kernel("vadd")
	require.NoError(t, err)
	require.Equal(t, uint64(0x7000100), mod.Base+k.Entry)
	_, err = m.LoadObjectAt(kernelObject(t, "vadd.fiji.co"), "vadd", 0x7000100)
	require.ErrorContains(t, err, "overlaps")
	l := sim.Launch{Module: mod, Kernel: "vadd", Grid: [3]uint32{128}, Group: [3]uint32{64}, Registers: &sim.Registers{}}
	for what, change := range map[string]func(*sim.Launch){
		"so that arguments":     func(l *sim.Launch) { l.WorkDim = 1 },
		"bytes of LDS":          func(l *sim.Launch) { l.DynamicLDS = 1 << 20 },
		"no mapped range holds": func(*sim.Launch) {}, // the kernel's arguments are missing
	} {
		with := l
		change(&with)
		_, err := m.Dispatch(t.Context(), with)
		require.ErrorContains(t, err, what)
	}
}
