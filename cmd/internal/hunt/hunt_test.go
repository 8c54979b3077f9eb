package hunt

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/cmd/internal/hunt/edge"
	"github.com/gcnsim/gcnsim/internal/sim/compare"
	"github.com/gcnsim/gcnsim/internal/testkit/effort"
)

func TestBuilds(t *testing.T) {
	got, err := builds([]string{"a {O} {cpu}", "b {out} {in} {O} {cpu}"}, []string{"-O0", "-O2 -g"}, []string{"gfx803"})
	require.NoError(t, err)
	var lines []string
	for _, b := range got {
		lines = append(lines, b.Name+": "+b.line("k.cl", "k.o"))
	}
	assert.Equal(t, []string{"1: a -O0 gfx803 k.cl -o k.o", "2: a -O2 -g gfx803 k.cl -o k.o", "3: b k.o k.cl -O0 gfx803",
		"4: b k.o k.cl -O2 -g gfx803"}, lines)
	for _, c := range []struct{ command, levels, chips, says string }{
		{"a {O}", "", "", `"a {O} {in} -o {out}" has {O}; give values for it with --levels`},
		{"a", "-O0", "", `"a {in} -o {out}" has no {O}, so that --levels has no effect`},
		{"a {cpu}", "", "", `"a {cpu} {in} -o {out}" has {cpu}; give values for it with --chips`},
		{"a", "", "gfx900", `"a {in} -o {out}" has no {cpu}, so that --chips has no effect`},
		{"a {in}", "", "", `"a {in}" has no {out}; give both {in} and {out}, or neither`},
	} {
		_, err := builds([]string{c.command}, strings.Fields(c.levels), strings.Fields(c.chips))
		require.EqualError(t, err, c.says)
	}
}

// TestSignaturesOfProcessors: a bug has the same signature on two processors. The computed operations matter.
func TestSignaturesOfProcessors(t *testing.T) {
	assert.Equal(t, unspelled("memory: a flat_store_dword,v_add_u32_e32,v_lshlrev_b32_e32; b v_xor_b32_e64"),
		unspelled("memory: a buffer_store_dword,v_add_i32_e32,v_lshl_b32_e32,v_lshlrev_b32_e32; b v_xor_b32_sdwa"))
	assert.Equal(t, unspelled("memory: a global_load_dword,v_mov_b32_e32; b flat_store_dword"),
		unspelled("memory: a flat_store_dword,v_mov_b32_e32; b buffer_store_dword"))
	assert.Equal(t, "memory: a v_add_u32; b -", unspelled("memory: a v_add_co_u32_e32,v_add_u32_e64; b -"))
	assert.NotEqual(t, unspelled("answer: v_add_i32"), unspelled("answer: v_addc_u32"))
	assert.Equal(t, "crash: LLVM ERROR: cannot select *, or add", unspelled("crash: LLVM ERROR: cannot select *, or add"))
}

// TestNearest: the first reference of a bad build is the right build with the most similar command.
func TestNearest(t *testing.T) {
	right := []*build{{"1", "llc-19 -O0 gfx803"}, {"2", "llc-22 -O2 gfx900"}, {"3", "llc-19 -O2 gfx803"}}
	t.Run("some", func(t *testing.T) {
		assert.Equal(t, "3", (&trial{right: right}).nearest(&build{"4", "llc-19 -O2 -global-isel gfx803"})[0].Name)
	})
	t.Run("none", func(t *testing.T) { assert.Empty(t, (&trial{}).nearest(right[0])) })
}

// TestUnnamed: programs whose signature does not identify a bug are reduced a few times for each set of wrong builds,
// and then less and less often.
func TestUnnamed(t *testing.T) {
	h := &Hunt{state: emptyState(), claimed: map[string]bool{}, tries: map[string]int{}}
	s := &suspect{&failure{Kind: wrong}, []*build{{Name: "1"}, {Name: "2"}}}
	var admitted []int
	for n := range 40 {
		if h.admits("answer: vmem_store", s, false) {
			admitted = append(admitted, n+1)
		}
	}
	assert.Equal(t, []int{1, 2, 3, 4, 8, 16, 32}, admitted)
	assert.True(t, h.admits("answer: vmem_store", &suspect{s.failure, s.builds[:1]}, false), "other builds")
	assert.True(t, h.admits("memory: a x; b y", s, true))
	assert.False(t, h.admits("memory: a x; b y", s, true), "it is known")
}

