package gcntest

import (
	"image"
	"image/color"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/sim"
)

func TestPicture(t *testing.T) {
	file := filepath.Join(t.TempDir(), "exec.svg")
	run := func(t testing.TB, name string) {
		m := sim.New(gcn.GFX803)
		Picture(t, m, nil, name, file)
		Run(t, m, m.NewWave(), "s_mov_b64 exec, 3")
	}
	report, _ := fails(t, func(t testing.TB) { run(t, "exec") })
	assert.Empty(t, report)
	assert.NoFileExists(t, file, "a test that passes needs no picture")
	fails(t, func(t testing.TB) {
		run(t, "exec")
		t.Errorf("wrong")
	})
	assert.FileExists(t, file)
	report, ended := fails(t, func(t testing.TB) { run(t, "banks") })
	assert.True(t, ended)
	assert.Equal(t, `there is no picture "banks"; there are exec, lds, lines`, report)
}

func TestDiffULP(t *testing.T) {
	diffs := func(want, got float32, ulp uint64) bool {
		report, _ := fails(t, func(t testing.TB) { DiffULP(t, []float32{want}, []float32{got}, ulp) })
		return report != ""
	}
	next := math.Nextafter32
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	assert.False(t, diffs(1, next(1, 2), 1))
	assert.True(t, diffs(1, next(next(1, 2), 2), 1))
	assert.False(t, diffs(next(0, -1), next(0, 1), 2), "over zero")
	assert.True(t, diffs(next(0, -1), next(0, 1), 1))
	assert.False(t, diffs(0, float32(math.Copysign(0, -1)), 0))
	assert.False(t, diffs(nan, nan, 0))
	assert.True(t, diffs(nan, 1, math.MaxUint64-1))
	assert.True(t, diffs(inf, -inf, 1<<31))
	report, _ := fails(t, func(t testing.TB) { DiffULP(t, []float64{1}, []float64{1, 2}, 9) })
	assert.Contains(t, report, "want 1 elements, got 2")
}

func TestDiffImage(t *testing.T) {
	file := filepath.Join(t.TempDir(), "texels.png")
	want := image.NewNRGBA(image.Rect(0, 0, 3, 2))
	got := image.NewNRGBA64(image.Rect(5, 5, 8, 7)) // coordinates start at another corner
	report, _ := fails(t, func(t testing.TB) { DiffImage(t, want, got, file) })
	assert.Empty(t, report)
	assert.NoFileExists(t, file)
	got.Set(6, 6, color.White)
	report, _ = fails(t, func(t testing.TB) { DiffImage(t, want, got, file) })
	assert.Equal(t, "1 of 6 texels differ, first that at x 1, y 1: want {0 0 0 0}, got {255 255 255 255}; see "+file, report)
	f, err := os.Open(file)
	require.NoError(t, err)
	defer f.Close()
	sheet, err := png.Decode(f)
	require.NoError(t, err)
	assert.Equal(t, color.NRGBA{255, 0, 0, 255}, sheet.At(2*3+1, 1))
	report, _ = fails(t, func(t testing.TB) { DiffImage(t, want, image.NewNRGBA(image.Rect(0, 0, 1, 1)), file) })
	assert.Contains(t, report, "want 3 by 2 texels, got 1 by 1")
}
