package alu

import (
	"math"

	"github.com/gcnsim/gcnsim/state"
)

// Operations on halves in float64, where sums and products of two halves are exact.
// Where that is not so, and for NaNs and results that are not normal, softfloat decides.

// halfToFloat widens a half, which is exact.
func halfToFloat(v uint64) float64 {
	sign, mag := v&0x8000<<48, v&0x7fff
	switch {
	case mag < 0x400: // zero or denormal
		return math.Float64frombits(sign | math.Float64bits(float64(mag)*0x1p-24))
	case mag < 0x7c00:
		return math.Float64frombits(sign | (mag+(1023-15)<<10)<<42)
	}
	return math.Float64frombits(half.convert(v, double))
}

// roundHalf rounds x to a half.
func roundHalf(x float64, e env) uint64 {
	b := math.Float64bits(x)
	mag := b &^ (1 << 63)
	if mag == 0 {
		return b >> 48
	}
	if e.round != state.RoundNearestEven || mag < (1023-14)<<52 || mag >= (1023+15)<<52 {
		return half.pack(float64Number(x), e)
	}
	v := mag>>42 - (1023-15)<<10
	v += (mag&(1<<42-1) + 1<<41 - 1 + v&1) >> 42
	return b>>63<<15 | v
}

func halfAdd(f format, a, b, _ uint64, e env) uint64 {
	a, b = f.flushIf(a, e.flushIn), f.flushIf(b, e.flushIn)
	s := halfToFloat(a) + halfToFloat(b)
	if s != s || s == 0 && e.round != state.RoundNearestEven {
		return f.add(a, b, e)
	}
	return roundHalf(s, e)
}

func halfSub(f format, a, b, _ uint64, e env) uint64 {
	if f.isNaN(b) {
		return f.sub(a, b, e)
	}
	return halfAdd(f, a, b^f.sign(), 0, e)
}

func halfMul(f format, a, b, _ uint64, e env) uint64 {
	a, b = f.flushIf(a, e.flushIn), f.flushIf(b, e.flushIn)
	p := halfToFloat(a) * halfToFloat(b)
	if p != p {
		return f.mul(a, b, e)
	}
	return roundHalf(p, e)
}

func halfFma(f format, a, b, c uint64, e env) uint64 {
	a, b, c = f.flushIf(a, e.flushIn), f.flushIf(b, e.flushIn), f.flushIf(c, e.flushIn)
	p, z := halfToFloat(a)*halfToFloat(b), halfToFloat(c)
	s := p + z
	if s != s || s == 0 && e.round != state.RoundNearestEven || !exactSum(p, z, s) {
		return f.fma(a, b, c, e)
	}
	return roundHalf(s, e)
}

// halfMad rounds twice.
func halfMad(f format, a, b, c uint64, e env) uint64 {
	return halfAdd(f, halfMul(f, a, b, 0, e), c, 0, e)
}
