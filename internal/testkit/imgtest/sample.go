package imgtest

import (
	"errors"
	"math"

	"github.com/gcnsim/gcnsim/gcn"
)

// texel is a texel that contributes to a result, after DST_SEL and comparison.
type texel struct {
	weight float64
	c      [4]uint32
}

// sample executes IMAGE_SAMPLE*, IMAGE_GATHER4* and IMAGE_GET_LOD.
func (r *run) sample(lane int, a *address) error {
	if r.DMASK&15 == 0 || r.img.Type < gcn.Image1D || r.img.f == nil && r.op.kind != lodQuery {
		r.put(lane, make([]uint32, r.Components()))
		if r.img.Type >= gcn.Image1D && r.img.f != nil && r.LWE { // rule IM5
			d, err := r.detail(a)
			if err != nil {
				return err
			}
			r.finish(d.lod)
		}
		return nil
	}
	d, err := r.detail(a)
	if err != nil {
		return err
	}
	switch r.op.kind {
	case lodQuery:
		r.put(lane, r.picked(r.lodQuery(&d)))
		return nil
	case gather:
		err = r.gather(a, &d)
	default:
		var taps []texel
		if taps, err = r.taps(a, &d); err == nil {
			r.put(lane, r.picked(r.filter(taps)))
		}
	}
	if r.res.Failed>>lane&1 != 0 { // rule IM7
		r.put(lane, make([]uint32, r.Components()))
	}
	r.finish(d.lod)
	return err
}

// gather returns one component of four texels. Source: rule IM9.
func (r *run) gather(a *address, d *detail) error {
	level := r.levels(d.lod)[0].level
	values := make([]uint32, 4)
	if r.op.lodZero && r.leastLOD() > float64(level-r.img.BaseLevel) { // out of range
		for i := range values {
			values[i] = r.narrow(r.compared(r.img.f.sel([4]uint32{}, r.img.DstSel), a)[r.lowest()])
		}
	} else {
		slice, face := r.slice(a.slice)
		size := r.img.size(level)
		x := r.axis(value(a.xyz[0]), size[0], a.offsets()[0], r.mode(0), true)
		y := axis{}
		if dims(r.img.Type) > 1 {
			y = r.axis(value(a.xyz[1]), size[1], a.offsets()[1], r.mode(1), true)
		}
		for i, at := range [4][2]int{{0, 1}, {1, 1}, {1, 0}, {0, 0}} {
			j := y.i
			if y.linear {
				j += at[1]
			}
			c, err := r.fetch(level, x.i+at[0], j, 0, slice, face, a)
			if err != nil {
				return err
			}
			values[i] = r.narrow(c[r.lowest()])
		}
	}
	r.res.Weights[r.lane] = 1
	r.put(r.lane, values)
	return nil
}

// mode returns the clamp mode of an axis. Source: rules CO4 and CO6.
func (r *run) mode(axis int) gcn.Clamp {
	if r.img.Type == gcn.ImageCube && !r.smp.NoCubeWrap {
		return seamless
	}
	return r.smp.Clamp[axis]
}

// taps returns the texels of a sample that have a weight. Source: rule LO2, steps 8 and 9, 4.3, 5.1, 5.3.
func (r *run) taps(a *address, d *detail) (all []texel, err error) {
	filter := r.smp.MinFilter
	if d.lod <= 0 {
		filter = r.smp.MagFilter
	}
	n, linear := 1, [3]bool{}
	if r.blends() {
		xy := filter&1 != 0
		linear = [3]bool{xy, xy, xy}
		if r.smp.ZFilter != 0 { // rule CO7
			linear[2] = r.smp.ZFilter == 2
		}
		if filter&2 != 0 {
			n = d.taps
		}
	}
	r.spread = n > 1
	for k := range n {
		// The taps are spread along the major axis, around the coordinates.
		step := (float64(k)+0.5)/float64(n) - 0.5
		var at [3]float64
		for i, v := range a.xyz {
			at[i] = finite(value(v)) + step*d.major[i]
		}
		for _, level := range r.levels(d.lod) {
			if level.weight != 0 {
				level.weight /= float64(n)
				if err := r.level(&all, a, at, level, linear); err != nil {
					return nil, err
				}
			}
		}
	}
	return all, nil
}

