package raster

import (
	"fmt"
	"image"
	"image/color"
	"math"
	"strings"

	"github.com/gcnsim/gcnsim/internal/tool/svg"
)

// A column of a terminal shows at least so many pixels of a drawing across, and half a row as many down.
const perColumn = 7.0

// glyph is what a place of the terminal shows.
type glyph struct {
	above, below color.NRGBA // of its halves; the zero colour is the terminal's own
	text         rune        // over them, if not 0
	ink          color.NRGBA
	bold         bool
}

// Terminal returns a drawing as lines for a terminal of so many columns: half blocks in colours of 24 bits,
// with the texts of the drawing over them. The paper and the ink of the drawing are those of the terminal.
func Terminal(c *svg.Canvas, columns int) string {
	columns = max(columns, 1)
	width, height := c.Size()
	scale := max(perColumn, width/float64(columns))
	across, down := min(int(width/scale*1.1)+1, columns), int(math.Ceil(height/scale/2)) // some texts are wider
	places := make([]glyph, across*down)
	for i := range c.Shapes() {
		s := &c.Shapes()[i]
		if s.Kind == svg.KindText {
			letters(places, across, s, scale)
		} else if fill, ok := colorOf(s.Fill); ok {
			blocks(places, across, s, scale, fill)
		}
	}
	var b strings.Builder
	for row := range down {
		line := places[row*across : (row+1)*across]
		b.WriteString(strings.TrimRight(renderLine(line), " ") + "\n")
	}
	if scale > perColumn {
		fmt.Fprintf(&b, "The terminal has %d columns and the picture %d: texts are cut. A file has it whole.\n",
			columns, int(math.Ceil(width/perColumn)))
	}
	return b.String()
}

// blocks colours the halves whose middle a shape covers.
func blocks(places []glyph, across int, s *svg.Shape, scale float64, fill color.NRGBA) {
	if s.Kind == svg.KindLine || s.Fill == svg.Grid {
		return // thinner than a half, or without a meaning
	}
	if s.Fill == svg.Paper {
		fill = color.NRGBA{}
	}
	middle := func(v float64) int { return int(math.Ceil(v/scale - 0.5)) }
	area := image.Rect(middle(s.X), middle(s.Y), middle(s.X+s.W), middle(s.Y+s.H))
	area = area.Intersect(image.Rect(0, 0, across, 2*len(places)/across))
	for y := area.Min.Y; y < area.Max.Y; y++ {
		for x := area.Min.X; x < area.Max.X; x++ {
			place := &places[y/2*across+x]
			place.text = 0
			if y%2 == 0 {
				place.above = fill
			} else {
				place.below = fill
			}
		}
	}
}

// letters puts a text over what is drawn, a letter a column, in the row of the middle of its letters.
func letters(places []glyph, across int, s *svg.Shape, scale float64) {
	text := []rune(s.Text)
	x, y := int(s.X/scale), int((s.Y-s.Style.Size/3)/scale/2)
	switch s.Style.Anchor {
	case "middle":
		x = int(s.X/scale - float64(len(text)-1)/2)
	case "end":
		x = int(s.X/scale) - len(text)
	}
	ink, ok := colorOf(s.Fill)
	if !ok || s.Fill == svg.Ink || s.Fill == svg.Soft {
		ink = color.NRGBA{}
	}
	for i, r := range text {
		at := y*across + x + i
		if s.Style.Upward {
			at = (y+len(text)/2-i)*across + x
		} else if x+i < 0 || x+i >= across {
			continue
		}
		if at >= 0 && at < len(places) {
			places[at].text, places[at].ink, places[at].bold = r, ink, s.Style.Bold
		}
	}
}

// renderLine returns a row of places with the codes for their colours.
func renderLine(line []glyph) string {
	var b strings.Builder
	last := ""
	for i := range line {
		code, r := line[i].render()
		if code != last {
			b.WriteString("\x1b[0m" + code)
			last = code
		}
		b.WriteRune(r)
	}
	if last != "" {
		b.WriteString("\x1b[0m")
	}
	return b.String()
}

// render returns the code of a place's colours and its letter or block.
func (g *glyph) render() (code string, r rune) {
	none := color.NRGBA{}
	paint := func(of int, c color.NRGBA) string { return fmt.Sprintf("\x1b[%d;2;%d;%d;%dm", of, c.R, c.G, c.B) }
	const foreground, background = 38, 48
	switch {
	case g.text != 0:
		if g.bold {
			code = "\x1b[1m"
		}
		if behind := g.above; behind != none {
			code += paint(background, behind)
			if g.ink == none {
				g.ink = color.NRGBA{0x11, 0x11, 0x11, 255}
			}
		}
		if g.ink != none {
			code += paint(foreground, g.ink)
		}
		return code, g.text
	case g.above == none && g.below == none:
		return "", ' '
	case g.below == none:
		return paint(foreground, g.above), '▀'
	case g.above == none:
		return paint(foreground, g.below), '▄'
	}
	return paint(foreground, g.above) + paint(background, g.below), '▀'
}
