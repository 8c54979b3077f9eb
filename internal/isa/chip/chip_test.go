package chip_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/isa/chip"
)

// A chip has the registers of its generation, and a unique name.
func TestRows(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range chip.All() {
		require.False(t, seen[c.Name], c.Name)
		seen[c.Name] = true
		assert.Equal(t, strings.ToLower(c.Name), c.Name)
		traits := isa.GenTraits(c.Target.Gen())
		assert.Equal(t, !traits.SwizzleModes, c.Tiling.Modes != nil, c.Name)
		assert.Equal(t, traits.MacroModes, c.Tiling.MacroModes != nil, c.Name)
		assert.NotZero(t, c.Tiling.AddrConfig, c.Name)
		id := c.Identity
		assert.NotZero(t, id.PCI, c.Name)
		assert.NotZero(t, id.Family, c.Name)
		assert.NotZero(t, id.Revision, c.Name)
		assert.Positive(t, id.RBs, c.Name)
		if b := chip.LookupBoard(c.Name); b != nil {
			assert.LessOrEqual(t, b.CUs, id.SEs*id.SHs*id.CUs, c.Name)
			assert.Equal(t, b.ShaderEngines, id.SEs, c.Name)
		}
		target, err := chip.ParseTarget(strings.ToUpper(c.Name))
		require.NoError(t, err)
		assert.Equal(t, c.Target, target, c.Name)
	}
}

func TestParseTarget(t *testing.T) {
	target, err := chip.ParseTarget("polaris12") // LLVM has no processor with that name
	require.NoError(t, err)
	assert.Equal(t, gcn.GFX803, target)
	_, err = chip.ParseTarget("navi10")
	var unknown *gcn.Error
	require.ErrorAs(t, err, &unknown)
	assert.ErrorContains(t, err, `unknown processor "navi10", which is RDNA and not simulated: gcnsim simulates GCN 1.0 to 1.4.1; known are gfx600 `)
	assert.ErrorContains(t, err, " gcn1.4.1 topaz ")
	for _, before := range []string{"r600", "RV770"} {
		_, err = chip.ParseTarget(before)
		assert.EqualError(t, err, before+" is a chip before GCN, which only asm, dis, explain, exec, run and the page take, and package "+
			"r600; other things take a processor of GCN, as in gfx803")
	}
}

func TestLookup(t *testing.T) {
	assert.Equal(t, gcn.GFX803, chip.Lookup("Polaris12").Target)
	assert.Nil(t, chip.Lookup("navi10"))
	for target := range gcn.Target(gcn.NumTargets) {
		c := chip.ForTarget(target)
		require.NotNil(t, c, target)
		assert.Equal(t, target.Gen(), c.Target.Gen(), target)
	}
	assert.Equal(t, "fiji", chip.ForTarget(gcn.GFX803).Name)
	assert.Equal(t, "hawaii", chip.ForTarget(gcn.GFX702).Name)
	for g := range gcn.Gen(gcn.NumGens) {
		assert.NotNil(t, chip.LookupBoard(chip.ForTarget(g.Target()).Name), "times of %v are those of its first chip", g)
	}
	// A caller cannot change the table.
	chip.Lookup("fiji").Name = "other"
	assert.NotNil(t, chip.Lookup("fiji"))
}

// A board has a chip and every value. Names and titles are unique, and not the name of a chip.
func TestBoards(t *testing.T) {
	seen := map[string]bool{}
	for _, b := range chip.Boards() {
		for _, name := range []string{b.Name, b.Title} {
			require.False(t, seen[name], name)
			seen[name] = true
			got := chip.LookupBoard(name)
			require.NotNil(t, got, name)
			assert.Equal(t, b, *got, name)
		}
		c := chip.Lookup(b.Name)
		require.NotNil(t, c, b.Name)
		assert.Equal(t, b.Chip, c.Name, b.Name)
		for _, v := range []int{b.CUs, b.ShaderEngines, b.ClockMHz, b.L2Bytes, b.L2Channels, b.Memory.Bits, b.Memory.Mbit} {
			assert.Positive(t, v, b.Name)
		}
		assert.Contains(t, []int{8, 16, 32, 64}, b.DoubleRate, b.Name)
		assert.NotEmpty(t, b.Memory.Kind.String(), b.Name)
	}
	for _, c := range chip.All() {
		assert.False(t, seen[c.Name], c.Name)
	}
	for name, want := range map[string]string{
		"R9_Nano": "r9-nano", "RX 570": "rx570", "Radeon RX 570": "rx570", "FuryX": "fury-x", "r9-fury-x": "fury-x",
		"HD-7970": "hd7970", "pro-vii": "radeon-pro-vii",
		"VII": "radeon-vii", "rx-vega-64": "vega-64", "fiji": "fury-x", "Hawaii": "r9-290x", "mi50": "mi50", "vega20": "mi50",
	} {
		b := chip.LookupBoard(name)
		require.NotNil(t, b, name)
		assert.Equal(t, want, b.Name, name)
	}
	assert.Nil(t, chip.LookupBoard("rx5700"))
	assert.Nil(t, chip.LookupBoard("radeon"))
}
