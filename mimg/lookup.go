package mimg

import (
	"math"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/isa/format"
	"github.com/gcnsim/gcnsim/internal/tool/rule"
	"github.com/gcnsim/gcnsim/state"
)

// lookup is the plan of an instruction with a sampler for a given T# and S#: everything that does not depend on the
// lanes. It is immutable.
type lookup struct {
	o     *op
	words gcn.SSharp
	asked *view // the view of the T#
	gcn.SamplerState
	fault  *state.Fault // why the instruction does not support the T# and S#, nil if it does
	doubts []string     // what may differ from hardware; see [lookup.findDoubts]

	view     *view // the view from which texels are read: asked, or the same with another number format
	addr     *isa.ImageAddr
	dims     int
	sel      selection
	gathers  bool // GATHER4 or similar
	inTexels bool // coordinates are in texels
	fold     bool // texels beyond an edge of a cube's face are on another face
	packed   bool // [isa.Traits.PackedFace]
	value    valueRules
	border   border
	entry    entry // the entry of the border colour table, if the S# names one

	levels  levels
	filters [2]filter // one for magnification, one for minification
	longest float64   // largest ratio of length to width of a footprint; 1 if no filter is anisotropic
}

// entry is an entry of the border colour table at the time when the lookup was made, since the table may be in
// memory.
type entry struct {
	named  bool // the S# names it
	exists bool
	colour [4]uint32
}

// entryOf returns the present entry that the S# of l names.
func (l *lookup) entryOf(p *executor.Ports) entry {
	colour, ok := p.Borders.At(p.Mem, l.BorderColorPtr)
	return entry{true, ok, colour}
}

// filter is the combination of the XY filter and the Z filter for a level.
type filter struct {
	linear [3]bool    // axes along which two texels are used
	aniso  bool       // several samples are used
	bytes  bool       // texels are summed as bytes, see [byteSums]
	grids  [][3]ruler // by level of the view, then by axis
}

// point reports whether the filter uses a single texel.
func (f *filter) point() bool { return !f.aniso && f.linear == [3]bool{} }

// valueRules describes the conversion of texels before filtering.
type valueRules struct {
	kind     format.Kind
	compares bool
	holds    uint8 // outcomes for which the comparison is true, see [compareFuncs]
	clamped  bool  // references are clamped to the range of UNORM
	denormal bool  // texels may be denormal
	finite   bool  // filtered values are never infinite, NaN or -0; comparisons yield 0 and 1
}

// border describes the texels of the border.
type border struct {
	components [format.MaxComponents]uint32
	word       uint32 // border colour as a texel of bytes
	isWord     bool   // word is valid
	wider      bool   // the border colour has components that the format lacks
}

// blends reports whether texels are blended. The other codes of FILTER_MODE select an extreme.
func (l *lookup) blends() bool { return l.FilterMode == gcn.FilterBlend }

// Bits of the XY filters (rules SD1 and LO3).
const (
	xyLinear = gcn.FilterBilinear
	xyAniso  = gcn.FilterAnisoPoint
)

// lookup returns the plan for v and the S# in the registers of the wave.
func (o *op) lookup(w *state.Wave, p *executor.Ports, v *view) *lookup {
	words := (*gcn.SSharp)(w.S[o.ssamp : o.ssamp+len(gcn.SSharp{})])
	if l := o.lastLookup.Load(); l != nil && l.asked == v && l.words == *words &&
		(l.entry == entry{} || l.entry == l.entryOf(p)) {
		return l
	}
	l := o.newLookup(w, p, v, words)
	o.lastLookup.Store(l)
	return l
}

// newLookup returns a new plan.
func (o *op) newLookup(w *state.Wave, p *executor.Ports, v *view, words *gcn.SSharp) *lookup {
	l := &lookup{
		o: o, words: *words, asked: v, SamplerState: words.Fields(w.Target.Gen()), addr: o.layoutOf(v),
		dims: isa.ShapeOf(v.Type).Dims, gathers: o.row.Has(isa.Gathers), packed: isa.TraitsOf(w.Target).PackedFace,
	}
	l.view = l.degamma(w, v)
	f := l.view.format
	compares := o.row.Addr&isa.AddrCompare != 0
	if l.fault = l.refusal(compares); l.fault != nil {
		return l
	}
	l.inTexels = o.unrm || l.Unnormalized // rule IM2
	l.fold = v.Type == gcn.ImageCube && !l.NoCubeWrap
	l.value = valueRules{
		kind: f.Kind, compares: compares, holds: compareFuncs[l.Compare&7], clamped: v.format.Num == gcn.NumUNORM,
		denormal: f.Floats && f.Words == f.Components, finite: !f.Floats || compares,
	}
	if l.BorderColorType == gcn.BorderRegister {
		l.entry = l.entryOf(p)
	}
	l.border = l.newBorder()
	l.sel = l.selected()
	l.findFilters(w)
	l.doubts = l.findDoubts()
	return l
}

