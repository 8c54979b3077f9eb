package draw

import (
	"fmt"
	"slices"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/gcn/tile"
	"github.com/gcnsim/gcnsim/internal/tool/plural"
	"github.com/gcnsim/gcnsim/internal/tool/svg"
)

// Surface is a panel of a picture: the texels of a tiled surface from its upper left corner.
type Surface struct {
	Title  string
	Layout tile.Layout
	// Name returns a name for the 256-byte piece of memory at an address. If Name is nil, pieces have no names.
	Name func(addr uint64) string
}

// part is the greatest number of texels that a picture shows along each side.
const part = 32

// pieceBytes is the size of a piece of memory that belongs to one pipe.
const pieceBytes = 256

// Ramp has the colours of addresses from low to high. Each is lighter than the previous one, and black and white
// lines are visible on all of them.
var Ramp = [][3]uint8{{0x3a, 0x58, 0xb4}, {0x1f, 0x7a, 0x8c}, {0x3b, 0x91, 0x50}, {0xba, 0x8a, 0x1e}}

// Surfaces draws a square of texels of each surface, two panels side by side. A colour is the rank of the texel's
// address in the square. Lines separate pieces of 256 bytes. The error comes from [tile.Layout.Addr].
func Surfaces(text Text, all []Surface) (*svg.Canvas, error) {
	const cell, left, top, gap = 14.0, 24.0, 130.0, 40.0
	const side = part * cell
	across := min(len(all), 2)
	wide := max(left+float64(across)*(side+gap), 640)
	c := svg.New(wide, top+float64((len(all)+across-1)/across)*(side+gap), text.Title, text.Description)
	y := c.Heading(left, text.Title, text.Caption)
	c.Scale(left, y+4, 200, svg.Style{}, "colour is the place among the texels that are shown: the first", "the last",
		func(t float64) string { return svg.Mix(t, Ramp...) })
	for i := range all {
		x0, y0 := left+float64(i%across)*(side+gap), top+float64(i/across)*(side+gap)
		c.Text(x0, y0-10, svg.Style{Size: 13, Bold: true}, all[i].Title)
		if err := all[i].draw(c, x0, y0, cell); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// draw draws the panel of a surface.
func (s *Surface) draw(c *svg.Canvas, x0, y0, cell float64) error {
	level := s.Layout.Levels()[0]
	w, h := min(level.Width, part), min(level.Height, part)
	addr := make([]uint64, w*h)
	for i := range addr {
		var err error
		if addr[i], err = s.Layout.Addr(0, i%w, i/w, 0, 0); err != nil {
			return err
		}
	}
	order := slices.Sorted(slices.Values(addr))
	for i, a := range addr {
		rank, _ := slices.BinarySearch(order, a)
		c.Shade(x0+float64(i%w)*cell, y0+float64(i/w)*cell, cell, cell,
			svg.Mix(float64(rank)/float64(max(len(addr)-1, 1)), Ramp...))
	}
	s.pieces(c, addr, w, x0, y0, cell)
	return nil
}

// pieces draws the borders between texels of different pieces, and the names of the pieces. addr has w texels a row.
func (s *Surface) pieces(c *svg.Canvas, addr []uint64, w int, x0, y0, cell float64) {
	named := map[uint64]bool{}
	st := svg.Style{Size: 11}
	for i, a := range addr {
		piece := a / pieceBytes
		px, py := x0+float64(i%w)*cell, y0+float64(i/w)*cell
		if i%w > 0 && addr[i-1]/pieceBytes != piece {
			c.Line(px, py, px, py+cell, "#ffffff")
		}
		if i >= w && addr[i-w]/pieceBytes != piece {
			c.Line(px, py, px+cell, py, "#ffffff")
		}
		if s.Name != nil && !named[piece] {
			named[piece] = true
			name := s.Name(a)
			c.Plate(px+st.Width(name)/2+4, py+cell-3, st, name)
		}
	}
}

// Tiles draws the order in memory of the texels of at most four images, with the tiling registers of a chip. The
// error is a *[tile.Error], or says that there are too many images.
func Tiles(regs *tile.Registers, images []gcn.TSharp) (*svg.Canvas, error) {
	if len(images) > 4 {
		return nil, fmt.Errorf("%d T# are given, and a picture shows at most 4", len(images))
	}
	var all []Surface
	for _, t := range images {
		img := t.Fields(regs.Gen)
		s, err := tile.FromImage(regs.Gen, &img)
		if err != nil {
			return nil, err
		}
		l, err := regs.Layout(s)
		if err != nil {
			return nil, err
		}
		level := l.Levels()[0]
		all = append(all, Surface{Layout: l, Title: fmt.Sprintf("%s, %d by %d of %s", level.Mode, level.Width, level.Height,
			plural.Of(s.Bytes, "byte"))})
	}
	text := Text{
		Title: "In which order the texels of an image lie in memory",
		Caption: fmt.Sprintf("The upper left %d by %d elements of level 0 at most. Lines part pieces of %d bytes, which lie "+
			"in different pipes or banks (rules TL1 to TL5 and SW4): a square of texels costs the less, the fewer lines it "+
			"is spread over.", part, part, pieceBytes),
		Description: "For each T# a square of elements, coloured by the order of their addresses, and the borders of pieces " +
			"of 256 bytes.",
	}
	return Surfaces(text, all)
}
