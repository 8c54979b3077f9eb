package specjson

import (
	"fmt"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/gcn/tile"
	"github.com/gcnsim/gcnsim/internal/isa"
)

// imageSpec is what a request says about images.
type imageSpec struct {
	TileMode      []uint32    `json:"tile_mode" number:"bits"`
	MacrotileMode []uint32    `json:"macrotile_mode" number:"bits"`
	GBAddrConfig  *uint32     `json:"gb_addr_config" number:"bits"`
	BorderColors  [][4]uint32 `json:"border_colors" number:"bits"`
}

// maxBorders is how many colours BORDER_COLOR_PTR, of 12 bits, can select (rule CO5).
const maxBorders = 1 << 12

// override sets the tiling registers r, of a chip that is target, to those of the request. The error
// is about what the request says of images.
func (s *imageSpec) override(r *tile.Registers, target gcn.Target) error {
	for _, table := range []struct {
		key    string
		values []uint32
		into   []uint32
		there  bool // the generation has these registers
	}{
		{"tile_mode", s.TileMode, r.TileMode[:], !isa.GenTraits(r.Gen).SwizzleModes},
		{"macrotile_mode", s.MacrotileMode, r.MacroTileMode[:], isa.GenTraits(r.Gen).MacroModes},
	} {
		if len(table.values) > 0 && !table.there {
			return fmt.Errorf("%s: %v has no such registers", table.key, target)
		}
		if len(table.values) > len(table.into) {
			return fmt.Errorf("%s: %d values for %d registers", table.key, len(table.values), len(table.into))
		}
		copy(table.into, table.values)
	}
	if s.GBAddrConfig != nil {
		r.AddrConfig = *s.GBAddrConfig
	}
	if n := len(s.BorderColors); n > maxBorders {
		return fmt.Errorf("border_colors: %d colours, but BORDER_COLOR_PTR selects one of %d", n, maxBorders)
	}
	return nil
}
