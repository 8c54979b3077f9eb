// Package chip holds the chips, one row each: the processor that a chip is, the tiling
// registers that drivers program on it, and product data for the time model. To add a chip
// is to add a row; a processor that no row has yet is a few lines in package gcn.
package chip

import (
	"slices"
	"strings"

	"github.com/gcnsim/gcnsim/gcn"
)

// Chip is what a chip has of its own.
type Chip struct {
	Name   string // as the amdgpu driver and LLVM call it
	Target gcn.Target
	Tiling Tiling
	// Size is the zero value where the project has no product data.
	Size Size
	// For lists other processors without a chip of their own here that it stands for.
	For []gcn.Target
}

// Tiling is what a driver programs into the tiling registers (rules TM1, TM4 and SW2).
type Tiling struct {
	AddrConfig uint32      // GB_ADDR_CONFIG
	Modes      *[32]uint32 // GB_TILE_MODE, nil on GCN 1.4
	MacroModes *[16]uint32 // GB_MACROTILE_MODE, nil on GCN 1.0 and 1.4
}

// Size is product data (rule CY9).
type Size struct {
	CUs, ShaderEngines int
	ClockMHz           int
	L2Bytes            int
	L2Channels         int // of 64 bytes a clock
	DRAMGBs            int // GB/s
	DoubleRate         int // clocks of a double-precision product
}

// chips lists the chips. Of several that are one processor the first stands for it.
// Sources: the tables of the amdgpu kernel driver; GB_ADDR_CONFIG as golden register
// settings, with rows of 2 KB where the driver reads them from the memory controller. That
// of oland is verde's: GCN 1.0 takes no more from it than the pipe interleave, the same
// everywhere. Kabini and its kin share the tables of kaveri in the driver; gfx702 is a
// hawaii. Sizes are those of HD 7970, R9 290X (a FirePro has a double rate of 8), R9 Fury X,
// RX 480, RX Vega 64, Instinct MI50, and of APUs those of Ryzen 5 2400G and Ryzen 7 4700G
// with DDR4 on two channels, whose L2 has a channel a pipe of GB_ADDR_CONFIG.
var chips = []Chip{
	// GB_ADDR_CONFIG, GB_TILE_MODE, GB_MACROTILE_MODE; CUs, engines, MHz, L2, channels, GB/s, double
	{"tahiti", gcn.GFX600, Tiling{0x12011003, &tahitiModes, nil}, Size{32, 2, 925, 768 << 10, 12, 264, 16}, nil},
	{"pitcairn", gcn.GFX601, Tiling{0x12011003, &tahitiModes, nil}, Size{}, nil},
	{"verde", gcn.GFX601, Tiling{0x12010002, &verdeModes, nil}, Size{}, nil},
	{"hainan", gcn.GFX602, Tiling{0x02010001, &hainanModes, nil}, Size{}, nil},
	{"oland", gcn.GFX602, Tiling{0x12010002, &olandModes, nil}, Size{}, nil},
	{"bonaire", gcn.GFX704, Tiling{0x12010001, &bonaireModes, &bonaireMacroModes}, Size{}, nil},
	{"kaveri", gcn.GFX700, Tiling{0x12010001, &kaveriModes, &kaveriMacroModes}, Size{}, []gcn.Target{gcn.GFX703, gcn.GFX705}},
	{"hawaii", gcn.GFX701, Tiling{0x12011003, &hawaiiModes, &hawaiiMacroModes}, Size{44, 4, 1000, 1 << 20, 16, 320, 32}, []gcn.Target{gcn.GFX702}},
	{"tonga", gcn.GFX802, Tiling{0x22011003, &tongaModes, &tongaMacroModes}, Size{}, []gcn.Target{gcn.GFX805}},
	{"topaz", gcn.GFX802, Tiling{0x22010001, &topazModes, &topazMacroModes}, Size{}, nil},
	{"fiji", gcn.GFX803, Tiling{0x22011003, &fijiModes, &fijiMacroModes}, Size{64, 4, 1050, 2 << 20, 16, 512, 64}, nil},
	{"polaris10", gcn.GFX803, Tiling{0x22011003, &tongaModes, &tongaMacroModes}, Size{36, 4, 1266, 2 << 20, 16, 256, 64}, nil},
	{"polaris11", gcn.GFX803, Tiling{0x22011002, &polaris11Modes, &polaris11MacroModes}, Size{}, nil},
	{"polaris12", gcn.GFX803, Tiling{0x22011002, &polaris11Modes, &polaris11MacroModes}, Size{}, nil},
	{"carrizo", gcn.GFX801, Tiling{0x22010001, &topazModes, &carrizoMacroModes}, Size{}, nil},
	{"stoney", gcn.GFX810, Tiling{0x22010001, &topazModes, &carrizoMacroModes}, Size{}, nil},
	{"vega10", gcn.GFX900, Tiling{0x2a114042, nil, nil}, Size{64, 4, 1546, 4 << 20, 16, 484, 64}, nil},
	{"vega12", gcn.GFX904, Tiling{0x24104041, nil, nil}, Size{}, nil},
	{"vega20", gcn.GFX906, Tiling{0x2a114042, nil, nil}, Size{60, 4, 1725, 4 << 20, 16, 1024, 8}, nil},
	{"raven", gcn.GFX902, Tiling{0x24000042, nil, nil}, Size{11, 1, 1250, 1 << 20, 4, 46, 64}, nil},
	{"raven2", gcn.GFX909, Tiling{0x26013041, nil, nil}, Size{}, nil},
	{"renoir", gcn.GFX90C, Tiling{0x22010042, nil, nil}, Size{8, 1, 2100, 1 << 20, 4, 51, 64}, nil},
}

// All returns the chips.
func All() []Chip { return slices.Clone(chips) }

// Lookup returns the chip of a name, in letters of either case; nil if there is none.
func Lookup(name string) *Chip {
	name = strings.ToLower(name)
	return find(func(c *Chip) bool { return c.Name == name })
}

// ForTarget returns the chip that stands for a processor.
func ForTarget(t gcn.Target) *Chip {
	if c := find(func(c *Chip) bool { return c.Target == t }); c != nil {
		return c
	}
	return find(func(c *Chip) bool { return slices.Contains(c.For, t) })
}

// find returns a copy of the first chip that is wanted, nil if none is.
func find(wanted func(*Chip) bool) *Chip {
	for i := range chips {
		if wanted(&chips[i]) {
			c := chips[i]
			return &c
		}
	}
	return nil
}
