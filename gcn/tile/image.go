package tile

import (
	"fmt"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa"
)

// FromImage returns the surface that a T# of generation g describes. The error is an *[Error] for a data format whose
// size in memory no source states.
//
// A 128-bit T# has no PITCH field; the smallest pitch applies. An image that is not an array has its slice in
// BASE_ARRAY. Source: rules TD1 and CO1.
func FromImage(g gcn.Gen, img *gcn.Image) (Surface, error) {
	f := isa.ImageFormatOf(g, img.DataFormat, img.NumFormat)
	switch {
	case f.Name == "":
		return Surface{}, &Error{NotSupported, fmt.Sprintf("data format %d, which is invalid or reserved; choose one "+
			"that the generation has", img.DataFormat)}
	case f.Bytes == 0:
		return Surface{}, &Error{NotSupported, fmt.Sprintf("data format %d %s, whose size in memory no source tells; "+
			"choose another one", img.DataFormat, f.Name)}
	}
	e := isa.ExtentOf(*img, g)
	s := Surface{
		Type: img.Type, Bytes: int(f.Bytes), BlockW: int(f.Width), BlockH: int(f.Height), Width: img.Width,
		Height: img.Height,
		Depth:  e.Layers, Samples: e.Fragments, Levels: e.Levels, Pitch: img.Pitch, Mode: img.TileMode, Pow2Pad: img.Pow2Pad,
		Swizzle: uint32(img.Base >> 8),
	}
	// the surface has every slice that the view can address
	if isa.ShapeOf(img.Type).Layered && !isa.GenTraits(g).SwizzleModes {
		s.Depth = max(s.Depth, img.LastArray+1)
	}
	if img.Pitch == 1 {
		s.Pitch = 0
	}
	if array, ok := arrayOf[img.Type]; ok && img.BaseArray > 0 {
		s.Type, s.Depth = array, max(img.Depth, img.BaseArray+1)
	}
	if img.Type == gcn.Image3D {
		s.Depth = img.Depth
	}
	return s, nil
}

// arrayOf maps an image type to the array type whose slices are such images.
var arrayOf = map[gcn.ImageType]gcn.ImageType{
	gcn.Image1D: gcn.Image1DArray, gcn.Image2D: gcn.Image2DArray, gcn.Image2DMSAA: gcn.Image2DMSAAArray,
}
