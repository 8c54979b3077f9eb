package job

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Integers of a request, which JSON gives as numbers or as strings ("0x10", "16").
// Registers and addresses may be negative: that is their complement.
type (
	bits32  uint32
	bits64  uint64
	count32 uint32
	count64 uint64
	bit     uint32
)

// UnmarshalJSON reads 32 bits.
func (n *bits32) UnmarshalJSON(b []byte) error { return unmarshalInteger(b, n, 32, true) }

// UnmarshalJSON reads 64 bits.
func (n *bits64) UnmarshalJSON(b []byte) error { return unmarshalInteger(b, n, 64, true) }

// UnmarshalJSON reads a number of things.
func (n *count32) UnmarshalJSON(b []byte) error { return unmarshalInteger(b, n, 32, false) }

// UnmarshalJSON reads a number of things.
func (n *count64) UnmarshalJSON(b []byte) error { return unmarshalInteger(b, n, 64, false) }

// UnmarshalJSON reads 0 or 1.
func (n *bit) UnmarshalJSON(b []byte) error {
	if err := unmarshalInteger(b, n, 32, false); err != nil || *n <= 1 {
		return err
	}
	return fmt.Errorf("%s is not 0 or 1", plain(b))
}

// unmarshalInteger reads an integer of so many bits into n.
func unmarshalInteger[T ~uint32 | ~uint64](b []byte, n *T, bits int, signed bool) error {
	v, negative, err := integer(b)
	switch text := plain(b); {
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

// integer reads a number or a string, decimal or with 0x. A negative one is returned as
// its complement.
func integer(b []byte) (v uint64, negative bool, err error) {
	s := string(b)
	if b[0] == '"' {
		if err := json.Unmarshal(b, &s); err != nil {
			return 0, false, err
		}
	}
	digits, negative := strings.CutPrefix(s, "-")
	if rest, ok := strings.CutPrefix(strings.ToLower(digits), "0x"); ok {
		v, err = strconv.ParseUint(rest, 16, 64)
	} else {
		v, err = strconv.ParseUint(digits, 10, 64)
	}
	switch {
	case errors.Is(err, strconv.ErrRange), negative && v > 1<<63:
		return 0, false, fmt.Errorf("%s does not fit 64 bits", plain(b))
	case err != nil:
		return 0, false, fmt.Errorf("%s is not an integer; write 16, \"16\" or \"0x10\"", plain(b))
	case negative:
		return -v, true, nil
	}
	return v, false, nil
}

// plain is a number or a string as a message shows it: without quotes, and not more than a
// line of it.
func plain(b []byte) string {
	const most = 60
	if s := strings.Trim(string(b), `"`); len(s) <= most {
		return s
	}
	return string(b[:most]) + "..."
}

// float is a single-precision number, which JSON gives as a number or as a string ("1.5",
// "-inf", "nan").
type float float32

// UnmarshalJSON reads a number or a string.
func (f *float) UnmarshalJSON(b []byte) error {
	s := string(b)
	if b[0] == '"' {
		if err := json.Unmarshal(b, &s); err != nil {
			return err
		}
	}
	v, err := strconv.ParseFloat(s, 32)
	switch {
	case errors.Is(err, strconv.ErrRange):
		return fmt.Errorf("%s does not fit single precision", plain(b))
	case err != nil:
		return fmt.Errorf("%s is not a number; write 1.5, \"1.5\", \"inf\" or \"nan\"", plain(b))
	}
	*f = float(v)
	return nil
}

// numbers is one number or an array of them.
type numbers struct {
	values []uint32
	single bool
}

func (l *numbers) decodeFrom(d *decoder, path string) error {
	var n bits32
	if l.single = d.next() != '['; l.single {
		at := d.at
		if err := n.UnmarshalJSON(d.raw()); err != nil {
			return d.fail(at, path, "%v", err)
		}
		l.values = []uint32{uint32(n)}
		return nil
	}
	return d.array(path, func(i int) error {
		d.next()
		at := d.at
		if err := n.UnmarshalJSON(d.raw()); err != nil {
			return d.fail(at, fmt.Sprintf("%s[%d]", path, i), "%v", err)
		}
		l.values = append(l.values, uint32(n))
		return nil
	})
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
		return fmt.Errorf("%s is not a machine word; write eight hex digits", quoted(s))
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
		var n count32
		if err := n.UnmarshalJSON(d.raw()); err != nil {
			return d.fail(at, fmt.Sprintf("%s[%d]", path, i), "%v", err)
		}
		e[i] = uint32(n)
		return nil
	})
}

// hexBytes is bytes as hex digits.
type hexBytes []byte

// UnmarshalJSON reads hex digits, with or without 0x.
func (h *hexBytes) UnmarshalJSON(b []byte) error {
	if b[0] != '"' {
		return fmt.Errorf("this is %s; write two hex digits a byte", kindOf(b[0]))
	}
	digits := strings.TrimPrefix(string(b[1:len(b)-1]), "0x") // an escape is no hex digit
	v, err := hex.DecodeString(digits)
	if err != nil {
		return fmt.Errorf("hex data: %w; write two hex digits a byte", err)
	}
	*h = v
	return nil
}

// MarshalJSON writes hex digits.
func (h hexBytes) MarshalJSON() ([]byte, error) { return json.Marshal(hex.EncodeToString(h)) }
