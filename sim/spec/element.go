package spec

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

// Element is the type of the elements of data.
type Element uint8

// elementType says how elements are stored.
type elementType struct {
	name     string
	bytes    int
	signed   bool // an integer that may be negative
	mantissa int  // bits of the mantissa of a float, 0 of an integer
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
	numElements = iota
)

var elementTypes = [numElements]elementType{
	U32: {name: "u32", bytes: 4}, I32: {name: "i32", bytes: 4, signed: true}, F32: {name: "f32", bytes: 4, mantissa: 23},
	F16: {name: "f16", bytes: 2, mantissa: 10}, F64: {name: "f64", bytes: 8, mantissa: 52}, U8: {name: "u8", bytes: 1},
	I8: {name: "i8", bytes: 1, signed: true}, U16: {name: "u16", bytes: 2}, I16: {name: "i16", bytes: 2, signed: true},
	U64: {name: "u64", bytes: 8}, I64: {name: "i64", bytes: 8, signed: true},
}

var _ = enum.Full[Element](elementTypes[:])

// String returns the name of the type, as in "f32".
func (e Element) String() string {
	if int(e) >= len(elementTypes) {
		return enum.Number(e)
	}
	return elementTypes[e].name
}

// MarshalText returns the name of the type.
func (e Element) MarshalText() ([]byte, error) { return []byte(e.String()), nil }

// UnmarshalText reads the name of a type.
func (e *Element) UnmarshalText(name []byte) error {
	var names []string
	for i, t := range elementTypes {
		if t.name == string(name) {
			*e = Element(i)
			return nil
		}
		names = append(names, t.name)
	}
	return fmt.Errorf("%s is no type of elements; known are %s", literal.Short(string(name)), strings.Join(names, ", "))
}

// Format returns the elements of data as text: floats and signed integers in decimal, unsigned
// integers in hex digits. The last element may be cut off.
func (e Element) Format(data []byte) []string {
	t := e.typ()
	var all []string
	for i := 0; i < len(data); i += t.bytes {
		all = append(all, t.text(t.get(data[i:min(i+t.bytes, len(data))])))
	}
	return all
}

// check returns an error if the Element is not one of the constants.
func (e Element) check() error {
	if int(e) >= len(elementTypes) {
		return fmt.Errorf("%v is no type of elements", e)
	}
	return nil
}

// typ returns how elements are stored: as U32 if e is not one of the constants.
func (e Element) typ() *elementType {
	if int(e) >= len(elementTypes) {
		e = U32
	}
	return &elementTypes[e]
}

// bits returns how many bits an element has.
func (t *elementType) bits() int { return 8 * t.bytes }

// mask has all bits of an element.
func (t *elementType) mask() uint64 { return math.MaxUint64 >> (64 - t.bits()) }

// sign is the highest bit of an element.
func (t *elementType) sign() uint64 { return 1 << (t.bits() - 1) }

// infinity returns the bits of positive infinity, of a float.
func (t *elementType) infinity() uint64 { return t.sign() - 1<<t.mantissa }

// put writes an element, or as many low bytes of it as b has.
func (t *elementType) put(b []byte, v uint64) {
	var all [8]byte
	binary.LittleEndian.PutUint64(all[:], v)
	copy(b, all[:t.bytes])
}

// get returns the element at the start of b, or what there is of it.
func (t *elementType) get(b []byte) uint64 {
	var all [8]byte
	copy(all[:t.bytes], b)
	return binary.LittleEndian.Uint64(all[:])
}

// float returns the number that the bits of a float are.
func (t *elementType) float(v uint64) float64 {
	switch t.bytes {
	case 2:
		v = uint64(half.ToSingle(uint32(v)))
		fallthrough
	case 4:
		return float64(math.Float32frombits(uint32(v)))
	}
	return math.Float64frombits(v)
}

// fromFloat returns the bits of the float that is nearest to x.
func (t *elementType) fromFloat(x float64) uint64 {
	if t.bytes == 8 {
		return math.Float64bits(x)
	}
	v := math.Float32bits(float32(x))
	if t.bytes == 2 {
		v = half.Round(v)
	}
	return uint64(v)
}

// text returns the element as a message shows it.
func (t *elementType) text(v uint64) string {
	switch {
	case t.mantissa > 0:
		return strconv.FormatFloat(t.float(v), 'g', -1, max(t.bits(), 32))
	case t.signed:
		shift := 64 - t.bits()
		return strconv.FormatInt(int64(v<<shift)>>shift, 10)
	}
	return t.hex(v)
}

// hex returns all bits of an element.
func (t *elementType) hex(v uint64) string { return fmt.Sprintf("0x%0*x", 2*t.bytes, v) }

// Number is a number as text, as in "-1.5", "1e-6" or "0x10": whether it fits depends on the type of
// the elements that it is for, and integers of 64 bits fit no float. The empty string means that no
// number is given.
type Number string

// float returns n as a number of 64 bits.
func (n Number) float() (float64, error) {
	v, err := strconv.ParseFloat(string(n), 64)
	switch {
	case errors.Is(err, strconv.ErrRange):
		return 0, fmt.Errorf("%s does not fit double precision", literal.Short(string(n)))
	case err != nil:
		return 0, fmt.Errorf("%s is not a number; write 1.5 or \"1.5\"", literal.Short(string(n)))
	}
	return v, nil
}

// of returns n as bits of an element. It is an error if it does not fit, or is no finite
// number.
func (n Number) of(t *elementType) (uint64, error) {
	misfit := fmt.Errorf("%s does not fit %s", literal.Short(string(n)), t.name)
	if t.mantissa > 0 {
		x, err := n.float()
		if err != nil {
			return 0, err
		}
		if v := t.fromFloat(x); v&^t.sign() < t.infinity() {
			return v, nil
		}
		return 0, misfit
	}
	v, negative, err := literal.Integer(string(n))
	most := t.mask()
	if t.signed {
		most >>= 1
	}
	switch {
	case err != nil:
		return 0, err
	case negative && (!t.signed || -v > t.sign()), !negative && v > most:
		return 0, misfit
	}
	return v & t.mask(), nil
}
