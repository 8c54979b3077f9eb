// Package element defines the element types of data in memory: how they are stored, formatted as text, and compared
// within a tolerance.
package element

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/gcnsim/gcnsim/internal/base/half"
	"github.com/gcnsim/gcnsim/internal/tool/enum"
	"github.com/gcnsim/gcnsim/internal/tool/literal"
)

// Element is the type of the elements in a block of data.
type Element uint8

// Type describes how elements are stored.
type Type struct {
	Name     string
	Bytes    int
	Signed   bool // an integer that may be negative
	Mantissa int  // bits of a float's mantissa, 0 for integers
}

// The types of elements. All are little-endian.
const (
	U32 Element = iota
	I32
	F32
	F16
	F64
	U8
	I8
	U16
	I16
	U64
	I64
	Count = iota
)

var types = [Count]Type{
	U32: {Name: "u32", Bytes: 4}, I32: {Name: "i32", Bytes: 4, Signed: true}, F32: {Name: "f32", Bytes: 4, Mantissa: 23},
	F16: {Name: "f16", Bytes: 2, Mantissa: 10}, F64: {Name: "f64", Bytes: 8, Mantissa: 52}, U8: {Name: "u8", Bytes: 1},
	I8: {Name: "i8", Bytes: 1, Signed: true}, U16: {Name: "u16", Bytes: 2}, I16: {Name: "i16", Bytes: 2, Signed: true},
	U64: {Name: "u64", Bytes: 8}, I64: {Name: "i64", Bytes: 8, Signed: true},
}

var _ = enum.Full[Element](types[:])

// String returns the name of the type, for example "f32".
func (e Element) String() string {
	if int(e) >= len(types) {
		return enum.Number(e)
	}
	return types[e].Name
}

// MarshalText returns the name of the type.
func (e Element) MarshalText() ([]byte, error) { return []byte(e.String()), nil }

// UnmarshalText parses the name of a type.
func (e *Element) UnmarshalText(name []byte) error {
	var names []string
	for i, t := range types {
		if t.Name == string(name) {
			*e = Element(i)
			return nil
		}
		names = append(names, t.Name)
	}
	return fmt.Errorf("%s is no type of elements; known are %s", literal.Short(string(name)), strings.Join(names, ", "))
}

// Format returns the elements of data as text: floats and signed integers in decimal, unsigned integers in hex
// digits. The last element may be incomplete.
func (e Element) Format(data []byte) []string {
	t := Of(e)
	var all []string
	for i := 0; i < len(data); i += t.Bytes {
		all = append(all, t.Text(t.Get(data[i:min(i+t.Bytes, len(data))])))
	}
	return all
}

// Check returns an error if e is not one of the constants.
func Check(e Element) error {
	if int(e) >= len(types) {
		return fmt.Errorf("%v is no type of elements", e)
	}
	return nil
}

// Of returns the type of e, or that of U32 if e is not one of the constants.
func Of(e Element) *Type {
	if int(e) >= len(types) {
		e = U32
	}
	return &types[e]
}

// Bits returns the number of bits in an element.
func (t *Type) Bits() int { return 8 * t.Bytes }

// Mask returns a value with all bits of an element set.
func (t *Type) Mask() uint64 { return math.MaxUint64 >> (64 - t.Bits()) }

// Sign returns a value with the highest bit of an element set.
func (t *Type) Sign() uint64 { return 1 << (t.Bits() - 1) }

// Infinity returns the bits of positive infinity for a float type.
func (t *Type) Infinity() uint64 { return t.Sign() - 1<<t.Mantissa }

// Put writes an element to b, or as many of its low bytes as b has.
func (t *Type) Put(b []byte, v uint64) {
	var all [8]byte
	binary.LittleEndian.PutUint64(all[:], v)
	copy(b, all[:t.Bytes])
}

// Get returns the element at the start of b, which may be shorter than an element.
func (t *Type) Get(b []byte) uint64 {
	var all [8]byte
	copy(all[:t.Bytes], b)
	return binary.LittleEndian.Uint64(all[:])
}

