package specjson

import (
	"image"
	"strings"

	"github.com/gcnsim/gcnsim/internal/tool/pngfile"
	"github.com/gcnsim/gcnsim/sim/texture"
)

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
	return pngfile.Encode(picture)
}

// isPNG reports whether a file of that name is to hold a picture.
func isPNG(name string) bool { return strings.HasSuffix(strings.ToLower(name), ".png") }
