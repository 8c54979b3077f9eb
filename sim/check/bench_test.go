package check_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/sim/check"
)

// BenchmarkChecks reports the wave-instructions that compiled kernels execute a second, in
// millions, on one core: without a checker, with one that looks for nothing, with waits and
// wait states, and with everything.
func BenchmarkChecks(b *testing.B) {
	for _, kernel := range []string{"vadd", "matmul", "histogram", "mandelbrot", "reduce", "sha256"} {
		for _, mode := range []struct {
			name  string
			kinds []string
		}{{"off", nil}, {"nothing", []string{}}, {"waits", []string{"wait", "wait-state"}}, {"race", []string{"race"}},
			{"all", []string{"all"}}} {
			b.Run(kernel+"/"+mode.name, func(b *testing.B) {
				m, l := launchOf(b, filepath.Join(compiled, kernel+".fiji.json"))
				l.Workers = 1
				if mode.kinds != nil {
					c, err := check.New(mode.kinds...)
					require.NoError(b, err)
					require.NoError(b, l.Watch(c))
				}
				var instructions uint64
				for b.Loop() {
					res, err := m.Dispatch(context.Background(), *l)
					require.NoError(b, err)
					instructions += res.Instructions
				}
				b.ReportMetric(float64(instructions)/b.Elapsed().Seconds()/1e6, "Minst/s")
			})
		}
	}
}
