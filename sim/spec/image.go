package spec

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/tool/literal"
	"github.com/gcnsim/gcnsim/sim/texture"
)

// Image describes an image argument: its T#, and its texels.
type Image struct {
	// Format is a format in the naming of APIs, with components in the order of memory, as in "R8G8B8A8_UNORM", or in
	// that of a T#, as in "8_8_8_8_UNORM".
	Format string `json:"format"`
	// Size is the width, then the height, then the depth, the number of layers or of cubes, as far as the type has them.
	Size []uint32 `json:"size"`
	// for example "2D_ARRAY"; "" means "1D", "2D" or "3D", depending on the length of Size
	Type   string  `json:"type,omitzero"`
	Levels *uint32 `json:"levels,omitzero"` // nil means 1
	// Tiling is the index in GB_TILE_MODE, or the SW_MODE on GCN 1.4; nil means the one that drivers select.
	Tiling *uint32 `json:"tiling,omitzero"`
	// Data is a PNG picture for the first slice, or texels in the order of [Memory.contents]. Texels beyond it are 0.
	Data   []byte  `json:"hex,omitempty"`
	File   string  `json:"file,omitzero"` // the file with the texels, instead of Data
	Random *Random `json:",embed"`        // random texels, instead of Data
}

// maxLevels is the largest number of levels of an image: LAST_LEVEL has 4 bits.
const maxLevels = 1 << 4

// image creates the image of argument number i with its contents.
func (l *loader) image(s *Image, i int) (*texture.Texture, error) {
	if err := oneContents(s.Data != nil, false, s.Random); err != nil {
		return nil, err
	}
	fields, err := s.fields(l.m.Target)
	if err != nil {
		return nil, err
	}
	if err := l.spend(leastBytes(l.m.Target.Gen(), &fields)); err != nil {
		return nil, err
	}
	t, err := texture.New(l.m, fields)
	if err != nil {
		return nil, err
	}
	data := s.Data
	if s.Random != nil {
		data = make([]byte, texelBytes(t))
		if err := s.Random.Fill(data, i, l.seed); err != nil {
			return nil, err
		}
	}
	if err := setTexels(t, data); err != nil {
		if s.File != "" {
			return nil, fmt.Errorf("%s: %w", s.File, err)
		}
		return nil, err
	}
	return t, nil
}

// fields returns the fields of the T# of the image.
func (s *Image) fields(target gcn.Target) (f gcn.Image, err error) {
	if f.DataFormat, f.NumFormat, f.DstSel, err = parseImageFormat(target, s.Format); err != nil {
		return f, err
	}
	if err := s.extent(&f); err != nil {
		return f, err
	}
	if f.Type == gcn.ImageCube && isa.TraitsOf(target).SwizzleModes {
		f.Depth *= 6 // on targets with swizzle modes the depth counts faces
	}
	f.TileMode = defaultTiling(target.Gen(), f.Type)
	if s.Tiling != nil {
		f.TileMode = int(min(*s.Tiling, math.MaxInt32))
	}
	if s.Levels != nil {
		if *s.Levels == 0 || *s.Levels > maxLevels {
			return f, fmt.Errorf("levels: %d is not in 1 to %d", *s.Levels, maxLevels)
		}
		f.LastLevel = int(*s.Levels) - 1
	}
	return f, nil
}

// extent sets the type and the sizes in f.
func (s *Image) extent(f *gcn.Image) (err error) {
	if len(s.Size) < 1 || len(s.Size) > 3 {
		return errors.New("size: give the width, then the height, then the depth, layers or cubes, of those that the " +
			"image has")
	}
	for i, n := range s.Size {
		if n == 0 || n > 1<<14 {
			return fmt.Errorf("size[%d]: %d is not in 1 to 16384", i, n)
		}
	}
	f.Type = []gcn.ImageType{gcn.Image1D, gcn.Image2D, gcn.Image3D}[len(s.Size)-1]
	if s.Type != "" {
		if f.Type, err = parseImageType(s.Type); err != nil {
			return err
		}
	}
	sizes := []*int{&f.Width, &f.Height, &f.Depth}
	switch f.Type {
	case gcn.Image1D:
		sizes = sizes[:1]
	case gcn.Image2D:
		sizes = sizes[:2]
	case gcn.Image1DArray:
		sizes = []*int{&f.Width, &f.Depth}
	default:
	}
	if len(s.Size) != len(sizes) {
		return fmt.Errorf("size: %d numbers, but an image of type %v has %d", len(s.Size), f.Type, len(sizes))
	}
	for i, n := range s.Size {
		*sizes[i] = int(n)
	}
	return nil
}

// defaultTiling returns the tiling that drivers select for images which shaders read: an index in GB_TILE_MODE, or a
// SW_MODE (rules TM1 and SW1).
func defaultTiling(g gcn.Gen, typ gcn.ImageType) int {
	const linearIndex, thinIndex, linearSwizzle, standardSwizzle = 8, 14, 0, 25
	switch flat := isa.ShapeOf(typ).Linear1D; {
	case isa.GenTraits(g).SwizzleModes && flat:
		return linearSwizzle
	case isa.GenTraits(g).SwizzleModes:
		return standardSwizzle
	case flat:
		return linearIndex
	}
	return thinIndex
}

// parseImageType returns the type for a name such as 2D_ARRAY. It ignores case.
func parseImageType(name string) (gcn.ImageType, error) {
	var known []string
	for t := gcn.Image1D; isa.ShapeOf(t).Valid; t++ {
		if isa.ShapeOf(t).MSAA {
			continue
		}
		spelled := strings.ToUpper(strings.ReplaceAll(t.String(), " ", "_"))
		if spelled == strings.ToUpper(name) {
			return t, nil
		}
		known = append(known, spelled)
	}
	return 0, fmt.Errorf("type: %s is not known; known are %s", literal.Quoted(name), strings.Join(known, ", "))
}

