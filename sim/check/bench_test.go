package check_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/sim"
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

// BenchmarkPaths follows all paths through compiled kernels, and through one of 10,000 instructions with a branch in
// ten. It reports instructions a second, in millions.
func BenchmarkPaths(b *testing.B) {
	follow := func(mod *sim.Module, kernel string) func(b *testing.B) {
		return func(b *testing.B) {
			instructions := 0
			for b.Loop() {
				_, p := pathsOf(b, mod, kernel, "all")
				instructions += p.Instructions
			}
			b.ReportMetric(float64(instructions)/b.Elapsed().Seconds()/1e6, "Minst/s")
		}
	}
	for _, kernel := range []string{"vadd", "matmul", "sha256"} {
		_, l := launchOf(b, filepath.Join(compiled, kernel+".fiji.json"))
		b.Run(kernel, follow(l.Module, l.Kernel))
	}
	var text strings.Builder
	for n := range 1000 {
		fmt.Fprintf(&text, "block%d: s_load_dword s%d, s[0:1], 0x0\nglobal_load_dword v%d, v0, s[0:1]\n", n, 8+n%8, 1+n%8)
		text.WriteString(strings.Repeat("v_add_u32 v9, v10, v11\n", 6))
		fmt.Fprintf(&text, "s_waitcnt vmcnt(%d) lgkmcnt(0)\ns_cbranch_scc1 block%d\n", n%4, max(n+7-n%13, 0)%1000)
	}
	_, mod := loadText(b, kernelText(gcn.GFX900, text.String()+"s_endpgm", ""))
	b.Run("10000", follow(mod, "k"))
}
