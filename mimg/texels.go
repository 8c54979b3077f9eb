package mimg

import (
	"math/bits"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/state"
)

// laneTexels does what [LaneTaps] does, for an instruction without a sampler. Source: rules IM3 and CO1.
func laneTexels(in *isa.Inst, w *state.Wave, p *executor.Ports) (texels [state.NumLanes][]Tap) {
	r := in.Row()
	if r.Enc != isa.MIMG || r.Mem.Op == gcn.Special || executor.Check(in, w.NumVGPRs, nil) != nil {
		return texels
	}
	o := decode(in)
	v := o.find(w, p)
	if !isa.ShapeOf(v.Type).Valid || v.null || v.fault != nil || o.checkAddress(w, v) != nil {
		return texels
	}
	a := state.Access{Exec: w.Exec()}
	found, _ := o.place(w, v, &a, &w.Temp()[tempTexel])
	c, lod := o.coords(w, v)
	for m := w.Exec(); m != 0; m &= m - 1 {
		i := bits.TrailingZeros64(m) & 63
		t := Tap{Level: v.firstLevel(), Weight: 1, Border: found>>i&1 == 0}
		if lod != nil {
			t.Level += int(min(lod[i], maxLevels))
		}
		for d, part := range [...]*[state.NumLanes]uint32{c.X, c.Y, c.Z} {
			if part != nil {
				*[...]*int{&t.X, &t.Y, &t.Z}[d] = int(part[i])
			}
		}
		t.Z += v.firstSlice()
		texels[i] = []Tap{t}
	}
	return texels
}
