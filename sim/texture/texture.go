// Package texture places images in the memory of a machine as the chip tiles them, and
// moves pictures and numbers in and out of them:
//
//	tex, err := texture.New(m, gcn.Image{DataFormat: gcn.Data8_8_8_8, Width: 64, Height: 64, TileMode: 14})
//	err = tex.SetPicture(0, 0, picture)   // level 0, slice 0
//	w.SetSGPRs(0, tex.Words()...)         // the T#
//	...
//	picture, err := tex.Picture(0, 0)
//
// [Upload] and [Download] move elements as they are, of any format.
package texture

import (
	"fmt"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/gcn/format"
	"github.com/gcnsim/gcnsim/gcn/tile"
	"github.com/gcnsim/gcnsim/internal/unit"
	"github.com/gcnsim/gcnsim/sim"
)

// Texture is an image in the memory of a machine, laid out as its tiling registers say.
type Texture struct {
	gcn.Image             // what its T# says
	Layout    tile.Layout // where levels and slices are, from the base of Buffer on
	Buffer    *sim.Buffer // the surface; nil of one that was opened

	gen     gcn.Gen
	format  *format.Format // nil if its texels cannot be converted
	surface []byte
}

// New maps zeroed memory of m for an image and returns it. Fields that are 0 become what
// fits the others: TYPE is 2D, DST_SEL takes the components in their order and 1 as alpha
// if there is none, the last layer is the last one of DEPTH, the last level of the resource
// LAST_LEVEL; images with levels get POW2_PAD, as drivers do. The pitch is the smallest one,
// and of BASE only pipe and bank swizzle are used. Errors are *[Error] for a field out of
// its range, those of [tile.Registers.Layout] and [sim.Machine.Registers], and
// *[sim.Error].
func New(m *sim.Machine, img gcn.Image) (*Texture, error) {
	regs, err := m.Registers()
	if err != nil {
		return nil, err
	}
	t := &Texture{Image: img, gen: m.Target.Gen()}
	t.format, _ = format.LookupImage(t.gen, img.DataFormat, img.NumFormat)
	t.complete()
	if err := t.checkFields(); err != nil {
		return nil, err
	}
	t.Pitch = 0
	s, err := tile.FromImage(t.gen, &t.Image)
	if err != nil {
		return nil, err
	}
	if t.Layout, err = regs.Layout(s); err != nil {
		return nil, err
	}
	t.Buffer, err = m.Allocate(t.Layout.Size, t.Layout.Align)
	if err != nil {
		return nil, err
	}
	t.surface = t.Buffer.Bytes()
	t.Base = t.Buffer.Addr | img.Base&t.Layout.SwizzleMask
	t.Pitch = t.Layout.Levels()[0].Pitch * t.Layout.Surface.BlockW
	if t.gen.Traits().SwizzleModes {
		t.Pitch = t.Layout.EPitch
	}
	words := gcn.TSharp(t.Image.Words(t.gen))
	t.Image = words.Fields(t.gen) // without what the generation has no field for
	return t, nil
}

// Open returns the image that a T# describes, in memory that holds it already: mem finds it
// and regs are the tiling registers. What slices and levels count from is the surface, not the
// view: see BASE_ARRAY and BASE_LEVEL. Errors are *[Error] if it is no image or not all in
// memory, and those of [tile.Registers.Layout].
func Open(mem unit.Memory, regs *tile.Registers, g gcn.Gen, words gcn.TSharp) (*Texture, error) {
	t := &Texture{Image: words.Fields(g), gen: g}
	if !t.Type.Shape().Valid {
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
	span := mem.Find(base)
	if span == nil {
		return nil, &Error{t, "no memory is mapped where it lies"}
	}
	off, ok := span.Offset(base, t.Layout.Size)
	if !ok {
		return nil, &Error{t, "not all of it is mapped"}
	}
	t.surface = span.Bytes[off:][:t.Layout.Size]
	return t, nil
}

// complete fills in fields of the T# that are 0.
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
	if t.LastArray == 0 && t.Type.Shape().Layered {
		t.LastArray = t.Extent(t.gen).Layers - 1
	}
	if t.MaxMip == 0 {
		t.MaxMip = t.LastLevel
	}
	if t.LastLevel > 0 && !t.Type.Shape().MSAA {
		t.Pow2Pad = true
	}
}

// Words returns the T# for eight consecutive SGPRs.
func (t *Texture) Words() []uint32 { return t.Image.Words(t.gen) }

