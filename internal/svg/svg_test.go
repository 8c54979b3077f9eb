package svg_test

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

	"github.com/gcnsim/gcnsim/internal/svg"
)

func TestSaveWritesXML(t *testing.T) {
	c := svg.New(100, 50)
	c.Describe("a picture", "of nothing")
	c.Rect(1, 2, 3.456, 4, "#abcdef")
	c.Line(0, 0, 10, 10, "#000000")
	c.Text(5, 5, svg.Style{Bold: true, Anchor: "middle", Rotate: -90}, `a < b & "c"`)
	dir := t.TempDir()
	path := filepath.Join(dir, "a.svg")
	require.NoError(t, c.Save(path))
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, c.String(), string(text))
	assert.Contains(t, string(text), `width="3.46"`)
	assert.Contains(t, string(text), "a &lt; b &amp;")
	assert.Contains(t, string(text), `<text x="5" y="5" font-size="12" fill="currentColor" class="ink"`)
	assert.Contains(t, string(text), "<title>a picture</title>")
	d := xml.NewDecoder(strings.NewReader(string(text)))
	for err == nil {
		_, err = d.Token()
	}
	assert.True(t, errors.Is(err, io.EOF), "%v", err)
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Len(t, entries, 1)
}

func TestSaveLeavesNothingBehind(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "taken"), 0o755))
	require.Error(t, svg.New(1, 1).Save(filepath.Join(dir, "taken")))
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Len(t, entries, 1)
	assert.Error(t, svg.New(1, 1).Save(filepath.Join(dir, "missing", "a.svg")))
}

func TestMix(t *testing.T) {
	black, white, red := [3]uint8{}, [3]uint8{255, 255, 255}, [3]uint8{255, 0, 0}
	assert.Equal(t, "#000000", svg.Mix(0, black, white))
	assert.Equal(t, "#808080", svg.Mix(0.5, black, white))
	assert.Equal(t, "#ffffff", svg.Mix(0.5, black, white, red))
	assert.Equal(t, "#ff0000", svg.Mix(2, black, white, red))
}
