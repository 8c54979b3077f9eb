package job

import (
	"errors"
	"fmt"
	"math/bits"
	"strings"

	"github.com/gcnsim/gcnsim/gcn"
)

// samplerArg is a sampler that a kernel gets: what its S# says.
type samplerArg struct {
	Filter       string     `json:"filter"`
	Mip          string     `json:"mip"`
	Address      oneOrThree `json:"address"`
	Border       string     `json:"border"`
	Compare      string     `json:"compare"`
	Unnormalized bool       `json:"unnormalized"`
	LOD          *[2]float  `json:"lod"`
	Bias         float      `json:"bias"`
	Anisotropy   count32    `json:"anisotropy"`
}

// oneOrThree is a name for all axes, or one for each of x, y and z.
type oneOrThree [3]string

func (n *oneOrThree) decodeFrom(d *decoder, path string) error {
	if d.next() != '[' {
		var one string
		at := d.at
		if c := d.text[at]; c != '"' {
			return d.fail(at, path, "this is %s; give a name, or one for each axis", kindOf(c))
		}
		one = d.string()
		*n = oneOrThree{one, one, one}
		return nil
	}
	return d.array(path, func(i int) error {
		c := d.next()
		switch {
		case i >= len(n):
			return d.fail(d.at, path, "there are more than %d names", len(n))
		case c != '"':
			return d.fail(d.at, fmt.Sprintf("%s[%d]", path, i), "this is %s; give text", kindOf(c))
		}
		n[i] = d.string()
		return nil
	})
}

// Names of what fields of an S# can be; the code is the index, or that of the first one if
// nothing is given.
var (
	filterNames  = []named{{"nearest", gcn.FilterPoint}, {"linear", gcn.FilterBilinear}}
	mipNames     = []named{{"none", gcn.MipNone}, {"nearest", gcn.MipPoint}, {"linear", gcn.MipLinear}}
	addressNames = []named{
		{"repeat", uint8(gcn.ClampWrap)}, {"mirrored_repeat", uint8(gcn.ClampMirror)}, {"clamp_to_edge", uint8(gcn.ClampLastTexel)},
		{"clamp_to_border", uint8(gcn.ClampBorder)}, {"mirror_clamp_to_edge", uint8(gcn.ClampMirrorOnceLastTexel)},
	}
	borderNames = []named{
		{"transparent_black", gcn.BorderTransBlack}, {"opaque_black", gcn.BorderOpaqueBlack}, {"opaque_white", gcn.BorderOpaqueWhite}, {"register", gcn.BorderRegister},
	}
	compareNames = []named{
		{"never", gcn.CompareNever}, {"less", gcn.CompareLess}, {"equal", gcn.CompareEqual}, {"less_or_equal", gcn.CompareLessEqual},
		{"greater", gcn.CompareGreater}, {"not_equal", gcn.CompareNotEqual}, {"greater_or_equal", gcn.CompareGreaterEqual}, {"always", gcn.CompareAlways},
	}
)

// named is a code of a field with its name.
type named struct {
	name string
	code uint8
}

// codeOf returns the code that a key names, of the first one if it is "".
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
	return 0, fmt.Errorf("%s: %s is not known; known are %s", key, quoted(name), strings.Join(names, ", "))
}

// state returns the fields of the S#.
func (s *samplerArg) state() (f gcn.SamplerState, err error) {
	f.MaxLOD = maxLevels
	f.Unnormalized = s.Unnormalized
	var filter, clamp uint8
	for _, c := range []struct {
		key, name string
		known     []named
		into      *uint8
	}{
		{"filter", s.Filter, filterNames, &filter}, {"mip", s.Mip, mipNames, &f.MipFilter}, {"border", s.Border, borderNames, &f.BorderColorType},
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
		f.MinLOD, f.MaxLOD = float32(s.LOD[0]), float32(s.LOD[1])
		if !(0 <= f.MinLOD && f.MinLOD <= f.MaxLOD && f.MaxLOD <= maxLevels) {
			return f, fmt.Errorf("lod: %v to %v is not within 0 to %d", f.MinLOD, f.MaxLOD, maxLevels)
		}
	}
	const maxBias = 32
	if f.LODBias = float32(s.Bias); !(f.LODBias >= -maxBias && f.LODBias < maxBias) {
		return f, fmt.Errorf("bias: %v is not from -%d to below %d", f.LODBias, maxBias, maxBias)
	}
	if n := s.Anisotropy; n != 0 {
		const most = 16
		if n > most || bits.OnesCount32(uint32(n)) != 1 {
			return f, errors.New("anisotropy: give 1, 2, 4, 8 or 16")
		}
		f.MaxAniso = uint8(bits.TrailingZeros32(uint32(n)))
		if n > 1 {
			f.MagFilter |= gcn.FilterAnisoPoint
			f.MinFilter |= gcn.FilterAnisoPoint
		}
	}
	return f, nil
}
