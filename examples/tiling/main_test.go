package main

import (
	"bytes"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/internal/testkit/effort"
	"github.com/gcnsim/gcnsim/internal/testkit/golden"
	"github.com/gcnsim/gcnsim/internal/testkit/svgtest"
)

func TestRun(t *testing.T) {
	effort.Long(t)
	base := filepath.Join(t.TempDir(), "a")
	var out bytes.Buffer
	require.NoError(t, run(&out, base))
	golden.Compare(t, "testdata/order.txt", out.Bytes())

	assert.Greater(t, svgtest.Check(t, base+".svg"), len(panels())*part*part)

	picture, err := os.Open(base + ".png")
	require.NoError(t, err)
	defer picture.Close()
	img, err := png.Decode(picture)
	require.NoError(t, err)
	assert.Greater(t, img.Bounds().Dx(), 4*width)
	_, _, _, alpha := img.At(0, 0).RGBA()
	assert.EqualValues(t, 0xffff, alpha)
}

// The log2 of pipes and banks that the drawing names are the values of the layouts.
func TestPlaces(t *testing.T) {
	for _, p := range panels() {
		require.NoError(t, p.lay())
		if mask := p.layout.SwizzleMask; mask != 0 {
			assert.EqualValues(t, 1<<(p.pipes+p.banks)-1, mask>>8, p.title)
		}
	}
}
