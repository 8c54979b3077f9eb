package mimg

import (
	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/gcn/format"
	"github.com/gcnsim/gcnsim/handbook"
	"github.com/gcnsim/gcnsim/state"
)

// sampler is an S# made ready for an instruction and a view. It does not change.
type sampler struct {
	words gcn.SSharp
	asked *view // that of the T#
	gcn.SamplerState
	fault  *state.Fault // why the two do not go together, nil if they do
	doubts []string     // see [sampler.findDoubts]

	view   *view // that texels are read of: the one asked for, or it with another number format
	levels levels

	texels     bool    // coordinates are texels
	linear     [2]bool // the XY filter takes two texels along an axis: magnification, minification
	aniso      [2]bool // the XY filter takes several places
	maxRatio   float64 // of the axes of a footprint; 1 if no filter is anisotropic
	linearZ    [2]bool // as linear
	mip        mipFilter
	fold       bool // texels beyond an edge of a cube's face are those of another face
	packed     bool // [gcn.Traits.PackedFace]
	points     bool // GATHER4 takes the texel of a point filter and the next one
	floats     bool // texels can be infinite, NaN or -0
	denormal   bool // texels can be denormal
	finite     bool // what is filtered cannot: of comparisons that is 0 and 1
	clamped    bool // references are clamped to the range of UNORM
	border     [format.MaxComponents]uint32
	bytes      bool   // bilinear filters and GATHER4 read bytes, see [byteSums]
	borderWord uint32 // the border as a texel of bytes
	wider      bool   // the border has components that the format lacks
}

// mipFilter is MIP_FILTER (rule SD1).
type mipFilter uint8

const (
	mipNone mipFilter = iota
	mipPoint
	mipLinear
)

// filterLinear is the code of MIP_FILTER and Z_FILTER; the XY filters have a bit for
// bilinear and one for anisotropic (rules SD1 and LO3).
const (
	filterLinear = 2
	xyLinear     = 1
	xyAniso      = 2
)

// sampler returns the S# that the wave holds, ready for v.
func (o *op) sampler(w *state.Wave, v *view) *sampler {
	words := (*gcn.SSharp)(w.S[o.ssamp : o.ssamp+len(gcn.SSharp{})])
	if s := o.lastSampler.Load(); s != nil && s.asked == v && s.words == *words {
		return s
	}
	s := o.newSampler(w, v, words)
	o.lastSampler.Store(s)
	return s
}

// newSampler makes an S# ready.
func (o *op) newSampler(w *state.Wave, v *view, words *gcn.SSharp) *sampler {
	s := &sampler{words: *words, asked: v, SamplerState: words.Fields(w.Gen), packed: w.T.PackedFace}
	gathers, compares := o.row.Has(gcn.Gathers), o.row.Addr&gcn.AddrCompare != 0
	s.view = s.degamma(w, v)
	f := s.view.format
	integer := f.Kind != format.Float
	unsupported := func(format string, args ...any) *state.Fault {
		return state.NewFault(state.FaultUnsupported, format, args...)
	}
	switch {
	case v.Type.MSAA():
		s.fault = state.NewFault(state.FaultIllegal, "a sampler does not go with a %v image ("+handbook.IM3+")", v.Type)
	case integer && compares:
		s.fault = state.NewFault(state.FaultIllegal, "comparison with texels of %v, which are no floats ("+handbook.FI5+")", f)
	case v.Interlaced && v.Type == gcn.Image2D:
		s.fault = unsupported("how a sampler treats the fields of an INTERLACED image is not modelled")
	case gathers && v.Type == gcn.Image3D:
		s.fault = unsupported("what GATHER4 returns of a 3D image is not modelled")
	case s.FilterMode > most || s.MipFilter > filterLinear || s.ZFilter > filterLinear:
		s.fault = state.NewFault(state.FaultIllegal, "the S# has a reserved FILTER_MODE, MIP_FILTER or Z_FILTER")
	}
	s.texels = o.unrm || s.Unnormalized // rule IM2
	// Integers are not blended (rule FI3).
	blends := !integer || s.FilterMode != blend && !w.T.IntegerPoints
	s.maxRatio = 1
	for i, code := range [2]uint8{s.MagFilter, s.MinFilter} {
		s.linear[i] = code&xyLinear != 0 && blends
		s.linearZ[i] = s.linear[i]
		if s.ZFilter != 0 {
			s.linearZ[i] = s.ZFilter == filterLinear && blends
		}
		if code&xyAniso != 0 {
			s.maxRatio = s.maxAnisotropy()
			s.aniso[i] = s.maxRatio > 1 && blends && !gathers
		}
	}
	switch {
	case s.MipFilter == 0:
		s.mip = mipNone
	case s.MipFilter == filterLinear && blends && !gathers:
		s.mip = mipLinear
	default:
		s.mip = mipPoint
	}
	if gathers { // whatever the S# says (rule IM9)
		s.points = integer && w.T.IntegerPoints
		s.linear = [2]bool{true, true}
	}
	s.fold = v.Type == gcn.ImageCube && !s.NoCubeWrap
	s.floats = f.Floats()
	s.denormal = s.floats && f.Words() == f.Components
	s.finite = !s.floats || compares
	s.clamped = v.format.Num == gcn.NumUNORM
	s.border = s.borderColor()
	if word, ok := wordOf(&s.border); ok && f.UnormBytes() && v.Type.Dims() == 2 && s.FilterMode == blend {
		s.bytes, s.borderWord = !s.fold && !compares, word
	}
	for _, c := range s.border[f.Components:] {
		s.wider = s.wider || c != 0
	}
	s.levels = s.newLevels(o)
	s.doubts = s.findDoubts(o)
	return s
}

