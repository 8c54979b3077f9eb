package format

import (
	"math/bits"
	"strings"
)

// bits128 is a BC6 or BC7 block. Formats: D3D11.3 functional specification 19.5.
type bits128 struct{ lo, hi uint64 }

// at returns count bits, at most 16, starting at bit first.
func (b bits128) at(first, count uint) uint32 {
	v := b.lo>>first | b.hi<<(64-first) // a shift by 64 or more yields 0
	if first >= 64 {
		v = b.hi >> (first - 64)
	}
	return uint32(v) & (1<<count - 1)
}

// index returns the index of a texel. It has count bits, or one less for anchors; indices start at bit first. The
// first texel is the anchor of the first subset.
func (b bits128) index(first, count, texel uint, anchors [2]uint) uint32 {
	first += count * texel
	for _, a := range [3]uint{0, anchors[0], anchors[1]} {
		if texel > a {
			first--
		} else if texel == a {
			count--
		}
	}
	return b.at(first, count)
}

const noAnchor = 16

// weights are the weights of the second end point in 1/64, by the number of index bits and the index.
var weights = [5][16]int32{
	2: {0, 21, 43, 64},
	3: {0, 9, 18, 27, 37, 46, 55, 64},
	4: {0, 4, 9, 13, 17, 21, 26, 30, 34, 38, 43, 47, 51, 55, 60, 64},
}

func lerp(a, b, weight int32) int32 { return (a*(64-weight) + b*weight + 32) >> 6 }

// two has the partitions into two subsets, one bit per texel.
var two = [64]uint16{
	0xcccc, 0x8888, 0xeeee, 0xecc8, 0xc880, 0xfeec, 0xfec8, 0xec80, 0xc800, 0xffec, 0xfe80, 0xe800, 0xffe8, 0xff00,
	0xfff0, 0xf000,
	0xf710, 0x008e, 0x7100, 0x08ce, 0x008c, 0x7310, 0x3100, 0x8cce, 0x088c, 0x3110, 0x6666, 0x366c, 0x17e8, 0x0ff0,
	0x718e, 0x399c,
	0xaaaa, 0xf0f0, 0x5a5a, 0x33cc, 0x3c3c, 0x55aa, 0x9696, 0xa55a, 0x73ce, 0x13c8, 0x324c, 0x3bdc, 0x6996, 0xc33c,
	0x9966, 0x0660,
	0x0272, 0x04e4, 0x4e40, 0x2720, 0xc936, 0x936c, 0x39c6, 0x639c, 0x9336, 0x9cc6, 0x817e, 0xe718, 0xccf0, 0x0fcc,
	0x7744, 0xee22,
}

// three has the partitions into three subsets, two bits per texel.
var three = [64]uint32{
	0xaa685050, 0x6a5a5040, 0x5a5a4200, 0x5450a0a8, 0xa5a50000, 0xa0a05050, 0x5555a0a0, 0x5a5a5050,
	0xaa550000, 0xaa555500, 0xaaaa5500, 0x90909090, 0x94949494, 0xa4a4a4a4, 0xa9a59450, 0x2a0a4250,
	0xa5945040, 0x0a425054, 0xa5a5a500, 0x55a0a0a0, 0xa8a85454, 0x6a6a4040, 0xa4a45000, 0x1a1a0500,
	0x0050a4a4, 0xaaa59090, 0x14696914, 0x69691400, 0xa08585a0, 0xaa821414, 0x50a4a450, 0x6a5a0200,
	0xa9a58000, 0x5090a0a8, 0xa8a09050, 0x24242424, 0x00aa5500, 0x24924924, 0x24499224, 0x50a50a50,
	0x500aa550, 0xaaaa4444, 0x66660000, 0xa5a0a5a0, 0x50a050a0, 0x69286928, 0x44aaaa44, 0x66666600,
	0xaa444444, 0x54a854a8, 0x95809580, 0x96969600, 0xa85454a8, 0x80959580, 0xaa141414, 0x96960000,
	0xaaaa1414, 0xa05050a0, 0xa0a5a5a0, 0x96000000, 0x40804080, 0xa9a8a9a8, 0xaaaaaa44, 0x2a4a5254,
}

