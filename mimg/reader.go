package mimg

import (
	"math"
	"math/bits"

	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/state"
)

// reader reads memory for a lookup, and counts the texels.
type reader struct {
	w    *state.Wave
	p    *executor.Ports
	a    *state.Access
	exec uint64

	fetched uint64 // lanes whose first texel's address is recorded
	lost    uint64 // lanes with a texel that is not mapped
	taps    int    // texels read per lane in the current group of lanes
	spare   [state.NumLanes]uint64
}

// begin starts an access.
func (r *reader) begin(w *state.Wave, p *executor.Ports, a *state.Access) {
	r.w, r.p, r.a, r.exec = w, p, a, a.Exec
	r.fetched, r.lost, r.taps = 0, 0, 0
}

// addresses returns storage for the addresses of a tap. For the first tap it is the access record.
func (r *reader) addresses() *[state.NumLanes]uint64 {
	if r.fetched == 0 {
		return &r.a.Addr
	}
	return &r.spare
}

// record records a tap, which the lanes of in read at addr, in the access record. It keeps the address of each lane's
// first texel.
func (r *reader) record(in uint64, addr *[state.NumLanes]uint64) {
	if addr != &r.a.Addr {
		for m := in &^ r.fetched; m != 0; m &= m - 1 {
			i := bits.TrailingZeros64(m) & 63
			r.a.Addr[i] = addr[i]
		}
	}
	r.fetched |= in
	r.taps++
}

// count records level, and the largest number of texels that a lane of the group has read.
func (r *reader) count(level int) {
	r.a.Level = max(r.a.Level, uint8(level))
	r.a.Taps = max(r.a.Taps, uint8(min(r.taps, math.MaxUint8)))
	r.taps = 0
}

// fetch reads texels of a level, see [view.read], and records the first one of each lane.
func (x *sampling) fetch(at *texels, level int, mask uint64, dst *components) *state.Fault {
	addr, texel := x.addresses(), &x.w.Temp()[tempTexel]
	in := x.view.locateAmong(addr, texel, level, at, mask)
	x.record(in, addr)
	return x.view.read(x.w, x.p, addr, texel, in, mask, dst, x.o.status(&x.lost))
}
