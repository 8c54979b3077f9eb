package element

import (
	"errors"
	"fmt"
	"math"

	"github.com/gcnsim/gcnsim/internal/tool/literal"
)

// Tolerance is the largest allowed difference between an element and its expected value.
type Tolerance struct {
	*Type
	Bits bool // NaNs must be equal including their payloads
	NaNs bool // only NaNs may differ

	distance           uint64 // largest difference of integers
	withULP            bool
	ulp                uint64
	absolute, relative float64 // largest differences of floats
}

// Tolerates reports whether one of these allows a difference. ulp counts floats between two values; nil and "" allow
// none.
func Tolerates(ulp *uint64, absolute, relative Number) bool {
	return ulp != nil || absolute != "" || relative != ""
}

// NewTolerance returns the tolerance for elements of type t that satisfies one of the arguments; see [Tolerates]. If
// bits is set, floats must be equal bit for bit. Errors begin with the key of an expectation in a specification.
func NewTolerance(t *Type, bits bool, ulp *uint64, absolute, relative Number) (x Tolerance, err error) {
	x = Tolerance{Type: t, Bits: bits}
	float := x.Mantissa > 0
	switch {
	case bits && !float:
		return x, fmt.Errorf("bits has no effect, %s is always compared bit for bit; leave it out", x.Name)
	case bits && Tolerates(ulp, absolute, relative):
		return x, errors.New("bits allows no difference, but a tolerance is given; leave one out")
	case !float && (ulp != nil || relative != ""):
		return x, fmt.Errorf("ulp and relative are for floats, not for %s; give as, or absolute", x.Name)
	}
	if ulp != nil {
		x.withULP, x.ulp = true, *ulp
	}
	if !float && absolute != "" {
		if x.distance, err = Of(U64).Parse(absolute); err != nil {
			return x, fmt.Errorf("absolute: %w", err)
		}
		return x, nil
	}
	for _, t := range []struct {
		key  string
		n    Number
		into *float64
	}{{"absolute", absolute, &x.absolute}, {"relative", relative, &x.relative}} {
		if t.n == "" {
			continue
		}
		if *t.into, err = Float(t.n); err == nil && !(*t.into >= 0 && *t.into <= math.MaxFloat64) {
			err = fmt.Errorf("%s is no tolerance; give a finite number, 0 or more", literal.Short(string(t.n)))
		}
		if err != nil {
			return x, fmt.Errorf("%s: %w", t.key, err)
		}
	}
	return x, nil
}

// Near reports whether got equals want within the tolerance.
func (x *Tolerance) Near(want, got uint64) bool {
	switch {
	case want == got:
		return true
	case x.Mantissa == 0:
		a, b := x.Order(want), x.Order(got)
		return max(a, b)-min(a, b) <= x.distance
	case x.Bits:
		return false
	case want&^x.Sign() >= x.Infinity() || got&^x.Sign() >= x.Infinity():
		return want&^x.Sign() > x.Infinity() && got&^x.Sign() > x.Infinity() // true if both are NaN
	case x.NaNs:
		return false
	case x.withULP && x.ULPs(want, got) <= x.ulp:
		return true
	}
	a, b := x.Float(want), x.Float(got)
	off := math.Abs(a - b)
	return off <= x.absolute || off <= x.relative*math.Abs(a)
}

// ULPs returns the number of floats between want and got. Both zeros count as one number.
func (t *Type) ULPs(want, got uint64) uint64 {
	a, b := want&^t.Sign(), got&^t.Sign()
	if (want^got)&t.Sign() != 0 {
		return a + b
	}
	return max(a, b) - min(a, b)
}

// Order returns a number that is larger for larger elements.
func (t *Type) Order(v uint64) uint64 {
	switch {
	case t.Mantissa > 0 && v&t.Sign() != 0:
		return t.Mask() - v
	case t.Mantissa > 0, t.Signed:
		return v ^ t.Sign()
	}
	return v
}
