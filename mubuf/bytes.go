package mubuf

import (
	"math/bits"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/state"
)

// crosses reports whether an element of a lane crosses a swizzle element, so that its bytes are not adjacent in
// memory. Only alignment_mode UNALIGNED allows this (rule L2). The documents forbid it (rule L6), but compilers for
// GCN 1.4 use it in scratch, so the driver rules support it.
func (o *op) crosses(w *state.Wave, p *executor.Ports, a *state.Access) bool {
	r := executor.BufferRulesOf(p.Rules, w.Target.Gen())
	v := (*gcn.VSharp)(w.S[o.srsrc : o.srsrc+4])
	if !r.SplitBytes || p.Align != state.AlignNone || isa.VSwizzle.In(v) == 0 {
		return false
	}
	args := o.operands(w)
	return split(r, &o.form, &args, a.Exec) != 0
}

// split returns the lanes of exec with an element that crosses a swizzle element. The rules r address its bytes one
// by one.
func split(r *executor.BufferRules, f *Form, o *Operands, exec uint64) (lanes uint64) {
	if !r.SplitBytes || f.Addr64 {
		return 0
	}
	var p plan
	p.derive(r, f, o)
	if !p.swizzled {
		return 0
	}
	size, within := uint32(p.size), p.elem-1 // the element size is a power of two; this is its mask
	for m := exec; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros64(m) & 63
		at := p.inst + p.offset[lane]
		for range p.count {
			if at&within+size > p.elem {
				lanes |= 1 << lane
				break
			}
			at += size
		}
	}
	return lanes
}

// placeBytes sets b to the address of each byte of element i (rule A5 applied to each byte).
func (o *op) placeBytes(w *state.Wave, p *executor.Ports, i int, a, b *state.Access) {
	form := o.form
	form.Offset += uint32(i) * uint32(o.mem.Elem)
	form.Elem, form.Count, form.Whole = 1, o.mem.Elem, false
	executor.Begin(b, o.mem, a.Space, a.Exec)
	b.Elem, b.Count = form.Elem, form.Count
	o.place(w, p, &form, 0, b)
}

// loadBytes loads as [executor.Load] does, byte by byte. The range check in a stays that of whole elements.
func (o *op) loadBytes(w *state.Wave, p *executor.Ports, a *state.Access) *state.Fault {
	var b state.Access
	temp := w.Temp()
	values, one := temp[:o.mem.Count], &temp[len(temp)-1]
	for i := range values {
		values[i] = state.Lanes{}
		o.placeBytes(w, p, i, a, &b)
		in := a.Exec &^ a.Out[i]
		for k := range int(o.mem.Elem) {
			if f := executor.Gather(p.Mem, one, executor.Element(&b, k), in); f != nil {
				return f
			}
			for m := in; m != 0; m &= m - 1 {
				lane := bits.TrailingZeros64(m) & 63
				values[i][lane] |= one[lane] << (8 * k)
			}
		}
	}
	for i := range values { // VADDR may be among the registers
		executor.Put(w, o.mem, o.vdata+i, &values[i], a.Exec)
	}
	return nil
}

// storeBytes stores as [executor.Store] does, byte by byte, lane after lane because lanes may overlap.
func (o *op) storeBytes(w *state.Wave, p *executor.Ports, a *state.Access) *state.Fault {
	var b state.Access
	shift := 0
	if o.mem.D16 == isa.HighHalf {
		shift = 16
	}
	data := w.Temp()[:o.mem.Elem]
	for i := range int(o.mem.Count) {
		o.placeBytes(w, p, i, a, &b)
		for k := range data {
			for lane, v := range &w.V[o.vdata+i] {
				data[k][lane] = v >> (shift + 8*k)
			}
		}
		for m := a.Exec &^ a.Out[i]; m != 0; m &= m - 1 {
			for k := range data {
				if f := executor.Scatter(p.Mem, &data[k], nil, executor.Element(&b, k), m&-m); f != nil {
					return f
				}
			}
		}
	}
	return nil
}
