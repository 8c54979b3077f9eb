package imgtest

import (
	"math"

	"github.com/gcnsim/gcnsim/gcn"
)

// seamless is the clamp mode of cubes: texels outside are the texels of other faces.
const seamless = gcn.Clamp(8)

// axis is a coordinate in texels of a level.
type axis struct {
	i      int     // the texel
	f      float64 // the weight of the next one
	linear bool    // it has one
}

// axis converts a coordinate to texels of a level that has n of them. Source: rules CO2
// and CO3; half borders: rule CO4; gathers: rule IM9.
func (r *run) axis(u float64, n, offset int, mode gcn.Clamp, linear bool) axis {
	size, p := float64(n), finite(u)
	if r.img.Type == gcn.ImageCube { // the face spans 1 to 2: rule IM3
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

// nearestGather reports whether gathers leave out the half texel: those of integers before
// GCN 1.4. Source: rule IM9.
func (r *run) nearestGather() bool {
	return r.op.kind == gather && r.img.f.integer() && !r.vega()
}

// wrap returns the texel that stands for texel i of n, or that it is in the border.
// Source: rule CO4.
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

// integer rounds a slice or a token of a face to nearest even; NaN and what is negative is
// 0. Source: rule CO6, which decides for all samplers.
func (r *run) integer(v uint32, most int) int {
	x := max(finite(value(v)), 0)
	return int(min(math.RoundToEven(x), float64(most)))
}

// slice returns the slice in memory, and of cubes the face. Source: rules IM2, IM3 and
// CO6.
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
	if r.vega() { // the layer is clamped on its own
		token := math.RoundToEven(finite(value(v)))
		whole := math.Floor(token / 8)
		layer, face = int(min(max(whole, 0), float64(cubes-1))), min(int(token-8*whole), 5)
	} else {
		token := r.integer(v, 8*(cubes-1)+5)
		layer, face = token>>3, min(token&7, 5)
	}
	return m.BaseArray + 6*layer, face
}

// direction returns the direction of s, t of a face. Source: rule CO6.
func direction(face int, s, t float64) [3]float64 {
	return [6][3]float64{{1, -t, -s}, {-1, -t, s}, {s, 1, t}, {s, -1, -t}, {s, -t, 1}, {-s, -t, -1}}[face]
}

// neighbour returns the face and its texel for texel i, j outside of a face of n by n: the
// centre's direction has its largest part, in doubt Z, then Y, across the new face.
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

// unfold returns where x, y of face away, 1 to 2 across it, lie in the plane of face home
// if away is turned about the edge of both; the opposite face is infinitely far in x,
// which is above any MAX_LOD. Source: rule LO1.
func unfold(home, away int, x, y float64) (u, v float64) {
	switch {
	case home == away:
		return x, y
	case home/2 == away/2:
		return math.Inf(1), y
	}
	sign := func(face int) float64 { return 1 - 2*float64(face&1) }
	p := direction(away, 2*(x-1)-1, 2*(y-1)-1)
	p[away/2] = sign(away) * (2 - sign(home)*p[home/2]) // as far beyond the edge
	p[home/2] = sign(home)
	s, t := inFace(home, p)
	return (s+1)/2 + 1, (t+1)/2 + 1
}
