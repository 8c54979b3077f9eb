package mimg

import (
	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/gcn/format"
	"github.com/gcnsim/gcnsim/state"
)

// gathered is the order of the texels that GATHER4 returns, as tap numbers: lower left,
// lower right, upper right, upper left (rule IM9).
var gathered = [format.MaxComponents]uint8{2, 3, 1, 0}

// gather is GATHER4: component c of the four texels that a bilinear filter would take, of
// the lanes of mask, into the registers (rule IM9).
func (x *sampling) gather(regs *[format.MaxComponents]*state.Lanes, c, level int, mask uint64) *state.Fault {
	x.lay(&x.coord, level, 0)
	if x.s.bytes {
		return x.gatherBytes(regs, c, level, mask)
	}
	for i, t := range gathered {
		p := x.tap(t, level, mask, false)
		if f := x.gatherTap(&p, regs[i], c, level, mask); f != nil {
			return f
		}
	}
	return nil
}

// gatherBytes is gather of texels of four UNORM bytes after [sampling.lay].
func (x *sampling) gatherBytes(regs *[format.MaxComponents]*state.Lanes, c, level int, mask uint64) *state.Fault {
	if f := x.square(level, mask, false); f != nil || c == format.Absent {
		return f
	}
	var dst, words [format.MaxComponents][]uint32
	for i, t := range gathered {
		to := regs[i]
		if mask != x.exec {
			to = &x.texel[c]
		}
		dst[c], words[0] = to[:], x.bytes.words[t][:]
		x.s.view.format.Unpack(&dst, &words)
		state.Merge(regs[i], to, 0, mask)
	}
	return nil
}

// gatherTap puts component c of a tap, if it is not a constant, into the lanes of mask of
// a register.
func (x *sampling) gatherTap(p *tap, reg *state.Lanes, c, level int, mask uint64) *state.Fault {
	var dst [format.MaxComponents][]uint32
	direct := mask == x.exec
	switch {
	case c == format.Absent:
	case direct:
		dst[c] = reg[:]
	default:
		dst[c] = x.texel[c][:]
	}
	if f := x.texels(p, level, &dst); f != nil || c == format.Absent {
		return f
	}
	if !x.s.finite {
		canonical(dst[c])
	}
	if !direct {
		state.Merge(reg, &x.texel[c], 0, mask)
	}
	return nil
}

// gatherRow is GATHER4H: component c of four neighbours in a row, from one and a half
// texels to the left on. Clamp modes other than that to the border keep to the last texel
// (rule IM9).
func (x *sampling) gatherRow(regs *[format.MaxComponents]*state.Lanes, c, level int, mask uint64) *state.Fault {
	s := x.s
	var rulers [3]ruler
	for d := range x.dims {
		r, n := &rulers[d], s.view.size[level].along(d)
		*r = ruler{size: n, scale: float64(n), clamp: s.Clamp[d], round: downward}
		if s.texels {
			r.scale = 1
		}
		if r.clamp != gcn.ClampBorder {
			r.clamp = gcn.ClampLastTexel
		}
		if d == 0 {
			r.back = 1.5
		}
		x.axes[d].place(&x.coord[d], r)
		x.axes[d].wrap(r)
	}
	for i, reg := range regs {
		if i > 0 {
			for lane := range x.axes[0].pos {
				x.axes[0].pos[lane] += steps
			}
			x.axes[0].wrap(&rulers[0])
		}
		p := x.tap(0, level, mask, false)
		if f := x.gatherTap(&p, reg, c, level, mask); f != nil {
			return f
		}
	}
	return nil
}
