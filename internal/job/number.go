package job

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// number is an unsigned integer that JSON gives as a number or as a string ("0x10",
// "16"). Negative numbers are their 32-bit or 64-bit complement, whichever is asked for.
type number struct {
	v   uint64
	neg bool
}

// UnmarshalJSON reads a number or a string.
func (n *number) UnmarshalJSON(b []byte) error {
	s := string(b)
	if len(s) > 1 && s[0] == '"' {
		if err := json.Unmarshal(b, &s); err != nil {
			return err
		}
	}
	if rest, ok := strings.CutPrefix(s, "-"); ok {
		v, err := strconv.ParseInt("-"+rest, 0, 64)
		if err != nil {
			return fmt.Errorf("%s is not an integer; write 16, \"16\" or \"0x10\"", b)
		}
		n.v, n.neg = uint64(v), true
		return nil
	}
	v, err := strconv.ParseUint(s, 0, 64)
	if err != nil {
		return fmt.Errorf("%s is not an integer of at most 64 bits; write 16, \"16\" or \"0x10\"", b)
	}
	n.v = v
	return nil
}

// u32 returns n as 32 bits.
func (n number) u32() (uint32, error) {
	if n.neg && int64(n.v) >= -1<<31 || !n.neg && n.v < 1<<32 {
		return uint32(n.v), nil
	}
	return 0, fmt.Errorf("0x%x does not fit 32 bits", n.v)
}

// numbers is one number or an array of them.
type numbers struct {
	values []uint32
	single bool
}

// UnmarshalJSON reads a number, a string or an array.
func (l *numbers) UnmarshalJSON(b []byte) error {
	var list []number
	if b[0] == '[' {
		if err := json.Unmarshal(b, &list); err != nil {
			return err
		}
	} else {
		list, l.single = make([]number, 1), true
		if err := list[0].UnmarshalJSON(b); err != nil {
			return err
		}
	}
	for _, n := range list {
		v, err := n.u32()
		if err != nil {
			return err
		}
		l.values = append(l.values, v)
	}
	return nil
}

// word is a machine word: eight hex digits as asm prints them, or any number.
type word uint32

// UnmarshalJSON reads hex digits without a prefix, or what a number may be.
func (w *word) UnmarshalJSON(b []byte) error {
	var s string
	if json.Unmarshal(b, &s) == nil && !strings.HasPrefix(s, "0x") {
		v, err := strconv.ParseUint(s, 16, 32)
		if err != nil {
			return fmt.Errorf("%q is not a machine word; write eight hex digits", s)
		}
		*w = word(v)
		return nil
	}
	var n number
	if err := n.UnmarshalJSON(b); err != nil {
		return err
	}
	v, err := n.u32()
	*w = word(v)
	return err
}

// hexBytes is bytes as hex digits.
type hexBytes []byte

// UnmarshalJSON reads hex digits, with or without 0x.
func (h *hexBytes) UnmarshalJSON(b []byte) error {
	var s string
	if err := json.Unmarshal(b, &s); err != nil {
		return err
	}
	v, err := hex.DecodeString(strings.TrimPrefix(s, "0x"))
	if err != nil {
		return fmt.Errorf("hex data: %w; write two hex digits a byte", err)
	}
	*h = v
	return nil
}

// MarshalJSON writes hex digits.
func (h hexBytes) MarshalJSON() ([]byte, error) { return json.Marshal(hex.EncodeToString(h)) }

// hex32 and hex64 print as "0x%08x" and "0x%016x", address as "0x%x".
type (
	hex32   uint32
	hex64   uint64
	address uint64
)

// MarshalJSON writes the value as a string.
func (v hex32) MarshalJSON() ([]byte, error)   { return fmt.Appendf(nil, `"0x%08x"`, uint32(v)), nil }
func (v hex64) MarshalJSON() ([]byte, error)   { return fmt.Appendf(nil, `"0x%016x"`, uint64(v)), nil }
func (v address) MarshalJSON() ([]byte, error) { return fmt.Appendf(nil, `"0x%x"`, uint64(v)), nil }

// registers is a JSON object of registers in ascending order.
type registers map[int][]hex32

// MarshalJSON writes the keys in numeric order.
func (r registers) MarshalJSON() ([]byte, error) {
	keys := make([]int, 0, len(r))
	for k := range r {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	var b bytes.Buffer
	b.WriteByte('{')
	for i, k := range keys {
		if i > 0 {
			b.WriteByte(',')
		}
		values, err := json.Marshal(r[k])
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&b, `"%d":%s`, k, values)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}
