// Package svg writes the drawings of examples and documents: rectangles, lines and text.
package svg

import (
	"fmt"
	"html"
	"strconv"
	"strings"

	"github.com/gcnsim/gcnsim/internal/files"
)

// Colours that follow the reader's theme, light or dark, where a fill or a stroke is
// wanted. All others are written as "#rrggbb".
const (
	Paper = "paper" // the background
	Ink   = "ink"   // text and borders, 12:1 against the background
	Soft  = "soft"  // text and axes of less weight, 6:1
	Grid  = "grid"  // lines that carry no meaning of their own
)

// theme gives the colours their values.
const theme = `<style>
.paper{color:#ffffff}.ink{color:#1f2328}.soft{color:#57606a}.grid{color:#d8dee4}
@media (prefers-color-scheme:dark){.paper{color:#0d1117}.ink{color:#e6edf3}.soft{color:#9da7b3}.grid{color:#30363d}}
</style>
`

// Canvas is a drawing. Lengths are pixels; y grows downward.
type Canvas struct {
	body               strings.Builder
	width, height      float64
	title, description string
}

// New returns an empty canvas with the background of the theme.
func New(width, height float64) *Canvas {
	c := &Canvas{width: width, height: height}
	c.Rect(0, 0, width, height, Paper)
	return c
}

// Describe says what the drawing shows, in a few words and in full, for readers who do
// not see it.
func (c *Canvas) Describe(title, description string) {
	c.title, c.description = title, description
}

// paint returns the attributes of a fill or stroke.
func paint(attribute, color string) string {
	if strings.HasPrefix(color, "#") {
		return attribute + `="` + color + `"`
	}
	return attribute + `="currentColor" class="` + color + `"`
}

// num writes a length with at most two decimals.
func num(v float64) string {
	s := strconv.FormatFloat(v, 'f', 2, 64)
	return strings.TrimRight(strings.TrimRight(s, "0"), ".")
}

// Rect draws a filled rectangle.
func (c *Canvas) Rect(x, y, w, h float64, fill string) {
	fmt.Fprintf(&c.body, `<rect x="%s" y="%s" width="%s" height="%s" %s/>`+"\n", num(x), num(y), num(w), num(h), paint("fill", fill))
}

// Line draws a line one pixel wide.
func (c *Canvas) Line(x1, y1, x2, y2 float64, stroke string) {
	fmt.Fprintf(&c.body, `<line x1="%s" y1="%s" x2="%s" y2="%s" %s/>`+"\n", num(x1), num(y1), num(x2), num(y2), paint("stroke", stroke))
}

// Style is how text looks. The zero Style is text of 12 pixels in Ink that begins at x.
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
		st.Fill = Ink
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
	fmt.Fprintf(&c.body, `<text x="%s" y="%s" font-size="%s" %s%s>%s</text>`+"\n",
		num(x), num(y), num(st.Size), paint("fill", st.Fill), more, html.EscapeString(s))
}

// String returns the drawing as an SVG document.
func (c *Canvas) String() string {
	w, h := num(c.width), num(c.height)
	head := fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" width="%s" height="%s" viewBox="0 0 %s %s" font-family="sans-serif" role="img">`+"\n", w, h, w, h)
	if c.title != "" {
		head += fmt.Sprintf("<title>%s</title>\n<desc>%s</desc>\n", html.EscapeString(c.title), html.EscapeString(c.description))
	}
	return head + theme + c.body.String() + "</svg>\n"
}

// Save writes the document to a file, whole or not at all.
func (c *Canvas) Save(path string) error { return files.Write(path, []byte(c.String())) }

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
