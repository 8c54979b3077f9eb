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

// lookup is the plan of an instruction that reads a sampler with the T# and the S# that it
// found: all that does not hang on the lanes. It does not change.
type lookup struct {
	o     *op
	words gcn.SSharp
	asked *view // the view of the T#
	gcn.SamplerState
	fault  *state.Fault // why the instruction and the two do not go together, nil if they do
	doubts []string     // see [lookup.findDoubts]

	view     *view // that texels are read of: the one asked for, or it with another number format
	addr     *isa.ImageAddr
	dims     int
	sel      selection
	gathers  bool // GATHER4 and its kin
	inTexels bool // coordinates are texels
	fold     bool // texels beyond an edge of a cube's face are the texels of another face
	packed   bool // [isa.Traits.PackedFace]
	value    valueRules
	border   border
	entry    entry // of the table of border colours, if the S# names one

	levels  levels
	filters [2]filter // of magnification and of minification
	longest float64   // most that a footprint is longer than wide; 1 if no filter is anisotropic
}

// entry is one of the table of border colours, as it was when the lookup was made: it may
// lie in memory.
type entry struct {
	named  bool // by the S#
	exists bool
	colour [4]uint32
}

// entryOf returns what the S# of l names in the table now.
func (l *lookup) entryOf(p *executor.Ports) entry {
	colour, ok := p.Borders.At(p.Mem, l.BorderColorPtr)
	return entry{true, ok, colour}
}

// filter says how the XY filter and the Z filter read a level.
type filter struct {
	linear [3]bool    // axes along which two texels count
	aniso  bool       // several places count
	bytes  bool       // texels are summed as bytes, see [byteSums]
	grids  [][3]ruler // by level of the view, then by axis
}

// point reports whether the filter takes one texel alone.
func (f *filter) point() bool { return !f.aniso && f.linear == [3]bool{} }

// valueRules says how texels are converted before they are filtered.
type valueRules struct {
	kind     format.Kind
	compares bool
	holds    uint8 // outcomes with which the comparison holds, see [compareFuncs]
	clamped  bool  // references are clamped to the range of UNORM
	denormal bool  // texels can be denormal
	finite   bool  // what is filtered has no infinity, NaN or -0: of comparisons that is 0 and 1
}

// border describes the texels of the border.
type border struct {
	components [format.MaxComponents]uint32
	word       uint32 // the border colour as a texel of bytes
	isWord     bool   // there is such a texel
	wider      bool   // it has components that the format lacks
}

// blends reports whether texels are blended; other codes of FILTER_MODE take an extreme.
func (l *lookup) blends() bool { return l.FilterMode == gcn.FilterBlend }

// The bits of the XY filters (rules SD1 and LO3).
const (
	xyLinear = gcn.FilterBilinear
	xyAniso  = gcn.FilterAnisoPoint
)

// lookup returns the plan for v and the S# that the wave holds.
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

// newLookup makes a plan.
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

// refusal says why the instruction, the T# and the S# do not go together.
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

// findFilters finds what the filters of the S# do, and how levels are chosen.
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

// newFilter returns what MAG_FILTER or MIN_FILTER code asks for, without its grids; blends is
// false if texels are never blended.
func (l *lookup) newFilter(code uint8, blends bool) (f filter) {
	xy := code&xyLinear != 0 && blends
	z := xy
	if l.ZFilter != gcn.ZNone {
		z = l.ZFilter == gcn.ZLinear && blends
	}
	if l.gathers { // whatever the S# says (rule IM9)
		xy, z = true, false
	}
	copy(f.linear[:l.dims], []bool{xy, xy, z})
	f.aniso = code&xyAniso != 0 && l.longest > 1 && blends && !l.gathers
	return f
}

// newRuler returns what measures axis d of a level with a filter; points is set where
// GATHER4 takes the texel of a point filter and the next one (rule IM9). Source:
// rules CO2 to CO4.
func (l *lookup) newRuler(f *filter, level, d int, points bool) ruler {
	n := l.view.size[level].along(d)
	r := ruler{size: n, scale: float64(n), clamp: l.Clamp[d], linear: f.linear[d], shift: uint8(8 * d), fold: l.fold}
	if l.o.row.Has(isa.RowOfTexels) { // four in a row, the border or the last texel (rule IM9)
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
		r.clamp = gcn.ClampLastTexel // the mode does not matter (rule CO6)
	}
	return r
}

// selected is [op.selected]; the border can have components that the format lacks
// (rule CO5).
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

// degamma returns the view that texels are read of: SKIP_DEGAMMA leaves sRGB texels as
// they are, FORCE_DEGAMMA decodes UNORM ones as if they were sRGB (rule IF3).
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
		return v // not of bytes, or of blocks
	}
	return findView(w, v.owner, isa.WithNumFormat(v.t, num))
}

// newBorder returns the border, before DST_SEL. Source: rule CO5.
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

// lastBorderOrder is the last BC_SWIZZLE with a meaning.
const lastBorderOrder = 5

// borderOrders says by BC_SWIZZLE which component of the colour each component of a
// texel in the border has (rule CO5).
var borderOrders = [8][format.MaxComponents]uint8{{0, 1, 2, 3}, {0, 3, 1, 2}, {3, 2, 1, 0}, {3, 0, 1, 2},
	{2, 1, 0, 3}, {1, 0, 3, 2}, {0, 1, 2, 3}, {0, 1, 2, 3}}

// wordOf returns the border colour as a texel of four UNORM bytes, if it is one.
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
