package draw

import (
	"context"
	"fmt"
	"image"
	"image/color"
	"math"
	"strconv"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/tool/svg"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/sim/texture"
	"github.com/gcnsim/gcnsim/state"
	"github.com/gcnsim/gcnsim/state/lane"
)

// RowTexels is the number of texels in the row of [SampleRow].
const RowTexels = 4

// borderGrey is entry 0 in the table of border colours, between 0 and 1.
const borderGrey = 0.55

// TexelFill returns the colour of texel n of the row, or of level n, as "#rrggbb".
func TexelFill(n int) string {
	return [...]string{"#9ecae1", "#fdd0a2", "#a1d99b", "#e7cbe3", "#fff3a3"}[n]
}

// BorderFill returns the border colour as "#rrggbb".
func BorderFill() string {
	grey := uint8(math.Round(borderGrey * 255))
	return fmt.Sprintf("#%02x%02x%02x", grey, grey, grey)
}

// texel converts a colour of the form "#rrggbb" to a pixel.
func texel(fill string) color.NRGBA {
	rgb, err := strconv.ParseUint(fill[1:], 16, 24)
	if err != nil {
		panic("draw: no colour: " + fill)
	}
	return color.NRGBA{uint8(rgb >> 16), uint8(rgb >> 8), uint8(rgb), 255}
}

// sample executes the instruction text on a linear UNORM image with the given levels. The coordinates are in v4 and
// up. It returns the sampled colours of the lanes as "#rrggbb".
func sample(ctx context.Context, t gcn.Target, text string, levels []image.Image, sampler []uint32,
	coords ...state.Lanes) (fills [state.NumLanes]string, err error) {
	m := sim.New(t)
	grey := math.Float32bits(borderGrey)
	m.BorderColors = [][4]uint32{{grey, grey, grey, math.Float32bits(1)}}
	size := levels[0].Bounds().Size()
	linear := 8 // index in the drivers' tables; codes of SW_MODE start with linear
	if isa.TraitsOf(t).SwizzleModes {
		linear = 0
	}
	tex, err := texture.New(m, gcn.Image{DataFormat: gcn.Data8_8_8_8, Width: size.X, Height: size.Y, TileMode: linear,
		LastLevel: len(levels) - 1})
	if err != nil {
		return fills, err
	}
	for i, level := range levels {
		if err := tex.SetPicture(i, 0, level); err != nil {
			return fills, err
		}
	}
	w := m.NewWave()
	w.SetSGPRs(0, tex.Words()...)
	w.SetSGPRs(8, sampler...)
	for i, c := range coords {
		w.SetVGPR(4+i, c)
	}
	if _, err := m.RunAsm(ctx, w, text); err != nil {
		return fills, err
	}
	for n := range fills {
		fills[n] = "#"
		for i := range 3 {
			v := math.Float32frombits(w.V[i][n])
			fills[n] += fmt.Sprintf("%02x", uint8(math.Round(float64(min(max(v, 0), 1))*255)))
		}
	}
	return fills, nil
}

// SampleRow samples a row of four texels at 64 positions u with IMAGE_SAMPLE_LZ on t. u goes from 0 to 1 along the
// row, and sampler is an S#. It returns colours as "#rrggbb". The error comes from [sim.Machine.RunAsm].
func SampleRow(ctx context.Context, t gcn.Target, sampler []uint32, u state.Lanes) ([state.NumLanes]string, error) {
	img := image.NewNRGBA(image.Rect(0, 0, RowTexels, 1))
	for x := range RowTexels {
		img.SetNRGBA(x, 0, texel(TexelFill(x)))
	}
	return sample(ctx, t, "image_sample_lz v[0:3], v[4:5], s[0:7], s[8:11] dmask:0xf\ns_endpgm", []image.Image{img},
		sampler, u, lane.Float(0.5))
}

// Number of levels in the picture of LOD, and the range of LOD that it shows.
const (
	numLevels      = 5
	lodFrom, lodTo = -1.0, 6.0
)