// blends reports whether texels are combined. Texels of integer formats are not, except for minimum and maximum
// filters on GCN 1.4. Source: rules FI3 and FI4.
func (r *run) blends() bool {
	return !r.img.f.integer() || r.smp.FilterMode != 0 && r.vega()
}

// level appends the texels of one level around the coordinates at.
func (r *run) level(all *[]texel, a *address, at [3]float64, m mip, linear [3]bool) error {
	slice, face := r.slice(a.slice)
	size := r.img.size(m.level)
	var axes [3]axis
	for i := range dims(r.img.Type) {
		axes[i] = r.axis(at[i], size[i], a.offsets()[i], r.mode(i), linear[i])
	}
	for corner := range 8 {
		w := m.weight
		var i [3]int
		for k, x := range axes {
			next := corner >> k & 1
			i[k] = x.i + next
			switch {
			case !x.linear && next != 0:
				w = 0
			case !x.linear:
			case next != 0:
				w *= x.f
			default:
				w *= 1 - x.f
			}
		}
		if w == 0 {
			continue // rule FI2: weight 0 also removes NaN and infinity
		}
		c, err := r.fetch(m.level, i[0], i[1], i[2], slice, face, a)
		if err != nil {
			return err
		}
		*all = append(*all, texel{w, c})
	}
	return nil
}

// fetch returns the texel at coordinates that are not wrapped yet, after DST_SEL and comparison. Source: rules CO4 to
// CO6 and IF5.
func (r *run) fetch(level, i, j, k, slice, face int, a *address) (c [4]uint32, err error) {
	size := r.img.size(level)
	coords := [3]int{i, j, k}
	if r.mode(0) == seamless {
		return r.face(level, i, j, slice, face, a)
	}
	border := false
	for n := range dims(r.img.Type) {
		var out bool
		coords[n], out = wrap(coords[n], size[n], r.smp.Clamp[n])
		border = border || out
	}
	if border {
		return r.compared(r.img.f.sel(r.border(), r.img.DstSel), a), nil
	}
	p := place{level: level, x: coords[0], y: coords[1], z: coords[2]}
	if r.img.Type != gcn.Image3D {
		p.z = slice + face
	}
	return r.stored(p, a)
}

// stored returns a texel from memory after DST_SEL and comparison.
func (r *run) stored(p place, a *address) (c [4]uint32, err error) {
	c, err = r.decoded(p)
	if errors.Is(err, errFailed) {
		return [4]uint32{}, nil
	}
	return r.compared(r.img.f.sel(c, r.img.DstSel), a), err
}

// decoded returns a texel from memory as samplers decode it. Source: rule IF3.
func (r *run) decoded(p place) (c [4]uint32, err error) {
	b, err := r.read(p)
	if err != nil {
		return c, err
	}
	g := gamma(0)
	switch {
	case r.smp.SkipDegamma:
		g = skipDegamma
	case r.smp.ForceDegamma:
		g = forceDegamma
	}
	return r.seen(r.img.f.decode(b, p.x, p.y, g)), nil
}

// seen converts a FLOAT component like samplers do: all NaNs become one, denormals 0. Source: rule IF3.
func (r *run) seen(c [4]uint32) [4]uint32 {
	if r.img.f.num != float {
		return c
	}
	for i, v := range c {
		switch {
		case v&0x7fffffff > 0x7f800000:
			c[i] = 0xffc00000
		case v>>23&0xff == 0:
			c[i] = v & 0x80000000
		}
	}
	return c
}

// face returns a texel of a cube, from a neighbouring face if it is outside of its own. A texel beyond a corner is
// computed from texels that are compared already, if the instruction compares. Source: rules CO6 and FI5; corners of
// integer formats: rule IM9.
func (r *run) face(level, i, j, slice, face int, a *address) (c [4]uint32, err error) {
	n := r.img.size(level)[0]
	inside := func(v int) int { return min(max(v, 0), n-1) }
	own := place{level: level, x: i, y: j, z: slice + face}
	beside := func(i, j int) place {
		f, x, y := neighbour(face, i, j, n)
		return place{level: level, x: x, y: y, z: slice + f}
	}
	switch {
	case i == inside(i) && j == inside(j):
		return r.stored(own, a)
	case i == inside(i) || j == inside(j):
		return r.stored(beside(i, j), a)
	}
	own.x, own.y = inside(i), inside(j)
	var mean [4]float64
	for k, p := range []place{own, beside(i, own.y), beside(own.x, j)} {
		weight := [3]float64{21846, 21845, 21845}[k] / 65536
		v, err := r.stored(p, a)
		if err != nil {
			return c, err
		}
		for i := range v {
			mean[i] += weight * value(v[i])
		}
	}
	if r.img.f.integer() {
		return r.img.f.sel(c, r.img.DstSel), nil
	}
	for i := range c {
		c[i] = single(mean[i])
	}
	return c, nil
}

