package imgtest_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/testkit/imgtest"
)

// The model's results equal the tables for every tiling mode.
func TestGolden(t *testing.T) {
	cases, err := imgtest.Golden()
	require.NoError(t, err)
	rows := 0
	for _, tiling := range []struct {
		target gcn.Target
		mode   int
	}{
		{gcn.GFX600, 8}, {gcn.GFX700, 13}, {gcn.GFX803, 8}, {gcn.GFX803, 14}, {gcn.GFX900, 0}, {gcn.GFX900, 9},
	} {
		for _, c := range cases {
			call, err := c.Call(tiling.target, tiling.mode)
			require.NoError(t, err, "%+v", c.GoldenConfig)
			_, err = call.Run()
			require.NoError(t, err, "%+v", c.GoldenConfig)
			assert.NoError(t, c.Check(call.VData), "%+v", tiling)
			rows += len(c.Rows)
		}
	}
	assert.Equal(t, 6*1720, rows)
}
