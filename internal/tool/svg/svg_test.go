package svg_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/internal/testkit/svgtest"
	"github.com/gcnsim/gcnsim/internal/tool/svg"
)

func TestSave(t *testing.T) {
	c := svg.New(420, 220, "a picture", "a picture of nothing")
	y := c.Heading(10, "Nothing", "What this shows is nothing at all, in as many words as it takes to fill two lines.")
	y = c.Legend(10, y, 400, svg.Style{}, svg.Entry{Fill: "#abcdef", Text: "pale"},
		svg.Entry{Fill: svg.None, Text: "hollow"})
	c.Scale(10, y+10, 64, svg.Style{}, "low", "high",
		func(v float64) string { return svg.Mix(v, [3]uint8{}, [3]uint8{255, 255, 255}) })
	c.Box(40, 120, 30.456, 40, "#abcdef")
	c.Shade(90, 120, 80, 40, "#777777")
	c.Plate(130, 140, svg.Style{}, `a < b & "c"`)
	c.Text(20, 190, svg.Style{Bold: true, Anchor: "middle", Upward: true}, "up")
	c.Line(80, 110, 80, 200, svg.Ink)
	dir := t.TempDir()
	path := filepath.Join(dir, "a.svg")
	require.NoError(t, c.Save(path))
	assert.Equal(t, 1+2+32+3, svgtest.Check(t, path))
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, c.String(), string(text))
	assert.Contains(t, string(text), `width="29.46"`)
	assert.Contains(t, string(text), "a &lt; b &amp;")
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Len(t, entries, 1)
}

func TestSaveLeavesNothingBehind(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "taken"), 0o755))
	require.Error(t, svg.New(1, 1, "", "").Save(filepath.Join(dir, "taken")))
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Len(t, entries, 1)
	assert.Error(t, svg.New(1, 1, "", "").Save(filepath.Join(dir, "missing", "a.svg")))
}

func TestMix(t *testing.T) {
	black, white, red := [3]uint8{}, [3]uint8{255, 255, 255}, [3]uint8{255, 0, 0}
	assert.Equal(t, "#000000", svg.Mix(0, black, white))
	assert.Equal(t, "#808080", svg.Mix(0.5, black, white))
	assert.Equal(t, "#ffffff", svg.Mix(0.5, black, white, red))
	assert.Equal(t, "#ff0000", svg.Mix(2, black, white, red))
}

// Published values: #767676 is the lightest grey that is allowed for text on white.
func TestContrast(t *testing.T) {
	assert.InDelta(t, 21, svg.Contrast("#000000", "#ffffff"), 1e-9)
	assert.InDelta(t, 4.54, svg.Contrast("#ffffff", "#767676"), 0.005)
	assert.InDelta(t, 4.48, svg.Contrast("#777777", "#ffffff"), 0.005)
	for _, hue := range svg.Hues {
		assert.Equal(t, "#ffffff", svg.On(hue))
		assert.GreaterOrEqual(t, svg.Contrast(hue, "#ffffff"), 4.5)
		assert.GreaterOrEqual(t, svg.Contrast(hue, "#0d1117"), 3.0)
	}
	assert.Equal(t, "#111111", svg.On("#fff3a3"))
}
