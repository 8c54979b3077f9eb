package draw

import (
	"fmt"
	"math"
	"strings"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa/format"
	"github.com/gcnsim/gcnsim/internal/tool/plural"
	"github.com/gcnsim/gcnsim/internal/tool/svg"
)

// Element is a format with the DST_SEL of a resource.
type Element struct {
	Format *format.Format
	Select format.Select
}

// OfBuffer returns the format of the elements of a V#. The error is a *[format.Error].
func OfBuffer(v gcn.VSharp) (Element, error) {
	b := v.Fields()
	f, err := format.Lookup(b.DataFormat, b.NumFormat)
	return Element{f, format.Select(b.DstSel)}, err
}

// OfImage returns the format of the elements of a T#. The error is a *[format.Error].
func OfImage(g gcn.Gen, t gcn.TSharp) (Element, error) {
	img := t.Fields(g)
	f, err := format.LookupImage(g, img.DataFormat, img.NumFormat)
	return Element{f, format.Select(img.DstSel)}, err
}

// component letters, in the order of memory.
const letters = "XYZW"

// shared marks bits on which several components depend, or no component alone.
const shared = -1

// load converts an element and returns its components.
func (e *Element) load(words [format.MaxComponents]uint32) (c [format.MaxComponents]uint32) {
	var dst, src [format.MaxComponents][]uint32
	for i := range dst {
		dst[i] = c[i : i+1]
		if i < e.Format.Words {
			src[i] = words[i : i+1]
		}
	}
	e.Format.Unpack(&dst, &src)
	return c
}

// owners returns for each bit of an element the component that depends on it, or shared.
func (e *Element) owners() []int {
	all := make([]int, 8*e.Format.Size)
	for bit := range all {
		all[bit] = shared
		for _, others := range []uint32{0, math.MaxUint32} {
			var with, without [format.MaxComponents]uint32
			for i := range with {
				with[i], without[i] = others, others
			}
			with[bit/32] |= 1 << (bit % 32)
			without[bit/32] &^= 1 << (bit % 32)
			a, b := e.load(with), e.load(without)
			changed, n := 0, 0
			for c := range e.Format.Components {
				if a[c] != b[c] {
					changed, n = c, n+1
				}
			}
			if n == 1 && all[bit] == shared {
				all[bit] = changed
			}
		}
	}
	return all
}

// bitRun is a range of adjacent bits with the same owner.
type bitRun struct{ owner, low, high int }

// runs joins adjacent owners that are equal, from bit 0 up.
func runs(owners []int) (all []bitRun) {
	for bit, owner := range owners {
		if n := len(all); n > 0 && all[n-1].owner == owner && bit%32 != 0 {
			all[n-1].high = bit
		} else {
			all = append(all, bitRun{owner, bit, bit})
		}
	}
	return all
}

// Formats draws the bits of each component of a format, the registers that receive it, and the values of some bit
// patterns. It refuses formats with several texels an element.
func Formats(elements []Element) (*svg.Canvas, error) {
	const left, top, width, high = 120.0, 96.0, 768.0, 34.0
	text := Text{
		Title: "What the bits of an element become",
		Caption: "Above the dwords of an element from bit 31 down, with the component that each bit belongs to; below what " +
			"DST_SEL puts into the registers (rule DP14) and what components become when their bits are as said.",
		Description: "For each format its bits by component, the components that registers take, and examples of values.",
	}
	total := top
	for i := range elements {
		if f := elements[i].Format; f.Width > 1 || f.Height > 1 {
			return nil, fmt.Errorf("%v: an element is %d by %d texels, whose bits do not belong to one component each", f,
				f.Width, f.Height)
		}
		total += elements[i].height(high)
	}
	c := svg.New(left+width+24, total, text.Title, text.Description)
	c.Heading(24, text.Title, text.Caption)
	y := top
	for i := range elements {
		elements[i].draw(c, left, y, width, high)
		y += elements[i].height(high)
	}
	return c, nil
}

// height returns the height of the panel in pixels.
func (e *Element) height(high float64) float64 {
	return 150 + float64(e.Format.Words)*(high+24) + 20*float64(e.Format.Components)
}

// draw draws the panel of a format.
func (e *Element) draw(c *svg.Canvas, left, y, width, high float64) {
	f := e.Format
	c.Text(24, y+16, svg.Style{Size: 14, Bold: true}, fmt.Sprintf("%v, %s", f, plural.Of(f.Size, "byte")))
	y += 44
	bit := width / 32
	all := runs(e.owners())
	for word := range f.Words {
		c.Text(left-10, y+high/2+4, svg.Style{Fill: svg.Soft, Anchor: "end"}, fmt.Sprintf("dword %d", word))
		for _, r := range all {
			if r.low/32 != word {
				continue
			}
			x := left + width - float64(r.high%32+1)*bit
			w := float64(r.high-r.low+1) * bit
			name, fill := "shared", svg.Tints[4]
			if r.owner != shared {
				name, fill = letters[r.owner:r.owner+1], svg.Tints[r.owner]
			}
			c.Box(x, y, w, high, fill)
			if st := (svg.Style{Size: 13, Fill: svg.OnTint, Anchor: "middle"}); st.Width(name) < w {
				c.Text(x+w/2, y+high/2+5, st, name)
			}
			c.Text(x+w-2, y+high+13, svg.Style{Size: 11, Fill: svg.Soft, Anchor: "end"}, fmt.Sprint(r.low%32))
		}
		y += high + 24
	}
	e.registers(c, left, y+14, all)
}

// registers draws the component that each register receives, and the components' values.
func (e *Element) registers(c *svg.Canvas, left, y float64, all []bitRun) {
	c.Text(left-10, y, svg.Style{Fill: svg.Soft, Anchor: "end"}, "registers")
	var takes []string
	for i := range format.MaxComponents {
		from, fill := e.Select.Load(e.Format, i)
		took := "0"
		switch {
		case from != format.Absent:
			took = letters[from : from+1]
		case fill != 0:
			took = "1"
		}
		takes = append(takes, fmt.Sprintf("v%d = %s", i, took))
	}
	c.Text(left, y, svg.Style{Size: 13}, strings.Join(takes, ",   "))
	for comp := range e.Format.Components {
		y += 20
		c.Text(left-10, y, svg.Style{Fill: svg.Soft, Anchor: "end"}, "of "+letters[comp:comp+1])
		c.Text(left, y, svg.Style{Size: 13}, e.examples(comp, all))
	}
}

// examples formats the values of a component for its smallest, largest and middle bit patterns.
func (e *Element) examples(comp int, all []bitRun) string {
	var mine []int
	for _, r := range all {
		if r.owner == comp {
			for bit := r.low; bit <= r.high; bit++ {
				mine = append(mine, bit)
			}
		}
	}
	n := len(mine)
	value := func(bits uint64) string {
		var words [format.MaxComponents]uint32
		for i, bit := range mine {
			words[bit/32] |= uint32(bits>>i&1) << (bit % 32)
		}
		v := e.load(words)[comp]
		switch e.Format.Kind {
		case format.Float:
			return fmt.Sprintf("%.6g", math.Float32frombits(v))
		case format.Sint:
			return fmt.Sprint(int32(v))
		default:
			return fmt.Sprint(v)
		}
	}
	ones := uint64(1)<<n - 1
	var values []string
	for i, bits := range []uint64{0, 1, ones >> 1, ones>>1 + 1, ones} {
		if n > 1 || i < 2 {
			values = append(values, fmt.Sprintf("0x%x: %s", bits, value(bits)))
		}
	}
	return strings.Join(values, ",   ")
}
