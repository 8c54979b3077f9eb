package sim_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/internal/sim/codeobj"
	"github.com/gcnsim/gcnsim/sim"
)

// TestAnyNumberOfWorkersDoesTheSame executes each kernel, including those whose atomics show the order of
// work-groups, on one machine with several numbers of workers. Memory, counts and the fidelity report must be equal,
// and workers of earlier launches must have no influence.
func TestAnyNumberOfWorkersDoesTheSame(t *testing.T) {
	for _, k := range kernelTests() {
		files := k.objects(t)
		data := kernelObject(t, filepath.Base(files[len(files)-1]))
		o, err := codeobj.Parse(data)
		require.NoError(t, err)
		m := sim.New(o.Target)
		m.Placement = 1
		mod, err := m.LoadObject(data)
		require.NoError(t, err)
		buffers := make([]*sim.Buffer, len(k.args))
		l := sim.Launch{Module: mod, Kernel: k.name, Grid: k.grid, Group: k.group}
		for i, a := range k.args {
			if a.in != nil {
				buffers[i] = m.Alloc(len(a.in))
				a.value = sim.BufferArg(buffers[i])
			}
			l.Args = append(l.Args, a.value)
		}
		var want *sim.Result
		var left [][]byte
		for _, l.Workers = range []int{1, 3, 8, 1} {
			for i, b := range buffers {
				if b != nil {
					copy(b.Bytes(), k.args[i].in)
				}
			}
			res, err := m.Dispatch(ctx, l)
			require.NoError(t, err, k.name)
			var now [][]byte
			for _, b := range buffers {
				if b != nil {
					now = append(now, append([]byte(nil), b.Bytes()...))
				}
			}
			if want == nil {
				want, left = res, now
				continue
			}
			assert.Equal(t, want.Instructions, res.Instructions, k.name)
			assert.Equal(t, want.ByClass, res.ByClass, k.name)
			assert.Equal(t, want.Fidelity, res.Fidelity, k.name)
			for i := range left {
				if msg := firstDifference(left[i], now[i]); msg != "" {
					t.Errorf("%s with %d workers: buffer %d: %s", k.name, l.Workers, i, msg)
				}
			}
		}
	}
}
