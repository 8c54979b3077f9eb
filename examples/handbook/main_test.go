package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/internal/testkit/svgtest"
)

// The pictures of the handbook are those that the library draws today, and each is in a
// chapter.
func TestPictures(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, run(io.Discard, dir))
	const book = "../../handbook"
	chapters, err := filepath.Glob(filepath.Join(book, "*.md"))
	require.NoError(t, err)
	text := ""
	for _, chapter := range chapters {
		b, err := os.ReadFile(chapter)
		require.NoError(t, err)
		text += strings.ReplaceAll(string(b), "\n", " ")
	}
	for name := range pictures {
		got, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err)
		want, err := os.ReadFile(filepath.Join(book, name))
		require.NoError(t, err)
		assert.True(t, bytes.Equal(want, got), "%s: run go generate ./handbook", name)
		svgtest.Check(t, filepath.Join(book, name))
		desc, _, _ := strings.Cut(string(got), "</desc>")
		_, desc, _ = strings.Cut(desc, "<desc>")
		assert.True(t, strings.Contains(text, "!["+desc+"]("+name+")"),
			"no chapter shows %s with what it describes: %s", name, desc)
	}
}
