package check_test

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/sim/codeobj"
	"github.com/gcnsim/gcnsim/internal/testkit/effort"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/sim/check"
)

// kernelText returns the text of a code object with kernel k. The kernel receives the address of its arguments in two
// SGPRs, and v0. more is text that is added to the descriptor.
func kernelText(target gcn.Target, text, more string) string {
	return fmt.Sprintf(`	.amdgcn_target "amdgcn-amd-amdhsa--%v"
	.text
	.globl k
	.p2align 8
	.type k,@function
k:
%s
	.section .rodata,"a",@progbits
	.p2align 6
	.amdhsa_kernel k
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_next_free_vgpr 32
		.amdhsa_next_free_sgpr 48
		%s
	.end_amdhsa_kernel
`, target, text, more)
}

// pathsOf checks all paths through a kernel.
func pathsOf(t testing.TB, mod *sim.Module, kernel string, kinds ...string) ([]check.Finding, check.Paths) {
	t.Helper()
	c, err := check.New(kinds...)
	require.NoError(t, err)
	p, err := c.Paths(t.Context(), mod, kernel)
	require.NoError(t, err)
	return c.Findings(), p
}

func loadText(t testing.TB, text string) (*sim.Machine, *sim.Module) {
	t.Helper()
	o, err := codeobj.Parse([]byte(text))
	require.NoError(t, err, text)
	m := sim.New(o.Target)
	mod, err := m.LoadObject([]byte(text))
	require.NoError(t, err)
	return m, mod
}

// brief returns a finding in short, with addresses relative to base.
func brief(f *check.Finding, base uint64) string {
	from := ""
	if f.Producer != nil {
		from = fmt.Sprintf("<-0x%x", f.Producer.PC-base)
	}
	return fmt.Sprintf("%v %s@0x%x%s %s", f.Severity, f.Kind, f.PC-base, from, f.Reg)
}

func briefs(found []check.Finding, base uint64) (all []string) {
	for i := range found {
		all = append(all, strings.TrimSpace(brief(&found[i], base)))
	}
	return all
}

func entryOf(mod *sim.Module) uint64 { return mod.Base + mod.Object.Kernels[0].Entry }

