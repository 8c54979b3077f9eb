// Package chip holds the chips, one row each: the processor that a chip is and the tiling
// registers that drivers program on it; and the boards that have them, one row each, with
// product data for the time model. To add a chip or a board is to add a row; a processor
// that no row has yet is a few lines in package gcn.
package chip

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gcnsim/gcnsim/gcn"
)

// Chip describes a chip: its processor, its tiling registers and how drivers know it.
type Chip struct {
	Name   string // as the amdgpu driver and LLVM call it
	Target gcn.Target
	Tiling Tiling
	// Identity holds what drivers recognise the chip by and lay their work out for.
	Identity Identity
	// For lists further processors that this chip stands for, because no chip of theirs is listed.
	For []gcn.Target
}

// Tiling holds the values that a driver programs into the tiling registers (rules TM1, TM4 and SW2).
type Tiling struct {
	AddrConfig uint32      // GB_ADDR_CONFIG
	Modes      *[32]uint32 // GB_TILE_MODE, nil on GCN 1.4
	MacroModes *[16]uint32 // GB_MACROTILE_MODE, nil on GCN 1.0 and 1.4
}

// Identity holds what the amdgpu kernel driver reports of a chip with all its parts: SEs x
// SHs x CUs of them; a [Board] may have fewer. Drivers tell chips apart by Family and
// Revision; the PCI id only names them. Source: the kernel driver, amdgpu_drv.c and the
// gfx_v*_gpu_early_init of each generation; Mesa, amdgfxregs and amd_family.
type Identity struct {
	PCI      uint16 // device id of vendor 0x1002
	PCIRev   uint8  // revision in PCI space, which marketing names depend on
	Family   uint32 // AMDGPU_FAMILY_*
	Revision uint32 // external_rev
	SEs      int    // shader engines
	SHs      int    // shader arrays of an engine
	CUs      int    // compute units of an array
	RBs      int    // render backends of the chip
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

// chips lists the chips. Where several have one processor, the first stands for it.
// Sources: the tables of the amdgpu kernel driver; GB_ADDR_CONFIG as golden register
// settings, with rows of 2 KB where the driver reads them from the memory controller. That
// of oland is verde's: GCN 1.0 takes no more from it than the pipe interleave, the same
// everywhere. Kabini and its kin share the tables of kaveri in the driver; gfx702 is a
// hawaii.
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

// All returns the chips.
func All() []Chip { return slices.Clone(chips) }

// Names returns the names of all chips.
func Names() []string {
	names := make([]string, len(chips))
	for i := range chips {
		names[i] = chips[i].Name
	}
	return names
}

// Lookup returns the chip called name, or the chip of the board called name, see [LookupBoard].
// The case of letters does not matter. Lookup returns nil if the name is unknown.
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

// BeforeGCN are the chips before GCN, which no [gcn.Target] stands for, under the names that LLVM
// and drivers use: of R600 and R700. See package r600.
var BeforeGCN = [2][]string{
	{"r600", "r630", "rs780", "rs880", "rv610", "rv620", "rv630", "rv635", "rv670"},
	{"r700", "rv710", "rv730", "rv740", "rv770"},
}

// ParseTarget returns the processor that name stands for: a name of a chip, or a name that
// [gcn.ParseTarget] takes. The error wraps the error of [gcn.ParseTarget], unless the chip is one of [BeforeGCN].
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

// own are the names of chips that [gcn.ParseTarget] does not take.
func own() []string {
	return slices.DeleteFunc(Names(), func(name string) bool { _, err := gcn.ParseTarget(name); return err == nil })
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
