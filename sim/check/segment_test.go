package check_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/sim/unseen"
	"github.com/gcnsim/gcnsim/internal/testkit/effort"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/sim/check"
)

// judging selects how a checker judges a launch.
type judging int

// The ways to judge.
const (
	asUsers  judging = iota // as usual: many instructions, and many dwords, at a time
	oneByOne                // each instruction by itself
	plainly                 // each instruction by itself, and each dword that it accesses
)

// told runs a launch, watched by a checker for all kinds, and returns its findings as text.
func told(t testing.TB, m *sim.Machine, l *sim.Launch, how judging) string {
	t.Helper()
	return toldOf(t, m, l, how, 1)
}

// toldOf is told for several dispatches of l that one checker watches.
func toldOf(t testing.TB, m *sim.Machine, l *sim.Launch, how judging, times int) string {
	t.Helper()
	c, err := check.New("all")
	require.NoError(t, err)
	if how != asUsers {
		c.OneByOne()
	}
	if how == plainly {
		c.ByDwords()
	}
	var text strings.Builder
	watched := *l
	require.NoError(t, watched.Watch(c))
	for range times {
		_, err = m.Dispatch(context.Background(), watched)
		fmt.Fprintln(&text, err)
	}
	require.NoError(t, check.Write(&text, c.Findings(), l.Module.Base))
	for _, f := range c.Findings() {
		if f.Producer != nil {
			fmt.Fprintln(&text, f.Producer.Index)
		}
	}
	sites, more := c.Unexecuted()
	fmt.Fprintln(&text, len(sites), more)
	return text.String()
}

// TestSegmentsOfKernels compares the findings in compiled kernels, as they are and without a wait, with those if each
// instruction is judged by itself.
func TestSegmentsOfKernels(t *testing.T) {
	for i, file := range specifications(t, "*.json") {
		if !effort.Full() && i%97 != 0 {
			continue
		}
		run := func(how judging, without uint64) string {
			m, l := launchOf(t, file)
			if without != 0 {
				require.NoError(t, m.Write(without, binary.LittleEndian.AppendUint32(nil, 0xbf800000))) // s_nop 0
			}
			return told(t, m, l, how)
		}
		require.Equal(t, run(plainly, 0), run(asUsers, 0), file)
		for n, pc := range waitsOf(t, file) {
			if i%2 == 0 && n == i%16 {
				require.Equal(t, run(plainly, pc), run(asUsers, pc), "%s without the wait at 0x%x", file, pc)
			}
		}
	}
}

// waitsOf returns the addresses of the s_waitcnt instructions of a kernel.
func waitsOf(t testing.TB, file string) (all []uint64) {
	_, l := launchOf(t, file)
	programs, err := l.Module.Programs(t.Context(), l.Kernel)
	require.NoError(t, err)
	for _, p := range programs {
		for pc, in := range p.Insts(p.Base, p.End) {
			if isa.Inst(in).Row().Control == isa.Waits {
				all = append(all, pc)
			}
		}
	}
	return all
}

// segmentLines are the instructions of random kernels. They use v1 to v9 and s12 to s19, which are undefined at the
// beginning except for v1, the buffer of s[8:11], and addresses in LDS that waves share. Lanes share those of v18, too.
// Arguments are random numbers below 8.
var segmentLines = []string{
	"v_add_f32 v%d, v%d, v%d", "v_mov_b32 v%d, %d", "v_mov_b32 v%d, s1%d", "v_lshlrev_b32 v%d, %d, v%d",
	"v_and_b32 v%d, 0xfc, v%d", "v_cmp_lt_u32 vcc, v%d, v%d", "v_cndmask_b32 v%d, v%d, v%d, vcc",
	"v_mad_f32 v%d, v%d, v%d, v%d",
	"v_readfirstlane_b32 s1%d, v%d", "v_readlane_b32 s1%d, v%d, %d", "v_writelane_b32 v%d, s1%d, %d",
	"v_xor_b32 v%d, v%d, v%d", "v_cmp_eq_u32 s[12:13], v%d, v%d", "v_div_fmas_f32 v%d, v%d, v%d, v%d",
	"s_mov_b32 s1%d, %d", "s_add_u32 s1%d, s1%d, s1%d", "s_and_b32 s1%d, s1%d, s1%d", "s_cmp_lg_u32 s1%d, %d",
	"s_mov_b32 vcc_lo, s1%d",
	"s_mov_b64 vcc, 0x%d", "s_nop %d", "s_mov_b32 m0, -1", "s_mov_b32 m0, 0x%d00", "s_not_b32 s1%d, s1%d",
	"s_cmp_eq_u32 s1%d, s1%d", "s_cmp_eq_u32 s20, %d", "s_bitcmp1_b32 s20, %d", "s_cselect_b64 exec, -1, exec",
	"s_cselect_b64 s[12:13], exec, vcc", "s_cselect_b64 exec, s[12:13], exec", "s_and_b64 exec, exec, s[12:13]",
	"s_mov_b64 exec, -1", "s_and_saveexec_b64 s[12:13], vcc", "s_mov_b64 exec, 0x%d7", "v_cmpx_gt_u32 vcc, v%d, v%d",
	"s_waitcnt vmcnt(%d)", "s_waitcnt lgkmcnt(%d)", "s_waitcnt vmcnt(0) lgkmcnt(0)", "s_waitcnt expcnt(%d)", "s_barrier",
	"ds_write_b32 v1, v%d offset:%d", "ds_read_b32 v%d, v1", "ds_read2_b32 v[2:3], v1 offset1:%d", "ds_add_u32 v1, v%d",
	"ds_write_b8 v1, v%d", "ds_read_u16 v%d, v1", "ds_write_b64 v1, v[2:3]", "ds_swizzle_b32 v%d, v%d offset:0x8000",
	"ds_write_b32 v18, v%d", "ds_write_b32 v19, v%d", "ds_write_b8 v18, v%d offset:1", "ds_write_b16 v19, v%d",
	"ds_write_b64 v19, v[2:3]", "ds_write2_b32 v19, v%d, v%d offset1:%d", "ds_read_b32 v%d, v19",
	"buffer_load_dword v%d, v1, s[8:11], 0 offen", "buffer_store_dword v%d, v1, s[8:11], 0 offen",
	"buffer_load_dwordx4 v[2:5], v1, s[8:11], 0 offen", "buffer_store_dwordx4 v[2:5], v1, s[8:11], 0 offen",
	"buffer_load_ubyte v%d, v1, s[8:11], 0 offen offset:%d", "buffer_store_short v%d, v1, s[8:11], 0 offen",
	"buffer_atomic_add v%d, v1, s[8:11], 0 offen", "buffer_load_dword v%d, v%d, s[8:11], 0 offen",
	"buffer_load_dword v%d, off, s[8:11], 0", "buffer_load_dword v1, v1, s[8:11], 0 offen glc",
	"s_load_dword s1%d, s[8:9], 0x%d0", "s_load_dwordx2 s[14:15], s[8:9], 0x0", "s_buffer_load_dword s1%d, s[8:11], 0x%d0",
}