// TestPaths has programs with defects on a path that a single run need not show.
func TestPaths(t *testing.T) {
	const load = "s_load_dwordx2 s[4:5], s[0:1], 0x0\n"
	const oneOfTwo = `s_swappc_b64 s[30:31], s[8:9]
		s_endpgm
		f: s_waitcnt lgkmcnt(0)
		s_setpc_b64 s[30:31]
		g: s_mov_b32 s7, s4
		s_setpc_b64 s[30:31]`
	for _, c := range []struct{ name, text, more, want string }{
		{"on one of two ways", load + `s_cbranch_scc1 other
			s_waitcnt lgkmcnt(0)
			other: s_mov_b32 s6, s4
			s_endpgm`, "", "error uninit@0x8 scc, error wait-raw@0x10<-0x0 s4"},
		{"the second time around", `s_mov_b32 s6, 4
			s_mov_b32 s4, 0
			loop: s_add_u32 s6, s6, s4
			s_load_dword s4, s[0:1], 0x0
			s_cmp_lg_u32 s6, 0
			s_cbranch_scc1 loop
			s_endpgm`, "", "error wait-raw@0x8<-0xc s4"},
		{"fewer followed on one way", `s_mov_b32 s6, s0
			s_cmp_lg_u32 s6, 0
			v_mov_b32 v2, 0
			v_mov_b32 v3, 0
			global_load_dword v1, v[2:3], off
			s_cbranch_scc1 other
			global_load_dword v4, v[2:3], off
			other: s_waitcnt vmcnt(1)
			v_mov_b32 v5, v1
			s_endpgm`, "", "error wait-raw@0x28<-0x10 v1"},
		{"lanes that may be others", `v_mov_b32 v2, 0
			v_mov_b32 v3, 0
			v_cmp_eq_u32 vcc, 0, v0
			s_and_saveexec_b64 s[4:5], vcc
			global_load_dword v1, v[2:3], off
			s_xor_b64 exec, exec, s[4:5]
			v_mov_b32 v1, 0
			s_endpgm`, "", ""},
		{"wait states across a branch", `v_mov_b32 v2, 0
			s_cmp_lg_u32 s0, 0
			s_cbranch_scc1 other
			s_nop 4
			s_branch use
			other: v_readfirstlane_b32 s4, v2
			use: buffer_load_dword v1, v2, s[4:7], 0 offen
			s_endpgm`, "", "error wait-state@0x18<-0x14 s4, error uninit@0x18 s5"},
		{"never written", "v_mov_b32 v3, 0\nglobal_load_dword v1, v[2:3], off\ns_endpgm", "", "error uninit@0x4 v2"},
		{"written on one way", `s_cmp_lg_u32 s0, 0
			s_cbranch_scc1 other
			v_mov_b32 v2, 0
			other: v_mov_b32 v3, 0
			global_load_dword v1, v[2:3], off
			s_endpgm`, "", ""},
		{"in a function", load + `s_getpc_b64 s[8:9]
			s_add_u32 s8, s8, f-k-12
			s_addc_u32 s9, s9, 0
			s_swappc_b64 s[30:31], s[8:9]
			s_mov_b32 s6, s5
			s_endpgm
			f: s_mov_b32 s7, s4
			s_setpc_b64 s[30:31]`, "", "error wait-raw@0x24<-0x0 s4"},
		{"a call of itself", load + `s_waitcnt lgkmcnt(0)
			s_getpc_b64 s[8:9]
			s_add_u32 s8, s8, f-k-16
			s_addc_u32 s9, s9, 0
			s_swappc_b64 s[30:31], s[8:9]
			s_mov_b32 s6, s20
			s_endpgm
			f: s_load_dword s20, s[0:1], 0x0
			s_cmp_lg_u32 s4, 0
			s_cbranch_scc1 end
			s_swappc_b64 s[34:35], s[8:9]
			end: s_setpc_b64 s[30:31]`, "", "error wait-raw@0x20<-0x28 s20, error wait-waw@0x28<-0x28 s20"},
		{"a function whose address was in lanes of a VGPR", load + `s_getpc_b64 s[30:31]
			s_add_u32 s30, s30, f-k-12
			s_addc_u32 s31, s31, 0
			v_writelane_b32 v9, s30, 5
			v_writelane_b32 v9, s31, 7
			s_mov_b32 s31, 0
			v_mov_b32 v8, 0
			v_readlane_b32 s30, v9, 5
			v_readlane_b32 s31, v9, 7
			s_swappc_b64 s[30:31], s[30:31]
			s_endpgm
			f: s_mov_b32 s7, s5
			s_setpc_b64 s[30:31]`, "", "error wait-raw@0x48<-0x0 s5"},
		{"one of two functions, by a condition", load + "s_cmp_eq_u32 s0, 0\ns_getpc_b64 s[8:9]\n" +
			"s_add_u32 s10, s8, g-k-16\ns_add_u32 s8, s8, f-k-16\ns_cmp_eq_u32 s0, 0\ns_cselect_b32 s8, s8, s10\n" + oneOfTwo,
			"", "error wait-raw@0x38<-0x0 s4"},
		{"one of two functions, lane by lane", load + "v_cmp_eq_u32 vcc, 0, v0\ns_getpc_b64 s[8:9]\n" +
			"s_add_u32 s10, s8, g-k-16\ns_add_u32 s8, s8, f-k-16\nv_mov_b32 v1, s8\nv_mov_b32 v2, s10\n" +
			"v_cndmask_b32 v1, v1, v2, vcc\nv_readfirstlane_b32 s8, v1\n" + oneOfTwo, "", "error wait-raw@0x40<-0x0 s4"},
		{"a function whose address was in a VGPR that is written", `s_getpc_b64 s[30:31]
			v_writelane_b32 v9, s30, 5
			v_writelane_b32 v9, s31, 7
			v_mov_b32 v9, 0
			v_readlane_b32 s30, v9, 5
			v_readlane_b32 s31, v9, 7
			s_swappc_b64 s[30:31], s[30:31]
			s_endpgm`, "", "note unfollowed@0x28"},
		{"where it goes on is loaded", load + "s_waitcnt lgkmcnt(0)\ns_setpc_b64 s[4:5]\nv_mov_b32 v1, 0\ns_endpgm", "",
			"note unfollowed@0xc"},
		{"a function that is loaded", load + "s_waitcnt lgkmcnt(0)\ns_swappc_b64 s[30:31], s[4:5]\ns_endpgm", "",
			"note unfollowed@0xc"},
		{"behind the end", "s_endpgm\ns_nop 0\nv_mov_b32 v1, 0\nv_mov_b32 v2, 0\ns_endpgm", "", "note unreachable@0x8"},
		{"a barrier that waves may skip", `v_cmp_eq_u32 vcc, 0, v0
			s_and_saveexec_b64 s[4:5], vcc
			s_cbranch_execz out
			s_barrier
			out: s_endpgm`, "", "note barrier@0xc<-0x8"},
		{"a barrier on all ways", `v_cmp_eq_u32 vcc, 0, v0
			s_and_saveexec_b64 s[4:5], vcc
			s_cbranch_execz out
			v_mov_b32 v1, 0
			out: s_barrier
			s_endpgm`, "", ""},
		{"no instruction", "s_branch beyond\n.long 0xffffffff\nbeyond: .long 0xffffffff", "", "note unfollowed@0x0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, mod := loadText(t, kernelText(gcn.GFX900, c.text, c.more))
			found, _ := pathsOf(t, mod, "k", "wait", "wait-state", "uninit", "paths")
			assert.Equal(t, c.want, strings.Join(briefs(found, entryOf(mod)), ", "))
			for _, f := range found {
				assert.Equal(t, f.Kind == check.Unreachable, len(f.Path) == 0, "%v", f)
				assert.Zero(t, f.Count, "%v", f)
				text, err := json.Marshal(f)
				require.NoError(t, err)
				assert.Contains(t, string(text), `"executed":false`)
				var again check.Finding
				require.NoError(t, json.Unmarshal(text, &again))
				more, err := json.Marshal(again)
				require.NoError(t, err)
				assert.JSONEq(t, string(text), string(more))
			}
		})
	}
}

