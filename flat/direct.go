package flat

import (
	"math"
	"math/bits"

	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/base/simd"
	"github.com/gcnsim/gcnsim/state"
)

// directly moves the elements of GLOBAL, and of FLAT where all lanes go to global memory, without
// a record of the access where no watcher reads it. It reports false, having done nothing,
// where lanes do not allow it.
func (o *op) directly(w *state.Wave, p *executor.Ports) bool {
	if !p.Unseen {
		return false
	}
	exec := w.Exec()
	var at executor.Lanes // a literal would be copied
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
	return o.direct.Move(w, p, p.Mem.Find(at.First(w)), &at)
}

// nearAperture reports whether a FLAT address with the high dword may lie in an aperture: OFFSET,
// of 12 bits at most, carries into it no more than once.
func nearAperture(w *state.Wave, high uint32) bool {
	return w.SharedBase-high <= 1 || w.PrivateBase-high <= 1
}
