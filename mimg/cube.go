package mimg

import (
	"math"
	"math/bits"

	"github.com/gcnsim/gcnsim/internal/isa/format"
	"github.com/gcnsim/gcnsim/state"
)

// faces is the number of faces of a cube.
const faces = 6

// facePlane is the orientation of a face: the point s, t on it, from -1 to 1, is in the direction s*S + t*T + M.
type facePlane struct{ s, t, m [3]int64 }

// facePlanes are the faces +X, -X, +Y, -Y, +Z, -Z (rule CO6).
var facePlanes = [faces]facePlane{
	{s: [3]int64{0, 0, -1}, t: [3]int64{0, -1, 0}, m: [3]int64{1, 0, 0}},
	{s: [3]int64{0, 0, 1}, t: [3]int64{0, -1, 0}, m: [3]int64{-1, 0, 0}},
	{s: [3]int64{1, 0, 0}, t: [3]int64{0, 0, 1}, m: [3]int64{0, 1, 0}},
	{s: [3]int64{1, 0, 0}, t: [3]int64{0, 0, -1}, m: [3]int64{0, -1, 0}},
	{s: [3]int64{1, 0, 0}, t: [3]int64{0, -1, 0}, m: [3]int64{0, 0, 1}},
	{s: [3]int64{-1, 0, 0}, t: [3]int64{0, -1, 0}, m: [3]int64{0, 0, -1}},
}

// face returns the slice of the view for a cube coordinate, which is 8*layer + face. Faces 6 and 7 count as 5. Layer
// and face are clamped separately, or on some generations as one number. Source: rule IM3.
func (l *lookup) face(token float64) uint32 {
	layers := max(l.view.layers/faces, 1)
	if l.packed {
		token = float64(upTo(token, 8*(layers-1)+faces-1))
	}
	layer := math.Floor(token / 8)
	return uint32(min(faces*upTo(layer, layers-1)+upTo(token-8*layer, faces-1), l.view.layers-1))
}

func dot(a, b *[3]int64) int64 { return a[0]*b[0] + a[1]*b[1] + a[2]*b[2] }

// neighbour returns the texel for i, j beyond the edges of a face with n by n texels: the one in the direction of its
// centre. If axes are equal, Z takes precedence, then Y. Source: rule CO6.
func neighbour(face uint32, i, j, n int64) (f uint32, x, y int64) {
	p, a, b := &facePlanes[face], 2*i+1-n, 2*j+1-n
	var d, size [3]int64
	for k := range d {
		d[k] = a*p.s[k] + b*p.t[k] + n*p.m[k]
		size[k] = max(d[k], -d[k])
	}
	axis := 0
	if size[1] >= size[0] {
		axis = 1
	}
	if size[2] >= size[axis] {
		axis = 2
	}
	f = uint32(2 * axis)
	if d[axis] < 0 {
		f++
	}
	q, m := &facePlanes[f], size[axis]
	to := func(v int64) int64 { return min(max((v+m)*n/(2*m), 0), n-1) }
	return f, to(dot(&d, &q.s)), to(dot(&d, &q.t))
}

// unfolded returns the difference between a lane's coordinates and those of another lane on another face, which is
// unfolded about the edge that the faces share. It is infinite for the opposite face. Source: rule LO1.
func (x *sampling) unfolded(lane, other int) (d [3]float64) {
	p, q := &facePlanes[x.slice[lane]%faces], &facePlanes[x.slice[other]%faces]
	s, t := 2*x.coord[0][other]-1, 2*x.coord[1][other]-1
	along := func(axis *[3]int64) float64 {
		return s*float64(dot(&q.s, axis)) + t*float64(dot(&q.t, axis)) + float64(dot(&q.m, axis))
	}
	to := [2]float64{along(&p.s), along(&p.t)}
	bs, bt := dot(&q.m, &p.s), dot(&q.m, &p.t)
	switch beyond := 2 - along(&p.m); {
	case bs != 0:
		to[0] = float64(bs) * beyond
	case bt != 0:
		to[1] = float64(bt) * beyond
	default:
		to[0] = math.Inf(1)
	}
	for k := range to {
		d[k] = (to[k]+1)/2 - x.coord[k][lane]
	}
	return d
}

// beyond sets at and border of an axis of a face with n texels. Texels beyond the edges have numbers beyond the
// range, as signed numbers.
func (x *axis) beyond(n int) {
	const limit = 1 << 16 // more than the size of the largest face
	x.border = [2]uint64{}
	for i, q := range &x.pos {
		k := min(max(q>>stepBits, -limit), limit)
		x.at[0][i], x.at[1][i] = uint32(k), uint32(k+1)
		for j := range x.border {
			if x.at[j][i] >= uint32(n) {
				x.border[j] |= 1 << i
			}
		}
	}
}

// turn replaces the coordinates of the lanes of mask whose texel is beyond an edge of a face with n texels by those
// on the other face. Along the axes of inside, texels are moved to the edge first.
func (x *sampling) turn(c texels, n int64, mask uint64, inside [2]bool) texels {
	for d, from := range [...]*[state.NumLanes]uint32{c.X, c.Y, c.Z} {
		x.turned[d] = *from
	}
	for ; mask != 0; mask &= mask - 1 {
		i := bits.TrailingZeros64(mask) & 63
		at := [2]int64{int64(int32(c.X[i])), int64(int32(c.Y[i]))}
		for d := range at {
			if inside[d] {
				at[d] = min(max(at[d], 0), n-1)
			}
		}
		slice := c.Z[i]
		f, s, t := neighbour(slice%faces, at[0], at[1], n)
		x.turned[0][i], x.turned[1][i], x.turned[2][i] = uint32(s), uint32(t), slice-slice%faces+f
	}
	t := &x.turned
	return texels{X: &t[0], Y: &t[1], Z: &t[2]}
}

// cornerShares has the shares of the three texels around a corner, that of the own face first, in the nonexistent
// texel beyond two edges (rule CO6).
var cornerShares = [3]float64{21846. / 65536, 21845. / 65536, 21845. / 65536}

// cornerSides returns the axes along which texel k around a corner is moved to the edge.
func cornerSides(k int) [2]bool { return [2]bool{k != 1, k != 2} }

// corner sets dst to the texels beyond two edges in the lanes of mask, computed from texels after a comparison, if
// there is one (rule FI5). Integers are 0 (rule IM9).
func (x *sampling) corner(c texels, level int, mask uint64, dst *components) *state.Fault {
	var mean [format.MaxComponents][state.NumLanes]float64
	var part [format.MaxComponents]state.Lanes
	var parts components
	for i, d := range dst {
		if d != nil {
			parts[i] = part[i][:]
		}
	}
	n := int64(x.view.size[level].x)
	for k, share := range cornerShares {
		at := x.turn(c, n, mask, cornerSides(k))
		if f := x.fetch(&at, level, mask, &parts); f != nil {
			return f
		}
		for i, d := range parts {
			if d == nil {
				continue
			}
			if i >= x.view.format.Components {
				clear(d)
			}
			x.judge(d)
			for m := mask; m != 0; m &= m - 1 {
				lane := bits.TrailingZeros64(m) & 63
				mean[i][lane] += share * float64(math.Float32frombits(d[lane]))
			}
		}
	}
	for i, d := range dst {
		for m := mask; m != 0 && d != nil; m &= m - 1 {
			lane := bits.TrailingZeros64(m) & 63
			d[lane] = 0
			if x.view.format.Kind == format.Float {
				d[lane] = math.Float32bits(float32(mean[i][lane]))
			}
		}
	}
	return nil
}
