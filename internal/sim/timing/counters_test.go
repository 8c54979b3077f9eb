package timing

import (
	"go/ast"
	"go/parser"
	"go/token"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// formulas returns the metrics of testdata/metrics.txt by generation.
func formulas(t *testing.T) map[string]map[string]string {
	t.Helper()
	text, err := os.ReadFile("testdata/metrics.txt")
	require.NoError(t, err)
	all := map[string]map[string]string{"gfx8": {}, "gfx9": {}}
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		f := strings.Fields(line)
		require.Len(t, f, 3, line)
		for gen := range all {
			if f[0] == "all" || f[0] == gen {
				all[gen][f[1]] = f[2]
			}
		}
	}
	return all
}

// TestMetricsAreThoseOfRocprofiler evaluates the published formulas on random counters and compares the results.
func TestMetricsAreThoseOfRocprofiler(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	for gen, chip := range map[string]string{"gfx8": "fiji", "gfx9": "vega10"} {
		p, err := Preset(chip)
		require.NoError(t, err)
		known := formulas(t)[gen]
		for range 20 {
			res := &Result{Params: p, most: instances{r.Uint64N(1e6), r.Uint64N(1e6), r.Uint64N(1e6)}}
			for i := range res.counts {
				res.counts[i] = 1 + r.Uint64N(1e6)
			}
			value := func(name string) float64 {
				switch name {
				case "CU_NUM":
					return float64(p.CUs)
				case "SIMD_NUM":
					return float64(p.CUs * 4)
				case "SE_NUM":
					return 4
				case "MAX_WAVE_SIZE":
					return 64
				case "max(TA_TA_BUSY)":
					return float64(res.most.taBusy)
				case "max(TCP_TCP_TA_DATA_STALL_CYCLES)":
					return float64(res.most.taStall)
				case "max(TCC_MC_WRREQ_STALL)", "max(TCC_EA_WRREQ_STALL)":
					return float64(res.most.writeStall)
				}
				for i, n := range counterNames {
					if n == name {
						return float64(res.counts[i])
					}
				}
				require.Failf(t, "unknown name", "%s", name)
				return 0
			}
			derived := res.derived()
			assert.Len(t, derived, len(known))
			for _, m := range derived {
				require.Contains(t, known, m.Name)
				assert.InEpsilon(t, evaluate(t, known[m.Name], value), m.Value, 1e-12, "%s %s", gen, m.Name)
			}
		}
	}
}

// evaluate computes a formula with + - * / and the maximum over the instances of a counter.
func evaluate(t *testing.T, text string, value func(string) float64) float64 {
	t.Helper()
	e, err := parser.ParseExpr(text)
	require.NoError(t, err, text)
	var of func(e ast.Expr) float64
	of = func(e ast.Expr) float64 {
		switch e := e.(type) {
		case *ast.ParenExpr:
			return of(e.X)
		case *ast.BasicLit:
			n, err := strconv.ParseFloat(e.Value, 64)
			require.NoError(t, err)
			return n
		case *ast.Ident:
			return value(e.Name)
		case *ast.CallExpr:
			return value("max(" + e.Args[0].(*ast.Ident).Name + ")")
		case *ast.BinaryExpr:
			a, b := of(e.X), of(e.Y)
			switch e.Op {
			case token.ADD:
				return a + b
			case token.SUB:
				return a - b
			case token.MUL:
				return a * b
			case token.QUO:
				return a / b
			}
		}
		require.Failf(t, "not a formula", "%s", text)
		return 0
	}
	return of(e)
}
