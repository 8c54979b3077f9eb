package mimg

import (
	"math"
	"math/bits"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/internal/base/simd"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/isa/format"
	"github.com/gcnsim/gcnsim/state"
)

// lay computes the positions of the lanes at the coordinates at on the axes of a level: their texels and weights.
// Source: rules CO2 to CO4.
func (x *sampling) lay(at *[3][state.NumLanes]float64, level *[3]ruler) {
	for d := range x.dims {
		ax, r := &x.axes[d], &level[d]
		ax.place(&at[d], r, x.offset)
		if r.fold {
			ax.beyond(r.size)
		} else {
			ax.wrap(r)
		}
		ax.weigh(r)
	}
}

// tap is one texel of each lane that a filter reads.
type tap struct {
	lanes  uint64 // lanes that use this level
	border uint64 // lanes whose texel is in the border
	corner uint64 // lanes whose texel is beyond two edges of a cube's face
	at     texels
}

// tap returns tap t of the lanes of mask. Bit d of t selects the second texel along axis d. A filter ignores texels
// without a weight.
func (x *sampling) tap(t uint8, mask uint64) (p tap) {
	p.lanes = mask
	at := [...]**[state.NumLanes]uint32{&p.at.X, &p.at.Y, &p.at.Z}
	for d := range x.dims {
		ax, second := &x.axes[d], t>>d&1
		*at[d] = &ax.at[second]
		if !x.gathers && second == 1 {
			p.lanes &= ax.both
		}
		p.corner = p.border & ax.border[second]
		p.border |= ax.border[second]
	}
	if isa.ShapeOf(x.view.Type).Layered {
		p.at.Z = &x.slice
	}
	p.border &= p.lanes
	p.corner &= p.lanes
	if !x.fold {
		p.corner = 0
	}
	return p
}

// weights returns the weights of tap t of a filter: share times the weights along the axes. nil stands for 1.
func (x *sampling) weights(t uint8, f *filter, share *[state.NumLanes]float64) *[state.NumLanes]float64 {
	w := share
	for d := range x.dims {
		if !f.linear[d] {
			continue
		}
		a := &x.axes[d].weight[t>>d&1]
		if w == nil {
			w = a
			continue
		}
		simd.Products(&x.weight, w, a)
		w = &x.weight
	}
	return w
}

// texels reads a tap into dst and prepares the values for the filter.
func (x *sampling) texels(p *tap, level int, dst *components) *state.Fault {
	lanes, at := p.lanes&^p.border, p.at
	if x.fold {
		lanes = p.lanes &^ p.corner
		if p.border != p.corner {
			at = x.turn(at, int64(x.view.size[level].x), p.border&^p.corner, [2]bool{})
		}
	}
	if lanes != 0 {
		if f := x.fetch(&at, level, lanes, dst); f != nil {
			return f
		}
	}
	for c, d := range dst {
		if d == nil {
			continue
		}
		if c >= x.view.format.Components {
			clear(d)
		}
		if !x.fold {
			for m := p.border; m != 0; m &= m - 1 {
				d[bits.TrailingZeros64(m)&63] = x.border.components[c]
			}
		}
		x.judge(d)
	}
	if p.corner != 0 {
		return x.corner(p.at, level, p.corner, dst)
	}
	return nil
}

// judge prepares a component of texels for the filter: it flushes denormals and compares.
func (x *sampling) judge(d []uint32) {
	if x.value.denormal {
		simd.Canonical((*state.Lanes)(d))
	}
	if x.value.compares {
		x.compare(d)
	}
}

// compare replaces texels by 1.0 if the comparison of the reference (left) with them is true, else by 0.0. Source:
// rule FI5.
func (x *sampling) compare(v []uint32) {
	holds := x.value.holds
	for i, t := range v[:state.NumLanes] {
		ref, texel := x.ref[i], float64(math.Float32frombits(t))
		outcome := uint8(unordered)
		switch {
		case ref < texel:
			outcome = less
		case ref == texel:
			outcome = equal
		case ref > texel:
			outcome = greater
		}
		v[i] = 0
		if holds&outcome != 0 {
			v[i] = 0x3f800000
		}
	}
}

// Outcomes of a comparison.
const (
	less = 1 << iota
	equal
	greater
	unordered
)

// compareFuncs has, by DEPTH_CMP_FUNC, the outcomes for which the comparison is true.
var compareFuncs = [8]uint8{0, less, equal, less | equal, greater, less | greater | unordered, greater | equal,
	less | equal | greater | unordered}

// tapsOf has the lanes that sample a level, and the share of the level in the result; nil stands for 1.
type tapsOf struct {
	lanes uint64
	level int
	share *[state.NumLanes]float64
}

// filter adds the samples of a group's lanes at the coordinates at to the sums. need has the storage for texels.
// Source: rule FI1.
func (x *sampling) filter(need *components, at *[3][state.NumLanes]float64, g *group, of tapsOf) *state.Fault {
	x.lay(at, &g.grids[of.level])
	if g.bytes {
		if f := x.square(of.level, of.lanes); f != nil {
			return f
		}
		simd.Bilinear(&x.bytes.sums, &x.bytes.words, &x.axes[0].pos, &x.axes[1].pos)
		x.addBytes(need, &of)
		return nil
	}
	for t := range uint8(1) << x.dims {
		p := x.tap(t, of.lanes)
		if p.lanes == 0 {
			continue
		}
		if fault := x.texels(&p, of.level, need); fault != nil {
			return fault
		}
		var w *[state.NumLanes]float64
		if x.blends() {
			w = x.weights(t, g.filter, of.share)
		}
		for c, d := range need {
			if d == nil {
				continue
			}
			switch v := (*state.Lanes)(d); {
			case !x.blends():
				x.sums.extreme(c, x.values(v), p.lanes, x.FilterMode == gcn.FilterMin)
			case x.value.kind == format.Float:
				simd.AddFloats(&x.sums[c], v, orOnes(w), p.lanes)
			default:
				x.sums.add(c, x.values(v), w, p.lanes)
			}
		}
	}
	return nil
}

// values returns components of texels as floats.
func (x *sampling) values(v *state.Lanes) *[state.NumLanes]float64 {
	switch x.value.kind {
	case format.Float:
		simd.Widen(&x.tmp, v)
	case format.Uint:
		for i, t := range v {
			x.tmp[i] = float64(t)
		}
	default:
		for i, t := range v {
			x.tmp[i] = float64(int32(t))
		}
	}
	return &x.tmp
}
