package explain

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa"
)

// Sampler is the explanation of an S#.
type Sampler struct {
	SSharp gcn.SSharp
	Gen    gcn.Gen
	State  gcn.SamplerState
	Fields []Field
	Notes  []string // mistakes and surprising properties
}

// SSharp explains the S# v on generation g.
func SSharp(g gcn.Gen, v gcn.SSharp) *Sampler {
	x := &Sampler{SSharp: v, Gen: g, State: v.Fields(g)}
	x.Fields = x.fields()
	x.Notes = x.notes()
	return x
}

// String returns the fields and the notes as text.
func (x *Sampler) String() string {
	return fmt.Sprintf("%s on %s\n\n%v", x.title(), generations[x.Gen], fieldTable(x.Fields, 32)) + noteText(x.Notes)
}

// Names of codes. Source: rules SD1, CO4, CO5 and FI5.
var (
	filterNames  = []string{"point", "bilinear", "anisotropic point", "anisotropic bilinear"}
	zFilterNames = []string{"none", "point", "linear", "reserved"}
	borderNames  = []string{"transparent black (0,0,0,0)", "opaque black (0,0,0,1)", "opaque white (1,1,1,1)",
		"entry BORDER_COLOR_PTR of the table"}
	blendNames   = []string{"weighted sum", "minimum", "maximum", "reserved"}
	compareNames = []string{"never", "reference < texel", "reference = texel", "reference <= texel",
		"reference > texel", "reference != texel", "reference >= texel", "always"}
)

// samplerMeanings maps the name of an S# field to a function that describes its value. Other fields are plain
// numbers, or bits whose effect no source states.
var samplerMeanings = map[string]func(x *Sampler) string{
	"CLAMP_X":         func(x *Sampler) string { return x.State.Clamp[0].String() },
	"CLAMP_Y":         func(x *Sampler) string { return x.State.Clamp[1].String() },
	"CLAMP_Z":         func(x *Sampler) string { return x.State.Clamp[2].String() },
	"MAX_ANISO_RATIO": func(x *Sampler) string { return fmt.Sprintf("up to %d", 1<<x.State.MaxAniso) },
	"DEPTH_CMP_FUNC":  func(x *Sampler) string { return compareNames[x.State.Compare] + ", by _C instructions" },
	"FORCE_UNNORM": func(x *Sampler) string {
		return "coordinates are " + either(x.State.Unnormalized, "texels",
			"0 to 1")
	},
	"MC_COORD_TRUNC": func(x *Sampler) string {
		return either(x.State.CoordTrunc, "coordinates are cut to half texels", "off")
	},
	"FORCE_DEGAMMA": func(x *Sampler) string { return either(x.State.ForceDegamma, "texels are decoded as sRGB", "off") },
	"TRUNC_COORD": func(x *Sampler) string {
		return "point: coordinates are " + either(x.State.TruncCoord, "truncated", "rounded to 1/256, then truncated")
	},
	"DISABLE_CUBE_WRAP": func(x *Sampler) string {
		return "cubes: " + either(x.State.NoCubeWrap, "each face alone", "filtered across edges")
	},
	"FILTER_MODE":   func(x *Sampler) string { return blendNames[x.State.FilterMode] },
	"MIN_LOD":       func(x *Sampler) string { return fmt.Sprintf("%g", x.State.MinLOD) },
	"MAX_LOD":       func(x *Sampler) string { return fmt.Sprintf("%g", x.State.MaxLOD) },
	"LOD_BIAS":      func(x *Sampler) string { return fmt.Sprintf("%+g", x.State.LODBias) },
	"LOD_BIAS_SEC":  func(x *Sampler) string { return fmt.Sprintf("%+g", x.State.LODBiasSec) },
	"XY_MAG_FILTER": func(x *Sampler) string { return filterNames[x.State.MagFilter] + ", for LOD <= 0" },
	"XY_MIN_FILTER": func(x *Sampler) string { return filterNames[x.State.MinFilter] + ", for LOD > 0" },
	"Z_FILTER": func(x *Sampler) string {
		return either(x.State.ZFilter == 0, "none: 3D images follow the XY filter", zFilterNames[x.State.ZFilter])
	},
	"MIP_FILTER": func(x *Sampler) string {
		return either(x.State.MipFilter == 0, "none: BASE_LEVEL only", zFilterNames[x.State.MipFilter])
	},
	"SKIP_DEGAMMA": func(x *Sampler) string { return either(x.State.SkipDegamma, "sRGB is not decoded", "off") },
	"BORDER_COLOR_PTR": func(x *Sampler) string {
		return either(x.State.BorderColorType == 3, "entry of 16 bytes",
			"not used")
	},
	"BORDER_COLOR_TYPE": func(x *Sampler) string { return borderNames[x.State.BorderColorType] },
}

