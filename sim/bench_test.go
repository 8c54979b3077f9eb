package sim_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/state"
	"github.com/gcnsim/gcnsim/state/lane"
)

// BenchmarkOneWaveTest is a user's first test: a machine, a buffer, a wave, text.
func BenchmarkOneWaveTest(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		m := sim.New(gcn.GFX803)
		buf := m.Alloc(256)
		w := m.NewWave()
		w.SetSGPRs(0, gcn.Buffer{Base: buf.Addr, NumRecords: 256}.Words()...)
		w.SetVGPR(0, lane.Times(4))
		_, err := m.RunAsm(ctx, w, "buffer_store_dword v0, v0, s[0:3], 0 offen\ns_endpgm")
		require.NoError(b, err)
	}
}

const vaddItems = 1 << 20

// BenchmarkVadd adds a million integers with a compiled kernel.
func BenchmarkVadd(b *testing.B) {
	for name, workers := range map[string]int{"one core": 1, "all cores": 0} {
		b.Run(name, func(b *testing.B) {
			m := sim.New(gcn.GFX803)
			mod, err := m.LoadObject(kernelObject(b, "vadd.fiji.co"))
			require.NoError(b, err)
			sum, x, y := m.Alloc(4*vaddItems), m.Alloc(4*vaddItems), m.Alloc(4*vaddItems)
			l := sim.Launch{
				Module: mod, Kernel: "vadd", Grid: [3]uint32{vaddItems}, Group: [3]uint32{64}, Workers: workers,
				Args: []sim.Arg{sim.BufferArg(sum), sim.BufferArg(x), sim.BufferArg(y), sim.U32(vaddItems)}, Rules: state.DriverRules,
			}
			var instructions uint64
			for b.Loop() {
				res, err := m.Dispatch(ctx, l)
				require.NoError(b, err)
				instructions += res.Instructions
			}
			b.ReportMetric(float64(instructions)/b.Elapsed().Seconds()/1e6, "Minst/s")
		})
	}
}

// BenchmarkVaddPlainGo is the same sum without a simulator.
func BenchmarkVaddPlainGo(b *testing.B) {
	sum, x, y := make([]uint32, vaddItems), make([]uint32, vaddItems), make([]uint32, vaddItems)
	for b.Loop() {
		for i := range sum {
			sum[i] = x[i] + y[i]
		}
	}
}

func kernelObject(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(kernelDir, name))
	require.NoError(t, err)
	return data
}
