// Package svg writes the drawings of examples and documents: rectangles, lines and text, with a description in words,
// in the reader's light or dark theme. Package svgtest checks whether a drawing is readable.
package svg

import (
	"fmt"
	"html"
	"strconv"
	"strings"

	"github.com/gcnsim/gcnsim/internal/tool/files"
)

// Names of colours that depend on the reader's theme. All other colours are written as "#rrggbb".
const (
	Paper = "paper" // the background
	Ink   = "ink"   // text and borders, 12:1 against the background
	Soft  = "soft"  // text, axes and outlines of less weight, 6:1
	Grid  = "grid"  // lines without a meaning of their own
	None  = "none"  // a rectangle without a fill: only its outline is drawn
)

// Theme maps the names of colours to values of the form "#rrggbb".
type Theme map[string]string

// The themes of readers.
var (
	Light = Theme{Paper: "#ffffff", Ink: "#1f2328", Soft: "#57606a", Grid: "#d8dee4"}
	Dark  = Theme{Paper: "#0d1117", Ink: "#e6edf3", Soft: "#9da7b3", Grid: "#30363d"}
)

// styles returns the theme as CSS rules.
func (t Theme) styles() (rules string) {
	for _, name := range []string{Paper, Ink, Soft, Grid} {
		rules += "." + name + "{color:" + t[name] + "}"
	}
	return rules
}

// Canvas is a drawing. Lengths are pixels; y grows downward.
type Canvas struct {
	shapes             []Shape
	width, height      float64
	title, description string
}

// Kind is the kind of a [Shape].
type Kind uint8

// The kinds of shapes.
const (
	KindRect  Kind = iota // a filled rectangle
	KindBox               // a rectangle with an outline in Soft, half a pixel inside its edges
	KindShade             // a filled rectangle that runs into its neighbours
	KindPlate             // a filled rectangle behind text
	KindLine              // a line from X, Y to X+W, Y+H
	KindText              // text whose baseline begins, is centred or ends at X, Y
	kindGroup             // start of a group whose class is Text
	kindEnd               // the end of a group
)

// Shape is a piece of a drawing.
type Shape struct {
	Kind       Kind
	X, Y, W, H float64
	Fill       string // also the colour of text and lines
	Text       string
	Style      Style // style of text
}

// Shapes returns the shapes in the order in which they are drawn. The caller must not change them.
func (c *Canvas) Shapes() []Shape { return c.shapes }

// Size returns the width and the height of the drawing in pixels.
func (c *Canvas) Size() (width, height float64) { return c.width, c.height }

func (c *Canvas) add(s Shape) { c.shapes = append(c.shapes, s) }

// New returns a canvas with the theme's background. title is a short title. description is the full content, for
// readers who cannot see the drawing.
func New(width, height float64, title, description string) *Canvas {
	c := &Canvas{width: width, height: height, title: title, description: description}
	c.Rect(0, 0, width, height, Paper)
	return c
}

// paint returns the attribute for a fill or stroke.
func paint(attribute, color string) string {
	if strings.HasPrefix(color, "#") {
		return attribute + `="` + color + `"`
	}
	return attribute + `="currentColor" class="` + color + `"`
}

// num formats a length with at most two decimals.
func num(v float64) string {
	s := strconv.FormatFloat(v, 'f', 2, 64)
	return strings.TrimRight(strings.TrimRight(s, "0"), ".")
}

// Rect draws a filled rectangle.
func (c *Canvas) Rect(x, y, w, h float64, fill string) {
	c.add(Shape{Kind: KindRect, X: x, Y: y, W: w, H: h, Fill: fill})
}

// Box draws a rectangle with an outline, which stands out in both themes even if its fill is pale or None.
func (c *Canvas) Box(x, y, w, h float64, fill string) {
	c.add(Shape{Kind: KindBox, X: x, Y: y, W: w, H: h, Fill: fill})
}

// Shade draws a part of a picture whose colours depend on a value, see [Canvas.Scale]. Neighbours may have similar
// colours.
func (c *Canvas) Shade(x, y, w, h float64, fill string) {
	c.add(Shape{Kind: KindShade, X: x, Y: y, W: w, H: h, Fill: fill})
}

