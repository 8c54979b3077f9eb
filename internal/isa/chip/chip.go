// Package chip has one row for each chip: its processor and the tiling registers that drivers program; and one row
// for each board, with product data for the time model. A new chip or board needs a row; a new processor also needs a
// few lines in package gcn.
package chip

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gcnsim/gcnsim/gcn"
)

// Chip describes a chip: its processor, its tiling registers and its identity for drivers.
type Chip struct {
	Name   string // name in the amdgpu driver and LLVM
	Target gcn.Target
	Tiling Tiling
	// Identity holds the values by which drivers recognise the chip and its size.
	Identity Identity
	// For lists further processors that this chip represents, because none of their chips is listed.
	For []gcn.Target
}

// Tiling holds the values that a driver programs into the tiling registers (rules TM1, TM4 and SW2).
type Tiling struct {
	AddrConfig uint32      // GB_ADDR_CONFIG
	Modes      *[32]uint32 // GB_TILE_MODE, nil on GCN 1.4
	MacroModes *[16]uint32 // GB_MACROTILE_MODE, nil on GCN 1.0 and 1.4
}

// Identity holds the values that the amdgpu kernel driver reports for a complete chip. It has SEs x SHs x CUs compute
// units; a [Board] may have fewer. Drivers distinguish chips by Family and Revision; the PCI id only determines
// names. Source: the kernel driver, amdgpu_drv.c and the gfx_v*_gpu_early_init of each generation; Mesa, amdgfxregs
// and amd_family.
type Identity struct {
	PCI      uint16 // device id of vendor 0x1002
	PCIRev   uint8  // revision in PCI space, which marketing names depend on
	Family   uint32 // AMDGPU_FAMILY_*
	Revision uint32 // external_rev
	SEs      int    // shader engines
	SHs      int    // shader arrays in an engine
	CUs      int    // compute units in an array
	RBs      int    // render backends in the chip
	APU      bool
}

// Families of chips, AMDGPU_FAMILY_* of amdgpu_drm.h.
const (
	familySI = 110
	familyCI = 120
	familyKV = 125
	familyVI = 130
	familyCZ = 135
	familyAI = 141
	familyRV = 142
)

// chips are the chips. The first one with a processor represents the processor. Sources: the tables of the amdgpu
// kernel driver; GB_ADDR_CONFIG from golden register settings, with rows of 2 KB where the driver reads them from the
// memory controller. For oland it is that of verde: GCN 1.0 uses only the pipe interleave, which is the same
// everywhere. Kabini and similar chips share the tables of kaveri in the driver; gfx702 is a hawaii.
var chips = []Chip{
	// GB_ADDR_CONFIG, GB_TILE_MODE, GB_MACROTILE_MODE;
	// PCI id and revision, family, revision, engines x arrays x CUs, RBs, APU
	{"tahiti", gcn.GFX600, Tiling{0x12011003, &tahitiModes, nil}, Identity{0x6798, 0x00, familySI, 0x05, 2, 2, 8, 8, false}, nil},
	{"pitcairn", gcn.GFX601, Tiling{0x12011003, &tahitiModes, nil}, Identity{0x6818, 0x00, familySI, 0x15, 2, 2, 5, 8, false}, nil},
	{"verde", gcn.GFX601, Tiling{0x12010002, &verdeModes, nil}, Identity{0x683d, 0x00, familySI, 0x29, 1, 2, 5, 4, false}, nil},
	{"hainan", gcn.GFX602, Tiling{0x02010001, &hainanModes, nil}, Identity{0x6665, 0x00, familySI, 0x46, 1, 1, 5, 1, false}, nil},
	{"oland", gcn.GFX602, Tiling{0x12010002, &olandModes, nil}, Identity{0x6613, 0x00, familySI, 0x3c, 1, 1, 6, 2, false}, nil},
	{"bonaire", gcn.GFX704, Tiling{0x12010001, &bonaireModes, &bonaireMacroModes}, Identity{0x665c, 0x00, familyCI, 0x14, 2, 1, 7, 4, false}, nil},
	{"kaveri", gcn.GFX700, Tiling{0x12010001, &kaveriModes, &kaveriMacroModes}, Identity{0x130f, 0x00, familyKV, 0x01, 1, 1, 8, 2, true}, []gcn.Target{gcn.GFX703, gcn.GFX705}},
	{"hawaii", gcn.GFX701, Tiling{0x12011003, &hawaiiModes, &hawaiiMacroModes}, Identity{0x67b1, 0x00, familyCI, 0x28, 4, 1, 11, 16, false}, []gcn.Target{gcn.GFX702}},
	{"tonga", gcn.GFX802, Tiling{0x22011003, &tongaModes, &tongaMacroModes}, Identity{0x6939, 0x00, familyVI, 0x14, 4, 1, 8, 8, false}, []gcn.Target{gcn.GFX805}},
	{"topaz", gcn.GFX802, Tiling{0x22010001, &topazModes, &topazMacroModes}, Identity{0x6900, 0x00, familyVI, 0x01, 1, 1, 6, 2, false}, nil},
	{"fiji", gcn.GFX803, Tiling{0x22011003, &fijiModes, &fijiMacroModes}, Identity{0x7300, 0xc8, familyVI, 0x3c, 4, 1, 16, 16, false}, nil},
	{"polaris10", gcn.GFX803, Tiling{0x22011003, &tongaModes, &tongaMacroModes}, Identity{0x67df, 0xc7, familyVI, 0x50, 4, 1, 9, 8, false}, nil},
	{"polaris11", gcn.GFX803, Tiling{0x22011002, &polaris11Modes, &polaris11MacroModes}, Identity{0x67ef, 0xcf, familyVI, 0x5a, 2, 1, 8, 4, false}, nil},
	{"polaris12", gcn.GFX803, Tiling{0x22011002, &polaris11Modes, &polaris11MacroModes}, Identity{0x699f, 0xc7, familyVI, 0x64, 2, 1, 5, 4, false}, nil},
	{"carrizo", gcn.GFX801, Tiling{0x22010001, &topazModes, &carrizoMacroModes}, Identity{0x9874, 0xc4, familyCZ, 0x01, 1, 1, 8, 2, true}, nil},
	{"stoney", gcn.GFX810, Tiling{0x22010001, &topazModes, &carrizoMacroModes}, Identity{0x98e4, 0xc1, familyCZ, 0x61, 1, 1, 3, 2, true}, nil},
	{"vega10", gcn.GFX900, Tiling{0x2a114042, nil, nil}, Identity{0x687f, 0xc1, familyAI, 0x01, 4, 1, 16, 16, false}, nil},
	{"vega12", gcn.GFX904, Tiling{0x24104041, nil, nil}, Identity{0x69af, 0xc0, familyAI, 0x14, 4, 1, 5, 8, false}, nil},
	{"vega20", gcn.GFX906, Tiling{0x2a114042, nil, nil}, Identity{0x66af, 0xc1, familyAI, 0x28, 4, 1, 15, 16, false}, nil},
	{"raven", gcn.GFX902, Tiling{0x24000042, nil, nil}, Identity{0x15dd, 0xc6, familyRV, 0x01, 1, 1, 11, 2, true}, nil},
	{"raven2", gcn.GFX909, Tiling{0x26013041, nil, nil}, Identity{0x15d8, 0xc4, familyRV, 0x81, 1, 1, 3, 1, true}, nil},
	{"renoir", gcn.GFX90C, Tiling{0x22010042, nil, nil}, Identity{0x1636, 0xc6, familyRV, 0x91, 1, 1, 8, 2, true}, nil},
}

