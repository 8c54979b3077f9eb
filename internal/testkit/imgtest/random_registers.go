package imgtest

import (
	"math"

	"github.com/gcnsim/gcnsim/gcn"
)

// registers creates random S#, border colours, and VGPRs.
func (d *dice) registers(c *Call) {
	if d.o.sampler() {
		d.sampler(c)
	}
	c.VData = make([][64]uint32, c.DataVGPRs()+2)
	for i := range c.VData {
		for lane := range c.VData[i] {
			c.VData[i][lane] = d.data(c)
		}
	}
	c.VAddr = make([][64]uint32, c.AddressVGPRs())
	for i := range c.VAddr {
		for lane := range c.VAddr[i] {
			c.VAddr[i][lane] = d.Uint32()
		}
	}
	normalized := !c.UNRM && !c.S.Fields(d.t.Gen()).Unnormalized
	for quad := range 16 {
		q := d.quad(normalized)
		for i := range 4 {
			a := d.texelAddress()
			if d.o.sampler() {
				a = d.pointAddress(q, i, normalized)
			}
			c.setAddress(&d.o, &d.img, 4*quad+i, &a)
		}
	}
}

// data creates a random data register: floats for stores that convert, small numbers for atomics.
func (d *dice) data(c *Call) uint32 {
	switch {
	case d.o.kind == atomic && d.f.num == float:
		return single(math.Round(d.Float64()*512-256) / 128)
	case d.o.kind == atomic:
		return d.Uint32() & pick(d, uint32(0xff), 0xff, 0xffffffff)
	case d.one(8):
		return d.Uint32()
	case d.f.integer():
		return uint32(int32(d.Uint32()) >> d.IntN(32))
	}
	v := single(d.Float64()*2.5 - 1.25)
	if d.one(20) {
		v = pick(d, uint32(0x7fc00000), 0x7f800000, 0xff800000, 0x80000000, 0, 0x3f800000, 0x7f7fffff)
	}
	if c.D16 {
		return half16(v, false) | d.Uint32()<<16
	}
	return v
}

// sampler creates a random S# and border colours.
func (d *dice) sampler(c *Call) {
	lod := func() float32 { return float32(d.IntN(256*(d.full.LastLevel+2))) / 256 }
	xy := uint8(d.IntN(2))
	s := gcn.SamplerState{
		Clamp:   [3]gcn.Clamp{gcn.Clamp(d.IntN(8)), gcn.Clamp(d.IntN(8)), gcn.Clamp(d.IntN(8))},
		Compare: uint8(d.IntN(8)), TruncCoord: d.one(4), CoordTrunc: d.one(25), ForceDegamma: d.one(20),
		SkipDegamma: d.one(20), NoCubeWrap: d.one(4),
		MaxLOD: 16, MagFilter: xy, MinFilter: xy, ZFilter: uint8(d.IntN(3)), MipFilter: uint8(d.IntN(3)),
		BorderColorType: uint8(d.IntN(4)), BorderColorPtr: d.IntN(5), Unnormalized: d.one(20) && d.img.Type != gcn.ImageCube,
	}
	for i := range s.Clamp { // no source describes half-border modes for gathers that do not blend
		if d.o.kind == gather && d.f.integer() && (s.Clamp[i] == gcn.ClampHalfBorder ||
			s.Clamp[i] == gcn.ClampMirrorOnceHalfBorder) {
			s.Clamp[i] = gcn.ClampBorder
		}
	}
	if d.one(4) {
		s.MinFilter ^= 1
	}
	if d.one(8) { // anisotropic
		s.MagFilter, s.MinFilter, s.MaxAniso, s.AnisoOverride = s.MagFilter|2, s.MinFilter|2, uint8(d.IntN(5)), d.one(3)
	}
	if d.one(4) {
		s.LODBias = float32(d.IntN(1024)-512) / 256
	}
	if d.one(8) {
		s.LODBiasSec = float32(d.IntN(64)-32) / 16
	}
	if d.one(4) {
		s.MinLOD, s.MaxLOD = lod(), lod()
	}
	if d.one(6) {
		s.FilterMode = uint8(1 + d.IntN(2))
	}
	c.S = gcn.SSharp(s.On(d.t.Gen()).Words(d.t.Gen()))
	c.Border = make([][4]uint32, 4)
	for i := range c.Border {
		for k := range c.Border[i] {
			c.Border[i][k] = single(d.Float64()*3 - 1.5)
			if d.f.integer() {
				c.Border[i][k] = uint32(int32(d.Uint32()) >> d.IntN(32))
			}
		}
	}
}

