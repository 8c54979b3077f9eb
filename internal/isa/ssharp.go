package isa

import "github.com/gcnsim/gcnsim/internal/tool/enum"

// SSharp is a sampler (S#) as four SGPRs hold it. [SSharpFields] has the differences between generations.
type SSharp [4]uint32

// samplerField identifies a field of an S#.
type samplerField uint8

const (
	smpClampX samplerField = iota
	smpClampY
	smpClampZ
	smpMaxAniso
	smpCompare
	smpUnnormalized
	smpAnisoThreshold
	smpCoordTrunc
	smpForceDegamma
	smpAnisoBias
	smpTruncCoord
	smpNoCubeWrap
	smpFilterMode
	smpCompat
	smpMinLOD
	smpMaxLOD
	smpPerfMip
	smpPerfZ
	smpLODBias
	smpLODBiasSec
	smpMagFilter
	smpMinFilter
	smpZFilter
	smpMipFilter
	smpPreclamp
	smpNoLSBCeil
	smpBlendZeroPRT
	smpPrecFix
	smpAnisoOverride
	smpBorderPtr
	smpSkipDegamma
	smpBorderType
	numSamplerFields
)

var samplerFieldNames = [numSamplerFields]string{
	smpClampX: "CLAMP_X", smpClampY: "CLAMP_Y", smpClampZ: "CLAMP_Z", smpMaxAniso: "MAX_ANISO_RATIO",
	smpCompare:      "DEPTH_CMP_FUNC",
	smpUnnormalized: "FORCE_UNNORM", smpAnisoThreshold: "ANISO_THRESHOLD", smpCoordTrunc: "MC_COORD_TRUNC",
	smpForceDegamma: "FORCE_DEGAMMA",
	smpAnisoBias:    "ANISO_BIAS", smpTruncCoord: "TRUNC_COORD", smpNoCubeWrap: "DISABLE_CUBE_WRAP",
	smpFilterMode: "FILTER_MODE", smpCompat: "COMPAT_MODE",
	smpMinLOD: "MIN_LOD", smpMaxLOD: "MAX_LOD", smpPerfMip: "PERF_MIP", smpPerfZ: "PERF_Z", smpLODBias: "LOD_BIAS",
	smpLODBiasSec: "LOD_BIAS_SEC",
	smpMagFilter:  "XY_MAG_FILTER", smpMinFilter: "XY_MIN_FILTER", smpZFilter: "Z_FILTER", smpMipFilter: "MIP_FILTER",
	smpPreclamp:  "MIP_POINT_PRECLAMP",
	smpNoLSBCeil: "DISABLE_LSB_CEIL", smpBlendZeroPRT: "BLEND_ZERO_PRT", smpPrecFix: "FILTER_PREC_FIX",
	smpAnisoOverride: "ANISO_OVERRIDE",
	smpBorderPtr:     "BORDER_COLOR_PTR", smpSkipDegamma: "SKIP_DEGAMMA", smpBorderType: "BORDER_COLOR_TYPE",
}

var _ = enum.Full[samplerField](samplerFieldNames[:])

type samplerLayout [numSamplerFields]bitField

// with returns l with field f at b; a zero b removes it.
func (l samplerLayout) with(f samplerField, b bitField) samplerLayout {
	l[f] = b
	return l
}

var (
	// siSampler is the sampler of GCN 1.0. Source: rule SD1.
	siSampler = samplerLayout{
		smpClampX: {0, 3}, smpClampY: {3, 3}, smpClampZ: {6, 3}, smpMaxAniso: {9, 3}, smpCompare: {12, 3},
		smpUnnormalized:   {15, 1},
		smpAnisoThreshold: {16, 3}, smpCoordTrunc: {19, 1}, smpForceDegamma: {20, 1}, smpAnisoBias: {21, 6},
		smpTruncCoord: {27, 1},
		smpNoCubeWrap: {28, 1}, smpFilterMode: {29, 2}, smpMinLOD: {32, 12}, smpMaxLOD: {44, 12}, smpPerfMip: {56, 4},
		smpPerfZ:   {60, 4},
		smpLODBias: {64, 14}, smpLODBiasSec: {78, 6}, smpMagFilter: {84, 2}, smpMinFilter: {86, 2}, smpZFilter: {88, 2},
		smpMipFilter: {90, 2},
		smpPreclamp:  {92, 1}, smpNoLSBCeil: {93, 1}, smpPrecFix: {94, 1}, smpBorderPtr: {96, 12}, smpBorderType: {126, 2},
	}
	viSampler   = siSampler.with(smpCompat, bitField{31, 1}).with(smpAnisoOverride, bitField{95, 1})
	vegaSampler = viSampler.with(smpNoLSBCeil, bitField{}).with(smpBlendZeroPRT, bitField{93, 1}).
			with(smpSkipDegamma, bitField{108, 1})
)

