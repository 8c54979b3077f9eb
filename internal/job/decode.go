package job

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
)

// RequestError says that a request is not JSON, or not of the form that it must have.
type RequestError struct{ err error }

func (e *RequestError) Error() string { return e.err.Error() }
func (e *RequestError) Unwrap() error { return e.err }

// decodeStrict reads exactly one JSON value and refuses unknown keys.
func decodeStrict(b []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return plain(err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("there is something after the JSON value")
	}
	return nil
}

// plain says of a JSON value of the wrong type what is expected.
func plain(err error) error {
	var e *json.UnmarshalTypeError
	if !errors.As(err, &e) {
		return err
	}
	wants := "a number"
	switch e.Type.Kind() {
	case reflect.Bool:
		wants = "true or false"
	case reflect.String:
		wants = "text"
	case reflect.Struct, reflect.Map:
		wants = "an object"
	case reflect.Slice, reflect.Array:
		wants = "an array"
	default:
	}
	key := e.Field[strings.LastIndexByte(e.Field, '.')+1:]
	return fmt.Errorf("%s is %s at byte %d; give %s", cmp.Or(key, "the value"), e.Value, e.Offset, wants)
}