// texelAddress creates a random integer address, mostly in range.
func (d *dice) texelAddress() (a address) {
	coord := func(n int) uint32 {
		switch d.IntN(20) {
		case 0:
			return d.Uint32()
		case 1:
			return uint32(n + d.IntN(3) - 1)
		}
		return uint32(d.IntN(max(1, n)))
	}
	a.lod = coord(d.img.LastLevel - d.img.BaseLevel + 1)
	level := d.img.BaseLevel
	if d.o.mip {
		level += int(min(a.lod, 15))
	}
	for i, n := range [3]int{d.img.Width, d.img.Height, d.img.Depth} {
		a.xyz[i] = coord(max(1, n>>level))
	}
	a.slice = coord(d.img.Depth)
	if d.img.LastArray > 0 {
		a.slice = coord(d.img.LastArray - d.img.BaseArray + 1)
	}
	a.fragment, a.field, a.ignored = coord(1<<d.img.LastLevel), d.Uint32()&1, d.Uint32()
	return a
}

// quad is the footprint of a quad: the coordinates of its first lane, the distances to its neighbours in x and y, in
// units of coordinates, and the cube face.
type quad struct {
	at, dx, dy [3]float64
	token      uint32
}

// extent returns the range of a coordinate on an axis.
func (d *dice) extent(axis int, normalized bool) float64 {
	if normalized {
		return 1
	}
	return float64([3]int{d.img.Width, d.img.Height, d.img.Depth}[axis])
}

// quad creates a random footprint whose size fits some level.
func (d *dice) quad(normalized bool) (q quad) {
	for i := range q.at {
		size := float64([3]int{d.img.Width, d.img.Height, d.img.Depth}[i])
		extent := d.extent(i, normalized)
		step := math.Exp2(d.Float64()*float64(d.full.LastLevel+3)-2) / size * extent
		q.dx[i], q.dy[i] = d.NormFloat64()*step, d.NormFloat64()*step
		q.at[i] = (d.Float64()*1.4 - 0.2) * extent
		if d.one(4) { // on a multiple of 1/256 texel, or on an edge or a centre
			grid := size * pick(d, 256.0, 256, 2)
			q.at[i] = math.Round(q.at[i]/extent*grid) / grid * extent
		}
		if d.img.Type == gcn.ImageCube {
			q.at[i] = (math.Round(d.Float64()*size*16)/(size*16) + 1) * extent
		}
	}
	if d.one(8) {
		q.dx, q.dy = [3]float64{}, [3]float64{}
	}
	q.token = d.slice(single)
	return q
}

// pointAddress creates the address of lane i of a quad.
func (d *dice) pointAddress(q quad, i int, normalized bool) (a address) {
	strange := func(v float64) uint32 {
		if d.one(150) {
			v = pick(d, math.NaN(), math.Inf(1), math.Inf(-1), 1e30, -1e30, 1e9, -12345.678, 1e-30, 0)
		}
		return single(v)
	}
	for k := range q.at {
		v := q.at[k]
		if i&1 != 0 {
			v += q.dx[k]
		}
		if i&2 != 0 {
			v += q.dy[k]
		}
		a.xyz[k] = strange(v)
		if d.img.Type == gcn.ImageCube { // coordinates in the range that the V_CUBE* instructions produce
			extent := d.extent(k, normalized)
			a.xyz[k] = single(min(max(v, extent), 2*extent))
		}
		a.deriv[0][k], a.deriv[1][k] = strange(q.dx[k]), strange(q.dy[k])
	}
	levels := float64(d.full.LastLevel)
	lod := func() float64 {
		v := d.Float64()*(levels+3) - 1.5
		if d.one(3) {
			v = math.Round(v)
		}
		return v
	}
	a.lod, a.clamp, a.bias = strange(lod()), strange(lod()), strange(d.Float64()*4-2)
	a.compare = strange(d.Float64()*2.4 - 1.2)
	if d.one(4) {
		a.compare = single(float64(d.IntN(256)) / 255)
	}
	a.slice = d.slice(strange)
	a.offset = d.Uint32()&^0x3f3f3f | d.offset() | d.offset()<<8 | d.offset()<<16
	if d.img.Type == gcn.ImageCube { // no API has offsets for cubes; most quads stay within a face
		a.offset &^= 0x3f3f3f
		if !d.one(8) {
			a.slice = q.token
		}
	}
	a.ignored, a.field, a.fragment = d.Uint32(), d.Uint32()&1, d.Uint32()
	return a
}

// offset creates a random offset of 6 bits.
func (d *dice) offset() uint32 {
	if d.one(8) {
		return d.Uint32() & 63
	}
	return uint32(d.IntN(7)-3) & 63
}

// slice creates a random slice number. For cubes it combines layer and face.
func (d *dice) slice(strange func(float64) uint32) uint32 {
	layers := d.img.LastArray - d.img.BaseArray + 1
	if d.vega {
		layers = d.img.Depth - d.img.BaseArray
	}
	if d.img.Type == gcn.ImageCube {
		layer := float64(d.IntN(layers/6 + 1 + d.IntN(2)))
		return single(8*layer + float64(d.IntN(6)))
	}
	v := d.Float64()*float64(layers+1) - 0.75
	if !d.one(4) {
		v = math.Round(v)
	}
	return strange(v)
}
