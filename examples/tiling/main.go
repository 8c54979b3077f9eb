// Tiling shows in which order the texels of an image lie in memory: linear, in 1D and 2D
// tiles of GCN 1.2 and in a swizzle mode of GCN 1.4, as text, in an SVG and in a PNG file.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"image"
	"image/color"
	imagedraw "image/draw"
	"io"
	"os"
	"path/filepath"

	"github.com/gcnsim/gcnsim/examples/internal/picture"
	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/gcn/tile"
	"github.com/gcnsim/gcnsim/internal/draw"
	"github.com/gcnsim/gcnsim/internal/tool/svg"
)

const (
	width, height = 256, 128 // texels of the image, of 4 bytes each
	part          = 32       // the SVG shows a square of so many
	columns, rows = 16, 8    // the text a corner of so many
	interleave    = 256      // bytes before the next pipe
)

// panel is one way to lay the image.
type panel struct {
	title  string
	chip   string
	mode   int // T#.TILING_INDEX or SW_MODE
	pipes  int // log2
	banks  int // log2
	layout tile.Layout
	addr   [height][width]uint64
}

func panels() []*panel {
	return []*panel{
		{title: "linear (fiji, index 8)", chip: "fiji", mode: 8, pipes: 4, banks: 3},
		{title: "1D thin (fiji, index 13)", chip: "fiji", mode: 13, pipes: 4, banks: 3},
		{title: "2D thin (fiji, index 14)", chip: "fiji", mode: 14, pipes: 4, banks: 3},
		{title: "64KB_S_X (vega10)", chip: "vega10", mode: 25, pipes: 4, banks: 4},
	}
}

func main() {
	base := flag.String("out", filepath.Join(os.TempDir(), "tiling"), "files for the drawings, without .svg and .png")
	flag.Parse()
	if err := run(os.Stdout, *base); err != nil {
		fmt.Fprintln(os.Stderr, "tiling:", err)
		os.Exit(1)
	}
	fmt.Printf("\ndrawn in %s.svg and %s.png\n", *base, *base)
}

func run(out io.Writer, base string) error {
	all := panels()
	for _, p := range all {
		if err := p.lay(); err != nil {
			return err
		}
	}
	if err := write(out, all); err != nil {
		return err
	}
	c, err := drawing(all)
	if err != nil {
		return err
	}
	if err := c.Save(base + ".svg"); err != nil {
		return err
	}
	img, err := paint(all)
	if err != nil {
		return err
	}
	return picture.Save(base+".png", img)
}

// lay finds the address of each texel.
func (p *panel) lay() error {
	regs, err := tile.Preset(p.chip)
	if err != nil {
		return err
	}
	p.layout, err = regs.Layout(tile.Surface{Type: gcn.Image2D, Bytes: 4, Width: width, Height: height, Mode: p.mode})
	if err != nil {
		return err
	}
	for y := range height {
		for x := range width {
			if p.addr[y][x], err = p.layout.Addr(0, x, y, 0, 0); err != nil {
				return err
			}
		}
	}
	return nil
}

// place returns the pipe and bank of an address, which follow from its bits.
func (p *panel) place(addr uint64) (pipe, bank uint64) {
	piece := addr / interleave
	return piece & (1<<p.pipes - 1), piece >> p.pipes & (1<<p.banks - 1)
}

// write prints for each panel which texel of memory the texels of a corner are.
func write(w io.Writer, all []*panel) error {
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "%dx%d texels of 4 bytes; numbers are places in memory of the texels at the upper left\n", width,
		height)
	for _, p := range all {
		fmt.Fprintf(out, "\n%s: %d bytes\n", p.title, p.layout.Size)
		for y := range rows {
			for x := range columns {
				fmt.Fprintf(out, " %5d", p.addr[y][x]/4)
			}
			fmt.Fprintln(out)
		}
		fmt.Fprint(out, "  and from there down, every 8 rows:")
		for y := 0; y < height; y += 8 {
			fmt.Fprintf(out, " %d", p.addr[y][0]/4)
		}
		fmt.Fprintln(out)
	}
	return out.Flush()
}

