// Package raster writes drawings as SVG or as PNG.
package raster

import (
	"bytes"
	"errors"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"io"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/image/font"
	"golang.org/x/image/font/basicfont"
	"golang.org/x/image/math/fixed"

	"github.com/gcnsim/gcnsim/internal/tool/files"
	"github.com/gcnsim/gcnsim/internal/tool/svg"
)

// Named returns an error if a file's name ends neither in .svg nor in .png; "" is allowed.
func Named(file string) error {
	if ext := strings.ToLower(filepath.Ext(file)); file != "" && ext != ".svg" && ext != ".png" {
		return errors.New("pictures are SVG or PNG; give a name that ends in .svg or .png")
	}
	return nil
}

// Write writes a drawing to a file, as PNG or SVG according to its name. If file is "", it writes SVG to out.
func Write(out io.Writer, file string, c *svg.Canvas) error {
	switch {
	case strings.EqualFold(filepath.Ext(file), ".png"):
		data, err := PNG(c)
		if err != nil {
			return err
		}
		return files.Write(file, data)
	case file != "":
		return c.Save(file)
	}
	_, err := io.WriteString(out, c.String())
	return err
}

// PNG returns a drawing as a PNG file of the drawing's size, in the light theme. All text has the same size.
func PNG(c *svg.Canvas) ([]byte, error) {
	width, height := c.Size()
	img := image.NewNRGBA(image.Rect(0, 0, int(width+0.5), int(height+0.5)))
	for i := range c.Shapes() {
		s := &c.Shapes()[i]
		if s.Kind == svg.KindText {
			drawText(img, s)
		} else {
			drawShape(img, s)
		}
	}
	var b bytes.Buffer
	err := png.Encode(&b, img)
	return b.Bytes(), err
}

// colorOf returns the colour of a fill or stroke in the light theme. ok is false for [svg.None].
func colorOf(fill string) (c color.NRGBA, ok bool) {
	if value, themed := svg.Light[fill]; themed {
		fill = value
	}
	if len(fill) != 7 {
		return c, false
	}
	rgb, err := strconv.ParseUint(fill[1:], 16, 24)
	return color.NRGBA{uint8(rgb >> 16), uint8(rgb >> 8), uint8(rgb), 255}, err == nil
}

// bounds returns the pixels that a shape covers.
func bounds(s *svg.Shape) image.Rectangle {
	return image.Rect(int(s.X+0.5), int(s.Y+0.5), int(s.X+s.W+0.5), int(s.Y+s.H+0.5))
}

// drawShape draws a rectangle or a line.
func drawShape(img draw.Image, s *svg.Shape) {
	c, ok := colorOf(s.Fill)
	r := bounds(s)
	switch s.Kind {
	case svg.KindLine: // all lines are horizontal or vertical
		r = r.Canon()
		r.Max = image.Pt(max(r.Max.X, r.Min.X+1), max(r.Max.Y, r.Min.Y+1))
	case svg.KindBox:
		border, _ := colorOf(svg.Soft)
		inside := c
		if !ok {
			inside, _ = colorOf(svg.Paper)
		}
		fill(img, r, border)
		c, ok, r = inside, true, r.Inset(1)
	}
	if ok {
		fill(img, r, c)
	}
}

// fill fills a rectangle.
func fill(img draw.Image, r image.Rectangle, c color.NRGBA) {
	draw.Draw(img, r, image.NewUniform(c), image.Point{}, draw.Src)
}

// face is the font of all text. All letters have the same width.
var face = basicfont.Face7x13

// drawText draws text. Letters are as close as the drawing's style requires. Bold text is drawn twice, one pixel
// apart.
func drawText(img *image.NRGBA, s *svg.Shape) {
	c, ok := colorOf(s.Fill)
	if !ok {
		return
	}
	text := []rune(s.Text)
	advance := min(float64(face.Advance), s.Style.Width(s.Text)/float64(max(len(text), 1)))
	offset := 0.0
	switch s.Style.Anchor {
	case "middle":
		offset = advance * float64(len(text)) / 2
	case "end":
		offset = advance * float64(len(text))
	}
	for i, r := range text {
		along := float64(i)*advance - offset
		if s.Style.Upward {
			upward(img, s.X, s.Y-along, c, r)
			continue
		}
		letter(img, s.X+along, s.Y, c, r)
		if s.Style.Bold {
			letter(img, s.X+along+1, s.Y, c, r)
		}
	}
}

// letter draws a letter. Its baseline starts at x, y.
func letter(img draw.Image, x, y float64, c color.Color, r rune) {
	d := font.Drawer{Dst: img, Src: image.NewUniform(c), Face: face, Dot: fixed.P(int(x+0.5), int(y+0.5))}
	d.DrawString(string(r))
}

// upward draws a letter that is rotated to the left.
func upward(img *image.NRGBA, x, y float64, c color.Color, r rune) {
	flat := image.NewAlpha(image.Rect(0, 0, face.Width, face.Height))
	letter(flat, 0, float64(face.Ascent), color.Opaque, r)
	for row := range face.Height {
		for column := range face.Width {
			if flat.AlphaAt(column, row).A > 0 {
				img.Set(int(x)-face.Ascent+row, int(y)-column, c)
			}
		}
	}
}
