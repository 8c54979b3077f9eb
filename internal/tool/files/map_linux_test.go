package files

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestMapped: an ELF file that is too large to be read is mapped, and a text is refused.
func TestMapped(t *testing.T) {
	const size = 1<<30 + 1
	for name, c := range map[string]struct {
		start string
		fails bool
	}{"lib.so": {start: "\x7fELF and more"}, "long.txt": {"text", true}} {
		path := filepath.Join(t.TempDir(), name)
		require.NoError(t, os.WriteFile(path, []byte(c.start), 0o666))
		require.NoError(t, os.Truncate(path, size)) // a sparse file, which uses no disk space
		data, err := Dir("").ReadFile(path, 1<<30)
		if c.fails {
			assert.ErrorAs(t, err, new(*SizeError), name)
			continue
		}
		require.NoError(t, err, name)
		assert.Len(t, data, size)
		assert.Equal(t, c.start, string(data[:len(c.start)]))
		assert.Zero(t, data[size-1])
	}
}
