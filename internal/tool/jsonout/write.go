// Package jsonout writes answers as lines of JSON, without HTML escapes. Large values are written in small pieces.
package jsonout

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"reflect"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/v1"

	"github.com/gcnsim/gcnsim/internal/tool/crash"
)

// Address is formatted as "0x%x".
type Address uint64

// MarshalJSON writes the value as a string.
func (v Address) MarshalJSON() ([]byte, error) { return fmt.Appendf(nil, `"0x%x"`, uint64(v)), nil }

// Streamer is a value that writes itself in small pieces. It must also have a method MarshalJSON.
type Streamer interface {
	StreamJSON(out *bufio.Writer) error
}

// Write writes a reply as one line of JSON. Memory in the reply is written to w without copying it as a whole.
func Write(w io.Writer, reply any) (err error) {
	defer crash.Guard(&err)
	out := bufio.NewWriterSize(w, 64<<10)
	if err := write(out, reflect.ValueOf(reply)); err != nil {
		return err
	}
	if err := out.WriteByte('\n'); err != nil {
		return err
	}
	return out.Flush()
}

// write writes v like [json.Marshal], but without HTML escapes.
func write(out *bufio.Writer, v reflect.Value) error {
	if large, ok := reflect.TypeAssert[Streamer](v); ok {
		return large.StreamJSON(out)
	}
	if _, ok := reflect.TypeAssert[json.Marshaler](v); !ok {
		switch v.Kind() {
		case reflect.Pointer:
			if !v.IsNil() {
				return write(out, v.Elem())
			}
		case reflect.Struct:
			return writeStruct(out, v)
		case reflect.Slice:
			if v.Type().Elem().Kind() == reflect.Struct && !v.IsNil() {
				return writeSlice(out, v)
			}
		default:
		}
	}
	b, err := Marshal(v.Interface())
	if err != nil {
		return err
	}
	_, err = out.Write(b)
	return err
}

func writeStruct(out *bufio.Writer, v reflect.Value) error {
	sep := byte('{')
	for _, f := range fieldsOf(v.Type()) {
		value, err := v.FieldByIndexErr(f.index)
		if err != nil || f.omits(value) { // a nil embedded struct has no keys
			continue
		}
		out.WriteByte(sep)
		sep = ','
		fmt.Fprintf(out, "%q:", f.key)
		if err := write(out, value); err != nil {
			return err
		}
	}
	if sep == '{' {
		out.WriteByte(sep)
	}
	return out.WriteByte('}')
}

func writeSlice(out *bufio.Writer, v reflect.Value) error {
	out.WriteByte('[')
	for i := range v.Len() {
		if i > 0 {
			out.WriteByte(',')
		}
		if err := write(out, v.Index(i)); err != nil {
			return err
		}
	}
	return out.WriteByte(']')
}

// field is a struct field with a JSON key.
type field struct {
	key    string
	option string // when the field is omitted: omitempty, omitzero, or "" for never
	index  []int
}

var fieldCache sync.Map // of []field by reflect.Type

// fieldsOf returns the fields of t, and of structs embedded in it, that have a key.
func fieldsOf(t reflect.Type) []field {
	if known, ok := fieldCache.Load(t); ok {
		return known.([]field)
	}
	var fields []field
	for _, f := range reflect.VisibleFields(t) {
		if key, option, _ := strings.Cut(f.Tag.Get("json"), ","); key != "" && key != "-" {
			fields = append(fields, field{key, option, f.Index})
		}
	}
	fieldCache.Store(t, fields)
	return fields
}

// omits reports whether the field is omitted if its value is v.
func (f *field) omits(v reflect.Value) bool {
	switch {
	case f.option == "omitzero":
		return v.IsZero()
	case f.option != "omitempty":
		return false
	case v.Kind() == reflect.Slice, v.Kind() == reflect.Map:
		return v.Len() == 0
	}
	return v.Kind() != reflect.Struct && v.IsZero()
}

// Marshal is [json.Marshal] without escapes of <, > and &, which ids may contain.
func Marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
