package examples

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/internal/testkit/effort"
	"github.com/gcnsim/gcnsim/internal/testkit/gotool"
)

// bin is a directory for the command and the examples. TestMain removes it.
var bin string

// TestMain creates bin and removes it.
func TestMain(m *testing.M) {
	var err error
	if bin, err = os.MkdirTemp("", "examples"); err != nil {
		panic(err)
	}
	status := m.Run()
	if err := os.RemoveAll(bin); err != nil {
		panic(err)
	}
	os.Exit(status)
}

// build builds the command into bin once, for all tests.
var build = sync.OnceValue(func() error {
	_, err := gotool.Output("build", "-o", bin+string(filepath.Separator), "../cmd/gcnsim")
	return err
})

// gcnsim returns the directory that contains the command.
func gcnsim(t *testing.T) string {
	require.NoError(t, build())
	return bin
}

// read returns the text of a file of the repository.
func read(t *testing.T, name string) string {
	text, err := os.ReadFile(filepath.Join("..", name))
	require.NoError(t, err)
	return string(text)
}

// TestAction executes the step of the composite action like a CI runner, in another directory.
func TestAction(t *testing.T) {
	effort.Long(t)
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("bash is not installed: the action needs it")
	}
	action := read(t, "action.yml")
	run := regexp.MustCompile(`(?m)^      run: '(.*)'$`).FindAllStringSubmatch(action, -1)
	require.Len(t, run, 1)
	root, err := filepath.Abs("..")
	require.NoError(t, err)
	kernels := filepath.Join(root, "testdata", "kernels")
	path := gcnsim(t) + string(filepath.ListSeparator) + os.Getenv("PATH")
	step := func(env ...string) (string, int) {
		cmd := exec.Command(bash, "-c", run[0][1])
		cmd.Dir = kernels
		cmd.Env = append(os.Environ(), append(env, "GITHUB_ACTION_PATH="+root, "PATH="+path)...)
		out, _ := cmd.CombinedOutput()
		return string(out), cmd.ProcessState.ExitCode()
	}
	for _, input := range []string{"check", "diff", "run", "chip", "flags"} {
		assert.Contains(t, action, "\n  "+input+":\n")
		assert.Contains(t, action, strings.ToUpper(input)+": ${{ inputs."+input+" }}\n")
		assert.Contains(t, read(t, ".ci/action"), "${"+strings.ToUpper(input)+":-")
	}
	out, status := step("CHECK=vadd.f*.co", "DIFF=vadd.fiji.co vadd.gfx900.co")
	assert.Equal(t, 0, status, out)
	assert.Contains(t, out, "vadd.fiji.co: vadd: clean;")
	assert.Contains(t, out, "vadd: same: ")
	out, status = step("DIFF=vadd.fiji.co addfloat.fiji.co")
	assert.NotEqual(t, 0, status, out)
	assert.Contains(t, out, "::error::gcnsim diff ended with status")
	out, status = step("CHECK=none*.co")
	assert.Equal(t, 1, status, out)
	out, status = step()
	assert.Equal(t, 2, status, out)
}

// TestLit runs the tests of examples/lit with LLVM's lit and clang.
func TestLit(t *testing.T) {
	if !effort.Full() {
		t.Skip("GCNSIM_TESTS=full runs lit and clang")
	}
	clang, err := exec.LookPath("clang-19")
	if err != nil {
		t.Skip("clang-19 is not installed")
	}
	lit := []string{"lit"}
	if _, err := exec.LookPath("lit"); err != nil {
		scripts, _ := filepath.Glob("/usr/lib/llvm-*/build/utils/lit/lit.py")
		if len(scripts) == 0 {
			t.Skip("lit is not installed, on its own or with llvm-tools")
		}
		lit = []string{"python3", scripts[0]}
	}
	command := filepath.Join(gcnsim(t), "gcnsim")
	try := func(clang string) (string, error) {
		args := slices.Concat(lit[1:], []string{"-v", "--param", "clang=" + clang, "--param", "gcnsim=" + command,
			"--param", "out=" + t.TempDir(), "lit"})
		out, err := exec.Command(lit[0], args...).CombinedOutput()
		return string(out), err
	}
	out, err := try(clang)
	require.NoError(t, err, out)
	assert.Equal(t, 2, strings.Count(out, "PASS: gcnsim :: "), out)
	out, err = try("false")
	require.Error(t, err, out)
}

// TestHook executes the command of the pre-commit hook on the files that the hook selects.
func TestHook(t *testing.T) {
	effort.Long(t)
	hook := read(t, ".pre-commit-hooks.yaml")
	value := func(key string) string {
		m := regexp.MustCompile(`(?m)^  ` + key + `: (.*)$`).FindStringSubmatch(hook)
		require.NotNil(t, m, key)
		return m[1]
	}
	chosen := regexp.MustCompile(value("files"))
	assert.False(t, chosen.MatchString("main.o"), "an object of the host")
	file := filepath.Join("..", "testdata", "kernels", "vadd.fiji.co")
	require.True(t, chosen.MatchString(file))
	entry := strings.Fields(value("entry"))
	require.Equal(t, "gcnsim", entry[0])
	out, err := exec.Command(filepath.Join(gcnsim(t), "gcnsim"), append(entry[1:], file)...).CombinedOutput()
	require.NoError(t, err, "%s", out)
	assert.Contains(t, string(out), "clean")
}

// TestFirstResult executes the commands that README.md shows to new users.
func TestFirstResult(t *testing.T) {
	effort.Long(t)
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("bash is not installed: it reads the lines")
	}
	m := regexp.MustCompile(`\n\$ (printf .*)\n\$ (gcnsim run .*)\n\.\.\.\n(.*)\n`).FindStringSubmatch(read(t, "README.md"))
	require.NotNil(t, m)
	cmd := exec.Command(bash, "-c", m[1]+"\n"+m[2])
	cmd.Dir = t.TempDir()
	cmd.Env = append(os.Environ(), "PATH="+gcnsim(t)+string(filepath.ListSeparator)+os.Getenv("PATH"))
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	assert.Contains(t, string(out), "\n"+m[3]+"\n")
	assert.Equal(t, "error wait-raw: v1, lane 0", m[3])
}
