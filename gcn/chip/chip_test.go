package chip_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/gcn/chip"
)

// A row has the registers that its generation has, and a name that is its own.
func TestRows(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range chip.All() {
		require.False(t, seen[c.Name], c.Name)
		seen[c.Name] = true
		assert.Equal(t, strings.ToLower(c.Name), c.Name)
		traits := c.Target.Gen().Tiling()
		assert.Equal(t, !traits.SwizzleModes, c.Tiling.Modes != nil, c.Name)
		assert.Equal(t, traits.MacroModes, c.Tiling.MacroModes != nil, c.Name)
		assert.NotZero(t, c.Tiling.AddrConfig, c.Name)
		id := c.Identity
		assert.NotZero(t, id.PCI, c.Name)
		assert.NotZero(t, id.Family, c.Name)
		assert.NotZero(t, id.Revision, c.Name)
		assert.Positive(t, id.RBs, c.Name)
		if c.Size != (chip.Size{}) {
			assert.Equal(t, c.Size.CUs, id.SEs*id.SHs*id.CUs, c.Name)
			assert.Equal(t, c.Size.ShaderEngines, id.SEs, c.Name)
			for _, v := range []int{c.Size.CUs, c.Size.ShaderEngines, c.Size.ClockMHz, c.Size.L2Bytes, c.Size.L2Channels, c.Size.DRAMGBs, c.Size.DoubleRate} {
				assert.Positive(t, v, c.Name)
			}
		}
		// The name is one of the processor's, or the processor has no such name in LLVM.
		if target, err := gcn.ParseTarget(c.Name); err == nil {
			assert.Equal(t, c.Target, target, c.Name)
		}
	}
}

func TestLookup(t *testing.T) {
	assert.Equal(t, gcn.GFX803, chip.Lookup("Polaris12").Target)
	assert.Nil(t, chip.Lookup("navi10"))
	for _, target := range gcn.Targets() {
		c := chip.ForTarget(target)
		require.NotNil(t, c, target)
		assert.Equal(t, target.Gen(), c.Target.Gen(), target)
	}
	assert.Equal(t, "fiji", chip.ForTarget(gcn.GFX803).Name)
	assert.Equal(t, "hawaii", chip.ForTarget(gcn.GFX702).Name)
	for g := range gcn.Gen(gcn.NumGens) {
		assert.NotZero(t, chip.ForTarget(g.Target()).Size, "times of %v are those of its first chip", g)
	}
	// A caller cannot change the table.
	chip.Lookup("fiji").Name = "other"
	assert.NotNil(t, chip.Lookup("fiji"))
}
