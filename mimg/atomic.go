package mimg

import (
	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/tool/rule"
	"github.com/gcnsim/gcnsim/state"
)

// bindAtomic determines the operand size from DMASK, which has a bit for each dword; for CMPSWAP it includes both
// operands (rule IM5).
func (o *op) bindAtomic() executor.Impl {
	if int(o.mem.Dwords) != o.count { // the row has dword operands
		o.mem.Elem, o.mem.Dwords = 8, 2*o.mem.Dwords
	}
	if o.dmask != 1<<o.mem.Dwords-1 {
		return executor.Forbidden("an atomic operation takes DMASK 1 or 3, with a value to compare 3 or 15 (" + rule.IM5 +
			")")
	}
	return executor.Noted(o.row.Note, o.atomic)
}

// atomic executes IMAGE_ATOMIC_*: on raw bits in any number format, lane after lane (rule IM11).
func (o *op) atomic(w *state.Wave, p *executor.Ports, _ *isa.Inst, a *state.Access) *state.Fault {
	v, ok, fault := o.begin(w, p, a)
	if !ok {
		return fault
	}
	if s := &v.layout.Surface; s.Bytes != int(o.mem.Elem) || s.BlockW*s.BlockH > 1 {
		return executor.NewFault(state.FaultIllegal, "an atomic operation of %d bytes on texels of %s ("+rule.IM11+")",
			o.mem.Elem, isa.ImageFormatOf(w.Target.Gen(), v.DataFormat, v.NumFormat).Name)
	}
	in, warned := o.place(w, v, a, &w.Temp()[tempTexel])
	in, lost := o.mapped(p, v, a, in)
	a.Elem, a.Count = o.mem.Elem, 1
	record(a, in)
	ret, second := executor.NoReg, executor.NoReg
	if o.glc {
		ret = o.vdata
	}
	if words := int(o.mem.Elem) / 4; o.count > words {
		second = o.vdata + words
	}
	if f := executor.Atomic(w, p, p.Mem, &o.mem, o.vdata, second, ret, a.Exec, a); f != nil {
		return f
	}
	o.finish(w, a, in, lost, warned)
	return nil
}
