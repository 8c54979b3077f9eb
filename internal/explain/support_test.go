package explain

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestSupportTableIsCurrent fails if docs/SUPPORT.md differs from the output of `make support`.
func TestSupportTableIsCurrent(t *testing.T) {
	want, err := os.ReadFile("../../docs/SUPPORT.md")
	require.NoError(t, err)
	var got strings.Builder
	require.NoError(t, WriteSupport(&got))
	wantLines, gotLines := strings.Split(string(want), "\n"), strings.Split(got.String(), "\n")
	for i := range min(len(wantLines), len(gotLines)) {
		require.Equal(t, wantLines[i], gotLines[i], "line %d: run make support", i+1)
	}
	assert.Len(t, gotLines, len(wantLines), "run make support")
}
