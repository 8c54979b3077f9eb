package mimg

import (
	"math"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/internal/base/half"
	"github.com/gcnsim/gcnsim/internal/base/simd"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/state"
)

// Positions are in units of 1/256 texel (rule CO3).
const (
	stepBits = 8
	steps    = 1 << stepBits
)

// rounding selects the conversion of a position in texels to these units (rule CO3).
type rounding uint8

const (
	toNearest rounding = iota // rounds to nearest even
	toHalves                  // MC_COORD_TRUNC: down to a multiple of half a texel
	downward                  // TRUNC_COORD
)

// ruler converts coordinates to positions along one axis of a level.
type ruler struct {
	size    int     // size in texels
	scale   float64 // texels per unit of a coordinate: size, or 1 if coordinates are in texels
	clamp   gcn.Clamp
	round   rounding
	back    float64 // texels from a position back to the first texel of the filter: half a texel for two
	linear  bool    // the filter uses two texels
	pairs   bool    // texels without a weight are ignored
	weights bool    // weights are needed as floats
	fold    bool    // texels beyond the edges are on another face of a cube
	shift   uint8   // position of the axis's field in an offset
}

// axis has the positions of 64 lanes along one axis of a level.
type axis struct {
	// position of the first texel in 1/256; the fraction is the weight of the second; see [ruler.near]
	pos    [state.NumLanes]int32
	at     [2]state.Lanes             // the texel at pos and the next one
	border [2]uint64                  // lanes whose texel is in the border
	weight [2][state.NumLanes]float64 // weights of both texels; used for linear axes only
	both   uint64                     // lanes in which the second texel has a weight
}

// far is the magnitude in texels from which coordinates are treated separately. Below it positions are exact and fit
// their type; beyond it all are outside of the image, or repeat.
const far = 1 << 24

// place sets the positions of the coordinates u, moved by a field of offset if offset is not nil. Source: rules CO2
// and CO3.
func (x *axis) place(u *[state.NumLanes]float64, r *ruler, offset *state.Lanes) {
	scale := r.scale
	if offset != nil || r.half() {
		x.shift(&x.weight[0], u, r, offset)
		u, scale = &x.weight[0], 1
	}
	// The multiplication is exact, because steps is a power of two.
	if r.round == toNearest && simd.Positions(&x.pos, u, scale*steps, r.back*steps) {
		return
	}
	for i, v := range u {
		if !(math.Abs(v) < far) {
			v = tame(v, r.clamp, 2*float64(r.size)/scale)
		}
		x.pos[i] = r.near(r.round.steps(float64(v*scale) - r.back))
	}
}

// steps converts a position in texels to units of 1/256.
func (r rounding) steps(p float64) int64 {
	switch r {
	case toHalves:
		return int64(math.Floor(p*2)) * (steps / 2)
	case downward:
		return int64(math.Floor(p * steps))
	}
	return int64(math.RoundToEven(p * steps))
}

// near returns a small position at which the same texels are sampled as at q: images repeat after their period, or
// are constant beyond their edges.
func (r *ruler) near(q int64) int32 {
	const reach = simd.Reach
	switch {
	case -reach <= q && q <= reach:
		return int32(q)
	case r.clamp <= gcn.ClampMirror:
		return int32(q % int64(2*r.size*steps))
	case q < 0:
		return int32(q&(steps-1) - reach)
	}
	return int32(q&(steps-1) + reach)
}

// half reports whether the clamp mode clamps to half a border.
func (r *ruler) half() bool {
	return r.clamp == gcn.ClampHalfBorder || r.clamp == gcn.ClampMirrorOnceHalfBorder
}

// shift sets dst to positions in texels, with their offset. In modes that blend with half a border, they are clamped
// to the image (rule CO4).
func (x *axis) shift(dst, u *[state.NumLanes]float64, r *ruler, offset *state.Lanes) {
	for i, v := range u {
		if !(math.Abs(v) < far) {
			v = tame(v, r.clamp, 2*float64(r.size)/r.scale)
		}
		v = float64(v * r.scale)
		if offset != nil {
			v += float64(int32(offset[i]<<(26-r.shift&31)) >> 26)
		}
		switch r.clamp {
		case gcn.ClampMirrorOnceHalfBorder:
			v = min(math.Abs(v), float64(r.size))
		case gcn.ClampHalfBorder:
			v = min(max(v, 0), float64(r.size))
		}
		dst[i] = v
	}
}

// tame returns a coordinate at which the same texels are sampled as at v, which is beyond far, infinite or NaN (rule
// CO2).
func tame(v float64, c gcn.Clamp, period float64) float64 {
	v = finite(v)
	if c <= gcn.ClampMirror {
		return math.Mod(v, period)
	}
	return min(max(v, -far), far)
}

// weigh computes the lanes in which the second texel has a weight, and both weights if they are needed.
func (x *axis) weigh(r *ruler) {
	x.both = 0
	if r.pairs {
		x.both = simd.Fractions(&x.pos)
	}
	if r.weights {
		simd.Weights(&x.weight[0], &x.weight[1], &x.pos)
	}
}

// floats sets dst to a part of the address. With A16 they are halves, except for the reference of a comparison (rule
// IM4).
func (o *op) floats(w *state.Wave, p isa.AddrPart, dst *[state.NumLanes]float64) {
	r := &w.V[o.vaddr+int(p.VGPR)]
	if o.a16 {
		for i, v := range r {
			dst[i] = float64(math.Float32frombits(half.ToSingle(v >> (p.Shift & 31) & 0xffff)))
		}
		return
	}
	simd.Widen(dst, r)
}

// slices sets x.slice to the slices of the view that the lanes sample. The coordinate is rounded to nearest even and
// clamped (rule CO6). Without DA it is slice 0 (rule IM2).
func (x *sampling) slices(p isa.AddrPart) {
	if p.VGPR < 0 {
		x.slice = state.Lanes{}
		return
	}
	x.o.floats(x.w, p, &x.tmp)
	for i, v := range &x.tmp {
		v = math.RoundToEven(v)
		if x.view.Type == gcn.ImageCube {
			x.slice[i] = x.face(v)
		} else {
			x.slice[i] = uint32(upTo(v, x.view.layers-1))
		}
	}
}

// upTo clamps v to [0, limit]. NaN becomes 0.
func upTo(v float64, limit int) int {
	if v > 0 {
		return int(min(v, float64(limit)))
	}
	return 0
}
