package mubuf

import (
	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/base/simd"
	"github.com/gcnsim/gcnsim/state"
)

// directly moves the elements without a record of the access where no watcher reads it: those of
// a buffer as in [plain], or with ADDR64. It reports false, having done nothing, where lanes do
// not allow it.
func (o *op) directly(w *state.Wave, p *executor.Ports) bool {
	v := (*gcn.VSharp)(w.S[o.srsrc : o.srsrc+4])
	switch {
	case !p.Unseen:
		return false
	case v[0]&noPlain[0]|v[1]&noPlain[1]|v[2]&noPlain[2]|v[3]&noPlain[3] != 0, o.form.IdxEn:
		return o.fromRecords(w, p)
	}
	soffset := uint64(o.constant)
	if o.soffset < gcn.NumScalarCodes {
		soffset = uint64(w.S[o.soffset])
	}
	// Lanes that are in bounds to their last byte are so under rules C1 and C7 alike.
	records := gcn.VNumRecords.In(v)
	var at executor.Lanes // a literal would be copied
	at.V, at.Off, at.Base, at.Room = &zeros, o.form.Offset, gcn.VBase.In(v)+soffset, records-soffset
	switch {
	case o.form.Addr64:
		high := &w.V[o.vaddr+1]
		if !simd.Uniform(high) {
			return false
		}
		at.Base += uint64(o.form.Offset) + uint64(high[0])<<32
		at.V, at.Off, at.Room = &w.V[o.vaddr], 0, never
	case soffset > records || p.Rules == state.RDNARules:
		return false
	case o.form.OffEn:
		at.V = &w.V[o.vaddr]
	}
	if at.Base > addressMask>>1 { // so that no address wraps at 48 bits
		return false
	}
	return o.direct.Move(w, p, p.Mem.Find(at.First(w)), &at)
}

// fromRecords is directly of buffers that are not as in [plain].
func (o *op) fromRecords(w *state.Wave, p *executor.Ports) bool {
	args := o.operands(w)
	if gcn.VType.In(args.V) != 0 || o.form.Addr64 || !o.direct.Moves() {
		return false
	}
	var place plan
	place.derive(executor.BufferRulesOf(p.Rules, w.Target.Gen()), &o.form, &args)
	var v state.Lanes
	if place.base > addressMask>>1 || !place.together(&v, 0, uint32(o.form.Elem)*uint32(o.form.Count), w.Exec()) {
		return false
	}
	at := executor.Lanes{V: &v, Base: place.base, Room: never}
	return o.direct.Move(w, p, p.Mem.Find(at.First(w)), &at)
}

// noPlain holds the bits of a V# that are 0 in each buffer that [plain] takes.
var noPlain = func() (bits gcn.VSharp) {
	for i := range 32 * len(bits) {
		var v gcn.VSharp
		v[i/32] = 1 << (i % 32)
		if gcn.VType.In(&v)|gcn.VStride.In(&v)|gcn.VSwizzle.In(&v)|gcn.VAddTID.In(&v) != 0 {
			bits[i/32] |= v[i/32]
		}
	}
	return bits
}()
