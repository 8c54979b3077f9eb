package check_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/internal/job"
	"github.com/gcnsim/gcnsim/sim/check"
)

// compiled is where the compiled kernels are, with specifications of how to run them.
const compiled = "../../testdata/kernels"

// directory reads the files that specifications name.
type directory string

func (d directory) ReadFile(name string, _ int64) ([]byte, error) {
	return os.ReadFile(filepath.Join(string(d), name))
}

func (directory) WriteFile(string, []byte) error { return nil }

// TestCompiledKernels: compilers insert what hardware asks for, so a finding about what
// they made is a false one.
func TestCompiledKernels(t *testing.T) {
	dir := compiled
	if other := os.Getenv("GCNSIM_KERNELS"); other != "" {
		dir = other
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for i, file := range files {
		if testing.Short() && i%7 != 0 {
			continue
		}
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		req, err := job.ParseDispatch(text)
		require.NoError(t, err, file)
		reply, err := req.Run(context.Background(), &job.Options{Check: []string{"wait", "wait-state"}, Files: directory(dir)})
		if !assert.NoError(t, err, file) {
			continue
		}
		for _, f := range reply.Findings {
			assert.Equal(t, check.Note, f.Severity, "%s: %v", file, f)
		}
	}
}
