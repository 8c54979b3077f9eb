package mubuf

import (
	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/base/block"
	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/base/simd"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/state"
)

// directly moves the elements without writing an access record, if no watcher reads the record and the buffer is
// simple (see [plain]) or the form is ADDR64. It returns false and changes nothing if the lanes' addresses do not
// allow it.
func (o *op) directly(w *state.Wave, p *executor.Ports) bool {
	if !p.Unseen {
		return false
	}
	if !o.isPlain(w) {
		return o.fromRecords(w, p)
	}
	var at executor.Lanes // declared here because a composite literal would be copied
	return o.lanes(w, p, &at) && o.direct.Move(w, p, p.Mem.Find(at.First(w)), &at)
}

// isPlain reports whether each lane's address is the sum of an offset and a base.
func (o *op) isPlain(w *state.Wave) bool {
	v := (*gcn.VSharp)(w.S[o.srsrc : o.srsrc+4])
	return v[0]&noPlain[0]|v[1]&noPlain[1]|v[2]&noPlain[2]|v[3]&noPlain[3] == 0 && !o.form.IdxEn
}

// lanes sets at to the addresses of the lanes of a plain access. It returns false if a lane may be out of range or
// wrap.
func (o *op) lanes(w *state.Wave, p *executor.Ports, at *executor.Lanes) bool {
	v := (*gcn.VSharp)(w.S[o.srsrc : o.srsrc+4])
	soffset := uint64(o.constant)
	if o.soffset < isa.NumScalarCodes {
		soffset = uint64(w.S[o.soffset])
	}
	// Lanes in range to their last byte are in range under both rules C1 and C7.
	records := isa.VNumRecords.In(v)
	at.V, at.Off, at.Base, at.Room = &zeros, o.form.Offset, isa.VBase.In(v)+soffset, records-soffset
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
	return at.Base <= addressMask>>1 // then no address wraps at 48 bits
}

// block returns the access for package block to compile, nil if compiled code cannot execute it.
func (o *op) block(in *isa.Inst) *block.Instr {
	first := uint32(o.srsrc)
	a := &block.Access{Addr: uint32(o.vaddr), Class: block.ClassMUBUF,
		Keys: []block.Key{{Code: first, Wide: true}, {Code: first + 2, Wide: true}}}
	if o.soffset < isa.NumScalarCodes {
		a.Keys = append(a.Keys, block.Key{Code: o.soffset})
	}
	if o.tfe || !o.form.OffEn || o.form.IdxEn || !o.direct.Access(a, in) {
		return nil
	}
	return &block.Instr{Access: a}
}

// site returns the addresses of the lanes of w for compiled code; ok is false if compiled code cannot make the
// access.
func (o *op) site(w *state.Wave, p *executor.Ports) (site block.Site, ok bool) {
	var at executor.Lanes
	if !o.isPlain(w) || !o.lanes(w, p, &at) {
		return site, false
	}
	return o.direct.Site(p, p.Mem.Find(at.First(w)), &at)
}

// fromRecords does what directly does, for buffers with records or swizzling.
func (o *op) fromRecords(w *state.Wave, p *executor.Ports) bool {
	args := o.operands(w)
	if isa.VType.In(args.V) != 0 || o.form.Addr64 || !o.direct.Moves() {
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

// noPlain has the bits of a V# that must be 0 for [plain].
var noPlain = func() (bits gcn.VSharp) {
	for i := range 32 * len(bits) {
		var v gcn.VSharp
		v[i/32] = 1 << (i % 32)
		if isa.VType.In(&v)|isa.VStride.In(&v)|isa.VSwizzle.In(&v)|isa.VAddTID.In(&v) != 0 {
			bits[i/32] |= v[i/32]
		}
	}
	return bits
}()
