package imgtest

import (
	"math"

	"github.com/gcnsim/gcnsim/gcn"
)

// address is the address of a lane, read from the address VGPRs. Coordinates and LOD are 32-bit integers or floats,
// depending on the instruction, also with A16.
type address struct {
	offset, bias, compare  uint32
	deriv                  [2][3]uint32 // along the quad's horizontal and vertical direction
	xyz                    [3]uint32
	slice, field, fragment uint32
	lod, clamp             uint32
	ignored                uint32 // the slice of an image type without slices
}

// offsets returns the offsets of _O instructions in texels. Source: rule IM3.
func (a *address) offsets() (o [3]int) {
	for i := range o {
		o[i] = int(int32(a.offset>>(8*i)<<26) >> 26)
	}
	return o
}

// part is a component of an address with its position in the address VGPRs.
type part struct {
	of    func(*address) *uint32
	vgpr  int
	shift int  // 16 for the upper half of the VGPR
	half  bool // it has 16 bits
}

// parts lists the components of an address: offset, bias, z-compare, derivatives, body, clamp or lod. A16 packs two
// components into a VGPR, separately for each group of derivatives and for the body with what follows. Bias has a
// VGPR of its own. Offset and z-compare have 32 bits. Source: rules IM3 and IM4.
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

// body lists the coordinates and the components after them. Source: rules IM2 and IM3.
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

// address reads the address of a lane from the address VGPRs.
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

// setAddress writes an address to the address VGPRs. With A16, floats are rounded to 16 bits.
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

// dims returns the number of spatial coordinates of an image type.
func dims(t gcn.ImageType) int {
	switch t {
	case gcn.Image1D, gcn.Image1DArray:
		return 1
	case gcn.Image3D:
		return 3
	}
	return 2
}

// layered reports whether an image type has slices.
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

// number converts v to a float, NaN to 0.
func number(v uint32) float64 {
	if x := value(v); x == x {
		return x
	}
	return 0
}
