package lds_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/testkit/effort"
	"github.com/gcnsim/gcnsim/internal/testkit/memtest"
	"github.com/gcnsim/gcnsim/state"
)

// TestUnseen executes loads and stores with and without a record of their addresses, which must
// make no difference to anything else.
func TestUnseen(t *testing.T) {
	rows := map[string]bool{}
	for _, target := range memtest.Targets {
		t.Run(target.String(), func(t *testing.T) {
			r := rand.New(rand.NewPCG(3, uint64(target)))
			w := memtest.NewTwin(r, target)
			for op := gcn.Op(1); int(op) < isa.NumOps(); op++ {
				row := isa.RowOf(op)
				if row.Enc != isa.DS || !row.On(target) || row.Mem.Op != gcn.Load && row.Mem.Op != gcn.Store {
					continue
				}
				for range w.States(160) {
					w.Renew(state.DriverRules)
					f := memtest.Fields{isa.ADDR: int64(r.IntN(8)), isa.DATA0: int64(r.IntN(8)), isa.DATA1: int64(r.IntN(8)),
						isa.VDST: int64(r.IntN(8))}
					if r.IntN(8) == 0 {
						f[isa.GDS] = 1
					}
					offset := r.IntN(2) * r.IntN(256)
					f[isa.OFFSET0] = int64(offset)
					if f[isa.OFFSET1] = int64(r.IntN(256)); row.Has(isa.Two) && r.IntN(4) != 0 {
						f[isa.OFFSET1] = int64(min(offset+r.IntN(8), 255))
					} else if !row.Has(isa.Two) {
						f[isa.OFFSET1] = int64(r.IntN(8) & r.IntN(8))
					}
					limit := []int{memtest.LDSSize, 0x800, 0, r.IntN(memtest.LDSSize), r.IntN(memtest.LDSSize)}[r.IntN(5)]
					w.Spread(&w.Wave.V[f[isa.ADDR]], uint32(limit-r.IntN(2)*r.IntN(0x400)-offset*r.IntN(2)*4)&^uint32([]int{0, 3,
						15}[r.IntN(3)]))
					in := memtest.Inst(target, row.Name, f)
					impl := executor.Find(&in)
					require.NotNil(t, impl.Exec, impl.Why)
					direct := w.Run(t, in, impl.Exec)
					rows[row.Name] = rows[row.Name] || direct || row.Mem.D16 != isa.Full || row.Has(isa.NoAddr)
				}
			}
			require.Greater(t, w.Direct(), 0.1, "many need no record")
		})
	}
	for name, direct := range rows {
		// without effort.Full the few random states may not contain one
		require.True(t, direct || !effort.Full(), "%s always leaves a record", name)
	}
}
