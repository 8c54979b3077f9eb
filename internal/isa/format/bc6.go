package format

import (
	"strconv"
	"strings"
)

// bc6Field is a range of bits of an end point.
type bc6Field struct {
	color, end uint8
	low, count uint8
	reversed   bool
}

// bc6Mode is a layout of BC6 blocks.
type bc6Mode struct {
	start    uint // first bit after the mode code
	fields   []bc6Field
	width    uint    // bits of the first end point
	deltas   [3]uint // bits of the other end points, by color
	absolute bool    // the other end points are values instead of differences from the first
	regions  uint    // 1 or 2
}

// bc6Modes are the modes, indexed by the low 5 bits of a block; nil is reserved. Two codes have only 2 bits.
var bc6Modes = func() (t [32]*bc6Mode) {
	for code, layout := range bc6Layouts {
		m := &bc6Mode{start: 5, regions: 1}
		step := uint8(len(t))
		if code < 2 {
			m.start, step = 2, 4
		}
		for name := range strings.FieldsSeq(layout) {
			first, last, many := strings.Cut(name[2:], ":")
			hi, _ := strconv.Atoi(first)
			lo := hi
			if many {
				lo, _ = strconv.Atoi(last)
			}
			f := bc6Field{
				color: uint8(strings.IndexByte("rgb", name[0])), end: uint8(strings.IndexByte("wxyz", name[1])),
				low: uint8(min(hi, lo)), count: uint8(max(hi, lo) - min(hi, lo) + 1), reversed: hi < lo,
			}
			m.fields = append(m.fields, f)
			width := uint(f.low + f.count)
			switch f.end {
			case 0:
				m.width = max(m.width, width)
			case 1:
				m.deltas[f.color] = max(m.deltas[f.color], width)
			default:
				m.regions = 2
			}
		}
		m.absolute = m.width == m.deltas[0]
		for c := code; int(c) < len(t); c += step {
			t[c] = m
		}
	}
	return t
}()

// decodeBC6 returns R and G in one dword and B in another, as halves. A block of a reserved mode is 0.
func decodeBC6(b bits128, texel uint32, signed bool) (rg, blue uint32) {
	m := bc6Modes[b.lo&31]
	if m == nil {
		return 0, 0
	}
	var ends [4][3]uint32
	at := m.start
	for _, f := range m.fields {
		v := b.at(at, uint(f.count))
		if f.reversed {
			v = reverse(v, f.count)
		}
		ends[f.end&3][f.color%3] |= v << f.low
		at += uint(f.count)
	}
	s, indexBits := &shapes[1][0], uint(4)
	if m.regions == 2 {
		s, indexBits = &shapes[2][b.at(at, 5)], 3
		at += 5
	}
	weight := weights[indexBits][b.index(at, indexBits, uint(texel), s.anchors)]
	end := 2 * (s.subsets >> (2 * texel) & 1)
	var v [3]uint32
	for c := range v {
		base := ends[0][c]
		var e [2]int32
		for i := range e {
			n := end + uint32(i)
			code := ends[n][c]
			if n > 0 && !m.absolute {
				code = base + uint32(signExtended(code, m.deltas[c]))
			}
			e[i] = unquantized(code, m.width, signed)
		}
		v[c] = toHalfBits(lerp(e[0], e[1], weight), signed)
	}
	return v[0] | v[1]<<16, v[2]
}

// reverse returns the low count bits of v in reverse order.
func reverse(v uint32, count uint8) (r uint32) {
	for range count {
		r = r<<1 | v&1
		v >>= 1
	}
	return r
}

func signExtended(v uint32, width uint) int32 {
	return int32(v<<(32-width)) >> (32 - width)
}

// unquantized extends the low width bits of code to 16 bits, or to 15 and a sign.
func unquantized(code uint32, width uint, signed bool) int32 {
	if !signed {
		v := int32(code & (1<<width - 1))
		switch {
		case width >= 15 || v == 0:
			return v
		case v == 1<<width-1:
			return 0xffff
		}
		return (v<<16 + 0x8000) >> width
	}
	v := signExtended(code, width)
	if width >= 16 {
		return v
	}
	sign := int32(1)
	if v < 0 {
		sign, v = -1, -v
	}
	switch {
	case v == 0:
		return 0
	case v >= 1<<(width-1)-1:
		return sign * 0x7fff
	}
	return sign * ((v<<15 + 0x4000) >> (width - 1))
}

// toHalfBits scales an interpolated value to the bits of a half.
func toHalfBits(v int32, signed bool) uint32 {
	switch {
	case !signed:
		return uint32(v * 31 >> 6)
	case v < 0:
		return 0x8000 | uint32(-v*31>>5)
	}
	return uint32(v * 31 >> 5)
}
