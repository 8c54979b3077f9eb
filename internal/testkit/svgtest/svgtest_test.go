package svgtest

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/internal/tool/svg"
)

// Check finds each kind of fault, and none in a good drawing.
func TestFaults(t *testing.T) {
	for name, c := range map[string]struct {
		draw func(*svg.Canvas)
		want string
	}{
		"nothing":    {func(*svg.Canvas) {}, ""},
		"small text": {func(c *svg.Canvas) { c.Text(10, 50, svg.Style{Size: 10}, "a") }, `"a" is 10 pixels high`},
		"pale text":  {func(c *svg.Canvas) { c.Text(10, 50, svg.Style{Fill: "#999999"}, "a") }, "light theme"},
		"dark text":  {func(c *svg.Canvas) { c.Text(10, 50, svg.Style{Fill: "#222222"}, "a") }, "dark theme"},
		"text on a bar": {func(c *svg.Canvas) {
			c.Rect(30, 20, 60, 60, svg.Hues[0])
			c.Text(10, 50, svg.Style{}, "across the bar")
		}, `"across the bar" has contrast`},
		"text on text":     {func(c *svg.Canvas) { c.Text(10, 50, svg.Style{}, "one"); c.Text(20, 55, svg.Style{}, "two") }, `"two" lies on "one"`},
		"text that is cut": {func(c *svg.Canvas) { c.Text(150, 50, svg.Style{}, "longer than that") }, "is cut off"},
		"text upward":      {func(c *svg.Canvas) { c.Text(20, 30, svg.Style{Upward: true}, "upward") }, "is cut off"},
		"covered text":     {func(c *svg.Canvas) { c.Text(10, 50, svg.Style{}, "one"); c.Rect(10, 40, 9, 9, svg.Ink) }, "is covered by"},
		"crossed text":     {func(c *svg.Canvas) { c.Text(10, 50, svg.Style{}, "one"); c.Line(0, 46, 90, 46, svg.Grid) }, "is crossed by"},
		"pale line":        {func(c *svg.Canvas) { c.Line(0, 20, 90, 20, "#cccccc") }, "light theme"},
		"pale bar": {func(c *svg.Canvas) {
			c.Rect(10, 10, 90, 20, "#eeeeee")
			c.Text(12, 25, svg.Style{Fill: "#000000"}, "a")
		}, "has contrast 1.16"},
		"no legend": {func(c *svg.Canvas) { c.Rect(10, 10, 90, 20, svg.Hues[0]) }, "nothing says what the colour"},
		"no scale":  {func(c *svg.Canvas) { c.Shade(10, 10, 90, 20, "#777777") }, "neither scale nor legend"},
	} {
		t.Run(name, func(t *testing.T) {
			canvas := svg.New(200, 100, "a", "a drawing")
			c.draw(canvas)
			d, err := parse(canvas.String())
			require.NoError(t, err)
			if c.want == "" {
				assert.Empty(t, d.faults())
				return
			}
			assert.Contains(t, strings.Join(d.faults(), "\n"), c.want)
		})
	}
	d, err := parse(svg.New(200, 100, "", "").String())
	require.NoError(t, err)
	assert.Contains(t, strings.Join(d.faults(), "\n"), "it is not described")
	_, err = parse(strings.Replace(svg.New(1, 1, "", "").String(), "<rect", "<path", 1))
	assert.ErrorContains(t, err, `element "path"`)
}

// Every drawing in the repository, and every program that draws, has a test that calls Check.
func TestAllAreChecked(t *testing.T) {
	root := filepath.Join("..", "..")
	require.NoError(t, filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if e.IsDir() {
			if e.Name() == "node_modules" || strings.HasPrefix(e.Name(), ".") && len(e.Name()) > 2 {
				return filepath.SkipDir
			}
			return nil
		}
		switch text, err := os.ReadFile(path); {
		case err != nil:
			return err
		case filepath.Ext(path) == ".svg":
			Check(t, path)
		case filepath.Ext(path) == ".go" && !strings.HasSuffix(path, "_test.go") &&
			strings.Contains(string(text), `gcnsim/internal/tool/svg"`) && filepath.Base(filepath.Dir(path)) != "svgtest":
			assert.True(t, checks(t, filepath.Dir(path)), "%s draws, but no test of its package calls svgtest.Check", path)
		}
		return nil
	}))
}

// checks reports whether a directory has a test that calls Check, or whether a test in the parent directory calls it
// and names the program in quotes, like the test of the examples.
func checks(t *testing.T, dir string) bool {
	return calls(t, dir, "svgtest.Check(") || calls(t, filepath.Dir(dir), "svgtest.Check(", `"`+filepath.Base(dir)+`"`)
}

// calls reports whether one test file in a directory contains all texts.
func calls(t *testing.T, dir string, texts ...string) bool {
	tests, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	require.NoError(t, err)
	return slices.ContainsFunc(tests, func(name string) bool {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		return !slices.ContainsFunc(texts, func(want string) bool { return !strings.Contains(string(text), want) })
	})
}