// TestTakenPath: a finding of paths that a run does not have says whether the run took each branch of its path.
func TestTakenPath(t *testing.T) {
	m, mod := loadText(t, kernelText(gcn.GFX803, `s_load_dwordx4 s[4:7], s[0:1], 0x0
		s_movk_i32 s9, 40
		s_waitcnt lgkmcnt(0)
		v_mov_b32 v2, s4
		v_mov_b32 v3, s5
		v_mov_b32 v5, 0
		s_and_b32 m0, s7, 3
		flat_load_dword v8, v[2:3]
		loop: v_add_u32 v4, vcc, v5, v5
		s_sub_u32 s9, s9, 1
		s_cmp_lg_u32 s9, 0
		s_cbranch_scc1 loop
		s_cmp_lg_u32 s6, 0
		s_cbranch_scc0 use
		s_waitcnt vmcnt(0) & lgkmcnt(0)
		use: v_movrels_b32 v6, v5
		s_endpgm`, ".amdhsa_kernarg_size 16"))
	for way, taken := range map[int]uint64{0: 1, 1: 0} {
		c, err := check.New("wait-raw", "paths")
		require.NoError(t, err)
		runWay(t, m, mod, c, way)
		found := c.Findings()
		require.Equal(t, []string{"warning wait-raw@0x44<-0x20 v8"}, briefs(found, entryOf(mod)))
		require.Equal(t, taken, found[0].Count, "way %d", way)
	}
}

