package files

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestWrite(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a")
	for _, text := range []string{"longer", "short"} {
		require.NoError(t, Write(path, []byte(text)))
		got, err := os.ReadFile(path)
		require.NoError(t, err)
		assert.Equal(t, text, string(got))
	}
	require.NoError(t, os.Mkdir(filepath.Join(dir, "taken"), 0o755))
	require.Error(t, Write(filepath.Join(dir, "taken"), nil))
	require.Error(t, Write(filepath.Join(dir, "missing", "a"), nil))
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Len(t, entries, 2, "no temporary file is left")
}