// segmentBuffer is the beginning of random kernels, which loads the V# of the buffer.
const segmentBuffer = "s_load_dwordx2 s[8:9], s[0:1], 0x0\ns_waitcnt lgkmcnt(0)\ns_mov_b32 s10, 0x800\n" +
	"s_mov_b32 s11, 0x24fac\n"

// flatLines are the segmentLines that GCN 1.0 does not have.
var flatLines = []string{
	"flat_load_dword v%d, v[10:11]", "flat_store_dword v[10:11], v%d", "flat_load_dwordx2 v[2:3], v[10:11]",
	"flat_load_dword v%d, v[12:13]", "flat_store_dword v[12:13], v%d", "flat_load_dwordx4 v[2:5], v[12:13]",
	"flat_load_ubyte v%d, v[12:13]", "flat_store_short v[12:13], v%d", "flat_store_dwordx2 v[12:13], v[2:3]",
	"flat_load_dword v1%d, v[12:13]",
	"buffer_store_dwordx3 v[2:4], v1, s[8:11], 0 offen",
}

// randomKernel returns the text of a kernel with a loop and branches.
func randomKernel(r *rand.Rand, target gcn.Target) string {
	lines := segmentLines
	if target.Gen() > gcn.GCN10 {
		lines = append(slices.Clip(lines), flatLines...)
	}
	return kernelOf(r, lines)
}

// atomicLines have LDS atomics, at addresses that several lanes and waves share, among other accesses of LDS.
var atomicLines = []string{
	"ds_add_u32 v18, v%d", "ds_add_u32 v19, v%d", "ds_sub_u32 v1, v%d", "ds_max_u32 v18, v%d", "ds_min_i32 v19, v%d",
	"ds_xor_b32 v18, v%d offset:4", "ds_inc_u32 v19, v%d", "ds_mskor_b32 v19, v%d, v%d", "ds_cmpst_b32 v18, v%d, v%d",
	"ds_add_u64 v1, v[2:3]", "ds_add_u32 v%d, v%d", "ds_read_b32 v%d, v19", "ds_write_b32 v19, v%d",
	"ds_read_b32 v%d, v18",
	"v_mov_b32 v%d, %d", "v_mov_b32 v%d, s2", "v_rsq_f32 v%d, v%d", "v_xor_b32 v%d, v%d, v%d", "v_and_b32 v%d, 0xfc, v%d",
	"flat_load_dword v%d, v[12:13]", "flat_store_dword v[12:13], v%d", "s_waitcnt vmcnt(0)", "s_waitcnt lgkmcnt(0)",
	"s_waitcnt vmcnt(0) lgkmcnt(0)", "s_waitcnt lgkmcnt(%d)", "s_mov_b64 exec, -1", "s_mov_b64 exec, 0x%d7", "s_barrier",
	"s_mov_b32 m0, -1",
}

// randomAtomics returns the text of a kernel with LDS atomics.
func randomAtomics(r *rand.Rand, target gcn.Target) string {
	lines := atomicLines
	if target.Gen() == gcn.GCN10 {
		lines = slices.DeleteFunc(slices.Clone(lines), func(s string) bool { return strings.HasPrefix(s, "flat") })
	}
	return kernelOf(r, lines)
}

// kernelOf returns the text of a kernel that consists of lines in random order.
func kernelOf(r *rand.Rand, lines []string) string {
	var b strings.Builder
	b.WriteString(segmentBuffer)
	fmt.Fprintf(&b, "v_lshlrev_b32 v1, %d, v0\nv_mov_b32 v10, s8\nv_mov_b32 v11, s9\ns_mov_b32 s20, %d\n"+
		"v_or_b32 v12, s8, v1\nv_mov_b32 v13, s9\nv_and_b32 v18, 31, v0\nv_lshlrev_b32 v18, 2, v18\n"+
		"v_xor_b32 v19, %d, v0\nv_and_b32 v19, 63, v19\nv_lshlrev_b32 v19, 2, v19\n", r.IntN(4), 1+r.IntN(4), 5*r.IntN(2))
	body := func(label string, n int) {
		fmt.Fprintf(&b, "%s:\n", label)
		skips := 0
		for range n {
			if r.IntN(12) == 0 {
				to := [...]string{"scc0", "scc1", "vccz", "vccnz", "execz"}[r.IntN(5)]
				fmt.Fprintf(&b, "s_cbranch_%s %s_%d\n", to, label, skips)
				skips++
			}
			line := lines[r.IntN(len(lines))]
			args := make([]any, strings.Count(line, "%d"))
			for i := range args {
				args[i] = 1 + r.IntN(7)
			}
			fmt.Fprintf(&b, line+"\n", args...)
		}
		for i := range skips {
			fmt.Fprintf(&b, "%s_%d:\n", label, i)
		}
	}
	body("head", r.IntN(20))
	body("loop", 4+r.IntN(30))
	b.WriteString("s_sub_u32 s20, s20, 1\ns_cmp_lg_u32 s20, 0\ns_cbranch_scc1 loop\n")
	body("tail", r.IntN(12))
	return b.String() + "s_endpgm"
}

