package job

import (
	"fmt"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/gcn/tile"
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

// override sets the tiling registers r, of a chip that is target, to those of the request.
func (s *imageSpec) override(r *tile.Registers, target gcn.Target) error {
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
			return fmt.Errorf("%s: %v has no such registers", table.key, target)
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
	return nil
}

// colors returns the border colours.
func (s *imageSpec) colors() (all [][4]uint32, err error) {
	if n := len(s.BorderColors); n > maxBorders {
		return nil, fmt.Errorf("border_colors: %d colours, but BORDER_COLOR_PTR selects one of %d", n, maxBorders)
	}
	for _, c := range s.BorderColors {
		all = append(all, [4]uint32{uint32(c[0]), uint32(c[1]), uint32(c[2]), uint32(c[3])})
	}
	return all, nil
}
