package flat_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/testkit/memtest"
	"github.com/gcnsim/gcnsim/state"
)

// TestUnseen executes loads and stores with and without a record of their addresses, which must
// make no difference to anything else.
func TestUnseen(t *testing.T) {
	for _, target := range memtest.Targets[1:] {
		t.Run(target.String(), func(t *testing.T) {
			w := memtest.NewTwin(rand.New(rand.NewPCG(3, uint64(target))), target)
			for op := gcn.Op(1); int(op) < isa.NumOps(); op++ {
				row := isa.RowOf(op)
				if row.Enc != isa.FLAT && row.Enc != isa.GLOBAL || !row.On(target) ||
					row.Mem.Op != gcn.Load && row.Mem.Op != gcn.Store {
					continue
				}
				for range w.States(80) {
					w.Renew(state.DriverRules)
					runUnseen(t, w, op)
				}
			}
			require.Greater(t, w.Direct(), 0.1, "many need no record")
		})
	}
}

// runUnseen executes op at addresses around a boundary: the end of a mapping or of an aperture.
func runUnseen(t *testing.T, w *memtest.Twin, op gcn.Op) {
	r, row := w.Rand, isa.RowOf(op)
	f := memtest.Fields{isa.ADDR: int64(r.IntN(8)), isa.VDATA: int64(r.IntN(8)), isa.VDST: int64(r.IntN(8))}
	at, offset := w.Address(), int64(0)
	if w.Wave.Target.Gen() >= gcn.GCN14 {
		offset = int64(r.IntN(4096) &^ []int{0, 3, 15, 15}[r.IntN(4)])
		if row.Enc == isa.GLOBAL {
			offset -= 2048
			f[isa.SADDR] = isa.NoSADDR
		}
		f[isa.OFFSET] = offset
	} else if r.IntN(8) == 0 {
		f[isa.TFE] = int64(row.Mem.Op / gcn.Load & 1)
	}
	switch r.IntN(6) {
	case 0:
		at = uint64(w.Wave.SharedBase)<<32 + uint64(r.IntN(2)*memtest.LDSSize) - 0x80
	case 1:
		at = uint64(w.Wave.PrivateBase)<<32 - 0x80
	case 2:
		at = 1<<32 - uint64(r.IntN(0x200)) // the address wraps into the other half
	}
	at -= uint64(offset)
	lo, hi := &w.Wave.V[f[isa.ADDR]], &w.Wave.V[f[isa.ADDR]+1]
	if row.Enc == isa.GLOBAL && r.IntN(2) == 0 {
		f[isa.SADDR] = 10
		from := r.Uint32() >> r.IntN(32)
		w.Wave.SetScalar64(10, at-uint64(from))
		w.Spread(lo, from)
	} else {
		w.Spread(lo, uint32(at))
		for lane := range hi {
			if hi[lane] = uint32(at >> 32); w.Wave.Exec()>>lane&1 == 0 && r.IntN(2) == 0 {
				hi[lane] = r.Uint32() // the address of an inactive lane is not used
			}
		}
		if r.IntN(8) == 0 {
			hi[r.IntN(64)]++
		}
	}
	in := memtest.Inst(w.Wave.Target, row.Name, f)
	impl := executor.Find(&in)
	require.NotNil(t, impl.Exec, impl.Why)
	w.Run(t, in, impl.Exec)
}
