package check_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/sim/check"
)

// TestContradictions: a finding of any kind on a path is a doubt if the conditions of each path to it contradict each
// other. If the second condition is about another register, the finding has its usual severity.
func TestContradictions(t *testing.T) {
	const begin = `v_mov_b32 v0, 0
		v_cmp_eq_u32 vcc, 0, v9
		s_mov_b32 s6, 0
		s_mov_b64 s[22:23], s[22:23]
		s_cmp_eq_u32 s20, 0
		s_cbranch_scc1 over
		`
	const again = "s_cmp_eq_u32 %s, 0\ns_cbranch_scc0 out\n"
	twice := func(first, second string) string { return first + "\nover: " + again + second + "\nout: s_endpgm\n" }
	inside := func(text string) string { return again + text + "\ns_branch out\nover:\nout: s_endpgm\n" }
	const call = "s_getpc_b64 s[12:13]\ns_add_u32 s12, s12, f@rel32@lo+4\ns_addc_u32 s13, s13, f@rel32@hi+12\n" +
		"s_swappc_b64 s[30:31], s[12:13]\n"
	const inLDS = "s_mov_b64 s[10:11], src_shared_base\nv_mov_b32 v1, s11\nv_lshlrev_b32 v0, 2, v9\n" +
		"v_cmp_ne_u64 vcc, 0, v[0:1]\n"
	for _, tt := range []struct {
		kind   check.Kind
		target gcn.Target
		text   string
		want   check.Severity
	}{
		{check.WaitRAW, gcn.GFX900, twice("global_load_dword v1, v[2:3], off", "v_mov_b32 v4, v1"), check.Error},
		{check.WaitWAW, gcn.GFX900, twice("global_load_dword v1, v[2:3], off", "v_mov_b32 v1, 0"), check.Error},
		{check.WaitWAR, gcn.GFX900, twice("exp mrt0 v1, v1, v1, v1 done", "v_mov_b32 v1, 0"), check.Error},
		{check.WaitOrder, gcn.GFX803, twice("v_mov_b32 v2, s22\nv_mov_b32 v3, s23\nflat_store_dword v[2:3], v0",
			"s_load_dword s8, s[22:23], 0x0"), check.Error},
		{check.VCCZ, gcn.GFX701, twice("s_load_dword s8, s[0:1], 0x0\ns_waitcnt lgkmcnt(0)", "s_cbranch_vccz out"),
			check.Error},
		{check.WaitState, gcn.GFX900, twice("v_readfirstlane_b32 s4, v0", "buffer_load_dword v1, v0, s[4:7], 0 offen"),
			check.Error},
		{check.Uninit, gcn.GFX900, inside("global_load_dword v1, v[2:3], off"), check.Error},
		{check.Stack, gcn.GFX900, inside("buffer_store_dword v0, off, s[0:3], 0 offset:20"), check.Error},
		{check.StaleM0, gcn.GFX803, twice(call, "ds_write_b32 v0, v0") + "f: s_mov_b32 m0, 0\ns_setpc_b64 s[30:31]\n",
			check.Error},
		{check.SkippedBarrier, gcn.GFX900, inside("s_and_saveexec_b64 s[4:5], vcc\ns_cbranch_execz out\ns_barrier"),
			check.Note},
		{check.LostLanes, gcn.GFX900, twice("s_and_saveexec_b64 s[4:5], vcc", "global_store_dword v[2:3], v0, off"),
			check.Warning},
		{check.LostLanes, gcn.GFX900, twice("s_and_saveexec_b64 s[4:5], vcc", again+"s_branch use\n"+
			"restore: s_mov_b64 exec, s[4:5]\nuse: global_store_dword v[2:3], v0, off\ns_branch out\n"), check.Warning},
		{check.LostLanes, gcn.GFX900, "s_and_saveexec_b64 s[4:5], vcc\ns_cbranch_execz none\n" +
			"global_store_dword v[2:3], v0, off\nnone: s_cmp_eq_u32 s20, 0\ns_cbranch_scc1 over\n" +
			inside("global_store_dword v[2:3], v0, off"), check.Warning},
		{check.Divergent, gcn.GFX900, twice("s_and_saveexec_b64 s[4:5], vcc\ns_cbranch_execz restore\ns_movk_i32 s6, 0x10\n"+
			"restore: s_or_b64 exec, exec, s[4:5]", "v_mov_b32 v1, s6"), check.Warning},
		{check.WrongSpace, gcn.GFX900, inLDS + inside("buffer_store_dword v9, v0, s[0:3], 0 offen"), check.Warning},
		{check.WrongSpace, gcn.GFX900, inside(inLDS + "buffer_store_dword v9, v0, s[0:3], 0 offen"), check.Warning},
	} {
		for _, register := range []string{"s20", "s21"} {
			text := begin + strings.ReplaceAll(tt.text, "%s", register)
			_, mod := loadText(t, framed(tt.target, strings.TrimSuffix(text, "s_endpgm\n")))
			found, _ := pathsOf(t, mod, "k", string(tt.kind))
			found = slices.DeleteFunc(found, func(f check.Finding) bool { return f.Kind != tt.kind })
			if !assert.Len(t, found, 1, "%s %s: %v\n%s", tt.kind, register, found, text) {
				continue
			}
			const why = "; the conditions of each path that was found contradict each other"
			want := tt.want
			if register == "s20" {
				want = check.Doubt
			}
			got := fmt.Sprint(found[0].Severity, strings.HasSuffix(found[0].Message, why))
			assert.Equal(t, fmt.Sprint(want, register == "s20"), got, "%v\n%s", found[0], text)
		}
	}
}
