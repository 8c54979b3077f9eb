package check_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/base/block"
	"github.com/gcnsim/gcnsim/internal/isa/asm"
	"github.com/gcnsim/gcnsim/internal/testkit/effort"
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

// TestSegmentsOfPastLists compares what is found in kernels of which each wave stores, in each turn of a loop, by one
// of two instructions, and may load by another one: bits of random numbers say so. Some of what they reach is what an
// instruction of another wave reaches, and what one reaches may move in one of the turns, so that lists begin as lists
// before them, go on in another way, and may then meet another wave.
func TestSegmentsOfPastLists(t *testing.T) {
	races, clean := 0, 0
	for seed := range uint64(effort.Rounds(400)) {
		r := rand.New(rand.NewPCG(seed, 44))
		var b strings.Builder
		b.WriteString("s_mov_b32 m0, -1\nv_and_b32 v1, 63, v0\nv_lshlrev_b32 v1, 2, v1\nv_lshrrev_b32 v2, 6, v0\n" +
			"v_readfirstlane_b32 s3, v2\nv_lshlrev_b32 v3, 2, v0\n")
		for at := 0; at < 4608; at += 4 * 192 { // so that LDS is defined
			fmt.Fprintf(&b, "ds_write_b32 v3, v0 offset:%d\n", at)
		}
		for wave := range 3 { // v4 to v6 and s22 and s23 are those of the wave
			fmt.Fprintf(&b, "s_cmp_lg_u32 s3, %d\ns_cbranch_scc1 over%[1]d\n", wave)
			for site := range 3 {
				row := 3*wave + site
				if r.IntN(6) == 0 {
					row = r.IntN(9)
				}
				fmt.Fprintf(&b, "v_add_u32 v%d, vcc, 0x%x, v1\n", 4+site, 256*row)
			}
			fmt.Fprintf(&b, "s_mov_b32 s22, 0x%x\ns_mov_b32 s23, 0x%x\ns_mov_b32 s24, %d\nover%d:\n", r.Uint32(),
				r.Uint32()&r.Uint32(), r.IntN(40), wave)
		}
		b.WriteString("s_waitcnt lgkmcnt(0)\ns_barrier\ns_movk_i32 s20, 24\nloop:\ns_bitcmp1_b32 s22, s20\ns_cbranch_scc1 second\nds_write_b32 v4, v0\n" +
			"s_waitcnt lgkmcnt(0)\ns_branch join\nsecond:\nds_write_b32 v5, v0\ns_waitcnt lgkmcnt(0)\njoin:\ns_bitcmp0_b32 s23, s20\ns_cbranch_scc1 end\n" +
			"ds_read_b32 v7, v6\nend:\ns_waitcnt lgkmcnt(0)\ns_barrier\n" +
			"s_cmp_lg_u32 s20, s24\ns_cbranch_scc1 stays\nv_xor_b32 v4, 0x300, v4\nstays:\n" +
			"s_sub_u32 s20, s20, 1\ns_cmp_lg_u32 s20, 0\ns_cbranch_scc1 loop\ns_endpgm")
		text := kernelText(gcn.GFX803, b.String(), ".amdhsa_group_segment_fixed_size 4608")
		run := func(how judging) string {
			m, mod := loadText(t, text)
			return told(t, m, &sim.Launch{Module: mod, Kernel: "k", Grid: [3]uint32{192}, Group: [3]uint32{192}, Workers: 1},
				how)
		}
		want := run(plainly)
		require.Equal(t, want, run(asUsers), "seed %d\n%s", seed, text)
		if strings.Contains(want, "race") {
			races++
		} else {
			clean++
		}
	}
	require.Positive(t, races)
	require.Positive(t, clean)
}