// maxAnisotropy returns the largest ratio of the axes of a footprint (rule LO3).
func (s *sampler) maxAnisotropy() float64 {
	t := s.asked.Type
	if t != gcn.Image2D && t != gcn.Image2DArray || s.AnisoOverride && s.asked.BaseLevel == s.asked.LastLevel {
		return 1
	}
	return float64(int(1) << min(s.MaxAniso, 4))
}

// degamma returns the view that texels are read of: SKIP_DEGAMMA leaves sRGB texels as
// they are, FORCE_DEGAMMA decodes UNORM ones as if they were sRGB (rule IF3).
func (s *sampler) degamma(w *state.Wave, v *view) *view {
	num := v.NumFormat
	switch {
	case s.SkipDegamma && num == gcn.NumSRGB:
		num = gcn.NumUNORM
	case s.ForceDegamma && !s.SkipDegamma && num == gcn.NumUNORM:
		num = gcn.NumSRGB
	default:
		return v
	}
	if f, err := format.LookupImage(w.Gen, v.DataFormat, num); err != nil || f.Width > 1 && num == gcn.NumSRGB {
		return v // not of bytes, or of blocks
	}
	return findView(w, v.owner, v.t.WithNumFormat(num))
}

// borderColor returns the components that texels in the border have, as the format has
// them, before DST_SEL. Source: rule CO5.
func (s *sampler) borderColor() (c [format.MaxComponents]uint32) {
	f := s.view.format
	one := f.One()
	colour := [...][format.MaxComponents]uint32{{}, {0, 0, 0, one}, {one, one, one, one}, {}}[s.BorderColorType&3]
	if table := s.asked.owner.Borders; s.BorderColorType == borderTable && s.BorderColorPtr < len(table) {
		colour = table[s.BorderColorPtr]
	}
	for i, from := range borderOrders[s.asked.BCSwizzle&7] {
		c[i] = colour[from]
	}
	return f.Clamp(c)
}

// borderTable is the BORDER_COLOR_TYPE that BORDER_COLOR_PTR goes with (rule CO5).
const borderTable = 3

// lastBorderOrder is the last BC_SWIZZLE with a meaning.
const lastBorderOrder = 5

// borderOrders says by BC_SWIZZLE which component of the colour each component of a texel
// in the border has (rule CO5).
var borderOrders = [8][format.MaxComponents]uint8{{0, 1, 2, 3}, {0, 3, 1, 2}, {3, 2, 1, 0}, {3, 0, 1, 2}, {2, 1, 0, 3}, {1, 0, 3, 2}, {0, 1, 2, 3}, {0, 1, 2, 3}}
