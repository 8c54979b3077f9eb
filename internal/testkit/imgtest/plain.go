package imgtest

import (
	"encoding/binary"
	"errors"
	"math"
	"math/bits"
	"strings"

	"github.com/gcnsim/gcnsim/gcn"
)

// picked returns the components of a texel that DMASK enables, in the instruction's result format. DMASK 0 returns
// one zero. Source: rules IM5 and IM6.
func (r *run) picked(c [4]uint32) (values []uint32) {
	if r.DMASK&15 == 0 {
		return []uint32{0}
	}
	for i, v := range c {
		if r.DMASK>>i&1 != 0 {
			values = append(values, r.narrow(v))
		}
	}
	return values
}

// narrow converts a result to D16: integers to their low bits, 32-bit floats in memory toward zero, other floats to
// nearest even. Source: rule IM6.
func (r *run) narrow(v uint32) uint32 {
	switch f := r.img.f; {
	case !r.D16:
		return v
	case f == nil:
		return 0
	case f.integer():
		return v & 0xffff
	default:
		return half16(v, f.singles())
	}
}

// load executes IMAGE_LOAD*. Source: rules IM5, IM7, IM8, IF5 and CO1.
func (r *run) load(lane int, a *address) error {
	p, in := r.img.texel(a, r.op.mip)
	var c [4]uint32
	if r.img.f != nil && r.DMASK&15 != 0 {
		b, err := make([]byte, r.img.f.bytes), error(nil)
		if in {
			b, err = r.read(p)
		}
		switch {
		case !in && strings.HasPrefix(r.img.f.name, "BC"): // no block is decoded for an out-of-range texel
			c = r.img.f.sel(c, r.img.DstSel)
		case errors.Is(err, errFailed):
		case err != nil:
			return err
		case r.op.pck:
			c = r.raw(b)
		default:
			c = r.img.f.sel(r.img.f.decode(b, p.x, p.y, 0), r.img.DstSel)
		}
	}
	r.put(lane, r.picked(c))
	if r.img.f == nil {
		return nil
	}
	lod := 0.0
	if r.op.mip {
		lod = float64(a.lod)
	}
	r.finish(lod)
	return nil
}

// finish writes the status of a load or sample: for TFE if a texel is unmapped, for LWE if the LOD is below
// MIN_LOD_WARN. Source: rules IM5 and IM7.
func (r *run) finish(lod float64) {
	failed := r.TFE && r.res.Failed>>r.lane&1 != 0
	warn := r.LWE && max(lod, 0)+float64(r.img.BaseLevel) < float64(r.img.MinLODWarn)
	if failed || warn {
		r.status(r.DataVGPRs())
	}
}

// raw returns a texel for PCK instructions: its dwords. A smaller texel is zero- or sign-extended. Source: rule IM8.
func (r *run) raw(b []byte) (c [4]uint32) {
	for i, v := range b {
		c[i/4] |= uint32(v) << (i % 4 * 8)
	}
	if n := len(b); r.op.sgn && n < 4 {
		c[0] = uint32(int32(c[0]<<(32-8*n)) >> (32 - 8*n))
	}
	return c
}

// store executes IMAGE_STORE*. Source: rules IM5, IM6, IM8, IF5 and CO1.
func (r *run) store(lane int, a *address) error {
	f := r.img.f
	p, in := r.img.texel(a, r.op.mip)
	if f == nil || !in || r.DMASK&15 == 0 || !r.op.pck && !f.storable() {
		return nil
	}
	if f.fmask() && !r.op.pck {
		return unsupported("stores to %s", f.name)
	}
	var regs [4]uint32
	n := 0
	for i := range regs {
		if r.DMASK>>i&1 != 0 {
			regs[i] = r.widen(r.get(lane, n))
			n++
		}
	}
	b, err := r.read(p)
	if errors.Is(err, errFailed) {
		r.finishStore()
		return nil
	} else if err != nil {
		return err
	}
	if r.op.pck {
		for i := range b {
			b[i] = byte(regs[i/4] >> (i % 4 * 8))
		}
		return nil
	}
	var c [4]uint32
	for j := range c { // the lowest component whose DST_SEL is j
		for i := 3; i >= 0; i-- {
			if r.img.DstSel[i] == gcn.Sel(4+j) {
				c[j] = regs[i]
			}
		}
	}
	copy(b, f.encode(c))
	return nil
}

func (r *run) finishStore() {
	if r.TFE {
		r.status(r.DataVGPRs())
	}
}

