//go:build !js

// Package pngfile reads and writes PNG files. The page's build omits image/png, because it needs no files and loads
// faster without.
package pngfile

import (
	"bytes"
	"image"
	"image/png"
)

// Size returns the width and height of the picture in a PNG file.
func Size(file []byte) (width, height int, err error) {
	c, err := png.DecodeConfig(bytes.NewReader(file))
	return c.Width, c.Height, err
}

// Decode returns the picture in a PNG file.
func Decode(file []byte) (image.Image, error) { return png.Decode(bytes.NewReader(file)) }

// Encode returns a PNG file of the picture.
func Encode(picture image.Image) ([]byte, error) {
	var b bytes.Buffer
	err := png.Encode(&b, picture)
	return b.Bytes(), err
}
