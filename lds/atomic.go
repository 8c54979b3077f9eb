package lds

import (
	"math/bits"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/state"
)

func (o *op) atomic(w *state.Wave, p *executor.Ports, _ *isa.Inst, a *state.Access) *state.Fault {
	mem, f := o.resolve(w, p, a)
	if f != nil {
		return f
	}
	a.Reg, a.Regs = uint16(o.data[0]), o.regs
	if o.ret != executor.NoReg {
		a.Reg = uint16(o.ret)
	}
	return executor.Atomic(w, p, mem, o.mem, o.data[0], o.cmp, o.ret, a.Exec, a)
}

// exchange2 executes DS_WRXCHG2. Lane after lane reads both old values before it writes both new ones (rule DS1).
func (o *op) exchange2(w *state.Wave, p *executor.Ports, _ *isa.Inst, a *state.Access) *state.Fault {
	mem, f := o.resolve(w, p, a)
	if f != nil {
		return f
	}
	a.Reg, a.Regs = uint16(o.vdst), o.regs
	// Copied first, because return registers may overlap the data.
	var data [2][2]state.Lanes
	words := int(o.mem.Elem) / 4
	for i, reg := range o.data {
		for j := range words {
			data[i][j] = w.V[reg+j]
		}
	}
	for m := a.Exec; m != 0; m &= m - 1 {
		lane := m & -m
		if f := executor.Load(w, mem, o.mem, o.vdst, lane, a); f != nil {
			return f
		}
		for i := range data {
			if f := executor.Scatter(mem, &data[i][0], &data[i][1], executor.Element(a, i), lane&^a.Out[i]); f != nil {
				return f
			}
		}
	}
	return nil
}

// src2 returns the executor of the *_SRC2 instructions, which have both operands in LDS (rule DS5).
func (o *op) src2() executor.Exec {
	mem := *o.mem
	mem.Op = gcn.Atomic
	if mem.Atomic == isa.NoAtomic { // DS_WRITE_SRC2
		mem.Atomic = isa.Swap
	}
	o.mem = &mem
	return o.execSrc2
}

// execSrc2 applies the operation to m[A] with the operand m[B], lane after lane.
func (o *op) execSrc2(w *state.Wave, p *executor.Ports, _ *isa.Inst, a *state.Access) *state.Fault {
	o.begin(w, a)
	win, f := o.window(w, p)
	if f != nil {
		return f
	}
	a.Split = true
	size := uint64(o.mem.Elem)
	for lane, v := range w.V[o.addr][:] {
		first, delta := uint64(v)&^3, int64(int32(o.off[0]<<17)>>17)
		if o.off[0]>>15 != 0 {
			first, delta = uint64(v&0x1fffc), int64(int16(v>>31<<15|v>>17))
		}
		second := uint64(int64(first)+4*delta) & 0x3ffff // the offset wraps in the 16-bit space of dwords
		first, second = first&^(size-1), second&^(size-1)
		a.Addr[lane], a.More[0][lane] = win.base+first, win.base+second
		if max(first, second)+size > win.limit {
			a.Out[0] |= 1 << lane & a.Exec
		}
	}
	for m := a.Exec &^ a.Out[0]; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros64(m)
		d, f := executor.ScalarLoad(win.mem, a.More[0][lane], int(size))
		if f == nil {
			_, f = executor.ScalarAtomic(win.mem, o.mem, a.Addr[lane], d, 0)
		}
		if f != nil {
			return f
		}
	}
	return nil
}
