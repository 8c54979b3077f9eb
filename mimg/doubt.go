package mimg

import (
	"slices"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/isa/format"
	"github.com/gcnsim/gcnsim/internal/tool/rule"
	"github.com/gcnsim/gcnsim/state"
)

// Reasons why instructions with a sampler are not exact (rule IM13).
const (
	lodWhy = "the LOD of a footprint is the ideal one, of helper lanes too, and filters round once; what hardware " +
		"computes is not known (" + rule.LO1 + "; " + rule.FI2 + ")"
	coarseWhy = "coarse derivatives are taken as those of _D, lane by lane (" + rule.IM12 + ")"
	clampWhy  = "the clamp of _CL is taken as the least LOD, as Direct3D and Vulkan have it (" + rule.K14 + ")"
	gatherWhy = "texels are exact, but sources differ on which ones a coordinate within 1/512 of a texel's edge " +
		"takes (" + rule.CO3 + ")"
	rowWhy = "no source on these generations tells which texels GATHER4H takes; as on later ones (" + rule.IM9 + ")"
)

// bindSampler does what [bind] does, for an instruction with a sampler. Doubts about a sampler or an image are
// reported when an instruction uses them, see [lookup.doubts].
func (o *op) bindSampler() executor.Impl {
	parts, r := o.row.Addr, o.row
	footprint := parts&(isa.LevelZero|isa.AddrLOD) == 0
	switch {
	case o.mem.Op == gcn.Special:
		return doubt(o.queryLOD, lodWhy)
	case !o.mem.Format:
		return executor.Impl{Why: "what " + r.Name + " returns is not known (" + rule.IM9 + ")"}
	case r.Has(isa.RowOfTexels):
		return executor.Impl{Exec: o.sample, Level: gcn.Assumed, Why: rowWhy}
	}
	return doubt(o.sample, given(parts&isa.AddrCoarse != 0, coarseWhy), given(footprint, lodWhy),
		given(parts&isa.AddrClamp != 0, clampWhy),
		given(r.Has(isa.Gathers), gatherWhy), given(o.dmask == 0, noneWhy))
}

// reason is a doubt, with the condition under which it applies.
type reason struct {
	is  bool
	why string
}

// reasons returns the doubts that apply.
func reasons(all ...reason) (why []string) {
	for _, r := range all {
		if r.is && r.why != "" {
			why = append(why, r.why)
		}
	}
	return why
}

// zeroBits reports whether zero bits are read as 0 in each component.
func zeroBits(f *format.Format) bool {
	var words, dst [format.MaxComponents][]uint32
	var w, d [format.MaxComponents]uint32
	for i := range w {
		words[i], dst[i] = w[i:i+1], d[i:i+1]
	}
	if f.Width == 1 { // not a compressed block
		f.Unpack(&dst, &words)
	}
	return d == w
}

var halfDoubts = []string{halfWhy}

// texelLevelDoubts is the doubt about coordinates in texels on levels other than the first.
var texelLevelDoubts = []string{"mipmaps need normalized coordinates: those in texels are taken as texels of each " +
	"level (" + rule.CO2 + ")"}

// halfDoubt adds the doubts about D16 to a; only integers have some (rule IM6).
func (o *op) halfDoubt(v *view, a *state.Access) {
	if o.d16 && v.format.Kind != format.Float {
		executor.Doubt(a, halfDoubts)
	}
}

// findDoubts sets the doubts about a view's addresses and texels (rules IM13 and TL7).
func (v *view) findDoubts() {
	v.doubts = reasons(
		reason{v.layout.Assumed != "", "how the image lies in memory is assumed: " + v.layout.Assumed + " (" + rule.TL7 +
			")"},
		reason{v.Interlaced, "the rows that the fields of an INTERLACED image are is assumed (" + rule.IM3 + ")"})
	if f := v.format; f != nil {
		v.formatDoubts = reasons(reason{true, f.Doubt},
			reason{!zeroBits(f), "texels out of range have bits of 0, which this format does not read as 0 (" + rule.IF5 + ")"},
			reason{executor.ReservedSel(v.sel), "a reserved DST_SEL (2 or 3) is taken as 0 (" + rule.IF5 + ")"})
		v.storeDoubts = reasons(reason{!v.stored.ExactStore, storeWhy})
	}
}

// findDoubts returns the doubts about sampling the image with the sampler (rule IM13).
func (l *lookup) findDoubts() []string {
	return slices.Concat(l.fieldDoubts(), l.clampDoubts(), l.valueDoubts(), l.view.formatDoubts)
}

