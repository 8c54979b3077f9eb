package r600

import (
	"math"
	"math/bits"

	"github.com/gcnsim/gcnsim/internal/base/half"
)

// flushed returns a number without denormals, which the units of floats neither read nor write.
func flushed(v uint32) uint32 {
	if v&0x7f800000 == 0 {
		return v & 0x80000000
	}
	return v
}

func number32(v uint32) float32 { return math.Float32frombits(flushed(v)) }

func result32(f float32) uint32 { return flushed(math.Float32bits(f)) }

func f1(op func(a float32) float32) func(a, b, c uint32) uint32 {
	return func(a, _, _ uint32) uint32 { return result32(op(number32(a))) }
}

func f2(op func(a, b float32) float32) func(a, b, c uint32) uint32 {
	return func(a, b, _ uint32) uint32 { return result32(op(number32(a), number32(b))) }
}

func f3(op func(a, b, c float32) float32) func(a, b, c uint32) uint32 {
	return func(a, b, c uint32) uint32 { return result32(op(number32(a), number32(b), number32(c))) }
}

func inDouble(op func(float64) float64) func(float32) float32 {
	return func(a float32) float32 { return float32(op(float64(a))) }
}

// ofTurns gives op an angle that counts turns.
func ofTurns(op func(float64) float64) func(float32) float32 {
	return func(a float32) float32 { return float32(op(2 * math.Pi * float64(a))) }
}

// clamped returns op with the largest number for infinity.
func clamped(op func(float32) float32) func(float32) float32 {
	return func(a float32) float32 { return max(min(op(a), math.MaxFloat32), -math.MaxFloat32) }
}

func add(a, b float32) float32 { return a + b }
func mul(a, b float32) float32 { return a * b }

// mulLegacy returns a product that is 0 if a factor is.
func mulLegacy(a, b float32) float32 {
	if a == 0 || b == 0 {
		return 0
	}
	return a * b
}

// mulAdd returns the function of a product with a rounding of its own, a sum, and a factor of both.
func mulAdd(product func(a, b float32) float32, factor float32) func(a, b, c float32) float32 {
	return func(a, b, c float32) float32 {
		p := product(a, b)
		return (p + c) * factor
	}
}

func fma(a, b, c float32) float32 {
	p := float64(a) * float64(b) // exact
	sum := p + float64(c)
	if rest := sumError(p, float64(c), sum); rest != 0 && math.Float64bits(sum)&1 == 0 { // to odd
		if (rest > 0) == (sum > 0) {
			sum = math.Float64frombits(math.Float64bits(sum) + 1)
		} else {
			sum = math.Float64frombits(math.Float64bits(sum) - 1)
		}
	}
	return float32(sum)
}

// sumError returns what a sum of a and b lacks.
func sumError(a, b, sum float64) float64 {
	if math.IsInf(sum, 0) || math.IsNaN(sum) {
		return 0
	}
	high := sum - a
	return a - (sum - high) + (b - high)
}

func maxLegacy(a, b float32) float32 {
	if a >= b {
		return a
	}
	return b
}

func minLegacy(a, b float32) float32 {
	if a < b {
		return a
	}
	return b
}

// maxNumber returns the larger number; a NaN is less than any number.
func maxNumber(a, b float32) float32 {
	if a >= b || b != b {
		return a
	}
	return b
}

func minNumber(a, b float32) float32 {
	if a < b || b != b {
		return a
	}
	return b
}

func fract(a float32) float32     { return a - float32(math.Floor(float64(a))) }
func recip(a float32) float32     { return 1 / a }
func recipSqrt(a float32) float32 { return float32(1 / math.Sqrt(float64(a))) }

// A condition returns 1 or 0.
type condition = func(a, b, c uint32) uint32

func one(is bool) uint32 {
	if is {
		return 1
	}
	return 0
}

