package engine

import (
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"math"
	"math/rand/v2"
)

// fill sets the dwords of a buffer. how is Buffer.Fill.
func fill(data []byte, how string) error {
	r := rand.New(rand.NewPCG(1, 2))
	for i := 0; i+4 <= len(data); i += 4 {
		var v uint32
		switch n := uint32(i / 4); how {
		case "", "zero":
		case "index":
			v = n
		case "float":
			v = math.Float32bits(float32(n))
		case "bytes":
			v = uint32(i)&255 | uint32(i+1)&255<<8 | uint32(i+2)&255<<16 | uint32(i+3)&255<<24
		case "random":
			v = r.Uint32()
		default:
			return fmt.Errorf("%q is no way to fill it; give zero, index, float, bytes or random", how)
		}
		binary.LittleEndian.PutUint32(data[i:], v)
	}
	return nil
}

// paint creates a picture: a gradient, a checkerboard, or a gradient with a different colour for each level.
func paint(how string, w, h, level int) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	colours := [...]color.NRGBA{{200, 60, 50, 255}, {60, 150, 70, 255}, {60, 90, 200, 255}, {210, 170, 40, 255},
		{140, 70, 170, 255}, {40, 160, 170, 255}}
	for y := range h {
		for x := range w {
			c := color.NRGBA{uint8(x * 255 / max(w-1, 1)), uint8(y * 255 / max(h-1, 1)), 96, 255}
			switch dark := (x+y)%2 == 1; how {
			case "checker":
				c = color.NRGBA{235, 235, 235, 255}
				if dark {
					c = color.NRGBA{40, 60, 90, 255}
				}
			case "levels":
				c = colours[level%len(colours)]
				if dark {
					c = color.NRGBA{c.R / 2, c.G / 2, c.B / 2, 255}
				}
			}
			img.SetNRGBA(x, y, c)
		}
	}
	return img
}
