package main

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestTimingChangesNoResult runs compiled kernels with and without times.
func TestTimingChangesNoResult(t *testing.T) {
	specs, err := filepath.Glob("../../testdata/kernels/*.fiji.json")
	require.NoError(t, err)
	require.Greater(t, len(specs), 50)
	for _, path := range specs {
		var plain, timed dispatchReply
		require.NoError(t, dispatchFile(t.Context(), path, 0, false, nil, &plain), path)
		require.NoError(t, dispatchFile(t.Context(), path, 0, true, nil, &timed), path)
		assert.Equal(t, plain.Dump, timed.Dump, path)
		assert.Equal(t, plain.Instructions.Instructions, timed.Instructions.Instructions, path)
		assert.Zero(t, *plain.Cycles, path)
		assert.NotZero(t, *timed.Cycles, path)
	}
}
