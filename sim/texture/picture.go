package texture

import (
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"math"

	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/isa/format"
)

// full is the colour value in package image that is 1.0 in a register.
const full = 0xffff

// SetPicture writes a picture, without premultiplied alpha, to sample 0 of a slice of a level. It converts colours as
// a shader's store does, from 0 to 1 in each component, or from 0 to 255 for integer formats. The picture must have
// the size of the level. The error is a *[Error] or a *[tile.Error].
func (t *Texture) SetPicture(level, slice int, img image.Image) error {
	f, size, err := t.pictured(level)
	if err != nil {
		return err
	}
	if !f.Packs {
		return &Error{t, "no picture can be converted to this format; use Upload"}
	}
	at := img.Bounds()
	if at.Size() != size {
		return &Error{t, fmt.Sprintf("a picture of %v for a level of %v", at.Size(), size)}
	}
	n := size.X * size.Y
	var values [format.MaxComponents][]uint32
	for i := range values {
		values[i] = make([]uint32, n)
	}
	for i := range n {
		c := straight(img.At(at.Min.X+i%size.X, at.Min.Y+i/size.X))
		for j, v := range [...]uint16{c.R, c.G, c.B, c.A} {
			values[j][i] = toRegister(f, v)
		}
	}
	sel := format.Select(t.DstSel)
	var src, words [format.MaxComponents][]uint32
	for c := range f.Components {
		if i := sel.Store(c, format.MaxComponents); i != format.Absent {
			src[c] = values[i]
		}
	}
	for j := range f.Words {
		words[j] = make([]uint32, n)
	}
	f.Pack(&words, &src)
	b := make([]byte, 0, n*f.Size)
	for i := range n {
		for j := range f.Words {
			var dword [4]byte
			binary.LittleEndian.PutUint32(dword[:], words[j][i])
			b = append(b, dword[:min(f.Size, 4)]...)
		}
	}
	return Upload(t, level, slice, 0, b)
}

// straight returns a colour without premultiplied alpha. Colours of this kind keep all their bits, which they would
// lose at small alpha by [color.Color.RGBA].
func straight(c color.Color) color.NRGBA64 {
	switch c := c.(type) {
	case color.NRGBA64:
		return c
	case color.NRGBA:
		const wide = full / 255
		return color.NRGBA64{R: uint16(c.R) * wide, G: uint16(c.G) * wide, B: uint16(c.B) * wide, A: uint16(c.A) * wide}
	case color.NYCbCrA:
		r, g, b, _ := c.YCbCr.RGBA()
		return color.NRGBA64{R: uint16(r), G: uint16(g), B: uint16(b), A: uint16(c.A) * (full / 255)}
	}
	return color.NRGBA64Model.Convert(c).(color.NRGBA64)
}

// Picture is the inverse of [Texture.SetPicture]: it returns the colours that a shader would load, clamped to the
// range of a picture.
func (t *Texture) Picture(level, slice int) (*image.NRGBA64, error) {
	f, size, err := t.pictured(level)
	if err != nil {
		return nil, err
	}
	b, err := t.rows(level, slice, 0)
	if err != nil {
		return nil, err
	}
	n := size.X * size.Y
	var words, dst [format.MaxComponents][]uint32
	for j := range f.Words {
		words[j] = make([]uint32, n)
	}
	texel, pitch := make([]uint32, n), t.Layout.Levels()[level].Width
	w, h := int(f.Width), int(f.Height)
	for i := range n {
		x, y := i%size.X, i/size.X
		element := b[(y/h*pitch+x/w)*f.Size:][:f.Size]
		texel[i] = uint32(y%h*w + x%w)
		for j := range element {
			words[j/4][i] |= uint32(element[j]) << (j % 4 * 8)
		}
	}
	f.Extract(&words, texel)
	for c := range f.Components {
		dst[c] = make([]uint32, n)
	}
	f.Unpack(&dst, &words)
	img := image.NewNRGBA64(image.Rectangle{Max: size})
	sel := format.Select(t.DstSel)
	for i := range n {
		var c [format.MaxComponents]uint16
		for j := range c {
			from, v := sel.Load(f, j)
			if from != format.Absent {
				v = dst[from][i]
			}
			c[j] = fromRegister(f, v)
		}
		img.SetNRGBA64(i%size.X, i/size.X, color.NRGBA64{R: c[0], G: c[1], B: c[2], A: c[3]})
	}
	return img, nil
}

// pictured returns the conversion of texels, and the size of a level.
func (t *Texture) pictured(level int) (f *format.Format, size image.Point, err error) {
	if t.format == nil {
		return nil, size, &Error{t, "no picture can be converted to or from this format; use Upload and Download"}
	}
	if level < 0 || level >= len(t.Layout.Levels()) {
		return nil, size, noLevel(level)
	}
	size = image.Pt(max(1, t.Width>>level), max(1, t.Height>>level))
	if isa.ShapeOf(t.Type).Linear1D {
		size.Y = 1
	}
	return t.format, size, nil
}

// toRegister and fromRegister convert colours to and from register components.
func toRegister(f *format.Format, v uint16) uint32 {
	if f.Kind != format.Float {
		return uint32(v >> 8)
	}
	return math.Float32bits(float32(v) / full)
}

func fromRegister(f *format.Format, v uint32) uint16 {
	if f.Kind == format.Float {
		x := math.Float32frombits(v)
		if !(x > 0) { // also true for NaN
			return 0
		}
		return uint16(min(x, 1)*full + 0.5)
	}
	if f.Kind == format.Sint {
		v = uint32(max(int32(v), 0))
	}
	return uint16(min(v, 255) * (full / 255))
}
