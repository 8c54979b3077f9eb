package main

import (
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestRun(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.svg")
	var out strings.Builder
	require.NoError(t, run(&out, path))
	want, err := os.ReadFile("testdata/table.txt")
	require.NoError(t, err)
	assert.Equal(t, string(want), out.String())

	drawing, err := os.Open(path)
	require.NoError(t, err)
	defer drawing.Close()
	bars, d := 0, xml.NewDecoder(drawing)
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		if e, ok := token.(xml.StartElement); ok && e.Name.Local == "rect" {
			bars++
		}
	}
	assert.Equal(t, 1+len(patterns()), bars) // and the background
}