// swizzles are the component orders of BC_SWIZZLE. Source: rule CO5.
var swizzles = [8][4]int{{0, 1, 2, 3}, {0, 3, 1, 2}, {3, 2, 1, 0}, {3, 0, 1, 2}, {2, 1, 0, 3}, {1, 0, 3, 2},
	{0, 1, 2, 3}, {0, 1, 2, 3}}

// border returns the border colour as a decoded texel. Source: rule CO5.
func (r *run) border() (c [4]uint32) {
	f, one := r.img.f, r.img.f.one()
	color := [4][4]uint32{{}, {0, 0, 0, one}, {one, one, one, one}}[r.smp.BorderColorType]
	if i := r.smp.BorderColorPtr; r.smp.BorderColorType == 3 && i < len(r.Border) {
		color = r.Border[i]
	}
	for i, from := range swizzles[r.img.BCSwizzle] {
		c[i] = f.inRange(color[from], i)
	}
	return r.seen(c)
}

// inRange clamps component i of a border colour to the range of the format. Source: rule CO5.
func (f *texels) inRange(v uint32, i int) uint32 {
	clamp := func(least float64) uint32 {
		x := value(v)
		if x != x {
			return v
		}
		return single(min(max(x, least), 1))
	}
	width := 32
	if i < len(f.fields) {
		width = f.fields[i].width
	}
	switch f.num {
	case unorm, srgb:
		if f.name != "BC6" {
			return clamp(0)
		}
	case snorm:
		if f.name != "BC6" {
			return clamp(-1)
		}
	case uintNum:
		return min(v, uint32(uint64(1)<<width-1))
	case sintNum:
		most := int64(1)<<(width-1) - 1
		return uint32(min(max(int64(int32(v)), -most-1), most))
	}
	return v
}

// compared replaces each component by the result of comparing it with the reference, 1.0 or 0.0. For UNORM the
// reference is clamped. Source: rule FI5.
func (r *run) compared(c [4]uint32, a *address) [4]uint32 {
	if !r.op.compare {
		return c
	}
	ref := value(a.compare)
	if r.img.f.num == unorm {
		if ref > 1 {
			ref = 1
		} else if ref < 0 {
			ref = 0
		}
	}
	for i, v := range c {
		z := value(v)
		pass := [8]bool{false, ref < z, ref == z, ref <= z, ref > z, ref != z, ref >= z, true}[r.smp.Compare]
		c[i] = 0
		if pass {
			c[i] = 0x3f800000
		}
	}
	return c
}

// filter combines texels: to the weighted sum, or to the minimum or maximum. A single texel is returned unchanged.
// Source: rules FI1 to FI4.
func (r *run) filter(all []texel) (c [4]uint32) {
	r.res.Weights[r.lane] = max(r.res.Weights[r.lane], len(all))
	if len(all) == 1 {
		return all[0].c
	}
	for i := range c {
		if r.smp.FilterMode != 0 {
			c[i] = r.extreme(all, i)
			continue
		}
		sum := 0.0
		for k, t := range all {
			v := t.weight * value(t.c[i])
			r.res.Scale[r.lane][i] += math.Abs(v)
			if k == 0 {
				sum = v
			} else {
				sum += v
			}
		}
		c[i] = single(sum)
	}
	return r.seen(c)
}

// extreme returns the least or greatest value of a component. It is NaN only if all texels are NaN. Source: rule FI4.
func (r *run) extreme(all []texel, i int) uint32 {
	number := func(v uint32) float64 {
		switch {
		case r.img.f.num == sintNum:
			return float64(int32(v))
		case r.img.f.integer():
			return float64(v)
		}
		return value(v)
	}
	best := all[0].c[i]
	for _, t := range all[1:] {
		x, y := number(t.c[i]), number(best)
		if y != y || r.smp.FilterMode == 1 && x < y || r.smp.FilterMode == 2 && x > y {
			best = t.c[i]
		}
	}
	return best
}
