package format

// Unpack converts elements: words[j][i] is dword j of element i, and dst[c][i] becomes
// its component c. Components whose dst is nil are skipped; the others and the words
// must all have the same length, 64 for a wave. No dst may be one of the words.
func (f *Format) Unpack(dst, words *[MaxComponents][]uint32) {
	if f.bytes && dst[0] != nil && dst[1] != nil && dst[2] != nil && dst[3] != nil {
		f.unpackBytes(dst, words[0])
		return
	}
	for i := range f.Components {
		if c := &f.comps[i]; dst[i] != nil {
			c.unpack(dst[i], words[c.word])
		}
	}
}

// unpackBytes is Unpack of four bytes.
func (f *Format) unpackBytes(dst *[MaxComponents][]uint32, words []uint32) {
	r, g, b, a := dst[0][:len(words)], dst[1][:len(words)], dst[2][:len(words)], dst[3][:len(words)]
	rgb, alpha := f.comps[0].table, f.comps[3].table
	_, _ = rgb[0], alpha[0] // checked for nil once
	for i, w := range words {
		r[i] = rgb[uint8(w)]
		g[i] = rgb[uint8(w>>8)]
		b[i] = rgb[uint8(w>>16)]
		a[i] = alpha[w>>24]
	}
}

// unpackOne converts one component of one element.
func (c *component) unpackOne(word uint32) uint32 {
	v := [1]uint32{word}
	var dst [1]uint32
	c.unpack(dst[:], v[:])
	return dst[0]
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
	case byTable:
		t, shift, mask := c.table, c.shift, uint8(1<<c.width-1)
		_ = t[0] // checked for nil once
		for i, w := range words {
			dst[i] = t[uint8(w>>(shift&31))&mask]
		}
	case linearly:
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
			dst[i] = fromSmall(w<<up>>down, mantissa)
		}
	case halfFloat:
		for i, w := range words {
			h := w << up >> down
			if h&0x7c00-0x400 < 0x7800 { // neither special nor denormal
				dst[i] = h&0x8000<<16 | (h&0x7fff<<13 + 112<<23)
			} else {
				dst[i] = FromHalf(h)
			}
		}
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
