package files_test

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/internal/tool/files"
)

// endless is a device that counts the bytes that were read from it.
type endless struct {
	of   byte
	read int
}

func (e *endless) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = e.of
	}
	e.read += len(b)
	return len(b), nil
}

// TestJudged: content that is neither text nor a known format is refused after its first bytes. All else is returned
// unchanged.
func TestJudged(t *testing.T) {
	known := func(start []byte) bool { return bytes.HasPrefix(start, []byte("ELF\x00")) }
	zero := &endless{}
	_, err := files.Judged(zero, "/dev/zero", known)
	var kind *files.KindError
	require.ErrorAs(t, err, &kind)
	assert.Equal(t, "/dev/zero", kind.Name)
	assert.LessOrEqual(t, zero.read, 4096)
	for _, text := range []string{"", "s_nop 0\n", "ELF\x00\x01", strings.Repeat("long ", 10_000), "\xc3\xa4"} {
		r, err := files.Judged(strings.NewReader(text), "x", known)
		require.NoError(t, err)
		all, err := io.ReadAll(r)
		require.NoError(t, err)
		assert.Equal(t, text, string(all))
	}
	_, err = files.Judged(broken{}, "x", known)
	assert.ErrorIs(t, err, io.ErrClosedPipe)
}

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, io.ErrClosedPipe }
