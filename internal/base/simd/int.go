package simd

import "math/bits"

// ints are the operations on integers. Operands of fewer than 32 bits are in the low bits; the bits above are ignored
// unless the code uses them.
var ints = map[string]Op{
	"mov": func(d, a, _, _ *Lanes) { *d = *a },
	"not": func(d, a, _, _ *Lanes) {
		for i := range d {
			d[i] = ^a[i]
		}
	},
	"and": func(d, a, b, _ *Lanes) {
		for i := range d {
			d[i] = a[i] & b[i]
		}
	},
	"or": func(d, a, b, _ *Lanes) {
		for i := range d {
			d[i] = a[i] | b[i]
		}
	},
	"xor": func(d, a, b, _ *Lanes) {
		for i := range d {
			d[i] = a[i] ^ b[i]
		}
	},
	"xnor": Each2(func(a, b uint32) uint32 { return ^(a ^ b) }),

	"add": func(d, a, b, _ *Lanes) {
		for i := range d {
			d[i] = a[i] + b[i]
		}
	},
	"sub": sub,
	"subrev": func(d, a, b, c *Lanes) {
		sub(d, b, a, c)
	},
	"mul": func(d, a, b, _ *Lanes) {
		for i := range d {
			d[i] = a[i] * b[i]
		}
	},
	"mad": func(d, a, b, c *Lanes) {
		for i := range d {
			d[i] = a[i]*b[i] + c[i]
		}
	},
	"mul hi u32": Each2(func(a, b uint32) uint32 { return uint32(uint64(a) * uint64(b) >> 32) }),
	"mul hi i32": Each2(func(a, b uint32) uint32 { return uint32(int64(int32(a)) * int64(int32(b)) >> 32) }),
	"mul hi u24": Each2(func(a, b uint32) uint32 { return uint32(uint64(a&0xffffff) * uint64(b&0xffffff) >> 32) }),
	"mul hi i24": Each2(func(a, b uint32) uint32 { return uint32(int64(sext24(a)) * int64(sext24(b)) >> 32) }),
	"mul u24": func(d, a, b, _ *Lanes) {
		for i := range d {
			d[i] = (a[i] & 0xffffff) * (b[i] & 0xffffff)
		}
	},
	"mul i24": func(d, a, b, _ *Lanes) {
		for i := range d {
			d[i] = uint32(sext24(a[i]) * sext24(b[i]))
		}
	},
	"mad u24": func(d, a, b, c *Lanes) {
		for i := range d {
			d[i] = (a[i]&0xffffff)*(b[i]&0xffffff) + c[i]
		}
	},
	"mad i24": func(d, a, b, c *Lanes) {
		for i := range d {
			d[i] = uint32(sext24(a[i])*sext24(b[i])) + c[i]
		}
	},
	"mad u16": Each3(func(a, b, c uint32) uint32 { return a&0xffff*(b&0xffff) + c }),
	"mad i16": Each3(func(a, b, c uint32) uint32 { return uint32(int32(int16(a))*int32(int16(b))) + c }),

	"shl": func(d, a, b, _ *Lanes) {
		for i := range d {
			d[i] = a[i] << (b[i] & 31)
		}
	},
	"shr": func(d, a, b, _ *Lanes) {
		for i := range d {
			d[i] = a[i] >> (b[i] & 31)
		}
	},
	"sar": func(d, a, b, _ *Lanes) {
		for i := range d {
			d[i] = uint32(int32(a[i]) >> (b[i] & 31))
		}
	},
	"shlrev": func(d, a, b, _ *Lanes) {
		for i := range d {
			d[i] = b[i] << (a[i] & 31)
		}
	},
	"shrrev": func(d, a, b, _ *Lanes) {
		for i := range d {
			d[i] = b[i] >> (a[i] & 31)
		}
	},
	"sarrev": func(d, a, b, _ *Lanes) {
		for i := range d {
			d[i] = uint32(int32(b[i]) >> (a[i] & 31))
		}
	},
	"shlrev 16": Each2(func(a, b uint32) uint32 { return b << (a & 15) }),
	"shrrev 16": Each2(func(a, b uint32) uint32 { return b & 0xffff >> (a & 15) }),
	"sarrev 16": Each2(func(a, b uint32) uint32 { return uint32(int16(b) >> (a & 15)) }),

	"add3": func(d, a, b, c *Lanes) {
		for i := range d {
			d[i] = a[i] + b[i] + c[i]
		}
	},
	"add shl": func(d, a, b, c *Lanes) {
		for i := range d {
			d[i] = (a[i] + b[i]) << (c[i] & 31)
		}
	},
	"shl add": func(d, a, b, c *Lanes) {
		for i := range d {
			d[i] = a[i]<<(b[i]&31) + c[i]
		}
	},
	"shl or": func(d, a, b, c *Lanes) {
		for i := range d {
			d[i] = a[i]<<(b[i]&31) | c[i]
		}
	},
	"and or": func(d, a, b, c *Lanes) {
		for i := range d {
			d[i] = a[i]&b[i] | c[i]
		}
	},
	"or3": func(d, a, b, c *Lanes) {
		for i := range d {
			d[i] = a[i] | b[i] | c[i]
		}
	},
	"xor add": func(d, a, b, c *Lanes) {
		for i := range d {
			d[i] = (a[i] ^ b[i]) + c[i]
		}
	},
	"bfi": func(d, a, b, c *Lanes) {
		for i := range d {
			d[i] = a[i]&b[i] | c[i]&^a[i]
		}
	},
	"bfm":        Each2(func(a, b uint32) uint32 { return (1<<(a&31) - 1) << (b & 31) }),
	"bfe u32":    Each3(func(a, b, c uint32) uint32 { return a >> (b & 31) & (1<<(c&31) - 1) }),
	"bfe i32":    Each3(signedField),
	"align bit":  Each3(func(a, b, c uint32) uint32 { return uint32((uint64(a)<<32 | uint64(b)) >> (c & 31)) }),
	"align byte": Each3(func(a, b, c uint32) uint32 { return uint32((uint64(a)<<32 | uint64(b)) >> (c & 3 * 8)) }),

	"min u32":  Each2(func(a, b uint32) uint32 { return min(a, b) }),
	"max u32":  Each2(func(a, b uint32) uint32 { return max(a, b) }),
	"min i32":  Each2(func(a, b uint32) uint32 { return uint32(min(int32(a), int32(b))) }),
	"max i32":  Each2(func(a, b uint32) uint32 { return uint32(max(int32(a), int32(b))) }),
	"min u16":  Each2(func(a, b uint32) uint32 { return uint32(min(uint16(a), uint16(b))) }),
	"max u16":  Each2(func(a, b uint32) uint32 { return uint32(max(uint16(a), uint16(b))) }),
	"min i16":  Each2(func(a, b uint32) uint32 { return uint32(min(int16(a), int16(b))) }),
	"max i16":  Each2(func(a, b uint32) uint32 { return uint32(max(int16(a), int16(b))) }),
	"min3 u32": Each3(func(a, b, c uint32) uint32 { return min(a, b, c) }),
	"max3 u32": Each3(func(a, b, c uint32) uint32 { return max(a, b, c) }),
	"med3 u32": Each3(func(a, b, c uint32) uint32 { return max(min(a, b), min(max(a, b), c)) }),
	"min3 i32": Each3(func(a, b, c uint32) uint32 { return uint32(min(int32(a), int32(b), int32(c))) }),
	"max3 i32": Each3(func(a, b, c uint32) uint32 { return uint32(max(int32(a), int32(b), int32(c))) }),
	"med3 i32": Each3(func(a, b, c uint32) uint32 {
		x, y, z := int32(a), int32(b), int32(c)
		return uint32(max(min(x, y), min(max(x, y), z)))
	}),

	"perm":      Each3(permuteBytes),
	"lerp u8":   Each3(lerpBytes),
	"sad u8":    Each3(func(a, b, c uint32) uint32 { return sadBytes(a, b, 0xff) + c }),
	"msad u8":   Each3(func(a, b, c uint32) uint32 { return sadBytes(a, b, 0) + c }),
	"sad hi u8": Each3(func(a, b, c uint32) uint32 { return sadBytes(a, b, 0xff)<<16 + c }),
	"sad u16":   Each3(func(a, b, c uint32) uint32 { return distance(a&0xffff, b&0xffff) + distance(a>>16, b>>16) + c }),
	"sad u32":   Each3(func(a, b, c uint32) uint32 { return distance(a, b) + c }),

	"dot i16": Each3(func(a, b, c uint32) uint32 { return dot(a, b, 16, signedPart) + c }),
	"dot u16": Each3(func(a, b, c uint32) uint32 { return dot(a, b, 16, part) + c }),
	"dot i8":  Each3(func(a, b, c uint32) uint32 { return dot(a, b, 8, signedPart) + c }),
	"dot u8":  Each3(func(a, b, c uint32) uint32 { return dot(a, b, 8, part) + c }),
	"dot i4":  Each3(func(a, b, c uint32) uint32 { return dot(a, b, 4, signedPart) + c }),
	"dot u4":  Each3(func(a, b, c uint32) uint32 { return dot(a, b, 4, part) + c }),

	"pack u16":     Each2(func(a, b uint32) uint32 { return min(a, 0xffff) | min(b, 0xffff)<<16 }),
	"pack halves":  Each2(func(a, b uint32) uint32 { return a&0xffff | b<<16 }),
	"ones add":     Each2(func(a, b uint32) uint32 { return uint32(bits.OnesCount32(a)) + b }),
	"reverse bits": Each1(bits.Reverse32),
}

