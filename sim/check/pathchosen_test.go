package check_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/sim/check"
)

// TestPathsChoose: if the state of a wave selects registers, a path selects the same ones as far as it knows the state,
// so a run has the same errors. If the state is not known, the finding is a note.
func TestPathsChoose(t *testing.T) {
	const end = "s_endpgm"
	const load = "s_load_dwordx2 s[4:5], s[0:1], 0x0\ns_waitcnt lgkmcnt(0)\nv_mov_b32 v2, s4\nv_mov_b32 v3, s5\n"
	const lds = "v_lshlrev_b32 v2, 2, v0\ns_getreg_b32 s6, hwreg(HW_REG_SH_MEM_BASES, 16, 16)\ns_lshl_b32 s6, s6, 16\n" +
		"v_mov_b32 v3, s6\nds_write_b32 v2, v0\ns_waitcnt lgkmcnt(0)\nflat_load_dword v1, v[2:3]\n"
	const movrels = load + "v_mov_b32 v5, 0\nflat_load_dword v8, v[2:3]\n"
	const indexed = load + "v_mov_b32 v5, 0\nv_mov_b32 v8, 0\nglobal_load_dword v8, v[2:3], off\n"
	const subroutine = `s_call_b64 s[8:9], f
		s_mov_b32 s6, 0
		s_call_b64 s[8:9], f
		s_branch out
		f: s_cmp_eq_u32 s6, 0
		s_cbranch_scc1 use
		global_load_dword v1, v[2:3], off
		s_setpc_b64 s[8:9]
		use: s_waitcnt vmcnt(0)
		v_mov_b32 v4, v1
		s_setpc_b64 s[8:9]
		out: s_endpgm`
	for _, c := range []struct {
		name   string
		target gcn.Target
		text   string
		want   string // the findings on the path; a run has the same errors
	}{
		{"M0 selects what is loaded", gcn.GFX803, movrels + "s_mov_b32 m0, 3\nv_movrels_b32 v6, v5", "error wait-raw v8"},
		{"M0 selects another register", gcn.GFX803, movrels + "s_mov_b32 m0, 2\nv_movrels_b32 v6, v6", "error wait-raw v8"},
		{"M0 selects what is not loaded", gcn.GFX803, movrels + "s_mov_b32 m0, 1\nv_movrels_b32 v6, v5", ""},
		{"M0 selects what is written", gcn.GFX803, movrels + "s_mov_b32 m0, 3\nv_movreld_b32 v5, v2", "error wait-waw v8"},
		{"M0 is not known", gcn.GFX803, movrels + "s_sub_u32 m0, s4, s4\nv_movrels_b32 v6, v5", "note wait-raw v8"},
		{"M0 is one of four", gcn.GFX803, movrels + "s_and_b32 m0, s4, 3\nv_movrels_b32 v6, v5", "warning wait-raw v8"},
		{"M0 is one of two", gcn.GFX803, movrels + "s_and_b32 m0, s4, 1\nv_movrels_b32 v6, v5", ""},
		{"a wait before what M0 selects", gcn.GFX803, movrels + "s_and_b32 m0, s4, 1\ns_waitcnt vmcnt(0)\n" +
			"v_movrels_b32 v6, v5", ""},
		{"the index selects what is loaded", gcn.GFX900, indexed + "s_set_gpr_idx_on 3, 0x1\nv_mov_b32 v6, v5\n" +
			"s_set_gpr_idx_off", "error wait-raw v8"},
		{"the index selects what is not loaded", gcn.GFX900, indexed + "s_set_gpr_idx_on -3, 0x1\ns_set_gpr_idx_idx 253\n" +
			"s_set_gpr_idx_mode 0x1\nv_mov_b32 v6, v8\ns_set_gpr_idx_off", ""},
		{"the index is of another operand", gcn.GFX900, indexed + "s_set_gpr_idx_on 3, 0x8\nv_mov_b32 v6, v5\n" +
			"s_set_gpr_idx_off", ""},
		{"the index is off", gcn.GFX900, indexed + "s_set_gpr_idx_on 3, 0x1\ns_set_gpr_idx_off\nv_mov_b32 v6, v5", ""},
		{"the index is not known", gcn.GFX900, indexed + "s_set_gpr_idx_on s4, 0x1\nv_mov_b32 v6, v5\n" +
			"s_set_gpr_idx_off", "note wait-raw v8"},
		{"a candidate, and then what is loaded", gcn.GFX900, indexed + "s_set_gpr_idx_on s4, 0x1\n" +
			"v_mov_b32 v6, v5\ns_set_gpr_idx_off\nv_mov_b32 v6, v8", "note wait-raw v8, error wait-raw v8"},
		{"FLAT in LDS", gcn.GFX900, lds + "s_waitcnt vmcnt(0)\nv_mov_b32 v4, v1", "error wait-raw v1"},
		{"FLAT in LDS, waited for", gcn.GFX900, lds + "s_waitcnt vmcnt(0) lgkmcnt(0)\nv_mov_b32 v4, v1", ""},
		{"other lanes", gcn.GFX900, load + "s_mov_b64 exec, 1\nglobal_load_dword v1, v[2:3], off\ns_mov_b64 exec, 2\n" +
			"v_mov_b32 v4, v1", ""},
		{"some of the lanes", gcn.GFX900, load + "s_mov_b64 exec, 15\nglobal_load_dword v1, v[2:3], off\n" +
			"s_mov_b64 exec, 56\nv_mov_b32 v4, v1", "error wait-raw v1"},
		{"other lanes, and then some of the lanes", gcn.GFX900, load + "s_mov_b64 exec, 15\n" +
			"global_load_dword v1, v[2:3], off\ns_mov_b64 exec, 48\nv_mov_b32 v4, v1\ns_mov_b64 exec, 3\nv_mov_b32 v4, v1",
			"error wait-raw v1"},
		{"lanes of a mask, and all others", gcn.GFX900, load + "v_cmp_eq_u32 vcc, 0, v0\ns_and_saveexec_b64 s[6:7], vcc\n" +
			"global_load_dword v1, v[2:3], off\ns_xor_b64 exec, exec, s[6:7]\nv_mov_b32 v4, v1\ns_mov_b64 exec, s[6:7]\n" +
			"v_mov_b32 v4, v1", "error wait-raw v1"},
		{"a store and a scalar load of the same bytes", gcn.GFX803, load + "flat_store_dword v[2:3], v0\n" +
			"s_load_dword s8, s[4:5], 0x0", "error wait-order "},
		{"a store and a scalar load of the next bytes", gcn.GFX803, load + "s_mov_b64 exec, 1\n" +
			"flat_store_dword v[2:3], v0\ns_load_dword s8, s[4:5], 0x4", ""},
		{"a store and a scalar load of an argument", gcn.GFX803, load + "flat_store_dword v[2:3], v0\n" +
			"s_load_dword s8, s[0:1], 0x0", ""},
		{"a store and a scalar load of other bytes", gcn.GFX803, load + "s_add_u32 s6, s4, 64\ns_addc_u32 s7, s5, 0\n" +
			"flat_store_dword v[2:3], v0\ns_load_dword s8, s[6:7], 0x0", "doubt wait-order "},
		{"a wait under the condition of the use", gcn.GFX900, load + "s_bitcmp1_b32 s4, 3\ns_cselect_b64 s[6:7], -1, 0\n" +
			"global_load_dword v1, v[2:3], off\ns_and_b64 vcc, exec, s[6:7]\ns_cbranch_vccz over\ns_waitcnt vmcnt(0)\n" +
			"over: v_mov_b32 v5, 0\ns_and_b64 vcc, exec, s[6:7]\ns_cbranch_vccz out\nv_mov_b32 v4, v1\nout:",
			"doubt wait-raw v1"},
		{"no lanes", gcn.GFX900, load + "s_mov_b64 exec, 0\nglobal_load_dword v1, v[2:3], off\nv_mov_b32 v4, v1\n" +
			"global_load_dword v1, v[9:10], off", ""},
		{"a constant decides", gcn.GFX900, load + "s_mov_b32 s6, 17\ns_cmp_eq_u32 s6, 0\ns_cbranch_scc1 use\n" +
			"global_load_dword v1, v[2:3], off\ns_waitcnt vmcnt(0)\nuse: v_mov_b32 v4, v1", ""},
		{"a constant of EXEC decides", gcn.GFX900, load + "global_load_dword v1, v[2:3], off\ns_mov_b64 exec, -1\n" +
			"s_cbranch_execz use\ns_waitcnt vmcnt(0)\nuse: v_mov_b32 v4, v1", ""},
		{"a constant decides in a subroutine", gcn.GFX900, load + "s_mov_b32 s6, 1\n" + subroutine, ""},
		{"the other constant decides in a subroutine", gcn.GFX900, load + "s_mov_b32 s6, 0\n" +
			"global_load_dword v1, v[2:3], off\n" + strings.Replace(subroutine, "s_waitcnt vmcnt(0)\n", "", 1),
			"note unreachable , error wait-raw v1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, mod := loadText(t, kernelText(c.target, strings.TrimSuffix(c.text, end)+"\n"+end, ".amdhsa_kernarg_size 16"))
			kinds := []string{"wait", "uninit", "unfollowed", "unreachable"}
			found, _ := pathsOf(t, mod, "k", kinds...)
			var on, errors []string
			for _, f := range found {
				on = append(on, f.Severity.String()+" "+string(f.Kind)+" "+f.Reg)
				if f.Severity == check.Error {
					errors = append(errors, distinct([]check.Finding{f}, mod.Base)...)
				}
			}
			assert.Equal(t, c.want, strings.Join(on, ", "))
			inRuns, err := check.New(kinds[:2]...)
			require.NoError(t, err)
			runWay(t, m, mod, inRuns, 0)
			assert.Equal(t, errors, distinct(inRuns.Findings(), mod.Base))
		})
	}
}

