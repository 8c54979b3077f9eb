package codeobj

import (
	"errors"
	"fmt"
)

// maxDepth bounds the nesting depth of metadata.
const maxDepth = 32

var (
	errMsgpackShort = errors.New("the MessagePack data is cut short")
	errDeep         = errors.New("the metadata is nested too deeply")
)

// unmarshalMsgpack decodes one MessagePack value to map[string]any, []any, string, uint64, int64 (negative), bool or
// nil. Floats and extensions, which code object metadata does not use, are errors. Source: MessagePack specification.
func unmarshalMsgpack(b []byte) (any, error) {
	r := msgpackReader{b}
	return r.value(maxDepth)
}

type msgpackReader struct{ b []byte }

// take returns the next n bytes.
func (r *msgpackReader) take(n uint64) ([]byte, error) {
	head, ok := slice(r.b, 0, n)
	if !ok {
		return nil, errMsgpackShort
	}
	r.b = r.b[n:]
	return head, nil
}

// uint decodes a big-endian integer of n bytes.
func (r *msgpackReader) uint(n uint64) (v uint64, err error) {
	head, err := r.take(n)
	for _, c := range head {
		v = v<<8 | uint64(c)
	}
	return v, err
}

func (r *msgpackReader) value(depth int) (any, error) {
	tag, err := r.uint(1)
	if err != nil {
		return nil, err
	}
	if depth == 0 {
		return nil, errDeep
	}
	switch {
	case tag < 0x80: // type positive fixint
		return tag, nil
	case tag < 0x90: // type fixmap
		return r.dict(tag&0xf, depth)
	case tag < 0xa0: // type fixarray
		return r.list(tag&0xf, depth)
	case tag < 0xc0: // type fixstr
		return r.str(tag & 0x1f)
	case tag >= 0xe0: // type negative fixint
		return int64(int8(tag)), nil
	}
	switch tag {
	case 0xc0:
		return nil, nil
	case 0xc2, 0xc3:
		return tag == 0xc3, nil
	case 0xcc, 0xcd, 0xce, 0xcf: // uint 8 to 64
		return r.uint(1 << (tag - 0xcc))
	case 0xd0, 0xd1, 0xd2, 0xd3: // int 8 to 64
		n := uint64(1) << (tag - 0xd0)
		v, err := r.uint(n)
		shift := 64 - 8*n
		if s := int64(v<<shift) >> shift; s < 0 {
			return s, err
		}
		return v, err
	}
	// The remaining types start with a count of 1, 2 or 4 bytes.
	k, ok := msgpackCounted[tag]
	if !ok {
		return nil, fmt.Errorf("MessagePack type 0x%02x is not used in metadata", tag)
	}
	n, err := r.uint(k.size)
	if err != nil {
		return nil, err
	}
	switch k.kind {
	case 'm':
		return r.dict(n, depth)
	case 'a':
		return r.list(n, depth)
	}
	return r.str(n)
}

// msgpackCounted lists the types that start with a count: the size of the count in bytes, and whether an array, a map
// or a string (including bin) follows.
var msgpackCounted = map[uint64]struct {
	size uint64
	kind byte
}{
	0xc4: {1, 's'}, 0xc5: {2, 's'}, 0xc6: {4, 's'},
	0xd9: {1, 's'}, 0xda: {2, 's'}, 0xdb: {4, 's'},
	0xdc: {2, 'a'}, 0xdd: {4, 'a'},
	0xde: {2, 'm'}, 0xdf: {4, 'm'},
}

func (r *msgpackReader) str(n uint64) (any, error) {
	s, err := r.take(n)
	return string(s), err
}

func (r *msgpackReader) list(n uint64, depth int) (any, error) {
	if n > uint64(len(r.b)) { // each element has at least one byte
		return nil, errMsgpackShort
	}
	all := make([]any, 0, min(n, 64))
	for ; n > 0; n-- {
		v, err := r.value(depth - 1)
		if err != nil {
			return nil, err
		}
		all = append(all, v)
	}
	return all, nil
}

func (r *msgpackReader) dict(n uint64, depth int) (any, error) {
	if n > uint64(len(r.b))/2 {
		return nil, errMsgpackShort
	}
	m := make(map[string]any, min(n, 64))
	for ; n > 0; n-- {
		k, err := r.value(depth - 1)
		if err != nil {
			return nil, err
		}
		key, ok := k.(string)
		if !ok {
			return nil, fmt.Errorf("MessagePack map key %v is not a string", k)
		}
		if m[key], err = r.value(depth - 1); err != nil {
			return nil, err
		}
	}
	return m, nil
}
