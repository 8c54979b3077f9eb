package spec

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestWaves lets four waves hand each other data through LDS: each reads after the barrier what
// the next one wrote before it.
func TestWaves(t *testing.T) {
	request := `{"mcpu":"fiji","waves":4,"m0":-1,"sgpr":{"4":[5]},"vgpr":{"2":[10,20]},
		"states":[{"sgpr":{"0":0}},{"sgpr":{"0":1}},{"sgpr":{"0":2},"vgpr":{"2":[100]}},{"sgpr":{"0":3},"exec":1}],
		"asm":"v_mbcnt_lo_u32_b32 v0, -1, 0\nv_mbcnt_hi_u32_b32 v0, -1, v0\ns_lshl_b32 s1, s0, 8\nv_lshlrev_b32 v0, 2, v0\nv_add_u32 v1, vcc, s1, v0\nv_add_u32 v3, vcc, s0, v2\nds_write_b32 v1, v3\ns_waitcnt lgkmcnt(0)\ns_barrier\ns_add_u32 s1, s1, 0x100\ns_and_b32 s1, s1, 0x3ff\nv_add_u32 v1, vcc, s1, v0\nds_read_b32 v4, v1\ns_waitcnt lgkmcnt(0)\ns_endpgm",
		"lds":{"size":1024},"check":["race","wait","uninit"],"dump":{"sgpr":[[0,1],[4,1]],"vgpr":[[4,1]],"lds":[[0,4],[768,8]],"regs":true}}`
	line := answer(t, []byte(request))
	var got struct {
		OK    bool
		Waves []struct {
			SGPR map[string][]string
			VGPR map[string][]string
			Regs map[string]any
		}
		SGPR         map[string]any
		LDS          []struct{ Hex string }
		Instructions int
		Diagnostics  []any
	}
	require.NoError(t, json.Unmarshal(line, &got))
	require.True(t, got.OK, string(line))
	require.Len(t, got.Waves, 4)
	assert.Nil(t, got.SGPR)
	assert.Equal(t, 4*15, got.Instructions)
	assert.Empty(t, got.Diagnostics)
	for i, want := range [][2]int{{11, 21}, {102, 2}, {13, 0}, {10, 0}} { // one lane of the last wave writes and reads
		w := got.Waves[i]
		assert.Equal(t, fmt.Sprintf("0x%08x", i), w.SGPR["0"][0])
		assert.Equal(t, "0x00000005", w.SGPR["4"][0])
		assert.Equal(t, fmt.Sprintf("0x%08x", want[0]), w.VGPR["4"][0], i)
		assert.Equal(t, fmt.Sprintf("0x%08x", want[1]), w.VGPR["4"][1], i)
		assert.NotNil(t, w.Regs["exec"])
	}
	assert.Equal(t, "0d00000000000000", got.LDS[1].Hex)
}

// TestWavesOfOne: a work-group of one wave is a bare wave.
func TestWavesOfOne(t *testing.T) {
	const request = `{"mcpu":"fiji","asm":"s_barrier\nv_mov_b32 v0, s0","sgpr":{"0":7},"dump":{"vgpr":[[0,1]],"regs":true}`
	assert.Equal(t, string(answer(t, []byte(request+`}`))), string(answer(t, []byte(request+`,"waves":1}`))))
}

func TestWavesRefuse(t *testing.T) {
	for keys, want := range map[string]string{
		`"waves":0`:                  "waves: 0 is not in 1 to 16",
		`"waves":17`:                 "waves: 17 is not in 1 to 16",
		`"states":[]`:                "states is of several waves; give waves",
		`"waves":1,"states":[{},{}]`: "states: there are 2 for 1 waves",
		`"waves":2,"states":[{},{"sgpr":{"103":1}}]`: `states[1]: sgpr: "103" with 1 values is not within`,
		`"waves":2,"states":[{"vgpr":{"256":1}}]`:    `states[0]: vgpr: "256" is not a register`,
	} {
		reply := Answer(t.Context(), []byte(`{"mcpu":"fiji","asm":"s_nop 0",`+keys+`}`), nil)
		require.NotNil(t, reply.Error, keys)
		assert.Contains(t, reply.Error.Message, want, keys)
	}
	reply := Answer(t.Context(),
		[]byte(`{"mcpu":"fiji","asm":"s_cbranch_scc1 l\ns_barrier\ns_branch m\nl: ds_read_b32 v0, v1\nflat_load_dword v0,`+
			` v[2:3]\nm: s_endpgm","waves":2,"m0":-1,"states":[{},{"scc":1}]}`), nil)
	require.NotNil(t, reply.Error)
	assert.Equal(t, "fault", reply.Error.Kind)
	assert.Equal(t, 1, *reply.Error.Wave)
}
