package imgtest

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/gcnsim/gcnsim/gcn"

	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/isa/format"
)

// Number formats. Source: rule TD4.
const (
	unorm = iota
	snorm
	uscaled
	sscaled
	uintNum
	sintNum
	snormOGL
	float
	_
	srgb
	ubnorm
	ubnormOGL
	ubint
	ubscaled
)

// field is the position of a component's bits in a texel.
type field struct{ lo, width int }

// texels is the encoding of texels.
type texels struct {
	name   string // name of the data format
	num    uint8
	bytes  int
	fields []field                                 // by component
	again  func(num uint8) (*format.Format, error) // looks up the format in package internal/isa/format
	alpha  bool                                    // the 2-bit alpha is unsigned
}

// integer reports whether components are integers.
func (f *texels) integer() bool { return f.num == uintNum || f.num == sintNum }

func (f *texels) fmask() bool { return strings.HasPrefix(f.name, "FMASK") }

// singles reports whether components are 32-bit floats in memory.
func (f *texels) singles() bool { return f.num == float && f.fields != nil && f.fields[0].width == 32 }

// newTexels returns the encoding for the format codes of a T#, or nil for reserved codes, whose loads return 0. It
// derives widths from the name, which lists them from the highest bit on. Source: rules IF1 and IF2.
func newTexels(t gcn.Target, data, num uint8) (*texels, error) {
	code := isa.ImageFormatOf(t.Gen(), data, num)
	fmask := strings.HasPrefix(code.Name, "FMASK")
	if code.Name == "" || !fmask && (num == 8 || num > ubscaled) {
		return nil, nil
	}
	f := &texels{name: code.Name, num: num, bytes: int(code.Bytes),
		alpha: isa.TraitsOf(t).UnsignedAlpha && code.Name == "2_10_10_10"}
	switch {
	case code.Bytes == 0:
		return nil, unsupported("data format %s", code.Name)
	case code.Name == "BC1":
		return f, nil
	case code.Width > 1 || fmask:
		f.again = func(num uint8) (*format.Format, error) { return format.LookupImage(t.Gen(), data, num) }
		if _, err := f.again(num); err != nil {
			return nil, unsupported("%v", err)
		}
		if fmask { // for FMASK of GCN 1.4 the number format is part of the data format
			f.num = uintNum
			f.again = func(uint8) (*format.Format, error) { return format.LookupImage(t.Gen(), data, num) }
		}
		return f, nil
	}
	widths, lo := strings.Split(code.Name, "_"), 0
	for _, width := range slices.Backward(widths) {
		if width, err := strconv.Atoi(width); err == nil { // not X24, which has no component
			f.fields = append(f.fields, field{lo, width})
			lo += width
		}
	}
	for _, p := range f.fields {
		switch small := f.name == "10_11_11" || f.name == "11_11_10" || f.name == "5_9_9_9"; {
		case num == float && p.width != 16 && p.width != 32 && !small && f.name != "X24_8_32":
			return nil, unsupported("%s FLOAT", f.name)
		case num != float && f.name == "5_9_9_9":
			return nil, unsupported("5_9_9_9 that is not FLOAT")
		}
	}
	return f, nil
}

// bits returns the bits of a component.
func (p field) bits(b []byte) (v uint32) {
	for i := range p.width {
		v |= uint32(b[(p.lo+i)/8]>>((p.lo+i)%8)&1) << i
	}
	return v
}

// set sets the bits of a component.
func (p field) set(b []byte, v uint32) {
	for i := range p.width {
		at, bit := (p.lo+i)/8, (p.lo+i)%8
		b[at] = b[at]&^(1<<bit) | byte(v>>i&1)<<bit
	}
}

// bytewise reports whether all components have 8 bits, which FORCE_DEGAMMA requires. Source: rule IF3.
func (f *texels) bytewise() bool {
	return f.fields != nil && !slices.ContainsFunc(f.fields, func(p field) bool { return p.width != 8 })
}

// gamma selects how a sampler treats sRGB: 0 according to the format, other values according to the S# field.
type gamma uint8

const (
	skipDegamma gamma = 1 + iota
	forceDegamma
)

// decode returns the components of texel x, y in element b. Missing components are 0.
func (f *texels) decode(b []byte, x, y int, g gamma) (c [4]uint32) {
	num := f.num
	switch {
	case g == skipDegamma && num == srgb:
		num = unorm
	case g == forceDegamma && num == unorm && f.bytewise():
		num = srgb
	}
	switch {
	case f.name == "BC1":
		return decodeBC1(b, x&3, y&3, num)
	case f.again != nil:
		return f.decodeShared(b, x, y, num)
	case f.name == "5_9_9_9": // rule IF6
		e := int(f.fields[3].bits(b))
		for i, p := range f.fields[:3] {
			c[i] = single(math.Ldexp(float64(p.bits(b)), e-24))
		}
		return c
	}
	for i, p := range f.fields {
		c[i] = component(p.bits(b), p.width, num, i == 3)
		if f.alpha && i == 3 {
			c[i] = component(p.bits(b), p.width, unsigned(num), true)
		}
	}
	return c
}

