package r600

import (
	"fmt"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/gcn/format"
	"github.com/gcnsim/gcnsim/gcn/tile"
	"github.com/gcnsim/gcnsim/handbook"
)

// Format is the format of an element as instructions and resources name it (rule FS6).
type Format struct {
	Data uint32 // code of DATA_FORMAT
	Num  uint32 // code of NUM_FORMAT_ALL
	Comp uint32 // code of FORMAT_COMP_ALL
}

// Formats of pictures.
var (
	RGBA8 = Format{Data: 26} // 8_8_8_8, normalised
	R8    = Format{Data: 1}  // 8, normalised
)

// data gives the data format of GCN and whether components are floats, by code. Formats
// whose components one document orders otherwise than another are not there.
var data = map[uint32]struct {
	code  uint8
	float bool
}{
	1: {gcn.Data8, false}, 5: {gcn.Data16, false}, 6: {gcn.Data16, true}, 7: {gcn.Data8_8, false}, 13: {gcn.Data32, false}, 14: {gcn.Data32, true},
	15: {gcn.Data16_16, false}, 16: {gcn.Data16_16, true}, 26: {gcn.Data8_8_8_8, false}, 29: {gcn.Data32_32, false}, 30: {gcn.Data32_32, true},
	31: {gcn.Data16_16_16_16, false}, 32: {gcn.Data16_16_16_16, true}, 34: {gcn.Data32_32_32_32, false}, 35: {gcn.Data32_32_32_32, true},
	47: {gcn.Data32_32_32, false}, 48: {gcn.Data32_32_32, true},
}

// numbers gives the number format of GCN by NUM_FORMAT_ALL and FORMAT_COMP_ALL.
var numbers = [][2]uint8{{gcn.NumUNORM, gcn.NumSNORM}, {gcn.NumUINT, gcn.NumSINT}, {gcn.NumUSCALED, gcn.NumSSCALED}}

// codes returns the codes of DATA_FORMAT and NUM_FORMAT of the same format on GCN. The error
// says what is not modelled.
func (f Format) codes() (dataFormat, numFormat uint8, err error) {
	d, ok := data[f.Data]
	switch {
	case !ok:
		return 0, 0, fmt.Errorf("elements of %s are not modelled", DataFormat.text(R600, f.Data))
	case d.float:
		return d.code, gcn.NumFLOAT, nil
	case f.Num >= uint32(len(numbers)) || f.Comp > 1:
		return 0, 0, fmt.Errorf("NUM_FORMAT_ALL %d with FORMAT_COMP_ALL %d has no meaning", f.Num, f.Comp)
	}
	return d.code, numbers[f.Num][f.Comp], nil
}

// lookup returns how elements are converted.
func (f Format) lookup() (*format.Format, error) {
	d, n, err := f.codes()
	if err != nil {
		return nil, err
	}
	return format.Lookup(d, n)
}

// Buffer is a vertex buffer.
type Buffer struct {
	Data   []byte
	Stride int // bytes of a record
}

// Sampler is how a texture is read: the texel that a coordinate lies in, the last one beyond
// the edges. What is set asks for something else, which is a fault.
type Sampler struct {
	Bilinear     bool
	WrapX, WrapY bool
}

// Image is a linear picture in memory: a texture or a render target.
type Image struct {
	Width, Height int
	Data          []byte // rows of the pitch
	Layout        tile.Layout

	format *format.Format
}

// NewImage returns an image of zero bytes; pitch is texels of a row, 0 for the width. The
// error says which format is not modelled, or is that of [tile.Registers.Layout].
func NewImage(f Format, width, height, pitch int) (*Image, error) {
	conv, err := f.lookup()
	if err != nil {
		return nil, err
	}
	if conv.NoStore {
		return nil, fmt.Errorf("r600: exports do not write %v ("+handbook.TD4+")", conv)
	}
	img := &Image{Width: width, Height: height, format: conv}
	linear := tile.Registers{Gen: gcn.GCN10} // LINEAR_GENERAL in every entry
	s := tile.Surface{Type: gcn.Image2D, Bytes: conv.Size, Width: width, Height: height, Pitch: pitch}
	if img.Layout, err = linear.Layout(s); err != nil {
		return nil, err
	}
	img.Data = make([]byte, img.Layout.Size)
	return img, nil
}

// texel returns the bytes of a texel, which are those of the image.
func (img *Image) texel(x, y int) ([]byte, error) {
	at, err := img.Layout.Addr(0, x, y, 0, 0)
	if err != nil {
		return nil, err
	}
	return img.Data[at : at+uint64(img.format.Size)], nil
}

// text returns a value of f by name, or as a number.
func (f Field) text(fam Family, v uint32) string {
	if name := f.name(fam, v); name != "" {
		return name
	}
	return fmt.Sprintf("%v %d", f, v)
}
