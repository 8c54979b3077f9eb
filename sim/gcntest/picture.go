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

// Picture writes an SVG file if t fails: "lds" shows which bank of the LDS serves which lanes, "lines" which lanes
// touch which cache lines, "exec" which lanes EXEC leaves on, in what bare waves of m execute or, if l is not nil, a
// dispatch of l on m. A run without such a picture is logged. Call it before the run, and before helpers
// that judge the run when t ends, such as [NoBankConflicts].
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

// DiffULP fails t if an element of got is more than ulp units in the last place away from want, and names the first
// one. NaN equals NaN, and -0 equals 0.
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

// distance returns how many values of the type lie between two numbers.
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

// ordered returns a number that grows by one from each value of the type to the next one.
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

// DiffImage fails t if got is not want, texel by texel as 8 bits a component, and names the first texel that differs.
// It writes a PNG file with want, got and, in red, where they differ, beside one another.
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

// texelOf returns a texel of a picture, counted from its upper left corner.
func texelOf(img image.Image, x, y int) color.NRGBA {
	at := img.Bounds().Min.Add(image.Pt(x, y))
	return color.NRGBAModel.Convert(img.At(at.X, at.Y)).(color.NRGBA)
}
