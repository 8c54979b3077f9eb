// Package texture creates images in the memory of a machine, tiled as on the chip, and copies pictures and numbers to
// and from them:
//
//	tex, err := texture.New(m, gcn.Image{DataFormat: gcn.Data8_8_8_8, Width: 64, Height: 64, TileMode: 14})
//	err = tex.SetPicture(0, 0, picture)   // level 0, slice 0
//	w.SetSGPRs(0, tex.Words()...)         // the T#
//	...
//	picture, err := tex.Picture(0, 0)
//
// [Upload] and [Download] copy elements of any format without conversion.
package texture

import (
	"fmt"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/gcn/tile"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/isa/format"
	"github.com/gcnsim/gcnsim/sim"
)

// Texture is an image in the memory of a machine, laid out according to its tiling registers.
type Texture struct {
	gcn.Image             // the fields of its T#
	Layout    tile.Layout // positions of levels and slices, relative to the base of Buffer
	Buffer    *sim.Buffer // the memory of the surface; nil for an opened image

	gen     gcn.Gen
	format  *format.Format // nil if its texels cannot be converted
	surface []byte
}

// New maps zeroed memory of m for an image and returns it. Fields that are 0 are set to values that fit the others:
// TYPE to 2D, DST_SEL to the components in their order and 1 as a missing alpha, the last layer to the last one of
// DEPTH, the last level of the resource to LAST_LEVEL; images with levels have POW2_PAD, as drivers set it. The pitch
// defaults to the smallest one. BASE contributes only its pipe and bank swizzle. Errors are *[Error] for a field that
// does not fit a T# of the generation, those of [tile.Registers.Layout] and [sim.Machine.Registers], and
// *[sim.Error].
func New(m *sim.Machine, img gcn.Image) (*Texture, error) {
	regs, err := m.Registers()
	if err != nil {
		return nil, err
	}
	t := &Texture{Image: img, gen: m.Target.Gen()}
	t.format, _ = format.LookupImage(t.gen, img.DataFormat, img.NumFormat)
	t.complete()
	if err := gcn.Check(t.gen, t.Image); err != nil {
		return nil, &Error{t, err.Error()}
	}
	if isa.ImageFormatOf(t.gen, t.DataFormat, t.NumFormat).Name == "" {
		return nil, &Error{t, fmt.Sprintf("DataFormat is %d, which is invalid or reserved on %v; give a format, as in "+
			"gcn.Data8_8_8_8", t.DataFormat, t.gen)}
	}
	if err := t.checkView(); err != nil {
		return nil, err
	}
	s, err := tile.FromImage(t.gen, &t.Image)
	if err != nil {
		return nil, err
	}
	if t.Layout, err = regs.Layout(s); err != nil {
		return nil, err
	}
	t.Pitch = t.Layout.Levels()[0].Pitch * t.Layout.Surface.BlockW
	if isa.GenTraits(t.gen).SwizzleModes {
		t.Pitch = t.Layout.EPitch
	}
	if img.Pitch != 0 && img.Pitch != t.Pitch { // a T# without a pitch has 1 here
		return nil, &Error{t, fmt.Sprintf("Pitch is %d, but the texture has %d; leave it unset", img.Pitch, t.Pitch)}
	}
	if rest := img.Base &^ t.Layout.SwizzleMask; rest != 0 {
		return nil, &Error{t, fmt.Sprintf("Base is 0x%x, but New chooses where it lies; leave it unset, or give pipe "+
			"and bank swizzle, the bits of 0x%x", img.Base, t.Layout.SwizzleMask)}
	}
	t.Buffer, err = m.Allocate(t.Layout.Size, t.Layout.Align)
	if err != nil {
		return nil, err
	}
	t.surface = t.Buffer.Bytes()
	t.Base = t.Buffer.Addr | img.Base&t.Layout.SwizzleMask
	words := gcn.TSharp(t.Image.Words(t.gen))
	t.Image = words.Fields(t.gen) // removes fields that the generation lacks
	return t, nil
}

