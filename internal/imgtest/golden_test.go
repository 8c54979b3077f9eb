package imgtest_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/imgtest"
)

// The model agrees with the tables on linear images of all generations.
func TestGolden(t *testing.T) {
	cases, err := imgtest.Golden()
	require.NoError(t, err)
	for _, target := range []gcn.Target{gcn.GFX600, gcn.GFX803, gcn.GFX900} {
		mode := 8 // LINEAR_ALIGNED
		if target.Gen() >= gcn.GCN14 {
			mode = 0
		}
		rows := 0
		for _, c := range cases {
			call, err := c.Call(target, mode)
			require.NoError(t, err, "%+v", c.GoldenConfig)
			_, err = call.Run()
			require.NoError(t, err, "%+v", c.GoldenConfig)
			assert.NoError(t, c.Check(call.VData), "%v", target)
			rows += len(c.Rows)
		}
		t.Log(target, rows)
	}
}
