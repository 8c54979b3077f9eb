package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/internal/golden"
)

func TestCopy(t *testing.T) {
	var b strings.Builder
	require.NoError(t, run(&b))
	golden.Compare(t, "testdata/output.golden", []byte(b.String()))
}
