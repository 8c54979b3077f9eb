package spec

import (
	"errors"
	"fmt"
	"math/bits"
	"strings"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/tool/literal"
)

// Sampler describes a sampler argument by the fields of its S#. An empty name selects the first one of each list.
type Sampler struct {
	Filter string `json:"filter,omitzero"` // "nearest", "linear"
	Mip    string `json:"mip,omitzero"`    // "none", "nearest", "linear"
	// Address has the modes for x, y and z: "repeat", "mirrored_repeat", "clamp_to_edge", "clamp_to_border",
	// "mirror_clamp_to_edge".
	Address [3]string `json:"address,omitzero"`
	// Border is the colour for "clamp_to_border": "transparent_black", "opaque_black", "opaque_white", or "register".
	Border string `json:"border,omitzero"`
	// Compare is "never", "less", "equal", "less_or_equal", "greater", "not_equal", "greater_or_equal" or "always".
	Compare      string      `json:"compare,omitzero"`
	Unnormalized bool        `json:"unnormalized,omitzero"` // coordinates are in texels
	LOD          *[2]float32 `json:"lod,omitzero"`          // smallest and largest level of detail; nil allows all
	Bias         float32     `json:"bias,omitzero"`         // added to the level of detail
	Anisotropy   uint32      `json:"anisotropy,omitzero"`   // 1, 2, 4, 8 or 16; 0 means 1
}

// Names of the values of S# fields. The first one is the default.
var (
	filterNames  = []named{{"nearest", gcn.FilterPoint}, {"linear", gcn.FilterBilinear}}
	mipNames     = []named{{"none", gcn.MipNone}, {"nearest", gcn.MipPoint}, {"linear", gcn.MipLinear}}
	addressNames = []named{
		{"repeat", uint8(gcn.ClampWrap)}, {"mirrored_repeat", uint8(gcn.ClampMirror)},
		{"clamp_to_edge", uint8(gcn.ClampLastTexel)}, {"clamp_to_border", uint8(gcn.ClampBorder)},
		{"mirror_clamp_to_edge", uint8(gcn.ClampMirrorOnceLastTexel)},
	}
	borderNames = []named{
		{"transparent_black", gcn.BorderTransBlack}, {"opaque_black", gcn.BorderOpaqueBlack},
		{"opaque_white", gcn.BorderOpaqueWhite}, {"register", gcn.BorderRegister},
	}
	compareNames = []named{
		{"never", gcn.CompareNever}, {"less", gcn.CompareLess}, {"equal", gcn.CompareEqual},
		{"less_or_equal", gcn.CompareLessEqual}, {"greater", gcn.CompareGreater}, {"not_equal", gcn.CompareNotEqual},
		{"greater_or_equal", gcn.CompareGreaterEqual}, {"always", gcn.CompareAlways},
	}
)

// named is a field value with its name.
type named struct {
	name string
	code uint8
}

// codeOf returns the value called name of a key, the default if name is "".
func codeOf(key, name string, known []named) (uint8, error) {
	if name == "" {
		return known[0].code, nil
	}
	var names []string
	for _, k := range known {
		if k.name == name {
			return k.code, nil
		}
		names = append(names, k.name)
	}
	return 0, fmt.Errorf("%s: %s is not known; known are %s", key, literal.Quoted(name), strings.Join(names, ", "))
}

// state returns the fields of the S#.
func (s *Sampler) state() (f gcn.SamplerState, err error) {
	f.MaxLOD = maxLevels
	f.Unnormalized = s.Unnormalized
	var filter, clamp uint8
	for _, c := range []struct {
		key, name string
		known     []named
		into      *uint8
	}{
		{"filter", s.Filter, filterNames, &filter}, {"mip", s.Mip, mipNames, &f.MipFilter},
		{"border", s.Border, borderNames, &f.BorderColorType},
		{"compare", s.Compare, compareNames, &f.Compare},
	} {
		if *c.into, err = codeOf(c.key, c.name, c.known); err != nil {
			return f, err
		}
	}
	for i, name := range s.Address {
		if clamp, err = codeOf("address", name, addressNames); err != nil {
			return f, err
		}
		f.Clamp[i] = gcn.Clamp(clamp)
	}
	f.MagFilter, f.MinFilter = filter, filter
	if f.ZFilter = gcn.ZPoint; filter == gcn.FilterBilinear {
		f.ZFilter = gcn.ZLinear
	}
	if s.LOD != nil {
		f.MinLOD, f.MaxLOD = s.LOD[0], s.LOD[1]
		if !(0 <= f.MinLOD && f.MinLOD <= f.MaxLOD && f.MaxLOD <= maxLevels) {
			return f, fmt.Errorf("lod: %v to %v is not within 0 to %d", f.MinLOD, f.MaxLOD, maxLevels)
		}
	}
	const maxBias = 32
	if f.LODBias = s.Bias; !(f.LODBias >= -maxBias && f.LODBias < maxBias) {
		return f, fmt.Errorf("bias: %v is not from -%d to below %d", f.LODBias, maxBias, maxBias)
	}
	if n := s.Anisotropy; n != 0 {
		const most = 16
		if n > most || bits.OnesCount32(n) != 1 {
			return f, errors.New("anisotropy: give 1, 2, 4, 8 or 16")
		}
		f.MaxAniso = uint8(bits.TrailingZeros32(n))
		if n > 1 {
			f.MagFilter |= gcn.FilterAnisoPoint
			f.MinFilter |= gcn.FilterAnisoPoint
		}
	}
	return f, nil
}
