package spec

import (
	"bytes"
	"cmp"
	"encoding"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	jsonv1 "github.com/go-json-experiment/json/v1"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/internal/isa/chip"
	"github.com/gcnsim/gcnsim/internal/tool/literal"
	"github.com/gcnsim/gcnsim/internal/tool/near"
	"github.com/gcnsim/gcnsim/sim/check"
	"github.com/gcnsim/gcnsim/state"
)

// RequestError is returned for a request that is not JSON, or does not have the required form.
type RequestError struct {
	Line, Col int    // position in the text; columns are bytes from 1
	Path      string // key, for example args[1].buffer.size; "" means the whole request
	What      string // the mistake and how to correct it
}

// Error returns "line:column: path: what".
func (e *RequestError) Error() string { return fmt.Sprintf("%d:%d: %s", e.Line, e.Col, e.message()) }

// message returns the error without line and column.
func (e *RequestError) message() string {
	if e.Path == "" {
		return e.What
	}
	return e.Path + ": " + e.What
}

// decode decodes text, which must be one JSON value, to the variable that v points to. Keys must be spelled as in the
// tags; unknown and duplicate keys are errors, and an array for a fixed-length array must have that length. null has
// the same effect as a missing key. The error is a *[RequestError], or starts with the key whose value has the right
// form but is invalid.
func decode(text []byte, v any) error {
	if !jsonv1.Valid(text) {
		at, err := 0, jsonv1.Unmarshal(text, new(jsonv1.RawMessage))
		if syntax := (*jsonv1.SyntaxError)(nil); errors.As(err, &syntax) {
			at = max(int(syntax.Offset)-1, 0)
		}
		return newRequestError(text, at, "", fmt.Sprintf("this is not JSON: %v", err))
	}
	value := func(at int64, path, what string) error { // position of at, or of the first value after it
		for at < int64(len(text)) && strings.IndexByte(" \t\r\n,:", text[at]) >= 0 {
			at++
		}
		return newRequestError(text, int(at), path, what)
	}
	err := json.Unmarshal(text, v, json.RejectUnknownMembers(true), jsontext.AllowInvalidUTF8(true), readers)
	// the text is valid JSON, so that the error is a duplicate key
	if syntax := (*jsontext.SyntacticError)(nil); errors.As(err, &syntax) {
		return value(syntax.ByteOffset, pathOf(syntax.JSONPointer.Parent()),
			fmt.Sprintf("key %s is given twice", literal.Quoted(syntax.JSONPointer.LastToken())))
	}
	e, ok := errors.AsType[*json.SemanticError](err)
	if !ok {
		return err
	}
	if wrong := (*valueError)(nil); errors.As(e.Err, &wrong) {
		return wrong.under(e.JSONPointer)
	}
	if errors.Is(e.Err, json.ErrUnknownName) {
		key := e.JSONPointer.LastToken()
		return value(e.ByteOffset, pathOf(e.JSONPointer.Parent()),
			fmt.Sprintf("unknown key %s%s", literal.Quoted(key), hint(key, e.GoType)))
	}
	return value(e.ByteOffset, pathOf(e.JSONPointer), e.Err.Error())
}

// newRequestError returns an error at a byte offset of a text.
func newRequestError(text []byte, at int, path, what string) error {
	before := text[:min(at, len(text))]
	return &RequestError{Line: bytes.Count(before, []byte("\n")) + 1, Col: len(before) - bytes.LastIndexByte(before, '\n'),
		Path: path, What: what}
}

// pathOf returns a JSON pointer in the form of messages, for example args[1].buffer.size or sgpr.2[1].
func pathOf(p jsontext.Pointer) string {
	var b strings.Builder
	before := ""
	for token := range p.Tokens() {
		switch numbered := isIndex(token); {
		case numbered && (!registerKeys[before] || strings.HasPrefix(b.String(), "dump.")):
			fmt.Fprintf(&b, "[%s]", token)
		case b.Len() > 0:
			b.WriteString("." + token)
		default:
			b.WriteString(token)
		}
		before = token
	}
	return b.String()
}

