package svg

import "strings"

// advances are the widths of characters from the space on, in thousandths of the font's size. They are those of
// DejaVu Sans, the widest of the usual sans-serif fonts.
var advances = [...]uint16{
	318, 401, 460, 838, 636, 950, 780, 275, 390, 390, 500, 838, 318, 361, 318, 337,
	636, 636, 636, 636, 636, 636, 636, 636, 636, 636, 337, 337, 838, 838, 838, 531,
	1000, 684, 686, 698, 770, 632, 575, 775, 752, 295, 295, 656, 557, 863, 748, 787,
	603, 787, 695, 635, 611, 732, 684, 989, 685, 611, 685, 390, 337, 390, 838, 500,
	500, 613, 635, 550, 635, 615, 352, 635, 634, 278, 278, 579, 278, 974, 634, 612,
	635, 635, 411, 521, 392, 634, 592, 818, 592, 592, 525, 636, 337, 636, 838,
}

// Factor for the width of bold text, and the width of characters that are not in advances.
const (
	boldness = 1.13
	unknown  = 838
)

// size is the size of text in the style.
func (st Style) size() float64 {
	if st.Size == 0 {
		return 12
	}
	return st.Size
}

// Width returns the greatest width of s in the style, in pixels.
func (st Style) Width(s string) float64 {
	sum := 0
	for _, r := range s {
		if i := int(r) - ' '; i >= 0 && i < len(advances) {
			sum += int(advances[i])
		} else {
			sum += unknown
		}
	}
	w := float64(sum) / 1000 * st.size()
	if st.Bold {
		w *= boldness
	}
	return w
}

// leading is the height of a line divided by the size of its text.
const leading = 1.45

// Paragraph writes s in lines of at most width. The first baseline is y. It returns the baseline for the next line.
func (c *Canvas) Paragraph(x, y, width float64, st Style, s string) float64 {
	line := ""
	flush := func() {
		c.Text(x, y, st, line)
		y += st.size() * leading
	}
	for word := range strings.FieldsSeq(s) {
		switch {
		case line == "":
			line = word
		case st.Width(line+" "+word) > width:
			flush()
			line = word
		default:
			line += " " + word
		}
	}
	flush()
	return y
}

// Size of a heading, and the distances around it and its caption.
const (
	headSize, headTop = 16, 28
	captionTop        = 48
)

// Heading writes a title, and a caption below it, at the top of the drawing. margin is the distance to both sides. It
// returns the next baseline.
func (c *Canvas) Heading(margin float64, title, caption string) float64 {
	c.Text(margin, headTop, Style{Size: headSize, Bold: true}, title)
	return c.Paragraph(margin, captionTop, c.width-2*margin, Style{Size: 13, Fill: Soft}, caption)
}

// Plate writes s, centred at x, on a dark plate, which makes it readable on any colour.
func (c *Canvas) Plate(x, y float64, st Style, s string) {
	const side = 2
	w, h := st.Width(s)+2*side, st.size()+side
	c.add(Shape{Kind: KindPlate, X: x - w/2, Y: y - st.size() + side, W: w, H: h, Fill: dark})
	st.Fill, st.Anchor = light, "middle"
	c.Text(x, y, st, s)
}

// Entry explains a colour in a legend. Fill may be None.
type Entry struct{ Fill, Text string }

// Side of a swatch, and the distances around it.
const (
	swatch, swatchGap, entryGap = 13, 6, 18
)

// Legend explains colours, in lines of at most width. The first baseline is y. It returns the next baseline.
func (c *Canvas) Legend(x, y, width float64, st Style, entries ...Entry) float64 {
	c.group("legend", func() {
		at := x
		for _, e := range entries {
			w := swatch + swatchGap + st.Width(e.Text)
			if at > x && at+w > x+width {
				at = x
				y += st.size() * leading
			}
			c.Box(at, y-swatch+2, swatch, swatch, e.Fill)
			c.Text(at+swatch+swatchGap, y, st, e.Text)
			at += w + entryGap
		}
	})
	return y + st.size()*leading
}

// Scale explains the colours of shades by a strip from low to high with the given width. color returns the colour for
// a value from 0 to 1.
func (c *Canvas) Scale(x, y, width float64, st Style, low, high string, color func(float64) string) {
	const pieces = 32
	c.group("scale", func() {
		c.Text(x, y, st, low)
		x += st.Width(low) + swatchGap
		for i := range pieces {
			c.Shade(x+width/pieces*float64(i), y-swatch+2, width/pieces, swatch, color(float64(i)/(pieces-1)))
		}
		c.Text(x+width+swatchGap, y, st, high)
	})
}

// Colours of text on a fill.
const dark, light = "#111111", "#ffffff"

// On returns the colour of text on a fill of the form "#rrggbb": dark or light, whichever has more contrast.
func On(fill string) string {
	if Contrast(fill, dark) >= Contrast(fill, light) {
		return dark
	}
	return light
}
