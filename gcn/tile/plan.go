package tile

import (
	"math/bits"
	"unsafe"
)

// equation returns the equation of level i, which must exist.
func (l *Layout) equation(i int) (e equation) {
	s, v := &l.Surface, &l.levels[i]
	e.base = v.Offset
	switch {
	case l.swizzle.mode != nil:
		l.swizzleEquation(&e, v)
	case arrayModes[v.Mode].family == linear:
		plane := uint64(v.Pitch) * uint64(max(v.Rows, l.ChainHeight)) // GCN 1.4: a slice has all levels
		e.fill(&linearRows{uint64(s.Bytes), uint64(v.Pitch), plane, plane * uint64(v.Slices)})
	case arrayModes[v.Mode].family == micro:
		m := newMicroTile(l.tiling.micro, v.Mode.thickness(), s)
		tile := uint64(l.tiling.fullTile(s, v.Mode.thickness()))
		e.fill(&microTiles{m, tile, tile * uint64(v.Pitch/8), tile * uint64(v.Pitch/8) * uint64(v.Rows/8)})
	default:
		m := newMacroTiles(l, v)
		e.fill(&m)
		e.rot = m.rotation(s)
	}
	return e
}

// Addr returns the byte address of one element relative to the base: x and y in elements,
// z a depth, layer or face. The error is a *[Error]. A [Plan] is faster for many.
func (l *Layout) Addr(level, x, y, z, sample int) (uint64, error) {
	outside := func(v, n int) bool { return v < 0 || v >= n }
	if outside(level, l.Surface.Levels) {
		return 0, noElement(level, x, y, z, sample)
	}
	v := &l.levels[level]
	if outside(x, v.Width) || outside(y, v.Height) || outside(z, v.Depth) || outside(sample, l.Surface.Samples) {
		return 0, noElement(level, x, y, z, sample)
	}
	e := l.equation(level)
	return e.addr(uint32(x), uint32(y), uint32(z), uint32(sample)), nil
}

// Plan holds a level's terms by coordinate: an address is one look-up per coordinate.
// A Plan can be shared once made.
type Plan struct {
	base       uint64
	x, y, z, s []term
}

// Plan prepares level i. The error is a *[Error].
func (l *Layout) Plan(i int) (*Plan, error) {
	if i < 0 || i >= l.Surface.Levels {
		return nil, noLevel(i)
	}
	v, e := &l.levels[i], l.equation(i)
	terms := make([]term, v.Width+v.Height+v.Depth+l.Surface.Samples)
	table := func(bitTerms []term, n int) []term {
		t := terms[:n:n]
		terms = terms[n:]
		for c := 1; c < n; c++ { // c without its lowest bit is done
			t[c] = t[c&(c-1)].plus(bitTerms[bits.TrailingZeros(uint(c))])
		}
		return t
	}
	p := &Plan{base: e.base, x: table(e.x[:], v.Width), y: table(e.y[:], v.Height), z: table(e.z[:], v.Depth), s: table(e.s[:], l.Surface.Samples)}
	for z := range p.z {
		p.z[z].xor ^= e.flip ^ e.rot.xor(uint32(z))
	}
	return p, nil
}

// PlanBytes returns the size of the tables of the plan of level i, which must exist.
func (l *Layout) PlanBytes(i int) int {
	v := &l.levels[i]
	return (v.Width + v.Height + v.Depth + l.Surface.Samples) * int(unsafe.Sizeof(term{}))
}

// At returns p with addresses relative to where the surface's base is 0: base is the
// address that [Layout.Base] returns.
func (p *Plan) At(base uint64) *Plan {
	at := *p
	at.base += base
	return &at
}

// Slices returns p with n slices from first on, as far as there are any: slice first
// becomes z = 0.
func (p *Plan) Slices(first, n int) *Plan {
	part := *p
	first = min(max(first, 0), len(p.z))
	part.z = p.z[first:min(first+max(n, 0), len(p.z))]
	return &part
}

// Coords are the coordinates of the elements that 64 lanes access; nil is 0 in all lanes.
type Coords struct{ X, Y, Z, Sample *[64]uint32 }

// zeros is a coordinate that is not given.
var zeros [64]uint32

