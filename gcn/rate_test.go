package gcn_test

import (
	"os"
	"path"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
)

// TestRates ties the rate of every ALU row to the first line of testdata/rates.tsv that is
// for it. What the rates are in clocks on each chip is tied to it in sim/timing.
func TestRates(t *testing.T) {
	rates := map[string]gcn.Rate{
		"4": gcn.FullRate, "8": gcn.HalfRate, "16": gcn.QuarterRate, "mul": gcn.MultiplyRate, "fma": gcn.FusedRate,
		"dp*4": gcn.DoubleRate, "dp*8": gcn.DoubleMultiplyRate,
	}
	text, err := os.ReadFile("testdata/rates.tsv")
	require.NoError(t, err)
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")[1:]
	for op := gcn.Op(1); int(op) < gcn.NumOps(); op++ {
		r := op.Row()
		if r.Enc == gcn.SOPP || r.Enc > gcn.VOP3P || r.Enc == gcn.SMEM {
			continue
		}
		found := false
		for _, line := range lines {
			f := strings.Split(line, "\t")
			if ok, _ := path.Match(f[1], r.Name); !ok || f[0] != r.Enc.String() {
				continue
			}
			want, known := rates[f[2]]
			require.True(t, known, line)
			assert.Equal(t, want, r.Rate, "%s: %s", r.Name, line)
			found = true
			break
		}
		assert.True(t, found, "no line for %s", r.Name)
	}
}
