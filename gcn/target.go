package gcn

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Gen is a GCN generation: the unit in which opcodes, encodings and rules differ.
type Gen uint8

// The generations, in the order of the opcode columns of a [Row].
const (
	GCN10   Gen = iota // GCN 1.0: Southern Islands, gfx6
	GCN11              // GCN 1.1: Sea Islands, gfx7
	GCN12              // GCN 1.2: Volcanic Islands, gfx8
	GCN14              // GCN 1.4: Vega, gfx900
	GCN141             // GCN 1.4.1: Vega 20, gfx906
	NumGens = 5
)

var genNames = [NumGens]string{"gcn1.0", "gcn1.1", "gcn1.2", "gcn1.4", "gcn1.4.1"}

// String returns the name CLRX gives the generation, as in "gcn1.2".
func (g Gen) String() string {
	if int(g) < len(genNames) {
		return genNames[g]
	}
	return fmt.Sprintf("gcn.Gen(%d)", uint8(g))
}

// Target is a processor as compilers name it. The zero Target is GFX600.
type Target uint8

// The targets.
const (
	GFX600 Target = iota
	GFX601
	GFX602
	GFX700
	GFX701
	GFX702
	GFX703
	GFX704
	GFX705
	GFX801
	GFX802
	GFX803
	GFX805
	GFX810
	GFX900
	GFX902
	GFX904
	GFX906
	GFX909
	numTargets
)

// targets lists name, generation, the chip names LLVM takes for a target, and
// the machine number of an AMDGPU ELF header (EF_AMDGPU_MACH).
// Source: LLVM AMDGPUUsage, "Processors" and "AMDGPU ELF Header e_flags".
var targets = [numTargets]struct {
	name  string
	gen   Gen
	chips []string
	mach  uint8
}{
	GFX600: {"gfx600", GCN10, []string{"tahiti"}, 0x20},
	GFX601: {"gfx601", GCN10, []string{"pitcairn", "verde"}, 0x21},
	GFX602: {"gfx602", GCN10, []string{"hainan", "oland"}, 0x3a},
	GFX700: {"gfx700", GCN11, []string{"kaveri"}, 0x22},
	GFX701: {"gfx701", GCN11, []string{"hawaii"}, 0x23},
	GFX702: {"gfx702", GCN11, nil, 0x24},
	GFX703: {"gfx703", GCN11, []string{"kabini", "mullins"}, 0x25},
	GFX704: {"gfx704", GCN11, []string{"bonaire"}, 0x26},
	GFX705: {"gfx705", GCN11, nil, 0x3b},
	GFX801: {"gfx801", GCN12, []string{"carrizo"}, 0x28},
	GFX802: {"gfx802", GCN12, []string{"iceland", "tonga"}, 0x29},
	GFX803: {"gfx803", GCN12, []string{"fiji", "polaris10", "polaris11"}, 0x2a},
	GFX805: {"gfx805", GCN12, []string{"tongapro"}, 0x3c},
	GFX810: {"gfx810", GCN12, []string{"stoney"}, 0x2b},
	GFX900: {"gfx900", GCN14, nil, 0x2c},
	GFX902: {"gfx902", GCN14, nil, 0x2d},
	GFX904: {"gfx904", GCN14, nil, 0x2e},
	GFX906: {"gfx906", GCN141, nil, 0x2f},
	GFX909: {"gfx909", GCN14, nil, 0x31},
}

// clrxTargets maps the generation names of CLRX to the target that stands for them.
var clrxTargets = map[string]Target{
	"gcn1.0": GFX600, "gcn1.1": GFX701, "gcn1.2": GFX803, "gcn1.4": GFX900, "gcn1.4.1": GFX906,
}

// chipTargets are the chips of GCN 1.4, which LLVM names by their processors only. Source:
// the amdgpu driver's names of chips.
var chipTargets = map[string]Target{"vega10": GFX900, "raven": GFX902, "vega12": GFX904, "vega20": GFX906, "raven2": GFX909}

// Targets returns all targets in ascending order.
func Targets() []Target {
	all := make([]Target, numTargets)
	for i := range all {
		all[i] = Target(i)
	}
	return all
}

// String returns the processor name, as in "gfx803".
func (t Target) String() string {
	if t < numTargets {
		return targets[t].name
	}
	return fmt.Sprintf("gcn.Target(%d)", uint8(t))
}

// Gen returns the generation of t.
func (t Target) Gen() Gen { return targets[t].gen }

// Chips returns the chip names LLVM takes for t; it may be empty.
func (t Target) Chips() []string { return append([]string(nil), targets[t].chips...) }

// Mach returns the EF_AMDGPU_MACH number of t.
func (t Target) Mach() uint8 { return targets[t].mach }

// UnsignedAlpha reports whether t loads the 2-bit alpha of 2_10_10_10 as an unsigned
// number even in a signed number format: the generations before GCN 1.4, but for Stoney.
// Source: Mesa, RADV and radeonsi, which correct that alpha of vertex attributes.
func (t Target) UnsignedAlpha() bool { return t.Gen().Traits().UnsignedAlpha && t != GFX810 }

// PackedD16 reports whether t packs D16 data two to a register: GCN 1.4, and Stoney
// before. Source: LLVM, which has no "unpacked D16" for gfx810; rule IM6.
func (t Target) PackedD16() bool { return t.Gen().Traits().PackedD16 || t == GFX810 }

// ETC2 reports whether data format code of a T# is one of ETC2 on t: those that GCN 1.4
// has, and Stoney too, while other chips of GCN 1.2 reserve the codes. Source: rule TD3;
// the T#s that RADV packs for Stoney.
func (t Target) ETC2(code uint8) bool {
	return code >= etc2First && code <= etc2Last && (t.Gen().Tiling().SwizzleModes || t == GFX810)
}

// TargetByMach returns the target of an EF_AMDGPU_MACH number.
func TargetByMach(mach uint8) (Target, bool) {
	for t := range targets {
		if targets[t].mach == mach {
			return Target(t), true
		}
	}
	return 0, false
}

// UnknownTargetError says that a processor name is not known.
type UnknownTargetError struct{ Name string }

// Error lists the known names.
func (e *UnknownTargetError) Error() string {
	return fmt.Sprintf("unknown processor %q; known are %s", e.Name, strings.Join(TargetNames(), " "))
}

// TargetNames lists every name [ParseTarget] takes: processors, chips, CLRX generations.
func TargetNames() []string {
	var names []string
	for t := range targets {
		names = append(names, targets[t].name)
	}
	for t := range targets {
		names = append(names, targets[t].chips...)
	}
	names = append(names, slices.Sorted(maps.Keys(chipTargets))...)
	return append(names, genNames[:]...)
}

// ParseTarget returns the target of a processor name (gfx803), a chip name (fiji, vega10) or a CLRX generation name (gcn1.2). The error is an *[UnknownTargetError].
func ParseTarget(name string) (Target, error) {
	low := strings.ToLower(name)
	for t := range targets {
		if targets[t].name == low {
			return Target(t), nil
		}
		for _, chip := range targets[t].chips {
			if chip == low {
				return Target(t), nil
			}
		}
	}
	if t, ok := clrxTargets[low]; ok {
		return t, nil
	}
	if t, ok := chipTargets[low]; ok {
		return t, nil
	}
	return 0, &UnknownTargetError{Name: name}
}
