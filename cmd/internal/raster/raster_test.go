package raster

import (
	"bytes"
	"image/color"
	"image/png"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/internal/tool/svg"
)

// drawing has one of each shape.
func drawing() *svg.Canvas {
	c := svg.New(140, 84, "a drawing", "what it shows")
	c.Rect(14, 14, 14, 14, "#ff0000")
	c.Box(42, 14, 14, 14, svg.None)
	c.Box(70, 14, 14, 14, "#00ff00")
	c.Shade(98, 14, 14, 14, "#0000ff")
	c.Line(14, 42, 98, 42, svg.Ink)
	c.Text(126, 66, svg.Style{Anchor: "end"}, "right")
	c.Text(21, 25, svg.Style{Fill: svg.OnTint, Anchor: "middle"}, "x")
	c.Text(10, 70, svg.Style{Upward: true}, "up")
	c.Text(14, 80, svg.Style{Bold: true}, "bold")
	return c
}

func TestPNG(t *testing.T) {
	data, err := PNG(drawing())
	require.NoError(t, err)
	img, err := png.Decode(bytes.NewReader(data))
	require.NoError(t, err)
	assert.Equal(t, 140, img.Bounds().Dx())
	assert.Equal(t, 84, img.Bounds().Dy())
	at := func(x, y int) color.Color { return color.NRGBAModel.Convert(img.At(x, y)) }
	white, ink := color.NRGBA{255, 255, 255, 255}, color.NRGBA{0x1f, 0x23, 0x28, 255}
	assert.Equal(t, white, at(0, 0))
	assert.Equal(t, color.NRGBA{255, 0, 0, 255}, at(14, 14))
	assert.Equal(t, color.NRGBA{0x57, 0x60, 0x6a, 255}, at(42, 14), "outline")
	assert.Equal(t, white, at(49, 21), "inside")
	assert.Equal(t, color.NRGBA{0, 255, 0, 255}, at(77, 21))
	assert.Equal(t, color.NRGBA{0, 0, 255, 255}, at(111, 27))
	assert.Equal(t, ink, at(50, 42))
	inked := func(x0, y0, x1, y1 int) (n int) {
		for y := y0; y < y1; y++ {
			for x := x0; x < x1; x++ {
				if at(x, y) == ink {
					n++
				}
			}
		}
		return n
	}
	assert.Greater(t, inked(90, 56, 126, 70), 20, "text ends at its anchor")
	assert.Zero(t, inked(127, 44, 140, 84))
	assert.Greater(t, inked(0, 50, 12, 71), 8, "text runs upward")
}
