package alu

import (
	"math"
	"math/bits"

	"github.com/gcnsim/gcnsim/state"
)

// The loops below give what format half gives. They compute in float64, where products of
// halves are exact, and leave to narrow.go what is not plain: denormals, infinities and
// NaNs, and every rounding but to nearest even.

// halfToFloat widens a half, which is exact.
func halfToFloat(v uint64) float64 {
	sign, mag := v&0x8000<<48, v&0x7fff
	switch {
	case mag < 0x400: // zero or denormal
		return math.Float64frombits(sign | math.Float64bits(float64(mag)*0x1p-24))
	case mag < 0x7c00:
		return math.Float64frombits(sign | (mag+(1023-15)<<10)<<42)
	}
	return math.Float64frombits(sign | (mag+(2047-31)<<10)<<42)
}

// widenHalf returns a half as a single, a NaN quieted.
func widenHalf(v uint32) uint64 {
	sign, mag := v&0x8000<<16, v&0x7fff
	switch {
	case mag < 0x400:
		return uint64(sign | bits32(float32(mag)*0x1p-24))
	case mag < 0x7c00:
		return uint64(sign | (mag+(127-15)<<10)<<13)
	case mag > 0x7c00:
		mag |= 0x200
	}
	return uint64(sign | (mag+(255-31)<<10)<<13)
}

// plainHalf widens bits 15:0 of v if they are a zero or a normal half, and returns NaN
// otherwise.
func plainHalf(v uint32) float64 {
	sign, mag := uint64(v&0x8000)<<48, uint64(v&0x7fff)
	if mag-0x400 < 0x7800 {
		sign |= mag<<42 + (1023-15)<<52
	} else if mag != 0 {
		sign = 0x7ff8 << 48
	}
	return math.Float64frombits(sign)
}

// Magnitudes in float64: of the smallest normal half, and of what rounds to infinity.
const (
	halfLeast = (1023 - 14) << 52
	halfMost  = (1023+16)<<52 - 1<<41
)

// nearestHalf rounds x to nearest even; ok is false if the result is no normal half or zero.
func nearestHalf(x float64) (v uint32, ok bool) {
	b := math.Float64bits(x)
	m := b &^ (1 << 63)
	if m-halfLeast >= halfMost-halfLeast {
		return uint32(b >> 48), m == 0
	}
	m += 1<<41 - 1 + m>>42&1
	return uint32(b>>63<<15 | (m>>42 - (1023-15)<<10)), true
}

// slowHalf is lane i of an operation that the loops below leave out.
func slowHalf(op func(f format, a, b, c uint64, e env) uint64, a, b, c uint32, e env) uint32 {
	return uint32(op(half, uint64(a&0xffff), uint64(b&0xffff), uint64(c&0xffff), e))
}

func sumF16(d, a, b, _ *lanes, e env, active uint64) {
	nearest := e.round == state.RoundNearestEven
	for ; active != 0; active &= active - 1 {
		i := bits.TrailingZeros64(active) & 63
		r, ok := nearestHalf(plainHalf(a[i]) + plainHalf(b[i]))
		if !ok || !nearest {
			r = slowHalf(format.sum, a[i], b[i], 0, e)
		}
		d[i] = r
	}
}

func differenceF16(d, a, b, _ *lanes, e env, active uint64) {
	nearest := e.round == state.RoundNearestEven
	for ; active != 0; active &= active - 1 {
		i := bits.TrailingZeros64(active) & 63
		r, ok := nearestHalf(plainHalf(a[i]) - plainHalf(b[i]))
		if !ok || !nearest {
			r = slowHalf(format.difference, a[i], b[i], 0, e)
		}
		d[i] = r
	}
}

func productF16(d, a, b, _ *lanes, e env, active uint64) {
	nearest := e.round == state.RoundNearestEven
	for ; active != 0; active &= active - 1 {
		i := bits.TrailingZeros64(active) & 63
		r, ok := nearestHalf(plainHalf(a[i]) * plainHalf(b[i]))
		if !ok || !nearest {
			r = slowHalf(format.product, a[i], b[i], 0, e)
		}
		d[i] = r
	}
}

// exactSum reports whether s is a + b without rounding error (Knuth's two-sum).
func exactSum(a, b, s float64) bool {
	t := s - a
	return a-(s-t)+(b-t) == 0
}

// fusedF16 rounds once. The sum in float64 is rounded, too, so that rounding it again goes
// wrong where it was inexact and lies half way between two halves.
func fusedF16(d, a, b, c *lanes, e env, active uint64) {
	nearest := e.round == state.RoundNearestEven
	for ; active != 0; active &= active - 1 {
		i := bits.TrailingZeros64(active) & 63
		p, z := plainHalf(a[i])*plainHalf(b[i]), plainHalf(c[i])
		s := p + z
		r, ok := nearestHalf(s)
		if !ok || !nearest || math.Float64bits(s)&(1<<42-1) == 1<<41 && !exactSum(p, z, s) {
			r = slowHalf(format.fused, a[i], b[i], c[i], e)
		}
		d[i] = r
	}
}

// multiplyAddF16 rounds the product, then the sum.
func multiplyAddF16(d, a, b, c *lanes, e env, active uint64) {
	nearest := e.round == state.RoundNearestEven
	for ; active != 0; active &= active - 1 {
		i := bits.TrailingZeros64(active) & 63
		p, exact := nearestHalf(plainHalf(a[i]) * plainHalf(b[i]))
		r, ok := nearestHalf(plainHalf(p) + plainHalf(c[i]))
		if !exact || !ok || !nearest {
			r = slowHalf(format.multiplyAdd, a[i], b[i], c[i], e)
		}
		d[i] = r
	}
}