// TestSegmentsOfLanes compares the findings where EXEC changes in the middle of a batch. A load in some lanes is
// outstanding when the others read its register. All lanes store a register that only some have written. Lanes store
// to a shadow line one after the other. In some work-groups a branch in a batch is taken, which skips a wait. An atomic
// makes all bits of a dword undefined that has undefined bits.
func TestSegmentsOfLanes(t *testing.T) {
	some := "s_load_dwordx2 s[8:9], s[0:1], 0x0\ns_waitcnt lgkmcnt(0)\nv_lshlrev_b32 v1, 2, v0\n" +
		"s_mov_b32 m0, -1\nv_or_b32 v12, s8, v1\nv_mov_b32 v13, s9\n" +
		"v_cmp_gt_u32 vcc, 32, v0\ns_and_saveexec_b64 s[12:13], vcc\n" +
		"s_cbranch_execz over\n"
	for name, text := range map[string]string{
		"load": some + "ds_read_b32 v3, v1\nv_mov_b32 v5, 0\ns_andn2_b64 exec, s[12:13], exec\nv_mov_b32 v4, v3\n" +
			"s_mov_b64 exec, s[12:13]\nv_mov_b32 v4, v3\nover:\ns_endpgm",
		"write": some + "v_mov_b32 v3, 0\nds_read_b32 v4, v1\ns_waitcnt lgkmcnt(0)\nover:\n" +
			"s_mov_b64 exec, s[12:13]\nflat_store_dword v[12:13], v3\ns_endpgm",
		"turns": some + "over:\ns_lshr_b32 s3, s2, 1\ns_lshl_b32 s3, s3, 8\nv_or_b32 v12, s3, v12\n" +
			"s_mov_b32 s14, 0x55555555\ns_mov_b32 s15, s14\n" +
			"v_mov_b32 v3, 5\ns_mov_b32 s20, 6\nloop:\ns_mov_b64 exec, -1\nv_xor_b32 v3, 2, v3\n" +
			"s_mov_b64 exec, s[14:15]\nflat_store_dword v[12:13], v3\ns_not_b64 s[14:15], s[14:15]\n" +
			"s_waitcnt vmcnt(0) lgkmcnt(0)\ns_and_b32 s21, s20, 1\ns_lshl_b32 s21, s21, 10\ns_mov_b64 exec, -1\n" +
			"v_add_u32 v12, vcc, s21, v12\ns_sub_u32 s20, s20, 1\ns_cmp_lg_u32 s20, 0\ns_cbranch_scc1 loop\ns_endpgm",
		"bytes": "s_load_dwordx2 s[8:9], s[0:1], 0x0\ns_waitcnt lgkmcnt(0)\nv_mov_b32 v13, s9\ns_and_b32 s3, s2, 1\n" +
			"s_cmp_eq_u32 s3, 0\ns_cbranch_scc1 even\nv_xor_b32 v1, 63, v0\nv_mad_u32_u24 v1, v1, v0, 17\n" +
			"v_add_u32 v12, vcc, s8, v1\nflat_store_byte v[12:13], v0\ns_waitcnt vmcnt(0) lgkmcnt(0)\ns_endpgm\neven:\n" +
			"s_add_u32 s3, s2, s8\nv_add_u32 v12, vcc, s3, v0\nflat_load_ubyte v3, v[12:13]\nv_lshlrev_b32 v1, 1, v0\n" +
			"v_add_u32 v12, vcc, s3, v1\nflat_load_ushort v4, v[12:13]\ns_waitcnt vmcnt(0) lgkmcnt(0)\ns_mov_b32 s4, 1\n" +
			"s_lshl_b32 s4, s4, s2\ns_mov_b32 s5, 0\ns_mov_b64 exec, s[4:5]\nflat_load_ubyte v3, v[12:13]\n" +
			"s_waitcnt vmcnt(0) lgkmcnt(0)\ns_endpgm",
		"branch": "v_lshlrev_b32 v1, 2, v0\ns_mov_b32 m0, -1\ns_and_b32 s3, s2, 1\nds_read_b32 v3, v1\n" +
			"s_cmp_eq_u32 s3, 0\ns_cbranch_scc1 over\nv_mov_b32 v5, 0\ns_waitcnt lgkmcnt(0)\nover:\n" +
			"v_mov_b32 v4, 0\nv_mov_b32 v5, 0\nv_mov_b32 v6, 0\nv_mov_b32 v3, 0\ns_endpgm",
		"atomic": some + "over:\ns_mov_b64 exec, -1\nv_and_b32 v3, 0xfc, v2\nds_write_b32 v1, v3\ns_waitcnt lgkmcnt(0)\n" +
			"v_mov_b32 v4, 1\nds_add_u32 v1, v4\ns_waitcnt lgkmcnt(0)\nds_read_b32 v5, v1\ns_waitcnt lgkmcnt(0)\n" +
			"v_and_b32 v5, 3, v5\nds_read_b32 v6, v5\ns_endpgm",
	} {
		compareText(t, name, text)
	}
}

