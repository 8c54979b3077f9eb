package check_test

import (
	"encoding/binary"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa/asm"
	"github.com/gcnsim/gcnsim/internal/testkit/effort"
	"github.com/gcnsim/gcnsim/sim/check"
)

// TestLostLanes: lanes stay inactive on one of two joining paths, or behind a function. Other cases restore all lanes.
func TestLostLanes(t *testing.T) {
	const narrow = "v_mov_b32 v2, 0\nv_mov_b32 v3, 0\nv_cmp_eq_u32 vcc, 0, v0\n"
	const branch = narrow + "s_cmp_lg_u32 s0, 0\ns_cbranch_scc1 other\ns_and_saveexec_b64 s[4:5], vcc\n"
	const load = "global_load_dword v4, v[2:3], off\n"
	const call = narrow + "s_getpc_b64 s[8:9]\ns_add_u32 s8, s8, f-k-16\ns_addc_u32 s9, s9, 0\n" +
		"s_swappc_b64 s[30:31], s[8:9]\ns_endpgm\nf: s_and_saveexec_b64 s[4:5], vcc\n"
	// A loop in an if in a loop. The inner loop begins with a branch to its end, so that its paths join several times.
	nested := func(restore string) string {
		return narrow + "s_mov_b64 s[6:7], vcc\ns_and_saveexec_b64 s[2:3], vcc\ns_cbranch_execz out\ns_mov_b64 s[8:9], 0\n" +
			"s_branch outer\nlatch: " + restore + "v_cmp_gt_u32 vcc, v4, v0\ns_or_b64 s[8:9], vcc, s[8:9]\n" +
			"s_andn2_b64 exec, exec, s[8:9]\ns_cbranch_execz out\nouter: s_and_saveexec_b64 s[10:11], s[6:7]\n" +
			"s_cbranch_execz latch\ns_mov_b64 s[12:13], 0\ns_branch inner\nbody: v_cmp_lt_u32 vcc, v3, v0\n" +
			"s_or_b64 s[12:13], vcc, s[12:13]\ns_andn2_b64 exec, exec, s[12:13]\ns_cbranch_execz latch\n" +
			"inner: s_cmp_lg_u32 s0, 0\ns_cbranch_scc1 far\ns_cmp_lg_u32 s1, 0\ns_cbranch_scc1 meet\n" +
			"near: v_mov_b32 v5, 0\nmeet: " + load + "s_cmp_lg_u32 s0, 0\ns_cbranch_scc1 last\nv_mov_b32 v6, 0\n" +
			"s_cmp_lg_u32 s1, 0\ns_cbranch_scc1 body\ns_branch last\nfar: s_branch near\nlast: s_branch body\n" +
			"out: s_endpgm"
	}
	for _, c := range []struct{ name, text, want string }{
		{"a loop in an if in a loop", nested("s_or_b64 exec, exec, s[10:11]\n"), ""},
		{"a loop in an if whose end reads before it restores", nested(load + "s_or_b64 exec, exec, s[10:11]\n"),
			"warning exec@0x20<-0x54 exec"},
		{"not restored on one path", branch + load + "other: " + load + "s_endpgm", "warning exec@0x20<-0x14 exec"},
		{"restored", branch + load + "s_or_b64 exec, exec, s[4:5]\nother: " + load + "s_endpgm", ""},
		{"restored by a move", branch + load + "s_mov_b64 exec, s[4:5]\nother: " + load + "s_endpgm", ""},
		{"restored where the paths meet", branch + load + "other: s_mov_b64 exec, -1\n" + load + "s_endpgm", ""},
		{"restored with another mask", branch + load + "s_or_b64 exec, exec, vcc\nother: " + load + "s_endpgm",
			"warning exec@0x24<-0x14 exec"},
		{"nothing follows", branch + load + "other: s_endpgm", ""},
		{"if and else", narrow + "s_and_saveexec_b64 s[4:5], vcc\ns_xor_b64 s[4:5], exec, s[4:5]\n" + load +
			"s_or_saveexec_b64 s[4:5], s[4:5]\ns_xor_b64 exec, exec, s[4:5]\ns_cbranch_execz over\n" + load +
			"over: s_or_b64 exec, exec, s[4:5]\n" + load + "s_endpgm", ""},
		{"a loop that lanes leave", narrow + "s_mov_b64 s[4:5], exec\nloop: v_cmp_lt_u32 vcc, v0, v2\n" +
			"s_andn2_b64 exec, exec, vcc\n" + load + "s_cbranch_execnz loop\ns_mov_b64 exec, s[4:5]\n" + load + "s_endpgm", ""},
		{"an if whose end does not restore", narrow + "s_and_saveexec_b64 s[4:5], vcc\ns_cbranch_execz over\n" + load +
			"over: " + load + "s_endpgm", "warning exec@0x1c<-0x10 exec"},
		{"an if whose end restores", narrow + "s_and_saveexec_b64 s[4:5], vcc\ns_cbranch_execz over\n" + load +
			"over: s_or_b64 exec, exec, s[4:5]\n" + load + "s_endpgm", ""},
		{"a body that a branch of all lanes shares", narrow + "s_mov_b64 s[4:5], exec\ns_cmp_lg_u32 s0, 0\n" +
			"s_cbranch_scc1 body\ns_and_b64 exec, exec, vcc\ns_cbranch_execz over\nbody: " + load +
			"over: s_mov_b64 exec, s[4:5]\n" + load + "s_endpgm", ""},
		{"a mask that is not known", branch + load + "s_load_dwordx2 s[4:5], s[0:1], 0x0\ns_waitcnt lgkmcnt(0)\n" +
			"s_mov_b64 exec, s[4:5]\nother: " + load + "s_endpgm", ""},
		{"a function", call + load + "s_setpc_b64 s[30:31]", "error exec@0x30<-0x24 exec"},
		{"a function that restores", call + load + "s_mov_b64 exec, s[4:5]\ns_setpc_b64 s[30:31]", ""},
		{"a function that restores on one path", call + "s_cmp_lg_u32 s0, 0\ns_cbranch_scc1 end\n" +
			"s_mov_b64 exec, s[4:5]\nend: s_setpc_b64 s[30:31]", "warning exec@0x34<-0x24 exec"},
	} {
		_, mod := loadText(t, kernelText(gcn.GFX900, c.text, ""))
		found, _ := pathsOf(t, mod, "k", "exec")
		assert.Equal(t, c.want, strings.Join(briefs(found, entryOf(mod)), ", "), c.name)
	}
}

