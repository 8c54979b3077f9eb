package asm_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/gcn/asm"
)

func TestFormatOperand(t *testing.T) {
	for text, want := range map[string][]string{
		"buffer_load_dwordx2 v[4:5], v0, s[8:11], 1.0 idxen": {"v[4:5]", "v0", "s[8:11]", "1.0"},
		"v_add_f32 v1, 0x3f800001, v2":                       {"v1", "0x3f800001", "v2"},
		"s_mov_b64 exec, vcc":                                {"exec", "vcc"},
		"s_add_u32 s0, -5, m0":                               {"s0", "-5", "m0"},
	} {
		in, err := asm.ParseInst(gcn.GFX803, text, asm.LLVM)
		require.NoError(t, err)
		var got []string
		for _, o := range in.Operands(nil) {
			got = append(got, asm.FormatOperand(in, o))
		}
		assert.Equal(t, want, got)
	}
}

func TestWaitCounts(t *testing.T) {
	assert.Equal(t, []asm.WaitCount{{"vmcnt", 0, 15}, {"expcnt", 7, 7}, {"lgkmcnt", 0, 15}}, asm.WaitCounts(gcn.GCN12, 0x0070))
	assert.Equal(t, []asm.WaitCount{{"vmcnt", 63, 63}, {"expcnt", 0, 7}, {"lgkmcnt", 15, 15}}, asm.WaitCounts(gcn.GCN14, 0xcf0f))
}

func TestFormatNames(t *testing.T) {
	assert.Equal(t, "8_8_8_8", asm.DataFormat(10))
	assert.Equal(t, "SNORM_OGL", asm.NumFormat(gcn.GCN10, 6))
	assert.Equal(t, "RESERVED_6", asm.NumFormat(gcn.GCN14, 6))
}
