package check_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gcnsim/gcnsim/gcn"
)

// loopLines are the instructions in the bodies of random loops. Arguments are random numbers from 2 to 7, so that v1,
// the addresses and the masks of loops do not change.
var loopLines = []string{
	"v_add_f32 v%d, v%d, v%d", "v_mov_b32 v%d, %d", "v_mov_b32 v%d, s1%d", "v_cmp_lt_u32 vcc, v%d, v%d",
	"v_cndmask_b32 v%d, v%d, v%d, vcc", "v_xor_b32 v%d, v%d, v%d", "v_readfirstlane_b32 s1%d, v%d",
	"v_readlane_b32 s1%d, v%d, %d", "v_writelane_b32 v%d, s1%d, %d", "v_div_fmas_f32 v%d, v%d, v%d, v%d",
	"s_mov_b32 s1%d, %d", "s_add_u32 s1%d, s1%d, s1%d", "s_mov_b32 vcc_lo, s1%d", "s_nop %d", "s_mov_b32 m0, -1",
	"s_waitcnt vmcnt(0)", "s_waitcnt lgkmcnt(0)", "s_waitcnt lgkmcnt(%d)", "s_waitcnt vmcnt(%d)", "s_waitcnt expcnt(0)",
	"s_waitcnt vmcnt(0) lgkmcnt(0)", "s_waitcnt vmcnt(0) lgkmcnt(0)",
	"ds_read_b32 v%d, v1", "ds_read2_b32 v[2:3], v1 offset1:%d", "ds_write_b32 v1, v8", "ds_write_b8 v18, v9",
	"ds_write_b32 v18, v%d", "ds_read_u16 v%d, v18", "buffer_load_dword v%d, v1, s[8:11], 0 offen",
	"s_load_dword s1%d, s[8:9], 0x%d0", "s_load_dwordx2 s[14:15], s[8:9], 0x0",
	"s_or_b64 s[26:27], s[26:27], exec", "s_andn2_b64 s[28:29], s[30:31], exec", "s_and_b64 s[30:31], s[28:29], exec",
	"s_orn2_b64 s[30:31], exec, s[26:27]", "v_cndmask_b32 v%d, v%d, v%d, s[28:29]",
	"v_cndmask_b32 v%d, v%d, v%d, s[30:31]",
}

// loopFlatLines are FLAT instructions for loops, which GCN 1.0 does not have. Compiled blocks record their accesses.
var loopFlatLines = []string{
	"flat_load_dword v%d, v[10:11]", "flat_load_dwordx2 v[2:3], v[10:11]", "flat_load_ubyte v%d, v[12:13]",
	"flat_load_dword v%d, v[12:13]", "flat_store_dword v[12:13], v8", "flat_store_dword v[12:13], v%d",
	"flat_store_short v[10:11], v9",
}