func isIndex(token string) bool {
	_, err := strconv.ParseUint(token, 10, 64)
	return err == nil
}

// registerKeys are the keys whose values are objects with numeric keys.
var registerKeys = map[string]bool{"sgpr": true, "vgpr": true, "gpr": true, "constants": true}

// valueError is an error in a value that has the right form.
type valueError struct{ error }

// under returns the error for the value that a pointer points to. Its text starts with the path.
func (e *valueError) under(p jsontext.Pointer) error {
	text := ""
	for token := range p.Tokens() {
		switch {
		case isIndex(token):
			text = strings.TrimSuffix(text, ": ") + "[" + token + "]: "
		case token != "buffer":
			text += token + ": "
		}
	}
	return fmt.Errorf("%s%w", text, e.error)
}

// hint returns advice that names the known key of type t that is most similar to key.
func hint(key string, t reflect.Type) string {
	nearest := near.To(key)
	for _, f := range reflect.VisibleFields(t) {
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" && name != "-" {
			nearest.Try(name)
		}
	}
	if name := nearest.Name(); name != "" {
		return fmt.Sprintf("; did you mean %q?", name)
	}
	return ""
}

// readers decode values whose JSON form differs from that of package json for their types.
var readers = json.WithUnmarshalers(json.UnmarshalFromFunc(readValue))

// readValue decodes the next value to the variable that v points to. [errors.ErrUnsupported] leaves it to package
// json.
func readValue(dec *jsontext.Decoder, v any) error {
	kind := dec.PeekKind()
	if _, raw := v.(jsonv1.Unmarshaler); kind == 'n' && !raw {
		if in, _ := dec.StackIndex(dec.StackDepth()); in == '[' {
			return errors.New("this is null; give a value")
		}
		return dec.SkipValue()
	}
	switch u := v.(type) {
	case *map[int][]uint32:
		return readRegisters(dec, u)
	case *[]uint32:
		if lastKey(dec) == "words" {
			return readWords(dec, u)
		}
	case *[3]uint32, *[isa.MaxUserSGPRs]uint32:
		return readArray(dec, reflect.ValueOf(u).Elem(), true)
	case *[3]string:
		if kind != '"' && kind != '[' {
			return fmt.Errorf("this is %s; give a name, or one for each axis", kindOf(kind))
		}
		if kind == '[' {
			return readArray(dec, reflect.ValueOf(u).Elem(), true)
		}
		err := json.UnmarshalDecode(dec, &u[0])
		u[1], u[2] = u[0], u[0]
		return err
	case **gcn.Target:
		if kind == '"' { // "" means none
			return readRaw(dec, func(text []byte) error {
				if string(text) == `""` {
					return nil
				}
				*u = new(gcn.Target)
				return parsed(*u, parseNamed(chip.ParseTarget))(text)
			})
		}
	case *bool:
		if read := boolean(lastKey(dec), u); read != nil {
			return readRaw(dec, read)
		}
	default:
		if read := scalar(dec, v); read != nil {
			if isName(v) && kind != '"' {
				return fmt.Errorf("this is %s; give text", kindOf(kind))
			}
			return readRaw(dec, read)
		}
	}
	to := reflect.ValueOf(v).Elem()
	if to.Kind() == reflect.Array {
		return readArray(dec, to, false)
	}
	return fits(to.Type(), kind)
}

// readRaw passes the next value to read without decoding it.
func readRaw(dec *jsontext.Decoder, read func(text []byte) error) error {
	text, err := dec.ReadValue()
	if err != nil {
		return err
	}
	return read(text)
}

