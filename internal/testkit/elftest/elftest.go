// Package elftest damages ELF files for fuzz targets. Random bytes seldom hit a header's field, so a script says
// which fields are changed and how.
package elftest

import (
	"bytes"
	"encoding/binary"
)

var le = binary.LittleEndian

// field is a field of a structure: offset and size in bytes.
type field struct{ off, size int }

// Fields of the 64-bit structures, and the sizes of these. Source: ELF-64 Object File
// Format.
var (
	header = []field{{4, 1}, {5, 1}, {7, 1}, {8, 1}, {16, 2}, {18, 2}, {24, 8}, {32, 8}, {40, 8}, {48, 4}, {52, 2},
		{54, 2}, {56, 2}, {58, 2}, {60, 2}, {62, 2}}
	program = []field{{0, 4}, {4, 4}, {8, 8}, {16, 8}, {24, 8}, {32, 8}, {40, 8}, {48, 8}}
	section = []field{{0, 4}, {4, 4}, {8, 8}, {16, 8}, {24, 8}, {32, 8}, {40, 4}, {44, 4}, {48, 8}, {56, 8}}
)

const headerBytes, programBytes, sectionBytes = 64, 56, 64

// stepBytes is the size of one change in a script: structure, index, field, kind, and 2 bytes of value.
const stepBytes = 6

// Mutate returns a copy of a file with the changes in script. Each 6 bytes change one field of the header, of a
// program header or of a section header, or one byte, dword or quadword anywhere. The new value is a boundary value,
// a small one, or one close to the old.
func Mutate(file, script []byte) []byte {
	data := bytes.Clone(file)
	if len(data) < headerBytes {
		return data
	}
	for ; len(script) >= stepBytes; script = script[stepBytes:] {
		index, which := int(script[1]), int(script[2])
		value := uint64(le.Uint16(script[4:]))
		var f field
		at := 0
		switch script[0] % 4 {
		case 0:
			f = header[which%len(header)]
		case 1:
			f = program[which%len(program)]
			at = int(le.Uint64(data[32:])&0xffffff) + programBytes*(index%16)
		case 2:
			f = section[which%len(section)]
			at = int(le.Uint64(data[40:])&0xffffff) + sectionBytes*(index%32)
		default:
			f = field{0, []int{1, 4, 8}[which%3]}
			at = (index<<8 | which) * len(data) >> 16
		}
		if at += f.off; at < 0 || at+f.size > len(data) {
			continue
		}
		place := data[at : at+f.size]
		put(place, pick(script[3], value, get(place), uint64(len(data))))
	}
	return data
}

// pick returns a value of a kind, computed from the script's value, the old one and the size of the file.
func pick(kind byte, value, old, size uint64) uint64 {
	switch kind % 8 {
	case 0:
		return value
	case 1:
		return old + value - 1<<15
	case 2:
		return ^uint64(0) - value
	case 3:
		return 1 << (value % 64)
	case 4:
		return 1<<(value%64) - 1
	case 5:
		return size - value%256 + 128
	case 6:
		return old << (value % 64)
	}
	return 1<<63 + value
}

func get(b []byte) (v uint64) {
	for i := range b {
		v |= uint64(b[i]) << (8 * i)
	}
	return v
}

func put(b []byte, v uint64) {
	for i := range b {
		b[i] = byte(v >> (8 * i))
	}
}
