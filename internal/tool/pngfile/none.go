//go:build js

// Package pngfile returns errors on the page, which has no files.
package pngfile

import (
	"errors"
	"image"
)

var errNone = errors.New("PNG files are not read or written in a browser; give the texels")

// Size returns an error.
func Size([]byte) (width, height int, err error) { return 0, 0, errNone }

// Decode returns an error.
func Decode([]byte) (image.Image, error) { return nil, errNone }

// Encode returns an error.
func Encode(image.Image) ([]byte, error) { return nil, errNone }
