package r600

import "math"

// flushed returns a number with denormals replaced by 0. Float units neither read nor write denormals.
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

// ofTurns converts a function of an angle in radians to one of an angle in units of a full circle.
func ofTurns(op func(float64) float64) func(float32) float32 {
	return func(a float32) float32 { return float32(op(2 * math.Pi * float64(a))) }
}

// clamped replaces an infinite result of op by the largest number.
func clamped(op func(float32) float32) func(float32) float32 {
	return func(a float32) float32 { return max(min(op(a), math.MaxFloat32), -math.MaxFloat32) }
}

func add(a, b float32) float32 { return a + b }
func mul(a, b float32) float32 { return a * b }

// mulLegacy multiplies. The product is 0 if a factor is 0, even if the other one is infinite or a NaN.
func mulLegacy(a, b float32) float32 {
	if a == 0 || b == 0 {
		return 0
	}
	return a * b
}

// mulAdd returns a function that computes (product + c) * factor. The product is rounded before the sum.
func mulAdd(product func(a, b float32) float32, factor float32) func(a, b, c float32) float32 {
	return func(a, b, c float32) float32 {
		p := product(a, b)
		return (p + c) * factor
	}
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

// choose returns a function that returns b if the condition holds for a and 0, and c otherwise.
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

func and(a, b, _ uint32) uint32         { return a & b }
func or(a, b, _ uint32) uint32          { return a | b }
func xor(a, b, _ uint32) uint32         { return a ^ b }
func not(a, _, _ uint32) uint32         { return ^a }
func addInt(a, b, _ uint32) uint32      { return a + b }
func subInt(a, b, _ uint32) uint32      { return a - b }
func maxInt(a, b, _ uint32) uint32      { return uint32(max(int32(a), int32(b))) }
func minInt(a, b, _ uint32) uint32      { return uint32(min(int32(a), int32(b))) }
func maxUint(a, b, _ uint32) uint32     { return max(a, b) }
func minUint(a, b, _ uint32) uint32     { return min(a, b) }
func ashr(a, b, _ uint32) uint32        { return uint32(int32(a) >> (b & 31)) }
func lshr(a, b, _ uint32) uint32        { return a >> (b & 31) }
func lshl(a, b, _ uint32) uint32        { return a << (b & 31) }
func mulLow(a, b, _ uint32) uint32      { return a * b }
func mulHighInt(a, b, _ uint32) uint32  { return uint32(int64(int32(a)) * int64(int32(b)) >> 32) }
func mulHighUint(a, b, _ uint32) uint32 { return uint32(uint64(a) * uint64(b) >> 32) }

// recipUint computes 2^32 / a.
func recipUint(a, _, _ uint32) uint32 {
	if a <= 1 {
		return math.MaxUint32
	}
	return uint32((uint64(1) << 32) / uint64(a))
}

// floatToInt rounds toward zero. Numbers outside of the range of integers are clamped.
func floatToInt(a, _, _ uint32) uint32 {
	f := math.Trunc(float64(number32(a)))
	if f != f {
		return 0
	}
	return uint32(int32(max(math.MinInt32, min(f, math.MaxInt32))))
}

func floatToUint(a, _, _ uint32) uint32 {
	f := math.Trunc(float64(number32(a)))
	if !(f > 0) {
		return 0
	}
	return uint32(min(f, math.MaxUint32))
}

func intToFloat(a, _, _ uint32) uint32  { return math.Float32bits(float32(int32(a))) }
func uintToFloat(a, _, _ uint32) uint32 { return math.Float32bits(float32(a)) }
