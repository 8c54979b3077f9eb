package simd

import (
	"math"
	"math/bits"
)

// Part returns the operation on the parts of float32 with that name; see partOps.
func Part(name string) FloatOp { return pick(partOps, partAVX2, nil, name) }

// partOps are the operations on float32 that use exponents, signs or the largest of three.
var partOps = map[string]FloatOp{
	"exp2": eachDouble(powerOfTwo),
	"log2": func(d, a, _, _ *Lanes, in, _ uint32) {
		for i, v := range a {
			if v = flushed(v, in); isNaN(v) {
				d[i] = v | quietBit
			} else {
				d[i] = log2Lane(v)
			}
		}
	},
	"sin turns": eachDouble(sine),
	"cos turns": eachDouble(cosine),
	// ldexp is a * 2**b for an integer b.
	"ldexp": func(d, a, b, _ *Lanes, in, out uint32) {
		for i, v := range a {
			if v = flushed(v, in); isNaN(v) {
				d[i] = v | quietBit
				continue
			}
			by := min(max(int32(b[i]), -500), 500)
			d[i] = flushed(bits32(float32(float64(f32(v))*math.Float64frombits(uint64(by+1023)<<52))), out)
		}
	},
	// frexp mant is in [0.5, 1), and frexp exp is the exponent for it. A denormal is treated like a normal number.
	"frexp mant": func(d, a, _, _ *Lanes, in, _ uint32) {
		for i, v := range a {
			switch v = flushed(v, in); {
			case isNaN(v):
				v |= quietBit
			case mag(v) != 0 && mag(v) != magInf:
				y, _ := normalized(v)
				v = y&0x807fffff | 0x3f000000
			}
			d[i] = v
		}
	},
	"frexp exp": func(d, a, _, _ *Lanes, in, _ uint32) {
		for i, v := range a {
			if v = flushed(v, in); mag(v) == 0 || mag(v) >= magInf {
				d[i] = 0
				continue
			}
			y, less := normalized(v)
			d[i] = y>>23&0xff - 126 - less
		}
	},
	// For a direction x, y, z: the face of the cube, twice its longest coordinate, and the two coordinates on the face.
	"cube id": func(d, x, y, z *Lanes, _, _ uint32) {
		for i := range d {
			major, axis := longest(x[i], y[i], z[i])
			face := float32(2 * axis)
			if f32(major) < 0 {
				face++
			}
			d[i] = bits32(face)
		}
	},
	"cube ma": func(d, x, y, z *Lanes, in, out uint32) {
		for i := range d {
			major, _ := longest(x[i], y[i], z[i])
			d[i] = addLane(major, major, in, out)
		}
	},
	"cube sc": func(d, x, y, z *Lanes, in, _ uint32) {
		for i := range d {
			major, axis := longest(x[i], y[i], z[i])
			v, sign := x[i], uint32(0)
			if f32(major) < 0 {
				sign = 1 << 31
			}
			switch axis {
			case 0:
				v = z[i] ^ sign ^ 1<<31
			case 2:
				v ^= sign
			}
			d[i] = flushed(v, in)
		}
	},
	"cube tc": func(d, x, y, z *Lanes, in, _ uint32) {
		for i := range d {
			major, axis := longest(x[i], y[i], z[i])
			v := y[i] ^ 1<<31
			if axis == 1 {
				v = z[i]
				if f32(major) < 0 {
					v ^= 1 << 31
				}
			}
			d[i] = flushed(v, in)
		}
	},
	// div fixup sets the sign of the quotient a of c/b and handles special operands.
	"div fixup": func(d, a, b, c *Lanes, in, _ uint32) {
		for i := range d {
			d[i] = quotient(a[i], b[i], c[i], in)
		}
	},
}

// normalized returns v, multiplied by 2**less if it is denormal.
func normalized(v uint32) (normal, less uint32) {
	if !denormal(v) {
		return v, 0
	}
	n := uint32(bits.LeadingZeros32(v<<9)) + 1
	return v&(1<<31) | (32+1-n)<<23 | v<<n&(1<<23-1), 32
}

// longest returns the coordinate with the largest magnitude and its axis. Among equal magnitudes z precedes y and y
// precedes x.
func longest(x, y, z uint32) (v uint32, axis int) {
	abs := func(v uint32) float32 { return f32(v &^ (1 << 31)) }
	switch {
	case abs(z) >= abs(y) && abs(z) >= abs(x):
		return z, 2
	case abs(y) >= abs(x):
		return y, 1
	}
	return x, 0
}

func quotient(q, d, n, in uint32) uint32 {
	sign := (d ^ n) & (1 << 31)
	d0, n0 := flushed(d, in)&^(1<<31), flushed(n, in)&^(1<<31)
	const inf = magInf >> 1
	switch {
	case isNaN(n):
		return n | quietBit
	case isNaN(d):
		return d | quietBit
	case d0 == 0 && n0 == 0, d0 == inf && n0 == inf:
		return 0xffc00000
	case d0 == 0 || n0 == inf:
		return sign | inf
	case d0 == inf || n0 == 0, int(n0>>23)-int(d0>>23) < -150: // in the second case the quotient underflows
		return sign
	case isNaN(q): // the instructions before overflowed
		return sign | inf
	}
	return sign | q&^(1<<31)
}
