package specjson

import (
	"bytes"
	"cmp"
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"

	"github.com/gcnsim/gcnsim/internal/tool/literal"
	"github.com/gcnsim/gcnsim/internal/tool/near"
	"github.com/gcnsim/gcnsim/sim/spec"
)

// RequestError says that a request is not JSON, or not of the form that it must have.
type RequestError struct {
	Line, Col int    // where in the text, in bytes from 1
	Path      string // which key, as in args[1].buffer.size; "" is the whole
	What      string // what is wrong and what to do
}

// Error returns "line:column: path: what".
func (e *RequestError) Error() string {
	return fmt.Sprintf("%d:%d: %s", e.Line, e.Col, e.Message())
}

// Message is the error without its line and column.
func (e *RequestError) Message() string {
	if e.Path == "" {
		return e.What
	}
	return e.Path + ": " + e.What
}

// decode reads the one JSON value of text into what v points to. It is stricter than
// [json.Unmarshal]: keys are spelled as in the tags, none is unknown or given twice, and
// an array for one of fixed length has that length. null is as if the key were not there.
// The error is a *[RequestError].
func decode(text []byte, v any) error {
	d := &decoder{text: text}
	if !json.Valid(text) {
		at, err := 0, json.Unmarshal(text, new(json.RawMessage))
		if syntax := (*json.SyntaxError)(nil); errors.As(err, &syntax) {
			at = max(int(syntax.Offset)-1, 0)
		}
		return d.fail(at, "", "this is not JSON: %v", err)
	}
	return d.value(reflect.ValueOf(v).Elem(), "", "")
}

// decoder reads text, which is JSON.
type decoder struct {
	text []byte
	at   int
}

// custom is a type that reads itself.
type custom interface {
	decodeFrom(d *decoder, path string) error
}

func (d *decoder) fail(at int, path, format string, args ...any) error {
	before := d.text[:min(at, len(d.text))]
	return &RequestError{
		Line: bytes.Count(before, []byte("\n")) + 1, Col: len(before) - bytes.LastIndexByte(before, '\n'),
		Path: path, What: fmt.Sprintf(format, args...),
	}
}

// next returns the byte at which the next token begins.
func (d *decoder) next() byte {
	for {
		switch c := d.text[d.at]; c {
		case ' ', '\t', '\r', '\n', ',', ':':
			d.at++
		default:
			return c
		}
	}
}

// raw returns the next value as it is written.
func (d *decoder) raw() []byte {
	d.next()
	start := d.at
	for depth := 0; ; {
		switch c := d.text[d.at]; c {
		case '{', '[':
			depth++
			d.at++
		case '}', ']':
			depth--
			d.at++
		case '"':
			d.skipString()
		case ' ', '\t', '\r', '\n', ',', ':':
			d.at++
			continue
		default:
			for d.at < len(d.text) && !strings.ContainsRune(" \t\r\n,:]}", rune(d.text[d.at])) {
				d.at++
			}
		}
		if depth == 0 {
			return d.text[start:d.at]
		}
	}
}

// skipString steps over a string.
func (d *decoder) skipString() {
	for d.at++; d.text[d.at] != '"'; d.at++ {
		if d.text[d.at] == '\\' {
			d.at++
		}
	}
	d.at++
}

// string returns the next value, which is a string, without quotes and escapes.
func (d *decoder) string() string {
	var s string
	_ = json.Unmarshal(d.raw(), &s) // it is a string
	return s
}

// value reads the next value into v. number is how its field says that numbers are written, see [field].
func (d *decoder) value(v reflect.Value, path, number string) error {
	c := d.next()
	start := d.at
	if _, verbatim := reflect.TypeAssert[json.RawMessage](v); c == 'n' && !verbatim {
		d.raw()
		return nil
	}
	switch u := v.Addr().Interface().(type) {
	case custom:
		return u.decodeFrom(d, path)
	case *map[int][]uint32:
		return d.registers(u, path, number == "lanes")
	case *[3]string:
		return d.names(u, path)
	}
	if read := scalar(v, number); read != nil {
		if err := read(d.raw()); err != nil {
			return d.fail(start, path, "%v", err)
		}
		return nil
	}
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		return d.value(v.Elem(), path, number)
	case reflect.Struct:
		return d.object(path, func(key string, at int) error { return d.field(v, key, path, at) })
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		return d.object(path, func(key string, _ int) error {
			e := reflect.New(v.Type().Elem()).Elem()
			err := d.value(e, join(path, key), number)
			v.SetMapIndex(reflect.ValueOf(key), e)
			return err
		})
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 0, 0))
		return d.array(path, func(i int) error {
			v.Set(reflect.Append(v, reflect.Zero(v.Type().Elem())))
			return d.value(v.Index(i), fmt.Sprintf("%s[%d]", path, i), number)
		})
	case reflect.Array:
		n := 0
		err := d.array(path, func(i int) error {
			if n = i + 1; n > v.Len() {
				return d.fail(start, path, "there are more than %d values", v.Len())
			}
			return d.value(v.Index(i), fmt.Sprintf("%s[%d]", path, i), number)
		})
		if err == nil && n < v.Len() {
			err = d.fail(start, path, "there are not %d values, but %d", v.Len(), n)
		}
		return err
	case reflect.String:
		if c != '"' {
			return d.fail(start, path, "this is %s; give text", kindOf(c))
		}
		v.SetString(d.string())
	case reflect.Bool:
		if c != 't' && c != 'f' {
			return d.fail(start, path, "this is %s; give true or false", kindOf(c))
		}
		d.raw()
		v.SetBool(c == 't')
	default:
		panic("job: a request has a field of type " + v.Type().String())
	}
	return nil
}

