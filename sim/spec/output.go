package spec

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"

	"github.com/go-json-experiment/json/v1"

	"github.com/gcnsim/gcnsim/internal/tool/jsonout"
)

// hex32 and hex64 print as "0x%08x" and "0x%016x", address as "0x%x".
type (
	hex32   uint32
	hex64   uint64
	address uint64
)

// MarshalJSON writes the value as a string.
func (v hex32) MarshalJSON() ([]byte, error)   { return fmt.Appendf(nil, `"0x%08x"`, uint32(v)), nil }
func (v address) MarshalJSON() ([]byte, error) { return jsonout.Address(v).MarshalJSON() }
func (v hex64) MarshalJSON() ([]byte, error)   { return fmt.Appendf(nil, `"0x%016x"`, uint64(v)), nil }

// registers is a JSON object of registers in ascending order.
type registers map[int][]hex32

// MarshalJSON writes the keys in numeric order.
func (r registers) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, k := range slices.Sorted(maps.Keys(r)) {
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

// views is data in several slices that is written as hex digits.
type views [][]byte

// size returns the number of bytes.
func (h views) size() int {
	n := 0
	for _, part := range h {
		n += len(part)
	}
	return n
}

// MarshalJSON returns the hex digits as a string.
func (h views) MarshalJSON() ([]byte, error) {
	return json.Marshal(hex.EncodeToString(slices.Concat(h...)))
}

// StreamJSON writes the result of MarshalJSON in small pieces.
func (h views) StreamJSON(out *bufio.Writer) error {
	var digits [4096]byte
	out.WriteByte('"')
	for _, part := range h {
		for piece := range slices.Chunk(part, len(digits)/2) {
			if _, err := out.Write(digits[:hex.Encode(digits[:], piece)]); err != nil {
				return err
			}
		}
	}
	return out.WriteByte('"')
}