// TestCoverage: an epoch counts in the order of seeds, whatever program ended first. After that every second program
// has the preferences of a parent.
func TestCoverage(t *testing.T) {
	h := &Hunt{state: emptyState()}
	assert.Equal(t, edge.Of(7), h.origin(7))
	c := &h.state.Coverage
	c.Pending[3], c.Pending[2], c.Pending[1] = []string{"b", "c"}, []string{"b"}, []string{"a"}
	c.end()
	assert.Equal(t, map[string]uint64{"a": 1, "b": 2, "c": 1}, c.Forms)
	assert.Equal(t, []uint64{1, 2, 3}, c.Parents)
	assert.Empty(t, c.Pending)
	c.Pending[4] = []string{"a", "b", "c"}
	c.end()
	assert.Equal(t, []uint64{1, 2, 3}, c.Parents, "4 has nothing new")
	assert.Equal(t, edge.Of(8), h.origin(8))
	assert.Contains(t, c.Parents, h.origin(9).Like)
	assert.Equal(t, h.origin(9), h.origin(9))
}

// TestEpochs: programs and their results do not depend on how many are tried at a time.
func TestEpochs(t *testing.T) {
	t.Parallel()
	if !effort.Full() {
		t.Skip("GCNSIM_TESTS=full tries 140 programs")
	}
	needs(t, "clang-19")
	known := func(jobs int) coverage {
		h := hunting(t, "clang-19 -x assembler --target=amdgcn-amd-amdhsa -mcpu=gfx900 -c")
		h.Assembly, h.Jobs, h.Count = true, jobs, epoch+6
		sum, err := h.Run(t.Context())
		require.NoError(t, err)
		assert.Equal(t, h.Count, sum.Judged, sum.First)
		return h.state.Coverage
	}
	one, four := known(1), known(4)
	assert.Equal(t, one, four)
	assert.Len(t, one.Pending, 6)
	assert.Contains(t, one.Parents, uint64(0))
	assert.EqualValues(t, epoch, one.Forms["s_endpgm SOPP"])
}

// needs skips a test if a program is not installed.
func needs(t *testing.T, names ...string) {
	t.Helper()
	for _, name := range names {
		if _, err := exec.LookPath(name); err != nil {
			t.Skipf("%s is not installed", name)
		}
	}
}

// hunting returns a hunt of a few programs with a compiler, in a directory of its own.
func hunting(t *testing.T, command string) *Hunt {
	t.Helper()
	effort.Long(t)
	needs(t, "cc")
	return &Hunt{CC: []string{command}, Host: "cc", Out: filepath.Join(t.TempDir(), "bugs"), Count: 3, Jobs: 2,
		CompileTime: time.Minute, ReduceTime: time.Second}
}

// TestSelecting: an operation that LLVM cannot select has the same name in messages of GlobalISel and of SelectionDAG
// of all versions.
func TestSelecting(t *testing.T) {
	for said, want := range map[string]string{
		"LLVM ERROR: cannot select: %5:vgpr(s64) = G_FOO %1:vgpr":               "G_FOO",
		"LLVM ERROR: Cannot select: 0x7f: i32 = AMDGPUISD::PERM # D:1 0x1, 0x2": "PERM",
		"LLVM ERROR: Cannot select: t14: i32 = PERM # D:1 t5, Constant:i32<7>":  "PERM",
		"LLVM ERROR: Cannot select: t14: i32 = FP_ROUND":                        "FP_ROUND",
		"LLVM ERROR: cannot select: G_STORE %1:vgpr(s32), %2 :: (store (s32))":  "G_STORE",
		"error in backend: Cannot select: t9: ch = store<(store (s32))> t1, t2": "store",
	} {
		assert.Equal(t, want, selecting.FindStringSubmatch(said)[1])
	}
}

