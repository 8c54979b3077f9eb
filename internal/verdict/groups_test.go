package verdict_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/internal/sim/compare"
	"github.com/gcnsim/gcnsim/internal/verdict"
)

// TestGroupObjects: programs that do the same are in one group, whatever their number, and each further
// group has its difference.
func TestGroupObjects(t *testing.T) {
	right, other := object(t, "vadd.fiji"), object(t, "vadd.gfx900")
	wrong := patched(t, right, 0x32040902, 0x34040902) // v_add_u32 becomes v_sub_u32
	sort := object(t, "sort.fiji")
	for name, c := range map[string]struct {
		objects [][]byte
		verdict compare.Verdict
		groups  [][]int
		missing []int
		says    []string
	}{
		"same": {[][]byte{right, other, right}, compare.Same, [][]int{{0, 1, 2}}, nil,
			[]string{"vadd: same: a, b, c\n", "\na is a, b is c:\nvadd: same: "}},
		"the first is odd": {[][]byte{wrong, right, other}, compare.Different, [][]int{{0}, {1, 2}}, nil,
			[]string{"vadd: different: 2 groups; how many programs agree does not say which are right\ngroup 1: a\ngroup " +
				"2: b, c\n",
				"\na is a, b is b:\nvadd: different: argument 0"}},
		"missing": {[][]byte{right, sort, wrong, right}, compare.Different, [][]int{{0, 3}, {2}}, []int{1},
			[]string{"note: without this kernel: b\n"}},
		"no verdict": {[][]byte{right, other, right}, compare.NoVerdict, [][]int{{0}, {1}, {2}}, nil,
			[]string{"vadd: no verdict: of a and b: "}},
	} {
		var o verdict.ObjectsOptions
		if c.verdict == compare.NoVerdict {
			o.MaxInstructions = 3 // with so few no launch ends
		}
		names := strings.Split("abcdefgh", "")[:len(c.objects)]
		all, err := verdict.GroupObjects(t.Context(), c.objects, names, &o)
		require.NoError(t, err, name)
		require.Len(t, all, 1, name)
		g := all[0]
		v, why := g.Verdict()
		assert.Equal(t, c.verdict, v, name)
		assert.Equal(t, c.verdict == compare.NoVerdict, why != "", name)
		assert.Equal(t, c.groups, g.Groups, name)
		assert.Equal(t, c.missing, g.Missing, name)
		tells, _ := g.Telling().Verdict()
		assert.Equal(t, c.verdict, tells, name)
		var text strings.Builder
		require.NoError(t, g.Write(&text))
		for _, says := range c.says {
			assert.Contains(t, text.String(), says, name)
		}
	}
}

func TestGroupObjectsRefuses(t *testing.T) {
	vadd, sort := object(t, "vadd.fiji"), object(t, "sort.fiji")
	_, err := verdict.GroupObjects(t.Context(), [][]byte{vadd}, []string{"a"}, nil)
	require.EqualError(t, err, "give two or more code objects, and a name for each")
	_, err = verdict.GroupObjects(t.Context(), [][]byte{vadd, sort, object(t, "reduce.fiji")},
		[]string{"a", "b", "c"}, nil)
	require.EqualError(t, err, "a, b and c have no kernel in common: a has vadd, b has sort, c has reduce")
}
