package spec

import (
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/go-json-experiment/json/v1"

	"github.com/gcnsim/gcnsim/internal/sim/element"
	"github.com/gcnsim/gcnsim/internal/tool/literal"
)

// parseBit reads 0 or 1.
func parseBit(b []byte) (bool, error) {
	var n uint32
	if err := integer(b, &n, 32, false); err != nil || n <= 1 {
		return n == 1, err
	}
	return false, fmt.Errorf("%s is not 0 or 1", literal.Short(strings.Trim(string(b), `"`)))
}

// integer parses an integer of bits bits, a number or a string ("0x10", "16"), to n.
func integer[T ~uint32 | ~uint64](b []byte, n *T, bits int, signed bool) error {
	text, err := unquoted(b)
	if err != nil {
		return err
	}
	v, negative, err := literal.Integer(text)
	switch text = literal.Short(text); {
	case err != nil:
		return err
	case negative && !signed:
		return fmt.Errorf("%s is negative", text)
	case negative && int64(v) < -1<<(bits-1), !negative && bits < 64 && v>>bits != 0:
		return fmt.Errorf("%s does not fit %d bits", text, bits)
	}
	*n = T(v)
	return nil
}

// unquoted returns the text of a JSON number, or of a string.
func unquoted(b []byte) (string, error) {
	if b[0] != '"' {
		return string(b), nil
	}
	var s string
	err := json.Unmarshal(b, &s)
	return s, err
}

// parseFloat parses a single-precision number or string ("1.5", "-inf", "nan").
func parseFloat(b []byte) (float32, error) {
	s, err := unquoted(b)
	if err != nil {
		return 0, err
	}
	v, err := strconv.ParseFloat(s, 32)
	switch {
	case errors.Is(err, strconv.ErrRange):
		return 0, fmt.Errorf("%s does not fit single precision", literal.Short(s))
	case err != nil:
		return 0, fmt.Errorf("%s is not a number; write 1.5, \"1.5\", \"inf\" or \"nan\"", literal.Short(s))
	}
	return float32(v), nil
}

// parseNumber parses a number, or a string with a number, whose type is not known yet.
func parseNumber(b []byte) (Number, error) {
	if c := b[0]; c != '"' && c != '-' && (c < '0' || c > '9') {
		return "", fmt.Errorf("this is %s; give a number", kindOf(jsontext.Kind(c)))
	}
	s, err := unquoted(b)
	if err == nil && s == "" {
		err = errors.New("this is empty; give a number")
	}
	return Number(s), err
}

// word is a machine word in a request.
type word uint32

// parseWord parses a machine word: eight hex digits as the command asm prints them, or any number.
func parseWord(b []byte) (n uint32, err error) {
	var s string
	if json.Unmarshal(b, &s) != nil || strings.HasPrefix(strings.ToLower(s), "0x") {
		return n, integer(b, &n, 32, true)
	}
	v, err := strconv.ParseUint(s, 16, 32)
	if err != nil || len(s) != 8 {
		return 0, fmt.Errorf("%s is not a machine word; write eight hex digits", literal.Quoted(s))
	}
	return uint32(v), nil
}

// signed are the keys whose integers are bit patterns and may be written as negative numbers.
var signed = map[string]bool{"exec": true, "vcc": true, "m0": true, "mode": true, "flat_scratch": true, "addr": true,
	"entry": true, "user": true, "tmp_ring": true, "private_base": true, "border_colors": true, "tma": true, "u32": true,
	"u64": true, "tile_mode": true, "macrotile_mode": true, "gb_addr_config": true}

// positive are the keys whose integers must not be 0, with the error text for 0.
var positive = map[string]string{"max_instructions": "no instruction may run; give 1 or more",
	"max_flat_workgroup_size": "no work-item may run; give 1 or more",
	"waves":                   "0 is not in 1 to 16, what a work-group can have"}

// integerOf parses an integer of bits bits, the value that dec read last.
func integerOf[T ~uint32 | ~uint64](dec *jsontext.Decoder, b []byte, n *T, bits int) error {
	err := integer(b, n, bits, false)
	if text, _ := unquoted(b); err != nil && strings.HasPrefix(text, "-") && signed[lastKey(dec)] {
		return integer(b, n, bits, true)
	}
	if err == nil && *n == 0 {
		if what := positive[lastKey(dec)]; what != "" {
			return &valueError{errors.New(what)}
		}
	}
	return err
}

// parseParameter parses the value of a parameter: an integer, or true or false for 1 or 0.
func parseParameter(b []byte) (int64, error) {
	switch string(b) {
	case "true":
		return 1, nil
	case "false":
		return 0, nil
	}
	text, err := unquoted(b)
	if err != nil {
		return 0, &valueError{err}
	}
	v, negative, err := literal.Integer(text)
	if err == nil && !negative && v > math.MaxInt64 {
		err = fmt.Errorf("%s is far too large", literal.Short(text))
	}
	if err != nil {
		return 0, &valueError{err}
	}
	return int64(v), nil
}

// parseHex parses hex digits, with or without 0x.
func parseHex(b []byte) ([]byte, error) {
	if b[0] != '"' {
		return nil, fmt.Errorf("this is %s; write two hex digits a byte", kindOf(jsontext.Kind(b[0])))
	}
	digits := strings.TrimPrefix(string(b[1:len(b)-1]), "0x") // an escape sequence is not a hex digit
	v, err := hex.DecodeString(digits)
	if err != nil {
		return nil, fmt.Errorf("hex data: %w; write two hex digits a byte", err)
	}
	return v, nil
}

// Element is the type of the elements in a block of data.
type Element = element.Element

// The types of elements. All are little-endian.
const (
	U32 = element.U32
	I32 = element.I32
	F32 = element.F32
	F16 = element.F16
	F64 = element.F64
	U8  = element.U8
	I8  = element.I8
	U16 = element.U16
	I16 = element.I16
	U64 = element.U64
	I64 = element.I64
)

// Number is a number as text, for example "-1.5", "1e-6" or "0x10". The empty string means that no number is given.
type Number = element.Number
