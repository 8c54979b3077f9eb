package format

import (
	"math"

	"github.com/gcnsim/gcnsim/internal/base/half"
)

// Pack converts components to elements, the inverse of [Format.Unpack]: src[c][i] is component c of element i, and
// words[j][i] becomes dword j of the element. A nil src stands for zero bits. Values out of range become the nearest
// value in range, NaN becomes 0 or a NaN; rounding is to nearest even (rules DP13 and IF4). No src may be one of the
// words. If f.NoStore is set the words become 0, except for SRGB, which is encoded for helpers that fill images.
func (f *Format) Pack(words, src *[MaxComponents][]uint32) {
	if f.bytes && f.ExactStore && src[0] != nil && src[1] != nil && src[2] != nil && src[3] != nil {
		f.packBytes(words[0], src)
		return
	}
	for j := range f.Words {
		clear(words[j])
	}
	for i := range f.Components {
		if c := &f.comps[i]; src[i] != nil {
			c.pack(words[c.word], src[i])
		}
	}
}

// packBytes does what Pack does, for four normalised bytes.
func (f *Format) packBytes(words []uint32, src *[MaxComponents][]uint32) {
	r, g, b, a := src[0][:len(words)], src[1][:len(words)], src[2][:len(words)], src[3][:len(words)]
	sign, scale := f.comps[0].sign, f.comps[0].max
	for i := range words {
		words[i] = normalized(r[i], sign, scale)&0xff | normalized(g[i], sign, scale)&0xff<<8 |
			normalized(b[i], sign, scale)&0xff<<16 | normalized(a[i], sign, scale)<<24
	}
}

// pack ORs the component into words, whose bits are 0 there.
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
		sign, scale := c.sign, c.max
		for i, v := range src {
			words[i] |= normalized(v, sign, scale) & mask << shift
		}
	case toSmallFloat:
		mantissa := c.width - 5
		for i, v := range src {
			words[i] |= half.ToSmall(v, mantissa) << shift
		}
	case toHalfFloat:
		for i, v := range src {
			if half.Ordinary(v) {
				words[i] |= half.RoundOrdinary(v) << shift
			} else {
				words[i] |= half.Round(v) << shift
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

// normalized returns in its low bits the code nearest to v*scale, where v is the bits of a float. sign is the sign
// bit if values may be negative. The product is exact, and adding 1.5*2^52 rounds it to the nearest integer, ties to
// even.
func normalized(v, sign uint32, scale float64) uint32 {
	const round = 3 << 51
	if v&^sign > one {
		v = clamped(v, sign)
	}
	return uint32(math.Float64bits(float64(math.Float32frombits(v))*scale + round))
}

// clamped returns 0 for NaN, and other values clamped to the range of a normalised component.
func clamped(v, sign uint32) uint32 {
	if v&^signBit > infinity || v&^sign&signBit != 0 {
		return 0
	}
	return one | v&sign
}
