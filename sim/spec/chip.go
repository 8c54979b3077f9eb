package spec

import (
	"fmt"
	"strings"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/gcn/tile"
	"github.com/gcnsim/gcnsim/internal/isa/chip"
	"github.com/gcnsim/gcnsim/internal/sim/timing"
)

// Chip returns the tiling registers of a chip, as in "polaris10", for [Settings.Tiling], and the
// parameters of its times, for [Settings.Timing]. The chip runs programs for target; with "" it is the
// one that stands for target, and so are the times of a chip of which only the tiling is known.
func Chip(name string, target gcn.Target) (*tile.Registers, timing.Params, error) {
	times := timing.Default(target)
	if name == "" {
		r, err := tile.ForTarget(target)
		return r, times, err
	}
	r, err := tile.Preset(name)
	if err != nil {
		return nil, times, fmt.Errorf("chip: %q is not known; tiling is known of %s; times of %s, and both of boards, "+
			"as gcnsim timing lists them",
			name, strings.Join(chip.Names(), ", "), strings.Join(timing.Presets(), ", "))
	}
	if r.Gen != target.Gen() {
		return nil, times, fmt.Errorf("chip %s does not run programs for %v; it is %v", name, target,
			chip.Lookup(name).Target)
	}
	if known, err := timing.Preset(name); err == nil {
		times = known
	}
	return r, times, nil
}
