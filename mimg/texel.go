package mimg

import (
	"math/bits"

	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/base/simd"
	"github.com/gcnsim/gcnsim/internal/isa/format"
	"github.com/gcnsim/gcnsim/state"
)

// texels are the coordinates of the texels that lanes access; nil means 0 in all lanes.
type texels struct{ X, Y, Z, Sample *[state.NumLanes]uint32 }

// locate sets addr to the addresses of the elements with the texels c of a level of the view, for the lanes of mask
// whose texel exists, and returns those lanes. Z counts slices of the view; the level must exist. If an element has
// several texels, texel is set to the texel of each lane: see [format.Format.Extract].
func (v *view) locate(addr *[state.NumLanes]uint64, texel *state.Lanes, level int, c *texels, mask uint64) (in uint64) {
	if w, h := v.layout.Surface.BlockW, v.layout.Surface.BlockH; w > 1 || h > 1 {
		return v.locateElements(addr, texel, level, c, mask)
	}
	return v.plan(level).Lanes(addr, mask, c.X, c.Y, c.Z, c.Sample)
}

// locateAmong does what locate does, but may change addr and texel of other lanes, because computing all lanes is
// faster than many.
func (v *view) locateAmong(addr *[state.NumLanes]uint64, texel *state.Lanes, level int, c *texels,
	mask uint64) (in uint64) {
	all := mask
	if one := v.layout.Surface.BlockW*v.layout.Surface.BlockH == 1; one && bits.OnesCount64(mask) > state.NumLanes/4 {
		all = state.FullExec
	}
	return v.locate(addr, texel, level, c, all) & mask
}

// locateElements does what locate does, for elements of several texels. An element at the edge has texels that do not
// exist.
func (v *view) locateElements(addr *[state.NumLanes]uint64, texel *state.Lanes, level int, c *texels,
	mask uint64) (in uint64) {
	size, w, h := &v.size[level], uint32(v.layout.Surface.BlockW), uint32(v.layout.Surface.BlockH)
	var ex, ey [state.NumLanes]uint32
	for m := mask; m != 0; m &= m - 1 {
		i := bits.TrailingZeros64(m) & 63
		x, y := c.X[i], uint32(0)
		if c.Y != nil {
			y = c.Y[i]
		}
		if x < uint32(size.x) && y < uint32(size.y) {
			in |= 1 << i
			texel[i] = y%h*w + x%w
			ex[i], ey[i] = x/w, y/h
		}
	}
	return v.plan(level).Lanes(addr, in, &ex, &ey, c.Z, c.Sample)
}

// locateLevels does what locate does, with a level for each lane. Lanes whose level the view does not have are not
// returned.
func (v *view) locateLevels(addr *[state.NumLanes]uint64, texel *state.Lanes, level *[state.NumLanes]uint32,
	c *texels, mask uint64) (in uint64) {
	for mask != 0 {
		l, same := alike(level, mask)
		mask &^= same
		if l < uint32(v.levels) {
			in |= v.locate(addr, texel, int(l), c, same)
		}
	}
	return in
}

// alike returns the value of the lowest lane of mask, which is not 0, and the lanes of mask with the same value.
func alike(v *[state.NumLanes]uint32, mask uint64) (value uint32, lanes uint64) {
	value = v[bits.TrailingZeros64(mask)&63]
	if mask == state.FullExec && simd.Uniform(v) {
		return value, mask
	}
	for m := mask; m != 0; m &= m - 1 {
		if i := bits.TrailingZeros64(m) & 63; v[i] == value {
			lanes |= 1 << i
		}
	}
	return value, lanes
}

// read reads the elements at addr for the lanes of in, the result of [view.locate], and decodes them: dst[i] becomes
// component i of the format, nil is skipped. Other lanes of mask have no texel and receive the value of zero bits
// (rule IF5); lanes outside of mask are undefined. Texels in unmapped memory fault or, if lost is not nil, count as
// nonexistent and are added to *lost. It uses temporaries 0 to 3.
func (v *view) read(w *state.Wave, p *executor.Ports, addr *[state.NumLanes]uint64, texel *state.Lanes, in, mask uint64,
	dst *[format.MaxComponents][]uint32, lost *uint64) *state.Fault {
	in = v.present(p, addr, in, lost)
	var words [format.MaxComponents][]uint32
	temp := w.Temp()
	plain, out := v.format.Plain, mask&^in
	for j := range v.format.Words {
		to := &temp[tempWords+j]
		if plain && dst[j] != nil {
			to = (*state.Lanes)(dst[j])
		}
		words[j] = to[:]
		at := executor.Elements{Addr: addr, Disp: uint64(4 * j), Size: min(v.format.Size, 4)}
		if f := executor.GatherAmong(p.Mem, to, at, in); f != nil {
			return f
		}
		if plain {
			clearLanes(words[j], out)
		}
	}
	if plain {
		return nil
	}
	v.format.Extract(&words, texel[:])
	for _, d := range words[:v.format.Words] {
		clearLanes(d, out)
	}
	v.format.Unpack(dst, &words)
	return nil
}

// present returns the lanes of in whose elements at addr are all mapped, if lost is not nil. It adds the others to
// *lost.
func (v *view) present(p *executor.Ports, addr *[state.NumLanes]uint64, in uint64, lost *uint64) (there uint64) {
	if lost == nil {
		return in
	}
	there = executor.Mapped(p.Mem, addr, v.format.Size, in)
	*lost |= in &^ there
	return there
}

// clearLanes sets the lanes of mask of v to 0.
func clearLanes(v []uint32, mask uint64) {
	v = v[:state.NumLanes]
	for ; mask != 0; mask &= mask - 1 {
		v[bits.TrailingZeros64(mask)&63] = 0
	}
}