// Anchors by partition, one hexadecimal digit each: of the second of two subsets, of the second of three, and of the
// third of three.
const (
	secondOfTwo   = "fffffffffffffffff282288f28228822ff6828ff28222ff66268ff22fffff22f"
	secondOfThree = "33ff83ff88666533338f336a588685ff8f356a8ff3f5ffff3f55585a5a8dfc33"
	thirdOfThree  = "f883ff38fffffff8f8f3f8f83f6affa8f3faa89a6f8f3668f3ffffffffff3ff8"
)

func hexDigit(s string, i uint32) uint { return uint(strings.IndexByte("0123456789abcdef", s[i&63])) }

// shape is a partition of a block into subsets.
type shape struct {
	subsets uint32 // the subset of each texel, two bits each
	anchors [2]uint
}

// shapes has the partitions, by number of subsets.
var shapes = func() (t [4][64]shape) {
	for p := range uint32(64) {
		t[1][p] = shape{anchors: [2]uint{noAnchor, noAnchor}}
		t[2][p] = shape{anchors: [2]uint{hexDigit(secondOfTwo, p), noAnchor}}
		for texel := range 16 {
			t[2][p].subsets |= uint32(two[p]) >> texel & 1 << (2 * texel)
		}
		t[3][p] = shape{three[p], [2]uint{hexDigit(secondOfThree, p), hexDigit(thirdOfThree, p)}}
	}
	return t
}()

// bc7Mode has the numbers of bits in a mode, in the order of the block.
type bc7Mode struct {
	subsets, partition, rotation, selection uint
	color, alpha                            uint // bits of an end point's component
	lowEach, lowShared                      uint // 1 if each end point, or each pair of end points, has its own lowest bit
	index, second                           uint // bits of an index, and of a second index
}

var bc7Modes = [8]bc7Mode{
	{subsets: 3, partition: 4, color: 4, lowEach: 1, index: 3},
	{subsets: 2, partition: 6, color: 6, lowShared: 1, index: 3},
	{subsets: 3, partition: 6, color: 5, index: 2},
	{subsets: 2, partition: 6, color: 7, lowEach: 1, index: 2},
	{subsets: 1, rotation: 2, selection: 1, color: 5, alpha: 6, index: 2, second: 3},
	{subsets: 1, rotation: 2, color: 7, alpha: 8, index: 2, second: 2},
	{subsets: 1, color: 7, alpha: 7, lowEach: 1, index: 4},
	{subsets: 2, partition: 6, color: 5, alpha: 5, lowEach: 1, index: 2},
}

// decodeBC7 returns R, G, B and A, 8 bits each. A block of the reserved mode is 0.
func decodeBC7(b bits128, texel uint32) uint32 {
	mode := uint(bits.TrailingZeros8(uint8(b.lo)))
	if mode == 8 {
		return 0
	}
	m := &bc7Modes[mode]
	at := mode + 1
	s := &shapes[m.subsets][b.at(at, m.partition)]
	at += m.partition
	rotation := b.at(at, m.rotation)
	at += m.rotation
	swap := b.at(at, m.selection) != 0
	at += m.selection

	ends, end := 2*m.subsets, 2*uint(s.subsets>>(2*texel)&3)
	colors := at
	alphas := colors + 3*ends*m.color
	lows := alphas + ends*m.alpha
	indices := lows + ends*m.lowEach + m.subsets*m.lowShared
	seconds := indices + 16*m.index - m.subsets

	index := weights[m.index][b.index(indices, m.index, uint(texel), s.anchors)]
	alphaIndex := index
	if m.second != 0 {
		alphaIndex = weights[m.second][b.index(seconds, m.second, uint(texel), s.anchors)]
		if swap {
			index, alphaIndex = alphaIndex, index
		}
	}
	var v [4]uint32
	for c := range v {
		first, width, weight := colors+uint(c)*ends*m.color, m.color, index
		if c == 3 {
			first, width, weight = alphas, m.alpha, alphaIndex
		}
		if width == 0 {
			v[c] = 0xff
			continue
		}
		var e [2]int32
		for i := range e {
			n, w := end+uint(i), width
			code := b.at(first+n*width, width)
			if low := m.lowEach + m.lowShared; low != 0 {
				code = code<<1 | b.at(lows+n*m.lowEach+n/2*m.lowShared, 1)
				w++
			}
			code <<= 8 - w
			e[i] = int32(code | code>>w)
		}
		v[c] = uint32(lerp(e[0], e[1], weight))
	}
	if rotation != 0 {
		v[rotation-1], v[3] = v[3], v[rotation-1]
	}
	return v[0] | v[1]<<8 | v[2]<<16 | v[3]<<24
}

