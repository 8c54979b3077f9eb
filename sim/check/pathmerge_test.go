package check_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
)

// TestDivergent: a scalar register is written while some lanes are active, and is read when all are active (generated
// by GlobalISel, see docs/compilers/bugs/phi.cl). Right code that looks similar has no finding.
func TestDivergent(t *testing.T) {
	const begin = "v_cmp_ne_u32 vcc, 0, v0\ns_movk_i32 s6, 0x63\ns_movk_i32 s7, 0x63\n"
	for _, tt := range []struct{ name, text, want string }{
		{"read where all are active", begin + `s_and_saveexec_b64 s[4:5], vcc
			s_cbranch_execz over
			s_movk_i32 s6, 0x10
			over: s_or_b64 exec, exec, s[4:5]
			v_mov_b32 v1, s6`, "warning divergent@0x1c<-0x14 s6"},
		{"behind a loop that lanes leave one by one", `s_mov_b64 s[2:3], 0
			loop: v_cmp_gt_u32 vcc, v0, v1
			s_or_b64 s[2:3], vcc, s[2:3]
			s_andn2_b64 exec, exec, s[2:3]
			s_cbranch_execnz loop
			s_or_b64 exec, exec, s[2:3]
			s_movk_i32 s6, 0x63
			s_and_saveexec_b64 s[4:5], vcc
			s_cbranch_execz over
			v_readfirstlane_b32 s6, v0
			over: s_or_b64 exec, exec, s[4:5]
			v_mov_b32 v1, s6`, "warning divergent@0x2c<-0x24 s6"},
		{"read where the same lanes are active", begin + `s_and_saveexec_b64 s[4:5], vcc
			s_cbranch_execz over
			s_movk_i32 s6, 0x10
			v_mov_b32 v1, s6
			over: s_or_b64 exec, exec, s[4:5]`, ""},
		{"all lanes take the branch, or none", begin + `s_cmp_eq_u32 s7, 1
			s_cbranch_scc1 over
			s_movk_i32 s6, 0x10
			over: v_mov_b32 v1, s6`, ""},
		{"what was there before was for something else", begin + `v_mov_b32 v2, s6
			s_and_saveexec_b64 s[4:5], vcc
			s_cbranch_execz over
			s_movk_i32 s6, 0x10
			over: s_or_b64 exec, exec, s[4:5]
			v_mov_b32 v1, s6`, ""},
		{"it counts turns of the lanes that are active", begin + `loop: v_mov_b32 v1, s6
			s_add_u32 s6, s6, 1
			v_cmp_gt_u32 vcc, s6, v0
			s_and_saveexec_b64 s[4:5], vcc
			s_cbranch_execnz loop`, ""},
		{"it is written again", begin + `s_and_saveexec_b64 s[4:5], vcc
			s_cbranch_execz over
			s_movk_i32 s6, 0x10
			over: s_or_b64 exec, exec, s[4:5]
			s_mov_b32 s6, s7
			v_mov_b32 v1, s6`, ""},
	} {
		_, mod := loadText(t, kernelText(gcn.GFX803, tt.text+"\ns_endpgm", ""))
		found, _ := pathsOf(t, mod, "k", "divergent")
		if tt.want == "" {
			require.Empty(t, found, tt.name)
			continue
		}
		require.Equal(t, []string{tt.want}, briefs(found, entryOf(mod)), tt.name)
	}
}
