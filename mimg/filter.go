package mimg

import (
	"math"
	"math/bits"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/gcn/format"
	"github.com/gcnsim/gcnsim/gcn/tile"
	"github.com/gcnsim/gcnsim/state"
)

// FILTER_MODE (rule FI4).
const (
	blend = iota
	least
	most
)

// lay sets the axes for a level of the view, with the XY filter and Z filter of
// magnification (0) or minification (1): which texels each lane takes and with which
// weights. Source: rules CO2 to CO4.
func (x *sampling) lay(at *[3][state.NumLanes]float64, level, filter int) {
	s := x.s
	for d := range x.dims {
		n := s.view.size[level].along(d)
		r := ruler{size: n, scale: float64(n), clamp: s.Clamp[d], linear: s.linear[filter], offset: x.offset, shift: uint8(8 * d)}
		if d == 2 {
			r.linear = s.linearZ[filter]
		}
		if r.linear && !s.points {
			r.back = 0.5
		}
		if s.texels {
			r.scale = 1
		}
		switch {
		case s.CoordTrunc:
			r.round = toHalves
		case s.TruncCoord && (!r.linear || x.gathers):
			r.round = downward
		}
		if s.fold {
			r.clamp = gcn.ClampLastTexel // the mode does not matter (rule CO6)
		}
		ax := &x.axes[d]
		ax.place(&at[d], &r)
		if s.fold {
			ax.beyond(int64(n))
		} else {
			ax.wrap(&r)
		}
		if !x.gathers {
			ax.weigh(r.linear, !s.bytes)
		}
	}
}

// tap is one texel of each lane that a filter takes.
type tap struct {
	lanes  uint64 // that take it
	border uint64 // of these, those whose texel lies in the border
	corner uint64 // of these, those whose texel lies beyond two edges of a cube's face
	at     tile.Coords
}

// tap returns tap t of the lanes of mask: bit d tells whether it is the second texel along
// axis d. Of a filter only texels that have a weight count.
func (x *sampling) tap(t uint8, level int, mask uint64, filters bool) (p tap) {
	p.lanes = mask
	at := [...]**[state.NumLanes]uint32{&p.at.X, &p.at.Y, &p.at.Z}
	for d := range x.dims {
		ax, second := &x.axes[d], t>>d&1
		*at[d] = (*[state.NumLanes]uint32)(&ax.at[second])
		if filters && second == 1 {
			p.lanes &= ax.both
		}
		p.corner = p.border & ax.border[second]
		p.border |= ax.border[second]
	}
	if x.s.view.Type.Layered() {
		p.at.Z = (*[state.NumLanes]uint32)(&x.slice)
	}
	p.border &= p.lanes
	p.corner &= p.lanes
	if !x.s.fold {
		p.corner = 0
	}
	return p
}

// weights returns the weights of tap t, share times those of the axes; nil is 1.
func (x *sampling) weights(t uint8, share *[state.NumLanes]float64) *[state.NumLanes]float64 {
	w := share
	for d := range x.dims {
		if !x.blends[d] {
			continue
		}
		a := &x.axes[d].weight[t>>d&1]
		if w == nil {
			w = a
			continue
		}
		for i, v := range a {
			x.weight[i] = w[i] * v
		}
		w = &x.weight
	}
	return w
}

// texels reads a tap into dst and compares it, see [view.fetch].
func (x *sampling) texels(p *tap, level int, dst *[format.MaxComponents][]uint32) *state.Fault {
	s := x.s
	read, at := p.lanes&^p.border, p.at
	if s.fold {
		read = p.lanes &^ p.corner
		if p.border != p.corner {
			at = x.turn(at, int64(s.view.size[level].x), p.border&^p.corner, [2]bool{})
		}
	}
	x.decoded = read != 0
	if read != 0 {
		if f := x.fetch(&at, level, read, dst); f != nil {
			return f
		}
	}
	for c, d := range dst {
		if d == nil {
			continue
		}
		if c >= s.view.format.Components {
			clear(d)
		}
		if !s.fold {
			for m := p.border; m != 0; m &= m - 1 {
				d[bits.TrailingZeros64(m)&63] = s.border[c]
			}
		}
		x.judge(d)
	}
	if p.corner != 0 {
		return x.corner(p.at, level, p.corner, dst)
	}
	return nil
}

// judge makes a component of texels what is filtered: without denormals, compared.
func (x *sampling) judge(d []uint32) {
	if x.s.denormal {
		canonical(d)
	}
	if x.compares {
		x.compare(d)
	}
}

// fetch reads texels, see [view.fetch], and records the first one of each lane.
func (x *sampling) fetch(at *tile.Coords, level int, mask uint64, dst *[format.MaxComponents][]uint32) *state.Fault {
	in, addr := x.locate(at, level, mask)
	return x.s.view.read(x.w, x.p, addr, &x.w.Temp()[tempTexel], in, mask, dst, x.o.status(&x.lost))
}