// fits returns an error if a JSON value of that kind cannot be decoded to type t, and [errors.ErrUnsupported] if it
// can.
func fits(t reflect.Type, kind jsontext.Kind) error {
	_, raw := reflect.TypeAssert[jsonv1.Unmarshaler](reflect.New(t))
	want := ""
	switch k := t.Kind(); {
	case raw:
	case (k == reflect.Struct || k == reflect.Map) && kind != '{':
		want = "an object"
	case k == reflect.Slice && kind != '[':
		want = "an array"
	case k == reflect.String && kind != '"':
		want = "text"
	case k == reflect.Bool && kind != 't' && kind != 'f':
		want = "true or false"
	}
	if want != "" {
		return fmt.Errorf("this is %s; give %s", kindOf(kind), want)
	}
	return errors.ErrUnsupported
}

// readArray decodes an array to an array: it must have the same number of values, or at most that number if few is
// set.
func readArray(dec *jsontext.Decoder, into reflect.Value, few bool) error {
	if kind := dec.PeekKind(); kind != '[' {
		return fmt.Errorf("this is %s; give an array", kindOf(kind))
	}
	if _, err := dec.ReadToken(); err != nil {
		return err
	}
	array := &json.SemanticError{ByteOffset: dec.InputOffset() - 1, JSONPointer: dec.StackPointer()}
	n := 0
	for ; dec.PeekKind() != ']'; n++ {
		switch most := into.Len(); {
		case n < most:
			if err := json.UnmarshalDecode(dec, into.Index(n).Addr().Interface()); err != nil {
				return err
			}
		case few:
			array.ByteOffset, array.Err = dec.InputOffset(), fmt.Errorf("there are more than %d %s", most,
				map[bool]string{true: "names", false: "numbers"}[into.Index(0).Kind() == reflect.String])
			return array
		default:
			array.Err = fmt.Errorf("there are more than %d values", most)
			return array
		}
	}
	if n < into.Len() && !few {
		array.Err = fmt.Errorf("there are not %d values, but %d", into.Len(), n)
		return array
	}
	_, err := dec.ReadToken()
	return err
}

// readRegisters decodes an object that maps register numbers to a value or an array of values. For a vector register
// a single value applies to all its lanes.
func readRegisters(dec *jsontext.Decoder, into *map[int][]uint32) error {
	if kind := dec.PeekKind(); kind != '{' {
		return fmt.Errorf("this is %s; give an object", kindOf(kind))
	}
	key := lastKey(dec)
	if _, err := dec.ReadToken(); err != nil {
		return err
	}
	*into = map[int][]uint32{}
	for dec.PeekKind() != '}' {
		name, err := dec.ReadToken()
		if err != nil {
			return err
		}
		fail := func(what string, args ...any) error {
			return &json.SemanticError{ByteOffset: dec.InputOffset() - int64(len(name.String())+len(`""`)),
				JSONPointer: dec.StackPointer().Parent(), Err: fmt.Errorf(what, args...)}
		}
		first, err := strconv.ParseUint(name.String(), 10, 16)
		if err != nil {
			return fail("%s is not the number of a register", literal.Quoted(name.String()))
		}
		if _, twice := (*into)[int(first)]; twice { // for example 1 and 01
			return fail("%c%d is given twice", key[0], first)
		}
		single := dec.PeekKind() != '['
		var values []uint32
		err = readEach(dec, func(text []byte) error { // numbers may be negative
			values = append(values, 0)
			return integer(text, &values[len(values)-1], 32, true)
		})
		if err != nil {
			return err
		}
		if single && key == "vgpr" {
			values = slices.Repeat(values, state.NumLanes)
		}
		(*into)[int(first)] = values
	}
	_, err := dec.ReadToken()
	return err
}

// readWords decodes machine words.
func readWords(dec *jsontext.Decoder, into *[]uint32) error {
	if kind := dec.PeekKind(); kind != '[' {
		return fmt.Errorf("this is %s; give an array", kindOf(kind))
	}
	*into = []uint32{}
	return readEach(dec, func(text []byte) error {
		w, err := parseWord(text)
		*into = append(*into, w)
		return err
	})
}

