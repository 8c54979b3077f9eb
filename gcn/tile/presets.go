package tile

import (
	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa/chip"
)

// Preset returns the registers of a chip as a driver programs them. The values are a choice of drivers, not of
// hardware: drivers may differ in modes that they do not share. The error is an *[Error].
func Preset(name string) (*Registers, error) {
	if c := chip.Lookup(name); c != nil {
		return registers(c), nil
	}
	return nil, unknownChip(name)
}

// ForTarget returns the registers of a chip that implements t. The error is an *[Error].
func ForTarget(t gcn.Target) (*Registers, error) {
	if c := chip.ForTarget(t); c != nil {
		return registers(c), nil
	}
	return nil, unknownChip(t.String())
}

func registers(c *chip.Chip) *Registers {
	r := &Registers{Chip: c.Name, Gen: c.Target.Gen(), AddrConfig: c.Tiling.AddrConfig}
	if c.Tiling.Modes != nil {
		r.TileMode = *c.Tiling.Modes
	}
	if c.Tiling.MacroModes != nil {
		r.MacroTileMode = *c.Tiling.MacroModes
	}
	return r
}
