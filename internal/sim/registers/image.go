package registers

import (
	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/isa"
)

// Transfer returns the direction in which an instruction moves data between memory and LDS without registers: Load to
// LDS, Store from LDS, or NoMem (rule DP5).
func Transfer(in *isa.Inst) gcn.MemOp {
	switch r := in.Row(); {
	case r.Enc == isa.MUBUF && r.Mem.ByLane: // independent of the LDS bit (rule DP11)
		return gcn.Store
	case in.Has(isa.LDS) && in.Bool(isa.LDS):
		return gcn.Load
	}
	return gcn.NoMem
}

// LDS reports whether an instruction can access LDS or GDS.
func LDS(in *isa.Inst) bool {
	e := in.Row().Enc
	return e == isa.DS || e == isa.FLAT || Transfer(in) != gcn.NoMem || executor.ReadsLDSDirect(in)
}

// MemOp returns the operation of an instruction on memory. It is that of its row, except for instructions with
// special addresses, which count as a load or a store.
func MemOp(in *isa.Inst) gcn.MemOp {
	switch r := in.Row(); {
	case !r.Mem.ByLane:
		return r.Mem.Op
	case r.Mem.Ret:
		return gcn.Load
	default:
		return gcn.Store
	}
}
