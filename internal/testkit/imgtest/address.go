package imgtest

import (
	"math"

	"github.com/gcnsim/gcnsim/gcn"
)

// address holds the address of a lane, from the address VGPRs. Coordinates and LOD are integers or
// floats as the instruction has them, of 32 bits also with A16.
type address struct {
	offset, bias, compare  uint32
	deriv                  [2][3]uint32 // along h and v
	xyz                    [3]uint32
	slice, field, fragment uint32
	lod, clamp             uint32
	ignored                uint32 // the slice of a type that has none
}

// offsets returns the offsets of _O in texels. Source: rule IM3.
func (a *address) offsets() (o [3]int) {
	for i := range o {
		o[i] = int(int32(a.offset>>(8*i)<<26) >> 26)
	}
	return o
}

// part is one of an address and its place in the address VGPRs.
type part struct {
	of    func(*address) *uint32
	vgpr  int
	shift int  // 16: in the upper half
	half  bool // it has 16 bits
}

// parts lists the parts of an address: offset, bias, z-compare, derivatives, body, clamp
// or lod. A16 packs the body with what follows two to a VGPR, and each group of
// derivatives; bias has a VGPR for itself, offset and z-compare have 32 bits. Source:
// rules IM3 and IM4.
func (c *Call) parts(o *op, img *gcn.Image) (all []part, vgprs int) {
	whole := func(half bool, of func(*address) *uint32) {
		all = append(all, part{of: of, vgpr: vgprs, half: half})
		vgprs++
	}
	list := func(list []func(*address) *uint32) {
		for i, of := range list {
			switch {
			case !c.A16 || i%2 == 0:
				whole(c.A16, of)
			default:
				all = append(all, part{of, vgprs - 1, 16, true})
			}
		}
	}
	if o.offset {
		whole(false, func(a *address) *uint32 { return &a.offset })
	}
	if o.bias {
		whole(c.A16, func(a *address) *uint32 { return &a.bias })
	}
	if o.compare {
		whole(false, func(a *address) *uint32 { return &a.compare })
	}
	n := dims(img.Type)
	if o.deriv {
		for dir := range 2 {
			list([]func(*address) *uint32{
				func(a *address) *uint32 { return &a.deriv[dir][0] },
				func(a *address) *uint32 { return &a.deriv[dir][1] },
				func(a *address) *uint32 { return &a.deriv[dir][2] },
			}[:n])
		}
	}
	list(c.body(o, img, n))
	return all, vgprs
}

// body lists the coordinates and what follows them. Source: rules IM2 and IM3.
func (c *Call) body(o *op, img *gcn.Image, n int) (body []func(*address) *uint32) {
	if o.kind != resinfo {
		body = append(body, []func(*address) *uint32{
			func(a *address) *uint32 { return &a.xyz[0] },
			func(a *address) *uint32 { return &a.xyz[1] },
			func(a *address) *uint32 { return &a.xyz[2] },
		}[:n]...)
		switch {
		case c.DA && layered(img.Type):
			body = append(body, func(a *address) *uint32 { return &a.slice })
		case c.DA && n < 3:
			body = append(body, func(a *address) *uint32 { return &a.ignored })
		}
		if msaa(img.Type) {
			body = append(body, func(a *address) *uint32 { return &a.fragment })
		}
		if img.Interlaced && img.Type == gcn.Image2D {
			body = append(body, func(a *address) *uint32 { return &a.field })
		}
	}
	if o.clamp {
		body = append(body, func(a *address) *uint32 { return &a.clamp })
	}
	if o.lod || o.mip || o.kind == resinfo {
		body = append(body, func(a *address) *uint32 { return &a.lod })
	}
	return body
}

// address reads the address of a lane.
func (c *Call) address(o *op, img *gcn.Image, lane int) (a address, err error) {
	parts, vgprs := c.parts(o, img)
	if vgprs > len(c.VAddr) {
		return a, unsupported("%s takes %d address VGPRs, not %d", c.Name, vgprs, len(c.VAddr))
	}
	for _, p := range parts {
		v := c.VAddr[p.vgpr][lane]
		if p.half {
			v = v >> p.shift & 0xffff
			if o.sampler() {
				v = widen16(v)
			}
		}
		*p.of(&a) = v
	}
	return a, nil
}

// setAddress is the inverse of address; floats are rounded to halves where A16 says so.
func (c *Call) setAddress(o *op, img *gcn.Image, lane int, a *address) {
	parts, _ := c.parts(o, img)
	for _, p := range parts {
		v, mask := *p.of(a), ^uint32(0)
		if p.half {
			if mask = 0xffff << p.shift; o.sampler() {
				v = half16(v, false)
			}
		}
		c.VAddr[p.vgpr][lane] = c.VAddr[p.vgpr][lane]&^mask | v<<p.shift&mask
	}
}

// dims returns how many coordinates in space a type has.
func dims(t gcn.ImageType) int {
	switch t {
	case gcn.Image1D, gcn.Image1DArray:
		return 1
	case gcn.Image3D:
		return 3
	}
	return 2
}

// layered reports whether a type has slices.
func layered(t gcn.ImageType) bool {
	switch t {
	case gcn.Image1DArray, gcn.Image2DArray, gcn.ImageCube, gcn.Image2DMSAAArray:
		return true
	}
	return false
}

func msaa(t gcn.ImageType) bool { return t == gcn.Image2DMSAA || t == gcn.Image2DMSAAArray }

// finite replaces NaN by 0 and infinity by the largest float. Source: rule CO2.
func finite(v float64) float64 {
	if v != v {
		return 0
	}
	return min(max(v, -math.MaxFloat32), math.MaxFloat32)
}

// number is NaN as 0.
func number(v uint32) float64 {
	if x := value(v); x == x {
		return x
	}
	return 0
}