func (x *Sampler) fields() (all []Field) {
	for _, f := range isa.SSharpFields[x.Gen] {
		meaning := ""
		if say := samplerMeanings[f.Name]; say != nil {
			meaning = say(x)
		}
		all = append(all, Field{Name: f.Name, Shift: f.Shift, Width: f.Width, Value: f.Get(x.SSharp[:]), Meaning: meaning})
	}
	return all
}

// samplerNotes look for mistakes and surprising properties of an S#. Each returns a sentence, or "". Its comment has
// the source.
var samplerNotes = []func(x *Sampler) string{
	// Rule SD1.
	func(x *Sampler) string {
		return reservedNote(isa.Reserved(x.SSharp[:], isa.SSharpFields[x.Gen]), &isa.SSharpFields)
	},
	// Rule SD1.
	func(x *Sampler) string {
		return when(x.State.ZFilter == 3 || x.State.MipFilter == 3, "code 3 of Z_FILTER and MIP_FILTER is not defined")
	},
	func(x *Sampler) string { return when(x.State.FilterMode == 3, "FILTER_MODE 3 is not defined") },
	// Rule LO2: MIN_LOD takes precedence.
	func(x *Sampler) string {
		return when(x.State.MinLOD > x.State.MaxLOD, "MIN_LOD is beyond MAX_LOD: the level of detail is always %g",
			x.State.MinLOD)
	},
	// Rule LO2: mipmaps need normalized coordinates.
	func(x *Sampler) string {
		return when(x.State.Unnormalized && x.State.MipFilter != 0,
			"levels need normalized coordinates, and FORCE_UNNORM is set")
	},
	// Rule CO4.
	func(x *Sampler) string {
		wraps := slices.ContainsFunc(x.State.Clamp[:2], func(c gcn.Clamp) bool { return c <= gcn.ClampMirror })
		return when(x.State.Unnormalized && wraps, "WRAP and MIRROR with coordinates in texels: interfaces to graphics "+
			"forbid it")
	},
	func(x *Sampler) string {
		border := slices.Max(x.State.Clamp[:]) >= gcn.ClampHalfBorder
		return when(x.State.BorderColorType != 0 && !border, "BORDER_COLOR_TYPE does not matter: no clamp mode has a border")
	},
	// Rule LO3.
	func(x *Sampler) string {
		aniso := x.State.MagFilter >= 2 || x.State.MinFilter >= 2
		return when(x.State.MaxAniso != 0 && !aniso, "MAX_ANISO_RATIO does not matter: no filter is anisotropic")
	},
	func(x *Sampler) string {
		return when(x.State.MaxAniso > 4, "MAX_ANISO_RATIO %d is more than 16 times, the most there is", x.State.MaxAniso)
	},
	// Rule IM13: no public source defines these.
	func(x *Sampler) string {
		var open []string
		for _, f := range []struct {
			set  bool
			name string
		}{
			{x.State.CoordTrunc, "MC_COORD_TRUNC"}, {x.State.ForceDegamma, "FORCE_DEGAMMA"}, {x.State.PerfMip != 0, "PERF_MIP"},
			{x.State.PerfZ != 0, "PERF_Z"}, {x.State.LODBiasSec != 0, "LOD_BIAS_SEC"},
			{x.State.MipPointPreclamp, "MIP_POINT_PRECLAMP"}, {x.State.BlendZeroPRT, "BLEND_ZERO_PRT"},
		} {
			if f.set {
				open = append(open, f.name)
			}
		}
		return when(open != nil, "no public source gives the exact effect of %s", strings.Join(open, ", "))
	},
}

// notes returns the notes on an S#.
func (x *Sampler) notes() []string {
	var all []string
	for _, note := range samplerNotes {
		if text := note(x); text != "" {
			all = append(all, text)
		}
	}
	return all
}