// TestPathsOfCompiledKernels: compilers insert the waits that hardware requires on all paths, so an error or a warning
// about compiled code is a false alarm.
func TestPathsOfCompiledKernels(t *testing.T) {
	for i, file := range specifications(t, "*.json") {
		if effort.LeavesOut(i) {
			continue
		}
		_, l := launchOf(t, file)
		found, p := pathsOf(t, l.Module, l.Kernel, "all")
		assert.Positive(t, p.Instructions, file)
		for _, f := range found {
			if f.Kind != check.Uninit || f.Reg != miscompiled[filepath.Base(file)] {
				assert.LessOrEqual(t, f.Severity, check.Note, "%s: %v", file, f)
			}
		}
	}
}

// TestPathsAreWhatRunsTake compares the findings on the paths of random programs with those of runs that take all of
// the paths. Runs find no more. In programs without a loop, a run finds each error on a path.
func TestPathsAreWhatRunsTake(t *testing.T) {
	effort.Long(t)
	programs, found := 0, 0
	for seed := range uint64(effort.Rounds(300)) {
		r := rand.New(rand.NewPCG(seed, 7))
		loops := seed%3 == 0
		target := []gcn.Target{gcn.GFX701, gcn.GFX803, gcn.GFX900}[seed%3]
		text, ways := randomPaths(r, target, loops)
		m, mod := loadText(t, kernelText(target, text, ".amdhsa_kernarg_size 16"))
		kinds := []string{"wait-raw", "wait-waw", "wait-war", "wait-state", "vccz"}
		paths, _ := pathsOf(t, mod, "k", kinds...)
		static := distinct(paths, entryOf(mod))
		isMilder := func(f check.Finding) bool { return f.Severity < check.Error }
		errors := distinct(slices.DeleteFunc(paths, isMilder), entryOf(mod))
		runs := map[string]bool{}
		for way := range ways {
			c, err := check.New(kinds...)
			require.NoError(t, err)
			runWay(t, m, mod, c, way)
			for _, s := range distinct(c.Findings(), entryOf(mod)) {
				runs[s] = true
			}
		}
		for s := range runs {
			require.Contains(t, static, s, "seed %d\n%s", seed, text)
		}
		for _, s := range errors {
			require.True(t, loops || runs[s], "seed %d: %s, runs %v\n%s", seed, s, runs, text)
		}
		programs++
		found += len(errors)
	}
	t.Logf("%d programs, %d findings", programs, found)
	require.Greater(t, found, programs)
}

// distinct returns findings in short, without duplicates. A missing wait counts once for the instruction that needs
// the wait, whichever outstanding instruction the finding names.
func distinct(found []check.Finding, base uint64) (all []string) {
	for _, f := range found {
		if s := fmt.Sprintf("%s@0x%x", f.Kind, f.PC-base); !slices.Contains(all, s) {
			all = append(all, s)
		}
	}
	return all
}

// runWay runs kernel k with way as the value by which its branches decide.
func runWay(t *testing.T, m *sim.Machine, mod *sim.Module, c *check.Checker, way int) {
	t.Helper()
	b := m.Alloc(4096)
	defer m.Free(b)
	args := binary.LittleEndian.AppendUint64(nil, b.Addr)
	l := sim.Launch{Module: mod, Kernel: "k", Grid: [3]uint32{64}, Group: [3]uint32{64}, DynamicLDS: 1024,
		Kernarg: binary.LittleEndian.AppendUint64(args, uint64(way))}
	require.NoError(t, l.Watch(c))
	_, err := m.Dispatch(t.Context(), l)
	require.NoError(t, err)
}

