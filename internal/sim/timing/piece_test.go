package timing_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/base/block"
	"github.com/gcnsim/gcnsim/internal/sim/timing"
	"github.com/gcnsim/gcnsim/internal/testkit/effort"
	"github.com/gcnsim/gcnsim/sim"
)

// shownOf counts the instructions that are shown to a model.
type shownOf struct {
	*timing.Model
	shown uint64
}

func (s *shownOf) Retire(e *sim.Event) {
	s.shown++
	s.Model.Retire(e)
}

// TestPieces: most instructions of compiled kernels are in pieces, and the times equal those of a model that sees
// each instruction.
func TestPieces(t *testing.T) {
	for i := range manyKernels {
		k := &manyKernels[i]
		if effort.LeavesOut(i) {
			continue
		}
		t.Run(k.kernel, func(t *testing.T) {
			run := func(others ...sim.Watcher) (*timing.Result, float64) {
				model, err := timing.New(gcn.GFX803, timing.Default(gcn.GFX803))
				require.NoError(t, err)
				watched := &shownOf{Model: model}
				m, l, _ := k.launch(t, 256)
				require.NoError(t, l.Watch(append(others, watched)...))
				res, err := m.Dispatch(t.Context(), l)
				require.NoError(t, err)
				times, err := model.Finish()
				require.NoError(t, err)
				return times, float64(watched.shown) / float64(res.Instructions)
			}
			all, shown := run(oneByOne{})
			require.InDelta(t, 1, shown, 0)
			pieces, shown := run()
			require.Equal(t, all, pieces)
			if block.Unavailable() == "" {
				require.Less(t, shown, 0.5)
			}
		})
	}
}
