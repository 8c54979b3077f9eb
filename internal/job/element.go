package job

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/gcnsim/gcnsim/internal/enum"
	"github.com/gcnsim/gcnsim/internal/half"
)

// element is the type of the elements of data.
type element uint8

// elementType says how elements are stored.
type elementType struct {
	name     string
	bytes    int
	signed   bool // an integer that may be negative
	mantissa int  // bits of the mantissa of a float, 0 of an integer
}

// The types of elements.
const (
	u32 element = iota
	i32
	f32
	f16
	f64
	u8
	i8
	u16
	i16
	u64
	i64
	numElements = iota
)

var elementTypes = [numElements]elementType{
	u32: {name: "u32", bytes: 4}, i32: {name: "i32", bytes: 4, signed: true},
	f32: {name: "f32", bytes: 4, mantissa: 23}, f16: {name: "f16", bytes: 2, mantissa: 10}, f64: {name: "f64", bytes: 8, mantissa: 52},
	u8: {name: "u8", bytes: 1}, i8: {name: "i8", bytes: 1, signed: true}, u16: {name: "u16", bytes: 2}, i16: {name: "i16", bytes: 2, signed: true},
	u64: {name: "u64", bytes: 8}, i64: {name: "i64", bytes: 8, signed: true},
}

var _ = enum.Full[element](elementTypes[:])

// UnmarshalJSON reads the name of a type.
func (e *element) UnmarshalJSON(b []byte) error {
	var name string
	if json.Unmarshal(b, &name) == nil {
		for i, t := range elementTypes {
			if t.name == name {
				*e = element(i)
				return nil
			}
		}
	}
	var names []string
	for _, t := range elementTypes {
		names = append(names, t.name)
	}
	return fmt.Errorf("%s is no type of elements; known are %s", plain(b), strings.Join(names, ", "))
}

func (e element) typ() *elementType { return &elementTypes[e] }

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

// numeral is a number as a request writes it, until it is known of which type it is; "" is
// none.
type numeral string

// UnmarshalJSON reads a number or a string.
func (n *numeral) UnmarshalJSON(b []byte) error {
	if c := b[0]; c != '"' && c != '-' && (c < '0' || c > '9') {
		return fmt.Errorf("this is %s; give a number", kindOf(c))
	}
	*n = numeral(b)
	return nil
}

// float returns n as a number of 64 bits.
func (n numeral) float() (float64, error) {
	v, err := strconv.ParseFloat(strings.Trim(string(n), `"`), 64)
	switch {
	case errors.Is(err, strconv.ErrRange):
		return 0, fmt.Errorf("%s does not fit double precision", plain([]byte(n)))
	case err != nil:
		return 0, fmt.Errorf("%s is not a number; write 1.5 or \"1.5\"", plain([]byte(n)))
	}
	return v, nil
}

// of returns n as bits of an element. It is an error if it does not fit, or is no finite
// number.
func (n numeral) of(t *elementType) (uint64, error) {
	misfit := fmt.Errorf("%s does not fit %s", plain([]byte(n)), t.name)
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
	v, negative, err := integer([]byte(n))
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