var samplerLayouts = [NumGens]*samplerLayout{GCN10: &siSampler, GCN11: &siSampler, GCN12: &viSampler,
	GCN14: &vegaSampler, GCN141: &vegaSampler}

var _ = enum.Full[Gen](samplerLayouts[:])

// SSharpFields are the fields of an S# of each generation from the lowest bit up.
var SSharpFields = func() (all [NumGens][]BitField) {
	for g, layout := range samplerLayouts {
		all[g] = bitFields(samplerFieldNames[:], layout[:])
	}
	return all
}()

// Clamp is the treatment of coordinates outside of an image by a sampler.
type Clamp uint8

// The clamp modes. Source: rule CO4.
const (
	ClampWrap Clamp = iota
	ClampMirror
	ClampLastTexel
	ClampMirrorOnceLastTexel
	ClampHalfBorder
	ClampMirrorOnceHalfBorder
	ClampBorder
	ClampMirrorOnceBorder
)

var clampNames = [8]string{
	ClampWrap: "WRAP", ClampMirror: "MIRROR", ClampLastTexel: "CLAMP_LAST_TEXEL",
	ClampMirrorOnceLastTexel: "MIRROR_ONCE_LAST_TEXEL",
	ClampHalfBorder:          "CLAMP_HALF_BORDER", ClampMirrorOnceHalfBorder: "MIRROR_ONCE_HALF_BORDER",
	ClampBorder:           "CLAMP_BORDER",
	ClampMirrorOnceBorder: "MIRROR_ONCE_BORDER",
}

var _ = enum.Full[Clamp](clampNames[:])

// String returns the name in the document, without TEX_.
func (c Clamp) String() string { return enum.Name(clampNames[:], c) }

// Codes of XY_MAG_FILTER and XY_MIN_FILTER. One bit selects filtering of two texels along an axis, another bit
// selects anisotropic filtering.
const (
	FilterPoint         = 0
	FilterBilinear      = 1
	FilterAnisoPoint    = 2
	FilterAnisoBilinear = 3
)

// Codes of MIP_FILTER, the filter between mip levels.
const (
	MipNone   = 0 // only BASE_LEVEL is read
	MipPoint  = 1
	MipLinear = 2
)

// Codes of Z_FILTER, the filter along the third coordinate.
const (
	ZNone   = 0 // the filter of X and Y
	ZPoint  = 1
	ZLinear = 2
)

// Codes of FILTER_MODE: how the filtered texels are combined.
const (
	FilterBlend = 0
	FilterMin   = 1
	FilterMax   = 2
)

// Codes of DEPTH_CMP_FUNC. The comparison is reference OP texel.
const (
	CompareNever        = 0
	CompareLess         = 1
	CompareEqual        = 2
	CompareLessEqual    = 3
	CompareGreater      = 4
	CompareNotEqual     = 5
	CompareGreaterEqual = 6
	CompareAlways       = 7
)

// Codes of BORDER_COLOR_TYPE.
const (
	BorderTransBlack  = 0 // R, G, B, A = 0, 0, 0, 0
	BorderOpaqueBlack = 1 // R, G, B, A = 0, 0, 0, 1
	BorderOpaqueWhite = 2 // R, G, B, A = 1, 1, 1, 1
	BorderRegister    = 3 // entry BORDER_COLOR_PTR of the border colour table
)

// SamplerState holds the decoded fields of an S#, the result of [SSharp.Fields] and the input of
// [SamplerState.Words]. A field that a generation lacks decodes as 0.
type SamplerState struct {
	Clamp            [3]Clamp // modes of x, y and z
	Compare          uint8    // DEPTH_CMP_FUNC, for example CompareLess
	Unnormalized     bool     // FORCE_UNNORM: coordinates are in texels
	CoordTrunc       bool     // MC_COORD_TRUNC
	ForceDegamma     bool
	TruncCoord       bool
	NoCubeWrap       bool    // DISABLE_CUBE_WRAP
	FilterMode       uint8   // for example FilterBlend
	MinLOD           float32 // 0 to 16 in steps of 1/256
	MaxLOD           float32 // 0 to 16 in steps of 1/256
	LODBias          float32 // -32 to 32 in steps of 1/256
	LODBiasSec       float32 // -2 to 2 in steps of 1/16
	MagFilter        uint8   // for example FilterBilinear
	MinFilter        uint8   // for example FilterBilinear
	ZFilter          uint8   // for example ZLinear
	MipFilter        uint8   // for example MipLinear
	MipPointPreclamp bool
	BorderColorPtr   int   // index in the table of border colours
	BorderColorType  uint8 // for example BorderOpaqueBlack

	MaxAniso       uint8 // MAX_ANISO_RATIO: log2 of the ratio
	AnisoThreshold uint8
	AnisoBias      uint8
	PerfMip        uint8
	PerfZ          uint8
	PrecFix        bool // FILTER_PREC_FIX
	NoLSBCeil      bool // DISABLE_LSB_CEIL
	Compat         bool // COMPAT_MODE
	AnisoOverride  bool
	BlendZeroPRT   bool
	SkipDegamma    bool
}

