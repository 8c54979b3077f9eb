package imgtest

import (
	"math"

	"github.com/gcnsim/gcnsim/gcn"
)

// checkSampler refuses combinations of sampler features that no source describes.
func (r *run) checkSampler() error {
	s := &r.smp
	switch {
	case r.img.Type < gcn.Image1D:
		return nil
	case msaa(r.img.Type): // rule IM3
		return unsupported("%s of a %v image", r.Name, r.img.Type)
	case r.img.Interlaced && r.img.Type == gcn.Image2D:
		return unsupported("%s of an interlaced image", r.Name)
	case r.op.kind == gather && r.img.Type == gcn.Image3D:
		return unsupported("%s of a 3D image", r.Name)
	case s.FilterMode == 3, s.MipFilter == 3, s.ZFilter == 3:
		return unsupported("reserved filters")
	case r.op.compare && r.img.f != nil && r.img.f.integer(): // rule FI5
		return unsupported("%s of an integer format", r.Name)
	}
	return nil
}

// normalized reports whether coordinates range from 0 to 1. Source: rule IM2.
func (r *run) normalized() bool { return !r.UNRM && !r.smp.Unnormalized }

// detail is the level of detail of a lane.
type detail struct {
	raw   float64    // with bias, before clamps; 0 without a footprint
	lod   float64    // relative to BASE_LEVEL, in steps of 1/256
	major [3]float64 // the longer derivative, in units of coordinates
	taps  int        // number of taps along it; 1 if not anisotropic
}

// rne256 rounds to multiples of 1/256, ties to even.
func rne256(v float64) float64 { return math.RoundToEven(v*256) / 256 }

// perf are the factors of T#.PERF_MOD for some S# fields. Source: rule LO2.
var perf = [8]float64{0, 2, 5, 7, 9, 11, 14, 16}

// detail computes the LOD of a lane, in the steps of rule LO2.
func (r *run) detail(a *address) (d detail, err error) {
	s, t := &r.smp, &r.img.Image
	d.taps = 1
	base, footprint := 0.0, true
	switch {
	case r.op.lod: // step 1
		base = rne256(number(a.lod))
	case r.op.lodZero:
	default:
		if base, footprint, err = r.footprint(a, &d); err != nil {
			return d, err
		}
		if at := base * 256; math.Abs(at-math.Floor(at)-0.5) < 1e-6 {
			r.res.Fragile |= 1 << r.lane
		}
		base = rne256(base)
	}
	lod := base + float64(s.LODBias) + math.Floor(float64(s.LODBiasSec)*16*perf[t.PerfMod]/16)/16 // 2
	if r.op.bias {                                                                                // 3
		lod += number(a.bias)
	}
	if footprint {
		d.raw = rne256(lod)
	}
	if r.op.clamp { // 4
		lod = max(lod, number(a.clamp))
	}
	lod = max(float64(s.MinLOD), min(float64(s.MaxLOD), lod)) // 5
	if r.op.kind != gather || !r.op.lodZero {                 // 6
		lod = max(lod, r.leastLOD())
	}
	d.lod = rne256(lod) // 7
	return d, nil
}

// leastLOD returns T#.MIN_LOD relative to BASE_LEVEL.
func (r *run) leastLOD() float64 { return float64(r.img.MinLOD) - float64(r.img.BaseLevel) }

