package executor

import (
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/state"
)

// Scratch returns the address of the private memory of wave w, and its size per lane in bytes. FLAT_SCRATCH is the
// address on GCN 1.4 (rule F12). Before, it holds an offset and a size; the offset is in units of 256 bytes from
// base, SH_HIDDEN_PRIVATE_BASE (rule F4). The rule sets disagree on the order of the two halves (rule K1).
func Scratch(w *state.Wave, r state.Rules, base uint64) (addr, size uint64) {
	t, v := isa.TraitsOf(w.Target), uint64(0)
	if t.FlatScratch >= 0 {
		v = w.Scalar64(uint32(t.FlatScratch))
	}
	if t.FlatScratchIsAddr {
		return v, 1 << 32
	}
	offset, size := v&0xffffffff, v>>32
	if r == state.DriverRules {
		offset, size = size, offset
	}
	return base + offset&0xffffff*256, size & 0x7ffff
}