// refusal returns the fault if the instruction does not support the T# and S#, else nil.
func (l *lookup) refusal(compares bool) *state.Fault {
	f, v := l.view.format, l.asked
	unsupported := func(what string) *state.Fault { return executor.NewFault(state.FaultUnsupported, "%s", what) }
	switch {
	case isa.ShapeOf(v.Type).MSAA:
		return executor.NewFault(state.FaultIllegal, "a sampler does not go with a %v image ("+rule.IM3+")", v.Type)
	case f.Kind != format.Float && compares:
		return executor.NewFault(state.FaultIllegal, "comparison with texels of %v, which are no floats ("+rule.FI5+")", f)
	case v.Interlaced && v.Type == gcn.Image2D:
		return unsupported("how a sampler treats the fields of an INTERLACED image is not modelled")
	case l.gathers && v.Type == gcn.Image3D:
		return unsupported("what GATHER4 returns of a 3D image is not modelled")
	case l.FilterMode > gcn.FilterMax || l.MipFilter > gcn.MipLinear || l.ZFilter > gcn.ZLinear:
		return executor.NewFault(state.FaultIllegal, "the S# has a reserved FILTER_MODE, MIP_FILTER or Z_FILTER")
	}
	return nil
}

// findFilters decodes the filters of the S# and the selection of levels.
func (l *lookup) findFilters(w *state.Wave) {
	integer := l.value.kind != format.Float
	// Integers are not blended (rule FI3).
	blends := !integer || !l.blends() && !isa.TraitsOf(w.Target).IntegerPoints
	l.longest = 1
	if (l.MagFilter|l.MinFilter)&xyAniso != 0 {
		l.longest = l.maxAnisotropy()
	}
	l.filters = [2]filter{l.newFilter(l.MagFilter, blends), l.newFilter(l.MinFilter, blends)}
	mip := l.MipFilter
	if mip == gcn.MipLinear && (!blends || l.gathers) {
		mip = gcn.MipPoint
	}
	l.levels = l.newLevels(mip)
	bytes := l.view.format.UnormBytes && l.dims == 2 && l.blends() && !l.fold && !l.value.compares && l.border.isWord
	for i := range l.filters {
		f := &l.filters[i]
		f.bytes = bytes && f.linear[0]
		f.grids = make([][3]ruler, l.view.levels)
		for level := range f.grids {
			for d := range l.dims {
				f.grids[level][d] = l.newRuler(f, level, d, integer && isa.TraitsOf(w.Target).IntegerPoints)
			}
		}
	}
}

// newFilter returns the filter for a code of MAG_FILTER or MIN_FILTER, without its grids. blends is false if texels
// are never blended.
func (l *lookup) newFilter(code uint8, blends bool) (f filter) {
	xy := code&xyLinear != 0 && blends
	z := xy
	if l.ZFilter != gcn.ZNone {
		z = l.ZFilter == gcn.ZLinear && blends
	}
	if l.gathers { // independent of the S# (rule IM9)
		xy, z = true, false
	}
	copy(f.linear[:l.dims], []bool{xy, xy, z})
	f.aniso = code&xyAniso != 0 && l.longest > 1 && blends && !l.gathers
	return f
}

