package mimg

import (
	"math/bits"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/state"
)

// query executes IMAGE_GET_RESINFO: width, height, depth or layers of a level, and number of levels, as unsigned
// integers. For a level that the view does not have the result is 0, 0, 0 and the number of levels. Source: rule
// IM10.
func (o *op) query(w *state.Wave, p *executor.Ports, _ *isa.Inst, a *state.Access) *state.Fault {
	executor.Begin(a, &o.mem, state.Global, w.Exec())
	a.Op, a.Reg, a.Regs = gcn.NoMem, uint16(o.vdata), o.regs
	v := o.find(w, p)
	if !isa.ShapeOf(v.Type).Valid || o.count == 0 {
		for i := range int(o.regs) {
			executor.Zero(w, o.vdata+i, a.Exec)
		}
		return nil
	}
	if f := o.checkAddress(w, v); f != nil {
		return f
	}
	lod := o.part(w, o.layoutOf(v).LOD, &w.Temp()[0])
	levels := uint32(isa.ExtentOf(v.Image, w.Target.Gen()).ViewLevels)
	asked := *lod // copied because the result may overwrite its register
	for rest := a.Exec; rest != 0; {
		level, same := alike(&asked, rest)
		rest &^= same
		var info [4]uint32
		if level < levels {
			info = v.dimensions(w.Target.Gen(), int(level))
		}
		info[3] = levels
		for i := range o.count {
			fill(&w.V[o.vdata+i], info[o.channel[i]], same)
		}
	}
	return nil
}

// fill sets dst to v in the lanes of mask.
func fill(dst *state.Lanes, v uint32, mask uint64) {
	if mask == state.FullExec {
		for lane := range dst {
			dst[lane] = v
		}
		return
	}
	for ; mask != 0; mask &= mask - 1 {
		dst[bits.TrailingZeros64(mask)&63] = v
	}
}

// dimensions returns the size of a level of the view.
func (v *view) dimensions(g gcn.Gen, level int) (d [4]uint32) {
	half := func(n int) uint32 { return uint32(max(1, n>>(v.firstLevel()+level))) }
	d[0], d[1] = half(v.Width), half(v.Height)
	layers := uint32(isa.ExtentOf(v.Image, g).ViewLayers)
	switch {
	case v.Type == gcn.Image3D:
		d[2] = half(v.Depth)
	case isa.ShapeOf(v.Type).Linear1D: // 0 layers, as D3D defines for shapes without layers
		d[1] = 0
		if isa.ShapeOf(v.Type).Layered {
			d[1] = layers
		}
	case isa.ShapeOf(v.Type).Layered:
		d[2] = layers
	}
	return d
}
