package spec

import (
	"bytes"
	"fmt"
	"image"

	"github.com/gcnsim/gcnsim/internal/tool/pngfile"
	"github.com/gcnsim/gcnsim/sim/texture"
)

// texelBytes returns the size in bytes of all texels of t: level after level, in a level slice after slice, row after
// row.
func texelBytes(t *texture.Texture) (n uint64) {
	for i := range t.Layout.Levels() {
		n += levelBytes(t, i)
	}
	return n
}

// levelBytes returns the size in bytes of the texels of a level, and sliceBytes that of a slice.
func levelBytes(t *texture.Texture, level int) uint64 {
	return sliceBytes(t, level) * uint64(t.Layout.Levels()[level].Depth)
}

func sliceBytes(t *texture.Texture, level int) uint64 {
	v := &t.Layout.Levels()[level]
	return uint64(v.Width) * uint64(v.Height) * uint64(t.Layout.Surface.Bytes)
}

// pngMagic is the beginning of a PNG file.
const pngMagic = "\x89PNG\r\n\x1a\n"

// setTexels writes data to t: a PNG picture for the first slice, or texels.
func setTexels(t *texture.Texture, data []byte) error {
	if bytes.HasPrefix(data, []byte(pngMagic)) {
		width, height, err := pngfile.Size(data)
		if err != nil {
			return err
		}
		if width != t.Width || height != t.Height {
			return fmt.Errorf("a picture of %d x %d texels for an image of %d x %d", width, height, t.Width, t.Height)
		}
		picture, err := pngfile.Decode(data)
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

// texels returns the texels of t in the form that setTexels accepts.
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

// texelAddr returns the address of the byte at index at in the result of texels.
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

// asTexels converts a PNG file to the texels that it would have in the image of m. It returns other data unchanged.
func (m *Memory) asTexels(data []byte) ([]byte, error) {
	if !bytes.HasPrefix(data, []byte(pngMagic)) {
		return data, nil
	}
	before := bytes.Clone(m.Buffer.Bytes())
	defer copy(m.Buffer.Bytes(), before)
	if err := setTexels(m.Image, data); err != nil {
		return nil, err
	}
	return texture.Download[uint8](m.Image, 0, 0, 0)
}

// writePNG returns the first slice of t as a PNG file, with 8 bits per component if that suffices.
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
	return pngfile.Encode(picture)
}
