package job

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gcnsim/gcnsim/gcn/tile"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/sim/timing"
)

// imageSpec is what a request says about images.
type imageSpec struct {
	TileMode      []number   `json:"tile_mode"`
	MacrotileMode []number   `json:"macrotile_mode"`
	GBAddrConfig  *number    `json:"gb_addr_config"`
	BorderColors  [][]number `json:"border_colors"`
}

// maxBorders is how many colours BORDER_COLOR_PTR, of 12 bits, can select (seed:
// GcnMemHandling).
const maxBorders = 1 << 12

// hasTiling reports whether there are tiling registers of a chip.
func hasTiling(chip string) bool { return slices.Contains(tile.Chips(), chip) }

// setImages gives m the tiling registers of a chip, or without one those of its target,
// less what the request overrides, and the border colours.
func (s *imageSpec) setImages(m *sim.Machine, chip string) error {
	if chip != "" {
		if _, err := timing.Preset(chip); err != nil && !hasTiling(chip) {
			return fmt.Errorf("chip: %q is not known; tiling is known of %s; times of %s",
				chip, strings.Join(tile.Chips(), ", "), strings.Join(timing.Presets(), ", "))
		}
	}
	var err error
	if hasTiling(chip) {
		m.Tiling, err = tile.Preset(chip)
	} else {
		m.Tiling, err = tile.ForTarget(m.Target)
	}
	if err != nil {
		return err
	}
	if m.Tiling.Gen != m.Target.Gen() {
		return fmt.Errorf("chip %s does not run programs for %v; it is %v", chip, m.Target, m.Tiling.Gen)
	}
	r := m.Tiling
	for _, table := range []struct {
		key    string
		values []number
		into   []uint32
		there  bool // the generation has these registers
	}{
		{"tile_mode", s.TileMode, r.TileMode[:], !r.Gen.Tiling().SwizzleModes},
		{"macrotile_mode", s.MacrotileMode, r.MacroTileMode[:], r.Gen.Tiling().MacroModes},
	} {
		if len(table.values) > 0 && !table.there {
			return fmt.Errorf("%s: %v has no such registers", table.key, r.Gen)
		}
		if err := setWords(table.key, table.values, table.into); err != nil {
			return err
		}
	}
	if s.GBAddrConfig != nil {
		if r.AddrConfig, err = s.GBAddrConfig.u32(); err != nil {
			return fmt.Errorf("gb_addr_config: %w", err)
		}
	}
	if n := len(s.BorderColors); n > maxBorders {
		return fmt.Errorf("border_colors: %d colours, but BORDER_COLOR_PTR selects one of %d", n, maxBorders)
	}
	for i, c := range s.BorderColors {
		var color [4]uint32
		key := fmt.Sprintf("border_colors[%d]", i)
		if len(c) != len(color) {
			return fmt.Errorf("%s: %d values; a colour has 4: red, green, blue and alpha", key, len(c))
		}
		if err := setWords(key, c, color[:]); err != nil {
			return err
		}
		m.BorderColors = append(m.BorderColors, color)
	}
	return nil
}

// setWords sets the first words of into to values.
func setWords(key string, values []number, into []uint32) error {
	if len(values) > len(into) {
		return fmt.Errorf("%s: %d values for %d registers", key, len(values), len(into))
	}
	for i, n := range values {
		v, err := n.u32()
		if err != nil {
			return fmt.Errorf("%s[%d]: %w", key, i, err)
		}
		into[i] = v
	}
	return nil
}