// readEach passes the next value to read or, if it is an array, each of its values, without decoding them.
func readEach(dec *jsontext.Decoder, read func(text []byte) error) error {
	one := func() error {
		text, err := dec.ReadValue()
		if err != nil {
			return err
		}
		if err = read(text); err == nil && text.Kind() != 'n' {
			return nil
		}
		if text.Kind() == 'n' {
			err = errors.New("this is null; give a value")
		}
		return &json.SemanticError{ByteOffset: dec.InputOffset() - int64(len(text)), JSONPointer: dec.StackPointer(),
			Err: err}
	}
	if dec.PeekKind() != '[' {
		return one()
	}
	if _, err := dec.ReadToken(); err != nil {
		return err
	}
	for dec.PeekKind() != ']' {
		if err := one(); err != nil {
			return err
		}
	}
	_, err := dec.ReadToken()
	return err
}

// lastKey returns the key of the next value, or of the array that contains it.
func lastKey(dec *jsontext.Decoder) (key string) {
	for token := range dec.StackPointer().Tokens() {
		if !isIndex(token) {
			key = token
		}
	}
	return key
}

// isName reports whether v points to a value that is written as a name.
func isName(v any) bool {
	switch v.(type) {
	case *gcn.Target, *state.Rules, *state.Alignment, *check.Suppression:
		return true
	}
	return false
}

// scalar returns the function that decodes a number, digits or a name to the variable that v points to, nil for other
// types.
func scalar(dec *jsontext.Decoder, v any) func(text []byte) error {
	switch u := v.(type) {
	case *uint32:
		return func(b []byte) error { return integerOf(dec, b, u, 32) }
	case *uint64:
		return func(b []byte) error { return integerOf(dec, b, u, 64) }
	case *int:
		return func(b []byte) error {
			var n uint32
			err := integerOf(dec, b, &n, 32)
			*u = int(n)
			return err
		}
	case *int64:
		return parsed(u, parseParameter)
	case *float32:
		return parsed(u, parseFloat)
	case *Number:
		return parsed(u, parseNumber)
	case *[]byte:
		return parsed(u, parseHex)
	case *word:
		return parsed((*uint32)(u), parseWord)
	case *gcn.Target:
		return parsed(u, parseNamed(chip.ParseTarget))
	case *state.Rules:
		return parsed(u, parseNamed(ParseRules))
	case *state.Alignment:
		return parsed(u, parseNamed(parseAlignment))
	case *check.Suppression:
		return parsed(u, parseNamed(func(s string) (check.Suppression, error) { return check.ParseSuppression(s, 0) }))
	case encoding.TextUnmarshaler:
		return func(b []byte) error {
			text, err := unquoted(b)
			if err != nil {
				return err
			}
			return u.UnmarshalText([]byte(text))
		}
	}
	return nil
}

// boolean returns the function that decodes a key whose values are not true and false, nil for other keys.
func boolean(key string, into *bool) func(text []byte) error {
	known := map[string]string{"flat": "both", "barrier": "drain"}[key]
	switch {
	case key == "scc":
		return parsed(into, parseBit)
	case known == "":
		return nil
	}
	return parsed(into, parseNamed(func(s string) (bool, error) {
		if s != "" && s != known {
			return false, fmt.Errorf("%q is not known; known is %q", s, known)
		}
		return s != "", nil
	}))
}

// parsed returns a function that stores the result of parse in *into.
func parsed[T any](into *T, parse func([]byte) (T, error)) func(text []byte) error {
	return func(b []byte) (err error) {
		*into, err = parse(b)
		return err
	}
}

// parseNamed returns a function that decodes a name. Its errors are *[valueError].
func parseNamed[T any](parse func(string) (T, error)) func([]byte) (T, error) {
	return func(b []byte) (v T, err error) {
		text, err := unquoted(b)
		if err != nil {
			return v, err
		}
		if v, err = parse(text); err != nil {
			err = &valueError{err}
		}
		return v, err
	}
}

// kindOf returns the name of a kind of JSON values.
func kindOf(k jsontext.Kind) string {
	return cmp.Or(map[jsontext.Kind]string{'{': "an object", '[': "an array", '"': "text", 't': "true", 'f': "false",
		'n': "null"}[k], "a number")
}
