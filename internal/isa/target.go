package isa

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gcnsim/gcnsim/internal/tool/enum"
	"github.com/gcnsim/gcnsim/internal/tool/near"
)

// Gen is a GCN generation. Opcodes, encodings and rules differ between generations.
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

var genNames = [NumGens]string{GCN10: "gcn1.0", GCN11: "gcn1.1", GCN12: "gcn1.2", GCN14: "gcn1.4", GCN141: "gcn1.4.1"}

var _ = enum.Full[Gen](genNames[:])

// String returns the name that CLRX uses, for example "gcn1.2".
func (g Gen) String() string {
	return enum.Name(genNames[:], g)
}

// Target is a processor by its compiler name. The zero Target is GFX600.
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
	GFX90C
	NumTargets = iota
)

// target describes a processor: its generation, and its differences from the generation.
type target struct {
	name  string
	gen   Gen
	chips []string // names of its chips in LLVM, or in the amdgpu driver for chips that LLVM does not name
	mach  uint8    // EF_AMDGPU_MACH of an AMDGPU ELF header
	other func(*Traits)
}

// targets are all processors. Source: LLVM AMDGPUUsage, "Processors" and "AMDGPU ELF Header e_flags"; LLVM's
// processor features; the names of chips in the amdgpu driver.
var targets = [NumTargets]target{
	GFX600: {"gfx600", GCN10, []string{"tahiti"}, 0x20, fastFMA},
	GFX601: {"gfx601", GCN10, []string{"pitcairn", "verde"}, 0x21, nil},
	GFX602: {"gfx602", GCN10, []string{"hainan", "oland"}, 0x3a, nil},
	GFX700: {"gfx700", GCN11, []string{"kaveri"}, 0x22, nil},
	GFX701: {"gfx701", GCN11, []string{"hawaii"}, 0x23, hawaii},
	GFX702: {"gfx702", GCN11, nil, 0x24, hawaii},
	GFX703: {"gfx703", GCN11, []string{"kabini", "mullins"}, 0x25, nil},
	GFX704: {"gfx704", GCN11, []string{"bonaire"}, 0x26, nil},
	GFX705: {"gfx705", GCN11, nil, 0x3b, nil},
	GFX801: {"gfx801", GCN12, []string{"carrizo"}, 0x28, carrizo},
	GFX802: {"gfx802", GCN12, []string{"iceland", "tonga"}, 0x29, tonga},
	GFX803: {"gfx803", GCN12, []string{"fiji", "polaris10", "polaris11"}, 0x2a, nil},
	GFX805: {"gfx805", GCN12, []string{"tongapro"}, 0x3c, tonga},
	GFX810: {"gfx810", GCN12, []string{"stoney"}, 0x2b, stoney},
	GFX900: {"gfx900", GCN14, []string{"vega10"}, 0x2c, nil},
	GFX902: {"gfx902", GCN14, []string{"raven"}, 0x2d, nil},
	GFX904: {"gfx904", GCN14, []string{"vega12"}, 0x2e, fusedMix},
	GFX906: {"gfx906", GCN141, []string{"vega20"}, 0x2f, vega20},
	GFX909: {"gfx909", GCN14, []string{"raven2"}, 0x31, nil},
	GFX90C: {"gfx90c", GCN14, []string{"renoir"}, 0x32, nil},
}

var _ = enum.Full[Target](targets[:])

// stoney is GCN 1.2 with features of GCN 1.4. Source: LLVM, which has no "unpacked D16" for it; RADV, which does not
// correct 2-bit alpha for it and encodes T#s of ETC2 images.
func stoney(t *Traits) { t.PackedD16, t.UnsignedAlpha, t.ETC2, t.XNACK = true, false, true, true }

// carrizo is GCN 1.2 with XNACK and fast V_FMA_F32. Source: LLVM AMDGPUUsage, "Target
// Features"; LLVM, FastFMAF32.
func carrizo(t *Traits) { t.XNACK, t.FastFMA = true, true }

// fastFMA is GCN 1.0 with fast V_FMA_F32. Source: LLVM, FastFMAF32.
func fastFMA(t *Traits) { t.FastFMA = true }

// hawaii is GCN 1.1 with fast V_FMA_F32 and integer products. Source: LLVM, FastFMAF32;
// clpeak on an R9 390.
func hawaii(t *Traits) { t.FastFMA, t.FastMultiply = true, true }