// sampleLevels returns the colours that IMAGE_SAMPLE_L samples from an image in which each level has one colour.
func sampleLevels(ctx context.Context, t gcn.Target, sampler []uint32, lod state.Lanes) ([state.NumLanes]string,
	error) {
	var levels []image.Image
	for i := range numLevels {
		size := 1 << (numLevels - 1 - i)
		img := image.NewNRGBA(image.Rect(0, 0, size, size))
		for p := range size * size {
			img.SetNRGBA(p%size, p/size, texel(TexelFill(i)))
		}
		levels = append(levels, img)
	}
	half := lane.Float(0.5)
	return sample(ctx, t, "image_sample_l v[0:3], v[4:6], s[0:7], s[8:11] dmask:0xf\ns_endpgm", levels, sampler, half,
		half, lod)
}

// spread returns 64 equidistant values. The first is half a distance behind from, the last half a distance before to.
func spread(from, to float64) (v state.Lanes) {
	for n := range v {
		v[n] = math.Float32bits(float32(from + (to-from)*(float64(n)+0.5)/state.NumLanes))
	}
	return v
}

// Filter draws the effect of S# fields on t. One strip is a row of four texels, from four texels before it to four
// behind it; another shows which level of detail each LOD selects. The error comes from an execution, or says that
// there are too many S#.
func Filter(ctx context.Context, t gcn.Target, samplers []gcn.SSharp) (*svg.Canvas, error) {
	const left, width, high, top, step = 24.0, 768.0, 30.0, 136.0, 176.0
	if len(samplers) > maxAccesses {
		return nil, fmt.Errorf("%d S# are given, and a picture shows at most %d", len(samplers), maxAccesses)
	}
	text := Text{
		Title: "What a sampler makes of four texels, and of five levels",
		Caption: "Above a row of four texels, sampled from four texels before it to four behind it: CLAMP_X, filter and " +
			"border (rules CO4, CO5 and FI1). Below an image of five levels with a colour each, sampled at the LOD of the " +
			"axis: MIN_LOD, MAX_LOD, LOD_BIAS and MIP_FILTER (rule LO2).",
		Description: "For each S# a strip of colours by position, and a strip of colours by level of detail.",
	}
	c := svg.New(left+width+24, top+step*float64(len(samplers)), text.Title, text.Description)
	y := c.Heading(left, text.Title, text.Caption)
	var legend []svg.Entry
	for i := range numLevels {
		name := fmt.Sprintf("texel %d, level %d", i, i)
		if i >= RowTexels {
			name = fmt.Sprintf("level %d", i)
		}
		legend = append(legend, svg.Entry{Fill: TexelFill(i), Text: name})
	}
	legend = append(legend, svg.Entry{Fill: BorderFill(), Text: "border colour"})
	c.Legend(left, y+4, width, svg.Style{Size: 13}, legend...)
	for i, s := range samplers {
		y := top + step*float64(i)
		c.Text(left, y+14, svg.Style{Size: 13, Bold: true}, samplerName(t, s))
		row, err := SampleRow(ctx, t, s[:], spread(-1, 2))
		if err != nil {
			return nil, err
		}
		strip(c, left, y+44, width, high, row[:], -RowTexels, 2*RowTexels, 1)
		levels, err := sampleLevels(ctx, t, s[:], spread(lodFrom, lodTo))
		if err != nil {
			return nil, err
		}
		strip(c, left, y+112, width, high, levels[:], lodFrom, lodTo, 1)
	}
	return c, nil
}

// strip draws colours side by side, with an axis above them.
func strip(c *svg.Canvas, x, y, width, high float64, fills []string, from, to, step float64) {
	w := width / float64(len(fills))
	for i, fill := range fills {
		c.Shade(x+w*float64(i), y, w, high, fill)
	}
	for v := from; v <= to; v += step {
		at := x + width*(v-from)/(to-from)
		c.Line(at, y-5, at, y, svg.Soft)
		c.Text(min(max(at, x+6), x+width-6), y-8, svg.Style{Size: 11, Fill: svg.Soft, Anchor: "middle"}, fmt.Sprint(v))
	}
}

// samplerName names the S# by the fields on which the picture depends most.
func samplerName(t gcn.Target, s gcn.SSharp) string {
	f := s.Fields(t.Gen())
	return fmt.Sprintf("CLAMP_X %v, XY_MAG_FILTER %d, MIP_FILTER %d, MIN_LOD %g, MAX_LOD %g, LOD_BIAS %g", f.Clamp[0],
		f.MagFilter, f.MipFilter, f.MinLOD, f.MaxLOD, f.LODBias)
}
