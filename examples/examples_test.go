// Package examples executes the examples as programs.
package examples

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/internal/testkit/effort"
	"github.com/gcnsim/gcnsim/internal/testkit/golden"
	"github.com/gcnsim/gcnsim/internal/testkit/gotool"
)

// TestExamples executes examples and checks their output.
func TestExamples(t *testing.T) {
	effort.Long(t)
	examples := []struct {
		name   string
		golden string   // the expected output
		lines  []string // some lines of the expected output
	}{
		{name: "validate", golden: "output.golden"},
		{name: "traphandler", golden: "output.golden"},
		{name: "quickstart", lines: []string{
			"ran on gfx803: 1024 work-items in 16 waves, 432 instructions",
			"sum[999] = 999 + 998001 = 999000; all 1000 sums are right",
			"0x0000  16     16     64     global  s_load_dword s0, s[4:5], 0x18",
			"0x0058  16     1000   4000   global  flat_load_dword v4, v[4:5]",
			"0x007c  16     1000   4000   global  flat_store_dword v[0:1], v2",
		}},
	}
	if !effort.Full() {
		examples = examples[len(examples)-1:] // linking a program takes a second
	}
	dir := t.TempDir()
	build := []string{"build", "-o", dir + string(filepath.Separator)}
	for _, e := range examples {
		build = append(build, "./"+e.name)
	}
	_, err := gotool.Output(build...)
	require.NoError(t, err)
	for _, e := range examples {
		t.Run(e.name, func(t *testing.T) {
			cmd := exec.Command(filepath.Join(dir, e.name))
			cmd.Stderr = os.Stderr
			text, err := cmd.Output()
			require.NoError(t, err)
			if e.golden != "" {
				golden.Compare(t, filepath.Join(e.name, "testdata", e.golden), text)
			}
			for _, line := range e.lines {
				assert.Contains(t, string(text), line+"\n")
			}
		})
	}
}
