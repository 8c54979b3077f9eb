package specjson

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/gcnsim/gcnsim/internal/tool/literal"
	"github.com/gcnsim/gcnsim/sim/spec"
)

// parseBit reads 0 or 1.
func parseBit(b []byte) (bool, error) {
	var n uint32
	if err := unmarshalInteger(b, &n, 32, false); err != nil || n <= 1 {
		return n == 1, err
	}
	return false, fmt.Errorf("%s is not 0 or 1", literal.Short(strings.Trim(string(b), `"`)))
}

// parseCount reads a number of things, of 32 bits.
func parseCount(b []byte) (int, error) {
	var n uint32
	err := unmarshalInteger(b, &n, 32, false)
	return int(n), err
}

// unmarshalInteger reads an integer of so many bits, a number or a string ("0x10", "16"), into n.
func unmarshalInteger[T ~uint32 | ~uint64](b []byte, n *T, bits int, signed bool) error {
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

// unquoted returns a number as JSON has it, or the text of a string.
func unquoted(b []byte) (string, error) {
	if b[0] != '"' {
		return string(b), nil
	}
	var s string
	err := json.Unmarshal(b, &s)
	return s, err
}

// parseFloat reads a number or a string ("1.5", "-inf", "nan") of single precision.
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

// parseNumber reads a number, or a string of one, whose type is not known yet.
func parseNumber(b []byte) (spec.Number, error) {
	if c := b[0]; c != '"' && c != '-' && (c < '0' || c > '9') {
		return "", fmt.Errorf("this is %s; give a number", kindOf(c))
	}
	s, err := unquoted(b)
	if err == nil && s == "" {
		err = errors.New("this is empty; give a number")
	}
	return spec.Number(s), err
}

// word is a machine word: eight hex digits as asm prints them, or any number.
type word uint32

// UnmarshalJSON reads eight hex digits, or what a number may be.
func (w *word) UnmarshalJSON(b []byte) error {
	var s string
	if json.Unmarshal(b, &s) != nil || strings.HasPrefix(strings.ToLower(s), "0x") {
		return unmarshalInteger(b, w, 32, true)
	}
	v, err := strconv.ParseUint(s, 16, 32)
	if err != nil || len(s) != 8 {
		return fmt.Errorf("%s is not a machine word; write eight hex digits", literal.Quoted(s))
	}
	*w = word(v)
	return nil
}

// extent is the size of a grid: one to three numbers of work-items.
type extent [3]uint32

func (e *extent) decodeFrom(d *decoder, path string) error {
	return d.array(path, func(i int) error {
		d.next()
		if i >= len(e) {
			return d.fail(d.at, path, "there are more than %d numbers", len(e))
		}
		at := d.at
		if err := unmarshalInteger(d.raw(), &e[i], 32, false); err != nil {
			return d.fail(at, fmt.Sprintf("%s[%d]", path, i), "%v", err)
		}
		return nil
	})
}

// parseHex reads hex digits, with or without 0x.
func parseHex(b []byte) ([]byte, error) {
	if b[0] != '"' {
		return nil, fmt.Errorf("this is %s; write two hex digits a byte", kindOf(b[0]))
	}
	digits := strings.TrimPrefix(string(b[1:len(b)-1]), "0x") // an escape is no hex digit
	v, err := hex.DecodeString(digits)
	if err != nil {
		return nil, fmt.Errorf("hex data: %w; write two hex digits a byte", err)
	}
	return v, nil
}
