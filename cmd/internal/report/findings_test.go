package report

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/sim/check"
)

func TestParseSuppressions(t *testing.T) {
	all, err := parseSuppressions("# known\n\n  wait-raw\t0x48 \r\nall vadd\nrange vadd+16\n")
	require.NoError(t, err)
	var texts []string
	for _, s := range all {
		texts = append(texts, s.Text)
	}
	require.Equal(t, []string{"wait-raw 0x48", "all vadd", "range vadd+16"}, texts)
	require.Equal(t, []int{3, 4, 5}, []int{all[0].Line, all[1].Line, all[2].Line})
	_, err = parseSuppressions("all vadd\nrace")
	require.ErrorContains(t, err, "2:5: it does not say where")
}

// Instructions that follow one another are one line.
func TestWriteUnexecuted(t *testing.T) {
	var out strings.Builder
	require.NoError(t, writeUnexecuted(&out, nil, 0, 0))
	require.Empty(t, out.String())
	at := func(pc uint64, source string) check.Site {
		return check.Site{PC: pc, Inst: gcn.Inst(isa.Inst{Size: 4}), Text: "s_nop 0", Source: source}
	}
	require.NoError(t, writeUnexecuted(&out, []check.Site{at(0x1010, ""), at(0x1020, "k.cl:9"), at(0x1024, "k.cl:11")},
		7, 0x1000))
	require.Equal(t, `never executed, and so not judged: 10 instructions
  0x10          1  s_nop 0
  0x20 to 0x24  2  s_nop 0 to s_nop 0  k.cl:9 to k.cl:11
  and 7 more
`, out.String())
}