// ldsLines are accesses to LDS, at the addresses in v1 to v6, and instructions between them. The waves of a work-group
// share the dwords of v3, and in some work-groups those of v6. v5 changes. All work-groups store to the same memory.
var ldsLines = []string{
	"ds_read_b32 v9, v%[1]d offset:%[2]d", "ds_read2_b32 v[10:11], v%[1]d offset0:%[3]d offset1:%[4]d",
	"ds_read_b32 v9, v%[1]d offset:%[2]d", "ds_read2st64_b32 v[10:11], v%[1]d offset1:%[3]d",
	"ds_write_b32 v%[1]d, v7 offset:%[2]d", "ds_write_b32 v%[1]d, v0 offset:%[2]d", "ds_write_b8 v%[1]d, v0 offset:%[3]d",
	"ds_write2_b32 v%[1]d, v0, v7 offset0:%[3]d offset1:%[4]d", "ds_read_b32 v%[1]d, v%[1]d\nv_mov_b32 v%[1]d, v7",
	"v_xor_b32 v5, 0x%[2]d0, v5", "flat_store_dword v[16:17], v%[1]d", "s_waitcnt lgkmcnt(0)",
	"s_waitcnt lgkmcnt(0)\ns_barrier", "s_waitcnt lgkmcnt(0)\ns_barrier", "s_mov_b32 exec_lo, 0xf%[2]d0ff",
	"s_mov_b64 exec, -1",
}

// TestSegmentsOfLDS compares the findings in random kernels whose waves load and store in LDS between barriers. In
// every other kernel, all of LDS has been written.
func TestSegmentsOfLDS(t *testing.T) {
	races := 0
	for seed := range uint64(effort.Rounds(150)) {
		r := rand.New(rand.NewPCG(seed, 36))
		var b, begin strings.Builder
		for at := 0; at < 9216 && seed%2 != 0; at += 4 * 192 {
			fmt.Fprintf(&begin, "ds_write_b32 v18, v0 offset:%d\n", at)
		}
		for range 4 + r.IntN(16) {
			line := ldsLines[r.IntN(len(ldsLines))]
			register := [...]int{1, 1, 1, 2, 2, 4, 5, 6, 3, 3}[r.IntN(10)]
			// %.[5]s prints nothing, but uses the last argument. So Fprintf accepts lines without verbs, too.
			fmt.Fprintf(&b, line+"%.[5]s\n", register, 4*r.IntN(3), r.IntN(3), 3+r.IntN(2), "")
		}
		text := fmt.Sprintf(segmentBuffer+"s_mov_b32 m0, -1\nv_lshlrev_b32 v1, 4, v0\nv_or_b32 v16, s8, v1\n"+
			"v_mov_b32 v17, s9\nv_xor_b32 v2, 63, v0\nv_lshlrev_b32 v2, 4, v2\n"+
			"v_and_b32 v3, 63, v0\nv_lshlrev_b32 v3, 4, v3\nv_lshrrev_b32 v4, 6, v0\nv_lshlrev_b32 v4, 10, v4\n"+
			"v_mov_b32 v5, v1\ns_lshl_b32 s3, s2, 8\nv_add_u32 v6, vcc, s3, v1\nv_mov_b32 v7, 5\ns_mov_b32 s20, 4\n"+
			"v_lshlrev_b32 v18, 2, v0\n%ss_waitcnt lgkmcnt(0)\ns_barrier\nloop:\n%ss_waitcnt lgkmcnt(0)\ns_barrier\n"+
			"s_sub_u32 s20, s20, 1\ns_cmp_lg_u32 s20, 0\ns_cbranch_scc1 loop\n"+
			"s_endpgm", begin.String(), b.String())
		run := func(how judging) string {
			m, mod := loadText(t, kernelText(gcn.GFX803, text, ".amdhsa_group_segment_fixed_size 9216"))
			l := &sim.Launch{Module: mod, Kernel: "k", Grid: [3]uint32{4 * 192}, Group: [3]uint32{192}, Workers: 1,
				Kernarg: binary.LittleEndian.AppendUint64(nil, m.Alloc(4096).Addr)}
			return told(t, m, l, how)
		}
		want := run(plainly)
		require.Equal(t, want, run(asUsers), "seed %d\n%s", seed, text)
		if strings.Contains(want, "race") {
			races++
		}
	}
	require.Positive(t, races)
}

// loadLines are accesses to memory at v[16:17] to v[24:25], and instructions between them. Waves and work-groups share
// the addresses v[18:19]. v[20:21] are in reverse order, v[22:23] are all over the buffer, and v[24:25] change.
// s[12:13] differ by work-group. Only one work-group executes the line behind s_cbranch_scc0.
var loadLines = []string{
	"flat_load_dword v9, v[%[1]d:%[2]d]", "flat_load_dword v9, v[%[1]d:%[2]d]", "flat_load_dword v9, v[%[1]d:%[2]d]",
	"flat_load_dwordx2 v[10:11], v[%[1]d:%[2]d]", "flat_load_dwordx4 v[10:13], v[%[1]d:%[2]d]",
	"flat_load_ubyte v9, v[%[1]d:%[2]d]", "flat_load_ushort v9, v[%[1]d:%[2]d]",
	"s_cbranch_scc0 over%[3]d\nflat_store_dword v[%[1]d:%[2]d], v0\nover%[3]d:",
	"s_cbranch_scc0 over%[3]d\nflat_store_byte v[%[1]d:%[2]d], v7\nover%[3]d:",
	"s_load_dwordx4 s[16:19], s[12:13], 0x10",
	"v_xor_b32 v24, 0x%[4]d0, v24", "v_add_u32 v24, vcc, 1, v24", "s_waitcnt vmcnt(0)", "s_barrier",
	"s_mov_b32 exec_lo, 0xf%[4]d0ff", "s_mov_b64 exec, -1", "s_not_b64 exec, exec", "s_mov_b32 exec_lo, s20",
}

// TestSegmentsOfLoads compares the findings in random kernels that seldom store to memory.
func TestSegmentsOfLoads(t *testing.T) {
	races := 0
	for seed := range uint64(effort.Rounds(500)) {
		races += compareLoads(t, seed)
	}
	races += compareLoads(t, 1562) // a load from a shadow line that is split
	require.Positive(t, races)
}

