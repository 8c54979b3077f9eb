package job

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/png"
	"math"
	"strconv"
	"strings"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/sim/texture"
)

// imageArg is an image that a kernel gets: its T#, and what its texels are.
type imageArg struct {
	Format string    `json:"format"`
	Size   []count32 `json:"size"`
	Type   string    `json:"type"`
	Levels *count32  `json:"levels"`
	Tiling *count32  `json:"tiling"`
	Hex    hexBytes  `json:"hex"`
	File   string    `json:"file"`
	randomSpec
}

// maxLevels is how many levels an image has at most: LAST_LEVEL has 4 bits.
const maxLevels = 1 << 4

// image makes the image of argument number i, with its contents.
func (l *loader) image(s *imageArg, i int) (*texture.Texture, error) {
	filled := s.Hex != nil || s.File != ""
	random, err := s.given(filled, false)
	switch {
	case err != nil:
		return nil, err
	case s.Hex != nil && s.File != "":
		return nil, errors.New("image has both hex and file; give one")
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
	data := []byte(s.Hex)
	switch {
	case s.File != "":
		if data, err = l.files.ReadFile(s.File, maxMemoryBytes); err != nil {
			return nil, err
		}
	case random:
		data = make([]byte, texelBytes(t))
		if err := s.fill(data, i, l.seed); err != nil {
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
func (s *imageArg) fields(target gcn.Target) (f gcn.Image, err error) {
	if f.DataFormat, f.NumFormat, f.DstSel, err = parseImageFormat(target, s.Format); err != nil {
		return f, err
	}
	if err := s.extent(&f); err != nil {
		return f, err
	}
	if f.Type == gcn.ImageCube && target.Traits().SwizzleModes {
		f.Depth *= 6 // targets with swizzle modes count faces
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

// extent sets the type and the sizes of f.
func (s *imageArg) extent(f *gcn.Image) (err error) {
	if len(s.Size) < 1 || len(s.Size) > 3 {
		return errors.New("size: give the width, then the height, then the depth, layers or cubes, of those that the image has")
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

// defaultTiling is how drivers tile images that shaders read: an index of GB_TILE_MODE, or a
// SW_MODE (rules TM1 and SW1).
func defaultTiling(g gcn.Gen, typ gcn.ImageType) int {
	const linearIndex, thinIndex, linearSwizzle, standardSwizzle = 8, 14, 0, 25
	switch flat := typ.Shape().Linear1D; {
	case g.Traits().SwizzleModes && flat:
		return linearSwizzle
	case g.Traits().SwizzleModes:
		return standardSwizzle
	case flat:
		return linearIndex
	}
	return thinIndex
}

// parseImageType returns the type of a name as in 2D_ARRAY, in any case.
func parseImageType(name string) (gcn.ImageType, error) {
	var known []string
	for t := gcn.Image1D; t.Shape().Valid; t++ {
		if t.Shape().MSAA {
			continue
		}
		spelled := strings.ToUpper(strings.ReplaceAll(t.String(), " ", "_"))
		if spelled == strings.ToUpper(name) {
			return t, nil
		}
		known = append(known, spelled)
	}
	return 0, fmt.Errorf("type: %s is not known; known are %s", quoted(name), strings.Join(known, ", "))
}

// colours are the letters of components, in the order of registers.
const colours = "RGBA"

// parseImageFormat returns the codes of a format: R8G8B8A8_UNORM as APIs call it, components in
// the order of memory, or 8_8_8_8_UNORM as a T# does. sel is 0 if components are in their order.
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
	data, ok := formatCode(gcn.DataFormatName, strings.TrimPrefix(first, gcn.DataFormatPrefix))
	if !ok || !known || target.Gen().ImageFormat(data, num).Bytes == 0 {
		return 0, 0, sel, fmt.Errorf("format: %s is no image format of %v; write R8G8B8A8_UNORM, B8G8R8A8_SRGB, R32_FLOAT, R16G16_UINT, or as in a T# 8_8_8_8_UNORM, 10_11_11_FLOAT, BC1_UNORM", quoted(name), target)
	}
	return data, num, sel, nil
}

// formatCode returns the code that nameOf gives the name.
func formatCode(nameOf func(code uint8) string, name string) (code uint8, ok bool) {
	const codes = 64
	for code := range uint8(codes) {
		if name != "" && nameOf(code) == name {
			return code, true
		}
	}
	return 0, false
}

// components takes R8G8B8A8 apart: letters in the order of memory, and the name of the data
// format, whose components have one width of whole bytes.
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

// leastBytes returns how many bytes an image has at least: tiling adds to them.
func leastBytes(g gcn.Gen, f *gcn.Image) (n uint64) {
	e := g.ImageFormat(f.DataFormat, f.NumFormat)
	for level := range f.LastLevel + 1 {
		texels := uint64(max(f.Width>>level, 1)) * uint64(max(f.Height>>level, 1)) * uint64(max(f.Depth, 1))
		if f.Type == gcn.Image3D {
			texels = texels / uint64(f.Depth) * uint64(max(f.Depth>>level, 1))
		}
		n += texels * uint64(e.Bytes) / uint64(e.Width) / uint64(e.Height)
	}
	return n
}

// texelBytes returns how many bytes all texels of t take: level after level, of each one slice
// after another, row after row.
func texelBytes(t *texture.Texture) (n uint64) {
	for i := range t.Layout.Levels() {
		n += levelBytes(t, i)
	}
	return n
}

// levelBytes returns how many bytes the texels of a level take, and sliceBytes those of a slice.
func levelBytes(t *texture.Texture, level int) uint64 {
	return sliceBytes(t, level) * uint64(t.Layout.Levels()[level].Depth)
}

func sliceBytes(t *texture.Texture, level int) uint64 {
	v := &t.Layout.Levels()[level]
	return uint64(v.Width) * uint64(v.Height) * uint64(t.Layout.Surface.Bytes)
}

// pngMagic begins a PNG file.
const pngMagic = "\x89PNG\r\n\x1a\n"

// setTexels writes data, a PNG picture for the first slice or texels as they are, to t.
func setTexels(t *texture.Texture, data []byte) error {
	if bytes.HasPrefix(data, []byte(pngMagic)) {
		size, err := png.DecodeConfig(bytes.NewReader(data))
		if err != nil {
			return err
		}
		if size.Width != t.Width || size.Height != t.Height {
			return fmt.Errorf("a picture of %d x %d texels for an image of %d x %d", size.Width, size.Height, t.Width, t.Height)
		}
		picture, err := png.Decode(bytes.NewReader(data))
		if err != nil {
			return err
		}
		return t.SetPicture(0, 0, picture)
	}
	if n := texelBytes(t); uint64(len(data)) > n {
		return fmt.Errorf("%d bytes for an image of %d", len(data), n)
	}
	for i, v := range t.Layout.Levels() {
		n := int(sliceBytes(t, i))
		for z := 0; z < v.Depth && len(data) > 0; z++ {
			row := make([]byte, n)
			data = data[copy(row, data):]
			if err := texture.Upload(t, i, z, 0, row); err != nil {
				return err
			}
		}
	}
	return nil
}

// texels returns what setTexels takes.
func texels(t *texture.Texture) ([]byte, error) {
	all := make([]byte, 0, texelBytes(t))
	for i, v := range t.Layout.Levels() {
		for z := range v.Depth {
			b, err := texture.Download[uint8](t, i, z, 0)
			if err != nil {
				return nil, err
			}
			all = append(all, b...)
		}
	}
	return all, nil
}

// texelAddr returns the address of a byte of what texels returns.
func texelAddr(t *texture.Texture, at uint64) (uint64, error) {
	unit := uint64(t.Layout.Surface.Bytes)
	for i, v := range t.Layout.Levels() {
		if n := levelBytes(t, i); at >= n {
			at -= n
			continue
		}
		e := int(at / unit)
		addr, err := t.Layout.Addr(i, e%v.Width, e/v.Width%v.Height, e/v.Width/v.Height, 0)
		return t.Buffer.Addr + addr + at%unit, err
	}
	return 0, fmt.Errorf("there is no byte %d", at)
}

// asTexels returns the texels of a PNG file, as those of the image of h would be; other data
// is what it is.
func (h *held) asTexels(data []byte) ([]byte, error) {
	if !bytes.HasPrefix(data, []byte(pngMagic)) {
		return data, nil
	}
	before := bytes.Clone(h.Bytes())
	defer copy(h.Bytes(), before)
	if err := setTexels(h.image, data); err != nil {
		return nil, err
	}
	return texture.Download[uint8](h.image, 0, 0, 0)
}

// writePNG returns the first slice of t as a PNG file, of 8 bits a component if it has no more.
func writePNG(t *texture.Texture) ([]byte, error) {
	wide, err := t.Picture(0, 0)
	if err != nil {
		return nil, err
	}
	var picture image.Image = wide
	narrow := image.NewNRGBA(wide.Rect)
	for i := range narrow.Pix {
		narrow.Pix[i] = wide.Pix[2*i]
	}
	same := true
	for i := 0; i < len(wide.Pix); i += 2 {
		same = same && wide.Pix[i] == wide.Pix[i+1]
	}
	if same {
		picture = narrow
	}
	var b bytes.Buffer
	err = png.Encode(&b, picture)
	return b.Bytes(), err
}

// isPNG reports whether a file of that name is to hold a picture.
func isPNG(name string) bool { return strings.HasSuffix(strings.ToLower(name), ".png") }