// wides are shifts of 64 bits.
var wides = map[string]WideOp{
	"shl": eachWide(func(v uint64, n uint32) uint64 { return v << n }),
	"shr": eachWide(func(v uint64, n uint32) uint64 { return v >> n }),
	"sar": eachWide(func(v uint64, n uint32) uint64 { return uint64(int64(v) >> n) }),
}

//go:noinline
func eachWide(shift func(v uint64, n uint32) uint64) WideOp {
	return func(dlo, dhi, lo, hi, n *Lanes) {
		for i := range dlo {
			v := shift(uint64(hi[i])<<32|uint64(lo[i]), n[i]&63)
			dlo[i], dhi[i] = uint32(v), uint32(v>>32)
		}
	}
}

// permuteBytes computes V_PERM_B32: each byte of sel selects a byte of a:b, the sign of one of its odd bytes, 0 or
// 0xff.
func permuteBytes(a, b, sel uint32) uint32 {
	from := uint64(a)<<32 | uint64(b)
	var out uint32
	for i := 0; i < 32; i += 8 {
		var v uint32
		switch s := sel >> i & 0xff; {
		case s >= 13:
			v = 0xff
		case s == 12:
		case s >= 8:
			v = uint32(from>>((s-8)*16+15)&1) * 0xff
		default:
			v = uint32(from >> (s * 8) & 0xff)
		}
		out |= v << i
	}
	return out
}

