package check_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/sim/check"
)

// TestMissedBarrier: one of two waves ends without reaching a barrier, before or after the other wave reaches it. In
// other cases it reaches all barriers.
func TestMissedBarrier(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"the first one ends", `v_cmp_gt_u32 vcc, 64, v0
			s_cbranch_vccnz over
			s_barrier
			over: s_endpgm`, "[note barrier@0x8<-0xc]"},
		{"the second one ends", `s_barrier
			v_cmp_gt_u32 vcc, 64, v0
			s_cbranch_vccz over
			s_barrier
			over: s_endpgm`, "[note barrier@0xc<-0x10]"},
		{"both come", "s_barrier\ns_barrier\ns_endpgm", "[]"},
		{"one after another", `v_cmp_gt_u32 vcc, 64, v0
			s_cbranch_vccz other
			s_barrier
			s_endpgm
			other: s_barrier
			s_endpgm`, "[]"},
	} {
		m, mod := loadText(t, kernelText(gcn.GFX900, c.text, ""))
		checker, err := check.New("barrier")
		require.NoError(t, err)
		l := sim.Launch{Module: mod, Kernel: "k", Grid: [3]uint32{256}, Group: [3]uint32{128}, Kernarg: make([]byte, 64)}
		require.NoError(t, l.Watch(checker))
		_, err = m.Dispatch(t.Context(), l)
		require.NoError(t, err)
		found := checker.Findings()
		require.Equal(t, c.want, fmt.Sprint(briefs(found, entryOf(mod))), c.name)
		if len(found) > 0 {
			require.EqualValues(t, 2, found[0].Count, "%s: one in each work-group", c.name)
		}
	}
}