// compareLoads compares the findings in a random kernel. It returns the number of races of the kernel.
func compareLoads(t testing.TB, seed uint64) (races int) {
	r := rand.New(rand.NewPCG(seed, 37))
	var b strings.Builder
	for i := range 6 + r.IntN(16) {
		register := 16 + 2*r.IntN(5)
		fmt.Fprintf(&b, loadLines[r.IntN(len(loadLines))]+"%.[5]s\n", register, register+1, i, r.IntN(8), "")
	}
	text := fmt.Sprintf(segmentBuffer+"v_lshlrev_b32 v1, 2, v0\nv_lshlrev_b32 v2, %d, v1\ns_lshl_b32 s3, s2, 9\n"+
		"v_add_u32 v16, vcc, s3, v1\nv_and_b32 v18, 0xfc, v1\nv_xor_b32 v20, 0xfc, v16\n"+
		"v_and_b32 v22, 0xffc, v2\nv_add_u32 v24, vcc, %d, v16\nv_mov_b32 v7, 5\n"+
		"v_or_b32 v16, s8, v16\nv_or_b32 v18, s8, v18\nv_or_b32 v20, s8, v20\nv_or_b32 v22, s8, v22\n"+
		"v_add_u32 v24, vcc, s8, v24\nv_mov_b32 v17, s9\nv_mov_b32 v19, s9\nv_mov_b32 v21, s9\nv_mov_b32 v23, s9\n"+
		"v_mov_b32 v25, s9\ns_lshl_b32 s3, s2, 3\ns_add_u32 s12, s8, s3\ns_mov_b32 s13, s9\n"+
		"s_mov_b32 s20, %d\nloop:\ns_cmp_eq_u32 s2, %d\n"+
		"%ss_waitcnt vmcnt(0) lgkmcnt(0)\ns_mov_b64 exec, -1\ns_sub_u32 s20, s20, 1\ns_cmp_lg_u32 s20, 0\n"+
		"s_cbranch_scc1 loop\ns_endpgm", 1+r.IntN(4), 4*r.IntN(70)+r.IntN(2), 1+r.IntN(3), r.IntN(5), b.String())
	run := func(how judging) string {
		m, mod := loadText(t, kernelText(gcn.GFX803, text, ""))
		buf := m.Alloc(4096)
		buf.Bytes()[0] = 0 // so that it is defined
		l := &sim.Launch{Module: mod, Kernel: "k", Grid: [3]uint32{5 * 128}, Group: [3]uint32{128}, Workers: 1,
			Kernarg: binary.LittleEndian.AppendUint64(nil, buf.Addr)}
		return told(t, m, l, how)
	}
	want := run(plainly)
	require.Equal(t, want, run(asUsers), "seed %d\n%s", seed, text)
	return strings.Count(want, "error race")
}

// TestSegmentsOfLoadsAndAByte: two work-groups load. A third one, before, between or after them, stores a byte close to
// the data that one of their lanes loads.
func TestSegmentsOfLoadsAndAByte(t *testing.T) {
	races := 0
	for seed := range uint64(effort.Rounds(700)) {
		r := rand.New(rand.NewPCG(seed, 38))
		kind := r.IntN(6)
		size, align := [...]int{1, 2, 4, 8, 12, 16}[kind], [...]int{1, 2, 4, 4, 4, 4}[kind]
		stride, from := align*(1+r.IntN(8)), 64+align*r.IntN(16)
		step := align * r.IntN(4) // the distance between work-groups
		loading := r.IntN(3)      // the work-group whose loads are close to the store
		more, storing := align*r.IntN(3), r.IntN(3)
		text := fmt.Sprintf(segmentBuffer+"s_mul_i32 s3, s2, %d\ns_add_u32 s3, s3, %d\nv_mul_u32_u24 v1, s3, v0\n"+
			"v_add_u32 v1, vcc, %d, v1\ns_mul_i32 s3, s2, %d\nv_add_u32 v1, vcc, s3, v1\n"+
			"v_add_u32 v2, vcc, s8, v1\nv_mov_b32 v3, s9\ns_cmp_eq_u32 s2, %d\ns_cbranch_scc1 one\ns_mov_b32 exec_lo, 0x%x\n"+
			"flat_load_%s, v[2:3]\ns_waitcnt vmcnt(0)\ns_endpgm\none:\ns_mov_b64 exec, 1\n"+
			"s_add_u32 s8, s8, %d\nv_mov_b32 v2, s8\nflat_store_byte v[2:3], v1\ns_endpgm",
			more, stride, from, step, storing, r.Uint32()|1,
			[...]string{"ubyte v4", "ushort v4", "dword v4", "dwordx2 v[4:5]", "dwordx3 v[4:6]", "dwordx4 v[4:7]"}[kind],
			from+(stride+more*loading)*r.IntN(64)+step*loading-1+r.IntN(size+2))
		run := func(how judging) string {
			m, mod := loadText(t, kernelText(gcn.GFX803, text, ""))
			buf := m.Alloc(8192)
			buf.Bytes()[0] = 0 // so that it is defined
			return told(t, m, &sim.Launch{Module: mod, Kernel: "k", Grid: [3]uint32{3 * 64}, Group: [3]uint32{64}, Workers: 1,
				Kernarg: binary.LittleEndian.AppendUint64(nil, buf.Addr)}, how)
		}
		want := run(plainly)
		require.Equal(t, want, run(asUsers), "seed %d\n%s", seed, text)
		if strings.Contains(want, "race") {
			races++
		}
	}
	require.Positive(t, races)
}