// All returns a copy of the list of chips.
func All() []Chip { return slices.Clone(chips) }

// Names returns the names of all chips.
func Names() []string {
	names := make([]string, len(chips))
	for i := range chips {
		names[i] = chips[i].Name
	}
	return names
}

// Lookup returns the chip called name, or the chip of the board called name, see [LookupBoard]. It ignores case. It
// returns nil if the name is unknown.
func Lookup(name string) *Chip {
	low := strings.ToLower(name)
	if c := find(func(c *Chip) bool { return c.Name == low }); c != nil {
		return c
	}
	if b := LookupBoard(name); b != nil {
		return find(func(c *Chip) bool { return c.Name == b.Chip })
	}
	return nil
}

// BeforeGCN are the names in LLVM and drivers of the R600 and R700 chips, which no [gcn.Target] represents. See
// package r600.
var BeforeGCN = [2][]string{
	{"r600", "r630", "rs780", "rs880", "rv610", "rv620", "rv630", "rv635", "rv670"},
	{"r700", "rv710", "rv730", "rv740", "rv770"},
}

// ParseTarget returns the processor for a name of a chip, or a name that [gcn.ParseTarget] accepts. The error wraps
// that of [gcn.ParseTarget], unless the chip is one of [BeforeGCN].
func ParseTarget(name string) (gcn.Target, error) {
	t, err := gcn.ParseTarget(name)
	if err == nil {
		return t, nil
	}
	if c := find(func(c *Chip) bool { return c.Name == strings.ToLower(name) }); c != nil {
		return c.Target, nil
	}
	for _, chips := range BeforeGCN {
		if slices.Contains(chips, strings.ToLower(name)) {
			return 0, fmt.Errorf("%s is a chip before GCN, which only asm, dis, explain, exec, run and the page "+
				"take, and package r600; other things take a processor of GCN, as in gfx803", name)
		}
	}
	return 0, fmt.Errorf("%w %s", err, strings.Join(own(), " "))
}

// own returns the names of chips that [gcn.ParseTarget] does not accept.
func own() []string {
	return slices.DeleteFunc(Names(), func(name string) bool { _, err := gcn.ParseTarget(name); return err == nil })
}

// ForTarget returns the chip that represents a processor.
func ForTarget(t gcn.Target) *Chip {
	if c := find(func(c *Chip) bool { return c.Target == t }); c != nil {
		return c
	}
	return find(func(c *Chip) bool { return slices.Contains(c.For, t) })
}

// find returns a copy of the first chip for which wanted returns true, nil if there is none.
func find(wanted func(*Chip) bool) *Chip {
	for i := range chips {
		if wanted(&chips[i]) {
			c := chips[i]
			return &c
		}
	}
	return nil
}
