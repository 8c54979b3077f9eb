package mimg

import (
	"math/bits"

	"github.com/gcnsim/gcnsim/gcn/format"
	"github.com/gcnsim/gcnsim/gcn/tile"
	"github.com/gcnsim/gcnsim/state"
)

// locate sets addr to where the elements with the texels c of a level of the view are,
// for the lanes of mask whose texel exists, and returns those lanes. Z counts slices of
// the surface. c becomes the coordinates of elements, and texel says which of the
// texels of its element a lane has: see [format.Format.Extract].
func (v *view) locate(addr *[state.NumLanes]uint64, texel *state.Lanes, level int, c *tile.Coords, mask uint64) (in uint64) {
	if f := v.format; f.Width > 1 || f.Height > 1 {
		mask = v.elements(texel, level, c, mask)
	}
	return v.plan(level).Lanes(addr, mask, c)
}

// elements changes texels to elements of several texels and returns the lanes of mask
// whose texel exists: an element at the edge has texels that do not.
func (v *view) elements(texel *state.Lanes, level int, c *tile.Coords, mask uint64) (in uint64) {
	size, w, h := &v.size[level], uint32(v.format.Width), uint32(v.format.Height)
	for m := mask; m != 0; m &= m - 1 {
		i := bits.TrailingZeros64(m) & 63
		x, y := c.X[i], c.Y[i]
		if x < uint32(size.x) && y < uint32(size.y) {
			in |= 1 << i
			texel[i] = y%h*w + x%w
			c.X[i], c.Y[i] = x/w, y/h
		}
	}
	return in
}

// fetch reads the texels c of a level of the view for the lanes of mask, and decodes
// them: dst[i] becomes component i of the format, nil ones are skipped. Texels that do
// not exist have components 0 (spec/images.md 2.5); lanes out of mask get anything. It
// returns the lanes whose texels exist; their addresses are in addr. c is changed, see
// [view.locate].
func (v *view) fetch(w *state.Wave, p *state.Ports, addr *[state.NumLanes]uint64, level int, c *tile.Coords, mask uint64,
	dst *[format.MaxComponents][]uint32) (in uint64, fault *state.Fault) {
	var texel state.Lanes
	in = v.locate(addr, &texel, level, c, mask)
	var words [format.MaxComponents][]uint32
	temp, size := w.Temp(), min(v.format.Size, 4)
	for j := range v.format.Words() {
		words[j] = temp[j][:]
		if f := state.Gather(p.Mem, &temp[j], addr, uint64(4*j), size, in); f != nil {
			return in, f
		}
	}
	v.format.Extract(&words, texel[:])
	v.format.Unpack(dst, &words)
	if out := mask &^ in; out != 0 {
		for _, d := range dst {
			if d != nil {
				clearLanes(d, out)
			}
		}
	}
	return in, nil
}

// clearLanes sets the lanes of mask of v to 0.
func clearLanes(v []uint32, mask uint64) {
	v = v[:state.NumLanes]
	for ; mask != 0; mask &= mask - 1 {
		v[bits.TrailingZeros64(mask)&63] = 0
	}
}
