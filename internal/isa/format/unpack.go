package format

import (
	"github.com/gcnsim/gcnsim/internal/base/half"
	"github.com/gcnsim/gcnsim/internal/base/simd"
)

// Unpack converts elements to components: words[j][i] is dword j of element i, and dst[c][i] becomes its component c.
// A nil dst is skipped; the others and the words must all have the same length, 64 for a wave. No dst may be one of
// the words.
func (f *Format) Unpack(dst, words *[MaxComponents][]uint32) {
	for i := range f.Components {
		if c := &f.comps[i]; dst[i] != nil {
			if w := words[c.word]; len(w) != simd.NumLanes || !c.unpackWave((*simd.Lanes)(dst[i]), (*simd.Lanes)(w)) {
				c.unpack(dst[i], w)
			}
		}
	}
}

// unpackWave converts one component of the elements of a wave. It returns false and does nothing if it is not faster
// than [component.unpack].
func (c *component) unpackWave(dst, words *simd.Lanes) bool {
	shift, up, down, l := uint32(c.shift), uint32(32-c.shift-c.width), uint32(32-c.width), &c.linear
	switch c.load {
	case zeroExtend:
		simd.Field(dst, words, shift, 1<<c.width-1, 0)
	case fraction:
		simd.Fraction(dst, words, up, down, float32(c.max))
	case linearly:
		simd.Linear(dst, words, up, down, false, l.add, l.step, l.lo)
	case linearlySigned:
		simd.Linear(dst, words, up, down, true, l.add, l.step, l.lo)
	case smallFloat, halfFloat: // the exponent has the same bits as that of a half
		to := (16 - uint32(c.width)) & 15
		if c.load == smallFloat {
			to--
		}
		simd.SmallFloats(dst, words, shift, to, (1<<c.width-1)<<to)
	default:
		return false
	}
	return true
}

// unpack converts one component.
func (c *component) unpack(dst, words []uint32) {
	dst = dst[:len(words)]
	up, down := (32-c.shift-c.width)&31, (32-c.width)&31
	switch c.load {
	case copied:
		copy(dst, words)
	case zeroExtend:
		for i, w := range words {
			dst[i] = w << up >> down
		}
	case signExtend:
		for i, w := range words {
			dst[i] = uint32(int32(w<<up) >> down)
		}
	case bySRGB:
		for i, w := range words {
			dst[i] = srgbTable[uint8(w>>(c.shift&31))]
		}
	case fraction, linearly:
		l := c.linear
		for i, w := range words {
			dst[i] = l.value(float64(w << up >> down))
		}
	case linearlySigned:
		l := c.linear
		for i, w := range words {
			dst[i] = l.value(float64(int32(w<<up) >> down))
		}
	case smallFloat:
		mantissa := c.width - 5
		for i, w := range words {
			dst[i] = half.FromSmall(w<<up>>down, mantissa)
		}
	case halfFloat:
		unpackHalves(dst, words, up, down)
	case shared:
		for i, w := range words {
			dst[i] = scaled(w<<up>>down, w>>27)
		}
	case fragmentLoad:
		for i, w := range words {
			dst[i] = c.spread(w)
		}
	}
}

// unpackHalves converts the halves that shifting words up, then down, selects.
func unpackHalves(dst, words []uint32, up, down uint8) {
	dst, up, down = dst[:len(words)], up&31, down&31
	for i, w := range words {
		h := w << up >> down
		if h&0x7c00-0x400 < 0x7800 { // neither infinite, NaN, zero nor denormal
			dst[i] = h&0x8000<<16 | (h&0x7fff<<13 + 112<<23)
		} else {
			dst[i] = half.ToSingle(h)
		}
	}
}