// TestCompilersThatFail: a compiler that crashes is one bug for all programs. A compiler that refuses programs is not
// a bug.
func TestCompilersThatFail(t *testing.T) {
	t.Parallel()
	h := hunting(t, "echo 'LLVM ERROR: ran out of registers 17'; : {in} {out}; exit 134")
	sum, err := h.Run(t.Context())
	require.NoError(t, err)
	require.Len(t, sum.Bugs, 1)
	assert.Equal(t, "crash: LLVM ERROR: ran out of registers *", sum.Bugs[0].Signature)
	assert.Equal(t, [4]uint64{3, 3, 1, 2}, [4]uint64{sum.Programs, sum.Judged, sum.New, sum.Again})
	for _, name := range []string{openCL.file(), openCL.original(), "report.md", "commands.txt", "signature"} {
		assert.FileExists(t, filepath.Join(h.Out, sum.Bugs[0].Name, name))
	}
	// The hunt continues after the last program and knows the bug. A file of known signatures has the same effect.
	again := hunting(t, h.CC[0])
	again.Out, again.Known = h.Out, Signatures([]byte("# ours\n\n"+sum.Bugs[0].Signature+"\n"))
	after, err := again.Run(t.Context())
	require.NoError(t, err)
	assert.Empty(t, after.Bugs)
	assert.Equal(t, uint64(3), after.Again)
	assert.Equal(t, uint64(6), again.state.Next)

	one := func(command string) *Hunt { // with a single program, which is enough to see how a compiler fails
		h := hunting(t, command)
		h.Count = 1
		return h
	}
	dump := one(`echo "PLEASE submit a bug report"; echo "2.	Running pass 'Register Coalescer' on function '@k'"; ` +
		": {in} {out}; exit 134")
	sum, err = dump.Run(t.Context())
	require.NoError(t, err)
	require.Len(t, sum.Bugs, 1)
	assert.Equal(t, "crash: Register Coalescer", sum.Bugs[0].Signature)
	selects := one("echo 'LLVM ERROR: cannot select: %5:vgpr(s64) = G_FOO %1'; : {in} {out}; exit 134")
	sum, err = selects.Run(t.Context())
	require.NoError(t, err)
	require.Len(t, sum.Bugs, 1)
	assert.Equal(t, "crash: cannot select G_FOO", sum.Bugs[0].Signature)
	mute := one(": {in} {out}; exit 139")
	sum, err = mute.Run(t.Context())
	require.NoError(t, err)
	require.Len(t, sum.Bugs, 1)
	assert.Equal(t, "crash: the compiler ended with status 139", sum.Bugs[0].Signature)

	for command, counts := range map[string]func(*Summary) uint64{
		"echo 'error: unknown argument'; : {in} {out}; exit 1": func(s *Summary) uint64 { return s.Refused },
		": {in} {out}":            func(s *Summary) uint64 { return s.Refused },
		": {in}; echo no > {out}": func(s *Summary) uint64 { return s.Unrun },
	} {
		sum, err := one(command).Run(t.Context())
		require.NoError(t, err)
		assert.Equal(t, [3]uint64{1, 0, 1}, [3]uint64{sum.Programs, sum.Judged, counts(sum)}, command)
		assert.NotEmpty(t, sum.First)
	}
}

func TestCompilersThatHang(t *testing.T) {
	t.Parallel()
	h := hunting(t, "case {in} in *hunt*) test -e "+filepath.Join(t.TempDir(), "none")+" || sleep 100;; esac; : {out}")
	h.Count, h.CompileTime = 1, time.Second
	sum, err := h.Run(t.Context())
	require.NoError(t, err)
	require.Len(t, sum.Bugs, 1)
	assert.Equal(t, "hang", sum.Bugs[0].Signature)
}

