package asm_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/isa/asm"
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
			got = append(got, asm.FormatOperand(gcn.Inst(in), o))
		}
		assert.Equal(t, want, got)
	}
}

func TestFormatField(t *testing.T) {
	for _, c := range []struct {
		target gcn.Target
		text   string
		field  isa.Field
		want   string
	}{
		{gcn.GFX803, "s_setreg_b32 hwreg(HW_REG_MODE, 0, 4), s1", isa.SIMM16, "hwreg(HW_REG_MODE, 0, 4)"},
		{gcn.GFX803, "s_sendmsg sendmsg(MSG_INTERRUPT)", isa.SIMM16, "sendmsg(MSG_INTERRUPT)"},
		{gcn.GFX803, "s_set_gpr_idx_on s0, gpr_idx(SRC0,DST)", isa.SSRC1, "gpr_idx(SRC0,DST)"},
		{gcn.GFX803, "s_set_gpr_idx_on s0, gpr_idx(SRC0,DST)", isa.SSRC0, ""},
		{gcn.GFX803, "s_waitcnt vmcnt(3)", isa.SIMM16, "vmcnt(3)"},
		{gcn.GFX803, "s_nop 3", isa.SIMM16, ""},
		{gcn.GFX803, "ds_swizzle_b32 v0, v1 offset:swizzle(SWAP,1)", isa.OFFSET, "swizzle(SWAP,1)"},
		{gcn.GFX803, "ds_read_b32 v0, v1 offset:1", isa.OFFSET, ""},
		{gcn.GFX803, "v_mov_b32_dpp v0, v1 quad_perm:[3,2,1,0] row_mask:0xf bank_mask:0x3", isa.DPPCTRL, "quad_perm:[3,2,1,0]"},
		{gcn.GFX803, "v_mov_b32_sdwa v0, v1 dst_sel:BYTE_1 dst_unused:UNUSED_SEXT src0_sel:WORD_1", isa.DSTSEL, "BYTE_1"},
		{gcn.GFX803, "v_mov_b32_sdwa v0, v1 dst_sel:BYTE_1 dst_unused:UNUSED_SEXT src0_sel:WORD_1", isa.DSTUNUSED, "UNUSED_SEXT"},
		{gcn.GFX803, "v_mov_b32_sdwa v0, v1 dst_sel:BYTE_1 dst_unused:UNUSED_SEXT src0_sel:WORD_1", isa.SRC0SEL, "WORD_1"},
		{gcn.GFX803, "v_mov_b32_sdwa v0, v1 dst_sel:BYTE_1 dst_unused:UNUSED_SEXT src0_sel:WORD_1", isa.SRC1SEL, ""},
		{gcn.GFX803, "exp param3 v0, v1, off, off", isa.TGT, "param3"},
		{gcn.GFX803, "v_interp_mov_f32 v0, p20, attr3.w", isa.VSRC1, "p20"},
		{gcn.GFX803, "v_interp_mov_f32 v0, p20, attr3.w", isa.ATTR, "attr3.w"},
	} {
		in, err := asm.ParseInst(c.target, c.text, asm.LLVM)
		require.NoError(t, err, c.text)
		assert.Equal(t, c.want, asm.FormatField(gcn.Inst(in), c.field), "%s: %v", c.text, c.field)
	}
}
