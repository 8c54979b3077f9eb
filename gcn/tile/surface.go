package tile

import (
	"fmt"
	"math/bits"
	"strings"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa"
)

// Surface describes an image as a resource does. BlockW, BlockH, Depth, Samples and Levels default to 1.
type Surface struct {
	Type           gcn.ImageType
	Bytes          int // bytes of an element: 1, 2, 4, 8 or 16; 12 for linear surfaces with one level
	BlockW, BlockH int // texels in an element: 1x1, 4x4 for block-compressed formats, 8x1 for bits
	Width, Height  int // size of level 0 in texels
	Depth          int // z size of a 3D image in texels, else number of layers; a cube has six
	Samples        int // stored samples (fragments): 1, 2, 4 or 8
	Levels         int // mip levels
	// T#.PITCH+1: texels in a row of level 0. On GCN 1.4 it is in elements, or a number of rows (see [Layout.EPitch]). 0
	// selects the smallest pitch.
	Pitch   int
	Mode    int    // T#.TILING_INDEX, or T#.SW_MODE on GCN 1.4
	Pow2Pad bool   // T#.POW2_PAD
	PRT     bool   // partially resident; has an effect on GCN 1.0 only
	Swizzle uint32 // pipe and bank swizzle: the bits of T#.BASE (in units of 256 bytes) that lie below the pipes and banks
}

// Limits of a surface: the largest values of the fields of a T# (rule TD1).
const (
	maxSize    = 1 << 14
	maxDepth   = 1 << 13
	maxLevels  = 16
	maxSamples = 8
	maxPitch   = 1 << 16
	maxBlockW  = 8
	maxBlockH  = 4
)

// assumption is a set of rules that no source confirms (rule TL7).
type assumption uint8

const (
	// prtRotation: modes PRT_2D and PRT_3D are addressed in the same way as PRT.
	prtRotation assumption = 1 << iota
	// swizzleMip: levels that are not macro-tiled ignore the pipe and bank swizzle.
	swizzleMip
	// generalAsAligned: LINEAR_GENERAL has the addresses of LINEAR_ALIGNED.
	generalAsAligned
	// bits96: elements of 96 bits are adjacent in a row.
	bits96
	// unpaddedMips: levels without POW2_PAD, which drivers always set for surfaces with several levels.
	unpaddedMips
)

var assumptions = []struct {
	is   assumption
	text string
}{
	{prtRotation, "rotation of PRT_2D and PRT_3D"}, {swizzleMip, "swizzle ignored by small levels"},
	{generalAsAligned, "LINEAR_GENERAL"}, {bits96, "96-bit elements"}, {unpaddedMips, "levels without POW2_PAD"},
}

// text returns the assumptions as text.
func (a assumption) text() string {
	if a == 0 {
		return ""
	}
	var all []string
	for _, known := range assumptions {
		if a&known.is != 0 {
			all = append(all, known.text)
		}
	}
	return strings.Join(all, ", ")
}

// badSurface returns the error for a surface that no T# can describe.
func badSurface(format string, args ...any) error {
	return &Error{BadSurface, fmt.Sprintf(format, args...)}
}

// check sets the defaults and returns an error if no T# of generation g can describe s.
func (s *Surface) check(g gcn.Gen) error {
	if min(s.BlockW, s.BlockH, s.Depth, s.Samples, s.Levels) < 0 {
		return badSurface("BlockW %d, BlockH %d, Depth %d, Samples %d, Levels %d; each is 1 or more, and 0 is 1", s.BlockW,
			s.BlockH, s.Depth, s.Samples, s.Levels)
	}
	for _, v := range []*int{&s.BlockW, &s.BlockH, &s.Depth, &s.Samples, &s.Levels} {
		*v = max(*v, 1)
	}
	if isa.ShapeOf(s.Type).Linear1D {
		s.Height = 1
	}
	if err := s.checkSize(); err != nil {
		return err
	}
	switch {
	case !isPow2(s.Samples) || s.Samples > maxSamples || s.Samples > 1 && !isa.ShapeOf(s.Type).MSAA:
		return badSurface("%v image of %d samples; MSAA images have 1, 2, 4 or %d, others 1", s.Type, s.Samples, maxSamples)
	case s.Levels > maxLevels || s.Levels > 1 && s.Samples > 1:
		return badSurface("%d levels; there are 1 to %d, and 1 of an image with samples", s.Levels, maxLevels)
	case s.Levels > s.chain(g):
		field := "LAST_LEVEL"
		if isa.GenTraits(g).SwizzleModes {
			field = "MAX_MIP"
		}
		return badSurface("%d levels (%s+1), but %dx%dx%d has %d down to one texel", s.Levels, field, s.Width, s.Height,
			s.Depth, s.chain(g))
	case s.Pitch < 0 || s.Pitch > maxPitch:
		return badSurface("pitch %d; it is up to %d, and 0 is the smallest one", s.Pitch, maxPitch)
	case s.Mode < 0 || s.Mode > 31:
		return badSurface("tiling mode %d; it is 0 to 31", s.Mode)
	}
	return nil
}

// checkSize checks the type and the size of the first level.
func (s *Surface) checkSize() error {
	switch {
	case !isa.ShapeOf(s.Type).Valid:
		return badSurface("%v is not an image type; they are %d to %d", s.Type, gcn.Image1D, gcn.Image2DMSAAArray)
	case s.Bytes != 12 && (!isPow2(s.Bytes) || s.Bytes > 16):
		return badSurface("elements of %d bytes; they have 1, 2, 4, 8, 12 or 16", s.Bytes)
	case s.BlockW > maxBlockW || s.BlockH > maxBlockH:
		return badSurface("elements of %dx%d texels; they have up to %dx%d", s.BlockW, s.BlockH, maxBlockW, maxBlockH)
	case s.Width < 1 || s.Width > maxSize || s.Height < 1 || s.Height > maxSize:
		return badSurface("size %dx%d is not in 1 to %d", s.Width, s.Height, maxSize)
	case s.Depth > 6*maxDepth || s.Depth > maxDepth && s.Type != gcn.ImageCube:
		return badSurface("depth %d; it is 1 to %d, of cubes with six faces each", s.Depth, maxDepth)
	case s.Depth > 1 && s.Type != gcn.Image3D && !isa.ShapeOf(s.Type).Layered:
		return badSurface("%v image of depth %d; only 3D images, cubes and arrays have more than 1", s.Type, s.Depth)
	}
	return nil
}

// chain returns the number of levels down to one texel on generation g. Each level halves the size, rounded down. On
// GCN 1.4, elements as large as compressed blocks may have the levels of the blocks' texels, two more (rule SW8).
func (s *Surface) chain(g gcn.Gen) int {
	most := max(s.Width, s.Height)
	if isa.GenTraits(g).SwizzleModes && s.Bytes >= 8 && s.Bytes != 12 && max(s.BlockW, s.BlockH) <= 1 &&
		!isa.ShapeOf(s.Type).Linear1D {
		most *= 4
	}
	if s.Type == gcn.Image3D {
		most = max(most, s.Depth)
	}
	return bits.Len(uint(most))
}

// elements returns the size of level l in elements; Depth counts layers in all levels. Source: sizes are halved and
// rounded down, rule CO1.
func (s *Surface) elements(l int) (w, h, d int) {
	w, h, d = ceilDiv(max(1, s.Width>>l), s.BlockW), ceilDiv(max(1, s.Height>>l), s.BlockH), s.Depth
	if s.Type == gcn.Image3D {
		d = max(1, d>>l)
	}
	return w, h, d
}
