package check_test

import (
	"context"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/gcn/asm"
	"github.com/gcnsim/gcnsim/internal/base/block"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/sim/check"
	"github.com/gcnsim/gcnsim/state"
)

// TestSegmentsOfRepeatsAreListedAgain: in a loop whose waves reach the same bytes of LDS in each turn, the checker asks
// for the addresses in the first turns only, where code is compiled.
func TestSegmentsOfRepeatsAreListedAgain(t *testing.T) {
	if os.Getenv("GCNSIM_BLOCKS") != block.Hot || block.Available() != "" {
		return // TestSegmentsInBlocks runs it again
	}
	m, mod := loadText(t, kernelText(gcn.GFX803, "s_mov_b32 m0, -1\nv_lshlrev_b32 v1, 2, v0\nds_write_b32 v1, v0\n"+
		"s_waitcnt lgkmcnt(0)\ns_barrier\ns_movk_i32 s20, 100\nloop:\nds_read_b32 v2, v1\nds_write_b32 v1, v0\n"+
		"s_waitcnt lgkmcnt(0)\ns_barrier\ns_sub_u32 s20, s20, 1\ns_cmp_lg_u32 s20, 0\ns_cbranch_scc1 loop\ns_endpgm",
		".amdhsa_group_segment_fixed_size 512"))
	l := &sim.Launch{Module: mod, Kernel: "k", Grid: [3]uint32{128}, Group: [3]uint32{128}, Workers: 1}
	c, err := check.New("race")
	require.NoError(t, err)
	needs := c.Needs()
	skipped, asked := needs.Skipped, 0
	needs.Skipped = func(e *sim.Event, n uint64, next func(pass int, record bool) bool) {
		skipped(e, n, func(pass int, record bool) bool {
			some := next(pass, record)
			if some {
				asked++
			}
			return some
		})
	}
	require.NoError(t, l.Watch(&asking{c, needs}))
	_, err = m.Dispatch(context.Background(), *l)
	require.NoError(t, err)
	require.Empty(t, c.Findings())
	require.Less(t, asked, 20, "of 400 accesses of the loop")
}

// TestSegmentsOfRepeatsOfOneWave: nothing is listed again of a wave that runs once more. The registers with its
// addresses, which the program does not write, are others then, so that it meets another wave.
func TestSegmentsOfRepeatsOfOneWave(t *testing.T) {
	p, err := asm.Assemble(gcn.GFX803, "ds_read_b32 v2, v1\nds_write_b32 v1, v0\ns_waitcnt lgkmcnt(0)\ns_endpgm", asm.LLVM)
	require.NoError(t, err)
	m := sim.New(gcn.GFX803)
	program := sim.NewProgram(gcn.GFX803, 0, p.Words, 8)
	c, err := check.New("race")
	require.NoError(t, err)
	require.NoError(t, m.Watch(c))
	waves := []*state.Wave{m.NewWave(), m.NewWave()}
	run := func(apart uint32) {
		for i, w := range waves {
			w.S[gcn.M0] = ^uint32(0)
			var at state.Lanes
			for lane := range at {
				at[lane] = 4*uint32(lane) + apart*uint32(i)
			}
			w.SetVGPR(1, at)
		}
		_, err := m.RunProgram(context.Background(), program, waves...)
		require.NoError(t, err)
	}
	for range 3 {
		run(256)
	}
	require.Empty(t, c.Findings())
	run(0)
	require.NotEmpty(t, c.Findings())
}
