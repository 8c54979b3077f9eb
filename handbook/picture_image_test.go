package handbook_test

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/gcn/tile"
	"github.com/gcnsim/gcnsim/internal/draw"
	"github.com/gcnsim/gcnsim/internal/tool/svg"
	"github.com/gcnsim/gcnsim/state"
)

func drawMicroTiles() (*svg.Canvas, error) {
	const side, cell, left, top, gap = 8, 28.0, 24.0, 146.0, 24.0
	panels := []struct {
		title string
		mode  int // T#.TILING_INDEX
	}{{"display", 9}, {"thin and depth", 13}, {"rotated", 27}}
	c := svg.New(left+float64(len(panels))*(side*cell+gap), top+side*cell+24, "Order of elements in micro tiles",
		"Three tiles of 8 by 8 elements of 32 bits; numbers and colour run with the address. Display: rows of 4. Thin "+
			"and depth: squares of 2 by 2, of 4 by 4, of 8 by 8. Rotated: as display, by columns.")
	var legend []svg.Entry
	for i, tint := range svg.Tints {
		legend = append(legend, svg.Entry{Fill: tint, Text: fmt.Sprintf("%d to %d", i*side, i*side+side-1)})
	}
	c.Legend(left, c.Heading(left, "Order of elements of 32 bits in a micro tile",
		"Numbers are places in memory; each colour is 8 elements, 32 bytes. All three tiles fill the same 256 bytes, "+
			"four cache lines: they differ in which neighbours share one.")+4,
		float64(len(panels))*(side*cell+gap)-left, svg.Style{Size: 13}, legend...)
	regs, err := tile.Preset("fiji")
	if err != nil {
		return nil, err
	}
	for i, p := range panels {
		l, err := regs.Layout(tile.Surface{Type: gcn.Image2D, Bytes: 4, Width: side, Height: side, Mode: p.mode})
		if err != nil {
			return nil, err
		}
		x0 := left + float64(i)*(side*cell+gap)
		c.Text(x0, top-10, svg.Style{Size: 14, Bold: true}, p.title)
		for y := range side {
			for x := range side {
				addr, err := l.Addr(0, x, y, 0, 0)
				if err != nil {
					return nil, err
				}
				px, py := x0+float64(x)*cell, top+float64(y)*cell
				c.Box(px+1, py+1, cell-2, cell-2, svg.Tints[addr/4/side])
				c.Text(px+cell/2, py+19, svg.Style{Size: 13, Fill: svg.OnTint, Anchor: "middle"}, fmt.Sprint(addr/4))
			}
		}
	}
	return c, nil
}

// The image in the picture of a mip chain: 512 by 512 elements of 4 bytes in 64KB_S.
const (
	chainSize  = 512
	chainMode  = 9
	blockShift = 16 // log2 of the bytes of a block
	blockSide  = 128
)

func drawMipChain() (*svg.Canvas, error) {
	const scale, left, top = 0.6, 24.0, 92.0
	regs, err := tile.Preset("vega10")
	if err != nil {
		return nil, err
	}
	l, err := regs.Layout(tile.Surface{Type: gcn.Image2D, Bytes: 4, Width: chainSize, Height: chainSize, Levels: 10,
		Mode: chainMode})
	if err != nil {
		return nil, err
	}
	if l.ChainPitch%blockSide != 0 {
		return nil, errors.New("a block is not as wide as the picture takes it to be")
	}
	across := uint64(l.ChainPitch / blockSide)
	wide, high := float64(l.ChainPitch)*scale, float64(l.ChainHeight)*scale
	c := svg.New(left+wide+24+230, top+high+24, "A mip chain of GCN 1.4",
		"Level 0 fills 4 by 4 blocks; level 1 lies below it, level 2 beside level 1, and the small levels share one "+
			"block, the tail.")
	c.Heading(left, fmt.Sprintf("Ten levels of %d by %d elements of 32 bits, %s", chainSize, chainSize,
		l.Levels()[0].Mode),
		fmt.Sprintf("Squares are blocks of 64 KiB, %d by %d elements, in the order of memory from the upper left; grey "+
			"ones hold nothing.", blockSide, blockSide))
	c.Rect(left, top, wide, high, svg.Grid)
	tail := 0
	for i, level := range l.Levels() {
		if level.InTail {
			tail++
			continue
		}
		at, err := l.Addr(i, 0, 0, 0, 0)
		if err != nil {
			return nil, err
		}
		block := at >> blockShift
		x, y := left+float64(block%across*blockSide)*scale, top+float64(block/across*blockSide)*scale
		for by := 0; by < level.Height; by += blockSide {
			for bx := 0; bx < level.Width; bx += blockSide {
				square(c, x+float64(bx)*scale, y+float64(by)*scale, blockSide*scale, svg.Tints[i],
					fmt.Sprintf("level %d", i))
			}
		}
	}
	first := len(l.Levels()) - tail
	at, err := l.Addr(first, 0, 0, 0, 0)
	if err != nil {
		return nil, err
	}
	block := at >> blockShift
	x, y := left+float64(block%across*blockSide)*scale, top+float64(block/across*blockSide)*scale
	square(c, x, y, blockSide*scale, svg.Tints[5], fmt.Sprintf("tail %d-%d", first, len(l.Levels())-1))
	// The offsets of levels in the tail, largest level first.
	c.Text(left+wide+24, top+14, svg.Style{Size: 13, Bold: true}, "bytes of the tail's block")
	for i, level := range l.Levels()[first:] {
		at, err := l.Addr(first+i, 0, 0, 0, 0)
		if err != nil {
			return nil, err
		}
		c.Text(left+wide+24, top+38+float64(i)*20, svg.Style{Size: 13},
			fmt.Sprintf("level %d, %d by %d: 0x%05x", first+i, level.Width, level.Height, at&(1<<blockShift-1)))
	}
	return c, nil
}