// bc6Layouts lists, by mode code, the meaning of the bits after the code: component, end point w to z, and its bits
// from the highest to the lowest, although the lowest comes first. "10:11" is in the opposite order.
var bc6Layouts = map[uint8]string{
	0: "gy4 by4 bz4 rw9:0 gw9:0 bw9:0 rx4:0 gz4 gy3:0 gx4:0 bz0 gz3:0 bx4:0 bz1 by3:0 ry4:0 bz2 rz4:0 bz3",
	1: "gy5 gz4 gz5 rw6:0 bz0 bz1 by4 gw6:0 by5 bz2 gy4 bw6:0 bz3 bz5 bz4 rx5:0 gy3:0 gx5:0 gz3:0 bx5:0 by3:0 " +
		"ry5:0 rz5:0",
	2:  "rw9:0 gw9:0 bw9:0 rx4:0 rw10 gy3:0 gx3:0 gw10 bz0 gz3:0 bx3:0 bw10 bz1 by3:0 ry4:0 bz2 rz4:0 bz3",
	6:  "rw9:0 gw9:0 bw9:0 rx3:0 rw10 gz4 gy3:0 gx4:0 gw10 gz3:0 bx3:0 bw10 bz1 by3:0 ry3:0 bz0 bz2 rz3:0 gy4 bz3",
	10: "rw9:0 gw9:0 bw9:0 rx3:0 rw10 by4 gy3:0 gx3:0 gw10 bz0 gz3:0 bx4:0 bw10 by3:0 ry3:0 bz1 bz2 rz3:0 bz4 bz3",
	14: "rw8:0 by4 gw8:0 gy4 bw8:0 bz4 rx4:0 gz4 gy3:0 gx4:0 bz0 gz3:0 bx4:0 bz1 by3:0 ry4:0 bz2 rz4:0 bz3",
	18: "rw7:0 gz4 by4 gw7:0 bz2 gy4 bw7:0 bz3 bz4 rx5:0 gy3:0 gx4:0 bz0 gz3:0 bx4:0 bz1 by3:0 ry5:0 rz5:0",
	22: "rw7:0 bz0 by4 gw7:0 gy5 gy4 bw7:0 gz5 bz4 rx4:0 gz4 gy3:0 gx5:0 gz3:0 bx4:0 bz1 by3:0 ry4:0 bz2 rz4:0 bz3",
	26: "rw7:0 bz1 by4 gw7:0 by5 gy4 bw7:0 bz5 bz4 rx4:0 gz4 gy3:0 gx4:0 bz0 gz3:0 bx5:0 by3:0 ry4:0 bz2 rz4:0 bz3",
	30: "rw5:0 gz4 bz0 bz1 by4 gw5:0 gy5 by5 bz2 gy4 bw5:0 gz5 bz3 bz5 bz4 rx5:0 gy3:0 gx5:0 gz3:0 bx5:0 by3:0 " +
		"ry5:0 rz5:0",
	3:  "rw9:0 gw9:0 bw9:0 rx9:0 gx9:0 bx9:0",
	7:  "rw9:0 gw9:0 bw9:0 rx8:0 rw10 gx8:0 gw10 bx8:0 bw10",
	11: "rw9:0 gw9:0 bw9:0 rx7:0 rw10:11 gx7:0 gw10:11 bx7:0 bw10:11",
	15: "rw9:0 gw9:0 bw9:0 rx3:0 rw10:15 gx3:0 gw10:15 bx3:0 bw10:15",
}