// colours are the letters of components, in the order of registers.
const colours = "RGBA"

// parseImageFormat returns the codes of a format: R8G8B8A8_UNORM in the naming of APIs, with components in the order
// of memory, or 8_8_8_8_UNORM in that of a T#. sel is 0 if the components are in order.
func parseImageFormat(target gcn.Target, name string) (data, num uint8, sel [4]gcn.Sel, err error) {
	first, last := strings.ToUpper(name), ""
	if i := strings.LastIndexByte(first, '_'); i >= 0 {
		first, last = first[:i], first[i+1:]
	}
	if last == "SFLOAT" {
		last = "FLOAT"
	}
	var known bool
	num, known = formatCode(gcn.NumFormatName, last)
	if letters, widths, ok := components(first); ok {
		first = widths
		if !strings.HasPrefix(colours, letters) {
			for i, c := range colours {
				sel[i] = gcn.Sel0
				if c == 'A' {
					sel[i] = gcn.Sel1
				}
				if at := strings.IndexRune(letters, c); at >= 0 {
					sel[i] = gcn.SelR + gcn.Sel(at)
				}
			}
		}
	}
	data, ok := formatCode(gcn.DataFormatName, strings.TrimPrefix(first, isa.DataFormatPrefix))
	if !ok || !known || isa.ImageFormatOf(target.Gen(), data, num).Bytes == 0 {
		return 0, 0, sel, fmt.Errorf("format: %s is no image format of %v; write R8G8B8A8_UNORM, B8G8R8A8_SRGB, "+
			"R32_FLOAT, R16G16_UINT, or as in a T# 8_8_8_8_UNORM, 10_11_11_FLOAT, BC1_UNORM", literal.Quoted(name), target)
	}
	return data, num, sel, nil
}

// formatCode returns the code for which nameOf returns name.
func formatCode(nameOf func(code uint8) string, name string) (code uint8, ok bool) {
	const codes = 64
	for code := range uint8(codes) {
		if name != "" && nameOf(code) == name {
			return code, true
		}
	}
	return 0, false
}

// components splits a name such as R8G8B8A8 into letters in the order of memory and the name of the data format. All
// components must have the same width in whole bytes.
func components(name string) (letters, widths string, ok bool) {
	for name != "" {
		end := 1
		for end < len(name) && name[end] >= '0' && name[end] <= '9' {
			end++
		}
		bits, err := strconv.Atoi(name[1:end])
		if err != nil || bits%8 != 0 || strings.IndexByte(colours, name[0]) < 0 || strings.IndexByte(letters, name[0]) >= 0 {
			return "", "", false
		}
		if letters += name[:1]; widths != "" {
			widths += "_"
		}
		widths += strconv.Itoa(bits)
		name = name[end:]
	}
	return letters, widths, letters != ""
}

// leastBytes returns the size of an image in bytes without padding by tiling.
func leastBytes(g gcn.Gen, f *gcn.Image) (n uint64) {
	e := isa.ImageFormatOf(g, f.DataFormat, f.NumFormat)
	for level := range f.LastLevel + 1 {
		texels := uint64(max(f.Width>>level, 1)) * uint64(max(f.Height>>level, 1)) * uint64(max(f.Depth, 1))
		if f.Type == gcn.Image3D {
			texels = texels / uint64(f.Depth) * uint64(max(f.Depth>>level, 1))
		}
		n += texels * uint64(e.Bytes) / uint64(e.Width) / uint64(e.Height)
	}
	return n
}

// channelTypes are the channel types in an OpenCL image object for a number format, by data format or by the width of
// the first component. Source: hsa_ext_image.h of ROCR-Runtime; the tables of ROCm's opencl.bc.
var channelTypes = map[uint8]map[string]uint32{
	gcn.NumSNORM: {"8": 0, "16": 1},
	gcn.NumUNORM: {"8": 2, "16": 3, "1_5_5_5": 5, "5_5_5_1": 5, "5_6_5": 6, "2_10_10_10": 7, "10_10_10_2": 7},
	gcn.NumSRGB:  {"8": 2},
	gcn.NumSINT:  {"8": 8, "16": 9, "32": 10},
	gcn.NumUINT:  {"8": 11, "16": 12, "32": 13},
	gcn.NumFLOAT: {"16": 14, "32": 15},
}

// objectWords returns the dwords after the T# in an OpenCL image object: the channel type, the channel order, the
// width, and an unused dword. The device library reads the width. Source: image_manager_ai.cpp of ROCR-Runtime,
// image.cl of ROCm's device libraries.
func objectWords(f *gcn.Image) []uint32 {
	const (
		orderA    = 0
		orderBGRA = 9
		toSRGB    = 6 // difference between RGB and SRGB codes, and so on
	)
	name, types := gcn.DataFormatName(f.DataFormat), channelTypes[f.NumFormat]
	widths := strings.Split(name, "_")
	order := [...]uint32{1, 3, 6, 8}[min(len(widths), 4)-1]
	switch f.DstSel[0] {
	case gcn.SelB:
		order = orderBGRA
	case gcn.Sel0:
		order = orderA
	}
	if f.NumFormat == gcn.NumSRGB {
		order += toSRGB
	}
	return []uint32{cmp.Or(types[name], types[widths[0]]), order, uint32(f.Width), 0}
}
