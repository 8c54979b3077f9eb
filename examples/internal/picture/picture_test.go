package picture

import (
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSave(t *testing.T) {
	img := image.NewRGBA(image.Rect(0, 0, 60, 20))
	require.NoError(t, Text(img, 2, 15, Style{Size: 12, Bold: true, Ink: color.White}, "ab"))
	ink := 0
	for _, v := range img.Pix {
		if v == 255 {
			ink++
		}
	}
	require.Greater(t, ink, 20)

	path := filepath.Join(t.TempDir(), "a.png")
	require.NoError(t, Save(path, img))
	f, err := os.Open(path)
	require.NoError(t, err)
	defer f.Close()
	back, err := png.Decode(f)
	require.NoError(t, err)
	require.Equal(t, img.Bounds(), back.Bounds())
	require.Error(t, Save(filepath.Join(path, "b"), img))
}