// Fields decodes s for generation g.
func (s SSharp) Fields(g Gen) SamplerState {
	get := func(f samplerField) uint64 { return samplerLayouts[g][f].get(s[:]) }
	code := func(f samplerField) uint8 { return uint8(get(f)) }
	flag := func(f samplerField) bool { return get(f) != 0 }
	return SamplerState{
		Clamp:   [3]Clamp{Clamp(get(smpClampX)), Clamp(get(smpClampY)), Clamp(get(smpClampZ))},
		Compare: code(smpCompare), Unnormalized: flag(smpUnnormalized), CoordTrunc: flag(smpCoordTrunc),
		ForceDegamma: flag(smpForceDegamma),
		TruncCoord:   flag(smpTruncCoord), NoCubeWrap: flag(smpNoCubeWrap), FilterMode: code(smpFilterMode),
		MinLOD: unfixed(get(smpMinLOD), 12, 8, false), MaxLOD: unfixed(get(smpMaxLOD), 12, 8, false),
		LODBias: unfixed(get(smpLODBias), 14, 8, true), LODBiasSec: unfixed(get(smpLODBiasSec), 6, 4, true),
		MagFilter: code(smpMagFilter), MinFilter: code(smpMinFilter), ZFilter: code(smpZFilter),
		MipFilter:        code(smpMipFilter),
		MipPointPreclamp: flag(smpPreclamp), BorderColorPtr: int(get(smpBorderPtr)), BorderColorType: code(smpBorderType),
		MaxAniso: code(smpMaxAniso), AnisoThreshold: code(smpAnisoThreshold), AnisoBias: code(smpAnisoBias),
		PerfMip: code(smpPerfMip), PerfZ: code(smpPerfZ),
		PrecFix: flag(smpPrecFix), NoLSBCeil: flag(smpNoLSBCeil), Compat: flag(smpCompat),
		AnisoOverride: flag(smpAnisoOverride),
		BlendZeroPRT:  flag(smpBlendZeroPRT), SkipDegamma: flag(smpSkipDegamma),
	}
}

// Words encodes s as an S# of generation g, in four consecutive SGPRs. Levels of detail are rounded to nearest. It
// panics if a field is set that the S# of g lacks, or if a value does not fit; [Check] returns this as an error.
func (s SamplerState) Words(g Gen) []uint32 {
	out := s.pack(g)
	if out.Fields(g) != s {
		mustHold(g, s)
	}
	return out[:]
}

// pack encodes s. It drops bits that do not fit their field, and clamps levels of detail.
func (s SamplerState) pack(g Gen) (out SSharp) {
	for f, v := range [numSamplerFields]uint64{
		smpClampX: uint64(s.Clamp[0]), smpClampY: uint64(s.Clamp[1]), smpClampZ: uint64(s.Clamp[2]),
		smpMaxAniso: uint64(s.MaxAniso),
		smpCompare:  uint64(s.Compare), smpUnnormalized: bit(s.Unnormalized), smpAnisoThreshold: uint64(s.AnisoThreshold),
		smpCoordTrunc: bit(s.CoordTrunc), smpForceDegamma: bit(s.ForceDegamma), smpAnisoBias: uint64(s.AnisoBias),
		smpTruncCoord: bit(s.TruncCoord),
		smpNoCubeWrap: bit(s.NoCubeWrap), smpFilterMode: uint64(s.FilterMode), smpCompat: bit(s.Compat),
		smpMinLOD: fixed(s.MinLOD, 12, 8, false), smpMaxLOD: fixed(s.MaxLOD, 12, 8, false), smpPerfMip: uint64(s.PerfMip),
		smpPerfZ:   uint64(s.PerfZ),
		smpLODBias: fixed(s.LODBias, 14, 8, true), smpLODBiasSec: fixed(s.LODBiasSec, 6, 4, true),
		smpMagFilter: uint64(s.MagFilter), smpMinFilter: uint64(s.MinFilter), smpZFilter: uint64(s.ZFilter),
		smpMipFilter: uint64(s.MipFilter),
		smpPreclamp:  bit(s.MipPointPreclamp), smpNoLSBCeil: bit(s.NoLSBCeil), smpBlendZeroPRT: bit(s.BlendZeroPRT),
		smpPrecFix:       bit(s.PrecFix),
		smpAnisoOverride: bit(s.AnisoOverride), smpBorderPtr: uint64(s.BorderColorPtr), smpSkipDegamma: bit(s.SkipDegamma),
		smpBorderType: uint64(s.BorderColorType),
	} {
		samplerLayouts[g][f].set(out[:], v)
	}
	return out
}