func equal(a, b float32) bool        { return a == b }
func notEqual(a, b float32) bool     { return a != b }
func greater(a, b float32) bool      { return a > b }
func greaterEqual(a, b float32) bool { return a >= b }

func asFloats(is func(a, b float32) bool) condition {
	return func(a, b, _ uint32) uint32 { return one(is(number32(a), number32(b))) }
}

func setFloat(is func(a, b float32) bool) func(a, b, c uint32) uint32 {
	return func(a, b, _ uint32) uint32 { return one(is(number32(a), number32(b))) * oneFloat }
}

func setMask(is condition) func(a, b, c uint32) uint32 {
	return func(a, b, c uint32) uint32 { return -is(a, b, c) }
}

// choose returns b where is holds for a and 0, c elsewhere.
func choose(is condition) func(a, b, c uint32) uint32 {
	return func(a, b, c uint32) uint32 {
		if is(a, 0, 0) != 0 {
			return b
		}
		return c
	}
}

func same(a, b, _ uint32) uint32       { return one(a == b) }
func differ(a, b, _ uint32) uint32     { return one(a != b) }
func moreThan(a, b, _ uint32) uint32   { return one(int32(a) > int32(b)) }
func atLeast(a, b, _ uint32) uint32    { return one(int32(a) >= int32(b)) }
func above(a, b, _ uint32) uint32      { return one(a > b) }
func aboveEqual(a, b, _ uint32) uint32 { return one(a >= b) }

func zeroes(_, _, _ uint32) uint32 { return 0 }
func first(a, _, _ uint32) uint32  { return a }
func second(_, b, _ uint32) uint32 { return b }

func and(a, b, _ uint32) uint32        { return a & b }
func or(a, b, _ uint32) uint32         { return a | b }
func xor(a, b, _ uint32) uint32        { return a ^ b }
func not(a, _, _ uint32) uint32        { return ^a }
func addInt(a, b, _ uint32) uint32     { return a + b }
func subInt(a, b, _ uint32) uint32     { return a - b }
func reverseSub(a, b, _ uint32) uint32 { return b - a }
func maxInt(a, b, _ uint32) uint32     { return uint32(max(int32(a), int32(b))) }
func minInt(a, b, _ uint32) uint32     { return uint32(min(int32(a), int32(b))) }
func maxUint(a, b, _ uint32) uint32    { return max(a, b) }
func minUint(a, b, _ uint32) uint32    { return min(a, b) }
func ashr(a, b, _ uint32) uint32       { return uint32(int32(a) >> (b & 31)) }
func lshr(a, b, _ uint32) uint32       { return a >> (b & 31) }
func lshl(a, b, _ uint32) uint32       { return a << (b & 31) }
func mulLow(a, b, _ uint32) uint32     { return a * b }
func carry(a, b, _ uint32) uint32      { return one(a+b < a) }
func borrow(a, b, _ uint32) uint32     { return one(a < b) }
func reverse(a, _, _ uint32) uint32    { return bits.Reverse32(a) }
func countOnes(a, _, _ uint32) uint32  { return uint32(bits.OnesCount32(a)) }

func mulHighInt(a, b, _ uint32) uint32  { return uint32(int64(int32(a)) * int64(int32(b)) >> 32) }
func mulHighUint(a, b, _ uint32) uint32 { return uint32(uint64(a) * uint64(b) >> 32) }

// int24 returns the low 24 bits of a as a signed number.
func int24(a uint32) int64 { return int64(int32(a<<8) >> 8) }

func mulInt24(a, b, _ uint32) uint32      { return uint32(int24(a) * int24(b)) }
func mulHighInt24(a, b, _ uint32) uint32  { return uint32(int24(a) * int24(b) >> 32) }
func mulUint24(a, b, _ uint32) uint32     { return (a & 0xffffff) * (b & 0xffffff) }
func mulHighUint24(a, b, _ uint32) uint32 { return mulHighUint(a&0xffffff, b&0xffffff, 0) }
func mulAddInt24(a, b, c uint32) uint32   { return mulInt24(a, b, 0) + c }
func mulAddUint24(a, b, c uint32) uint32  { return mulUint24(a, b, 0) + c }