// TestSegmentsOfLoadsInPlace: waves store to the addresses that they have loaded from. Work-groups may access the same
// dwords, or other dwords of the same shadow lines. One work-group executes other instructions than the rest.
func TestSegmentsOfLoadsInPlace(t *testing.T) {
	races, quiet := 0, 0
	for seed := range uint64(effort.Rounds(700)) {
		r := rand.New(rand.NewPCG(seed, 40))
		body := func() string {
			var text strings.Builder
			fmt.Fprintf(&text, "flat_load_dword v4, v[2:3]\n")
			for range 1 + r.IntN(4) {
				fmt.Fprintf(&text, "s_waitcnt vmcnt(0)\n%s\n", [...]string{
					"flat_load_dword v6, v[2:3]", "flat_load_ushort v6, v[2:3]", "flat_store_dword v[2:3], v4",
					"flat_store_dword v[2:3], v0", "flat_store_byte v[2:3], v0", "v_xor_b32 v2, 0x100, v2",
					"v_xor_b32 v2, 0x200, v2", fmt.Sprintf("s_mov_b32 exec_lo, 0x%x", r.Uint32()|1), "s_barrier",
					"v_xor_b32 v2, 0x100, v2\nflat_load_dword v6, v[2:3]\nv_xor_b32 v2, 0x100, v2",
				}[r.IntN(10)])
			}
			return text.String()
		}
		size := 64 << r.IntN(2)
		text := fmt.Sprintf(segmentBuffer+"v_mul_u32_u24 v1, %d, v0\ns_mul_i32 s3, s2, %d\n"+
			"v_add_u32 v1, vcc, s3, v1\nv_add_u32 v2, vcc, s8, v1\nv_mov_b32 v3, s9\ns_cmp_eq_u32 s2, %d\n"+
			"s_cbranch_scc1 one\n%ss_endpgm\none:\n%ss_endpgm", 4<<r.IntN(2),
			[...]int{0, 4, 128, 256, 512}[r.IntN(5)], r.IntN(4), body(), body())
		run := func(how judging) string {
			m, mod := loadText(t, kernelText(gcn.GFX803, text, ""))
			buf := m.Alloc(1 << 14)
			buf.Bytes()[0] = 0 // so that it is defined
			return told(t, m, &sim.Launch{Module: mod, Kernel: "k", Grid: [3]uint32{uint32(3 * size)},
				Group: [3]uint32{uint32(size)}, Workers: 1, Kernarg: binary.LittleEndian.AppendUint64(nil, buf.Addr)}, how)
		}
		want := run(plainly)
		require.Equal(t, want, run(asUsers), "seed %d\n%s", seed, text)
		if strings.Contains(want, "race") {
			races++
		} else {
			quiet++
		}
	}
	require.Positive(t, races)
	require.Positive(t, quiet)
}

// TestSegmentsOfTwoWaves compares the findings where two waves access the same dwords.
func TestSegmentsOfTwoWaves(t *testing.T) {
	for _, k := range []struct{ name, text, want string }{
		{"a store after both have had a turn", "flat_load_dword v4, v[2:3]\ns_waitcnt vmcnt(0)\ns_cbranch_vccz end\n" +
			"s_mov_b32 s20, 9000\nloop:\ns_sub_u32 s20, s20, 1\ns_cmp_lg_u32 s20, 0\ns_cbranch_scc1 loop\n" +
			"flat_store_dword v[2:3], v0\nend:\ns_endpgm", "error race"},
		{"a value, where others were before a barrier", "s_cbranch_vccz end\ns_mov_b32 s20, 3\nloop:\nv_mov_b32 v4, s20\n" +
			"ds_write_b32 v1, v4\ns_sub_u32 s20, s20, 1\ns_waitcnt lgkmcnt(0)\ns_cmp_lg_u32 s20, 0\n" +
			"s_cbranch_scc1 loop\nend:\ns_barrier\nv_mov_b32 v4, 7\nds_write_b32 v1, v4\ns_endpgm", "note race"},
	} {
		text := segmentBuffer + "s_mov_b32 m0, -1\nv_lshlrev_b32 v1, 2, v0\nv_and_b32 v1, 0xfc, v1\n" +
			"v_add_u32 v2, vcc, s8, v1\nv_mov_b32 v3, s9\nv_cmp_gt_u32 vcc, 64, v0\n" + k.text
		run := func(how judging) string {
			m, mod := loadText(t, kernelText(gcn.GFX803, text, ".amdhsa_group_segment_fixed_size 256"))
			return told(t, m, &sim.Launch{Module: mod, Kernel: "k", Grid: [3]uint32{128}, Group: [3]uint32{128}, Workers: 1,
				Kernarg: binary.LittleEndian.AppendUint64(nil, m.Alloc(4096).Addr)}, how)
		}
		want := run(plainly)
		require.Contains(t, want, k.want, k.name)
		require.Equal(t, want, run(oneByOne), k.name)
		require.Equal(t, want, run(asUsers), k.name)
	}
}