// TestInterrupted: a hunt that ends early leaves a directory from which a later hunt continues.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	h := hunting(t, "sleep 100; : {in} {out}")
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	_, err := h.Run(ctx)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	all, err := Bugs(h.Out)
	require.NoError(t, err)
	assert.Empty(t, all)
}

func TestBadDirectories(t *testing.T) {
	dir := t.TempDir()
	_, err := Bugs(dir)
	require.ErrorContains(t, err, "it is no directory of a hunt")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "mine"), nil, 0o600))
	_, err = (&Hunt{Out: dir}).Run(t.Context())
	require.ErrorContains(t, err, "it is no directory of a hunt, and not empty")
	require.NoError(t, os.WriteFile(filepath.Join(dir, stateFile), []byte("{"), 0o600))
	_, err = (&Hunt{Out: dir}).Run(t.Context())
	require.ErrorContains(t, err, "give another directory with --out")
	h := hunting(t, ": {in} {out}")
	h.Host = "no-such-compiler"
	_, err = h.Run(t.Context())
	require.ErrorContains(t, err, "--host='no-such-compiler'")
}

// TestKernelsAreDefined: the host's sanitizers find no undefined behaviour, in any order of work-items.
func TestKernelsAreDefined(t *testing.T) {
	t.Parallel()
	h := hunting(t, "")
	require.NoError(t, h.open())
	for seed := range uint64(effort.Rounds(25)) {
		h.GLSL = seed%2 == 1
		k := h.program(seed)
		dir, err := prepare(k.body, k)
		require.NoError(t, err)
		defer os.RemoveAll(dir)
		want, err := k.answer(t.Context(), dir, k.body)
		require.NoError(t, err)
		got, err := k.strict(t.Context(), dir, k.body)
		require.NoError(t, err, "seed %d", seed)
		assert.Equal(t, want, got, "seed %d", seed)
	}
}

const clang = "-x cl --target=amdgcn-amd-amdhsa -nogpulib -w"

// TestNoFalseAlarm: nothing is found if the compiler is right. The exception is seed 150: for gfx900 at -O2, clang 19
// adds to a 24-bit product as if it had 32 bits.
func TestNoFalseAlarm(t *testing.T) {
	t.Parallel()
	if !effort.Full() {
		t.Skip("GCNSIM_TESTS=full hunts with clang")
	}
	needs(t, "clang-19")
	h := hunting(t, "clang-19 "+clang+" -mllvm -amdgpu-codegenprepare-disable-idiv-expansion -mcpu={cpu} {O} -c")
	h.Levels, h.Chips, h.Seed, h.Count = []string{"-O0", "-O2"}, []string{"gfx900", "gfx803"}, 100, 60
	sum, err := h.Run(t.Context())
	require.NoError(t, err)
	for _, b := range sum.Bugs {
		assert.Contains(t, []uint64{150}, b.Seed, b.Signature)
	}
	assert.Equal(t, h.Count, sum.Judged)
	assert.Empty(t, sum.First)
}

// planted returns a script that compiles with -O2 by $compile, but replaces each xor by an or in programs whose first
// line matches a pattern.
func planted(t *testing.T, compile, pattern string) string {
	script := filepath.Join(t.TempDir(), "planted")
	require.NoError(t, os.WriteFile(script, []byte(`#!/bin/sh
out=$1 in=$2
shift 2
`+compile+` "$@" -o "$out.s" "$in" || exit 1
case " $* " in *" -O2 "*) grep -q '`+pattern+`' "$in" && sed -i s/v_xor_b32/v_or_b32/ "$out.s" ;; esac
clang-19 --target=amdgcn-amd-amdhsa -mcpu=gfx900 -c -x assembler -o "$out" "$out.s"
`), 0o700))
	return script
}