// footprint returns the ideal LOD for the derivatives, and whether any of them is not 0. A quad on several faces of a
// cube is unfolded to the face of its first lane. Source: rules IM12 and LO1.
func (r *run) footprint(a *address, d *detail) (lod float64, some bool, err error) {
	n := dims(r.img.Type)
	var v [2][3]float64 // derivatives along h and v, in coordinates
	if r.op.deriv {
		for dir := range v {
			for i := range n {
				v[dir][i] = value(a.deriv[dir][i])
			}
		}
	} else {
		var corner [3]address // addresses of lanes 4n, 4n+1, 4n+2, active or not
		for i := range corner {
			if corner[i], err = r.address(&r.op, &r.img.Image, r.lane&^3+i); err != nil {
				return 0, false, err
			}
		}
		for dir := range v {
			to := [3]float64{value(corner[1+dir].xyz[0]), value(corner[1+dir].xyz[1]), value(corner[1+dir].xyz[2])}
			if r.img.Type == gcn.ImageCube {
				_, home := r.slice(corner[0].slice)
				_, away := r.slice(corner[1+dir].slice)
				to[0], to[1] = unfold(home, away, to[0], to[1])
			}
			for i := range n {
				v[dir][i] = to[i] - value(corner[0].xyz[i])
			}
		}
	}
	extent := [3]float64{1, 1, 1}
	if r.normalized() {
		size := r.img.size(r.img.BaseLevel)
		extent = [3]float64{float64(size[0]), float64(size[1]), float64(size[2])}
	}
	var texels [2][3]float64
	for dir := range v {
		for i := range v[dir] {
			v[dir][i] = finite(v[dir][i])
			texels[dir][i] = v[dir][i] * extent[i]
		}
	}
	x, y := length(texels[0]), length(texels[1])
	major, longer := x, 0
	if y > x {
		major, longer = y, 1
	}
	if major == 0 {
		return -32, false, nil
	}
	ratio := 1.0
	if r.anisotropic() {
		det := math.Abs(texels[0][0]*texels[1][1] - texels[0][1]*texels[1][0])
		ratio = r.anisotropy(d, major, det)
		d.major = v[longer]
	}
	return max(-32, math.Log2(major/ratio)), true, nil
}

func length(v [3]float64) float64 { return math.Sqrt(v[0]*v[0] + v[1]*v[1] + v[2]*v[2]) }

// anisotropic reports whether the filter may be anisotropic: for 2D images with MAX_ANISO_RATIO and bit 1 of the
// filter set, except for a single level with ANISO_OVERRIDE. Source: rule LO3.
func (r *run) anisotropic() bool {
	s, t := &r.smp, r.img.Type
	return (s.MinFilter|s.MagFilter)&2 != 0 && s.MaxAniso > 0 && (t == gcn.Image2D || t == gcn.Image2DArray) &&
		(!s.AnisoOverride || r.img.last > 0)
}

// anisotropy sets the number of taps and returns the ratio of the footprint's length to its width, at most
// 1<<MAX_ANISO_RATIO (codes above 4 count as 4). The width is the area divided by the length. A footprint narrower
// than a texel has no more taps than its length in texels. Source: Direct3D 11.3, 7.18.11, rule LO3 (the ideal model:
// taps of equal weight at equal distances along the length).
func (r *run) anisotropy(d *detail, major, area float64) float64 {
	ratio := float64(int(1) << min(r.smp.MaxAniso, 4))
	if area*ratio > major*major {
		ratio = major * major / area
	}
	taps := ratio
	if width := major / ratio; width < 1 {
		taps = max(1, ratio*width)
	}
	d.taps = int(math.Ceil(taps - 1e-9))
	return ratio
}

// mip is a level that contributes to a result.
type mip struct {
	level  int
	weight float64
}

// levels selects the levels for a LOD. Source: rule LO2, step 9; integers: rule FI3.
func (r *run) levels(lod float64) []mip {
	base, last := r.img.BaseLevel, float64(r.img.last)
	lod = min(max(lod, 0), last)
	switch r.smp.MipFilter {
	case 0:
		return []mip{{base, 1}}
	case 2:
		if r.op.kind != gather && r.blends() { // rule IM9
			low := math.Floor(lod)
			return []mip{{base + int(low), 1 - (lod - low)}, {base + int(min(low+1, last)), lod - low}}
		}
	}
	return []mip{{base + int(math.Floor(lod+0.5)), 1}}
}

// lodQuery returns the result of GET_LOD. Source: rule IM10; integers: rule FI3.
func (r *run) lodQuery(d *detail) (c [4]uint32) {
	lod := min(max(d.lod, 0), float64(r.img.last))
	switch {
	case r.smp.MipFilter == 0:
		lod = 0
	case r.smp.MipFilter == 1 || !r.blends():
		lod = math.Floor(lod + 0.5)
	}
	return [4]uint32{single(lod), single(d.raw)}
}
