package imgtest

import (
	"fmt"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/gcn/tile"
	"github.com/gcnsim/gcnsim/internal/isa"
)

// Surface is an image in memory.
type Surface struct {
	Target gcn.Target
	Regs   *tile.Registers
	Image  gcn.Image
	Layout *tile.Layout
	Mem    *Memory // the whole image, initially zero
}

// NewSurface allocates an image in memory and describes it like drivers do. img has base, formats, type, size, mode
// and LAST_LEVEL of the whole image. depth is the depth of a 3D image, otherwise the number of layers, six for each
// cube. Source: rules TL6, SW8 and TD1.
func NewSurface(t gcn.Target, regs *tile.Registers, img gcn.Image, depth int) (*Surface, error) {
	g := t.Gen()
	f := isa.ImageFormatOf(g, img.DataFormat, img.NumFormat)
	if f.Bytes == 0 {
		return nil, fmt.Errorf("imgtest: no surface of format %q", f.Name)
	}
	s := tile.Surface{
		Type: img.Type, Bytes: int(f.Bytes), BlockW: int(f.Width), BlockH: int(f.Height), Width: img.Width,
		Height: img.Height, Depth: depth,
		Samples: 1, Levels: img.LastLevel + 1, Mode: img.TileMode,
		Swizzle: uint32(img.Base >> 8),
	}
	if msaa(img.Type) {
		s.Samples, s.Levels = 1<<img.LastLevel, 1
	}
	vega := g >= gcn.GCN14
	img.Pow2Pad = s.Levels > 1 && !vega
	s.Pow2Pad = img.Pow2Pad
	l, err := regs.Layout(s)
	if err != nil {
		return nil, err
	}
	img.Depth = depth
	img.Pitch = l.Levels()[0].Pitch * s.BlockW
	if vega {
		img.Pitch, img.MaxMip = l.EPitch, img.LastLevel
	}
	if layered(img.Type) && !vega {
		img.LastArray = depth - 1
		if img.Type == gcn.ImageCube {
			img.Depth = depth / 6
		}
	}
	return &Surface{t, regs, img, &l, &Memory{img.Base &^ l.SwizzleMask, make([]byte, l.Size)}}, nil
}

// Each calls element for every element of the image and stores the result. at has the level, x, y, z or layer, and
// the sample; x varies fastest.
func (s *Surface) Each(element func(at [5]int) []byte) error {
	for i, level := range s.Layout.Levels() {
		plan, err := s.Layout.Plan(i, 0, 0, level.Depth)
		if err != nil {
			return err
		}
		rows := level.Depth * level.Height * s.Layout.Surface.Samples
		for row := range rows {
			sample := row % s.Layout.Surface.Samples
			y := row / s.Layout.Surface.Samples % level.Height
			z := row / s.Layout.Surface.Samples / level.Height
			s.row(plan, level.Width, func(x int) []byte { return element([5]int{i, x, y, z, sample}) }, splat(y), splat(z),
				splat(sample))
		}
	}
	return nil
}

// splat returns v in all lanes.
func splat(v int) *[64]uint32 {
	var all [64]uint32
	for i := range all {
		all[i] = uint32(v)
	}
	return &all
}

// row stores the elements of one row.
func (s *Surface) row(plan *tile.Plan, width int, element func(x int) []byte, y, z, sample *[64]uint32) {
	var addrs [64]uint64
	var at [64]uint32
	for first := 0; first < width; first += 64 {
		n := min(64, width-first)
		for i := range n {
			at[i] = uint32(first + i)
		}
		plan.Lanes(&addrs, 1<<n-1, &at, y, z, sample)
		for i := range n {
			copy(s.Mem.Bytes[addrs[i]:], element(first+i))
		}
	}
}

// Call returns an instruction on the image with a full EXEC and without registers.
func (s *Surface) Call(name string) *Call {
	return &Call{Target: s.Target, Name: name, T: gcn.TSharp(s.Image.Words(s.Target.Gen())), Mem: s.Mem, Regs: s.Regs,
		Exec: ^uint64(0)}
}