// randomLoop returns the text of a kernel with two loops without a call. A loop ends by a counter, or when no lane is
// left, or when lanes have left one by one. In a loop, EXEC changes and is restored.
func randomLoop(r *rand.Rand, target gcn.Target) string {
	lines := loopLines
	if target.Gen() > gcn.GCN10 {
		lines = append(slices.Clip(lines), loopFlatLines...)
	}
	var b strings.Builder
	line := func() {
		line := lines[r.IntN(len(lines))]
		args := make([]any, strings.Count(line, "%d"))
		for i := range args {
			args[i] = 2 + r.IntN(6)
		}
		fmt.Fprintf(&b, line+"\n", args...)
		if (strings.Contains(line, "load") || strings.Contains(line, "read")) && r.IntN(3) != 0 {
			b.WriteString("s_waitcnt vmcnt(0) lgkmcnt(0)\n")
		}
	}
	some := func(n int) {
		for range r.IntN(n) {
			line()
		}
	}
	b.WriteString(segmentBuffer + "s_mov_b32 m0, -1\nv_lshlrev_b32 v1, 2, v0\nv_mov_b32 v10, s8\nv_mov_b32 v11, s9\n" +
		"v_or_b32 v12, s8, v1\nv_mov_b32 v13, s9\nv_and_b32 v18, 31, v0\nv_lshlrev_b32 v18, 2, v18\n" +
		"v_mov_b32 v8, 0\nv_mov_b32 v9, v0\nds_write_b32 v1, v8\ns_waitcnt lgkmcnt(0)\ns_mov_b64 s[22:23], exec\n")
	for n := 2; n < 8 && r.IntN(30) != 0; n++ { // registers that are skipped are undefined
		fmt.Fprintf(&b, "v_mov_b32 v%d, %d\ns_mov_b32 s1%d, %d\n", n, n, n, n)
	}
	for loop := range 2 {
		turns := 1 + r.IntN(40)
		fmt.Fprintf(&b, "s_mov_b32 s20, %d\nv_mov_b32 v7, %d\ns_branch loop%d\nloop%d:\n", turns, turns, loop,
			loop)
		some(7)
		for n := range r.IntN(3) {
			b.WriteString([...]string{
				"s_and_saveexec_b64 s[24:25], vcc\n", "v_cmp_gt_u32 vcc, v7, v9\ns_and_saveexec_b64 s[24:25], vcc\n",
				"s_mov_b64 s[24:25], exec\nv_cmpx_ne_u32 vcc, 3, v9\n", "s_mov_b64 s[24:25], exec\ns_mov_b64 exec, 0xff7\n",
				"s_and_saveexec_b64 s[24:25], s[26:27]\n",
				"s_and_saveexec_b64 s[24:25], vcc\nv_mov_b32 v3, v1\ns_cmp_eq_u32 s20, 5\ns_cselect_b64 exec, s[24:25], exec\n" +
					"v_and_b32 v6, 0xfc, v3\nds_read_b32 v5, v6\n",
				"s_mov_b64 s[24:25], exec\ns_mov_b32 exec_hi, 0\nv_mov_b32 v3, v1\ns_cmp_lg_u32 s20, s14\n" +
					"s_cmov_b64 s[24:25], exec\ns_mov_b64 exec, s[24:25]\nv_and_b32 v6, 0xfc, v3\nds_read_b32 v5, v6\n",
			}[r.IntN(7)])
			if r.IntN(2) == 0 {
				fmt.Fprintf(&b, "s_cbranch_execz over%d%d\n", loop, n)
			}
			some(6)
			fmt.Fprintf(&b, "over%d%d:\n", loop, n)
			if r.IntN(8) != 0 {
				b.WriteString([...]string{"s_or_b64 exec, exec, s[24:25]\n", "s_mov_b64 exec, s[24:25]\n"}[r.IntN(2)])
			}
		}
		b.WriteString("s_sub_u32 s20, s20, 1\ns_cmp_lg_u32 s20, 0\n")
		switch r.IntN(4) {
		case 0:
			fmt.Fprintf(&b, "s_cbranch_scc0 out%d\nv_mov_b32 v7, s20\nv_cmp_lt_u32 vcc, v7, v9\n"+
				"s_andn2_b64 exec, exec, vcc\ns_cbranch_execnz loop%d\n", loop, loop)
		case 1:
			fmt.Fprintf(&b, "s_cbranch_scc0 out%d\n", loop)
			some(4)
			fmt.Fprintf(&b, "s_branch loop%d\n", loop)
		default:
			fmt.Fprintf(&b, "s_cbranch_scc1 loop%d\n", loop)
		}
		fmt.Fprintf(&b, "out%d:\n", loop)
		if r.IntN(2) == 0 {
			b.WriteString("s_mov_b64 exec, s[22:23]\n")
		}
		some(4)
	}
	return b.String() + "s_endpgm"
}

// TestSegmentsOfLoops compares the findings in random loops, see [compareSegments].
func TestSegmentsOfLoops(t *testing.T) { compareSeeds(t, 40, randomLoop) }

