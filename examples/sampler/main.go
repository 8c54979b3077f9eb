// Sampler renders through IMAGE_SAMPLE and draws what the fields of a sampler do: a
// checkered plane with point, bilinear, trilinear and anisotropic filtering, and what the
// clamp modes show beyond the edges of a picture. It writes a PNG file.
package main

import (
	"context"
	"flag"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"io"
	"math"
	"os"
	"path/filepath"

	"github.com/gcnsim/gcnsim/examples/internal/picture"
	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/gcn/asm"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/sim/texture"
	"github.com/gcnsim/gcnsim/state"
)

const target = gcn.GFX803

// tiled is the tiling of the textures: 2D thin tiles.
const tiled = 14

// border is the border colour in the table of the machine, which BORDER_COLOR_TYPE 3
// selects: red, green, blue and alpha.
var border = [4]uint32{math.Float32bits(1), math.Float32bits(0.85), math.Float32bits(0.35), math.Float32bits(1)}

// panel is one picture that lanes render: a pixel each.
type panel struct {
	title, note string
	texture     *texture.Texture
	sampler     gcn.SamplerState
	size        image.Point
	// at returns the texture coordinates of a pixel's centre; ok is false where there is
	// nothing to sample. Pixels of a quad must have coordinates even so, for derivatives.
	at func(x, y float64) (u, v float64, ok bool)
}

func main() {
	out := flag.String("out", filepath.Join(os.TempDir(), "sampler.png"), "file for the drawing")
	flag.Parse()
	if err := run(os.Stdout, *out); err != nil {
		fmt.Fprintln(os.Stderr, "sampler:", err)
		os.Exit(1)
	}
	fmt.Printf("\ndrawn in %s\n", *out)
}

func run(out io.Writer, path string) error {
	m := sim.New(target)
	m.BorderColors = [][4]uint32{border}
	rows, err := scene(m)
	if err != nil {
		return err
	}
	img, err := compose(m, rows)
	if err != nil {
		return err
	}
	fmt.Fprintln(out, "how a checkered plane looks near the horizon: grey levels apart from the mean of black and white")
	for _, p := range rows[0].panels {
		far, err := contrast(m, p)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "%-24s %5.1f of 127.5\n", p.title, far)
	}
	return picture.Save(path, img)
}

// row is a row of panels with a heading.
type row struct {
	title  string
	panels []panel
}

// scene returns what is drawn.
func scene(m *sim.Machine) ([]row, error) {
	checker, err := paint(m, 64, 7, func(_, x, y int) color.NRGBA {
		if (x/8+y/8)%2 == 0 {
			return color.NRGBA{0xf4, 0xf1, 0xea, 255}
		}
		return color.NRGBA{0x20, 0x2c, 0x39, 255}
	})
	if err != nil {
		return nil, err
	}
	tints := []color.NRGBA{
		{0xf2, 0xf2, 0xf2, 255}, {0x4e, 0x9f, 0x3d, 255}, {0x2f, 0x6f, 0xb3, 255}, {0xf2, 0xb1, 0x34, 255},
		{0xd1, 0x49, 0x5b, 255}, {0x7a, 0x4d, 0x9f, 255}, {0x44, 0x44, 0x44, 255},
	}
	levels, err := paint(m, 64, len(tints), func(level, _, _ int) color.NRGBA { return tints[level] })
	if err != nil {
		return nil, err
	}
	arrow, err := paint(m, 16, 1, arrowTexel)
	if err != nil {
		return nil, err
	}
	filters := []struct {
		title, note string
		s           gcn.SamplerState
	}{
		{"point", "XY filter point, no mip levels", gcn.SamplerState{TruncCoord: true}},
		{"bilinear", "XY filter bilinear, nearest level",
			gcn.SamplerState{MagFilter: gcn.FilterBilinear, MinFilter: gcn.FilterBilinear, MipFilter: gcn.MipPoint}},
		{"trilinear", "bilinear, two levels blended",
			gcn.SamplerState{MagFilter: gcn.FilterBilinear, MinFilter: gcn.FilterBilinear, MipFilter: gcn.MipLinear}},
		{"anisotropic 16:1", "up to 16 trilinear taps",
			gcn.SamplerState{MagFilter: gcn.FilterAnisoBilinear, MinFilter: gcn.FilterAnisoBilinear,
				MipFilter: gcn.MipLinear, MaxAniso: 4}},
	}
	rows := []row{{title: "Filters: a checkered plane, one IMAGE_SAMPLE a pixel, level of detail from the " +
		"differences in each quad"},
		{title: "The same with a colour for each mip level: white is level 0"},
		{title: "Clamp modes: coordinates from -1 to 2; the picture has a dark frame, the border colour is yellow"}}
	for _, f := range filters {
		f.s.MaxLOD = 15
		p := panel{title: f.title, note: f.note, texture: checker, sampler: f.s, size: image.Pt(320, 200), at: plane}
		rows[0].panels = append(rows[0].panels, p)
		p.texture, p.note = levels, ""
		rows[1].panels = append(rows[1].panels, p)
	}
	for mode := gcn.ClampWrap; mode <= gcn.ClampMirrorOnceBorder; mode++ {
		rows[2].panels = append(rows[2].panels, panel{title: clampTitle[mode], texture: arrow, size: image.Pt(152, 152),
			at: around,
			sampler: gcn.SamplerState{Clamp: [3]gcn.Clamp{mode, mode, mode}, MagFilter: gcn.FilterBilinear,
				MinFilter: gcn.FilterBilinear, BorderColorType: gcn.BorderRegister}})
	}
	return rows, nil
}

