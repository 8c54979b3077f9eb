package check_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa/asm"
	"github.com/gcnsim/gcnsim/sim/check"
)

// pairing has two or more instructions between which a number of wait states is required, on
// each of the targets.
type pairing struct {
	name    string
	targets string
	text    string // the instructions, with a verb for s_nop before the last one
	states  int    // the number of wait states, 0 if none are required
	want    string // the severity, register and rule of the finding
}

// judgeText returns the findings of a checker in a program, which is not executed.
func judgeText(t *testing.T, target gcn.Target, text string) []check.Finding {
	t.Helper()
	p, err := asm.Assemble(target, text, asm.LLVM)
	require.NoError(t, err, text)
	c, err := check.New("wait-state")
	require.NoError(t, err)
	unexecuted(c, target, p.Words, 1)
	return c.Findings()
}

// TestWaitStates checks rules WS1 to WS21. A pair has a finding if one state is missing, and
// has none if there are enough states.
func TestWaitStates(t *testing.T) {
	for _, p := range []pairing{
		{"VALU SGPR in a V#", since8, "v_readlane_b32 s2, v0, 0\n%sbuffer_load_dword v1, off, s[0:3], 0", 5, "error s2 WS1"},
		{"VALU SGPR in a V#, early", before8, "v_readlane_b32 s2, v0, 0\n%sbuffer_load_dword v1, off, s[0:3], 0", 5, "note s2 WS1"},
		{"VALU SGPR in SADDR", since9, "v_readfirstlane_b32 s2, v0\n%sglobal_load_dword v1, v0, s[2:3]", 5, "error s2 WS1"},
		{"VALU VCC in a V#", since8, "v_cmp_eq_u32 vcc, v0, v1\n%sbuffer_load_dword v1, v0, s[0:3], vcc_lo offen", 5, "error vcc_lo WS1"},
		{"VALU EXEC, then VMEM", since8, "v_cmpx_eq_u32 vcc, v0, v1\n%sbuffer_load_dword v1, v0, s[0:3], 0 offen", 0, ""},
		{"VALU SGPR as a scalar base", "gfx600", "v_readlane_b32 s4, v0, 0\n%ss_load_dword s8, s[4:5], 0x0", 4, "error s4 WS2"},
		{"VALU SGPR as a scalar base, later", since7, "v_readlane_b32 s4, v0, 0\n%ss_load_dword s8, s[4:5], 0x0", 0, ""},
		{"SALU SGPR in a scalar V#", "gfx600", "s_mov_b32 s4, 0\n%ss_buffer_load_dword s8, s[4:7], 0x0", 4, "error s4 WS3"},
		{"SALU SGPR as scalar offset", "gfx600", "s_mov_b32 s4, 0\n%ss_buffer_load_dword s8, s[8:11], s4", 4, "note s4 WS3"},
		{"VALU VCC, then V_DIV_FMAS", everywhere, "v_cmp_eq_u32 vcc, v0, v1\n%sv_div_fmas_f64 v[0:1], v[2:3], v[4:5], v[6:7]", 4, "error vcc WS4"},
		{"half of VCC, then V_DIV_FMAS", everywhere, "v_readlane_b32 vcc_hi, v0, 0\n%sv_div_fmas_f32 v0, v2, v4, v6", 4, "error vcc WS4"},
		{"SALU VCC, then V_DIV_FMAS", everywhere, "s_mov_b64 vcc, 0\n%sv_div_fmas_f32 v0, v2, v4, v6", 0, ""},
		{"VALU VCC, then SALU, then V_DIV_FMAS", everywhere, "v_cmp_eq_u32 vcc, v0, v1\ns_mov_b64 vcc, 0\n%sv_div_fmas_f32 v0, v2, v4, v6", 0, ""},
		{"VALU SGPR, then V_WRITELANE", everywhere, "v_readlane_b32 s4, v0, 0\n%sv_writelane_b32 v1, 5, s4", 4, "error s4 WS5"},
		{"VALU M0, then V_READLANE", everywhere, "v_readlane_b32 m0, v0, 0\n%sv_readlane_b32 s5, v1, m0", 4, "error m0 WS5"},
		{"the value of V_WRITELANE", everywhere, "v_readlane_b32 s4, v0, 0\n%sv_writelane_b32 v1, s4, 3", 0, ""},
		{"VALU EXEC, then DPP", since8, "v_cmpx_eq_u32 vcc, v0, v1\n%sv_mov_b32_dpp v3, v2 row_shl:1", 5, "error exec WS6"},
		{"SALU EXEC, then DPP", since8, "s_mov_b64 exec, -1\n%sv_mov_b32_dpp v3, v2 row_shl:1", 0, ""},
		{"VALU VGPR, then DPP", since8, "v_mov_b32 v2, 0\n%sv_mov_b32_dpp v3, v2 row_shl:1", 2, "error v2 WS7"},
		{"VALU VGPR, then another operand of DPP", since8, "v_mov_b32 v2, 0\n%sv_add_f32_dpp v3, v1, v2 row_shl:1", 0, ""},
		{"S_SETREG, then S_GETREG", everywhere, "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 2), 0\n%ss_getreg_b32 s0, hwreg(HW_REG_MODE, 4, 4)", 2, "error MODE WS8"},
		{"S_SETREG, then S_GETREG of another", everywhere, "s_setreg_b32 hwreg(HW_REG_MODE), s0\n%ss_getreg_b32 s0, hwreg(HW_REG_TRAPSTS)", 0, ""},
		{"S_SETREG twice, early", before8, "s_setreg_b32 hwreg(HW_REG_MODE, 0, 2), s0\n%ss_setreg_b32 hwreg(HW_REG_MODE, 4, 4), s0", 1, "error MODE WS9"},
		{"S_SETREG twice", since8, "s_setreg_b32 hwreg(HW_REG_MODE, 0, 2), s0\n%ss_setreg_b32 hwreg(HW_REG_MODE, 4, 4), s0", 2, "error MODE WS9"},
		{"S_SETVSKIP, then S_GETREG", everywhere, "s_setvskip s0, s1\n%ss_getreg_b32 s0, hwreg(HW_REG_MODE)", 2, "warning MODE WS10"},
		{"S_SETREG of VSKIP, then a vector instruction", everywhere, "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 28, 1), 0\n%sv_mov_b32 v0, 0", 2, "warning MODE WS11"},
		{"S_SETREG of other bits", everywhere, "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 28), 0\n%sv_mov_b32 v0, 0", 0, ""},
		{"VALU VCC, then VCCZ as data", everywhere, "v_cmp_eq_u32 vcc, v0, v1\n%sv_mov_b32 v2, src_vccz", 5, "warning vcc WS12"},
		{"VALU EXEC, then EXECZ as data", everywhere, "v_cmpx_eq_u32 vcc, v0, v1\n%sv_mov_b32 v2, src_execz", 5, "warning exec WS12"},
		{"VALU VCC, then a branch on VCCZ", everywhere, "v_cmp_eq_u32 vcc, v0, v1\n%ss_cbranch_vccz 0", 0, ""},
		{"a wide store, then its data", since7, "buffer_store_dwordx3 v[2:4], off, s[0:3], 0\n%sv_mov_b32 v4, 0", 1, "error v4 WS13"},
		{"a wide store, early", "gfx600", "buffer_store_dwordx4 v[2:5], off, s[0:3], 0\n%sv_mov_b32 v4, 0", 1, "note v4 WS13"},
		{"a store of 64 bits", everywhere, "buffer_store_dwordx2 v[2:3], off, s[0:3], 0\n%sv_mov_b32 v3, 0", 0, ""},
		{"a wide compare and swap", since7, "buffer_atomic_cmpswap_x2 v[2:5], off, s[0:3], 0\n%sv_mov_b32 v3, 0", 1, "error v3 WS13"},
		{"an image store", since7, "image_store v[4:7], v[0:3], s[0:7] dmask:0xf unorm\n%sv_mov_b32 v4, 0", 0, ""},
		{"an image store with a T# of 128 bits", "gfx600 gfx701 gfx803", "image_store v[4:6], v[0:3], s[0:7] dmask:0x7 unorm r128\n%sv_mov_b32 v4, 0", 1, "warning v4 WS13"},
		{"packed halves of a wide store", since9, "buffer_store_format_d16_xyzw v[2:3], off, s[0:3], 0\n%sv_mov_b32 v3, 0", 0, ""},
		{"halves of a wide store, not packed", "gfx803", "buffer_store_format_d16_xyzw v[2:5], off, s[0:3], 0\n%sv_mov_b32 v3, 0", 1, "error v3 WS13"},
		{"SALU M0, then GWS", since8, "s_mov_b32 m0, 0\n%sds_gws_barrier v0 gds", 1, "error m0 WS14"},
		{"SALU M0, then a message, early", before8, "s_mov_b32 m0, 0\n%ss_sendmsg sendmsg(MSG_INTERRUPT)", 1, "note m0 WS14"},
		{"SALU M0, then S_TTRACEDATA", since8, "s_mov_b32 m0, 0\n%ss_ttracedata", 1, "error m0 WS14"},
		{"SALU M0, then S_MOVREL", since9, "s_mov_b32 m0, 0\n%ss_movrels_b32 s0, s1", 1, "error m0 WS15"},
		{"SALU M0, then S_MOVREL, earlier", "gfx600 gfx701 gfx803", "s_mov_b32 m0, 0\n%ss_movreld_b32 s0, s1", 0, ""},
		{"SALU M0, then ADDTID", since9, "s_mov_b32 m0, 0\n%sds_read_addtid_b32 v0", 1, "error m0 WS16"},
		{"SALU M0, then a store from LDS", since9, "s_mov_b32 m0, 0\n%sbuffer_store_lds_dword s[0:3], 0 lds", 1, "error m0 WS16"},
		{"SALU M0, then LDS_DIRECT", since9, "s_mov_b32 m0, 0\n%sv_mov_b32 v0, src_lds_direct", 1, "error m0 WS16"},
		{"SALU M0, then DS", everywhere, "s_mov_b32 m0, 0\n%sds_read_b32 v0, v1", 0, ""},
		{"S_SETREG of TRAPSTS, then S_RFE", since8, "s_setreg_b32 hwreg(HW_REG_TRAPSTS), s0\n%ss_rfe_b64 s[2:3]", 1, "warning TRAPSTS WS17"},
		{"interpolation, then V_READLANE", "gfx600", "v_interp_mov_f32 v4, p0, attr0.x\n%sv_readlane_b32 s0, v4, 1", 1, "error v4 WS18"},
		{"interpolation, then V_WRITELANE", "gfx600", "v_interp_mov_f32 v4, p0, attr0.x\n%sv_writelane_b32 v4, s0, 1", 0, ""},
		{"interpolation, then V_READLANE, later", since7, "v_interp_mov_f32 v4, p0, attr0.x\n%sv_readlane_b32 s0, v4, 1", 0, ""},
		{"a branch in between is a state", since8, "v_mov_b32 v2, 0\ns_cbranch_scc0 0\n%sv_mov_b32_dpp v3, v2 row_shl:1", 1, "error v2 WS7"},
		{"scalar stores in a run", since8, "s_store_dword s8, s[0:1], 0x0\n%ss_load_dword s9, s[2:3], 0x0", 1, "note  WS21"},
		{"a scalar store after a load", since8, "s_load_dword s9, s[2:3], 0x0\n%ss_store_dword s8, s[0:1], 0x0", 1, "note  WS21"},
	} {
		for name := range strings.FieldsSeq(p.targets) {
			t.Run(p.name+"/"+name, func(t *testing.T) {
				target, err := gcn.ParseTarget(name)
				require.NoError(t, err)
				for states := range max(p.states, 1) + 1 {
					nops := ""
					if states > 0 {
						nops = fmt.Sprintf("s_nop %d\n", states-1)
					}
					want := p.want
					if states >= p.states {
						want = ""
					}
					got := ""
					for _, f := range judgeText(t, target, fmt.Sprintf(p.text, nops)) {
						got += fmt.Sprintf("%v %s %s", f.Severity, f.Reg, f.Rule)
						require.Contains(t, f.Fix, fmt.Sprintf("s_nop %d before", p.states-states-1))
					}
					require.Equal(t, want, got, "%d states", states)
				}
			})
		}
	}
}