// Line draws a line one pixel wide.
func (c *Canvas) Line(x1, y1, x2, y2 float64, stroke string) {
	c.add(Shape{Kind: KindLine, X: x1, Y: y1, W: x2 - x1, H: y2 - y1, Fill: stroke})
}

// Style is the style of text. The zero value is text of 12 pixels in Ink that starts at x.
type Style struct {
	Size   float64 // pixels
	Fill   string
	Anchor string // "start", "middle" or "end"
	Bold   bool
	Upward bool // the text is rotated: it runs upward
}

// Text draws s with its baseline at y.
func (c *Canvas) Text(x, y float64, st Style, s string) {
	st.Size = st.size()
	if st.Fill == "" {
		st.Fill = Ink
	}
	c.add(Shape{Kind: KindText, X: x, Y: y, Fill: st.Fill, Text: s, Style: st})
}

// group calls draw and groups the shapes that it adds.
func (c *Canvas) group(class string, draw func()) {
	c.add(Shape{Kind: kindGroup, Text: class})
	draw()
	c.add(Shape{Kind: kindEnd})
}

// rect returns the attributes of a rectangle's position and size.
func rect(x, y, w, h float64) string {
	return fmt.Sprintf(`<rect x="%s" y="%s" width="%s" height="%s" `, num(x), num(y), num(w), num(h))
}

// markup returns the shape as a line of SVG.
func (s *Shape) markup() string {
	switch s.Kind {
	case KindRect:
		return rect(s.X, s.Y, s.W, s.H) + paint("fill", s.Fill) + "/>"
	case KindBox:
		return rect(s.X+0.5, s.Y+0.5, s.W-1, s.H-1) + `fill="` + s.Fill + `" ` + paint("stroke", Soft) + "/>"
	case KindShade:
		return rect(s.X, s.Y, s.W, s.H) + `fill="` + s.Fill + `" class="shade" shape-rendering="crispEdges"/>`
	case KindPlate:
		return rect(s.X, s.Y, s.W, s.H) + `fill="` + s.Fill + `" class="plate"/>`
	case KindLine:
		return fmt.Sprintf(`<line x1="%s" y1="%s" x2="%s" y2="%s" %s/>`, num(s.X), num(s.Y), num(s.X+s.W), num(s.Y+s.H),
			paint("stroke", s.Fill))
	case KindText:
		return s.words()
	case kindGroup:
		return `<g class="` + s.Text + `">`
	default:
		return "</g>"
	}
}

// words returns text as a line of SVG.
func (s *Shape) words() string {
	more := ""
	if s.Style.Anchor != "" {
		more += ` text-anchor="` + s.Style.Anchor + `"`
	}
	if s.Style.Bold {
		more += ` font-weight="bold"`
	}
	if s.Style.Upward {
		more += fmt.Sprintf(` transform="rotate(-90 %s %s)"`, num(s.X), num(s.Y))
	}
	return fmt.Sprintf(`<text x="%s" y="%s" font-size="%s" %s%s>%s</text>`, num(s.X), num(s.Y), num(s.Style.Size),
		paint("fill", s.Fill), more, html.EscapeString(s.Text))
}

// String returns the drawing as an SVG document.
func (c *Canvas) String() string {
	w, h := num(c.width), num(c.height)
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%s" height="%s" viewBox="0 0 %s %s" `+
		`font-family="sans-serif" role="img">`+"\n", w, h, w, h)
	fmt.Fprintf(&b, "<title>%s</title>\n<desc>%s</desc>\n", html.EscapeString(c.title), html.EscapeString(c.description))
	b.WriteString("<style>\n" + Light.styles() + "\n@media (prefers-color-scheme:dark){" + Dark.styles() + "}\n</style>\n")
	for i := range c.shapes {
		b.WriteString(c.shapes[i].markup() + "\n")
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// Save writes the document to a file, completely or not at all.
func (c *Canvas) Save(path string) error { return files.Write(path, []byte(c.String())) }
