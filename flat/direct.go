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

// directly moves the elements of a GLOBAL instruction, or of a FLAT one whose lanes all address global memory,
// without writing an access record, if no watcher reads the record. It returns false and changes nothing if the
// lanes' addresses do not allow it.
func (o *op) directly(w *state.Wave, p *executor.Ports) bool {
	var at executor.Lanes // declared here because a composite literal would be copied
	return p.Unseen && o.lanes(w, &at) && o.direct.Move(w, p, p.Mem.Find(at.First(w)), &at)
}

// lanes sets at to the addresses of the lanes. It returns false if the lanes may address more than one memory.
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

// block returns the access for package block to compile, nil if compiled code cannot execute it.
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

// site returns the addresses of the lanes of w for compiled code; ok is false if compiled code cannot make the
// access.
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

// nearAperture reports whether a FLAT address with this high dword may lie in an aperture. OFFSET has at most 12
// bits, so that adding it changes the high dword by at most one.
func nearAperture(w *state.Wave, high uint32) bool {
	return w.SharedBase-high <= 1 || w.PrivateBase-high <= 1
}