// square draws a block of the chain with a text.
func square(c *svg.Canvas, x, y, side float64, fill, text string) {
	c.Box(x+1, y+1, side-2, side-2, fill)
	c.Text(x+side/2, y+side/2+5, svg.Style{Size: 13, Fill: svg.OnTint, Anchor: "middle"}, text)
}

// clampNames are the clamp modes, indexed by code.
var clampNames = [...]string{"WRAP", "MIRROR", "CLAMP_LAST_TEXEL", "MIRROR_ONCE_LAST_TEXEL", "CLAMP_HALF_BORDER",
	"MIRROR_ONCE_HALF_BORDER", "CLAMP_BORDER", "MIRROR_ONCE_BORDER"}

// The picture of clamp modes: a row of four texels, sampled from -4 to 8, with several lanes for each texel.
const (
	rowFrom  = -4
	rowSteps = 5
)

// sampled executes IMAGE_SAMPLE on a row of texels at 64 positions, with the given filter and clamp mode, and returns
// the results as colours.
func sampled(mode gcn.Clamp, filter uint8, u state.Lanes) ([state.NumLanes]string, error) {
	s := gcn.SamplerState{Clamp: [3]gcn.Clamp{mode, gcn.ClampLastTexel}, MagFilter: filter, MinFilter: filter,
		BorderColorType: gcn.BorderRegister, TruncCoord: filter == gcn.FilterPoint}
	return draw.SampleRow(context.Background(), gcn.GFX803, s.Words(gcn.GCN12), u)
}

// positions returns the u coordinates of samples: per samples in each texel, from rowFrom on.
func positions(per int) (u state.Lanes) {
	for n := range u {
		x := rowFrom + (float32(n)+0.5)/float32(per)
		u[n] = math.Float32bits(x / draw.RowTexels)
	}
	return u
}

func drawClampModes() (*svg.Canvas, error) {
	const cell, left, top, step, point, linear = 44.0, 248.0, 136.0, 54.0, 26.0, 14.0
	const seen = 3 * draw.RowTexels
	c := svg.New(left+seen*cell+24, top+float64(len(clampNames))*step+8, "Clamp modes",
		"For each of the eight clamp modes, what a row of four texels looks like from four texels before it to four "+
			"after it, with a point and a linear filter.")
	legend := []svg.Entry{}
	for t := range draw.RowTexels {
		legend = append(legend, svg.Entry{Fill: draw.TexelFill(t), Text: fmt.Sprintf("texel %d", t)})
	}
	c.Legend(24, c.Heading(24, "A row of four texels beyond its edges",
		"Above with a point filter, the number is the texel, B the border; below with a linear filter. The picture "+
			"itself lies between the lines.")+4,
		left+seen*cell, svg.Style{Size: 13}, append(legend,
			svg.Entry{Fill: draw.BorderFill(), Text: "border colour"})...)
	for i := range seen {
		c.Text(left+(float64(i)+0.5)*cell, top-14, svg.Style{Fill: svg.Soft, Anchor: "middle"}, fmt.Sprint(rowFrom+i))
	}
	for code, name := range clampNames {
		y := top + float64(code)*step
		c.Text(24, y+18, svg.Style{Size: 13}, fmt.Sprintf("%d %s", code, name))
		points, err := sampled(gcn.Clamp(code), gcn.FilterPoint, positions(1))
		if err != nil {
			return nil, err
		}
		blends, err := sampled(gcn.Clamp(code), gcn.FilterBilinear, positions(rowSteps))
		if err != nil {
			return nil, err
		}
		for i := range seen {
			fill, label := points[i], "B"
			for t := range draw.RowTexels {
				if fill == draw.TexelFill(t) {
					label = fmt.Sprint(t)
				}
			}
			c.Box(left+float64(i)*cell+1, y, cell-2, point, fill)
			c.Text(left+(float64(i)+0.5)*cell, y+18, svg.Style{Size: 13, Fill: svg.OnTint, Anchor: "middle"}, label)
		}
		for n := range seen * rowSteps {
			c.Shade(left+float64(n)*cell/rowSteps, y+point+2, cell/rowSteps, linear, blends[n])
		}
	}
	for _, x := range []float64{4, 8} {
		c.Line(left+x*cell, top-8, left+x*cell, top+float64(len(clampNames))*step-8, svg.Ink)
	}
	return c, nil
}
