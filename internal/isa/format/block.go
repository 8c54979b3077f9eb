package format

import "github.com/gcnsim/gcnsim/internal/tool/enum"

// block is the way in which an element contains several texels.
type block uint8

const (
	single  block = iota // one texel
	bitUp                // one bit per texel, the first texel in the lowest bit
	bitDown              // one bit per texel, the first texel in the highest bit
	gbgr                 // two texels that share R and B: bytes R, G, B, G
	bgrg                 // two texels that share R and B: bytes G, R, G, B
	bc1
	bc2
	bc3
	bc4
	bc5
	bc6
	bc7
	numBlocks = iota
)

// extents has the size of an element in texels and in bytes, by block.
var extents = [numBlocks]struct {
	width, height uint8
	size          int
}{
	bitUp: {8, 1, 1}, bitDown: {8, 1, 1}, gbgr: {2, 1, 4}, bgrg: {2, 1, 4},
	bc1: {4, 4, 8}, bc2: {4, 4, 16}, bc3: {4, 4, 16}, bc4: {4, 4, 8}, bc5: {4, 4, 16}, bc6: {4, 4, 16}, bc7: {4, 4, 16},
}

var _ = enum.Full(extents[:], single)

// Extract prepares elements of more than one texel for [Format.Unpack]. texel[i] selects a texel of element i,
// counted in rows of f.Width texels; the dwords of the element are replaced by those of that texel. words must have
// f.Words dwords. Formats with one texel per element ignore texel and do nothing. Sources: rules K12, IF7, IF8 and
// IF11.
func (f *Format) Extract(words *[MaxComponents][]uint32, texel []uint32) {
	if f.block == single {
		return
	}
	w0 := words[0]
	texel = texel[:len(w0)]
	w1, w2, w3 := w0, w0, w0
	if f.Size >= 8 {
		w1 = words[1][:len(w0)]
	}
	if f.Size == 16 {
		w2, w3 = words[2][:len(w0)], words[3][:len(w0)]
	}
	if f.block < bc1 {
		f.block.extract(w0, texel)
		return
	}
	signed := f.Num == 1
	switch f.block {
	case bc1:
		for i, w := range w0 {
			w0[i] = color(w, w1[i], texel[i]&15, true)
		}
	case bc2:
		for i, w := range w0 {
			t := texel[i] & 15
			a := uint32((uint64(w1[i])<<32 | uint64(w)) >> (4 * t) & 15)
			w0[i] = color(w2[i], w3[i], t, false)&0xffffff | a*0x11<<24
		}
	case bc3:
		for i, w := range w0 {
			t := texel[i] & 15
			w0[i] = color(w2[i], w3[i], t, false)&0xffffff | ramp(w, w1[i], t, false)<<24
		}
	case bc4:
		for i, w := range w0 {
			w0[i] = ramp(w, w1[i], texel[i]&15, signed)
		}
	case bc5:
		for i, w := range w0 {
			t := texel[i] & 15
			w0[i] = ramp(w, w1[i], t, signed) | ramp(w2[i], w3[i], t, signed)<<8
		}
	case bc6:
		for i, w := range w0 {
			w0[i], w1[i] = decodeBC6(bits128{uint64(w1[i])<<32 | uint64(w), uint64(w3[i])<<32 | uint64(w2[i])}, texel[i]&15,
				signed)
		}
	case bc7:
		for i, w := range w0 {
			w0[i] = decodeBC7(bits128{uint64(w1[i])<<32 | uint64(w), uint64(w3[i])<<32 | uint64(w2[i])}, texel[i]&15)
		}
	}
}

// extract does what [Format.Extract] does, for elements of one dword that are not compressed.
func (b block) extract(w0, texel []uint32) {
	texel = texel[:len(w0)]
	switch b {
	case bitUp:
		for i, w := range w0 {
			w0[i] = w >> (texel[i] & 7)
		}
	case bitDown:
		for i, w := range w0 {
			w0[i] = w >> (^texel[i] & 7)
		}
	case gbgr: // the components are bytes 0, 1, 2, 0; in odd texels G is byte 3
		for i, w := range w0 {
			g := w >> (8 + texel[i]&1*16)
			w0[i] = w&0x00ff00ff | g&0xff<<8 | w<<24
		}
	case bgrg: // the components are bytes 1, 0, 3, 1; in odd texels G is byte 2
		for i, w := range w0 {
			g := w >> (texel[i] & 1 * 16)
			w0[i] = w>>8&0x00ff00ff | g&0xff<<8 | w>>8<<24
		}
	}
}

// color returns R, G, B and A, 8 bits each, of a texel of a BC1 block. If threes is set, the order of the end points
// can select 3 colours and a transparent one.
func color(ends, indices, texel uint32, threes bool) uint32 {
	index := int32(indices >> (2 * texel) & 3)
	c0, c1 := ends&0xffff, ends>>16
	half := threes && c0 <= c1 && index >= 2
	if half && index == 3 {
		return 0
	}
	v := uint32(0xff << 24)
	for i, c := range [3][2]uint32{
		{widen5(c0 >> 11), widen5(c1 >> 11)}, {widen6(c0 >> 5 & 63), widen6(c1 >> 5 & 63)},
		{widen5(c0 & 31), widen5(c1 & 31)},
	} {
		if half {
			v |= (c[0] + c[1] + 1) / 2 << (8 * i)
		} else {
			v |= between(int32(c[0]), int32(c[1]), index, 3) << (8 * i)
		}
	}
	return v
}

// widen5 and widen6 extend 5 and 6 bits to 8 by repetition.
func widen5(v uint32) uint32 { return v<<3 | v>>2 }
func widen6(v uint32) uint32 { return v<<2 | v>>4 }

// between interpolates between the end points a and b, which are n steps apart: index 0 is a, 1 is b, 2 to n lie
// between. No source states how the hardware rounds (rule IF11). This follows Mesa lavapipe: weights of 8 bits and
// truncated products, up to 2 below the exact value.
func between(a, b, index, n int32) uint32 {
	switch index {
	case 0:
		return uint32(a)
	case 1:
		return uint32(b)
	}
	return uint32(a + (b-a)*(255*(index-1)/n)>>8)
}

// ramp returns the 8 bits of a texel of a BC4 block. The order of the end points selects 6 or 4 values between them;
// with 4 there are also the smallest and the largest value.
func ramp(lo, hi, texel uint32, signed bool) uint32 {
	index := int32((uint64(hi)<<32|uint64(lo))>>(16+3*texel)) & 7
	a, b, least, greatest := int32(lo&0xff), int32(lo>>8&0xff), uint32(0), uint32(255)
	if signed {
		a, b, least, greatest = int32(int8(lo)), int32(int8(lo>>8)), 0x80, 0x7f
	}
	switch {
	case a > b:
		return between(a, b, index, 7) & 0xff
	case index == 6:
		return least
	case index == 7:
		return greatest
	}
	return between(a, b, index, 5) & 0xff
}
