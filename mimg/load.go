package mimg

import (
	"slices"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/base/simd"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/isa/format"
	"github.com/gcnsim/gcnsim/internal/tool/rule"
	"github.com/gcnsim/gcnsim/state"
)

// Reasons why forms of instructions are not exact.
const (
	noneWhy   = "what DMASK 0 does is not known: a load returns one 0, a store does nothing (" + rule.IM5 + ")"
	halfWhy   = "what D16 loads make of integers of more than 16 bits is not known (" + rule.IM6 + ")"
	signWhy   = "sources differ on the bit that texels of several components are extended by (" + rule.IM8 + ")"
	smallWhy  = "what PCK makes of texels of less than 32 bits is known of later chips alone (" + rule.IM8 + ")"
	storeWhy  = "how stores narrow integers and round small floats differs between sources (" + rule.IF4 + ")"
	absentWhy = "what DST_SEL selects of a component that the format lacks is not known, 0 here (" + rule.IF5 + ")"
	sparseWhy = "what stores write to components that DMASK or DST_SEL leaves out differs between sources (" +
		rule.IM5 + ")"
)

// doubt returns an executor with the given reasons why it is not exact; without reasons it is exact.
func doubt(exec executor.Exec, why ...string) executor.Impl {
	why = slices.DeleteFunc(why, func(s string) bool { return s == "" })
	impl := executor.Impl{Exec: exec, Level: gcn.Exact}
	for _, s := range why {
		impl = impl.And(&isa.Note{Level: gcn.Approximate, Why: s})
	}
	return impl
}

// given returns why if cond is set, else "".
func given(cond bool, why string) string {
	if cond {
		return why
	}
	return ""
}

func (o *op) bindLoad() executor.Impl {
	exec := o.load
	if !o.mem.Format {
		exec = o.loadRaw
	}
	return doubt(exec, given(o.count == 0, noneWhy), given(o.mem.Signed, signWhy))
}

// load executes IMAGE_LOAD and IMAGE_LOAD_MIP.
func (o *op) load(w *state.Wave, p *executor.Ports, _ *isa.Inst, a *state.Access) *state.Fault {
	v, ok, fault := o.begin(w, p, a)
	if !ok {
		return fault
	}
	var lost uint64
	texel := &w.Temp()[tempTexel]
	in, warned := o.place(w, v, a, texel)
	if o.count == 0 { // no texel is read (rule IM5)
		a.Op = gcn.NoMem
		o.deliver(w, nil, v.format, a.Exec)
		o.report(w, warned)
		return nil
	}
	executor.Doubt(a, v.formatDoubts)
	o.halfDoubt(v, a)
	sel := o.selected(v)
	for i := range sel.count {
		if sel.from[i] == format.Absent && v.sel[o.channel[i]] >= gcn.SelR {
			a.Doubt = absentWhy
		}
	}
	if !o.d16 && v.format.UnormBytes && sel.distinct() {
		fault = o.loadBytes(w, p, v, a, &sel, in, o.status(&lost))
	} else {
		fault = o.loadTexels(w, p, v, a, &sel, texel, in, o.status(&lost))
	}
	if fault != nil {
		return fault
	}
	o.finish(w, a, in, lost, warned)
	return nil
}

// loadTexels reads the texels of the lanes of in, see [view.read], and writes the components that sel selects to the
// registers.
func (o *op) loadTexels(w *state.Wave, p *executor.Ports, v *view, a *state.Access, sel *selection,
	texel *state.Lanes, in uint64, lost *uint64) *state.Fault {
	regs := o.results(w, a.Exec)
	dst := sel.targets(&regs)
	if fault := v.read(w, p, &a.Addr, texel, in, a.Exec, &dst, lost); fault != nil {
		return fault
	}
	sel.complete(&regs, &dst)
	if lost != nil {
		for i := range o.count {
			clearLanes(regs[i][:], *lost) // independent of DST_SEL (rule IM7)
		}
	}
	o.deliver(w, &regs, v.format, a.Exec)
	return nil
}

// loadBytes does what loadTexels does, for texels of four UNORM bytes, if each byte goes to its own register.
func (o *op) loadBytes(w *state.Wave, p *executor.Ports, v *view, a *state.Access, sel *selection, in uint64,
	lost *uint64) *state.Fault {
	in = v.present(p, &a.Addr, in, lost)
	words := &w.Temp()[tempWords]
	if f := executor.GatherAmong(p.Mem, words, executor.Elements{Addr: &a.Addr, Size: 4}, in); f != nil {
		return f
	}
	clearLanes(words[:], a.Exec&^in)
	var dst [format.MaxComponents]*state.Lanes
	for i, c := range sel.from[:sel.count] {
		dst[c] = &w.V[o.vdata+i]
	}
	simd.ByteFractions(&dst, words, a.Exec)
	return nil
}

// finish records lanes whose texels are not mapped as out of range, and writes the status register.
func (o *op) finish(w *state.Wave, a *state.Access, in, lost, warned uint64) {
	if lost != 0 {
		record(a, in&^lost)
	}
	o.report(w, lost|warned)
}

// loadRaw executes the PCK forms, which load dwords of the element without conversion (rule IM8).
func (o *op) loadRaw(w *state.Wave, p *executor.Ports, _ *isa.Inst, a *state.Access) *state.Fault {
	v, ok, fault := o.begin(w, p, a)
	if !ok {
		return fault
	}
	in, warned := o.place(w, v, a, &w.Temp()[tempTexel])
	if o.count == 0 {
		a.Op = gcn.NoMem
		o.deliver(w, nil, nil, a.Exec)
		o.report(w, warned)
		return nil
	}
	in, lost := o.mapped(p, v, a, in)
	size := v.layout.Surface.Bytes
	if size < 4 {
		a.Doubt = smallWhy
	}
	for i := range o.count {
		reg, at := o.vdata+i, 4*o.channel[i]
		if at >= size {
			executor.Zero(w, reg, a.Exec)
			continue
		}
		executor.Zero(w, reg, a.Exec&^in)
		if f := executor.Gather(p.Mem, &w.V[reg], executor.Elements{Addr: &a.Addr, Disp: uint64(at), Size: min(size, 4)},
			in); f != nil {
			return f
		}
		if o.mem.Signed && size < 4 {
			executor.SignExtend(&w.V[reg], size, in)
		}
	}
	o.finish(w, a, in, lost, warned)
	return nil
}

// mapped returns the lanes of in whose elements are mapped and, if the status register reports them, those whose
// elements are not.
func (o *op) mapped(p *executor.Ports, v *view, a *state.Access, in uint64) (there, lost uint64) {
	if !o.tfe && !o.lwe {
		return in, 0
	}
	there = executor.Mapped(p.Mem, &a.Addr, v.layout.Surface.Bytes, in)
	return there, in &^ there
}
