package format

import (
	"math"

	"github.com/gcnsim/gcnsim/gcn"
)

// loader converts the bits of a component to a register value.
type loader uint8

const (
	copied     loader = iota // 32 bits, unchanged
	zeroExtend               // UINT
	signExtend               // SINT
	bySRGB                   // the sRGB curve, from 8 bits
	fraction                 // c/max, from up to 16 bits
	linearly                 // (c+add)*step, unsigned
	linearlySigned
	smallFloat // no sign, 5 bits of exponent, 5 or 6 bits of mantissa
	halfFloat
	shared // a 9-bit mantissa of 5_9_9_9
	fragmentLoad
)

// storer converts a register value to the bits of a component.
type storer uint8

const (
	unstored storer = iota // the format does not support stores
	copyStore
	clampUint
	clampSint
	normalize
	toSmallFloat
	toHalfFloat
	encodeSRGB
	fragmentStore
)

// component is one component of an element.
type component struct {
	word  uint8 // index of the element's dword that contains it
	shift uint8 // lowest bit in that dword
	width uint8
	load  loader
	store storer

	linear linear  // for linearly and linearlySigned
	max    float64 // for normalize: the largest code
	sign   uint32  // for normalize: the sign bit if values may be negative

	fragments, samples uint8 // numbers of fragments and samples of an FMASK format
}

// linear maps the code c to max(lo, (c+add)*step). For codes of up to 24 bits, the product with the double nearest to
// 1/(2^n-1) rounds to the same single as the exact quotient, because the quotient repeats its n bits and is therefore
// never near the middle between two singles.
type linear struct{ add, step, lo float64 }

// value returns the bits of the single for code c.
func (l linear) value(c float64) uint32 {
	c = (c + l.add) * l.step
	if c < l.lo {
		c = l.lo
	}
	return math.Float32bits(float32(c))
}

// sharedExponent stands for the number format of 5_9_9_9, which has no code.
const sharedExponent = numNum

// newComponent returns the component of number format num with its lowest bit at bit. Formulas: rules IF3 and IF4.
func newComponent(bit int, width, num uint8) component {
	c := component{word: uint8(bit / 32), shift: uint8(bit % 32), width: width, linear: linear{step: 1, lo: math.Inf(-1)}}
	l := &c.linear
	top, half := math.Ldexp(1, int(width))-1, math.Ldexp(1, int(width)-1)
	switch num {
	case sharedExponent:
		c.load = shared
		return c
	case gcn.NumUNORM:
		c.load, l.step = linearly, 1/top
		if width <= 16 {
			c.load = fraction
		}
		c.store, c.max = normalize, top
	case gcn.NumSNORM:
		c.load, l.step, l.lo = linearlySigned, 1/(half-1), -1
		c.store, c.max, c.sign = normalize, half-1, signBit
	case gcn.NumUSCALED:
		c.load = linearly
	case gcn.NumSSCALED:
		c.load = linearlySigned
	case gcn.NumUINT:
		c.load, c.store = zeroExtend, clampUint
	case gcn.NumSINT:
		c.load, c.store = signExtend, clampSint
	case gcn.NumSNORM_OGL: // (2c+1)/(2^n-1): codes MIN to MAX become -1 to 1
		c.load, l.add, l.step = linearlySigned, 0.5, 2/top
	case gcn.NumUBNORM, gcn.NumUBINT: // codes 1 to MAX become -1 to 1; UBINT is "like UBNORM"
		c.load, l.add, l.step, l.lo = linearly, -half, 1/(half-1), -1
	case gcn.NumUBNORM_OGL:
		c.load, l.add, l.step = linearly, 0.5-half, 2/top
	case gcn.NumUBSCALED:
		c.load, l.add = linearly, -half
	case gcn.NumSRGB:
		c.load, c.store = bySRGB, encodeSRGB
		return c
	case gcn.NumFLOAT:
		switch width {
		case 16:
			c.load, c.store = halfFloat, toHalfFloat
		case 32:
		default:
			c.load, c.store = smallFloat, toSmallFloat
		}
	}
	if width == 32 {
		c.load, c.store = copied, copyStore
	}
	return c
}
