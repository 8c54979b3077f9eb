package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/internal/device/guest"
	"github.com/gcnsim/gcnsim/internal/testkit/effort"
	"github.com/gcnsim/gcnsim/internal/testkit/guesttest"
)

// TestHuntShaders hunts with shaders. One level compiles each xor to an or, which is wrong; the other level is right.
// The files in the bug's directory reproduce the bug, with and without a driver.
func TestHuntShaders(t *testing.T) {
	if !effort.Full() {
		t.Skip("GCNSIM_TESTS=full hunts with shaders")
	}
	guesttest.Shaders(t, guest.VulkanDrivers())
	dir := t.TempDir()
	run := func(status int, in string, line string) string {
		cmd := exec.Command("sh", "-c", line)
		cmd.Dir = in
		out, err := cmd.CombinedOutput()
		assert.Equal(t, status, cmd.ProcessState.ExitCode(), "%s: %v: %s", line, err, out)
		return string(out)
	}
	const compile = `{O} {in} > {out}.comp && ` +
		`glslangValidator -V --quiet --target-env vulkan1.2 {out}.comp -o {out}.spv && ` +
		`{gcnsim} gpu --chip={cpu} --save={out} -- {run} {out}.spv {input} >/dev/null`
	out := run(1, dir, `gcnsim hunt --glsl --chip=fiji --count=1 --seed=1 --reduce-time=1s `+
		`--levels='cat <,tr ^ \\174 <' --cc='`+compile+`'`)
	assert.Contains(t, out, "1 programs, 1 judged; 1 new bugs, 0 builds with known ones\n")
	all, err := filepath.Glob(filepath.Join(dir, "bugs", "*", "bug.json"))
	require.NoError(t, err)
	require.Len(t, all, 1)
	bug := filepath.Dir(all[0])
	commands, err := os.ReadFile(filepath.Join(bug, "commands.txt"))
	require.NoError(t, err)
	lines := strings.Split(strings.TrimSpace(string(commands)), "\n")
	require.Len(t, lines, 5)
	assert.Contains(t, run(1, bug, lines[2]), `"want":`) // dispatch
	assert.Contains(t, run(1, bug, lines[4]), "v_or_b32")
	// With a driver, the commands compile both objects again.
	require.NoError(t, os.RemoveAll(filepath.Join(bug, "right.o")))
	require.NoError(t, os.RemoveAll(filepath.Join(bug, "wrong.o")))
	for _, line := range []string{lines[0], lines[1], lines[3]} {
		run(0, bug, line)
	}
	assert.Contains(t, run(1, bug, lines[4]), "v_or_b32")
}
