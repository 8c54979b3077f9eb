package executors_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/tool/rule"
)

// TestStatusIsNeverExact: the value that instructions with TFE write after their data is not known for any
// instruction, so that all of them must have a note.
func TestStatusIsNeverExact(t *testing.T) {
	met := map[gcn.Encoding]int{}
	for _, target := range []gcn.Target{gcn.GFX600, gcn.GFX701, gcn.GFX803, gcn.GFX900, gcn.GFX906} {
		for op := gcn.Op(1); int(op) < isa.NumOps(); op++ {
			r := isa.RowOf(op)
			in, err := isa.New(target, op, r.Enc)
			if err != nil || !in.Has(isa.TFE) || r.Mem.Op != gcn.Load {
				continue
			}
			for field, v := range map[isa.Field]int64{isa.DMASK: 1, isa.DFMT: 4, isa.NFMT: 7} {
				if in.Has(field) {
					in, err = in.Set(field, v)
					require.NoError(t, err)
				}
			}
			in, err = in.Set(isa.TFE, 1)
			require.NoError(t, err)
			impl := executor.Find(&in)
			if impl.Exec == nil {
				continue
			}
			met[r.Enc]++
			all := append([]isa.Note{{Level: impl.Level, Why: impl.Why}}, impl.More...)
			assert.True(t, slices.ContainsFunc(all, func(n isa.Note) bool {
				return n.Level != gcn.Exact && (strings.Contains(n.Why, rule.DP6) || strings.Contains(n.Why, rule.IM7))
			}), "%v on %v: %v", op, target, all)
		}
	}
	for _, e := range []gcn.Encoding{isa.MUBUF, isa.MTBUF, isa.MIMG, isa.FLAT} {
		assert.Positive(t, met[e], e)
	}
}
