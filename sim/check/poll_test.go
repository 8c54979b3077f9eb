package check_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa/asm"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/sim/check"
	"github.com/gcnsim/gcnsim/state"
	"github.com/gcnsim/gcnsim/state/lane"
)

// TestWavesThatPollGoOn: each wave of a work-group polls a flag, which another wave sets after it has seen its own one,
// in several orders of waves. All waves end. The polls are notes, and so is a load of the flag before the loop.
func TestWavesThatPollGoOn(t *testing.T) {
	waitForFlags(t, "")
	waitForFlags(t, `
  ds_read_b32 v4, v0
  s_waitcnt lgkmcnt(0)
  v_readfirstlane_b32 s11, v4
  s_cmp_lg_u32 s11, 0
  s_cbranch_scc1 set`)
}

// waitForFlags runs a work-group whose waves execute first and then wait for their flags.
func waitForFlags(t *testing.T, first string) {
	text := `
  s_cmp_eq_u32 s10, 1
  s_cbranch_scc1 set` + first + `
wait:
  ds_read_b32 v4, v0
  s_waitcnt lgkmcnt(0)
  v_readfirstlane_b32 s11, v4
  s_cmp_eq_u32 s11, 0
  s_cbranch_scc1 wait
set:
  ds_or_b32 v1, v2
  s_endpgm`
	for _, order := range [][]int{{0, 1, 2, 3}, {3, 2, 1, 0}, {2, 0, 3, 1}} {
		for _, checked := range []bool{false, true} {
			m := sim.New(gcn.GFX803)
			c, err := check.New("all")
			require.NoError(t, err)
			if checked {
				require.NoError(t, m.Watch(c))
			}
			a, err := asm.Assemble(m.Target, text, asm.LLVM)
			require.NoError(t, err)
			waves := make([]*state.Wave, 4)
			for i := range waves {
				waves[i] = m.NewWave()
				waves[i].ID = i
			}
			for i, n := range order { // n is the i-th wave that sets a flag
				w := waves[n]
				w.S[gcn.M0] = ^uint32(0)
				w.SetVGPR(0, lane.All(uint32(4*i)))
				w.SetVGPR(1, lane.All(uint32(4*i+4)))
				w.SetVGPR(2, lane.All(1))
				if i == 0 {
					w.SetSGPRs(10, 1)
				}
			}
			_, err = m.RunProgram(context.Background(), sim.NewProgram(m.Target, 0, a.Words, waves[0].NumVGPRs), waves...)
			require.NoError(t, err, "%v", order)
			found := c.Findings()
			assert.Equal(t, checked, len(found) > 0)
			assert.Empty(t, severe(found), "%v", order)
		}
	}
}
