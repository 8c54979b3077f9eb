package tile

import (
	"math/bits"

	"github.com/gcnsim/gcnsim/internal/base/simd"
)

// equation returns the equation of level i. The level must exist.
func (l *Layout) equation(i int) (e equation) {
	s, v := &l.Surface, &l.levels[i]
	e.base = v.Offset
	switch {
	case l.swizzle.mode != nil:
		l.swizzleEquation(&e, v)
	case arrayModes[v.mode].family == linear:
		plane := uint64(v.Pitch) * uint64(max(v.Rows, l.ChainHeight)) // on GCN 1.4 each slice contains all levels
		e.fill(&linearRows{uint64(s.Bytes), uint64(v.Pitch), plane, plane * uint64(v.Slices)})
	case arrayModes[v.mode].family == micro:
		m := newMicroTile(l.tiling.micro, v.mode.thickness(), s)
		tile := uint64(l.tiling.fullTile(s, v.mode.thickness()))
		e.fill(&microTiles{m, tile, tile * uint64(v.Pitch/8), tile * uint64(v.Pitch/8) * uint64(v.Rows/8)})
	default:
		m := newMacroTiles(l, v)
		e.fill(&m)
		e.rot = m.rotation(s)
	}
	return e
}

// Addr returns the byte address of one element relative to the base. x and y are in elements; z is a depth, layer or
// face. The error is a *[Error]. A [Plan] is faster for many elements.
func (l *Layout) Addr(level, x, y, z, sample int) (uint64, error) {
	outside := func(v, n int) bool { return v < 0 || v >= n }
	if outside(level, l.Surface.Levels) {
		return 0, l.noElement(level, x, y, z, sample)
	}
	v := &l.levels[level]
	if outside(x, v.Width) || outside(y, v.Height) || outside(z, v.Depth) || outside(sample, l.Surface.Samples) {
		return 0, l.noElement(level, x, y, z, sample)
	}
	e := l.equation(level)
	return e.addr(uint32(x), uint32(y), uint32(z), uint32(sample)), nil
}

// Plan holds a level's terms in one table per coordinate, so that an address takes one look-up per coordinate. A Plan
// is never changed; goroutines may share it.
type Plan struct {
	base       uint64
	x, y, z, s []term
}

// Plan prepares up to n slices of level i. Slice first becomes z = 0. Addresses are absolute; base is the address of
// the surface. The error is a *[Error].
func (l *Layout) Plan(i int, base uint64, first, n int) (*Plan, error) {
	if i < 0 || i >= l.Surface.Levels {
		return nil, l.noElement(i, 0, 0, 0, 0)
	}
	v, e := &l.levels[i], l.equation(i)
	terms := make([]term, v.Width+v.Height+v.Depth+l.Surface.Samples)
	table := func(bitTerms []term, n int) []term {
		t := terms[:n:n]
		terms = terms[n:]
		for c := 1; c < n; c++ { // c without its lowest bit is in the table already
			t[c] = t[c&(c-1)].Plus(bitTerms[bits.TrailingZeros(uint(c))])
		}
		return t
	}
	p := &Plan{base: base + e.base, x: table(e.x[:], v.Width), y: table(e.y[:], v.Height), z: table(e.z[:], v.Depth),
		s: table(e.s[:], l.Surface.Samples)}
	for z := range p.z {
		p.z[z].Xor ^= e.flip ^ e.rot.xor(uint32(z))
	}
	first = min(max(first, 0), len(p.z))
	p.z = p.z[first:min(first+max(n, 0), len(p.z))]
	return p, nil
}

// zeros is the value of a coordinate that the caller does not pass.
var zeros [64]uint32

func orZeros(c *[64]uint32) *[64]uint32 {
	if c == nil {
		return &zeros
	}
	return c
}

// few is the number of lanes up to which a loop over lanes is faster than computing all 64.
const few = 16

// Lanes sets addrs for the lanes of mask whose element exists, and returns those lanes. x, y, z and sample are the
// coordinates of the elements; nil means 0 in all lanes. Addresses of lanes outside of mask do not change.
func (p *Plan) Lanes(addrs *[64]uint64, mask uint64, x, y, z, sample *[64]uint32) (in uint64) {
	switch {
	case sample != nil, bits.OnesCount64(mask) <= few:
		return p.eachLane(addrs, mask, orZeros(x), orZeros(y), orZeros(z), orZeros(sample))
	case mask == ^uint64(0):
		return p.allLanes(addrs, x, y, z)
	}
	var all [64]uint64
	in = p.allLanes(&all, x, y, z) & mask
	simd.Merge64(addrs, &all, in)
	return in
}

// eachLane does the work of Lanes in a loop over the lanes.
func (p *Plan) eachLane(addrs *[64]uint64, mask uint64, cx, cy, cz, cs *[64]uint32) (in uint64) {
	tx, ty, tz, ts := p.x, p.y, p.z, p.s
	for m := mask; m != 0; m &= m - 1 {
		i := bits.TrailingZeros64(m) & 63
		x, y, z, s := uint(cx[i]), uint(cy[i]), uint(cz[i]), uint(cs[i])
		if x < uint(len(tx)) && y < uint(len(ty)) && z < uint(len(tz)) && s < uint(len(ts)) {
			t := tx[x].Plus(ty[y]).Plus(tz[z]).Plus(ts[s])
			addrs[i] = p.base + t.Add + t.Xor
			in |= 1 << i
		}
	}
	return in
}

// allLanes does the work of Lanes for all 64 lanes and sample 0.
func (p *Plan) allLanes(addrs *[64]uint64, x, y, z *[64]uint32) (in uint64) {
	switch {
	case p.empty():
		return 0
	case z == nil:
		return simd.Terms(addrs, p.first(), p.x, p.y, orZeros(x), orZeros(y))
	}
	return simd.Terms3(addrs, term{Add: p.base}, p.x, p.y, p.z, orZeros(x), orZeros(y), z)
}

// empty reports whether the level has no elements.
func (p *Plan) empty() bool { return len(p.x) == 0 || len(p.y) == 0 || len(p.z) == 0 || len(p.s) == 0 }

// first returns the term that all elements of slice 0 share.
func (p *Plan) first() term { return p.z[0].Plus(term{Add: p.base}) }

// Square computes addresses as Lanes does, for the four elements with two x and two y coordinates in each lane, of
// sample 0. Bit 0 of the index in addrs selects the x, bit 1 the y. It returns the lanes whose four elements all
// exist; the addresses of other lanes are undefined.
func (p *Plan) Square(addrs *[4]*[64]uint64, x, y [2]*[64]uint32, z *[64]uint32) (in uint64) {
	switch {
	case p.empty():
		return 0
	case z == nil:
		return simd.Square(addrs, p.first(), p.x, p.y, x, y)
	}
	in = ^uint64(0)
	for i, to := range addrs {
		in &= p.allLanes(to, x[i&1], y[i>>1], z)
	}
	return in
}
