package isa_test

import (
	"os"
	"path"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/internal/isa"
)

// TestRates compares the rate of every ALU row with the first matching line of testdata/rates.tsv. A test in
// sim/timing compares the clocks on each chip.
func TestRates(t *testing.T) {
	rates := map[string]isa.Rate{
		"4": isa.FullRate, "8": isa.HalfRate, "16": isa.QuarterRate, "mul": isa.MultiplyRate, "fma": isa.FusedRate,
		"dp*4": isa.DoubleRate, "dp*8": isa.DoubleMultiplyRate,
	}
	text, err := os.ReadFile("testdata/rates.tsv")
	require.NoError(t, err)
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")[1:]
	for op := isa.Op(1); int(op) < isa.NumOps(); op++ {
		r := isa.RowOf(op)
		if r.Enc == isa.SOPP || r.Enc > isa.VOP3P || r.Enc == isa.SMEM {
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
