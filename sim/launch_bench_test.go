package sim_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/sim"
)

// BenchmarkGroups measures work-groups of one wave that executes eight instructions: vadd beyond the end of its
// arrays.
func BenchmarkGroups(b *testing.B) {
	const groups = 100_000
	for _, c := range []struct {
		name    string
		workers int
	}{{"one core", 1}, {"all cores", 0}} {
		b.Run(c.name, func(b *testing.B) {
			m := sim.New(gcn.GFX803)
			mod, err := m.LoadObject(kernelObject(b, "vadd.fiji.co"))
			require.NoError(b, err)
			one := sim.BufferArg(m.Alloc(4))
			l := sim.Launch{
				Module: mod, Kernel: "vadd", Grid: [3]uint32{64 * groups}, Group: [3]uint32{64}, Workers: c.workers,
				Args: []sim.Arg{one, one, one, sim.U32(0)},
			}
			for b.Loop() {
				_, err := m.Dispatch(ctx, l)
				require.NoError(b, err)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/groups, "ns/group")
		})
	}
}