// newRuler returns the ruler for axis d of a level with a filter. points is set if GATHER4 returns the texel of a
// point filter and the next one (rule IM9). Source: rules CO2 to CO4.
func (l *lookup) newRuler(f *filter, level, d int, points bool) ruler {
	n := l.view.size[level].along(d)
	r := ruler{size: n, scale: float64(n), clamp: l.Clamp[d], linear: f.linear[d], shift: uint8(8 * d), fold: l.fold}
	if l.o.row.Has(isa.RowOfTexels) { // four in a row, from the border or the last texel (rule IM9)
		r.linear, r.round = false, downward
		if r.clamp != gcn.ClampBorder {
			r.clamp = gcn.ClampLastTexel
		}
		if d == 0 {
			r.back = 1.5
		}
		r.fold = false
	}
	r.pairs = r.linear && !l.gathers
	r.weights = r.pairs && !f.bytes
	if r.linear && !(l.gathers && points) {
		r.back = 0.5
	}
	if l.inTexels {
		r.scale = 1
	}
	switch {
	case r.round == downward:
	case l.CoordTrunc:
		r.round = toHalves
	case l.TruncCoord && (!r.linear || l.gathers):
		r.round = downward
	}
	if r.fold {
		r.clamp = gcn.ClampLastTexel // the mode has no effect (rule CO6)
	}
	return r
}

// selected does what [op.selected] does, for a border that may have components which the format lacks (rule CO5).
func (l *lookup) selected() selection {
	sel := l.o.selected(l.view)
	for i := range sel.count {
		if c := l.view.sel[l.o.channel[i]]; l.border.wider && c >= gcn.SelR {
			sel.from[i] = int(c - gcn.SelR)
		}
	}
	return sel
}

// maxAnisotropy returns the largest ratio of the axes of a footprint (rule LO3).
func (l *lookup) maxAnisotropy() float64 {
	t := l.asked.Type
	if t != gcn.Image2D && t != gcn.Image2DArray || l.AnisoOverride && l.asked.BaseLevel == l.asked.LastLevel {
		return 1
	}
	return float64(int(1) << min(l.MaxAniso, 4))
}

// degamma returns the view from which texels are read. SKIP_DEGAMMA does not decode sRGB texels, FORCE_DEGAMMA
// decodes UNORM texels as sRGB (rule IF3).
func (l *lookup) degamma(w *state.Wave, v *view) *view {
	num := v.NumFormat
	switch {
	case l.SkipDegamma && num == gcn.NumSRGB:
		num = gcn.NumUNORM
	case l.ForceDegamma && !l.SkipDegamma && num == gcn.NumUNORM:
		num = gcn.NumSRGB
	default:
		return v
	}
	if f, err := format.LookupImage(w.Target.Gen(), v.DataFormat, num); err != nil || f.Width > 1 && num == gcn.NumSRGB {
		return v // neither bytes nor blocks
	}
	return findView(w, v.owner, isa.WithNumFormat(v.t, num))
}

// newBorder returns the border before DST_SEL is applied. Source: rule CO5.
func (l *lookup) newBorder() (b border) {
	f := l.view.format
	one := f.One
	colour := [...][format.MaxComponents]uint32{
		gcn.BorderTransBlack: {}, gcn.BorderOpaqueBlack: {0, 0, 0, one}, gcn.BorderOpaqueWhite: {one, one, one, one},
		gcn.BorderRegister: {},
	}[l.BorderColorType&3]
	if l.entry.named {
		colour = l.entry.colour
	}
	for i, from := range borderOrders[l.asked.BCSwizzle&7] {
		b.components[i] = colour[from]
	}
	b.components = clampColour(f, b.components)
	for _, c := range b.components[f.Components:] {
		b.wider = b.wider || c != 0
	}
	b.word, b.isWord = wordOf(&b.components)
	return b
}

// lastBorderOrder is the last defined BC_SWIZZLE.
const lastBorderOrder = 5

// borderOrders has, by BC_SWIZZLE, the component of the colour for each component of a border texel (rule CO5).
var borderOrders = [8][format.MaxComponents]uint8{{0, 1, 2, 3}, {0, 3, 1, 2}, {3, 2, 1, 0}, {3, 0, 1, 2},
	{2, 1, 0, 3}, {1, 0, 3, 2}, {0, 1, 2, 3}, {0, 1, 2, 3}}

// wordOf returns the border colour as a texel of four UNORM bytes. ok is false if it cannot be expressed.
func wordOf(border *[format.MaxComponents]uint32) (w uint32, ok bool) {
	one := math.Float32bits(1)
	for c, v := range border {
		switch v {
		case 0:
		case one:
			w |= 255 << (8 * c)
		default:
			return 0, false
		}
	}
	return w, true
}
