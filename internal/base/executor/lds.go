package executor

import (
	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/state"
)

// LDSLimit returns the number of bytes of LDS that the wave can access: the allocation of its work-group, before GCN
// 1.4 at most M0 (rules DS3 and DS4).
func LDSLimit(w *state.Wave, p *Ports) uint64 {
	if isa.TraitsOf(w.Target).LDSLimitM0 {
		return min(p.LDS.Hi, uint64(w.S[gcn.M0]))
	}
	return p.LDS.Hi
}

// Bound adds to a.Out the elements of the lanes of mask whose last byte is not below limit (rule DS4).
func Bound(a *state.Access, limit, mask uint64) {
	for i := range int(a.Count) {
		at := Element(a, i)
		end := at.Disp + uint64(at.Size)
		var out uint64
		for lane, first := range at.Addr {
			if first+end > limit {
				out |= 1 << lane
			}
		}
		a.Out[min(i, 3)] |= out & mask
	}
}
