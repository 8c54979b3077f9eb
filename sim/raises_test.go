package sim_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/testkit/effort"
	"github.com/gcnsim/gcnsim/internal/testkit/insttest"
	"github.com/gcnsim/gcnsim/state"
)

// TestRaisesChangesNothing computes the exceptions of random forms of every instruction that executes. Inactive lanes
// must raise none, and the wave must not change.
func TestRaisesChangesNothing(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	asked := 0
	for _, target := range trapTargets {
		for op := gcn.Op(1); int(op) < isa.NumOps(); op++ {
			for e := isa.SOP1; int(e) < isa.NumEncodings; e++ {
				if _, err := isa.New(target, op, e); err != nil {
					continue
				}
				for range effort.Rounds(7) {
					in, ok := insttest.Random(rnd, target, op, e)
					if !ok || executor.Find(&in).Exec == nil || executor.CheckOperands(&in, insttest.VGPRs, in.Operands(nil)) != nil {
						continue
					}
					if raises, _ := executor.RaisedBy(&in); raises != nil {
						asked++
						raisesOnce(t, rnd, target, raises)
					}
				}
			}
		}
	}
	require.Greater(t, asked, 500)
}

func raisesOnce(t *testing.T, rnd *rand.Rand, target gcn.Target, raises executor.Raises) {
	t.Helper()
	w, same := state.NewWave(target, insttest.VGPRs), state.NewWave(target, insttest.VGPRs)
	for reg := range w.V {
		for i := range w.V[reg] {
			w.V[reg][i] = rnd.Uint32()
		}
		same.V[reg] = w.V[reg]
	}
	w.Mode = state.Mode(rnd.Uint32()) &^ state.ModeVSkip
	w.SetExec(rnd.Uint64())
	same.Mode = w.Mode
	same.SetExec(w.Exec())
	var r executor.Raised
	raises(w, &r)
	for _, lanes := range r {
		require.Zero(t, lanes&^w.Exec())
	}
	require.True(t, slices.Equal(same.V, w.V) && same.S == w.S && same.Mode == w.Mode && same.TrapSts == w.TrapSts &&
		same.SCC == w.SCC)
}