// Float returns the value of the float with bits v.
func (t *Type) Float(v uint64) float64 {
	switch t.Bytes {
	case 2:
		v = uint64(half.ToSingle(uint32(v)))
		fallthrough
	case 4:
		return float64(math.Float32frombits(uint32(v)))
	}
	return math.Float64frombits(v)
}

// NumClasses is the number of classes of floats.
const NumClasses = 10

// Class returns the class of a float: its bit in the mask of V_CMP_CLASS. Source: AMD GCN ISA manuals.
func (t *Type) Class(v uint64) int {
	negative, magnitude := v&t.Sign() != 0, v&^t.Sign()
	class := 6 // +0; the negative classes count down from 5
	switch {
	case magnitude > t.Infinity():
		return int(magnitude >> (t.Mantissa - 1) & 1)
	case magnitude == t.Infinity():
		class = 9
	case magnitude >= 1<<t.Mantissa:
		class = 8
	case magnitude > 0:
		class = 7
	}
	if negative {
		return 11 - class
	}
	return class
}

// FromFloat returns the bits of the float nearest to x.
func (t *Type) FromFloat(x float64) uint64 {
	if t.Bytes == 8 {
		return math.Float64bits(x)
	}
	v := math.Float32bits(float32(x))
	if t.Bytes == 2 {
		v = half.Round(v)
	}
	return uint64(v)
}

// Text returns an element as text for messages.
func (t *Type) Text(v uint64) string {
	switch {
	case t.Mantissa > 0:
		return strconv.FormatFloat(t.Float(v), 'g', -1, max(t.Bits(), 32))
	case t.Signed:
		shift := 64 - t.Bits()
		return strconv.FormatInt(int64(v<<shift)>>shift, 10)
	}
	return t.Hex(v)
}

// Hex returns all bits of an element in hex.
func (t *Type) Hex(v uint64) string { return fmt.Sprintf("0x%0*x", 2*t.Bytes, v) }

// Number is a number as text, for example "-1.5", "1e-6" or "0x10". Whether it is valid depends on the element type;
// integers of 64 bits are valid for no float type. The empty string means that no number is given.
type Number string

// Float returns n as a float64.
func Float(n Number) (float64, error) {
	v, err := strconv.ParseFloat(string(n), 64)
	switch {
	case errors.Is(err, strconv.ErrRange):
		return 0, fmt.Errorf("%s does not fit double precision", literal.Short(string(n)))
	case err != nil:
		return 0, fmt.Errorf("%s is not a number; write 1.5 or \"1.5\"", literal.Short(string(n)))
	}
	return v, nil
}

// Parse returns a number as the bits of an element. It returns an error if it does not fit, or is not finite.
func (t *Type) Parse(n Number) (uint64, error) {
	misfit := fmt.Errorf("%s does not fit %s", literal.Short(string(n)), t.Name)
	if t.Mantissa > 0 {
		x, err := Float(n)
		if err != nil {
			return 0, err
		}
		if v := t.FromFloat(x); v&^t.Sign() < t.Infinity() {
			return v, nil
		}
		return 0, misfit
	}
	v, negative, err := literal.Integer(string(n))
	most := t.Mask()
	if t.Signed {
		most >>= 1
	}
	switch {
	case err != nil:
		return 0, err
	case negative && (!t.Signed || -v > t.Sign()), !negative && v > most:
		return 0, misfit
	}
	return v & t.Mask(), nil
}

// Named returns the element type for an OpenCL or HIP type name such as "float4*". known is false for other names.
func Named(name string) (as Element, known bool) {
	name = strings.TrimRight(strings.TrimSpace(name), "* ")
	for _, word := range []string{"const ", "volatile ", "restrict ", "__global ", "struct "} {
		name = strings.TrimPrefix(name, word)
	}
	base := strings.TrimRight(name, "0123456789")
	if width, err := strconv.Atoi(name[len(base):]); err == nil && width > 16 {
		return U32, false
	}
	as, known = map[string]Element{
		"float": F32, "half": F16, "double": F64, "char": I8, "uchar": U8, "unsigned char": U8, "short": I16, "ushort": U16,
		"unsigned short": U16, "int": I32, "uint": U32, "unsigned int": U32, "unsigned": U32, "long": I64, "ulong": U64,
		"unsigned long": U64,
	}[base]
	return as, known
}