// lerpBytes returns the means of the bytes of a and b, rounded up if the byte of c is odd.
func lerpBytes(a, b, c uint32) (out uint32) {
	for i := 0; i < 32; i += 8 {
		out |= (a>>i&0xff + b>>i&0xff + c>>i&1) >> 1 << i
	}
	return out
}

func distance(a, b uint32) uint32 { return max(a, b) - min(a, b) }

// sadBytes returns the sum of the absolute differences of bytes. Bytes that are 0 in both b and zero are ignored.
func sadBytes(a, b, zero uint32) (sum uint32) {
	for i := 0; i < 32; i += 8 {
		if b>>i&0xff|zero != 0 {
			sum += distance(a>>i&0xff, b>>i&0xff)
		}
	}
	return sum
}

// dot returns the sum of the products of the parts of a and b, each of width bits, modulo 2**32.
func dot(a, b uint32, width int, part func(v uint32, at, width int) uint32) (sum uint32) {
	for at := 0; at < 32; at += width {
		sum += part(a, at, width) * part(b, at, width)
	}
	return sum
}

func part(v uint32, at, width int) uint32 { return v >> at & (1<<width - 1) }
func signedPart(v uint32, at, width int) uint32 {
	return uint32(int32(v<<(32-width-at)) >> (32 - width))
}

func sub(d, a, b, _ *Lanes) {
	for i := range d {
		d[i] = a[i] - b[i]
	}
}

func sext24(v uint32) int32 { return int32(v<<8) >> 8 }

// signedField returns the field of a with c bits from bit b on, sign-extended. A field that extends beyond bit 31
// ends there.
func signedField(a, b, c uint32) uint32 {
	if c &= 31; c == 0 {
		return 0
	}
	b &= 31
	drop := 32 - min(c, 32-b)
	return uint32(int32(a>>b<<drop) >> drop)
}

// Each1 returns the operation that calls a function for each lane, for functions that do not need a loop of their
// own.
//
//go:noinline
func Each1(f func(a uint32) uint32) Op {
	return func(d, a, _, _ *Lanes) {
		for i := range d {
			d[i] = f(a[i])
		}
	}
}

// Each2 does what [Each1] does, for two operands.
//
//go:noinline
func Each2(f func(a, b uint32) uint32) Op {
	return func(d, a, b, _ *Lanes) {
		for i := range d {
			d[i] = f(a[i], b[i])
		}
	}
}

// Each3 does what [Each1] does, for three operands.
//
//go:noinline
func Each3(f func(a, b, c uint32) uint32) Op {
	return func(d, a, b, c *Lanes) {
		for i := range d {
			d[i] = f(a[i], b[i], c[i])
		}
	}
}
