package flat

import (
	"math"
	"math/bits"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/internal/base/block"
	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/base/simd"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/state"
)

// directly moves the elements of GLOBAL, and of FLAT where all lanes go to global memory, without
// a record of the access where no watcher reads it. It reports false, having done nothing,
// where lanes do not allow it.
func (o *op) directly(w *state.Wave, p *executor.Ports) bool {
	var at executor.Lanes // a literal would be copied
	return p.Unseen && o.lanes(w, &at) && o.direct.Move(w, p, p.Mem.Find(at.First(w)), &at)
}

// lanes says where the lanes are; it reports false if they may be in more than one memory.
func (o *op) lanes(w *state.Wave, at *executor.Lanes) bool {
	exec := w.Exec()
	at.V, at.Base, at.Room = &w.V[o.addr], o.offset, math.MaxUint64
	if o.scalar { // rule K9: VADDR is zero-extended
		at.Base += w.Scalar64(o.saddr)
	} else {
		high := &w.V[o.addr+1]
		first := high[bits.TrailingZeros64(exec)&63]
		if !simd.UniformIn(high, exec) || o.generic && nearAperture(w, first) {
			return false
		}
		at.Base += uint64(first) << 32
	}
	return true
}

// block returns the access for blocks, nil if they cannot have it.
func (o *op) block(in *isa.Inst) *block.Instr {
	a := &block.Access{Addr: uint32(o.addr), High: !o.scalar, Class: block.ClassFLAT}
	if !o.generic {
		a.Class = block.ClassGLOBAL
	}
	if o.scalar {
		a.Keys = []block.Key{{Code: o.saddr, Wide: true}}
	}
	if o.tfe || o.scalar && o.saddr >= gcn.VCC || !o.direct.Access(a, in) {
		return nil
	}
	return &block.Instr{Access: a}
}

// site says where the lanes of w are.
func (o *op) site(w *state.Wave, p *executor.Ports) (site block.Site, ok bool) {
	var at executor.Lanes
	if !o.lanes(w, &at) {
		return site, false
	}
	site, ok = o.direct.Site(p, p.Mem.Find(at.First(w)), &at)
	if !o.scalar {
		site.High = w.V[o.addr+1][bits.TrailingZeros64(w.Exec())&63]
	}
	return site, ok
}

// nearAperture reports whether a FLAT address with the high dword may lie in an aperture: OFFSET,
// of 12 bits at most, carries into it no more than once.
func nearAperture(w *state.Wave, high uint32) bool {
	return w.SharedBase-high <= 1 || w.PrivateBase-high <= 1
}
