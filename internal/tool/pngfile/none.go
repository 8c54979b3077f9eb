//go:build js

// Package pngfile refuses PNG files: a page has no files.
package pngfile

import (
	"errors"
	"image"
)

var errNone = errors.New("PNG files are not read or written in a browser; give the texels")

// Size refuses the file.
func Size([]byte) (width, height int, err error) { return 0, 0, errNone }

// Decode refuses the file.
func Decode([]byte) (image.Image, error) { return nil, errNone }

// Encode refuses the picture.
func Encode(image.Image) ([]byte, error) { return nil, errNone }