// most returns the lanes to locate texels for if those of mask are needed: all are done
// faster than many.
func (x *sampling) most(mask uint64) uint64 {
	if bits.OnesCount64(mask) > state.NumLanes/2 {
		return state.FullExec
	}
	return mask
}

// compare replaces texels by 1.0 where the comparison of the reference, on the left, with
// them holds, and by 0.0 elsewhere. Source: rule FI5.
func (x *sampling) compare(v []uint32) {
	holds := compareFuncs[x.s.Compare&7]
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

// compareFuncs says by DEPTH_CMP_FUNC with which outcomes the comparison holds.
var compareFuncs = [8]uint8{0, less, equal, less | equal, greater, less | greater | unordered, greater | equal, less | equal | greater | unordered}

// filter samples a level for the lanes of mask at the coordinates at, and adds what it
// samples times share, nil for 1, to the sums. Source: rule FI1.
func (x *sampling) filter(at *[3][state.NumLanes]float64, level, filter int, mask uint64, share *[state.NumLanes]float64) *state.Fault {
	x.lay(at, level, filter)
	if x.s.bytes && x.s.linear[filter] {
		return x.filterBytes(level, mask, share)
	}
	x.blends = [3]bool{x.s.linear[filter], x.s.linear[filter], x.s.linearZ[filter]}
	for t := range uint8(1) << x.dims {
		p := x.tap(t, level, mask, true)
		if p.lanes == 0 {
			continue
		}
		if f := x.texels(&p, level, &x.dst); f != nil {
			return f
		}
		var w *[state.NumLanes]float64
		if x.s.FilterMode == blend {
			w = x.weights(t, share)
		}
		for c, d := range x.dst {
			switch {
			case d == nil:
			case x.s.FilterMode == blend:
				x.add(c, (*state.Lanes)(d), w, p.lanes)
			default:
				x.extreme(c, (*state.Lanes)(d), p.lanes)
			}
		}
		x.fresh = false
	}
	return nil
}

// add adds component c of a tap times its weight, nil for 1, to the sums of the lanes of
// mask, in double precision. Sums begin with -0, which does not change what is added.
func (x *sampling) add(c int, v *state.Lanes, w *[state.NumLanes]float64, mask uint64) {
	sum := &x.sum[c]
	if w == nil {
		w = &ones
	}
	switch {
	case x.fresh: // all lanes that matter
		for i, t := range v {
			sum[i] = w[i] * float64(math.Float32frombits(t))
		}
		return
	case x.alone && x.s.view.format.Kind == format.Float && (x.s.finite && x.decoded || mask == x.exec): // lanes that matter have weight 0 or are in mask
		for i, t := range v {
			sum[i] += float64(w[i] * float64(math.Float32frombits(t)))
		}
		return
	}
	value := x.values(v)
	for ; mask != 0; mask &= mask - 1 {
		i := bits.TrailingZeros64(mask) & 63
		sum[i] += float64(w[i] * value[i])
	}
}

var ones = func() (v [state.NumLanes]float64) {
	for i := range v {
		v[i] = 1
	}
	return v
}()

// extreme is add of FILTER_MODE minimum and maximum (rule FI4). Sums begin with NaN; NaN
// counts only if there is nothing else.
func (x *sampling) extreme(c int, v *state.Lanes, mask uint64) {
	sum, value := &x.sum[c], x.values(v)
	for ; mask != 0; mask &= mask - 1 {
		i := bits.TrailingZeros64(mask) & 63
		t, s := value[i], sum[i]
		if s != s || x.s.FilterMode == least && t < s || x.s.FilterMode != least && t > s {
			sum[i] = t
		}
	}
}

// values returns what components of texels are as numbers.
func (x *sampling) values(v *state.Lanes) *[state.NumLanes]float64 {
	switch x.s.view.format.Kind {
	case format.Float:
		for i, t := range v {
			x.tmp[i] = float64(math.Float32frombits(t))
		}
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

// result writes the sums of component c to dst, rounded to nearest even once (rule FI2).
func (x *sampling) result(c int, dst []uint32) {
	sum, dst := &x.sum[c], dst[:state.NumLanes]
	if x.s.view.format.Kind != format.Float {
		for i, v := range sum {
			dst[i] = uint32(int64(v))
		}
		return
	}
	for i, v := range sum {
		dst[i] = math.Float32bits(float32(v))
	}
	if !x.s.finite {
		canonical(dst)
	}
}

// canonical makes one NaN of all and zeros of denormals (rule IF3).
func canonical(v []uint32) {
	const exponent, sign, nan = 0x7f800000, 1 << 31, 0xffc00000
	for i, t := range v {
		switch {
		case t&^sign > exponent:
			v[i] = nan
		case t&exponent == 0:
			v[i] = t & sign
		}
	}
}