// widen converts D16 data to 32 bits. Source: rule IM6.
func (r *run) widen(v uint32) uint32 {
	switch {
	case !r.D16, r.img.f.num == uintNum:
		return v
	case r.img.f.num == sintNum:
		return uint32(int32(int16(v)))
	}
	return widen16(v)
}

// resinfo executes IMAGE_GET_RESINFO. Source: rule IM10.
func (r *run) resinfo(lane int, a *address) error {
	m := r.img
	var c [4]uint32
	if m.Type >= gcn.Image1D {
		c[3] = uint32(m.last + 1)
		if a.lod <= uint32(m.last) {
			size := m.size(m.BaseLevel + int(a.lod))
			c[0] = uint32(size[0])
			switch m.Type {
			case gcn.Image1D:
			case gcn.Image1DArray:
				c[1] = uint32(m.layers)
			case gcn.Image3D:
				c[1], c[2] = uint32(size[1]), uint32(size[2])
			default:
				c[1] = uint32(size[1])
				if layered(m.Type) {
					c[2] = uint32(m.layers)
				}
			}
		}
	}
	r.put(lane, r.picked(c))
	return nil
}

// atomic executes IMAGE_ATOMIC_*. Source: rules IM5 and IM11.
func (r *run) atomic(lane int, a *address) error {
	n := map[uint32]int{1: 4, 3: 8}[r.DMASK]
	swap := strings.HasSuffix(r.op.atomic, "cmpswap")
	if swap {
		n = map[uint32]int{3: 4, 15: 8}[r.DMASK]
	}
	f := r.img.f
	if n == 0 || f != nil && f.bytes != n {
		return unsupported("%s with DMASK 0x%x", r.Name, r.DMASK)
	}
	words := n / 4
	operand := func(at int) (v uint64) {
		for i := range words {
			v |= uint64(r.VData[at+i][lane]) << (32 * i)
		}
		return v
	}
	src, cmp := operand(0), uint64(0)
	if swap {
		cmp = operand(words)
	}
	var old uint64
	if p, in := r.img.texel(a, false); in && f != nil {
		b, err := r.read(p)
		switch {
		case errors.Is(err, errFailed):
			r.finishStore()
		case err != nil:
			return err
		case n == 4:
			old = uint64(binary.LittleEndian.Uint32(b))
		default:
			old = binary.LittleEndian.Uint64(b)
		}
		if b != nil {
			v, err := modify(r.op.atomic, old, src, cmp, 8*n)
			if err != nil {
				return err
			}
			for i := range b {
				b[i] = byte(v >> (8 * i))
			}
		}
	}
	if r.GLC {
		for i := range words {
			r.VData[i][lane] = uint32(old >> (32 * i))
		}
	}
	return nil
}

// modify returns the new memory value of an atomic with the given width. Source: rule IM11; floats: rule DP9.
func modify(name string, m, d, cmp uint64, width int) (uint64, error) {
	signed := func(v uint64) int64 { return int64(v<<(64-width)) >> (64 - width) }
	num := func(v uint64) float64 {
		if width == 32 {
			return value(uint32(v))
		}
		return math.Float64frombits(v)
	}
	if width == 32 {
		m, d, cmp = m&math.MaxUint32, d&math.MaxUint32, cmp&math.MaxUint32
	}
	choose := func(cond bool, v uint64) uint64 {
		if cond {
			return v
		}
		return m
	}
	switch name {
	case "swap":
		return d, nil
	case "cmpswap":
		return choose(m == cmp, d), nil
	case "add":
		return m + d, nil
	case "sub":
		return m - d, nil
	case "rsub":
		return d - m, nil
	case "and":
		return m & d, nil
	case "or":
		return m | d, nil
	case "xor":
		return m ^ d, nil
	case "smin":
		return choose(signed(d) < signed(m), d), nil
	case "umin":
		return min(m, d), nil
	case "smax":
		return choose(signed(d) > signed(m), d), nil
	case "umax":
		return max(m, d), nil
	case "inc":
		if m >= d {
			return 0, nil
		}
		return m + 1, nil
	case "dec":
		if m == 0 || m > d {
			return d, nil
		}
		return m - 1, nil
	case "fcmpswap":
		return choose(num(m) == num(cmp), d), nil
	case "fmin":
		return choose(num(d) < num(m), d), nil
	case "fmax":
		return choose(num(d) > num(m), d), nil
	}
	return 0, unsupported("image_atomic_%s", name)
}

// lowest returns the index of the component that a gather returns. Source: rule IM5.
func (r *run) lowest() int { return bits.TrailingZeros32(r.DMASK | 16) }