// TestSegmentsOfRepeats compares the findings in loops whose waves store to the same addresses again and again. After
// some iterations the addresses change, and the waves access the dwords of other waves.
func TestSegmentsOfRepeats(t *testing.T) {
	once := "s_cmp_lg_u32 s20, 3\ns_cbranch_scc1 over\n%s\nover:"
	for _, c := range []struct{ name, begin, before, after, between string }{
		{name: "an address", between: fmt.Sprintf(once, "v_xor_b32 v2, 0x100, v2")},
		{name: "an address in the batch", after: "v_xor_b32 v2, s21, v2",
			between: "s_cmp_eq_u32 s20, 3\ns_cselect_b32 s21, 0x100, 0"},
		{name: "an address by an instruction that is seen", begin: "v_xor_b32 v8, 0x100, v1",
			between: fmt.Sprintf(once, "s_mov_b32 m0, 0\nv_movreld_b32 v2, v8\ns_mov_b32 m0, -1")},
		{name: "EXEC", begin: "v_xor_b32 v2, v2, v3\ns_mov_b32 exec_hi, 0",
			between: fmt.Sprintf(once, "s_mov_b32 exec_hi, -1")},
		{name: "EXEC in the batch", begin: "v_xor_b32 v2, v2, v3\ns_mov_b64 s[22:23], 0\ns_mov_b32 exec_hi, 0",
			before: "s_or_b64 exec, exec, s[22:23]", after: "s_mov_b32 exec_hi, 0",
			between: fmt.Sprintf(once, "s_mov_b32 s23, -1")},
		{name: "an address in a loop", before: "v_mov_b32 v6, v1\ns_mov_b32 s22, 4\ninner:\nds_read_b32 v11, v6\n" +
			"s_waitcnt lgkmcnt(0)\ns_cmp_eq_u32 s22, 2\ns_cselect_b32 s23, 0x100, 0\nv_xor_b32 v6, s23, v6\n" +
			"s_sub_u32 s22, s22, 1\ns_cmp_lg_u32 s22, 0\ns_cbranch_scc1 inner"},
		{name: "the other wave", before: "ds_read_b32 v9, v4\nds_read_b32 v10, v4 offset:4",
			between: fmt.Sprintf(once, "v_xor_b32 v4, v4, v5")},
	} {
		text := "s_mov_b32 m0, -1\nv_lshlrev_b32 v1, 2, v0\nds_write_b32 v1, v0\nds_write_b32 v1, v0 offset:512\n" +
			"v_mov_b32 v2, v1\nv_and_b32 v3, 32, v0\nv_lshlrev_b32 v3, 3, v3\nv_mov_b32 v4, v1\n" +
			"v_and_b32 v5, 64, v0\nv_lshlrev_b32 v5, 2, v5\ns_mov_b32 s21, 0\ns_mov_b32 s20, 7\n" +
			strings.Join([]string{c.begin, "s_waitcnt lgkmcnt(0)\ns_barrier\nloop:", c.before,
				"ds_read_b32 v11, v1\nds_write_b32 v2, v0", c.after, "s_waitcnt lgkmcnt(0)\ns_barrier", c.between,
				"s_sub_u32 s20, s20, 1\ns_cmp_lg_u32 s20, 0\ns_cbranch_scc1 loop\ns_endpgm"}, "\n")
		for _, order := range []sim.Schedule{"", "reverse", "random:3"} {
			run := func(how judging) string {
				m, mod := loadText(t, kernelText(gcn.GFX803, text, ".amdhsa_group_segment_fixed_size 1024"))
				l := &sim.Launch{Module: mod, Kernel: "k", Grid: [3]uint32{256}, Group: [3]uint32{128}, Workers: 1,
					Schedule: order}
				return told(t, m, l, how)
			}
			want := run(plainly)
			require.Contains(t, want, "race", c.name)
			require.Equal(t, want, run(asUsers), "%s %s", c.name, order)
		}
	}
}

// TestSegmentsOfDispatches compares the findings in a work-group that one checker watches several times. Each time, its
// waves access the same dwords of LDS, after the same number of barriers.
func TestSegmentsOfDispatches(t *testing.T) {
	run := func(how judging) string {
		m, mod := loadText(t, kernelText(gcn.GFX803, "s_mov_b32 m0, -1\nv_and_b32 v1, 63, v0\nv_lshlrev_b32 v1, 2, v1\n"+
			"ds_write_b32 v1, v0\ns_waitcnt lgkmcnt(0)\ns_barrier\ns_endpgm", ".amdhsa_group_segment_fixed_size 256"))
		l := &sim.Launch{Module: mod, Kernel: "k", Grid: [3]uint32{128}, Group: [3]uint32{128}, Workers: 1}
		return toldOf(t, m, l, how, 4)
	}
	want := run(plainly)
	require.Contains(t, want, "race")
	require.Equal(t, want, run(asUsers))
}

// turnLines are accesses to memory, where v[16:17] changes in the loop, and to LDS, which all waves have written.
var turnLines = []string{
	"flat_load_dword v9, v[16:17]", "flat_load_dwordx2 v[10:11], v[16:17]", "flat_load_dword v9, v[18:19]",
	"ds_read_b32 v12, v1", "ds_read_b32 v13, v1 offset:4", "ds_read2_b32 v[14:15], v2 offset1:1", "ds_write_b32 v1, v0",
	"v_add_u32 v16, vcc, 0x200, v16", "v_mov_b32 v4, v1",
}

// TestSegmentsOfTurns compares the findings in loops that execute as batches, with accesses to memory and to LDS in any
// order. Another work-group, before or after some of the others, stores to the data that one of their iterations loads.
func TestSegmentsOfTurns(t *testing.T) {
	races := 0
	for seed := range uint64(effort.Rounds(300)) {
		r := rand.New(rand.NewPCG(seed, 39))
		var body strings.Builder
		for range 1 + r.IntN(6) {
			fmt.Fprintln(&body, turnLines[r.IntN(len(turnLines))])
		}
		storing := r.IntN(4)
		text := fmt.Sprintf(segmentBuffer+"s_mov_b32 m0, -1\nv_lshlrev_b32 v1, 2, v0\nv_xor_b32 v2, 0x100, v1\n"+
			"s_lshl_b32 s12, s2, 12\nv_add_u32 v16, vcc, s12, v1\nv_add_u32 v16, vcc, s8, v16\nv_mov_b32 v17, s9\n"+
			"v_add_u32 v18, vcc, s8, v2\nv_mov_b32 v19, s9\nds_write_b32 v1, v0\nds_write_b32 v1, v0 offset:512\n"+
			"s_waitcnt lgkmcnt(0)\ns_barrier\ns_mov_b32 s20, %d\ns_cmp_eq_u32 s2, %d\ns_cbranch_scc1 store\nloop:\n"+
			"%ss_waitcnt vmcnt(0) lgkmcnt(0)\nv_add_u32 v16, vcc, 0x200, v16\ns_sub_u32 s20, s20, 1\n"+
			"s_cmp_lg_u32 s20, 0\ns_cbranch_scc1 loop\ns_endpgm\nstore:\ns_add_u32 s8, s8, 0x%x\n"+
			"v_add_u32 v16, vcc, s8, v1\nflat_store_dword v[16:17], v0\ns_endpgm",
			3+r.IntN(6), storing, body.String(), r.IntN(4)<<12+r.IntN(8)<<9)
		run := func(how judging) string {
			m, mod := loadText(t, kernelText(gcn.GFX803, text, ".amdhsa_group_segment_fixed_size 1024"))
			buf := m.Alloc(1 << 15)
			buf.Bytes()[0] = 0 // so that it is defined
			return told(t, m, &sim.Launch{Module: mod, Kernel: "k", Grid: [3]uint32{512}, Group: [3]uint32{128}, Workers: 1,
				Kernarg: binary.LittleEndian.AppendUint64(nil, buf.Addr)}, how)
		}
		want := run(plainly)
		require.Equal(t, want, run(asUsers), "seed %d\n%s", seed, text)
		races += strings.Count(want, "error race")
	}
	require.Positive(t, races)
}

