package timing

import (
	"os"
	"path"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/isa/chip"
)

// readTable returns the rows of a tab-separated file without its header.
func readTable(t *testing.T, name string) (rows [][]string) {
	t.Helper()
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	for line := range strings.Lines(string(text)) {
		rows = append(rows, strings.Split(strings.TrimSuffix(line, "\n"), "\t"))
	}
	return rows[1:]
}

// TestRatesOfChips compares the clocks of every ALU instruction on every chip with times with the first matching row
// of internal/isa/testdata/rates.tsv, using the chip's values in testdata/factors.tsv. Each row must match an
// instruction.
func TestRatesOfChips(t *testing.T) {
	rates := readTable(t, "../../isa/testdata/rates.tsv")
	used := make([]bool, len(rates))
	tried := map[string]bool{}
	for _, row := range readTable(t, "testdata/factors.tsv") {
		name, factor := row[0], map[string]int{"dp": number(t, row[1]), "fma": number(t, row[2]), "mul": number(t, row[3])}
		tried[name] = true
		p, err := Preset(name)
		require.NoError(t, err)
		for op := gcn.Op(1); int(op) < isa.NumOps(); op++ {
			r, target := isa.RowOf(op), chip.Lookup(name).Target
			n := rateOf(rates, r)
			if n < 0 || !r.On(target) {
				continue
			}
			used[n] = true
			in, err := isa.New(target, op, r.Enc)
			require.NoError(t, err, r.Name)
			want := 1
			for term := range strings.SplitSeq(rates[n][2], "*") {
				if f, ok := factor[term]; ok {
					want *= f
				} else {
					want *= number(t, term)
				}
			}
			s := newStatic(&p, &in, 0)
			assert.EqualValues(t, want, s.issue, "%s on %s: %v", r.Name, name, rates[n])
		}
	}
	for _, name := range Presets() {
		assert.True(t, tried[name], "testdata/factors.tsv has no line for %s", name)
	}
	for n, row := range rates {
		assert.True(t, used[n], "no instruction: %v", row)
	}
}

// rateOf returns the index of the row that matches r; negative if r is not an ALU instruction.
func rateOf(rates [][]string, r *isa.Row) int {
	for n, row := range rates {
		if ok, _ := path.Match(row[1], r.Name); ok && row[0] == r.Enc.String() {
			return n
		}
	}
	return -1
}

func number(t *testing.T, text string) int {
	t.Helper()
	n, err := strconv.Atoi(text)
	require.NoError(t, err)
	return n
}