var clampTitle = [...]string{"wrap", "mirror", "clamp last texel", "mirror once last", "clamp half border",
	"mirror once half", "clamp border", "mirror once border"}

// paint makes a square texture whose levels are the means of colour, unless that
// tells levels apart.
func paint(m *sim.Machine, size, levels int, colour func(level, x, y int) color.NRGBA) (*texture.Texture, error) {
	t, err := texture.New(m, gcn.Image{DataFormat: gcn.Data8_8_8_8, Width: size, Height: size, LastLevel: levels - 1,
		TileMode: tiled})
	if err != nil {
		return nil, err
	}
	for level := range levels {
		n := 1 << level
		img := image.NewNRGBA(image.Rect(0, 0, size/n, size/n))
		for y := range size / n {
			for x := range size / n {
				var sum [4]int
				for i := range n * n {
					c := colour(level, x*n+i%n, y*n+i/n)
					sum[0], sum[1], sum[2], sum[3] = sum[0]+int(c.R), sum[1]+int(c.G), sum[2]+int(c.B), sum[3]+int(c.A)
				}
				img.SetNRGBA(x, y, color.NRGBA{uint8(sum[0] / n / n), uint8(sum[1] / n / n), uint8(sum[2] / n / n),
					uint8(sum[3] / n / n)})
			}
		}
		if err := t.SetPicture(level, 0, img); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// arrowTexel draws an arrow to the upper right, so that mirrored copies show.
func arrowTexel(_, x, y int) color.NRGBA {
	switch {
	case x == 15-y && x >= 3 && x <= 13, y == 2 && x >= 7 && x <= 13, x == 13 && y >= 2 && y <= 8:
		return color.NRGBA{0xd1, 0x49, 0x5b, 255}
	case x == 0 || y == 0 || x == 15 || y == 15:
		return color.NRGBA{0x20, 0x2c, 0x39, 255}
	}
	return color.NRGBA{0x9c, 0xc5, 0xd8, 255}
}

// plane looks over a plane to the horizon.
func plane(x, y float64) (u, v float64, ok bool) {
	const horizon, height, focus, turn = 30, 1.2, 200, 0.35
	below := y - horizon
	far := height / max(below, 0.25)
	side, ahead := (x-160)*far, focus*far
	return side*math.Cos(turn) + ahead*math.Sin(turn), ahead*math.Cos(turn) - side*math.Sin(turn), below > 0
}

// around shows a picture and what is beside it: coordinates from -1 to 2.
func around(x, y float64) (u, v float64, ok bool) { return x/152*3 - 1, y/152*3 - 1, true }

// Waves render 8x8 pixels: a lane is a pixel, four lanes a quad of 2x2.
const block = 8

func pixel(lane int) (x, y int) {
	quad := lane / 4
	return quad%4*2 + lane%2, quad/4*2 + lane/2%2
}

// render runs a wave for each block of pixels.
func render(m *sim.Machine, p panel) (*image.NRGBA, error) {
	words, err := asm.Assemble(target, "image_sample v[0:3], v[4:5], s[0:7], s[8:11] dmask:0xf", asm.LLVM)
	if err != nil {
		return nil, err
	}
	w := m.NewWave()
	program := sim.NewProgram(target, 0, words.Words, w.NumVGPRs)
	w.SetSGPRs(0, p.texture.Words()...)
	w.SetSGPRs(8, p.sampler.Words(target.Gen())...)
	img := image.NewNRGBA(image.Rectangle{Max: p.size})
	for at := image.Pt(0, 0); at.Y < p.size.Y; at.Y += block {
		for at.X = 0; at.X < p.size.X; at.X += block {
			var u, v state.Lanes
			var there [state.NumLanes]bool
			for lane := range state.NumLanes {
				x, y := pixel(lane)
				cu, cv, ok := p.at(float64(at.X+x)+0.5, float64(at.Y+y)+0.5)
				u[lane], v[lane], there[lane] = math.Float32bits(float32(cu)), math.Float32bits(float32(cv)), ok
			}
			w.SetVGPR(4, u)
			w.SetVGPR(5, v)
			w.PC = 0
			if _, err := m.RunProgram(context.Background(), program, w); err != nil {
				return nil, err
			}
			for lane := range state.NumLanes {
				x, y := pixel(lane)
				c := color.NRGBA{0xbf, 0xd7, 0xea, 255} // sky
				if there[lane] {
					c = color.NRGBA{level(w, 0, lane), level(w, 1, lane), level(w, 2, lane), 255}
				}
				img.SetNRGBA(at.X+x, at.Y+y, c)
			}
		}
	}
	return img, nil
}

// level returns a component of a result as a grey level.
func level(w *state.Wave, reg, lane int) uint8 {
	return uint8(math.Float32frombits(w.V[reg][lane])*255 + 0.5)
}

// contrast returns how far the pixels below the horizon are from the mean of the
// picture's two colours, which is what they should be: a cell is less than a pixel.
func contrast(m *sim.Machine, p panel) (float64, error) {
	img, err := render(m, p)
	if err != nil {
		return 0, err
	}
	const mean = (0xf4 + 0x20) / 2.0
	sum, n := 0.0, 0
	for y := 32; y < 40; y++ {
		for x := range p.size.X {
			sum += math.Abs(float64(img.NRGBAAt(x, y).R) - mean)
			n++
		}
	}
	return sum / float64(n), nil
}

// compose renders the panels and puts them onto one sheet.
func compose(m *sim.Machine, rows []row) (image.Image, error) {
	const margin, gap, heading, caption = 28, 16, 34, 52
	ink, faint := color.NRGBA{0x20, 0x2c, 0x39, 255}, color.NRGBA{0x66, 0x66, 0x66, 255}
	size := image.Pt(0, margin)
	for _, r := range rows {
		width := 2*margin - gap
		for _, p := range r.panels {
			width += p.size.X + gap
		}
		size = image.Pt(max(size.X, width), size.Y+heading+r.panels[0].size.Y+caption)
	}
	sheet := image.NewNRGBA(image.Rectangle{Max: size})
	draw.Draw(sheet, sheet.Bounds(), image.White, image.Point{}, draw.Src)
	y := margin
	for _, r := range rows {
		if err := picture.Text(sheet, margin, y+18, picture.Style{Size: 17, Bold: true, Ink: ink},
			r.title); err != nil {
			return nil, err
		}
		y += heading
		x := margin
		for _, p := range r.panels {
			img, err := render(m, p)
			if err != nil {
				return nil, err
			}
			at := image.Rectangle{image.Pt(x, y), image.Pt(x, y).Add(p.size)}
			draw.Draw(sheet, at, img, image.Point{}, draw.Src)
			below := at.Max.Y + 17
			if err := picture.Text(sheet, x, below, picture.Style{Size: 14, Bold: true, Ink: ink},
				p.title); err != nil {
				return nil, err
			}
			if p.note != "" {
				if err := picture.Text(sheet, x, below+15, picture.Style{Size: 12, Ink: faint}, p.note); err != nil {
					return nil, err
				}
			}
			x += p.size.X + gap
		}
		y += r.panels[0].size.Y + caption
	}
	return sheet, nil
}
