package mubuf

import (
	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/tool/rule"
	"github.com/gcnsim/gcnsim/state"
)

// bindLDS returns the executor of a load with the LDS bit, which copies memory to LDS. It must load a single element
// of at most a dword, and TFE is illegal with it (rule DP5).
func (o *op) bindLDS() executor.Impl {
	switch m := o.mem; {
	case m.Op != gcn.Load || m.Count != 1 || m.Elem > 4 || m.D16 != isa.Full:
		return executor.Forbidden("the instruction cannot load to LDS (" + rule.DP5 + ")")
	case o.tfe:
		return executor.Forbidden("LDS and TFE together are illegal (" + rule.DP5 + ")")
	}
	return executor.Noted(isa.LDSOffset, o.loadLDS)
}

// loadLDS stores the dword that each lane loads, zero-extended, at LDS_BASE + M0[15:0] + LANEID*4 of LDS (rule DP5).
// Lanes that are out of range write 0 (rule C10).
func (o *op) loadLDS(w *state.Wave, p *executor.Ports, _ *isa.Inst, a *state.Access) *state.Fault {
	if !o.resolve(w, p, a) {
		return nil
	}
	a.Reg, a.Regs = 0, 0
	var data state.Lanes
	if f := executor.Gather(p.Mem, &data, executor.Element(a, 0), a.Exec&^a.Out[0]); f != nil {
		return f
	}
	return o.toLDS(w, p, &data, a)
}

// toLDS stores one dword of each active lane in its slot.
func (o *op) toLDS(w *state.Wave, p *executor.Ports, data *state.Lanes, a *state.Access) *state.Fault {
	offset := uint32(0)
	if executor.BufferRulesOf(p.Rules, w.Target.Gen()).LDSOffset {
		offset = o.form.Offset
	}
	if p.Compare != nil {
		compareLDS(w.Target.Gen(), p, o.form.Offset, a)
	}
	slots, in := o.slots(w, p, offset)
	a.LDSSlot = slots[0]
	return executor.Scatter(&p.LDS, data, nil, executor.Elements{Addr: &slots, Size: 4, Dense: true}, a.Exec&in)
}

// storeLDS executes BUFFER_STORE_LDS_DWORD, which stores LDS[M0[15:0] + OFFSET + LANEID*4] to memory.
func (o *op) storeLDS(w *state.Wave, p *executor.Ports, _ *isa.Inst, a *state.Access) *state.Fault {
	if !o.resolve(w, p, a) {
		return nil
	}
	a.Op, a.Reg, a.Regs = gcn.Store, 0, 0
	var data state.Lanes
	slots, in := o.slots(w, p, o.form.Offset)
	a.LDSSlot = slots[0]
	if f := executor.Gather(&p.LDS, &data, executor.Elements{Addr: &slots, Size: 4, Dense: true}, a.Exec&in); f != nil {
		return f
	}
	return executor.Scatter(p.Mem, &data, nil, executor.Element(a, 0), a.Exec&^a.Out[0])
}

// slots returns the LDS offset of each lane, and the lanes whose slot is in the allocation (rule DS4).
func (o *op) slots(w *state.Wave, p *executor.Ports, offset uint32) (at [state.NumLanes]uint64, in uint64) {
	first := (uint64(w.S[gcn.M0]&0xffff) + uint64(offset)) &^ 3
	for lane := range at {
		at[lane] = first + 4*uint64(lane)
		if at[lane]+4 <= p.LDS.Hi {
			in |= 1 << lane
		}
	}
	return at, in
}
