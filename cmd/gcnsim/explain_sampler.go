package main

import (
	"bufio"
	"fmt"
	"slices"
	"strings"

	"github.com/gcnsim/gcnsim/gcn"
)

func explainSSharp(out *bufio.Writer, g gcn.Gen, words []uint32) error {
	x := ssharp{gen: g}
	if len(words) != len(x.s) {
		return &wordCountError{len(words), len(x.s), "an S#"}
	}
	x.s = gcn.SSharp(words)
	x.SamplerState = x.s.Fields(g)
	fmt.Fprintf(out, "%s on %s\n\n", x.s, generations[g])
	x.fields().write(out)
	writeNotes(out, x.notes())
	return nil
}

// ssharp is an S# with its fields.
type ssharp struct {
	s   gcn.SSharp
	gen gcn.Gen
	gcn.SamplerState
}

// Names of codes. Source: rules SD1, CO4, CO5 and FI5.
var (
	filterNames  = []string{"point", "bilinear", "anisotropic point", "anisotropic bilinear"}
	zFilterNames = []string{"none", "point", "linear", "reserved"}
	borderNames  = []string{"transparent black (0,0,0,0)", "opaque black (0,0,0,1)", "opaque white (1,1,1,1)", "entry BORDER_COLOR_PTR of the table"}
	blendNames   = []string{"weighted sum", "minimum", "maximum", "reserved"}
	compareNames = []string{"never", "reference < texel", "reference = texel", "reference <= texel", "reference > texel", "reference != texel", "reference >= texel", "always"}
)

// samplerMeanings says what the fields of an S# mean, by name; a field that is not here is
// a number or bits whose effect no source tells.
var samplerMeanings = map[string]func(x *ssharp) string{
	"CLAMP_X":         func(x *ssharp) string { return x.Clamp[0].String() },
	"CLAMP_Y":         func(x *ssharp) string { return x.Clamp[1].String() },
	"CLAMP_Z":         func(x *ssharp) string { return x.Clamp[2].String() },
	"MAX_ANISO_RATIO": func(x *ssharp) string { return fmt.Sprintf("up to %d", 1<<x.MaxAniso) },
	"DEPTH_CMP_FUNC":  func(x *ssharp) string { return compareNames[x.Compare] + ", by _C instructions" },
	"FORCE_UNNORM":    func(x *ssharp) string { return "coordinates are " + either(x.Unnormalized, "texels", "0 to 1") },
	"MC_COORD_TRUNC":  func(x *ssharp) string { return either(x.CoordTrunc, "coordinates are cut to half texels", "off") },
	"FORCE_DEGAMMA":   func(x *ssharp) string { return either(x.ForceDegamma, "texels are decoded as sRGB", "off") },
	"TRUNC_COORD": func(x *ssharp) string {
		return "point: coordinates are " + either(x.TruncCoord, "truncated", "rounded to 1/256, then truncated")
	},
	"DISABLE_CUBE_WRAP": func(x *ssharp) string {
		return "cubes: " + either(x.NoCubeWrap, "each face alone", "filtered across edges")
	},
	"FILTER_MODE":   func(x *ssharp) string { return blendNames[x.FilterMode] },
	"MIN_LOD":       func(x *ssharp) string { return fmt.Sprintf("%g", x.MinLOD) },
	"MAX_LOD":       func(x *ssharp) string { return fmt.Sprintf("%g", x.MaxLOD) },
	"LOD_BIAS":      func(x *ssharp) string { return fmt.Sprintf("%+g", x.LODBias) },
	"LOD_BIAS_SEC":  func(x *ssharp) string { return fmt.Sprintf("%+g", x.LODBiasSec) },
	"XY_MAG_FILTER": func(x *ssharp) string { return filterNames[x.MagFilter] + ", for LOD <= 0" },
	"XY_MIN_FILTER": func(x *ssharp) string { return filterNames[x.MinFilter] + ", for LOD > 0" },
	"Z_FILTER": func(x *ssharp) string {
		return either(x.ZFilter == 0, "none: 3D images follow the XY filter", zFilterNames[x.ZFilter])
	},
	"MIP_FILTER": func(x *ssharp) string {
		return either(x.MipFilter == 0, "none: BASE_LEVEL only", zFilterNames[x.MipFilter])
	},
	"SKIP_DEGAMMA":      func(x *ssharp) string { return either(x.SkipDegamma, "sRGB is not decoded", "off") },
	"BORDER_COLOR_PTR":  func(x *ssharp) string { return either(x.BorderColorType == 3, "entry of 16 bytes", "not used") },
	"BORDER_COLOR_TYPE": func(x *ssharp) string { return borderNames[x.BorderColorType] },
}

