package mubuf

import (
	"math"
	"math/bits"

	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/base/simd"
	"github.com/gcnsim/gcnsim/state"
)

// The functions below compute the addresses of all lanes at once, for buffers with records, if each lane of EXEC is
// in range. Otherwise [plan.linear] and [plan.swizzle] compute them lane by lane.

// together sets at to the byte offsets of the lanes of exec from p.base. The size bytes of an element begin at disp
// and must be adjacent. It returns false if they are not, if a lane is out of range, or if an offset does not fit 32
// bits.
func (p *plan) together(at *state.Lanes, disp, size uint32, exec uint64) bool {
	r := simd.Records{Index: p.index, ID: p.tid, Offset: p.offset, Add: p.inst + disp, Stride: p.stride, Elem: 1}
	if p.swizzled {
		r.Elem, r.Group = p.elem, uint32(bits.TrailingZeros32(p.group))
	}
	e := r.Places(at, exec)
	rows := uint64(e.Index)>>r.Group*uint64(r.Stride) + uint64(e.Offset)
	if (rows+uint64(r.Elem))<<r.Group > math.MaxUint32 || p.swizzled && e.Bits&(r.Elem-1)+size > r.Elem {
		return false
	}
	q := e.Offset
	if p.raw {
		q = e.Place
	}
	return uint64(q)+p.add+uint64(size)-p.size < p.limit && uint64(e.Index) < p.records
}

// inRange computes the addresses of all lanes as [plan.linear] and [plan.swizzle] do. It returns false where
// [plan.together] does; the contents of a are undefined then.
func (p *plan) inRange(a *state.Access) bool {
	parts, size := 1, uint32(p.count)*uint32(p.size)
	if p.swizzled { // each element of a lane is placed by itself (rules A5 and A7)
		parts, size = p.count, uint32(p.size)
	}
	var at state.Lanes
	dense := false
	for i := parts - 1; i >= 0; i-- { // the last element is the first to be out of range
		if !p.together(&at, uint32(i)*size, size, a.Exec) {
			return false
		}
		addr := &a.Addr
		if i > 0 {
			addr = &a.More[i-1]
		}
		_, dense = executor.Place(addr, &at, 0, p.base, p.keep)
	}
	a.Dense, a.Split, a.Out = dense, parts > 1, [4]uint64{}
	return true
}
