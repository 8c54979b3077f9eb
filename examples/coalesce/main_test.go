package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/internal/svgtest"
)

func TestRun(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.svg")
	var out strings.Builder
	require.NoError(t, run(&out, path))
	want, err := os.ReadFile("testdata/table.txt")
	require.NoError(t, err)
	assert.Equal(t, string(want), out.String())

	assert.Equal(t, 1+2+len(patterns()), svgtest.Check(t, path)) // with background and legend
}
