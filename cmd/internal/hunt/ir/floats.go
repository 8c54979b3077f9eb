package ir

import (
	"math"

	"github.com/gcnsim/gcnsim/internal/base/half"
)

// toFloat converts the bits of a float type to a float64.
func toFloat(t typ, v uint64) float64 {
	switch t.bits {
	case 16:
		return float64(math.Float32frombits(half.ToSingle(uint32(v))))
	case 32:
		return float64(math.Float32frombits(uint32(v)))
	}
	return math.Float64frombits(v)
}

// fromFloat converts a float64 to the bits of a float type, rounded to nearest even.
func fromFloat(t typ, f float64) uint64 {
	switch t.bits {
	case 16:
		return uint64(half.Round64(f))
	case 32:
		return uint64(math.Float32bits(float32(f)))
	}
	return math.Float64bits(f)
}

// fromInt and fromUint convert an integer to a float type with one rounding.
func fromInt(t typ, v int64) uint64 {
	if t.bits == 32 {
		return uint64(math.Float32bits(float32(v)))
	}
	return fromFloat(t, float64(v))
}

func fromUint(t typ, v uint64) uint64 {
	if t.bits == 32 {
		return uint64(math.Float32bits(float32(v)))
	}
	return fromFloat(t, float64(v))
}

// isNaN reports whether an element of a float type is a NaN.
func isNaN(t typ, v uint64) bool { return math.IsNaN(toFloat(t, v)) }

// isDenormal reports whether an element is a denormal, which some modes flush to 0.
func isDenormal(t typ, v uint64) bool {
	f := math.Abs(toFloat(t, v))
	least := map[int]int{16: -14, 32: -126, 64: -1022}[t.bits]
	return f != 0 && f < math.Ldexp(1, least)
}

// floats computes an operation on floats in float64, for operations whose result is then exact or rounds correctly to
// the type, such as sums and products of float and half. A denormal is undefined, because modes may flush it.
func (m *machine) floats(t typ, in []*value, op func(v []float64) float64) (*value, error) {
	numbers := make([]float64, len(in))
	denormal := false
	r := m.each(t, in, func(v []uint64) (uint64, bool) {
		for i := range v {
			numbers[i] = toFloat(t, v[i])
			denormal = denormal || isDenormal(t, v[i])
		}
		result := fromFloat(t, op(numbers))
		denormal = denormal || isDenormal(t, result)
		return result, true
	})
	if denormal {
		return nil, undefined("a number is a denormal")
	}
	return r, nil
}

// floatOps are operations on two floats. A float32 product or sum that is rounded to float64 and then to float32 is
// correct, because float64 has more than twice the digits.
var floatOps = map[string]func(a, b float64) float64{
	"fadd": func(a, b float64) float64 { return a + b },
	"fsub": func(a, b float64) float64 { return a - b },
	"fmul": func(a, b float64) float64 { return a * b },
}

// resized converts between float types. ok is false for denormals, which modes may flush.
func resized(from, to typ, v uint64) (r uint64, ok bool) {
	r = fromFloat(to, toFloat(from, v))
	return r, !isDenormal(from, v) && !isDenormal(to, r)
}
