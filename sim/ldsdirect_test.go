package sim_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/state"
	"github.com/gcnsim/gcnsim/state/lane"
)

// LDS_DIRECT reads the LDS value that M0 selects, with its type, into all lanes. M0 is not changed.
func TestLDSDirect(t *testing.T) {
	for _, target := range []gcn.Target{gcn.GFX600, gcn.GFX700, gcn.GFX803, gcn.GFX900, gcn.GFX906} {
		for _, c := range []struct{ m0, want uint32 }{
			{0x20004, 0x84332211}, {0x20008, 0xf1e2d3c4}, {0x00005, 0x22}, {0x10006, 0x8433}, {0x40007, 0xffffff84},
			{0x50006, 0xffff8433}, {0x40004, 0x11}, {0x20007, 0x84332211}, {0x50007, 0xffff8433}, {0x2fffc, 0}, {0x0ffff, 0},
		} {
			m := sim.New(target)
			m.LDSSize = 256
			copy(m.LDS().Bytes()[4:], []byte{0x11, 0x22, 0x33, 0x84, 0xc4, 0xd3, 0xe2, 0xf1})
			w := m.NewWave()
			w.S[gcn.M0] = c.m0
			w.SetVGPR(0, lane.Times(3))
			_, err := m.RunAsm(context.Background(), w, "v_mov_b32 v1, src_lds_direct\nv_xor_b32 v2, src_lds_direct, v0\n"+
				"v_fma_f32 v3, src_lds_direct, 1.0, 0\ns_mov_b32 s0, m0\ns_endpgm")
			require.NoError(t, err)
			for i := range w.VGPR(1) {
				require.Equal(t, c.want, w.VGPR(1)[i], "%v, M0 0x%x, lane %d", target, c.m0, i)
				require.Equal(t, c.want^uint32(3*i), w.VGPR(2)[i])
			}
			assert.Equal(t, c.m0, w.S[0])
		}
	}
}

// Reserved types, other operands and register pairs fault.
func TestLDSDirectFaults(t *testing.T) {
	m := sim.New(gcn.GFX900)
	for _, kind := range []uint32{3, 6, 7} {
		w := m.NewWave()
		w.S[gcn.M0] = kind << 16
		_, err := m.RunAsm(context.Background(), w, "v_mov_b32 v1, src_lds_direct\ns_endpgm")
		var f *state.Fault
		require.ErrorAs(t, err, &f)
		assert.Equal(t, state.FaultIllegal, f.Kind)
		assert.Contains(t, f.What, fmt.Sprintf("M0[18:16] is %d", kind))
	}
	for what, words := range map[string][]uint32{
		"SRC1": {0xd1c10001, 0x02fdfc80}, "a pair": {0x7e0206fe}, // v_mad_f32 v1, 0, src_lds_direct, -1; v_cvt_i32_f64
	} {
		_, err := m.Run(context.Background(), m.NewWave(), append(words, 0xbf810000))
		var f *state.Fault
		require.ErrorAs(t, err, &f, what)
		assert.Equal(t, state.FaultIllegal, f.Kind, "%s: %v", what, f)
	}
}
