package sim

import (
	"encoding/binary"
	"fmt"
	"math/bits"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/gcn/format"
	"github.com/gcnsim/gcnsim/gcn/tile"
)

// Texture is an image in the memory of a machine, laid out as its tiling registers say.
type Texture struct {
	gcn.Image             // what its T# says
	Layout    tile.Layout // where levels and slices are, from the base of Buffer on
	Buffer    *Buffer     // the surface

	gen    gcn.Gen
	format *format.Format // nil if its texels cannot be converted
}

// NewTexture maps zeroed memory for an image and returns it. Fields that are 0 become
// what fits the others: TYPE is 2D, DST_SEL takes the components in their order and 1 as
// alpha if there is none, the last layer is the last one of DEPTH, the last level of the
// resource LAST_LEVEL; images with levels get POW2_PAD, as drivers do. The pitch is the
// smallest one, and of BASE only pipe and bank swizzle are used. Errors are
// those of [tile.Registers.Layout] and [Machine.Registers], *[MapError], and *[TextureError]
// for a field out of its range.
func (m *Machine) NewTexture(img gcn.Image) (*Texture, error) {
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
	if err := regs.LayoutInto(&t.Layout, s); err != nil {
		return nil, err
	}
	t.Buffer, err = m.Allocate(t.Layout.Size, t.Layout.Align)
	if err != nil {
		return nil, err
	}
	t.Base = t.Buffer.Addr | img.Base&(uint64(t.Layout.SwizzleMask())<<8)
	t.Pitch = t.Layout.Levels()[0].Pitch * t.Layout.Surface.BlockW
	if t.gen.Tiling().SwizzleModes {
		t.Pitch = t.Layout.EPitch()
	}
	words := t.TSharp(t.gen)
	t.Image = words.Fields(t.gen) // without what the generation has no field for
	return t, nil
}

// complete fills in fields of the T# that are 0.
func (t *Texture) complete() {
	if t.Type == 0 {
		t.Type = gcn.Image2D
	}
	if t.DstSel == [4]gcn.Sel{} && t.format != nil {
		t.DstSel = t.format.Identity()
		if t.format.Components < format.MaxComponents {
			t.DstSel[format.MaxComponents-1] = gcn.Sel1
		}
	}
	for _, size := range []*int{&t.Width, &t.Height, &t.Depth} {
		if *size == 0 {
			*size = 1
		}
	}
	if t.LastArray == 0 && t.Type.Layered() {
		t.LastArray = t.Layers(t.gen) - 1
	}
	if t.MaxMip == 0 {
		t.MaxMip = t.LastLevel
	}
	if t.LastLevel > 0 && !t.Type.MSAA() {
		t.Pow2Pad = true
	}
}

// Words returns the T# for eight consecutive SGPRs.
func (t *Texture) Words() []uint32 { return t.Image.Words(t.gen) }

// Element is a number that elements of an image, or parts of them, can be.
type Element interface {
	~uint8 | ~int8 | ~uint16 | ~int16 | ~uint32 | ~int32 | ~float32 | ~uint64 | ~int64
}

// Upload writes a slice and sample of a level: its elements row after row, each as one or
// more numbers from the lowest bits up. The error is one of [tile.Layout.Upload], which
// also is that there are too few, or a *[TextureError] if there are too many.
func Upload[T Element](t *Texture, level, slice, sample int, rows []T) error {
	b, err := binary.Append(nil, binary.LittleEndian, rows)
	if err != nil {
		return err
	}
	if level >= 0 && level < len(t.Layout.Levels()) {
		if n := t.rowBytes(level); len(b) > n {
			return &TextureError{t, fmt.Sprintf("%d bytes for a level of %d bytes a slice and sample", len(b), n)}
		}
	}
	return t.Layout.Upload(t.Buffer.Bytes(), level, slice, sample, tile.Rows{Bytes: b})
}

// Download returns what [Upload] takes. The error is a *[tile.RangeError], or a
// *[TextureError] if the elements are not a whole number of T.
func Download[T Element](t *Texture, level, slice, sample int) ([]T, error) {
	b, err := t.rows(level, slice, sample)
	if err != nil {
		return nil, err
	}
	var one T
	if len(b)%binary.Size(one) != 0 {
		return nil, &TextureError{t, fmt.Sprintf("%d bytes are not a whole number of %T", len(b), one)}
	}
	rows := make([]T, len(b)/binary.Size(one))
	_, err = binary.Decode(b, binary.LittleEndian, rows)
	return rows, err
}

// rows returns the elements of a slice and sample of a level row after row.
func (t *Texture) rows(level, slice, sample int) ([]byte, error) {
	if level < 0 || level >= len(t.Layout.Levels()) {
		return nil, &tile.RangeError{Level: level}
	}
	b := make([]byte, t.rowBytes(level))
	return b, t.Layout.Download(tile.Rows{Bytes: b}, t.Buffer.Bytes(), level, slice, sample)
}

// rowBytes returns the size of the elements of a slice and sample of a level.
func (t *Texture) rowBytes(level int) int {
	v := &t.Layout.Levels()[level]
	return v.Width * v.Height * t.Layout.Surface.Bytes
}

// checkFields refuses fields that a T# cannot hold or that contradict each other (spec/tiling.md
// 4.1).
func (t *Texture) checkFields() error {
	levels := bits.Len(uint(max(t.Width, t.Height, 1))) - 1
	if t.Type == gcn.Image3D {
		levels = max(levels, bits.Len(uint(max(t.Depth, 1)))-1)
	}
	if t.Type.MSAA() {
		levels = 4
	}
	slices := 1<<13 - 1 // of other types BASE_ARRAY is the one slice
	if t.Type.Layered() {
		slices = t.Layers(t.gen) - 1
	}
	for _, f := range [...]struct {
		name               string
		value, least, most int
	}{
		{"DataFormat", int(t.DataFormat), 0, 63}, {"NumFormat", int(t.NumFormat), 0, 15},
		{"Width", t.Width, 1, 1 << 14}, {"Height", t.Height, 1, 1 << 14}, {"Depth", t.Depth, 1, 1 << 13},
		{"LastLevel", t.LastLevel, 0, levels}, {"BaseLevel", t.BaseLevel, 0, 15}, {"MaxMip", t.MaxMip, 0, levels},
		{"TileMode", t.TileMode, 0, 31}, {"BaseArray", t.BaseArray, 0, slices}, {"LastArray", t.LastArray, 0, 1<<13 - 1},
	} {
		if f.value < f.least || f.value > f.most {
			return &TextureError{t, fmt.Sprintf("%s is %d, not in %d to %d", f.name, f.value, f.least, f.most)}
		}
	}
	return nil
}

// TextureError says why a texture cannot hold or give a picture.
type TextureError struct {
	Texture *Texture
	What    string
}

// Error describes the texture.
func (e *TextureError) Error() string {
	return fmt.Sprintf("a texture of %s: %s", e.Texture.gen.ImageFormat(e.Texture.DataFormat, e.Texture.NumFormat).Name, e.What)
}