// unsigned returns the unsigned counterpart of num. Source: the golden tables' notes on the alpha of signed
// 2_10_10_10.
func unsigned(num uint8) uint8 {
	if num == snorm || num == sscaled || num == sintNum {
		return num - 1
	}
	return num
}

// component converts one component. Source: rule IF3.
func component(v uint32, width int, num uint8, alpha bool) uint32 {
	u := float64(v)
	s := float64(int32(v<<(32-width)) >> (32 - width))
	t := u - math.Ldexp(1, width-1)
	all, half := math.Ldexp(1, width)-1, math.Ldexp(1, width-1)-1
	switch num {
	case unorm:
		return single(u / all)
	case snorm:
		return signedNorm(s, half)
	case uscaled:
		return single(u)
	case sscaled:
		return single(s)
	case uintNum:
		return v
	case sintNum:
		return uint32(int32(s))
	case snormOGL:
		return single((2*s + 1) / all)
	case float:
		switch width {
		case 32:
			return v
		case 16:
			return widen16(v)
		case 8: // the stencil of X24_8_32 is decoded like UNORM: rule IF10
			return single(u / all)
		}
		return smallFloat(v, width-5)
	case srgb:
		if alpha {
			return single(u / all)
		}
		return single(linear(u / all))
	case ubnorm, ubint:
		return signedNorm(t, half)
	case ubnormOGL:
		return single((2*t + 1) / all)
	default:
		return single(t)
	}
}

// signedNorm returns max(-1, s/most). A component of one bit is 0 or -1.
func signedNorm(s, most float64) uint32 {
	if s == 0 {
		return 0
	}
	return single(max(-1, s/most))
}

// single rounds to float32, to nearest even.
func single(v float64) uint32 { return math.Float32bits(float32(v)) }

func value(v uint32) float64 { return float64(math.Float32frombits(v)) }

// linear converts an sRGB value to a linear one. Source: rule IF3.
func linear(v float64) float64 {
	if v <= 0.04045 {
		return v / 12.92
	}
	return math.Pow((v+0.055)/1.055, 2.4)
}

// smallFloat converts an unsigned float with 5 exponent bits to float32. Source: rule IF3.
func smallFloat(v uint32, mantissa int) uint32 {
	m, e := v&(1<<mantissa-1), int(v>>mantissa)
	switch e {
	case 0:
		return single(math.Ldexp(float64(m), -14-mantissa))
	case 31:
		return 0x7f800000 | m<<(23-mantissa)
	}
	return single(math.Ldexp(float64(m|1<<mantissa), e-15-mantissa))
}

// widen16 converts a 16-bit float to float32.
func widen16(v uint32) uint32 { return smallFloat(v&0x7fff, 10) | v>>15<<31 }

// decodeBC1 decodes a texel of a block: four colours, or three and transparent black, depending on the order of the
// end points. 5 and 6 bits are extended to 8 by repetition. Source: rule IF11, D3D 19.5. Intermediate colours are
// rounded like in package internal/isa/format.
func decodeBC1(b []byte, x, y int, num uint8) (c [4]uint32) {
	ends := [2]uint32{uint32(b[0]) | uint32(b[1])<<8, uint32(b[2]) | uint32(b[3])<<8}
	index := b[4+y] >> (2 * x) & 3
	three := ends[0] <= ends[1]
	if three && index == 3 {
		return c
	}
	for i, p := range []field{{11, 5}, {5, 6}, {0, 5}} {
		var end [2]int
		for k, e := range ends {
			v := int(e >> p.lo & (1<<p.width - 1))
			end[k] = v<<(8-p.width) | v>>(2*p.width-8)
		}
		var v int
		switch {
		case index < 2:
			v = end[index]
		case three:
			v = (end[0] + end[1] + 1) / 2
		default: // weights 85/256 and 170/256
			v = end[0] + (end[1]-end[0])*85*int(index-1)>>8
		}
		c[i] = component(uint32(v), 8, num, false)
	}
	c[3] = component(255, 8, num, true)
	return c
}

// decodeShared decodes with package internal/isa/format.
func (f *texels) decodeShared(b []byte, x, y int, num uint8) (c [4]uint32) {
	s, err := f.again(num)
	if err != nil {
		return c
	}
	var words, dst [format.MaxComponents][]uint32
	for i := range words {
		words[i], dst[i] = make([]uint32, 1), make([]uint32, 1)
	}
	for i, v := range b {
		words[i/4][0] |= uint32(v) << (i % 4 * 8)
	}
	width, height := max(1, int(s.Width)), max(1, int(s.Height))
	s.Extract(&words, []uint32{uint32(y%height*width + x%width)})
	s.Unpack(&dst, &words)
	for i := range s.Components {
		c[i] = dst[i][0]
	}
	return c
}

// sel applies DST_SEL. Source: rule IF5.
func (f *texels) sel(c [4]uint32, sel [4]gcn.Sel) (out [4]uint32) {
	for i, s := range sel {
		switch {
		case s == 1:
			out[i] = f.one()
		case s >= 4:
			out[i] = c[s-4]
		}
	}
	return out
}

// one returns the value of DST_SEL_1, which is also that of an opaque border.
func (f *texels) one() uint32 {
	if f.integer() {
		return 1
	}
	return 0x3f800000
}
