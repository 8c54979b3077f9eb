package gcn

import "github.com/gcnsim/gcnsim/internal/isa"

// Codes of XY_MAG_FILTER and XY_MIN_FILTER. One bit selects filtering of two texels along an axis, another bit
// selects anisotropic filtering.
const (
	FilterPoint         = isa.FilterPoint
	FilterBilinear      = isa.FilterBilinear
	FilterAnisoPoint    = isa.FilterAnisoPoint
	FilterAnisoBilinear = isa.FilterAnisoBilinear
)

// Codes of MIP_FILTER, the filter between mip levels.
const (
	MipNone   = isa.MipNone // only BASE_LEVEL is read
	MipPoint  = isa.MipPoint
	MipLinear = isa.MipLinear
)

// Codes of Z_FILTER, the filter along the third coordinate.
const (
	ZNone   = isa.ZNone // the filter of X and Y
	ZPoint  = isa.ZPoint
	ZLinear = isa.ZLinear
)

// Codes of FILTER_MODE: how the filtered texels are combined.
const (
	FilterBlend = isa.FilterBlend
	FilterMin   = isa.FilterMin
	FilterMax   = isa.FilterMax
)

// Codes of DEPTH_CMP_FUNC. The comparison is reference OP texel.
const (
	CompareNever        = isa.CompareNever
	CompareLess         = isa.CompareLess
	CompareEqual        = isa.CompareEqual
	CompareLessEqual    = isa.CompareLessEqual
	CompareGreater      = isa.CompareGreater
	CompareNotEqual     = isa.CompareNotEqual
	CompareGreaterEqual = isa.CompareGreaterEqual
	CompareAlways       = isa.CompareAlways
)

// Codes of BORDER_COLOR_TYPE.
const (
	BorderTransBlack  = isa.BorderTransBlack  // R, G, B, A = 0, 0, 0, 0
	BorderOpaqueBlack = isa.BorderOpaqueBlack // R, G, B, A = 0, 0, 0, 1
	BorderOpaqueWhite = isa.BorderOpaqueWhite // R, G, B, A = 1, 1, 1, 1
	BorderRegister    = isa.BorderRegister    // entry BORDER_COLOR_PTR of the border colour table
)
