package imgtest

import (
	"math"

	"github.com/gcnsim/gcnsim/gcn"
)

// seamless is the clamp mode of cubes: texels outside of a face are texels of other faces.
const seamless = gcn.Clamp(8)

// axis is a coordinate in texels of a level.
type axis struct {
	i      int     // index of the first texel
	f      float64 // weight of the next texel
	linear bool    // the next texel contributes
}

// axis converts a coordinate to texels of a level with n texels. Source: rules CO2 and CO3; half borders: rule CO4;
// gathers: rule IM9.
func (r *run) axis(u float64, n, offset int, mode gcn.Clamp, linear bool) axis {
	size, p := float64(n), finite(u)
	if r.img.Type == gcn.ImageCube { // coordinates of a face range from 1 to 2: rule IM3
		p--
	}
	period := 0.0
	switch mode {
	case gcn.ClampWrap:
		period = 1
	case gcn.ClampMirror:
		period = 2
	}
	if !r.normalized() {
		period *= size
	}
	if period > 0 {
		p = math.Mod(p, period)
	}
	if r.normalized() {
		p *= size
	}
	p += float64(offset)
	switch mode {
	case gcn.ClampHalfBorder:
		p = min(max(p, 0), size)
	case gcn.ClampMirrorOnceHalfBorder:
		p = min(math.Abs(p), size)
	}
	pair := linear || r.op.kind == gather
	if pair && !r.nearestGather() {
		p -= 0.5
	}
	switch {
	case r.smp.CoordTrunc:
		p = math.Floor(p*2) / 2
	case r.smp.TruncCoord && (!linear || r.op.kind == gather):
	default:
		if at := p * 256; r.spread && math.Abs(at-math.Floor(at)-0.5) < 1e-6 {
			r.res.Fragile |= 1 << r.lane
		}
		p = rne256(p)
	}
	p = min(max(p, -(1<<30)), 1<<30)
	a := axis{i: int(math.Floor(p)), linear: pair}
	a.f = p - math.Floor(p)
	if half := mode == gcn.ClampHalfBorder || mode == gcn.ClampMirrorOnceHalfBorder; half && (!pair || r.nearestGather()) {
		a.i = min(a.i, n-1)
	}
	return a
}

// nearestGather reports whether gathers omit the subtraction of half a texel, as those of integers before GCN 1.4 do.
// Source: rule IM9.
func (r *run) nearestGather() bool {
	return r.op.kind == gather && r.img.f.integer() && !r.vega()
}

// wrap returns the texel that replaces texel i of n, or that the border colour does. Source: rule CO4.
func wrap(i, n int, mode gcn.Clamp) (texel int, border bool) {
	once := i
	if i < 0 {
		once = -i - 1
	}
	outside := func(i int) bool { return i < 0 || i >= n }
	switch mode {
	case gcn.ClampWrap:
		return (i%n + n) % n, false
	case gcn.ClampMirror:
		k := once % (2 * n)
		return min(k, 2*n-1-k), false
	case gcn.ClampLastTexel:
		return min(max(i, 0), n-1), false
	case gcn.ClampMirrorOnceLastTexel:
		return min(once, n-1), false
	case gcn.ClampMirrorOnceHalfBorder, gcn.ClampMirrorOnceBorder:
		return once, outside(once)
	default:
		return i, outside(i)
	}
}

// integer rounds a slice or a face token to nearest even. NaN and negative values are 0. Source: rule CO6, which
// holds for all samplers.
func (r *run) integer(v uint32, most int) int {
	x := max(finite(value(v)), 0)
	return int(min(math.RoundToEven(x), float64(most)))
}

// slice returns the slice in memory and, for cubes, the face. Source: rules IM2, IM3 and CO6.
func (r *run) slice(v uint32) (slice, face int) {
	m := r.img
	switch {
	case m.Type == gcn.Image3D:
		return 0, 0
	case !layered(m.Type):
		return m.BaseArray, 0
	case m.Type != gcn.ImageCube:
		return m.BaseArray + r.integer(v, max(0, m.layers-1)), 0
	}
	cubes := max(1, m.layers/6)
	var layer int
	if r.vega() { // the layer is clamped separately
		token := math.RoundToEven(finite(value(v)))
		whole := math.Floor(token / 8)
		layer, face = int(min(max(whole, 0), float64(cubes-1))), min(int(token-8*whole), 5)
	} else {
		token := r.integer(v, 8*(cubes-1)+5)
		layer, face = token>>3, min(token&7, 5)
	}
	return m.BaseArray + 6*layer, face
}

// direction returns the direction of point s, t on a face. Source: rule CO6.
func direction(face int, s, t float64) [3]float64 {
	return [6][3]float64{{1, -t, -s}, {-1, -t, s}, {s, 1, t}, {s, -1, -t}, {s, -t, 1}, {-s, -t, -1}}[face]
}

// neighbour returns the face, and the texel on it, for texel i, j outside of a face of n x n texels. The new face is
// that of the largest component of the direction to the texel's centre; for equal components Z has priority over Y.
// Source: rule CO6.
func neighbour(face, i, j, n int) (newFace, x, y int) {
	centre := func(i int) float64 { return (2*float64(i)+1)/float64(n) - 1 }
	d := direction(face, centre(i), centre(j))
	axis := 0
	if math.Abs(d[1]) >= math.Abs(d[0]) {
		axis = 1
	}
	if math.Abs(d[2]) >= max(math.Abs(d[0]), math.Abs(d[1])) {
		axis = 2
	}
	newFace = 2 * axis
	if d[axis] < 0 {
		newFace++
	}
	major := math.Abs(d[axis])
	s, t := inFace(newFace, [3]float64{d[0] / major, d[1] / major, d[2] / major})
	texel := func(v float64) int {
		return min(max(int(math.Floor((v+1)/2*float64(n))), 0), n-1)
	}
	return newFace, texel(s), texel(t)
}

// inFace is the inverse of direction.
func inFace(face int, d [3]float64) (s, t float64) {
	switch face {
	case 0:
		return -d[2], -d[1]
	case 1:
		return d[2], -d[1]
	case 2:
		return d[0], d[2]
	case 3:
		return d[0], -d[2]
	case 4:
		return d[0], -d[1]
	}
	return -d[0], -d[1]
}

// unfold returns the position in the plane of face home of the point x, y (1 to 2) on face away, when away is rotated
// around the common edge. The opposite face is infinitely far away in x, which gives an LOD above any MAX_LOD.
// Source: rule LO1.
func unfold(home, away int, x, y float64) (u, v float64) {
	switch {
	case home == away:
		return x, y
	case home/2 == away/2:
		return math.Inf(1), y
	}
	sign := func(face int) float64 { return 1 - 2*float64(face&1) }
	p := direction(away, 2*(x-1)-1, 2*(y-1)-1)
	p[away/2] = sign(away) * (2 - sign(home)*p[home/2]) // the same distance beyond the edge
	p[home/2] = sign(home)
	s, t := inFace(home, p)
	return (s+1)/2 + 1, (t+1)/2 + 1
}