// TestPlantedBug: if a compiler replaces an xor by an or, the program is reduced and the report names the
// instruction. The hunt's other program is right.
func TestPlantedBug(t *testing.T) {
	for _, c := range []struct {
		name, compile, flags, pattern string
		ir                            bool
		first, wrong                  uint64 // seeds
		pass                          string
	}{
		{"cl", "clang-19 -S", clang + " -mcpu=gfx900", "^// seed [0-9]*[16]2$", false, 1161, 1162,
			`^none of \d+ optional passes brings it$`},
		{"ir", "llc-19", "-mcpu=gfx900", "^; seed 11$", true, 10, 11, `passes brings it$`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if !c.ir && !effort.Full() {
				t.Skip("OpenCL C takes four times as long as IR: GCNSIM_TESTS=full plants a bug in it, too")
			}
			needs(t, "clang-19", "llc-19")
			h := hunting(t, planted(t, c.compile, c.pattern)+" {out} {in} "+c.flags+" {O}")
			h.IR, h.Levels, h.Seed, h.Count, h.ReduceTime = c.ir, []string{"-O0", "-O2"}, c.first, 2, 20*time.Second
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			h.Progress = func(text string) {
				if !effort.Full() && strings.Contains(text, " bytes after ") { // the program has become smaller
					cancel()
				}
			}
			_, err := h.Run(ctx)
			require.ErrorIs(t, err, ctx.Err())
			bugs, err := Bugs(h.Out)
			require.NoError(t, err)
			require.Len(t, bugs, 1)
			assert.Equal(t, c.wrong, bugs[0].Seed)
			dir := filepath.Join(h.Out, bugs[0].Name)
			read := func(name string) string {
				text, err := os.ReadFile(filepath.Join(dir, name))
				require.NoError(t, err)
				return string(text)
			}
			assert.Contains(t, read("report.md"), "v_or_b32")
			assert.FileExists(t, filepath.Join(dir, verdictFile))
			language := openCL
			if c.ir {
				language = llvmIR
			}
			assert.Less(t, len(read(language.file())), len(read(language.original())))
			if effort.Full() { // a sample ends with the first smaller text
				assert.Less(t, bugs[0].Lines, strings.Count(read(language.original()), "\n"))
				assert.Regexp(t, c.pass, bugs[0].Pass)
			}
		})
	}
}

// TestAssembly: checks on all processors find that programs have all waits that they need and no others. Without any
// one wait there is a finding, and the program is reduced to one with this finding.
func TestAssembly(t *testing.T) {
	t.Parallel()
	const text = `{ echo .amdgcn_target '"amdgcn-amd-amdhsa--{cpu}"'; `
	h := hunting(t, text+"cat {in}; } > {out}")
	h.Assembly, h.Chips, h.Count = true, []string{"gfx600", "gfx803", "gfx906"}, uint64(effort.Rounds(100))
	sum, err := h.Run(t.Context())
	require.NoError(t, err)
	assert.Empty(t, sum.Bugs)
	assert.Equal(t, h.Count, sum.Judged, sum.First)
	h = hunting(t, text+"sed '0,/s_waitcnt vmcnt/{/s_waitcnt vmcnt/d}' {in}; } > {out}")
	h.Assembly, h.Chips, h.Count, h.ReduceTime = true, []string{"gfx803"}, 1, 20*time.Second
	sum, err = h.Run(t.Context())
	require.NoError(t, err)
	require.Len(t, sum.Bugs, 1)
	assert.Contains(t, sum.Bugs[0].Signature, "wait")

	if !effort.Full() {
		return
	}
	// If no build is right, the operations of the small program identify the bug.
	needs(t, "clang-19")
	h = hunting(t, "sed s/v_xor_b32/v_or_b32/ {in} > {out}.s && "+
		"clang-19 -x assembler --target=amdgcn-amd-amdhsa -mcpu={cpu} -c {out}.s -o {out}")
	h.Assembly, h.Chips, h.Count, h.ReduceTime = true, []string{"gfx803"}, 40, time.Second
	sum, err = h.Run(t.Context())
	require.NoError(t, err)
	require.NotEmpty(t, sum.Bugs)
	assert.Contains(t, sum.Bugs[0].Signature, "answer: vmem_store_dword; ")
	assert.Contains(t, sum.Bugs[0].Signature, "v_or_b32")
}

