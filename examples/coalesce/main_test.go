package main

import (
	"bytes"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/internal/golden"
	"github.com/gcnsim/gcnsim/internal/svgtest"
)

func TestRun(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.svg")
	var out bytes.Buffer
	require.NoError(t, run(&out, path))
	golden.Compare(t, "testdata/table.txt", out.Bytes())

	assert.Equal(t, 1+2+len(patterns()), svgtest.Check(t, path)) // with background and legend
}
