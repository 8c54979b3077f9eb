package executors_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/tool/rule"
)

// TestStatusIsNeverExact: what instructions with TFE write to the register after their data is
// known of none of them, so all of them say so.
func TestStatusIsNeverExact(t *testing.T) {
	met := map[gcn.Encoding]int{}
	for _, target := range []gcn.Target{gcn.GFX600, gcn.GFX701, gcn.GFX803, gcn.GFX900, gcn.GFX906} {
		for op := gcn.Op(1); int(op) < gcn.NumOps(); op++ {
			r := op.Row()
			in, err := gcn.New(target, op, r.Enc)
			if err != nil || !in.Has(gcn.TFE) || r.Mem.Op != gcn.Load {
				continue
			}
			for field, v := range map[gcn.Field]int64{gcn.DMASK: 1, gcn.DFMT: 4, gcn.NFMT: 7} {
				if in.Has(field) {
					in, err = in.Set(field, v)
					require.NoError(t, err)
				}
			}
			in, err = in.Set(gcn.TFE, 1)
			require.NoError(t, err)
			impl := executor.Find(&in)
			if impl.Exec == nil {
				continue
			}
			met[r.Enc]++
			all := append([]gcn.Note{{Level: impl.Level, Why: impl.Why}}, impl.More...)
			assert.True(t, slices.ContainsFunc(all, func(n gcn.Note) bool {
				return n.Level != gcn.Exact && (strings.Contains(n.Why, rule.DP6) || strings.Contains(n.Why, rule.IM7))
			}), "%v on %v: %v", op, target, all)
		}
	}
	for _, e := range []gcn.Encoding{gcn.MUBUF, gcn.MTBUF, gcn.MIMG, gcn.FLAT} {
		assert.Positive(t, met[e], e)
	}
}