// TestVariants: a compiler that replaces the xor only in variants is found with a user's kernel; a right compiler is
// not. The report has the original kernel, reduced together with the variant.
func TestVariants(t *testing.T) {
	t.Parallel()
	if !effort.Full() {
		t.Skip("GCNSIM_TESTS=full hunts with variants")
	}
	needs(t, "clang-19")
	h := hunting(t, planted(t, "clang-19 -S", "__VA_ARGS__ }")+" {out} {in} "+clang+" -mcpu=gfx900 {O}")
	h.Levels, h.Count, h.Kernels = []string{"-O0", "-O2"}, 1, t.TempDir()
	_, err := h.Run(t.Context())
	require.ErrorContains(t, err, "of which a variant can be made")
	require.NoError(t, os.WriteFile(filepath.Join(h.Kernels, "mine.cl"), []byte(`kernel void mine(global uint *out,
    global const uint *in, uint n) {
  uint i = get_local_id(0), b = 7;
  b += in[i];
  b = (b ^ n) * 3;
  out[i] = b;
}
`), 0o600))
	h.CC[0] = strings.ReplaceAll(h.CC[0], clang, clang+" '-Dget_local_id(x)=__builtin_amdgcn_workitem_id_x()'")
	_, err = h.Run(t.Context())
	require.NoError(t, err)
	bugs, err := Bugs(h.Out)
	require.NoError(t, err)
	require.Len(t, bugs, 1, h.sum.First)
	assert.Contains(t, bugs[0].Signature, "v_or_b32")
	assert.Equal(t, []string{"gfx900"}, bugs[0].Processors)
	plain, err := os.ReadFile(filepath.Join(h.Out, bugs[0].Name, "plain.cl"))
	require.NoError(t, err)
	assert.Contains(t, string(plain), "^")
	commands, err := os.ReadFile(filepath.Join(h.Out, bugs[0].Name, "commands.txt"))
	require.NoError(t, err)
	assert.Contains(t, string(commands), "gcnsim diff --fp=contract --check=none right.o wrong.o")

	right := hunting(t, "clang-19 "+clang+" '-Dget_local_id(x)=__builtin_amdgcn_workitem_id_x()' -mcpu=gfx900 {O} -c")
	right.Levels, right.Count, right.Kernels = h.Levels, 10, h.Kernels
	sum, err := right.Run(t.Context())
	require.NoError(t, err)
	assert.Empty(t, sum.Bugs)
	assert.Equal(t, right.Count, sum.Judged, sum.First)
}

// TestBlamed: the signature of a small program names the last instruction with equal operands and a different result,
// not the instructions that move the value or use it.
func TestBlamed(t *testing.T) {
	d := &compare.Difference{}
	d.A.Slice = []compare.Step{{Text: "v_and_b32_e32 v0, v1, v2", Parts: true},
		{Text: "v_readlane_b32 s3, v0, s2", Parts: true}, {Text: "v_xor_b32_e32 v5, s3, v5"},
		{Text: "global_store_dword v0, v5, s[0:1]", Parts: true}}
	d.B.Slice = []compare.Step{{Text: "s_ff1_i32_b64 s6, s[8:9]", Parts: true},
		{Text: "v_mad_i32_i24 v0, v2, v0, v3", Parts: true}}
	assert.Equal(t, "memory: a v_readlane_b32; b v_mad_i32_i24", blamed(d))
	d.Culprit[1] = &compare.Step{Text: "v_or_b32_sdwa v0, v1, v2 dst_sel:DWORD"}
	d.A.Slice = d.A.Slice[2:]
	assert.Equal(t, "memory: a -; b v_or_b32", unspelled(blamed(d)))
	d.Culprit[1] = nil
	d.B.Slice = nil
	assert.Equal(t, d.Signature(), blamed(d), "nothing is to blame")
	d.Faulted = true
	assert.Equal(t, d.Signature(), blamed(d))
}
