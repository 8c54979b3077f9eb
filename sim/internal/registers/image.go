package registers

import (
	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/base/executor"
)

// AddrRange returns the fewest and the most VGPRs that the address of an image instruction
// can take: how many depends on the T#.
func AddrRange(in *gcn.Inst) (least, most int) {
	n := func(t gcn.ImageType) int { return in.ImageAddr(t, false).VGPRs }
	return n(gcn.Image1D), max(n(gcn.Image3D), n(gcn.Image2DMSAA))
}

// Transfer returns in which direction an instruction moves data between memory and LDS
// without registers: Load to LDS, Store from it, NoMem if it does not (rule DP5).
func Transfer(in *gcn.Inst) gcn.MemOp {
	switch r := in.Row(); {
	case r.Enc == gcn.MUBUF && r.Mem.ByLane: // whatever the LDS bit is (rule DP11)
		return gcn.Store
	case in.Has(gcn.LDS) && in.Bool(gcn.LDS):
		return gcn.Load
	}
	return gcn.NoMem
}

// LDS reports whether an instruction can reach LDS or GDS.
func LDS(in *gcn.Inst) bool {
	e := in.Row().Enc
	return e == gcn.DS || e == gcn.FLAT || Transfer(in) != gcn.NoMem || executor.ReadsLDSDirect(in)
}

// MemOp returns what an instruction does to the memory of its encoding: what its row says, or of
// those that have a function of their own because lanes have no address, a load or a store.
func MemOp(in *gcn.Inst) gcn.MemOp {
	switch r := in.Row(); {
	case !r.Mem.ByLane:
		return r.Mem.Op
	case r.Mem.Ret:
		return gcn.Load
	default:
		return gcn.Store
	}
}
