package mimg

import (
	"math/bits"

	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/state"
)

// part returns a part of the address as an unsigned integer, nil if the instruction does not have it. Halves are
// extended into tmp.
func (o *op) part(w *state.Wave, p isa.AddrPart, tmp *state.Lanes) *[state.NumLanes]uint32 {
	if p.VGPR < 0 {
		return nil
	}
	r := &w.V[o.vaddr+int(p.VGPR)]
	if !o.a16 {
		return r
	}
	for i, v := range r {
		tmp[i] = v >> (p.Shift & 31) & 0xffff
	}
	return tmp
}

// place finds the texels that an instruction without a sampler addresses. It sets a.Addr, returns the lanes of EXEC
// whose texel exists, and records the others as out of range. warned are the lanes that MIN_LOD_WARN concerns. It uses
// temporaries 0 to 4. Source: rules IM3, IM4 and CO1.
func (o *op) place(w *state.Wave, v *view, a *state.Access, texel *state.Lanes) (in, warned uint64) {
	c, lod := o.coords(w, v)
	switch {
	case lod != nil:
		in = v.locateLevels(&a.Addr, texel, lod, &c, a.Exec)
	case v.levels > 0:
		in = v.locateAmong(&a.Addr, texel, 0, &c, a.Exec)
	}
	if in != a.Exec {
		for m := a.Exec &^ in; m != 0; m &= m - 1 {
			a.Addr[bits.TrailingZeros64(m)&63] = v.base // lanes out of range have no address
		}
	}
	record(a, in)
	if o.lwe && v.MinLODWarn > 0 {
		warned = o.warned(v, lod, a.Exec)
	}
	return in, warned
}

// coords reads the coordinates of an instruction without a sampler, and its level, nil if it has none. They are in
// registers or temporaries 0 to 4.
func (o *op) coords(w *state.Wave, v *view) (c texels, lod *[state.NumLanes]uint32) {
	temp, l := w.Temp(), o.layoutOf(v)
	c = texels{X: o.part(w, l.X, &temp[0]), Y: o.part(w, l.Y, &temp[1]), Z: o.part(w, l.Z, &temp[2]),
		Sample: o.part(w, l.Sample, &temp[3])}
	if isa.ShapeOf(v.Type).Layered { // without DA the slice is 0; other types of images have no slices (rule IM2)
		c.Z = o.part(w, l.Slice, &temp[2])
	}
	if l.Field.VGPR >= 0 {
		c.Y = interlace(&temp[1], c.Y, o.part(w, l.Field, &temp[4]))
	}
	return c, o.part(w, l.LOD, &temp[4])
}

// interlace sets dst to the rows of the frame, in which the rows of the two fields alternate. Rows beyond the largest
// image stay beyond it (rule IM3).
func interlace(dst *state.Lanes, y, field *[state.NumLanes]uint32) *[state.NumLanes]uint32 {
	for i := range dst {
		dst[i] = uint32(min(uint64(y[i])*2+uint64(field[i]), 1<<32-1))
	}
	return dst
}

// warned returns the lanes of mask whose level, lod after BASE_LEVEL, is below MIN_LOD_WARN (rule IM7).
func (o *op) warned(v *view, lod *[state.NumLanes]uint32, mask uint64) (warned uint64) {
	for m := mask; m != 0; m &= m - 1 {
		i, level := bits.TrailingZeros64(m)&63, float32(v.firstLevel())
		if lod != nil {
			level += float32(lod[i])
		}
		if level < v.MinLODWarn {
			warned |= 1 << i
		}
	}
	return warned
}
