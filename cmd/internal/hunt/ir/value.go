package ir

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// typ is the type of a number, or of a vector of two numbers.
type typ struct {
	bits  int
	float bool
	n     int // number of elements
}

// types are the types other than integers, by name.
var types = map[string]typ{
	"float": {32, true, 1}, "half": {16, true, 1}, "double": {64, true, 1},
	"<2 x half>": {16, true, 2}, "<2 x i16>": {16, false, 2},
}

// typeOf parses a type.
func typeOf(text string) (typ, error) {
	if t, known := types[text]; known {
		return t, nil
	}
	if bits, err := strconv.Atoi(strings.TrimPrefix(text, "i")); err == nil && text[0] == 'i' && bits >= 1 && bits <= 64 {
		return typ{bits, false, 1}, nil
	}
	return typ{}, fmt.Errorf("%q is no type of these programs", text)
}

func (t typ) String() string {
	for text, of := range types {
		if of == t {
			return text
		}
	}
	return fmt.Sprintf("i%d", t.bits)
}

// mask returns a mask with the bits of an element.
func (t typ) mask() uint64 { return math.MaxUint64 >> (64 - t.bits) }

// signed converts an element to a signed number.
func (t typ) signed(v uint64) int64 { return int64(v<<(64-t.bits)) >> (64 - t.bits) }

// value has a value for each lane. Bits above the type's width are 0.
type value struct {
	typ    typ
	v      [2][Lanes]uint64 // by element
	poison uint64           // mask of the lanes with poison
}

// literal parses a constant, such as -1, true, 0x7FF0000000000000 or <i16 8, i16 13>.
func literal(text string, t typ) (v value, err error) {
	v.typ = t
	if strings.HasPrefix(text, "<") {
		var of [2]uint64
		if _, err := fmt.Sscanf(text, "<i16 %d, i16 %d>", &of[0], &of[1]); err != nil || t != types["<2 x i16>"] {
			return v, fmt.Errorf("%q is no constant of %v", text, t)
		}
		for i := range of {
			for lane := range Lanes {
				v.v[i][lane] = of[i] & t.mask()
			}
		}
		return v, nil
	}
	var bits uint64
	switch {
	case text == "true":
		bits = 1
	case text == "false", text == "zeroinitializer":
	case t.float && strings.HasPrefix(text, "0x"): // the bits of a float64
		if bits, err = strconv.ParseUint(text[2:], 16, 64); err == nil {
			bits = fromFloat(t, math.Float64frombits(bits))
		}
	case t.float:
		var f float64
		if f, err = strconv.ParseFloat(text, 64); err == nil {
			bits = fromFloat(t, f)
		}
	default:
		var n int64
		if n, err = strconv.ParseInt(text, 10, 64); err == nil {
			bits = uint64(n) & t.mask()
		}
	}
	if err != nil {
		return v, fmt.Errorf("%q is no constant of %v", text, t)
	}
	for i := range t.n {
		for lane := range Lanes {
			v.v[i][lane] = bits
		}
	}
	return v, nil
}