// compareText compares the findings in a kernel with eight work-groups, see [compareSegments].
func compareText(t testing.TB, name, text string) {
	run := func(how judging) string {
		m, mod := loadText(t, kernelText(gcn.GFX803, text, ".amdhsa_group_segment_fixed_size 1024"))
		l := &sim.Launch{Module: mod, Kernel: "k", Grid: [3]uint32{512}, Group: [3]uint32{64}, Workers: 1,
			Kernarg: binary.LittleEndian.AppendUint64(nil, m.Alloc(4096).Addr)}
		return told(t, m, l, how)
	}
	require.Equal(t, run(plainly), run(asUsers), name)
}

// compareSegments compares the findings in a random kernel with those if each instruction is judged by itself, and with
// those if also each dword is.
func compareSegments(t testing.TB, seed uint64, kernel func(*rand.Rand, gcn.Target) string) {
	r := rand.New(rand.NewPCG(seed, 35))
	target := [...]gcn.Target{gcn.GFX600, gcn.GFX701, gcn.GFX803, gcn.GFX900}[r.IntN(4)]
	text := kernelText(target, kernel(r, target), ".amdhsa_group_segment_fixed_size 1024")
	waves, groups, order := 1+r.IntN(3), 1+r.IntN(3), [...]sim.Schedule{"", "reverse", "random:3"}[r.IntN(3)]
	run := func(how judging) string {
		m, mod := loadText(t, text)
		buf := m.Alloc(4096)
		for i := range buf.Bytes() {
			buf.Bytes()[i] = byte(i * 7)
		}
		size := uint32(64*waves - 5)
		l := &sim.Launch{Module: mod, Kernel: "k", Grid: [3]uint32{size * uint32(groups)}, Group: [3]uint32{size}, Workers: 1,
			Kernarg: binary.LittleEndian.AppendUint64(nil, buf.Addr), Schedule: order}
		l.Limit = 5000
		return told(t, m, l, how)
	}
	want := run(plainly)
	require.Equal(t, want, run(oneByOne), "one by one, seed %d\n%s", seed, text)
	require.Equal(t, want, run(asUsers), "seed %d\n%s", seed, text)
}

// compareSeeds calls compareSegments with the seeds of random kernels: 800 in full mode, else fewer.
func compareSeeds(t *testing.T, fewer uint64, kernel func(*rand.Rand, gcn.Target) string) {
	seeds := fewer
	if effort.Full() {
		seeds = 800
	}
	for seed := range seeds {
		compareSegments(t, seed, kernel)
	}
}

func TestSegmentsOfRandomKernels(t *testing.T) {
	compareSeeds(t, 25, randomKernel)
	compareSegments(t, 36, randomKernel)   // a load of a segment overwrites the register of another load
	compareSegments(t, 304, randomKernel)  // a batch branches back, and then forward to its first instruction
	compareSegments(t, 5450, randomKernel) // loads are complete because stores after them fill a counter
	compareSegments(t, 583, randomKernel)  // the turn of a wave ends within a segment, after a batch of another wave
}

func TestSegmentsOfAtomics(t *testing.T) { compareSeeds(t, 60, randomAtomics) }

// TestSegmentsInBlocks runs the tests of segments in a process whose programs are compiled before they execute, so that
// loads and stores of segments are recorded, and in a process that executes compiled blocks every other time.
func TestSegmentsInBlocks(t *testing.T) {
	for _, blocks := range []string{"hot", "random"} {
		if blocks == "random" && !effort.Full() {
			continue
		}
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestSegmentsOf")
		cmd.Env = append(os.Environ(), "GCNSIM_BLOCKS="+blocks, "GCNSIM_TESTS=")
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s: %s", blocks, out)
	}
}

// FuzzSegments: a random kernel has the same findings whether segments or single instructions are judged.
func FuzzSegments(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(func(t *testing.T, seed uint64) {
		compareSegments(t, seed, randomKernel)
		compareSegments(t, seed, randomLoop)
	})
}

// TestSegmentsAreUsed: the checker receives no events of most instructions of a compiled kernel.
func TestSegmentsAreUsed(t *testing.T) {
	m, l := launchOf(t, filepath.Join(compiled, "mandelbrot.fiji.json"))
	c, err := check.New("all")
	require.NoError(t, err)
	w := &shownOf{Checker: c}
	require.NoError(t, l.Watch(w))
	res, err := m.Dispatch(context.Background(), *l)
	require.NoError(t, err)
	require.Less(t, w.shown, res.Instructions/4)
}

// shownOf counts the instructions whose events a checker receives.
type shownOf struct {
	*check.Checker
	shown uint64
}

func (s *shownOf) Retire(e *sim.Event) {
	s.shown++
	s.Checker.Retire(e)
}

// asking is a checker that replaces [unseen.Needs].
type asking struct {
	*check.Checker
	unseen unseen.Needs[*sim.Event]
}

func (a *asking) Unseen() any { return a.unseen }
