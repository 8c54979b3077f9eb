// Package svg writes the drawings of the examples: rectangles, lines and text.
package svg

import (
	"fmt"
	"html"
	"strconv"
	"strings"

	"github.com/gcnsim/gcnsim/internal/wholefile"
)

// Canvas is a drawing. Lengths are pixels; y grows downward.
type Canvas struct {
	body          strings.Builder
	width, height float64
}

// New returns an empty canvas with a white background.
func New(width, height float64) *Canvas {
	c := &Canvas{width: width, height: height}
	c.Rect(0, 0, width, height, "#ffffff")
	return c
}

// num writes a length with at most two decimals.
func num(v float64) string {
	s := strconv.FormatFloat(v, 'f', 2, 64)
	return strings.TrimRight(strings.TrimRight(s, "0"), ".")
}

// Rect draws a filled rectangle.
func (c *Canvas) Rect(x, y, w, h float64, fill string) {
	fmt.Fprintf(&c.body, `<rect x="%s" y="%s" width="%s" height="%s" fill="%s"/>`+"\n", num(x), num(y), num(w), num(h), fill)
}

// Line draws a line one pixel wide.
func (c *Canvas) Line(x1, y1, x2, y2 float64, stroke string) {
	fmt.Fprintf(&c.body, `<line x1="%s" y1="%s" x2="%s" y2="%s" stroke="%s"/>`+"\n", num(x1), num(y1), num(x2), num(y2), stroke)
}

// Style is how text looks. The zero Style is black text of 12 pixels that begins at x.
type Style struct {
	Size   float64
	Fill   string
	Anchor string // "start", "middle" or "end"
	Bold   bool
	Rotate float64 // degrees clockwise around the point
}

// Text draws s with its baseline at y.
func (c *Canvas) Text(x, y float64, st Style, s string) {
	if st.Size == 0 {
		st.Size = 12
	}
	if st.Fill == "" {
		st.Fill = "#222222"
	}
	more := ""
	if st.Anchor != "" {
		more += ` text-anchor="` + st.Anchor + `"`
	}
	if st.Bold {
		more += ` font-weight="bold"`
	}
	if st.Rotate != 0 {
		more += fmt.Sprintf(` transform="rotate(%s %s %s)"`, num(st.Rotate), num(x), num(y))
	}
	fmt.Fprintf(&c.body, `<text x="%s" y="%s" font-size="%s" fill="%s"%s>%s</text>`+"\n",
		num(x), num(y), num(st.Size), st.Fill, more, html.EscapeString(s))
}

// String returns the drawing as an SVG document.
func (c *Canvas) String() string {
	w, h := num(c.width), num(c.height)
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" width="%s" height="%s" viewBox="0 0 %s %s" font-family="sans-serif">`+"\n%s</svg>\n",
		w, h, w, h, c.body.String())
}

// Save writes the document to a file, whole or not at all.
func (c *Canvas) Save(path string) error { return wholefile.Write(path, []byte(c.String())) }

// Mix returns the colour at t, from 0 to 1, on the way between the stops, each of them
// three bytes of red, green and blue.
func Mix(t float64, stops ...[3]uint8) string {
	t = min(max(t, 0), 1) * float64(len(stops)-1)
	i := min(int(t), len(stops)-2)
	t -= float64(i)
	var c [3]uint8
	for n := range c {
		c[n] = uint8(float64(stops[i][n])*(1-t) + float64(stops[i+1][n])*t + 0.5)
	}
	return fmt.Sprintf("#%02x%02x%02x", c[0], c[1], c[2])
}