// tonga is GCN 1.2 with the same number of SGPRs for every wave. Source: LLVM, SGPRInitBug.
func tonga(t *Traits) { t.FixedSGPRs = 96 }

// fusedMix is GCN 1.4 with the mixed instructions of GCN 1.4.1. Source: LLVM, FmaMixInsts.
func fusedMix(t *Traits) { t.features = t.features&^madMix | fmaMix }

// vega20 can have memory with error correction, and has fast integer products. Source: LLVM AMDGPUUsage, "Target
// Features"; clpeak on a Radeon Pro VII.
func vega20(t *Traits) { t.SRAMECC, t.FastMultiply = true, true }

// String returns the processor name, for example "gfx803".
func (t Target) String() string {
	if t < NumTargets {
		return targets[t].name
	}
	return enum.Number(t)
}

// Gen returns the generation of t. It panics if t is not a processor.
func (t Target) Gen() Gen {
	if t >= NumTargets {
		noTarget(t)
	}
	return targets[t].gen
}

// noTarget panics with the number t, which is not a processor.
func noTarget(t Target) {
	panic(fmt.Sprintf("gcn: there is no Target %d; use a constant such as GFX900, or ParseTarget", uint8(t)))
}

// TraitsOf returns the traits of t: those of its generation, with the differences of t. The caller must not change
// them. It panics if t is not a processor.
func TraitsOf(t Target) *Traits {
	if t >= NumTargets {
		noTarget(t)
	}
	return &traits[t]
}

// Target returns the processor that represents generation g when only the generation is known. It panics if g is not
// a generation.
func (g Gen) Target() Target {
	if g >= NumGens {
		noGen(g)
	}
	return representatives[g]
}

// noGen panics with the number g, which is not a generation.
func noGen(g Gen) {
	panic(fmt.Sprintf("gcn: there is no Gen %d; use a constant such as GCN14, or Target.Gen", uint8(g)))
}

// representatives are the processors that represent CLRX's generations.
var representatives = [NumGens]Target{GCN10: GFX600, GCN11: GFX701, GCN12: GFX803, GCN14: GFX900, GCN141: GFX906}

var _ = enum.Full(representatives[:], GCN10)

// targetNames returns every name that [ParseTarget] accepts: processors, chips, CLRX generations.
func targetNames() []string {
	var names []string
	for t := range targets {
		names = append(names, targets[t].name)
	}
	for t := range targets {
		names = append(names, targets[t].chips...)
	}
	return append(names, genNames[:]...)
}

// ParseTarget returns the target of a processor name (gfx803), a chip name (fiji, vega10)
// or a CLRX generation name (gcn1.2). The error is an *[Error] of
// kind [UnknownTarget].
func ParseTarget(name string) (Target, error) {
	low := strings.ToLower(name)
	for t := range targets {
		if targets[t].name == low {
			return Target(t), nil
		}
		if slices.Contains(targets[t].chips, low) {
			return Target(t), nil
		}
	}
	for g, name := range genNames {
		if name == low {
			return representatives[g], nil
		}
	}
	return 0, &Error{Kind: UnknownTarget, what: fmt.Sprintf("unknown processor %q%s; known are %s", name,
		whyNotTarget(low), strings.Join(targetNames(), " "))}
}

// whyNotTarget returns a text about a name that no target has: the architecture of a later processor, or a similar
// name. It is "" if neither is known.
func whyNotTarget(name string) string {
	for _, later := range []struct{ prefix, is string }{
		{"gfx908", "CDNA"}, {"gfx90a", "CDNA"}, {"gfx94", "CDNA"}, {"gfx95", "CDNA"}, {"mi100", "CDNA"}, {"mi2", "CDNA"},
		{"mi3", "CDNA"}, {"gfx10", "RDNA"}, {"gfx11", "RDNA"}, {"gfx12", "RDNA"}, {"navi", "RDNA"},
	} {
		if strings.HasPrefix(name, later.prefix) {
			return ", which is " + later.is + " and not simulated: gcnsim simulates GCN 1.0 to 1.4.1"
		}
	}
	nearest := near.To(name)
	for _, known := range targetNames() {
		nearest.Try(known)
	}
	if meant := nearest.Name(); meant != "" {
		return fmt.Sprintf("; did you mean %s?", meant)
	}
	return ""
}

// version returns the three numbers in the name of t. The last digit is hexadecimal.
func (t Target) version() (all [3]int) {
	for i := range all {
		all[i] = strings.IndexByte("0123456789abcdef", targets[t].name[len("gfx")+i])
	}
	return all
}
