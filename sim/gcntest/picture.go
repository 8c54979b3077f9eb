package gcntest

import (
	"image"
	"image/color"
	"math"
	"strings"
	"testing"

	"github.com/gcnsim/gcnsim/internal/draw"
	"github.com/gcnsim/gcnsim/internal/tool/files"
	"github.com/gcnsim/gcnsim/internal/tool/pngfile"
	"github.com/gcnsim/gcnsim/sim"
)

// Picture writes an SVG file if t fails. name selects the picture: "lds" shows which bank of the LDS serves which
// lanes, "lines" which lanes access which cache lines, "exec" which lanes are active. It draws a dispatch of l on m
// or, if l is nil, a run of waves alone on m. If the run has no such picture, it logs that. Call it before the run,
// and before helpers that check the run when t ends, such as [NoBankConflicts].
func Picture(t testing.TB, m *sim.Machine, l *sim.Launch, name, file string) {
	t.Helper()
	p := draw.New(name)
	if p == nil {
		t.Fatalf("there is no picture %q; there are %s", name, strings.Join(draw.Names(), ", "))
	}
	watch(t, m, l, sim.Observer(p.See), func() {
		t.Helper()
		if !t.Failed() {
			return
		}
		c, err := p.Canvas()
		if err == nil {
			err = c.Save(file)
		}
		if err != nil {
			t.Logf("picture %s: %v", name, err)
			return
		}
		t.Logf("%s is drawn in %s", name, file)
	})
}

// DiffULP fails t if an element of got differs by more than ulp units in the last place from want, and reports the
// first one. NaN equals NaN, and -0 equals 0.
func DiffULP[T float32 | float64](t testing.TB, want, got []T, ulp uint64) {
	t.Helper()
	near := make([]T, len(got))
	copy(near, got)
	for i := range min(len(want), len(got)) {
		if distance(want[i], got[i]) <= ulp {
			near[i] = want[i]
		}
	}
	if report := diff(want, near); report != "" {
		t.Errorf("more than %d ulp apart: %s", ulp, report)
	}
}

// distance returns the number of steps between two adjacent values of the type that lead from a to b.
func distance[T float32 | float64](a, b T) uint64 {
	if nan := math.IsNaN(float64(a)); nan || math.IsNaN(float64(b)) {
		if nan && math.IsNaN(float64(b)) {
			return 0
		}
		return math.MaxUint64
	}
	x, y := ordered(a), ordered(b)
	return uint64(max(x, y)) - uint64(min(x, y))
}

// ordered returns a number that increases by one from each value of the type to the next.
func ordered[T float32 | float64](v T) int64 {
	var n int64
	switch v := any(v).(type) {
	case float32:
		n = int64(math.Float32bits(v) &^ (1 << 31))
	case float64:
		n = int64(math.Float64bits(v) &^ (1 << 63))
	}
	if math.Signbit(float64(v)) {
		return -n
	}
	return n
}

// DiffImage fails t if got differs from want, compared texel by texel with 8 bits per component, and reports the
// first texel that differs. It writes a PNG file with want, got and, in red, their differences, side by side.
func DiffImage(t testing.TB, want, got image.Image, file string) {
	t.Helper()
	size := want.Bounds().Size()
	if got.Bounds().Size() != size {
		t.Errorf("want %d by %d texels, got %d by %d", size.X, size.Y, got.Bounds().Dx(), got.Bounds().Dy())
		return
	}
	sheet := image.NewNRGBA(image.Rect(0, 0, 3*size.X, size.Y))
	n, first := 0, image.Point{}
	for i := range size.X * size.Y {
		x, y := i%size.X, i/size.X
		a, b := texelOf(want, x, y), texelOf(got, x, y)
		sheet.SetNRGBA(x, y, a)
		sheet.SetNRGBA(size.X+x, y, b)
		mark := color.NRGBA{A: 255}
		if a != b {
			if mark.R = 255; n == 0 {
				first = image.Pt(x, y)
			}
			n++
		}
		sheet.SetNRGBA(2*size.X+x, y, mark)
	}
	if n == 0 {
		return
	}
	shown := "see " + file
	data, err := pngfile.Encode(sheet)
	if err == nil {
		err = files.Write(file, data)
	}
	if err != nil {
		shown = err.Error()
	}
	t.Errorf("%d of %d texels differ, first that at x %d, y %d: want %v, got %v; %s", n, size.X*size.Y, first.X, first.Y,
		texelOf(want, first.X, first.Y), texelOf(got, first.X, first.Y), shown)
}

// texelOf returns a texel of an image, relative to its upper left corner.
func texelOf(img image.Image, x, y int) color.NRGBA {
	at := img.Bounds().Min.Add(image.Pt(x, y))
	return color.NRGBAModel.Convert(img.At(at.X, at.Y)).(color.NRGBA)
}