// Open returns the image that a T# describes, in memory of m that exists already. Slices and levels are those of the
// surface, not of the view: see BASE_ARRAY and BASE_LEVEL. Errors are *[Error] if the resource is not an image or not
// all in memory, and those of [tile.Registers.Layout] and [sim.Machine.Registers].
func Open(m *sim.Machine, words gcn.TSharp) (*Texture, error) {
	regs, err := m.Registers()
	if err != nil {
		return nil, err
	}
	g := m.Target.Gen()
	t := &Texture{Image: words.Fields(g), gen: g}
	if !isa.ShapeOf(t.Type).Valid {
		return nil, &Error{t, "TYPE is not that of an image"}
	}
	t.format, _ = format.LookupImage(g, t.DataFormat, t.NumFormat)
	s, err := tile.FromImage(g, &t.Image)
	if err != nil {
		return nil, err
	}
	if t.Layout, err = regs.Layout(s); err != nil {
		return nil, err
	}
	base := t.Base &^ t.Layout.SwizzleMask
	surface := m.View(base)
	switch {
	case len(surface) == 0:
		return nil, &Error{t, "no memory is mapped where it lies"}
	case uint64(len(surface)) < t.Layout.Size:
		return nil, &Error{t, "not all of it is mapped"}
	}
	t.surface = surface[:t.Layout.Size]
	return t, nil
}

// complete sets the fields of the T# that are 0.
func (t *Texture) complete() {
	if t.Type == 0 {
		t.Type = gcn.Image2D
	}
	if t.DstSel == [4]gcn.Sel{} && t.format != nil {
		t.DstSel = t.format.Identity
		if t.format.Components < format.MaxComponents {
			t.DstSel[format.MaxComponents-1] = gcn.Sel1
		}
	}
	for _, size := range []*int{&t.Width, &t.Height, &t.Depth} {
		if *size == 0 {
			*size = 1
		}
	}
	vega := isa.GenTraits(t.gen).SwizzleModes
	switch {
	case vega && t.MaxMip == 0:
		t.MaxMip = t.LastLevel
	case !vega && t.LastArray == 0 && isa.ShapeOf(t.Type).Layered:
		t.LastArray = isa.ExtentOf(t.Image, t.gen).Layers - 1
	}
	if t.LastLevel > 0 && !isa.ShapeOf(t.Type).MSAA && !vega {
		t.Pow2Pad = true
	}
}

// Words returns the T# as the contents of eight consecutive SGPRs.
func (t *Texture) Words() []uint32 { return t.Image.Words(t.gen) }

// checkView returns an error for views of slices that do not exist, and for views whose end is before their start.
func (t *Texture) checkView() error {
	shape := isa.ShapeOf(t.Type)
	// in other types BASE_ARRAY is the only slice
	if slices := isa.ExtentOf(t.Image, t.gen).Layers; shape.Layered && t.BaseArray >= slices {
		return &Error{t, fmt.Sprintf("BaseArray is %d, not in 0 to %d", t.BaseArray, slices-1)}
	}
	switch {
	case !shape.MSAA && t.BaseLevel > t.LastLevel:
		return &Error{t, fmt.Sprintf("BaseLevel is %d, after LastLevel, which is %d", t.BaseLevel, t.LastLevel)}
	case !shape.MSAA && isa.GenTraits(t.gen).SwizzleModes && t.MaxMip < t.LastLevel:
		return &Error{t, fmt.Sprintf("MaxMip is %d, before LastLevel, which is %d", t.MaxMip, t.LastLevel)}
	case shape.Layered && !isa.GenTraits(t.gen).SwizzleModes && t.BaseArray > t.LastArray:
		return &Error{t, fmt.Sprintf("BaseArray is %d, after LastArray, which is %d", t.BaseArray, t.LastArray)}
	}
	return nil
}

// Error is returned for an impossible texture, or for a picture that it cannot store.
type Error struct {
	Texture *Texture
	What    string
}

// Error returns the text with a description of the texture.
func (e *Error) Error() string {
	name := isa.ImageFormatOf(e.Texture.gen, e.Texture.DataFormat, e.Texture.NumFormat).Name
	if name == "" {
		return "texture: " + e.What
	}
	return fmt.Sprintf("texture: a texture of %s: %s", name, e.What)
}
