package check_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/sim/check"
	"github.com/gcnsim/gcnsim/state"
	"github.com/gcnsim/gcnsim/state/lane"
)

// TestUndefinedZoo has programs from bug reports, literally and with their fixes, on each
// generation that they concern: LLVM 111720 and 221212 (Z62, Z63), FlyDSL 1087 (Z64),
// wgpu 9589 (Z65), LLVM's spilled SGPRs (Z66), ROCm 1487 (Z68).
func TestUndefinedZoo(t *testing.T) {
	const lds = "ds_read_b32 v0, v1\ns_waitcnt lgkmcnt(0)"
	const branch = "v_cmp_gt_u32 vcc, 32, v0\ns_and_saveexec_b64 s[8:9], vcc\nv_mov_b32 v9, 1.0\ns_mov_b64 exec, " +
		"s[8:9]\nbuffer_store_dword v9, v1, s[0:3], 0 offen"
	const spill = "v_writelane_b32 v40, s4, 0\nv_writelane_b32 v40, s5, 1\nv_readlane_b32 s6, v40, 0\ns_mov_b32 s7, s6"
	const vcc = "s_mov_b64 s[0:1], vcc\ns_orn2_b64 vcc, vcc, s[0:1]\nv_cndmask_b32 v7, 0, 1, vcc"
	for _, tt := range []struct {
		id, before, text string
		first, last      gcn.Gen
		reg              string // the register of the finding, "" if none is expected
		inst             uint64
		lane             int
	}{
		{"Z62", "", lds, gcn.GCN10, gcn.GCN12, "m0", 0, state.NoLane},
		{"Z62 mended", "s_mov_b32 m0, -1\n", lds, gcn.GCN10, gcn.GCN12, "", 0, 0},
		{"Z63", "", lds, gcn.GCN14, gcn.GCN141, "", 0, 0},
		{"Z64", "", "buffer_load_dword v0, off, s[48:51], 0\ns_waitcnt vmcnt(0)", gcn.GCN10, gcn.GCN141, "s48", 0, state.NoLane},
		{"Z64 mended", "s_mov_b64 s[48:49], s[0:1]\n", "buffer_load_dword v0, off, s[48:51], 0\ns_waitcnt vmcnt(0)", gcn.GCN10, gcn.GCN141, "", 0, 0},
		{"Z65", "", branch, gcn.GCN10, gcn.GCN141, "v9", 4, 32},
		{"Z65 mended", "v_mov_b32 v9, 0\n", branch, gcn.GCN10, gcn.GCN141, "", 0, 0},
		{"Z66", "", spill, gcn.GCN10, gcn.GCN141, "", 0, 0},
		// An undefined selector is not a use (rule UD4). Its result is one when it leaves the wave.
		{"Z68", "", vcc + "\nbuffer_store_dword v7, v1, s[4:7], 0 offen", gcn.GCN10, gcn.GCN141, "v7", 3, 0},
		{"Z68 mended", "s_mov_b64 vcc, 0\n", vcc + "\nbuffer_store_dword v7, v1, s[4:7], 0 offen", gcn.GCN10, gcn.GCN141, "", 0, 0},
	} {
		for _, target := range generations {
			if g := target.Gen(); g < tt.first || g > tt.last {
				continue
			}
			b := newInputs(t, target, false)
			b.c.Options.Inputs.SetSGPRs(50, 2)
			b.c.Options.Inputs.LDS = true
			b.w.SetVGPR(0, lane.ID())
			b.w.SetSGPRs(4, b.w.S[0:4]...)
			b.w.SetSGPRs(48, b.w.S[0:4]...)
			all := b.run(tt.before + tt.text)
			if tt.reg == "" {
				require.Empty(t, all, "%s on %v", tt.id, target)
				continue
			}
			f := one(t, all)
			require.Equal(t, check.Uninit, f.Kind, tt.id)
			require.Equal(t, tt.reg, f.Reg, "%s on %v", tt.id, target)
			require.Equal(t, [2]any{tt.inst, tt.lane}, [2]any{f.Index, f.Lane}, "%s on %v", tt.id, target)
		}
	}
}

// A wave that has ended counts as arrived at a barrier (Z67, Leela Chess Zero 2420).
func TestEndedWavesNeedNoBarrier(t *testing.T) {
	for _, target := range generations {
		w := newCrew(t, target, 1, 2, "s_cbranch_scc1 1\ns_barrier\ns_endpgm")
		w.groups[0][1].SCC = 1
		require.Empty(t, w.run(inOrder), target)
		require.True(t, w.groups[0][0].Ended && w.groups[0][1].Ended)
	}
}