// checkFields refuses fields that a T# cannot hold, and slices that there are none of.
func (t *Texture) checkFields() error {
	slices := 1<<13 - 1 // of other types BASE_ARRAY is the one slice
	if t.Type.Shape().Layered {
		slices = t.Extent(t.gen).Layers - 1
	}
	for _, f := range [...]struct {
		name               string
		value, least, most int
	}{
		{"DataFormat", int(t.DataFormat), 0, 63}, {"NumFormat", int(t.NumFormat), 0, 15},
		{"Width", t.Width, 1, 1 << 14}, {"Height", t.Height, 1, 1 << 14}, {"Depth", t.Depth, 1, 1 << 13},
		{"LastLevel", t.LastLevel, 0, 15}, {"BaseLevel", t.BaseLevel, 0, 15}, {"MaxMip", t.MaxMip, 0, 15},
		{"TileMode", t.TileMode, 0, 31}, {"BaseArray", t.BaseArray, 0, slices}, {"LastArray", t.LastArray, 0, 1<<13 - 1},
	} {
		if f.value < f.least || f.value > f.most {
			return &Error{t, fmt.Sprintf("%s is %d, not in %d to %d", f.name, f.value, f.least, f.most)}
		}
	}
	if err := t.checkOrder(); err != nil {
		return err
	}
	return t.checkPacked()
}

// checkOrder refuses views that end before they begin.
func (t *Texture) checkOrder() error {
	shape := t.Type.Shape()
	switch {
	case !shape.MSAA && t.BaseLevel > t.LastLevel:
		return &Error{t, fmt.Sprintf("BaseLevel is %d, after LastLevel, which is %d", t.BaseLevel, t.LastLevel)}
	case !shape.MSAA && t.gen.Traits().SwizzleModes && t.MaxMip < t.LastLevel:
		return &Error{t, fmt.Sprintf("MaxMip is %d, before LastLevel, which is %d", t.MaxMip, t.LastLevel)}
	case shape.Layered && !t.gen.Traits().SwizzleModes && t.BaseArray > t.LastArray:
		return &Error{t, fmt.Sprintf("BaseArray is %d, after LastArray, which is %d", t.BaseArray, t.LastArray)}
	}
	return nil
}

// checkPacked refuses fields that the words of the T# do not hold as they are. LastArray, MaxMip
// and Pow2Pad, which New fills in, not all generations have; levels of detail are rounded.
func (t *Texture) checkPacked() error {
	held := gcn.TSharp(t.Image.Words(t.gen)).Fields(t.gen)
	for _, f := range [...]struct {
		name       string
		given, has any
	}{
		{"Type", t.Type, held.Type}, {"DstSel", t.DstSel, held.DstSel}, {"PerfMod", t.PerfMod, held.PerfMod}, {"Interlaced", t.Interlaced, held.Interlaced},
		{"MType", t.MType, held.MType}, {"ATC", t.ATC, held.ATC}, {"CounterBank", t.CounterBank, held.CounterBank}, {"LODCount", t.LODCount, held.LODCount},
		{"Compression", t.Compression, held.Compression}, {"Meta", t.Meta, held.Meta}, {"AlphaOnMSB", t.AlphaOnMSB, held.AlphaOnMSB},
		{"ColorTransform", t.ColorTransform, held.ColorTransform}, {"LostAlpha", t.LostAlpha, held.LostAlpha}, {"LostColor", t.LostColor, held.LostColor},
		{"NV", t.NV, held.NV}, {"MetaDirect", t.MetaDirect, held.MetaDirect}, {"BCSwizzle", t.BCSwizzle, held.BCSwizzle}, {"ArrayPitch", t.ArrayPitch, held.ArrayPitch},
		{"MetaLinear", t.MetaLinear, held.MetaLinear}, {"MetaPipeAligned", t.MetaPipeAligned, held.MetaPipeAligned}, {"MetaRBAligned", t.MetaRBAligned, held.MetaRBAligned},
	} {
		if f.given != f.has {
			return &Error{t, fmt.Sprintf("%s is %v, which a T# of %v does not hold", f.name, f.given, t.gen)}
		}
	}
	for _, f := range [...]struct {
		name       string
		given, has float32
	}{{"MinLOD", t.MinLOD, held.MinLOD}, {"MinLODWarn", t.MinLODWarn, held.MinLODWarn}} {
		if off := f.given - f.has; !(off >= -lodStep && off <= lodStep) { // a NaN, too
			return &Error{t, fmt.Sprintf("%s is %v, which a T# of %v does not hold: 0 to 16 in steps of 1/256", f.name, f.given, t.gen)}
		}
	}
	return nil
}

// lodStep is the step of levels of detail in a T#.
const lodStep = 1.0 / 256

// Error says why there is no such texture, or why it cannot hold or give a picture.
type Error struct {
	Texture *Texture
	What    string
}

// Error describes the texture.
func (e *Error) Error() string {
	return fmt.Sprintf("texture: a texture of %s: %s", e.Texture.gen.ImageFormat(e.Texture.DataFormat, e.Texture.NumFormat).Name, e.What)
}