// TestSegmentsOfLoopEdges compares the findings where one iteration of a loop affects the next one, or the code before
// and behind a loop affects the loop, and the reverse.
func TestSegmentsOfLoopEdges(t *testing.T) {
	begin := "s_load_dwordx2 s[8:9], s[0:1], 0x0\ns_waitcnt lgkmcnt(0)\nv_lshlrev_b32 v1, 2, v0\ns_mov_b32 m0, -1\n" +
		"v_or_b32 v12, s8, v1\nv_mov_b32 v13, s9\nds_write_b32 v1, v1\ns_mov_b64 s[22:23], exec\n" +
		"s_mov_b32 s20, 9\ns_waitcnt lgkmcnt(0)\n"
	half := "s_mov_b64 exec, 0xffff\n"
	turn := "s_sub_u32 s20, s20, 1\ns_cmp_lg_u32 s20, 0\n"
	for name, text := range map[string]string{
		"a load is outstanding": "v_mov_b32 v3, 0\nloop:\nv_add_u32 v4, vcc, v3, v1\n" + turn +
			"flat_load_dword v3, v[12:13]\ns_cbranch_scc1 loop\n",
		"wait states are missing": "v_mov_b32 v3, 0\nloop:\nv_div_fmas_f32 v3, v3, v3, v3\n" + turn +
			"v_cmp_eq_u32 vcc, v0, v3\ns_cbranch_scc1 loop\n",
		"VCCZ is stale": "s_mov_b64 vcc, 0\ns_nop 0\nloop:\ns_cbranch_vccnz out\n" + turn +
			"s_mov_b32 vcc_lo, 0\ns_cbranch_scc1 loop\nout:\n",
		"wait states pass": "v_readfirstlane_b32 s14, v1\nloop:\n" + turn + "s_cbranch_scc1 loop\n" +
			"v_readlane_b32 s15, v1, s14\n",
		"lanes come back": "v_mov_b32 v4, 0\n" + half + "v_mov_b32 v3, 0\nloop:\nv_and_b32 v4, 4, v3\n" + turn +
			"s_mov_b64 exec, s[22:23]\ns_cbranch_scc1 loop\nds_read_b32 v6, v4\n",
		"all lanes come back": "v_mov_b32 v4, 0\n" + half + "v_mov_b32 v3, 0\nloop:\nv_and_b32 v4, 4, v3\n" + turn +
			"s_mov_b64 exec, -1\ns_cbranch_scc1 loop\nds_read_b32 v6, v4\n",
		"lanes come back to what they wrote": half + "loop:\nv_mov_b32 v4, 0\n" + turn +
			"s_mov_b64 exec, s[22:23]\ns_cbranch_scc1 loop\nds_read_b32 v6, v4\n",
		"lanes change without an access": "loop:\ns_mov_b64 s[24:25], exec\n" + half + "v_mov_b32 v4, 0\n" +
			"s_mov_b64 exec, s[24:25]\n" + turn + "s_cbranch_scc1 loop\n" + half + "ds_read_b32 v6, v4\n",
		"lanes change with an access": "loop:\nv_cmp_gt_u32 vcc, 16, v0\ns_and_saveexec_b64 s[24:25], vcc\n" +
			"s_cbranch_execz over\nflat_load_dword v3, v[12:13]\nv_mov_b32 v4, 0\ns_waitcnt vmcnt(0)\nover:\n" +
			"s_mov_b64 exec, s[24:25]\n" + turn + "s_cbranch_scc1 loop\n" + half + "ds_read_b32 v6, v4\n",
		"lanes come back later": "s_mov_b64 s[24:25], 0\nv_mov_b32 v4, 0\n" + half + "v_mov_b32 v3, 0\nloop:\n" +
			"s_or_b64 exec, exec, s[24:25]\nv_and_b32 v4, 4, v3\nv_cmp_gt_u32 vcc, s20, v0\n" + turn +
			"s_cbranch_scc0 out\ns_and_saveexec_b64 s[24:25], vcc\nv_mov_b32 v5, 0\ns_branch loop\nout:\n" +
			"s_mov_b64 exec, s[22:23]\nds_read_b32 v6, v4\n",
		"more lanes come back later": "s_mov_b64 s[24:25], 0\nv_mov_b32 v4, 0\n" + half + "v_mov_b32 v3, 0\nloop:\n" +
			"s_or_b64 exec, exec, s[24:25]\nv_and_b32 v4, 4, v3\n" + turn +
			"s_mov_b64 s[24:25], s[22:23]\ns_cbranch_scc1 loop\nds_read_b32 v6, v4\n",
		"lanes fill a mask": "loop:\ns_andn2_b64 s[28:29], s[30:31], exec\n" + turn + half +
			"s_cbranch_scc1 loop\ns_mov_b64 exec, s[22:23]\nv_cndmask_b32 v4, v0, v1, s[28:29]\nds_read_b32 v6, v4\n",
		"lanes fill a mask that stays": "loop:\ns_or_b64 s[26:27], s[26:27], exec\n" + turn + half +
			"s_cbranch_scc1 loop\ns_mov_b64 exec, s[22:23]\nv_cndmask_b32 v4, v0, v1, s[26:27]\nds_read_b32 v6, v4\n",
		"lanes that are left fill a mask": "loop:\ns_mov_b64 exec, s[22:23]\n" + half +
			"s_or_b64 s[26:27], s[26:27], exec\ns_mov_b64 exec, s[22:23]\n" + turn +
			"s_cbranch_scc1 loop\nv_cndmask_b32 v4, v0, v1, s[26:27]\nds_read_b32 v6, v4\n",
		"lanes keep a mask": "s_and_b64 s[30:31], s[28:29], exec\n" +
			"v_cndmask_b32 v4, v0, v1, s[30:31]\nds_read_b32 v6, v4\n",
		"some lanes fill a mask": half + "loop:\ns_or_b64 s[26:27], s[26:27], exec\n" +
			"v_cndmask_b32 v4, v0, v1, s[26:27]\n" + turn + "s_cbranch_scc1 loop\ns_mov_b64 exec, s[22:23]\n" +
			"v_cndmask_b32 v4, v0, v1, s[26:27]\nds_read_b32 v6, v4\n",
		"lanes leave": "v_add_u32 v5, vcc, 1, v0\nloop:\nv_mov_b32 v3, 0\nv_cmp_lt_u32 vcc, s20, v5\n" +
			"s_sub_u32 s20, s20, 1\ns_andn2_b64 exec, exec, vcc\nv_mov_b32 v4, 0\ns_cbranch_execnz loop\n" +
			"s_mov_b64 exec, s[22:23]\nds_read_b32 v6, v3\nds_read_b32 v6, v4\n",
	} {
		text = begin + strings.Replace(text, "loop:", "s_branch loop\nloop:", 1) // a batch begins at loop
		compareText(t, name, text+"s_endpgm")
	}
}
