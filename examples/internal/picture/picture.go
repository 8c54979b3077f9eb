// Package picture helps the examples to draw PNG files.
package picture

import (
	"bytes"
	"image"
	"image/color"
	"image/draw"
	"image/png"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"

	"github.com/gcnsim/gcnsim/internal/tool/files"
)

// Save writes a picture to a PNG file, whole or not at all.
func Save(path string, img image.Image) error {
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		return err
	}
	return files.Write(path, b.Bytes())
}

// Style is how text looks.
type Style struct {
	Size float64 // pixels
	Bold bool
	Ink  color.Color // black if nil
}

// Text writes a line whose baseline begins at x, y.
func Text(dst draw.Image, x, y int, s Style, text string) error {
	ttf := goregular.TTF
	if s.Bold {
		ttf = gobold.TTF
	}
	f, err := opentype.Parse(ttf)
	if err != nil {
		return err
	}
	face, err := opentype.NewFace(f, &opentype.FaceOptions{Size: s.Size, DPI: 72, Hinting: font.HintingFull})
	if err != nil {
		return err
	}
	if s.Ink == nil {
		s.Ink = color.Black
	}
	d := font.Drawer{Dst: dst, Src: image.NewUniform(s.Ink), Face: face, Dot: fixed.P(x, y)}
	d.DrawString(text)
	return face.Close()
}
