package svgtest

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/gcnsim/gcnsim/internal/tool/svg"
)

// drawing is a parsed file.
type drawing struct {
	role, title, desc string
	width, height     float64
	viewBox           [4]float64
	themes            [2]map[string]string // colours of classes, light and dark
	shapes            []shape              // in the order of painting, the background first
}

var themeNames = [2]string{"light", "dark"}

// shape is a rectangle, a line or a text.
type shape struct {
	kind         string
	group        string // "legend" or "scale", if it is part of one
	class        string // "shade" or "plate"
	box          box
	fill, stroke string // "#rrggbb", a class of the theme, or "none"
	size         float64
	text         string
}

func (s shape) String() string {
	if s.kind == "text" {
		return strconv.Quote(s.text)
	}
	return fmt.Sprintf("%s at %g, %g (%s%s)", s.kind, s.box.x, s.box.y, s.fill, s.stroke)
}

// box is the bounding box of a shape.
type box struct{ x, y, w, h float64 }

func (b box) middle() [2]float64 { return [2]float64{b.x + b.w/2, b.y + b.h/2} }

func (b box) holds(p [2]float64) bool {
	return p[0] >= b.x && p[0] <= b.x+b.w && p[1] >= b.y && p[1] <= b.y+b.h
}

func (b box) within(o box) bool {
	return b.x >= o.x-slack && b.y >= o.y-slack && b.x+b.w <= o.x+o.w+slack && b.y+b.h <= o.y+o.h+slack
}

// overlaps reports whether boxes share more than their borders.
func (b box) overlaps(o box) bool {
	return b.x+slack < o.x+o.w && o.x+slack < b.x+b.w && b.y+slack < o.y+o.h && o.y+slack < b.y+b.h
}

// points returns some points that are spread over the box.
func (b box) points() (list [][2]float64) {
	for i := range 9 {
		for k := range 3 {
			list = append(list, [2]float64{b.x + b.w*float64(i)/8, b.y + b.h*float64(k)/2})
		}
	}
	return list
}

// color returns the value of a named colour in a theme.
func (d *drawing) color(name string, theme int) string {
	if c, ok := d.themes[theme][name]; ok {
		return c
	}
	return name
}

// parse parses a drawing. It fails on unknown elements, because it could not check them.
func parse(text string) (*drawing, error) {
	d := &drawing{}
	group := ""
	var chars strings.Builder
	for x := xml.NewDecoder(strings.NewReader(text)); ; {
		token, err := x.Token()
		if errors.Is(err, io.EOF) {
			return d, nil
		}
		if err != nil {
			return nil, err
		}
		switch e := token.(type) {
		case xml.CharData:
			chars.Write(e)
		case xml.StartElement:
			chars.Reset()
			a := attributes{values: map[string]string{}}
			for _, at := range e.Attr {
				a.values[at.Name.Local] = at.Value
			}
			switch e.Name.Local {
			case "svg":
				d.role, d.width, d.height = a.values["role"], a.number("width"), a.number("height")
				for i, f := range strings.Fields(a.values["viewBox"]) {
					if i < len(d.viewBox) {
						d.viewBox[i], a.err = strconv.ParseFloat(f, 64)
					}
				}
			case "g":
				group = a.values["class"]
			case "rect", "line", "text":
				s := a.shape(e.Name.Local)
				s.group = group
				d.shapes = append(d.shapes, s)
			case "title", "desc", "style":
			default:
				return nil, fmt.Errorf("nobody can judge an element %q", e.Name.Local)
			}
			if a.err != nil {
				return nil, a.err
			}
		case xml.EndElement:
			switch e.Name.Local {
			case "title":
				d.title = chars.String()
			case "desc":
				d.desc = chars.String()
			case "style":
				light, dark, ok := strings.Cut(chars.String(), "@media (prefers-color-scheme:dark){")
				if !ok {
					return nil, errors.New("there is no dark theme")
				}
				d.themes = [2]map[string]string{classes(light), classes(dark)}
			case "g":
				group = ""
			case "text":
				s := &d.shapes[len(d.shapes)-1]
				s.text = chars.String()
				s.measure()
			}
		}
	}
}

var class = regexp.MustCompile(`\.(\w+)\{color:(#[0-9a-f]{6})\}`)

func classes(style string) map[string]string {
	m := map[string]string{}
	for _, c := range class.FindAllStringSubmatch(style, -1) {
		m[c[1]] = c[2]
	}
	return m
}

// attributes are an element's attributes, with the first value that should be a number and is not.
type attributes struct {
	values map[string]string
	err    error
}

func (a *attributes) number(name string) float64 {
	v, err := strconv.ParseFloat(a.values[name], 64)
	if err != nil && a.err == nil {
		a.err = fmt.Errorf("%s: %w", name, err)
	}
	return v
}

// shape creates a shape from the attributes. A text is measured later, when its content is known.
func (a *attributes) shape(kind string) shape {
	s := shape{kind: kind, fill: a.values["fill"], stroke: a.values["stroke"], class: a.values["class"]}
	for _, p := range []*string{&s.fill, &s.stroke} {
		if *p == "currentColor" {
			*p, s.class = a.values["class"], ""
		}
	}
	switch kind {
	case "rect":
		s.box = box{a.number("x"), a.number("y"), a.number("width"), a.number("height")}
	case "line":
		x1, y1, x2, y2 := a.number("x1"), a.number("y1"), a.number("x2"), a.number("y2")
		s.box = box{min(x1, x2) - 0.5, min(y1, y2) - 0.5, math.Abs(x2-x1) + 1, math.Abs(y2-y1) + 1}
	case "text":
		s.box = box{x: a.number("x"), y: a.number("y")}
		s.size = a.number("font-size")
		// The stroke keeps these attributes until the text is measured.
		s.stroke = a.values["text-anchor"] + " " + a.values["font-weight"] + " " + a.values["transform"]
	}
	return s
}

// measure replaces the position of a text by the bounding box of its letters.
func (s *shape) measure() {
	const above, below = 0.76, 0.22 // as fractions of the size
	x, y := s.box.x, s.box.y
	w := svg.Style{Size: s.size, Bold: strings.Contains(s.stroke, "bold")}.Width(s.text)
	left := 0.0
	switch anchor, _, _ := strings.Cut(s.stroke, " "); anchor {
	case "middle":
		left = -w / 2
	case "end":
		left = -w
	}
	s.box = box{x + left, y - above*s.size, w, (above + below) * s.size}
	if strings.Contains(s.stroke, "rotate(-90") {
		s.box = box{y: y - left - w, x: x - above*s.size, w: s.box.h, h: w}
	}
	s.stroke = ""
}
