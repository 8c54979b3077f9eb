// Package svgtest checks whether a drawing of package svg is readable, in the light and in the dark theme, and also
// when it is read aloud.
package svgtest

import (
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/internal/tool/svg"
)

// Requirements for a drawing.
const (
	textContrast  = 4.5 // contrast of text to its background
	shapeContrast = 3   // contrast of meaningful shapes to their background
	minSize       = 11  // size of text in pixels
	slack         = 0.5 // pixels by which boxes may overlap
)

// Check fails the test if the drawing in a file is not readable. It returns the number of rectangles in it.
func Check(t *testing.T, path string) (rects int) {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	d, err := parse(string(text))
	require.NoError(t, err, path)
	faults := d.faults()
	if len(faults) > 10 {
		faults = append(faults[:10], fmt.Sprintf("and %d more", len(faults)-10))
	}
	for _, f := range faults {
		assert.Fail(t, f, path)
	}
	for _, s := range d.shapes {
		if s.kind == "rect" {
			rects++
		}
	}
	return rects
}

// faults returns the problems of a drawing.
func (d *drawing) faults() []string {
	var list []string
	say := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	if d.role != "img" || d.title == "" || len(d.desc) <= len(d.title) {
		say("it is not described: role %q, title %q, description %q", d.role, d.title, d.desc)
	}
	if d.viewBox != [4]float64{0, 0, d.width, d.height} {
		say("it is not shown at its size: viewBox %v, width %v, height %v", d.viewBox, d.width, d.height)
	}
	for i, s := range d.shapes {
		if !s.box.within(box{0, 0, d.width, d.height}) {
			say("%s is cut off", s)
		}
		switch s.kind {
		case "text":
			d.text(i, say)
		case "line":
			d.line(i, say)
		case "rect":
			if i > 0 {
				d.rect(i, say)
			}
		}
	}
	d.legend(say)
	return slices.Compact(list)
}

// text checks shape i, a text.
func (d *drawing) text(i int, say func(string, ...any)) {
	s := d.shapes[i]
	if s.size < minSize {
		say("%s is %g pixels high, less than %d", s, s.size, minSize)
	}
	for k, o := range d.shapes {
		switch {
		case k == i || !s.box.overlaps(o.box):
		case o.kind == "text" && k < i:
			say("%s lies on %s", s, o)
		case o.kind == "line":
			say("%s is crossed by %s", s, o)
		case o.kind == "rect" && k > i && o.fill != svg.None:
			say("%s is covered by %s", s, o)
		}
	}
	for theme := range d.themes {
		for _, at := range s.box.points() {
			if c := svg.Contrast(d.color(s.fill, theme), d.behind(i, at, theme)); c < textContrast {
				say("%s has contrast %.2f with what lies behind it, %s theme", s, c, themeNames[theme])
				break
			}
		}
	}
}

// line checks a line.
func (d *drawing) line(i int, say func(string, ...any)) {
	s := d.shapes[i]
	if s.stroke == svg.Grid {
		return
	}
	for theme := range d.themes {
		if c := svg.Contrast(d.color(s.stroke, theme), d.behind(i, s.box.middle(), theme)); c < shapeContrast {
			say("%s has contrast %.2f, %s theme", s, c, themeNames[theme])
		}
	}
}

// rect checks a rectangle: its fill or its outline must stand out.
func (d *drawing) rect(i int, say func(string, ...any)) {
	s := d.shapes[i]
	if s.class == "shade" || s.class == "plate" || s.fill == svg.Grid {
		return
	}
	for theme := range d.themes {
		behind, best := d.behind(i, s.box.middle(), theme), 0.0
		for _, color := range []string{s.fill, s.stroke} {
			if color != svg.None && color != "" {
				best = max(best, svg.Contrast(d.color(color, theme), behind))
			}
		}
		if best < shapeContrast {
			say("%s has contrast %.2f with what lies behind it, %s theme", s, best, themeNames[theme])
		}
	}
}

// legend checks colours: a rectangle's colour must be in the legend, or the rectangle must contain text.
func (d *drawing) legend(say func(string, ...any)) {
	explained := map[string]bool{}
	scale, shades := false, false
	for _, s := range d.shapes {
		scale = scale || s.group != ""
		shades = shades || s.class == "shade"
		if s.group == "legend" && s.kind == "rect" {
			explained[s.fill] = true
		}
	}
	if shades && !scale {
		say("neither scale nor legend says what the colours of shades mean")
	}
	for i, s := range d.shapes {
		if s.kind != "rect" || s.class != "" || s.fill[0] != '#' || explained[s.fill] {
			continue
		}
		if !slices.ContainsFunc(d.shapes[i:], func(o shape) bool { return o.kind == "text" && o.box.within(s.box) }) {
			say("nothing says what the colour of %s means", s)
		}
	}
}

// behind returns the colour at a point of the shapes that were painted before shape i.
func (d *drawing) behind(i int, at [2]float64, theme int) string {
	for k := i - 1; k >= 0; k-- {
		if s := d.shapes[k]; s.kind == "rect" && s.fill != svg.None && s.box.holds(at) {
			return d.color(s.fill, theme)
		}
	}
	return d.color(svg.Paper, theme)
}
