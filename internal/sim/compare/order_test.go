package compare_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/sim/compare"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/state"
)

// trapping is a kernel whose work-groups from 1 on set a flag. Work-group 0 traps if the flag is set, and
// executes the text traps if not.
func trapping(traps string) compare.Setup {
	text := `	.amdgcn_target "amdgcn-amd-amdhsa--gfx803"
	.text
	.globl	k
	.p2align	8
	.type	k,@function
k:
	s_load_dwordx2 s[4:5], s[0:1], 0x0
	s_waitcnt lgkmcnt(0)
	v_mov_b32 v1, s4
	v_mov_b32 v2, s5
	s_cmp_lg_u32 s2, 0
	s_cbranch_scc1 other
	flat_load_dword v3, v[1:2]
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_readfirstlane_b32 s6, v3
	s_cmp_lg_u32 s6, 0
	s_cbranch_scc0 unset
	s_trap 2
unset:
	` + traps + `
other:
	v_mov_b32 v3, 1
	flat_store_dword v[1:2], v3
	s_endpgm
	.section .rodata,"a",@progbits
	.p2align 6
	.amdhsa_kernel k
		.amdhsa_kernarg_size 8
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_next_free_vgpr 9
		.amdhsa_next_free_sgpr 32
	.end_amdhsa_kernel
	.amdgpu_metadata
---
amdhsa.kernels:
  - .args:
      - .address_space:  global
        .name:           flag
        .offset:         0
        .size:           8
        .value_kind:     global_buffer
    .group_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .kernarg_segment_size: 8
    .max_flat_workgroup_size: 256
    .name:           k
    .private_segment_fixed_size: 0
    .sgpr_count:     32
    .symbol:         k.kd
    .vgpr_count:     9
    .wavefront_size: 64
amdhsa.version:
  - 1
  - 2
...
	.end_amdgpu_metadata
`
	return func() (*compare.Session, error) {
		m := sim.New(gcn.GFX803)
		mod, err := m.LoadObject([]byte(text))
		if err != nil {
			return nil, err
		}
		b := m.Alloc(64)
		return &compare.Session{
			Machine: m, Buffers: []*sim.Buffer{b},
			Launch: sim.Launch{Module: mod, Kernel: "k", Grid: [3]uint32{256}, Group: [3]uint32{64},
				Args: []sim.Arg{sim.BufferArg(b)}},
		}, nil
	}
}

// TestOrderFaults checks that a fault is the error of Order, and names the order if only one order causes it.
func TestOrderFaults(t *testing.T) {
	var f *state.Fault
	_, err := compare.Order(t.Context(), trapping("s_endpgm"))
	require.ErrorAs(t, err, &f)
	assert.Equal(t, state.FaultTrap, f.Kind)
	assert.ErrorContains(t, err, "only if the work-groups run last to first")
	_, err = compare.Order(t.Context(), trapping("s_trap 2"))
	require.ErrorAs(t, err, &f)
	assert.NotContains(t, err.Error(), "last to first")
}

// TestSetupsAreJudged checks that a wrong or panicking setup is an error of all functions that take
// a setup.
func TestSetupsAreJudged(t *testing.T) {
	good := vadd.on("vadd.fiji.co").setup(t)
	bare := func() (*compare.Session, error) {
		s, err := good()
		if err == nil {
			s.Buffers = nil
		}
		return s, err
	}
	for name, bad := range map[string]compare.Setup{
		"no session": func() (*compare.Session, error) { return nil, nil },
		"no machine": func() (*compare.Session, error) { return &compare.Session{}, nil },
		"panic":      func() (*compare.Session, error) { panic("of the setup") },
		"error":      func() (*compare.Session, error) { return nil, errors.New("of the setup") },
		"nil":        nil,
	} {
		var setup *compare.SetupError
		_, err := compare.Order(t.Context(), bad)
		require.ErrorAs(t, err, &setup, name)
		_, err = compare.Programs(t.Context(), good, bad)
		require.ErrorAs(t, err, &setup, name)
		_, err = compare.Programs(t.Context(), bad, good)
		require.ErrorAs(t, err, &setup, name)
		_, err = compare.Glance(t.Context(), bad, bad)
		require.ErrorAs(t, err, &setup, name)
		_, err = compare.LastStores(t.Context(), bad)
		require.ErrorAs(t, err, &setup, name)
	}
	// Two programs without buffers are not an error, but there is no verdict.
	_, err := compare.Programs(t.Context(), good, bare)
	require.ErrorContains(t, err, "a has 4 arguments, b has 0")
	res, err := compare.Programs(t.Context(), bare, bare)
	require.NoError(t, err)
	v, why := res.Verdict()
	assert.Equal(t, compare.NoVerdict, v)
	assert.Contains(t, why, "neither program stored anything to a buffer")
}

// TestLastStoresBounds checks that Stores.Of refuses a byte outside the buffers.
func TestLastStoresBounds(t *testing.T) {
	s, err := compare.LastStores(t.Context(), vadd.on("vadd.fiji.co").setup(t))
	require.NoError(t, err)
	step, err := s.Of(t.Context(), 0, 16)
	require.NoError(t, err)
	require.NotNil(t, step)
	for _, c := range []struct {
		arg    int
		offset uint64
	}{{-1, 0}, {5, 0}, {3, 0}, {0, 1024}, {0, ^uint64(0)}} {
		var setup *compare.SetupError
		_, err := s.Of(t.Context(), c.arg, c.offset)
		require.ErrorAs(t, err, &setup, c)
	}
}

// TestRunsThatPanic checks that a panic in a run of the caller becomes an error. The run has its own goroutine.
func TestRunsThatPanic(t *testing.T) {
	bad := func(context.Context, sim.Watcher) error { panic("of the run") }
	_, err := compare.Diverge(t.Context(), bad, bad)
	assert.ErrorContains(t, err, "of the run")
}
