package mimg

import (
	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/base/simd"
)

// wrap sets the texels for the positions on an axis with r.size texels. Source: rule CO4.
func (x *axis) wrap(r *ruler) {
	c := r.clamp
	if !r.linear && r.half() {
		c = gcn.ClampLastTexel // position n is in the last texel, none is in the border
	}
	a, b := &x.at[0], &x.at[1]
	x.border = [2]uint64{}
	switch c {
	case gcn.ClampWrap:
		simd.Repeat(a, b, &x.pos, r.size)
	case gcn.ClampMirror:
		simd.Mirror(a, b, &x.pos, r.size)
	default:
		once := c == gcn.ClampMirrorOnceLastTexel || c == gcn.ClampMirrorOnceHalfBorder || c == gcn.ClampMirrorOnceBorder
		edge := c == gcn.ClampLastTexel || c == gcn.ClampMirrorOnceLastTexel
		x.border[0], x.border[1] = simd.Clamp(a, b, &x.pos, r.size, once, !edge)
	}
}