// randomPaths returns a program whose branches test bits of s6, some bits several times, and the number of values of
// s6 that the bits allow.
func randomPaths(r *rand.Rand, target gcn.Target, loops bool) (text string, ways int) {
	const blocks, counter, bits = 6, 3, 4
	var b strings.Builder
	fmt.Fprintf(&b, `s_load_dwordx2 s[4:5], s[0:1], 0x0
		s_load_dword s6, s[0:1], %s
		s_waitcnt lgkmcnt(0)
		s_mov_b32 m0, -1
		s_mov_b32 s8, s4
		s_and_b32 s9, s5, 0xffff
		s_movk_i32 s10, 0x1000
		s_mov_b32 s11, 0x27fac
		s_mov_b32 s7, 3
		v_lshlrev_b32 v20, 2, v0
		v_mov_b32 v22, s4
		v_mov_b32 v23, s5
		s_nop 4
	`, map[bool]string{false: "0x2", true: "0x8"}[target.Gen() >= gcn.GCN12])
	for n := range 4 {
		fmt.Fprintf(&b, "v_mov_b32 v%d, 0\ns_mov_b32 s%d, 0\n", n+1, n+20)
	}
	v := func() string { return fmt.Sprintf("v%d", 1+r.IntN(4)) }
	s := func() string { return fmt.Sprintf("s%d", 20+r.IntN(4)) }
	insts := []func() string{
		func() string { return fmt.Sprintf("buffer_load_dword %s, v20, s[8:11], 0 offen", v()) },
		func() string { return fmt.Sprintf("buffer_store_dword %s, v20, s[8:11], 0 offen", v()) },
		func() string { return fmt.Sprintf("buffer_load_dword %s, v20, s[8:11], %s offen", v(), s()) },
		func() string { return fmt.Sprintf("s_load_dword %s, s[4:5], 0x0", s()) },
		func() string { return fmt.Sprintf("ds_read_b32 %s, v20", v()) },
		func() string { return fmt.Sprintf("s_waitcnt vmcnt(%d)", r.IntN(3)) },
		func() string { return fmt.Sprintf("s_waitcnt lgkmcnt(%d)", r.IntN(2)) },
		func() string { return "s_waitcnt vmcnt(0) lgkmcnt(0)" },
		func() string { return fmt.Sprintf("v_mov_b32 %s, %s", v(), v()) },
		func() string { return fmt.Sprintf("v_mov_b32 %s, %s", v(), s()) },
		func() string { return fmt.Sprintf("s_mov_b32 %s, %s", s(), s()) },
		func() string { return fmt.Sprintf("v_readfirstlane_b32 %s, %s", s(), v()) },
		func() string { return fmt.Sprintf("flat_load_dword %s, v[22:23]", v()) },
		func() string { return fmt.Sprintf("s_mov_b64 exec, %d", []int{1, 2, 3, -1, -1}[r.IntN(5)]) },
		func() string {
			index := []string{"s_mov_b32 s12, 1", "s_mov_b32 s12, 2", "s_and_b32 s12, s6, 3"}[r.IntN(3)]
			if target == gcn.GFX900 {
				return index + "\ns_set_gpr_idx_on s12, 1\nv_mov_b32 " + v() + ", v1\ns_set_gpr_idx_off"
			}
			return index + "\ns_mov_b32 m0, s12\ns_nop 4\nv_movrels_b32 " + v() + ", v1\ns_mov_b32 m0, -1"
		},
	}
	for n := range blocks {
		fmt.Fprintf(&b, "block%d:\n", n)
		for range r.IntN(5) {
			b.WriteString(insts[r.IntN(len(insts))]() + "\n")
		}
		switch {
		case loops && r.IntN(counter) == 0:
			fmt.Fprintf(&b, "s_sub_u32 s7, s7, 1\ns_cmp_gt_i32 s7, 0\ns_cbranch_scc1 block%d\n", r.IntN(n+1))
		default:
			fmt.Fprintf(&b, "s_bitcmp1_b32 s6, %d\ns_cbranch_scc1 block%d\n", r.IntN(bits), n+1+r.IntN(blocks-n))
		}
	}
	fmt.Fprintf(&b, "block%d: s_endpgm\n", blocks)
	return b.String(), 1 << bits
}
