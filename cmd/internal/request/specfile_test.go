package request

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/sim/timing"
	"github.com/gcnsim/gcnsim/internal/testkit/effort"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/sim/spec"
)

// TestTimingChangesNoResult: compiled kernels have the same result with and without times.
func TestTimingChangesNoResult(t *testing.T) {
	specs, err := filepath.Glob("../../../testdata/kernels/*.fiji.json")
	require.NoError(t, err)
	require.Greater(t, len(specs), 50)
	for i, path := range specs {
		if effort.LeavesOut(i) {
			continue
		}
		plain, err := dispatchFile(t, path, &Options{})
		require.NoError(t, err, path)
		timed, err := dispatchFile(t, path, &Options{Options: spec.Options{
			Adjust: func(_ gcn.Target, s *spec.Settings) error {
				s.Timing = spec.Timed
				return nil
			},
		}})
		require.NoError(t, err, path)
		assert.Equal(t, plain.Dump, timed.Dump, path)
		assert.Equal(t, plain.Result.Instructions, timed.Result.Instructions, path)
		assert.Zero(t, *plain.Cycles, path)
		assert.NotZero(t, *timed.Cycles, path)
		for _, m := range timing.ResultOf(timed.Took()).Metrics {
			if percentages[m.Name] {
				assert.True(t, m.Value >= 0 && m.Value <= 100, "%s: %s is %f", path, m.Name, m.Value)
			}
		}
	}
}

// percentages are the metrics that are fractions of a whole.
var percentages = map[string]bool{
	"GPUBusy": true, "VALUUtilization": true, "VALUBusy": true, "SALUBusy": true, "MemUnitBusy": true,
	"MemUnitStalled":   true,
	"WriteUnitStalled": true, "ALUStalledByLDS": true, "LDSBankConflict": true, "L2CacheHit": true,
}

// dispatchFile runs the specification in the file path.
func dispatchFile(t *testing.T, path string, o *Options) (*spec.Reply, error) {
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	return RunSpec(t.Context(), text, path, o, nil)
}

// TestInterruptOfADispatch cancels a dispatch between two work-groups. The message mentions files if the
// specification names some.
func TestInterruptOfADispatch(t *testing.T) {
	const path = "../../../testdata/kernels/vadd.fiji.json"
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	file := `"file":` + strconv.Quote(filepath.Join(t.TempDir(), "sum.out"))
	for dump, left := range map[string]string{`"hex":true`: "", file: ", 0 of 1 output files were written"} {
		ctx, cancel := context.WithCancel(t.Context())
		instructions := 0
		changed := strings.Replace(string(text), `"hex":true`, dump, 1)
		_, err = RunSpec(ctx, []byte(changed), path, &Options{Options: spec.Options{Watch: func(*spec.Run) []sim.Watcher {
			return []sim.Watcher{sim.Observer(func(*sim.Event) {
				if instructions++; instructions == 2 {
					cancel()
				}
			})}
		}}}, nil)
		require.ErrorIs(t, err, context.Canceled)
		assert.Regexp(t, `^interrupted; (no work-group had ended|at least \d+ of \d+ work-groups had ended)`+left+`$`,
			err.Error())
		assert.Equal(t, "cancelled", spec.Failed(err).Kind)
		cancel()
	}
}
