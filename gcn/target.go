package gcn

import "github.com/gcnsim/gcnsim/internal/isa"

// Gen is a GCN generation. Opcodes, encodings and rules differ between generations. Gen.String returns the name that
// CLRX uses, for example "gcn1.2"; Gen.Target returns a processor that represents the generation.
type Gen = isa.Gen

// The generations.
const (
	GCN10   = isa.GCN10  // GCN 1.0: Southern Islands, gfx6
	GCN11   = isa.GCN11  // GCN 1.1: Sea Islands, gfx7
	GCN12   = isa.GCN12  // GCN 1.2: Volcanic Islands, gfx8
	GCN14   = isa.GCN14  // GCN 1.4: Vega, gfx900
	GCN141  = isa.GCN141 // GCN 1.4.1: Vega 20, gfx906
	NumGens = isa.NumGens
)

// Target is a processor by its compiler name. The zero Target is [GFX600]. Target.String returns the name, for
// example "gfx803"; Target.Gen returns the generation.
type Target = isa.Target

// The targets.
const (
	GFX600     = isa.GFX600
	GFX601     = isa.GFX601
	GFX602     = isa.GFX602
	GFX700     = isa.GFX700
	GFX701     = isa.GFX701
	GFX702     = isa.GFX702
	GFX703     = isa.GFX703
	GFX704     = isa.GFX704
	GFX705     = isa.GFX705
	GFX801     = isa.GFX801
	GFX802     = isa.GFX802
	GFX803     = isa.GFX803
	GFX805     = isa.GFX805
	GFX810     = isa.GFX810
	GFX900     = isa.GFX900
	GFX902     = isa.GFX902
	GFX904     = isa.GFX904
	GFX906     = isa.GFX906
	GFX909     = isa.GFX909
	GFX90C     = isa.GFX90C
	NumTargets = isa.NumTargets
)

// ParseTarget returns the target of a processor name (gfx803), a chip name (fiji, vega10)
// or a CLRX generation name (gcn1.2). The error is an *[Error] of kind [UnknownTarget].
func ParseTarget(name string) (Target, error) { return isa.ParseTarget(name) }
