package mubuf

import (
	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/simd"
	"github.com/gcnsim/gcnsim/internal/unit"
	"github.com/gcnsim/gcnsim/state"
)

// directly moves the elements without a record of their addresses where nobody would read it:
// those of a buffer as in [plain], or with ADDR64. It reports false, having done nothing, where
// lanes do not allow it.
func (o *op) directly(w *state.Wave, p *unit.Ports, a *state.Access) bool {
	if !p.Unseen {
		return false
	}
	exec := w.Exec()
	var at unit.Lanes
	if !o.lanes(w, p, &at) || !o.direct.Move(w, p.Mem, &at, exec) {
		return false
	}
	a.Begin(o.mem, state.Global, exec)
	return true
}

// lanes sets at to where the lanes are, if they need no more than 32 bits each; all of them are
// in bounds to their last byte then, and so under rules C1 and C7 alike.
func (o *op) lanes(w *state.Wave, p *unit.Ports, at *unit.Lanes) bool {
	v := (*gcn.VSharp)(w.S[o.srsrc : o.srsrc+4])
	soffset := uint64(unit.Source(w, o.soffset, 0))
	clear, must := o.alignment(w, p)
	base := v.Get(gcn.VBase) + soffset
	at.V, at.Off, at.Room, at.Low = &zeros, o.form.Offset, never, clear|must
	if o.form.Addr64 {
		high := &w.V[o.vaddr+1]
		base += uint64(o.form.Offset) + uint64(high[0])<<32
		at.V, at.Off, at.Base = &w.V[o.vaddr], 0, base
		return base <= addressMask>>1 && v.Get(gcn.VType) == 0 && simd.Uniform(high)
	}
	if o.form.OffEn {
		at.V = &w.V[o.vaddr]
	}
	at.Base, at.Room = base, v.Get(gcn.VNumRecords)-soffset
	return base <= addressMask>>1 && // so that no address wraps at 48 bits
		v.Get(gcn.VType)|v.Get(gcn.VStride)|v.Get(gcn.VSwizzle)|v.Get(gcn.VAddTID) == 0 &&
		!o.form.IdxEn && soffset <= v.Get(gcn.VNumRecords) && p.Rules != state.RDNARules
}