// recipUint returns 2^32 / a.
func recipUint(a, _, _ uint32) uint32 {
	if a <= 1 {
		return math.MaxUint32
	}
	return uint32((uint64(1) << 32) / uint64(a))
}

// firstHigh returns the zeros above the highest one, -1 if there is no one.
func firstHigh(a, _, _ uint32) uint32 {
	if a == 0 {
		return math.MaxUint32
	}
	return uint32(bits.LeadingZeros32(a))
}

func firstLow(a, _, _ uint32) uint32 {
	if a == 0 {
		return math.MaxUint32
	}
	return uint32(bits.TrailingZeros32(a))
}

// firstSign returns how many bits from the highest on are those of the sign, -1 if all are.
func firstSign(a, _, _ uint32) uint32 { return firstHigh(a^uint32(int32(a)>>31), 0, 0) }

func fieldMask(a, b, _ uint32) uint32 { return (1<<(a&31) - 1) << (b & 31) }

func extractUint(a, b, c uint32) uint32 { return a >> (b & 31) & (1<<(c&31) - 1) }

func extractInt(a, b, c uint32) uint32 {
	if c &= 31; c == 0 {
		return 0
	}
	return uint32(int32(extractUint(a, b, c)<<(32-c)) >> (32 - c))
}

func insert(a, b, c uint32) uint32 { return a&b | ^a&c }

func bitAlign(a, b, c uint32) uint32  { return uint32((uint64(a)<<32 | uint64(b)) >> (c & 31)) }
func byteAlign(a, b, c uint32) uint32 { return bitAlign(a, b, 8*(c&3)) }

// roundedInt returns the function of an integer that round makes of a number, the nearest one there is.
func roundedInt(round func(float64) float64) func(a, b, c uint32) uint32 {
	return func(a, _, _ uint32) uint32 {
		f := round(float64(number32(a)))
		if f != f {
			return 0
		}
		return uint32(int32(max(math.MinInt32, min(f, math.MaxInt32))))
	}
}

var floatToInt = roundedInt(math.Trunc)

func roundHalfUp(f float64) float64 { return math.Floor(f + 0.5) }

func floatToUint(a, _, _ uint32) uint32 {
	f := math.Trunc(float64(number32(a)))
	if !(f > 0) {
		return 0
	}
	return uint32(min(f, math.MaxUint32))
}

func intToFloat(a, _, _ uint32) uint32  { return math.Float32bits(float32(int32(a))) }
func uintToFloat(a, _, _ uint32) uint32 { return math.Float32bits(float32(a)) }

func byteToFloat(n int) func(a, b, c uint32) uint32 {
	return func(a, _, _ uint32) uint32 { return uintToFloat(a>>(8*n)&0xff, 0, 0) }
}

func floatToHalf(a, _, _ uint32) uint32 { return half.Round(a) }
func halfToFloat(a, _, _ uint32) uint32 { return half.ToSingle(a & 0xffff) }

// increment adds 1 to a number below the bound; others become 0.
func increment(old, bound, _ uint32) uint32 {
	if old >= bound {
		return 0
	}
	return old + 1
}

// decrement subtracts 1 from a number from 1 to the bound; others become the bound.
func decrement(old, bound, _ uint32) uint32 {
	if old == 0 || old > bound {
		return bound
	}
	return old - 1
}

// maskedOr clears the bits of a mask and sets those of data.
func maskedOr(old, mask, data uint32) uint32 { return old&^mask | data }

// compareStore stores data where the value before is what was expected.
func compareStore(old, expected, data uint32) uint32 {
	if old == expected {
		return data
	}
	return old
}
