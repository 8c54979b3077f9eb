package main

import (
	"bytes"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/testkit/effort"
	"github.com/gcnsim/gcnsim/internal/testkit/golden"
	"github.com/gcnsim/gcnsim/sim"
)

func TestRun(t *testing.T) {
	effort.Long(t)
	path := filepath.Join(t.TempDir(), "a.png")
	var out bytes.Buffer
	require.NoError(t, run(&out, path))
	golden.Compare(t, "testdata/contrast.txt", out.Bytes())

	f, err := os.Open(path)
	require.NoError(t, err)
	defer f.Close()
	img, err := png.Decode(f)
	require.NoError(t, err)
	assert.Greater(t, img.Bounds().Dx(), 4*320)
}

// Pixels of the panels have the colours that the fields of the sampler promise.
func TestPanels(t *testing.T) {
	m := sim.New(target)
	m.BorderColors = [][4]uint32{border}
	rows, err := scene(m)
	require.NoError(t, err)

	yellow, dark, white := color.NRGBA{255, 217, 89, 255}, color.NRGBA{0x20, 0x2c, 0x39, 255},
		color.NRGBA{0xf2, 0xf2, 0xf2, 255}
	mixed := color.NRGBA{199, 174, 81, 255} // three quarters border, as at a corner of four texels
	for mode, want := range map[gcn.Clamp]color.NRGBA{
		gcn.ClampLastTexel: dark, gcn.ClampMirrorOnceLastTexel: dark, gcn.ClampHalfBorder: mixed,
		gcn.ClampBorder: yellow, gcn.ClampMirrorOnceBorder: yellow,
	} {
		p := rows[2].panels[mode]
		img, err := render(m, p)
		require.NoError(t, err)
		assert.Equal(t, want, img.NRGBAAt(150, 150), "%s", p.title)
	}
	for i, far := range []bool{false, true, true, true} {
		img, err := render(m, rows[1].panels[i])
		require.NoError(t, err)
		assert.Equal(t, white, img.NRGBAAt(160, 190), "level 0 is near")
		assert.Equal(t, far, img.NRGBAAt(160, 32) != white, "%s: a small level far away", rows[1].panels[i].title)
	}
}