// Lanes sets addrs, relative to the surface's base, for the lanes of mask whose element
// exists, and returns those lanes. Other addresses are kept.
func (p *Plan) Lanes(addrs *[64]uint64, mask uint64, c *Coords) (in uint64) {
	cx, cy, cz, cs := orZeros(c.X), orZeros(c.Y), orZeros(c.Z), orZeros(c.Sample)
	if mask == ^uint64(0) && c.Sample == nil && len(p.s) > 0 && len(p.z) > 0 {
		if c.Z == nil {
			return p.flat(addrs, cx, cy)
		}
		return p.solid(addrs, cx, cy, cz)
	}
	tx, ty, tz, ts := p.x, p.y, p.z, p.s
	for m := mask; m != 0; m &= m - 1 {
		i := bits.TrailingZeros64(m) & 63
		x, y, z, s := uint(cx[i]), uint(cy[i]), uint(cz[i]), uint(cs[i])
		if x < uint(len(tx)) && y < uint(len(ty)) && z < uint(len(tz)) && s < uint(len(ts)) {
			a, b, d, e := &tx[x], &ty[y], &tz[z], &ts[s]
			addrs[i] = p.base + a.add + b.add + d.add + e.add + (a.xor ^ b.xor ^ d.xor ^ e.xor)
			in |= 1 << i
		}
	}
	return in
}

func orZeros(c *[64]uint32) *[64]uint32 {
	if c == nil {
		return &zeros
	}
	return c
}

// flat is Lanes for all lanes, slice and sample 0.
func (p *Plan) flat(addrs *[64]uint64, cx, cy *[64]uint32) (in uint64) {
	var out uint64
	tx, ty := p.x, p.y
	base, flip := p.base+p.z[0].add, p.z[0].xor
	for i := range addrs {
		x, y := uint(cx[i]), uint(cy[i])
		if x >= uint(len(tx)) || y >= uint(len(ty)) {
			out |= 1 << i
			continue
		}
		a, b := &tx[x], &ty[y]
		addrs[i] = base + a.add + b.add + (a.xor ^ b.xor ^ flip)
	}
	return ^out
}

// solid is Lanes for all lanes, sample 0.
func (p *Plan) solid(addrs *[64]uint64, cx, cy, cz *[64]uint32) (in uint64) {
	var out uint64
	tx, ty, tz, base := p.x, p.y, p.z, p.base
	for i := range addrs {
		x, y, z := uint(cx[i]), uint(cy[i]), uint(cz[i])
		if x >= uint(len(tx)) || y >= uint(len(ty)) || z >= uint(len(tz)) {
			out |= 1 << i
			continue
		}
		a, b, d := &tx[x], &ty[y], &tz[z]
		addrs[i] = base + a.add + b.add + d.add + (a.xor ^ b.xor ^ d.xor)
	}
	return ^out
}

// Square is Lanes for the four elements that each lane accesses with two coordinates along
// x and two along y, of sample 0: bit 0 of the index in addrs says which x, bit 1 which y.
// It returns the lanes all of whose elements exist; addresses of others mean nothing.
func (p *Plan) Square(addrs *[4]*[64]uint64, x, y [2]*[64]uint32, z *[64]uint32) (in uint64) {
	if z == nil && len(p.s) > 0 && len(p.z) > 0 {
		return p.rows(addrs[0], addrs[1], x[0], x[1], y[0]) & p.rows(addrs[2], addrs[3], x[0], x[1], y[1])
	}
	in = ^uint64(0)
	for i, to := range addrs {
		in &= p.Lanes(to, ^uint64(0), &Coords{X: x[i&1], Y: y[i>>1], Z: z})
	}
	return in
}

// rows is flat for two elements of a row.
func (p *Plan) rows(left, right *[64]uint64, xa, xb, cy *[64]uint32) (in uint64) {
	var out uint64
	tx, ty := p.x, p.y
	base, flip := p.base+p.z[0].add, p.z[0].xor
	for i := range left {
		a, b, y := uint(xa[i]), uint(xb[i]), uint(cy[i])
		if a >= uint(len(tx)) || b >= uint(len(tx)) || y >= uint(len(ty)) {
			out |= 1 << i
			continue
		}
		t := &ty[y]
		add, xor := base+t.add, flip^t.xor
		t = &tx[a]
		left[i] = add + t.add + (xor ^ t.xor)
		t = &tx[b]
		right[i] = add + t.add + (xor ^ t.xor)
	}
	return ^out
}