func (x *ssharp) fields() table {
	t := table{{"bits", "field", "value", "meaning"}}
	for _, f := range x.gen.SSharpFields() {
		meaning := ""
		if say := samplerMeanings[f.Name]; say != nil {
			meaning = say(x)
		}
		t.add(bitRange(f.Shift, f.Width), f.Name, fmt.Sprint(f.Get(x.s[:])), meaning)
	}
	return t
}

// samplerNotes are what can be wrong or surprising with an S#. The source of each is in
// its comment.
var samplerNotes = []func(x *ssharp) string{
	// Rule SD1.
	func(x *ssharp) string {
		r := x.s.Reserved(x.gen)
		return reservedNote(r[:])
	},
	// Rule SD1.
	func(x *ssharp) string {
		return when(x.ZFilter == 3 || x.MipFilter == 3, "code 3 of Z_FILTER and MIP_FILTER is not defined")
	},
	func(x *ssharp) string { return when(x.FilterMode == 3, "FILTER_MODE 3 is not defined") },
	// Rule LO2: MIN_LOD wins.
	func(x *ssharp) string {
		return when(x.MinLOD > x.MaxLOD, "MIN_LOD is beyond MAX_LOD: the level of detail is always %g", x.MinLOD)
	},
	// Rule LO2: mipmaps need normalized coordinates.
	func(x *ssharp) string {
		return when(x.Unnormalized && x.MipFilter != 0, "levels need normalized coordinates, and FORCE_UNNORM is set")
	},
	// Rule CO4.
	func(x *ssharp) string {
		wraps := slices.ContainsFunc(x.Clamp[:2], func(c gcn.Clamp) bool { return c <= gcn.ClampMirror })
		return when(x.Unnormalized && wraps, "WRAP and MIRROR with coordinates in texels: interfaces to graphics forbid it")
	},
	func(x *ssharp) string {
		border := slices.ContainsFunc(x.Clamp[:], gcn.Clamp.Border)
		return when(x.BorderColorType != 0 && !border, "BORDER_COLOR_TYPE does not matter: no clamp mode has a border")
	},
	// Rule LO3.
	func(x *ssharp) string {
		aniso := x.MagFilter >= 2 || x.MinFilter >= 2
		return when(x.MaxAniso != 0 && !aniso, "MAX_ANISO_RATIO does not matter: no filter is anisotropic")
	},
	func(x *ssharp) string {
		return when(x.MaxAniso > 4, "MAX_ANISO_RATIO %d is more than 16 times, the most there is", x.MaxAniso)
	},
	// Rule IM13: no public source pins these.
	func(x *ssharp) string {
		var open []string
		for _, f := range []struct {
			set  bool
			name string
		}{
			{x.CoordTrunc, "MC_COORD_TRUNC"}, {x.ForceDegamma, "FORCE_DEGAMMA"}, {x.PerfMip != 0, "PERF_MIP"}, {x.PerfZ != 0, "PERF_Z"},
			{x.LODBiasSec != 0, "LOD_BIAS_SEC"}, {x.MipPointPreclamp, "MIP_POINT_PRECLAMP"}, {x.BlendZeroPRT, "BLEND_ZERO_PRT"},
		} {
			if f.set {
				open = append(open, f.name)
			}
		}
		return when(open != nil, "no public source gives the exact effect of %s", strings.Join(open, ", "))
	},
}

// notes returns what deserves attention.
func (x *ssharp) notes() []string {
	var all []string
	for _, note := range samplerNotes {
		if text := note(x); text != "" {
			all = append(all, text)
		}
	}
	return all
}
