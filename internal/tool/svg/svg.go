// Package svg writes the drawings of examples and documents: rectangles, lines and text,
// with what they mean in words, in the reader's theme. Package svgtest says whether a
// drawing can be read.
package svg

import (
	"fmt"
	"html"
	"strconv"
	"strings"

	"github.com/gcnsim/gcnsim/internal/tool/files"
)

// Colours that follow the reader's theme, light or dark, where a fill or a stroke is
// wanted. All others are written as "#rrggbb".
const (
	Paper = "paper" // the background
	Ink   = "ink"   // text and borders, 12:1 against the background
	Soft  = "soft"  // text, axes and outlines of less weight, 6:1
	Grid  = "grid"  // lines that carry no meaning of their own
	None  = "none"  // a rectangle without a fill: only its outline is drawn
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

// New returns a canvas with the background of the theme. The title says in a few words what
// the drawing shows, the description in full, for readers who do not see it.
func New(width, height float64, title, description string) *Canvas {
	c := &Canvas{width: width, height: height, title: title, description: description}
	c.Rect(0, 0, width, height, Paper)
	return c
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
	fmt.Fprintf(&c.body, `<rect x="%s" y="%s" width="%s" height="%s" %s/>`+"\n", num(x), num(y), num(w), num(h),
		paint("fill", fill))
}

// Box draws a rectangle with an outline, so that it stands out in both themes, be its fill
// pale or None.
func (c *Canvas) Box(x, y, w, h float64, fill string) {
	fmt.Fprintf(&c.body, `<rect x="%s" y="%s" width="%s" height="%s" fill="%s" %s/>`+"\n", num(x+0.5), num(y+0.5),
		num(w-1), num(h-1), fill, paint("stroke", Soft))
}

// Shade draws a piece of a picture whose colours run with a value, as a [Canvas.Scale] says:
// neighbours need not stand out from one another.
func (c *Canvas) Shade(x, y, w, h float64, fill string) {
	fmt.Fprintf(&c.body, `<rect x="%s" y="%s" width="%s" height="%s" fill="%s" class="shade" `+
		`shape-rendering="crispEdges"/>`+"\n", num(x), num(y), num(w), num(h), fill)
}

// Line draws a line one pixel wide.
func (c *Canvas) Line(x1, y1, x2, y2 float64, stroke string) {
	fmt.Fprintf(&c.body, `<line x1="%s" y1="%s" x2="%s" y2="%s" %s/>`+"\n", num(x1), num(y1), num(x2), num(y2),
		paint("stroke", stroke))
}

// Style is how text looks. The zero Style is text of 12 pixels in Ink that begins at x.
type Style struct {
	Size   float64 // pixels
	Fill   string
	Anchor string // "start", "middle" or "end"
	Bold   bool
	Upward bool // the text runs from below to above
}

// Text draws s with its baseline at y.
func (c *Canvas) Text(x, y float64, st Style, s string) {
	st.Size = st.size()
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
	if st.Upward {
		more += fmt.Sprintf(` transform="rotate(-90 %s %s)"`, num(x), num(y))
	}
	fmt.Fprintf(&c.body, `<text x="%s" y="%s" font-size="%s" %s%s>%s</text>`+"\n",
		num(x), num(y), num(st.Size), paint("fill", st.Fill), more, html.EscapeString(s))
}

// String returns the drawing as an SVG document.
func (c *Canvas) String() string {
	w, h := num(c.width), num(c.height)
	head := fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" width="%s" height="%s" viewBox="0 0 %s %s" font-family="sans-serif" role="img">`+"\n", w, h, w, h)
	head += fmt.Sprintf("<title>%s</title>\n<desc>%s</desc>\n", html.EscapeString(c.title),
		html.EscapeString(c.description))
	return head + theme + c.body.String() + "</svg>\n"
}

// Save writes the document to a file, whole or not at all.
func (c *Canvas) Save(path string) error { return files.Write(path, []byte(c.String())) }