// scalar returns what reads a number, digits or a name into what v is, nil if v is something else.
func scalar(v reflect.Value, number string) func(text []byte) error {
	bits := number == "bits"
	switch u := v.Addr().Interface().(type) {
	case json.Unmarshaler:
		return u.UnmarshalJSON
	case encoding.TextUnmarshaler:
		return func(b []byte) error {
			text, err := unquoted(b)
			if err != nil {
				return err
			}
			return u.UnmarshalText([]byte(text))
		}
	case *uint32:
		return func(b []byte) error { return unmarshalInteger(b, u, 32, bits) }
	case *uint64:
		return func(b []byte) error { return unmarshalInteger(b, u, 64, bits) }
	case *int:
		return parsed(u, parseCount)
	case *float32:
		return parsed(u, parseFloat)
	case *spec.Number:
		return parsed(u, parseNumber)
	case *[]byte:
		return parsed(u, parseHex)
	case *bool:
		if number == "bit" {
			return parsed(u, parseBit)
		}
	}
	return nil
}

// parsed returns what sets *into to what parse reads.
func parsed[T any](into *T, parse func([]byte) (T, error)) func(text []byte) error {
	return func(b []byte) (err error) {
		*into, err = parse(b)
		return err
	}
}

// names reads a name for all axes, or up to one for each of x, y and z.
func (d *decoder) names(into *[3]string, path string) error {
	if c := d.next(); c != '[' {
		if c != '"' {
			return d.fail(d.at, path, "this is %s; give a name, or one for each axis", kindOf(c))
		}
		one := d.string()
		*into = [3]string{one, one, one}
		return nil
	}
	return d.array(path, func(i int) error {
		c := d.next()
		switch {
		case i >= len(into):
			return d.fail(d.at, path, "there are more than %d names", len(into))
		case c != '"':
			return d.fail(d.at, fmt.Sprintf("%s[%d]", path, i), "this is %s; give text", kindOf(c))
		}
		into[i] = d.string()
		return nil
	})
}

// object reads an object: it calls f before the value of each key, which is at at.
func (d *decoder) object(path string, f func(key string, at int) error) error {
	if c := d.next(); c != '{' {
		return d.fail(d.at, path, "this is %s; give an object", kindOf(c))
	}
	d.at++
	seen := map[string]bool{}
	for d.next() != '}' {
		at := d.at
		key := d.string()
		if seen[key] {
			return d.fail(at, path, "key %s is given twice", literal.Quoted(key))
		}
		seen[key] = true
		if err := f(key, at); err != nil {
			return err
		}
	}
	d.at++
	return nil
}

// array reads an array: it calls f before each element.
func (d *decoder) array(path string, f func(i int) error) error {
	if c := d.next(); c != '[' {
		return d.fail(d.at, path, "this is %s; give an array", kindOf(c))
	}
	d.at++
	for i := 0; d.next() != ']'; i++ {
		if d.text[d.at] == 'n' {
			return d.fail(d.at, fmt.Sprintf("%s[%d]", path, i), "this is null; give a value")
		}
		if err := f(i); err != nil {
			return err
		}
	}
	d.at++
	return nil
}

// field reads the value of a key of the struct v.
func (d *decoder) field(v reflect.Value, key, path string, at int) error {
	fields := fieldsOf(v.Type())
	for _, f := range fields {
		if f.key == key {
			return d.value(v.FieldByIndex(f.index), join(path, key), f.number)
		}
	}
	nearest, hint := near.To(key), ""
	for _, f := range fields {
		nearest.Try(f.key)
	}
	if name := nearest.Name(); name != "" {
		hint = fmt.Sprintf("; did you mean %q?", name)
	}
	return d.fail(at, path, "unknown key %s%s", literal.Quoted(key), hint)
}

// field is a field of a struct that has a key.
type field struct {
	key    string
	option string // when a reply leaves it out: omitempty, omitzero, or "" for never
	index  []int
	number string // "bits" may be negative, "bit" is 0 or 1, of "lanes" one value is the value of all; others count
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
			fields = append(fields, field{key, option, f.Index, f.Tag.Get("number")})
		}
	}
	fieldCache.Store(t, fields)
	return fields
}

// join adds a key to a path.
func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

// kindOf names the kind of JSON value that begins with c.
func kindOf(c byte) string {
	return cmp.Or(map[byte]string{'{': "an object", '[': "an array", '"': "text", 't': "true", 'f': "false",
		'n': "null"}[c], "a number")
}
