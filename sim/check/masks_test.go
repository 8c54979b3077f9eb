package check_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/sim"
)

// TestSegmentsOfMasks: in one iteration of a loop a register is read in lanes that did not write it, because a mask
// depends on a comparison that is true only in that iteration. The findings do not depend on how the loop executes.
func TestSegmentsOfMasks(t *testing.T) {
	for name, choice := range map[string]string{
		"equality":              "s_cmp_eq_u32 s30, s5\ns_cselect_b64 exec, s[12:13], exec",
		"equality of signed":    "s_cmp_eq_i32 s30, 5\ns_cselect_b64 exec, s[12:13], exec",
		"inequality":            "s_cmp_lg_u32 s30, s5\ns_cselect_b64 exec, exec, s[12:13]",
		"a constant of 16 bits": "s_cmpk_eq_u32 s30, 5\ns_cmov_b64 exec, s[12:13]",
		"a bit":                 "s_bitcmp1_b32 s30, 7\ns_cselect_b64 exec, exec, s[12:13]",
		"a conditional move":    "s_cmp_eq_u32 s30, s5\ns_cmov_b32 exec_lo, s12\ns_cmov_b32 exec_hi, s13",
		"a difference of 0":     "s_sub_u32 s7, s30, s5\ns_cmp_lg_u32 s7, 0\ns_cselect_b64 exec, exec, s[12:13]",
		"bits in common": "s_xor_b32 s7, s30, s5\ns_cselect_b64 s[14:15], 0, s[12:13]\n" +
			"s_or_b64 exec, exec, s[14:15]",
		"a mask of both": "s_cmp_eq_u32 s30, s5\ns_cselect_b64 s[14:15], -1, 0\ns_or_b64 s[14:15], s[14:15], exec\n" +
			"s_mov_b64 exec, s[14:15]",
		"a comparison of order": "s_cmp_le_u32 s30, s5\ns_cselect_b64 exec, s[12:13], exec",
	} {
		from := 3000
		if name == "a bit" {
			from = 0xb88
		}
		text := fmt.Sprintf("s_movk_i32 s5, 5\ns_mov_b32 s10, 0xff\ns_mov_b32 s11, 0\ns_mov_b64 s[12:13], -1\n"+
			"s_mov_b64 s[20:21], exec\ns_movk_i32 s30, 0x%x\nv_lshlrev_b32 v0, 2, v0\nloop:\ns_mov_b64 exec, s[20:21]\n"+
			"s_and_b64 exec, exec, s[10:11]\nv_mov_b32 v1, 16\n%s\nv_mov_b32 v2, v1\nds_write_b32 v2, v0\ns_waitcnt lgkmcnt(0)\n"+
			"s_sub_u32 s30, s30, 1\ns_cmp_lg_u32 s30, 0\ns_cbranch_scc1 loop\ns_endpgm", from, choice)
		run := func(how judging) string {
			m, mod := loadText(t, kernelText(gcn.GFX900, text, ".amdhsa_group_segment_fixed_size 1024"))
			return told(t, m, &sim.Launch{Module: mod, Kernel: "k", Grid: [3]uint32{64}, Group: [3]uint32{64}, Workers: 1}, how)
		}
		want := run(plainly)
		require.Equal(t, 1, strings.Count(want, "error uninit"), "%s: %s", name, want)
		require.Equal(t, want, run(asUsers), name)
	}
}