// fieldDoubts returns the doubts about single fields of the S#.
func (l *lookup) fieldDoubts() []string {
	return reasons(
		reason{l.filters[0].aniso || l.filters[1].aniso,
			"anisotropic filters are ideal: how many places hardware takes, where and with which weights is not known (" +
				rule.LO3 + ")"},
		reason{l.fold, "across the edges of cubes texels are those that later chips take (" + rule.CO6 + ")"},
		reason{l.PerfMip != 0 || l.PerfZ != 0, "PERF_MIP and PERF_Z are ignored (" + rule.LO2 + ")"},
		reason{l.LODBiasSec != 0, "how PERF_MOD scales LOD_BIAS_SEC is known of later chips only (" + rule.LO2 + ")"},
		reason{l.CoordTrunc, "MC_COORD_TRUNC is taken to cut positions to half texels (" + rule.CO3 + ")"},
		reason{l.gathers && l.TruncCoord, "TRUNC_COORD is taken to cut the positions of GATHER4 to 1/256 (" + rule.IM9 + ")"},
		reason{l.view.format != l.asked.format, "FORCE_DEGAMMA and SKIP_DEGAMMA are taken to change UNORM bytes to sRGB " +
			"and back (" + rule.IF3 + ")"},
		reason{l.ForceDegamma && !l.SkipDegamma && !l.view.sRGB(),
			"FORCE_DEGAMMA is taken to leave formats other than UNORM bytes as they are (" + rule.IF3 + ")"},
		reason{l.NoLSBCeil || l.PrecFix, "DISABLE_LSB_CEIL and FILTER_PREC_FIX are ignored: no source says what " +
			"they do (" + rule.IM13 + ")"},
		reason{l.MipPointPreclamp || l.BlendZeroPRT, "MIP_POINT_PRECLAMP and BLEND_ZERO_PRT are ignored (" + rule.LO2 + ")"},
		reason{l.entry.named && !l.entry.exists, "the table of border colours has no entry for BORDER_COLOR_PTR: " +
			"transparent black"},
		reason{int(l.asked.BCSwizzle) > lastBorderOrder, "a reserved BC_SWIZZLE (6 or 7) is taken as 0 (" + rule.CO5 + ")"},
	)
}

// clampDoubts returns the doubts about coordinates out of range.
func (l *lookup) clampDoubts() []string {
	if l.fold { // clamp modes have no effect
		return nil
	}
	offsets := l.o.row.Addr&isa.AddrOffset != 0
	var inferred, repeats, once bool
	for _, c := range l.Clamp[:l.dims] {
		inferred = inferred || c == gcn.ClampHalfBorder || c == gcn.ClampMirrorOnceHalfBorder ||
			c == gcn.ClampMirrorOnceBorder
		repeats = repeats || c <= gcn.ClampMirror
		once = once || c == gcn.ClampMirrorOnceLastTexel
	}
	return reasons(
		reason{inferred, "the formulas of clamp modes with half a border, and of mirroring once to a border, are " +
			"inferred (" + rule.CO4 + ")"},
		reason{once && offsets, "sources differ on whether offsets come before or after mirroring once; before here (" +
			rule.CO4 + ")"},
		reason{repeats && l.inTexels, "images are taken to repeat if coordinates are texels, too (" + rule.CO4 + ")"},
	)
}

// valueDoubts returns the doubts about the values computed from texels.
func (l *lookup) valueDoubts() []string {
	f, compares := l.view.format, l.value.compares
	magnify, minify := &l.filters[0], &l.filters[1]
	blends := !l.gathers && (magnify.linear != [3]bool{} || minify.linear != [3]bool{} || l.levels.mip == gcn.MipLinear)
	integer := f.Kind != format.Float && (l.MagFilter&xyLinear != 0 || l.MinFilter&xyLinear != 0 ||
		l.MipFilter == gcn.MipLinear)
	return reasons(
		reason{integer && l.blends(), "integers are not blended: linear filters take points (" + rule.FI3 + ")"},
		reason{!l.blends() && f.Floats, "what NaN does to filters of minimum and maximum is not known (" + rule.FI4 + ")"},
		reason{l.value.clamped && compares, "references are clamped to 0 to 1, but not rounded to the format (" +
			rule.FI5 + ")"},
		reason{compares && !l.gathers && l.o.dmask > 1,
			"each component that DMASK selects is compared; others replicate the first one (" + rule.FI5 + ")"},
		reason{blends && l.blends(), "filters are exact sums with weights of 1/256, rounded once; how hardware rounds " +
			"is not known (" + rule.FI2 + ")"},
		reason{!l.gathers && !l.TruncCoord, "whether point filters round positions to 1/256 or 1/64 before they drop " +
			"the fraction is not known (" + rule.CO3 + ")"},
	)
}