// drawing shows a square of each panel; each piece of memory names its pipe and bank.
func drawing(all []*panel) (*svg.Canvas, error) {
	var surfaces []draw.Surface
	for _, p := range all {
		surfaces = append(surfaces, draw.Surface{Title: p.title, Layout: p.layout, Name: func(addr uint64) string {
			pipe, bank := p.place(addr)
			return fmt.Sprintf("p%d b%d", pipe, bank)
		}})
	}
	return draw.Surfaces(draw.Text{
		Title: "In which order the texels of an image lie in memory",
		Caption: fmt.Sprintf("The upper left %d by %d texels of %d by %d. Lines part pieces of %d bytes, p and b are the "+
			"pipe and the bank that hold them: pieces of different pipes can be read at the same time, so a square of texels "+
			"costs the less, the more pipes it has.", part, part, width, height, interleave),
		Description: "The upper left texels of four layouts, coloured by address. Linear: rows. Tiled in 1D: squares of 8 " +
			"by 8, one after the other in rows. Tiled in 2D and 64KB_S_X: such squares spread over pipes and banks.",
	}, surfaces)
}

// paint shows the whole image of each panel, one below the other: the colour is the
// address, white lines part the pieces of a pipe and black ones banks.
func paint(all []*panel) (image.Image, error) {
	const zoom, margin, title, gap = 4, 20, 26, 18
	img := image.NewRGBA(image.Rect(0, 0, width*zoom+2*margin, margin+len(all)*(title+height*zoom+gap)))
	imagedraw.Draw(img, img.Bounds(), image.White, image.Point{}, imagedraw.Src)
	white, black := color.RGBA{255, 255, 255, 255}, color.RGBA{0, 0, 0, 255}
	for i, p := range all {
		at := image.Pt(margin, margin+i*(title+height*zoom+gap))
		text := fmt.Sprintf("%s: %d texels by %d; white lines part pieces of %d bytes, black ones banks", p.title,
			width, height, interleave)
		if err := picture.Text(img, at.X, at.Y+16, picture.Style{Size: 15, Bold: true}, text); err != nil {
			return nil, err
		}
		at.Y += title
		for y := range height {
			for x := range width {
				fill, err := shade(float64(p.addr[y][x]) / float64(p.layout.Size))
				if err != nil {
					return nil, err
				}
				cell := image.Rect(0, 0, zoom, zoom).Add(at).Add(image.Pt(x*zoom, y*zoom))
				imagedraw.Draw(img, cell, image.NewUniform(fill), image.Point{}, imagedraw.Src)
				for _, side := range []struct {
					dx, dy int
					line   image.Rectangle
				}{{-1, 0, image.Rect(0, 0, 1, zoom)}, {0, -1, image.Rect(0, 0, zoom, 1)}} {
					if x+side.dx < 0 || y+side.dy < 0 {
						continue
					}
					here, there := p.addr[y][x], p.addr[y+side.dy][x+side.dx]
					if here/interleave == there/interleave {
						continue
					}
					ink := white
					if p.bank(here) != p.bank(there) {
						ink = black
					}
					imagedraw.Draw(img, side.line.Add(cell.Min), image.NewUniform(ink), image.Point{}, imagedraw.Src)
				}
			}
		}
	}
	return img, nil
}

// bank returns the bank of an address.
func (p *panel) bank(addr uint64) uint64 {
	_, bank := p.place(addr)
	return bank
}

// shade returns the colour of a part of the image, from 0 to 1.
func shade(part float64) (c color.RGBA, err error) {
	c.A = 255
	_, err = fmt.Sscanf(svg.Mix(part, draw.Ramp...), "#%02x%02x%02x", &c.R, &c.G, &c.B)
	return c, err
}
