package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/internal/testkit/effort"
)

// lits are the paths where Debian installs lit.
var lits = []string{"lit", "/usr/lib/llvm-22/bin/lit"}

// The page for compiler writers quotes the files beside it exactly.
func TestCompilersPageShowsItsFiles(t *testing.T) {
	page, err := os.ReadFile("../../docs/COMPILERS.md")
	require.NoError(t, err)
	files, err := filepath.Glob("../../docs/compilers/*.*")
	require.NoError(t, err)
	require.Len(t, files, 6)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		assert.Contains(t, string(page), "\n"+strings.TrimSpace(string(text))+"\n```", file)
	}
}

// The commands on the page work, as far as their programs are installed.
func TestCompilersPage(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS("../../docs/compilers")))
	run := func(name string, args ...string) (string, error) {
		cmd := exec.Command(name, args...) // the shell finds gcnsim in PATH
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	has := func(names ...string) string {
		for _, name := range names {
			if path, err := exec.LookPath(name); err == nil {
				return path
			}
		}
		t.Log("none of these is installed:", names)
		return ""
	}
	if python := has("python3"); python != "" {
		out, err := run(python, "loop.py")
		require.NoError(t, err, out)
		assert.Contains(t, out, "200 requests, all as the model says")
	}
	if !effort.Full() {
		return // compilers take seconds
	}
	diffed := map[string]string{}
	for _, version := range []string{"14", "19", "22"} {
		if clang := has("clang-" + version); clang != "" {
			diffed[version] = "left." + version + ".o"
			out, err := run(clang, "-x", "cl", "--target=amdgcn-amd-amdhsa", "-mcpu=gfx900", "-nogpulib", "-O2", "-g", "-c",
				"left.cl", "-o", diffed[version])
			require.NoError(t, err, out)
		}
	}
	if diffed["14"] != "" && diffed["19"] != "" {
		out, err := run("gcnsim", "diff", diffed["14"], diffed["19"])
		require.NoError(t, err, out)
		assert.Contains(t, out, "left: same: ")
	}
	if diffed["19"] != "" && diffed["22"] != "" {
		out, err := run("gcnsim", "diff", diffed["19"], diffed["22"])
		require.Error(t, err)
		assert.Contains(t, out, "left: different: argument 0")
		assert.Contains(t, out, "(left.cl:21)")
		out, err = run("sh", "-c", `F="-x cl --target=amdgcn-amd-amdhsa -mcpu=gfx900 -nogpulib -O2"
gcnsim reduce --seconds=10 --program=left.cl -o small.cl --test="
  clang-19 $F -c {} -o {}.a.o && gcnsim dispatch --object={}.a.o left.json &&
  clang-22 $F -mllvm {bisect} -c {} -o {}.b.o && gcnsim diff --expect=memory --spec=left.json {}.a.o {}.b.o"
clang-19 $F -c small.cl -o a.o && clang-22 $F -c small.cl -o b.o && wc -c small.cl && gcnsim diff --spec=left.json a.o b.o`)
		require.Error(t, err)
		assert.Contains(t, out, "different: argument 0")
		assert.NotContains(t, out, "652 small.cl", "nothing was left out")
		assert.Regexp(t, `left\.cl: pass \d+ of \d+ brings it: [a-z-]+ on left\n`, out)
	}
	const compile = "-x cl --target=amdgcn-amd-amdhsa -mcpu=gfx900 -nogpulib -O2"
	if has("clang-19") != "" {
		if lit := has(lits...); lit != "" {
			out, err := run(lit, "--param", "clang=clang-19", ".")
			assert.NoError(t, err, out)
		}
		if has("cmake") != "" {
			out, err := run("sh", "-c", "cmake -S . -B build -DCLANG=clang-19 && cmake --build build && ctest --test-dir build")
			assert.NoError(t, err, out)
			assert.Contains(t, out, "100% tests passed")
		}
		out, err := run("sh", "-c", "clang-19 "+compile+" -S -o - left.cl | gcnsim run --grid=8 --workgroup=8 --arg=buffer=64 --arg=random=16 --arg=u64=3 -")
		require.NoError(t, err, out)
		assert.Contains(t, out, "argument 0 int*, 64 bytes:\n  1 1 ")
	}
	if has("clang-22") != "" {
		if lit := has(lits...); lit != "" {
			out, err := run(lit, "-v", "--param", "clang=clang-22", ".")
			require.Error(t, err)
			assert.Contains(t, out, "argument 0, byte 12, element 3: want 1, got 0; stored by work-item 1,0,0 with global_store_dword")
		}
	}
}