// TestDeletedRestores deletes each S_OR_B64 of EXEC in a third of the compiled kernels. No lanes are lost if only the
// end follows, or code that accesses no memory before EXEC is written again.
func TestDeletedRestores(t *testing.T) {
	deleted, found := 0, 0
	for i, file := range specifications(t, "*.gfx900.json") {
		if i%3 != 0 || effort.LeavesOut(i) {
			continue
		}
		m, l := launchOf(t, file)
		programs, err := l.Module.Programs(t.Context(), l.Kernel)
		require.NoError(t, err)
		for _, p := range programs {
			for pc, in := range p.Insts(p.Base, p.End) {
				if in.Size != 4 || !strings.HasPrefix(asm.Format(in, asm.LLVM), "s_or_b64 exec, exec,") {
					continue
				}
				deleted++
				require.NoError(t, m.Write(pc, binary.LittleEndian.AppendUint32(nil, 0xbf800000))) // s_nop 0
				list, _ := pathsOf(t, l.Module, l.Kernel, "exec")
				if slices.ContainsFunc(list, func(f check.Finding) bool { return f.Severity >= check.Warning }) {
					found++
				}
				require.NoError(t, m.Write(pc, binary.LittleEndian.AppendUint32(nil, uint32(in.Words))))
			}
		}
	}
	t.Logf("%d deleted, %d found", deleted, found)
	require.Greater(t, 5*found, deleted)
}
