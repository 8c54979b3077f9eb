package imgtest

import (
	"math"

	"github.com/gcnsim/gcnsim/gcn"
)

// address is what the address VGPRs say of a lane. Coordinates and LOD are integers or
// floats as the instruction has them; halves are widened.
type address struct {
	offset                 [3]int
	bias, compare          uint32
	deriv                  [2][3]uint32 // along h and v
	xyz                    [3]uint32
	slice, field, fragment uint32
	lod, clamp             uint32
	ignored                uint32 // DA of a type without slices
	vgprs                  int    // that the address takes
}

// reader takes address VGPRs of a lane one after the other.
type reader struct {
	c     *Call
	half  func(uint32) uint32 // widens 16 bits
	lane  int
	next  int
	short bool // there are not enough
}

func (r *reader) whole() (v uint32) {
	if r.next < len(r.c.VAddr) {
		v = r.c.VAddr[r.next][r.lane]
	} else {
		r.short = true
	}
	r.next++
	return v
}

// list takes components that A16 packs two to a VGPR. Source: spec/images.md 1.4.
func (r *reader) list(parts []*uint32) {
	var v uint32
	for i, p := range parts {
		switch {
		case !r.c.A16:
			*p = r.whole()
		case i%2 == 0:
			v = r.whole()
			*p = r.half(v & 0xffff)
		default:
			*p = r.half(v >> 16)
		}
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

// address reads the address of a lane: offset, bias, z-compare, derivatives, body, clamp
// or lod. Source: seed GcnMemHandling, layout of the address; spec/images.md 1.3, 1.4.
func (c *Call) address(o *op, img *gcn.Image, lane int) (a address, err error) {
	r := reader{c: c, lane: lane, half: func(v uint32) uint32 { return v }}
	if o.sampler() {
		r.half = func(v uint32) uint32 { return smallFloat(v&0x7fff, 10) | v>>15<<31 }
	}
	if o.offset {
		v := r.whole()
		for i := range a.offset {
			a.offset[i] = int(int32(v>>(8*i)<<26) >> 26)
		}
	}
	if o.bias {
		a.bias = r.whole()
		if c.A16 {
			a.bias = r.half(a.bias & 0xffff)
		}
	}
	if o.compare {
		a.compare = r.whole()
	}
	n := dims(img.Type)
	if o.deriv {
		for i := range a.deriv {
			d := &a.deriv[i]
			r.list([]*uint32{&d[0], &d[1], &d[2]}[:n])
		}
	}
	r.list(a.body(c, o, img, n))
	a.vgprs = r.next
	if r.short {
		return a, unsupported("%s takes %d address VGPRs, not %d", c.Name, r.next, len(c.VAddr))
	}
	return a, nil
}

// body lists the coordinates and what follows them. Source: spec/images.md 1.2, 1.3.
func (a *address) body(c *Call, o *op, img *gcn.Image, n int) (body []*uint32) {
	if o.kind != resinfo {
		body = append(body, []*uint32{&a.xyz[0], &a.xyz[1], &a.xyz[2]}[:n]...)
		switch {
		case c.DA && layered(img.Type):
			body = append(body, &a.slice)
		case c.DA && n < 3:
			body = append(body, &a.ignored)
		}
		if msaa(img.Type) {
			body = append(body, &a.fragment)
		}
		if img.Interlaced && img.Type == gcn.Image2D {
			body = append(body, &a.field)
		}
	}
	if o.clamp {
		body = append(body, &a.clamp)
	}
	if o.lod || o.mip || o.kind == resinfo {
		body = append(body, &a.lod)
	}
	return body
}

// finite replaces NaN by 0 and infinity by the largest float. Source: spec/images.md 3.2.
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
