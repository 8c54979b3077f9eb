package mimg

import (
	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/base/simd"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/isa/format"
	"github.com/gcnsim/gcnsim/state"
)

// gathered has the tap numbers of GATHER4's results, in order: lower left, lower right, upper right, upper left (rule
// IM9).
var gathered = [format.MaxComponents]uint8{2, 3, 1, 0}

// gatherAll executes GATHER4 and GATHER4H for all lanes: it writes one component of four texels to the registers
// (rule IM9).
func (x *sampling) gatherAll(regs *[format.MaxComponents]*state.Lanes) *state.Fault {
	c := x.sel.from[0]
	for rest := x.exec; rest != 0; {
		g := x.lod.group(x.lookup, rest, x.exec)
		rest &^= g.lanes
		if x.levels.fixed && int32(g.level)*steps < x.levels.least {
			x.outside(regs)
			continue
		}
		x.lay(&x.coord, &x.filters[0].grids[g.level])
		var f *state.Fault
		switch {
		case x.o.row.Has(isa.RowOfTexels):
			f = x.gatherRow(regs, c, &g)
		case x.filters[0].bytes:
			f = x.gatherBytes(regs, c, &g)
		default:
			f = x.gather(regs, c, &g)
		}
		if f != nil {
			return f
		}
		x.count(g.level)
	}
	return nil
}

// outside sets the results of all lanes, except for constants, to those of texels out of range.
func (x *sampling) outside(regs *[format.MaxComponents]*state.Lanes) {
	for i, r := range regs[:x.o.count] {
		clear(r[:])
		if x.value.compares && x.sel.from[i] != format.Absent {
			x.compare(r[:])
		}
	}
}

// gather executes GATHER4 for a group after [sampling.lay]: it returns the texels that a bilinear filter would use.
func (x *sampling) gather(regs *[format.MaxComponents]*state.Lanes, c int, g *group) *state.Fault {
	for i, t := range gathered {
		p := x.tap(t, g.lanes)
		if f := x.gatherTap(&p, regs[i], c, g); f != nil {
			return f
		}
	}
	return nil
}

// gatherBytes does what gather does, for texels of four UNORM bytes.
func (x *sampling) gatherBytes(regs *[format.MaxComponents]*state.Lanes, c int, g *group) *state.Fault {
	if f := x.square(g.level, g.lanes); f != nil || c == format.Absent {
		return f
	}
	var dst, words components
	for i, t := range gathered {
		to := regs[i]
		if !g.whole {
			to = &x.texel[c]
		}
		dst[c], words[0] = to[:], x.bytes.words[t][:]
		x.view.format.Unpack(&dst, &words)
		executor.Merge(regs[i], to, 0, g.lanes)
	}
	return nil
}

// gatherTap writes component c of a tap, unless it is a constant, to a register in the lanes of a group.
func (x *sampling) gatherTap(p *tap, reg *state.Lanes, c int, g *group) *state.Fault {
	var dst components
	switch {
	case c == format.Absent:
	case g.whole:
		dst[c] = reg[:]
	default:
		dst[c] = x.texel[c][:]
	}
	if f := x.texels(p, g.level, &dst); f != nil || c == format.Absent {
		return f
	}
	if !x.value.finite {
		simd.Canonical((*state.Lanes)(dst[c]))
	}
	if !g.whole {
		executor.Merge(reg, &x.texel[c], 0, g.lanes)
	}
	return nil
}

// gatherRow executes GATHER4H: four texels in a row, starting one and a half texels to the left.
func (x *sampling) gatherRow(regs *[format.MaxComponents]*state.Lanes, c int, g *group) *state.Fault {
	for i, reg := range regs {
		if i > 0 {
			for lane := range x.axes[0].pos {
				x.axes[0].pos[lane] += steps
			}
			x.axes[0].wrap(&x.filters[0].grids[g.level][0])
		}
		p := x.tap(0, g.lanes)
		if f := x.gatherTap(&p, reg, c, g); f != nil {
			return f
		}
	}
	return nil
}
