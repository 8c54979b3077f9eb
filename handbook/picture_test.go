package handbook_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/internal/testkit/golden"
	"github.com/gcnsim/gcnsim/internal/testkit/svgtest"
	"github.com/gcnsim/gcnsim/internal/tool/svg"
)

// pictures maps file names to the functions that draw the handbook's pictures from results of the library.
var pictures = map[string]func() (*svg.Canvas, error){
	"swizzle.svg":   drawSwizzle,
	"banks.svg":     drawBanks,
	"microtile.svg": drawMicroTiles,
	"mipchain.svg":  drawMipChain,
	"wrap.svg":      drawClampModes,
}

// The pictures in the handbook must equal those that the library draws, and each must be in a chapter. With -rewrite
// the test draws them again.
func TestPictures(t *testing.T) {
	chapters, err := filepath.Glob("*.md")
	require.NoError(t, err)
	text := ""
	for _, chapter := range chapters {
		b, err := os.ReadFile(chapter)
		require.NoError(t, err)
		text += strings.ReplaceAll(string(b), "\n", " ")
	}
	for name, draw := range pictures {
		c, err := draw()
		require.NoError(t, err, name)
		got := c.String()
		golden.Compare(t, name, []byte(got))
		svgtest.Check(t, name)
		desc, _, _ := strings.Cut(got, "</desc>")
		_, desc, _ = strings.Cut(desc, "<desc>")
		assert.True(t, strings.Contains(text, "!["+desc+"]("+name+")"),
			"no chapter shows %s with what it describes: %s", name, desc)
	}
}