// VCC is the last two SGPRs that are allocated to a wave (rule ST3). For all rows both names
// are the same register. For one row, the use of the other name is the hazard.
func TestVCCUnderItsOtherName(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"v_cmp_eq_u32 s[14:15], v0, v1\nv_div_fmas_f32 v0, v2, v4, v6", "WS4 vcc"},
		{"v_cmp_eq_u32 s[12:13], v0, v1\nv_div_fmas_f32 v0, v2, v4, v6", ""},
		{"v_cmp_eq_u32 vcc, v0, v1\nv_mov_b32 v2, s14", "WS19 vcc_lo"},
		{"v_cmp_eq_u32 vcc, v0, v1\nv_mov_b32 v2, vcc_lo", ""},
		{"v_cmp_eq_u32 vcc, v0, v1\ns_nop 0\nv_mov_b32 v2, s14", ""},
		{"v_cmp_eq_u32 vcc, v0, v1\nv_cndmask_b32 v2, v3, v4, s[14:15]", ""},
	} {
		b := newBench(t, gcn.GFX803, "wait-state")
		b.w.NumSGPRs = 16
		got := ""
		for _, f := range b.run(tt.text) {
			got += f.Rule + " " + f.Reg
		}
		require.Equal(t, tt.want, got, tt.text)
	}
}
