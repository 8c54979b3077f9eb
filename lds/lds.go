// Package lds executes the DS instructions: LDS and GDS. Source: spec/memory.md 7.
package lds

import (
	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/state"
)

// op is a decoded instruction.
type op struct {
	mem          *gcn.Mem
	off          [2]uint32 // byte offsets of the first and, with two, the second address
	two          bool
	addr         int
	vdst         int
	data         [2]int
	regs         uint8 // registers of all data
	alignedBytes int
}

// Bind returns how in executes.
func Bind(in *gcn.Inst) state.Impl {
	r := in.Row()
	m := &r.Mem
	o := &op{
		mem: m, two: r.Has(gcn.Two), addr: int(in.Get(gcn.ADDR)), vdst: int(in.Get(gcn.VDST)),
		data: [2]int{int(in.Get(gcn.DATA0)), int(in.Get(gcn.DATA1))}, regs: uint8(m.DataDwords()),
		off: [2]uint32{in.Get(gcn.OFFSET)},
	}
	o.alignedBytes = int(m.Elem) * int(m.Count)
	if o.two {
		// spec/memory.md 7.1: offsets count elements, or 64 of them.
		step := uint32(m.Elem)
		if r.Has(gcn.Stride64) {
			step *= 64
		}
		o.off = [2]uint32{in.Get(gcn.OFFSET0) * step, in.Get(gcn.OFFSET1) * step}
		o.alignedBytes = int(m.Elem)
	}
	// 7.2: b96 and b128 are aligned to 16 bytes.
	if o.alignedBytes == 12 {
		o.alignedBytes = 16
	}
	switch {
	case r.Enc != gcn.DS:
		return state.Impl{Why: "not a DS instruction"}
	case in.Bool(gcn.GDS):
		return state.Impl{Why: "GDS is not modelled yet"}
	case m.Op == gcn.Load:
		return state.Impl{Exec: o.load, Level: state.Exact}
	case m.Op == gcn.Store:
		return state.Impl{Exec: o.store, Level: state.Exact}
	}
	return state.Impl{Why: "not modelled yet"}
}

// resolve prepares a with addresses and range masks.
func (o *op) resolve(w *state.Wave, p *state.Ports, a *state.Access) {
	a.Begin(o.mem, state.LDS, w.Exec())
	clear, must := o.alignment(w, p)
	v := &w.V[o.addr]
	end := uint64(int(o.mem.Elem) * int(o.mem.Count))
	if o.two {
		a.Split = true
		end = uint64(o.mem.Elem)
	}
	top := spread(&a.Addr, v, o.off[0], clear)
	if o.two {
		top = max(top, spread(&a.More[0], v, o.off[1], clear))
	}
	w.CheckAlign(must, a.Exec, a)
	if limit := w.LDSLimit(p); top+end > limit {
		a.Bound(limit, a.Exec)
	}
}

// alignment returns the address bits to clear and those that must be 0. Before GCN 1.4
// addresses are aligned to the element; later alignment_mode decides (7.2).
func (o *op) alignment(w *state.Wave, p *state.Ports) (clear, must uint64) {
	if w.T.LDSLimitM0 || p.Align == state.AlignDword {
		return uint64(o.alignedBytes - 1), 0
	}
	return w.AlignMask(p, o.alignedBytes)
}

// spread sets addr to V+off of each lane, wrapped at 32 bits (7.1), with the bits of
// clear cleared, and returns the largest.
func spread(addr *[state.NumLanes]uint64, v *state.Lanes, off uint32, clear uint64) (top uint64) {
	for lane, x := range v {
		at := uint64(x+off) &^ clear
		addr[lane] = at
		top = max(top, at)
	}
	return top
}

func (o *op) load(w *state.Wave, p *state.Ports, _ *gcn.Inst, a *state.Access) *state.Fault {
	w.Issue(0, 0, 1)
	o.resolve(w, p, a)
	a.Reg, a.Regs = uint16(o.vdst), o.regs
	return w.Load(&p.LDS, o.mem, o.vdst, a.Exec, a)
}

func (o *op) store(w *state.Wave, p *state.Ports, _ *gcn.Inst, a *state.Access) *state.Fault {
	w.Issue(0, 0, 1)
	o.resolve(w, p, a)
	a.Reg, a.Regs = uint16(o.data[0]), o.regs
	if !o.two {
		return w.Store(&p.LDS, o.mem, o.data[0], a.Exec, a)
	}
	// Slot 0, then slot 1: at the same address slot 1 wins (7.1).
	for i, reg := range o.data {
		if f := w.StoreElement(&p.LDS, o.mem, reg, i, a.Exec, a); f != nil {
			return f
		}
	}
	return nil
}
