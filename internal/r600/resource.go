package r600

import (
	"fmt"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/gcn/tile"
	"github.com/gcnsim/gcnsim/internal/isa/format"
	"github.com/gcnsim/gcnsim/internal/tool/rule"
	"github.com/gcnsim/gcnsim/state"
)

// element is the format of a memory element, as instructions encode it (rule FS6).
type element struct {
	data uint32 // code of DATA_FORMAT
	num  uint32 // code of NUM_FORMAT_ALL
	comp uint32 // code of FORMAT_COMP_ALL
}

// data maps DATA_FORMAT codes to GCN's data formats, and says whether components are floats. It omits formats for
// whose order of components the documents disagree.
var data = map[uint32]struct {
	code  uint8
	float bool
}{
	1: {gcn.Data8, false}, 5: {gcn.Data16, false}, 6: {gcn.Data16, true}, 7: {gcn.Data8_8, false},
	13: {gcn.Data32, false}, 14: {gcn.Data32, true},
	15: {gcn.Data16_16, false}, 16: {gcn.Data16_16, true}, 26: {gcn.Data8_8_8_8, false}, 29: {gcn.Data32_32, false},
	30: {gcn.Data32_32, true},
	31: {gcn.Data16_16_16_16, false}, 32: {gcn.Data16_16_16_16, true}, 34: {gcn.Data32_32_32_32, false},
	35: {gcn.Data32_32_32_32, true},
	47: {gcn.Data32_32_32, false}, 48: {gcn.Data32_32_32, true},
}

// numbers has GCN's number format for each NUM_FORMAT_ALL and FORMAT_COMP_ALL.
var numbers = [][2]uint8{{gcn.NumUNORM, gcn.NumSNORM}, {gcn.NumUINT, gcn.NumSINT}, {gcn.NumUSCALED, gcn.NumSSCALED}}

// codes returns GCN's DATA_FORMAT and NUM_FORMAT codes of the same format. The error says that it is not modelled.
func (f element) codes() (dataFormat, numFormat uint8, err error) {
	d, ok := data[f.data]
	switch {
	case !ok:
		return 0, 0, fmt.Errorf("elements of %s are not modelled", fieldDataFormat.text(R600, f.data))
	case d.float:
		return d.code, gcn.NumFLOAT, nil
	case f.num >= uint32(len(numbers)) || f.comp > 1:
		return 0, 0, fmt.Errorf("NUM_FORMAT_ALL %d with FORMAT_COMP_ALL %d has no meaning", f.num, f.comp)
	}
	return d.code, numbers[f.num][f.comp], nil
}

// lookup returns the conversion of elements, or the kind of a fault and its description.
func (f element) lookup() (*format.Format, state.FaultKind, error) {
	d, n, err := f.codes()
	switch {
	case err != nil && data[f.data].code != 0: // the number format does not exist
		return nil, illegal, err
	case err != nil:
		return nil, unsupported, err
	}
	all, err := format.Lookup(d, n)
	return all, unsupported, err
}

// Buffer is a vertex buffer.
type Buffer struct {
	Data   []byte // nil if there is no such buffer
	Stride int    // bytes of a record
}

// Sampler describes how a texture is sampled. The zero value samples the texel at the coordinate, clamped to the
// edges. Any field that is set requests an unsupported feature, which is a fault.
type Sampler struct {
	Bilinear     bool
	WrapX, WrapY bool
}

// Image is a linear image in memory: a texture or a render target.
type Image struct {
	Width, Height int
	Data          []byte // rows of the pitch
	Layout        tile.Layout

	format *format.Format
}

// NewImage returns an image of zero bytes. f comes from [format.Lookup], for example for [gcn.Data8_8_8_8] and
// [gcn.NumUNORM]. pitch is the number of texels in a row; 0 means width. The error says that the format is not
// modelled, or comes from [tile.Registers.Layout].
func NewImage(f *format.Format, width, height, pitch int) (*Image, error) {
	switch {
	case !modelled(f):
		return nil, fmt.Errorf("r600: elements of %v are not modelled", f)
	case f.NoStore:
		return nil, fmt.Errorf("r600: exports do not write %v ("+rule.TD4+")", f)
	}
	img := &Image{Width: width, Height: height, format: f}
	linear := tile.Registers{Gen: gcn.GCN10} // every entry selects LINEAR_GENERAL
	s := tile.Surface{Type: gcn.Image2D, Bytes: f.Size, Width: width, Height: height, Pitch: pitch}
	var err error
	if img.Layout, err = linear.Layout(s); err != nil {
		return nil, err
	}
	img.Data = make([]byte, img.Layout.Size)
	return img, nil
}

// modelled reports whether fetches of format f are modelled.
func modelled(f *format.Format) bool {
	for code := range data {
		for num := range numbers {
			for comp := range numbers[num] {
				if d, n, err := (element{code, uint32(num), uint32(comp)}).codes(); err == nil && d == f.Data && n == f.Num {
					return true
				}
			}
		}
	}
	return false
}

// texel returns the bytes of a texel in the image, and records the access of thread t.
func (s *State) texel(t int, img *Image, x, y int) ([]byte, error) {
	at, err := img.Layout.Addr(0, x, y, 0, 0)
	if err != nil {
		return nil, err
	}
	s.touch(t, at, img.format.Size)
	return img.Data[at : at+uint64(img.format.Size)], nil
}

// text returns the name of a value of f, or the value as a number.
func (f field) text(fam Family, v uint32) string {
	if name := f.name(fam, v); name != "" {
		return name
	}
	return fmt.Sprintf("%v %d", f, v)
}
