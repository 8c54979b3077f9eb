package job

import (
	"fmt"
	"strings"

	"github.com/gcnsim/gcnsim/gcn/chip"
	"github.com/gcnsim/gcnsim/gcn/tile"
	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/sim/timing"
)

// imageSpec is what a request says about images.
type imageSpec struct {
	TileMode      []bits32    `json:"tile_mode"`
	MacrotileMode []bits32    `json:"macrotile_mode"`
	GBAddrConfig  *bits32     `json:"gb_addr_config"`
	BorderColors  [][4]bits32 `json:"border_colors"`
}

// maxBorders is how many colours BORDER_COLOR_PTR, of 12 bits, can select (rule CO5).
const maxBorders = 1 << 12

// setImages gives m the tiling registers of a chip, or without one those of its target,
// less what the request overrides, and the border colours.
func (s *imageSpec) setImages(m *sim.Machine, name string) error {
	var err error
	if name == "" {
		m.Tiling, err = tile.ForTarget(m.Target)
	} else if m.Tiling, err = tile.Preset(name); err != nil {
		err = fmt.Errorf("chip: %q is not known; tiling is known of %s; times of %s, and both of boards, as gcnsim timing lists them",
			name, strings.Join(chip.Names(), ", "), strings.Join(timing.Presets(), ", "))
	}
	if err != nil {
		return err
	}
	if m.Tiling.Gen != m.Target.Gen() {
		return fmt.Errorf("chip %s does not run programs for %v; it is %v", name, m.Target, chip.Lookup(name).Target)
	}
	r := m.Tiling
	for _, table := range []struct {
		key    string
		values []bits32
		into   []uint32
		there  bool // the generation has these registers
	}{
		{"tile_mode", s.TileMode, r.TileMode[:], !r.Gen.Traits().SwizzleModes},
		{"macrotile_mode", s.MacrotileMode, r.MacroTileMode[:], r.Gen.Traits().MacroModes},
	} {
		if len(table.values) > 0 && !table.there {
			return fmt.Errorf("%s: %v has no such registers", table.key, m.Target)
		}
		if len(table.values) > len(table.into) {
			return fmt.Errorf("%s: %d values for %d registers", table.key, len(table.values), len(table.into))
		}
		for i, v := range table.values {
			table.into[i] = uint32(v)
		}
	}
	if s.GBAddrConfig != nil {
		r.AddrConfig = uint32(*s.GBAddrConfig)
	}
	if n := len(s.BorderColors); n > maxBorders {
		return fmt.Errorf("border_colors: %d colours, but BORDER_COLOR_PTR selects one of %d", n, maxBorders)
	}
	for _, c := range s.BorderColors {
		m.BorderColors = append(m.BorderColors, [4]uint32{uint32(c[0]), uint32(c[1]), uint32(c[2]), uint32(c[3])})
	}
	return nil
}
