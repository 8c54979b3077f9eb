package gcn

import "github.com/gcnsim/gcnsim/internal/isa"

// Codes of XY_MAG_FILTER and XY_MIN_FILTER: one bit is set of those that take two texels
// along an axis, another one of those that take several places.
const (
	FilterPoint         = isa.FilterPoint
	FilterBilinear      = isa.FilterBilinear
	FilterAnisoPoint    = isa.FilterAnisoPoint
	FilterAnisoBilinear = isa.FilterAnisoBilinear
)

// Codes of MIP_FILTER.
const (
	MipNone   = isa.MipNone // BASE_LEVEL alone
	MipPoint  = isa.MipPoint
	MipLinear = isa.MipLinear
)

// Codes of Z_FILTER.
const (
	ZNone   = isa.ZNone // the same filter as in X and Y
	ZPoint  = isa.ZPoint
	ZLinear = isa.ZLinear
)

// Codes of FILTER_MODE.
const (
	FilterBlend = isa.FilterBlend
	FilterMin   = isa.FilterMin
	FilterMax   = isa.FilterMax
)

// Codes of DEPTH_CMP_FUNC; the reference is on the left.
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
	BorderTransBlack  = isa.BorderTransBlack  // 0, 0, 0, 0
	BorderOpaqueBlack = isa.BorderOpaqueBlack // 0, 0, 0, 1
	BorderOpaqueWhite = isa.BorderOpaqueWhite // 1, 1, 1, 1
	BorderRegister    = isa.BorderRegister    // entry BORDER_COLOR_PTR of the table
)
