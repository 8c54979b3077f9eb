package alu

import (
	"math"
	"math/bits"

	"github.com/gcnsim/gcnsim/internal/base/simd"
)

// halfToFloat converts a float16 to float64, which is exact.
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

// widenHalf converts a float16 to float32. A NaN is quieted.
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

// Magnitudes in float64: the smallest normal float16, and the smallest value that rounds to infinity.
const (
	halfLeast = (1023 - 14) << 52
	halfMost  = (1023+16)<<52 - 1<<41
)

// nearestHalf rounds x to nearest even. ok is false if the result is not a normal float16 or zero.
func nearestHalf(x float64) (v uint32, ok bool) {
	b := math.Float64bits(x)
	m := b &^ (1 << 63)
	if m-halfLeast >= halfMost-halfLeast {
		return uint32(b >> 48), m == 0
	}
	m += 1<<41 - 1 + m>>42&1
	return uint32(b>>63<<15 | (m>>42 - (1023-15)<<10)), true
}

// nearestF16 returns an operation on float16. It uses fast if MODE rounds to nearest even, else op lane by lane.
//
//go:noinline
func nearestF16(fast simd.FloatOp, op func(f format, a, b, c uint64, e env) uint64) func(d, a, b, c *lanes, e env,
	active uint64) {
	return func(d, a, b, c *lanes, e env, active uint64) {
		if e.round == roundNearestEven {
			fast(d, a, b, c, lostHalf(e.flushIn), lostHalf(e.flushOut))
			return
		}
		halfLanes(d, a, b, c, e, active, op)
	}
}

// halfLanes applies op to the active lanes.
func halfLanes(d, a, b, c *lanes, e env, active uint64, op func(f format, a, b, c uint64, e env) uint64) {
	b, c = orZero(b), orZero(c)
	for ; active != 0; active &= active - 1 {
		i := bits.TrailingZeros64(active) & 63
		d[i] = uint32(op(half, uint64(a[i]&0xffff), uint64(b[i]&0xffff), uint64(c[i]&0xffff), e))
	}
}

// unroundedF16 returns the lanes function of an operation that does not round, or always rounds to nearest even.
//
//go:noinline
func unroundedF16(name string) func(d, a, b, c *lanes, e env, active uint64) {
	op := simd.Half(name)
	return func(d, a, _, _ *lanes, e env, _ uint64) {
		op(d, a, nil, nil, lostHalf(e.flushIn), lostHalf(e.flushOut))
	}
}

var unordered16 = simd.Compare("unordered f16")

// extremeF16 returns the minimum, maximum or median of float16 with that simd name. It uses op lane by lane if there
// is a NaN in IEEE mode, in which signalling and quiet NaNs differ.
//
//go:noinline
func extremeF16(name string, op func(f format, a, b, c uint64, e env) uint64) func(d, a, b, c *lanes, e env,
	active uint64) {
	fast := simd.Half(name)
	return func(d, a, b, c *lanes, e env, active uint64) {
		if e.ieee && (unordered16(a, b, 0) != 0 || c != nil && unordered16(c, c, 0) != 0) {
			halfLanes(d, a, b, c, e, active, op)
			return
		}
		fast(d, a, b, c, lostHalf(e.flushIn), 0)
	}
}

func lostHalf(flush bool) uint32 {
	if flush {
		return simd.FlushHalf
	}
	return 0
}

// The float16 operations that several rows share.
var (
	sumF16         = nearestF16(simd.Half("add"), format.sum)
	differenceF16  = nearestF16(simd.Half("sub"), format.difference)
	productF16     = nearestF16(simd.Half("mul"), format.product)
	fusedF16       = nearestF16(simd.Half("fma"), format.fused)
	multiplyAddF16 = nearestF16(simd.Half("mad"), format.multiplyAdd)
)

// halfOfF32 converts float32 to float16.
func halfOfF32(d, a, b, _ *lanes, e env, active uint64) {
	if e.round != roundNearestEven {
		exactLanes(d, a, b, nil, e, active, toHalf)
		return
	}
	roundHalf(d, a, nil, nil, 0, lostHalf(e.flushOut))
}

// f32OfHalf converts float16 to float32, which is exact.
func f32OfHalf(d, a, _, _ *lanes, e env, active uint64) {
	if !e.ieee && unordered16(a, a, 0) != 0 {
		halfLanes(d, a, nil, nil, e, active, fromHalf)
		return
	}
	widenHalves(d, a, nil, nil, lostHalf(e.flushIn), 0)
}

// packToZero rounds two float32 towards zero to float16 and packs the results.
func packToZero(d, a, b, _ *lanes, e env, _ uint64) {
	packHalves(d, a, b, nil, 0, lostHalf(e.flushOut))
}

var (
	roundHalf   = simd.Half("of f32")
	widenHalves = simd.Half("to f32")
	packHalves  = simd.Half("pack to zero")
)
