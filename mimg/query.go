package mimg

import (
	"math/bits"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/state"
)

// query is IMAGE_GET_RESINFO: width, height, depth or layers of a level, and levels, as
// unsigned integers. A level that the view does not have gives 0, 0, 0 and levels.
// Source: spec/images.md 1.10.
func (o *op) query(w *state.Wave, p *state.Ports, _ *gcn.Inst, a *state.Access) *state.Fault {
	w.Issue(1, 0, 0)
	a.Begin(&o.mem, state.Global, w.Exec())
	a.Op, a.Reg, a.Regs = gcn.NoMem, uint16(o.vdata), o.regs
	v := o.find(w, p)
	if !v.Type.Valid() || o.count == 0 {
		for i := range int(o.regs) {
			w.Zero(o.vdata+i, a.Exec)
		}
		return nil
	}
	if f := o.checkAddress(w, v); f != nil {
		return f
	}
	lod := o.part(w, o.layoutOf(v).LOD, &w.Temp()[0])
	levels := uint32(v.ViewLevels())
	for m := a.Exec; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros64(m) & 63
		info := [4]uint32{3: levels}
		if l := lod[lane]; l < levels {
			info = v.dimensions(w.Gen, int(l))
			info[3] = levels
		}
		for i := range o.count {
			w.V[o.vdata+i][lane] = info[o.channel[i]]
		}
	}
	return nil
}

// dimensions returns the size of a level of the view.
func (v *view) dimensions(g gcn.Gen, level int) (d [4]uint32) {
	half := func(n int) uint32 { return uint32(max(1, n>>(v.firstLevel()+level))) }
	d[0], d[1] = half(v.Width), half(v.Height)
	layers := uint32(v.ViewLayers(g))
	switch {
	case v.Type == gcn.Image3D:
		d[2] = half(v.Depth)
	case v.Type.Linear1D(): // without layers 0, as what a shape lacks in D3D
		d[1] = 0
		if v.Type.Layered() {
			d[1] = layers
		}
	case v.Type.Layered():
		d[2] = layers
	}
	return d
}
