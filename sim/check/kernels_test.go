package check_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/internal/testkit/effort"
	"github.com/gcnsim/gcnsim/sim/check"
)

// specifications returns the files of directory compiled that match pattern.
func specifications(t testing.TB, pattern string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(compiled, pattern))
	require.NoError(t, err)
	require.NotEmpty(t, files, pattern)
	return files
}

// miscompiled has objects in which LLVM 22 uses s32 as a stack pointer, although the kernel
// never sets it: it adds to s32 and addresses private memory by it.
var miscompiled = map[string]string{"spill.flat.gfx900.json": "s32", "spill.flat.gfx906.json": "s32"}

// TestCompiledKernels: compilers insert the waits that hardware requires, so a finding about
// compiled code is a false alarm.
func TestCompiledKernels(t *testing.T) {
	for i, file := range specifications(t, "*.json") {
		if effort.LeavesOut(i) {
			continue
		}
		m, l := launchOf(t, file)
		c, err := check.New("wait", "wait-state", "uninit")
		require.NoError(t, err)
		require.NoError(t, l.Watch(c))
		_, err = m.Dispatch(context.Background(), *l)
		require.NoError(t, err, file)
		for _, f := range c.Findings() {
			if f.Kind == check.Uninit && f.Reg == miscompiled[filepath.Base(file)] {
				continue
			}
			assert.Equal(t, check.Note, f.Severity, "%s: %v", file, f)
		}
	}
}
