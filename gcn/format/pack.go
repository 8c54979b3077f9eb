package format

import "math"

// Pack converts components to elements, the inverse of [Format.Unpack]: src[c][i] is
// component c of element i, and words[j][i] becomes dword j of the element. A nil src is
// a component of zero bits. Values that a component cannot hold become the nearest one
// that it can, NaN becomes 0 or a NaN; rounding is to nearest even (seed:
// GcnMemHandling; spec/images.md 2.4). No src may be one of the words. If f.NoStore the
// words become 0; only SRGB, which helpers that fill images use, is encoded nevertheless.
func (f *Format) Pack(words, src *[MaxComponents][]uint32) {
	for j := range f.Words() {
		clear(words[j])
	}
	for i := range f.Components {
		if c := &f.comps[i]; src[i] != nil {
			c.pack(words[c.word], src[i])
		}
	}
}

// pack adds the component to words, whose bits are 0 there.
func (c *component) pack(words, src []uint32) {
	words = words[:len(src)]
	shift, mask := c.shift&31, uint32(1)<<(c.width&31)-1
	switch c.store {
	case copyStore:
		copy(words, src)
	case clampUint:
		for i, v := range src {
			words[i] |= min(v, mask) << shift
		}
	case clampSint:
		hi := int32(mask >> 1)
		for i, v := range src {
			words[i] |= uint32(max(min(int32(v), hi), ^hi)) & mask << shift
		}
	case normalize:
		low, scale := c.low, c.max
		for i, v := range src {
			words[i] |= normalized(v, low, scale) & mask << shift
		}
	case toSmallFloat:
		mantissa := c.width - 5
		for i, v := range src {
			words[i] |= toSmall(v, mantissa) << shift
		}
	case toHalfFloat:
		for i, v := range src {
			if ordinary(v) {
				words[i] |= ordinaryHalf(v) << shift
			} else {
				words[i] |= ToHalf(v) << shift
			}
		}
	case encodeSRGB:
		for i, v := range src {
			words[i] |= toSRGB(v) << shift
		}
	case fragmentStore:
		for i, v := range src {
			words[i] |= c.gather(v)
		}
	}
}

// normalized returns the code nearest to v*scale, where v is the bits of a float: NaN is
// 0, other values are clamped to low and 1. The product is exact, and adding 1.5*2^52
// rounds it to an integer, nearest even, in the low bits.
func normalized(v uint32, low, scale float64) uint32 {
	const round = 3 << 51
	x := float64(math.Float32frombits(v))
	switch {
	case x > 1:
		x = 1
	case x < low:
		x = low
	case x != x:
		x = 0
	}
	return uint32(math.Float64bits(x*scale + round))
}
