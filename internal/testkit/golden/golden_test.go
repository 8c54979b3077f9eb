package golden

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// recorder records the errors that a comparison reports.
type recorder struct {
	testing.TB
	failed string
}

func (r *recorder) Helper() {}

func (r *recorder) Errorf(format string, args ...any) { r.failed = format }

func TestCompare(t *testing.T) {
	file := filepath.Join(t.TempDir(), "deep", "golden.txt")
	r := &recorder{TB: t}
	*rewrite = true
	Compare(r, file, []byte("one\n"))
	*rewrite = false
	kept, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, "one\n", string(kept))
	Compare(r, file, []byte("one\n"))
	assert.Empty(t, r.failed)
	Compare(r, file, []byte("two\n"))
	assert.NotEmpty(t, r.failed)
}

func TestSample(t *testing.T) {
	file := filepath.Join(t.TempDir(), "golden.txt")
	require.NoError(t, os.WriteFile(file, []byte("one\ntwo\nthree\n"), 0o666))
	for got, ok := range map[string]bool{"one\nthree\n": true, "one\nfour\n": false, "hree\n": false, "": false} {
		r := &recorder{TB: t}
		Sample(r, file, []byte(got))
		assert.Equal(t, ok, r.failed == "", got)
	}
}

func TestDifference(t *testing.T) {
	assert.Empty(t, difference("a\nb\n", "a\nb\n"))
	assert.Equal(t, "line 2\nwant \"b\\n\"\ngot  \"c\\n\"", difference("a\nb\n", "a\nc\n"))
	assert.Equal(t, "line 2\nwant no such line\ngot  \"b\\n\"", difference("a\n", "a\nb\n"))
	assert.Equal(t, "line 1\nwant \"a\"\ngot  no such line", difference("a", ""))
}