// TestPathsOfTraps: a trap handler may do anything, for example wait.
func TestPathsOfTraps(t *testing.T) {
	_, mod := loadText(t, kernelText(gcn.GFX900, `v_mov_b32 v2, 0
		v_mov_b32 v3, 0
		global_load_dword v1, v[2:3], off
		s_trap 1
		v_mov_b32 v4, v1
		s_endpgm`, ""))
	found, _ := pathsOf(t, mod, "k", "wait", "unfollowed")
	assert.Equal(t, []string{"note unfollowed@0x10"}, briefs(found, entryOf(mod)))
}

// TestLostLanesOfRestoredMasks: lanes that were active before are active again behind the instruction that restores it.
func TestLostLanesOfRestoredMasks(t *testing.T) {
	const load = "v_mov_b32 v2, 0\nv_mov_b32 v3, 0\nv_cmp_eq_u32 vcc, 0, v0\n"
	for _, c := range []struct{ name, text, want string }{
		{"an if in an if with else", load + `s_cmp_eq_u32 s0, 0
			s_cbranch_scc1 other
			s_and_saveexec_b64 s[4:5], vcc
			s_cbranch_execz restore
			global_store_dword v[2:3], v0, off
			restore: s_or_b64 exec, exec, s[4:5]
			s_cbranch_execnz end
			other: global_store_dword v[2:3], v2, off
			end: s_endpgm`, ""},
		{"without the restored mask", load + `s_cmp_eq_u32 s0, 0
			s_cbranch_scc1 other
			s_and_saveexec_b64 s[4:5], vcc
			s_cbranch_execz other
			global_store_dword v[2:3], v0, off
			s_branch end
			other: global_store_dword v[2:3], v2, off
			end: s_endpgm`, "warning exec@0x28<-0x14 exec"},
		{"a loop whose latch lies before its header", load + `s_mov_b64 s[4:5], exec
			s_branch header
			latch: s_andn2_b64 exec, exec, vcc
			s_cbranch_execz out
			header: global_load_dword v4, v[2:3], off
			s_waitcnt vmcnt(0)
			v_cmp_eq_u32 vcc, 0, v4
			s_branch latch
			out: s_mov_b64 exec, s[4:5]
			global_store_dword v[2:3], v0, off
			s_endpgm`, ""},
		{"a remainder loop", load + `s_and_saveexec_b64 s[4:5], vcc
			s_cbranch_execz out
			s_mov_b64 s[6:7], 0
			loop: global_load_dword v4, v[2:3], off
			s_waitcnt vmcnt(0)
			v_cmp_eq_u32 vcc, 0, v4
			s_or_b64 s[6:7], vcc, s[6:7]
			s_andn2_b64 exec, exec, s[6:7]
			s_cbranch_execnz loop
			out: s_or_b64 exec, exec, s[4:5]
			global_store_dword v[2:3], v0, off
			s_endpgm`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, mod := loadText(t, kernelText(gcn.GFX900, c.text, ""))
			found, _ := pathsOf(t, mod, "k", "exec")
			assert.Equal(t, c.want, strings.Join(briefs(found, entryOf(mod)), ", "))
		})
	}
}
