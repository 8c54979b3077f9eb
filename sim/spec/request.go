package spec

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/tool/crash"
)

// ParseExec parses a request of exec. The error for a text of the wrong form is a *[RequestError].
func ParseExec(text []byte) (*Exec, error) { return parse[Exec](text) }

// ParseDispatch parses the specification of a dispatch. The error for a text of the wrong form is a *[RequestError].
func ParseDispatch(text []byte) (*Dispatch, error) { return parse[Dispatch](text) }

// ParseArg parses an argument of a dispatch. The error is that of [ParseDispatch].
func ParseArg(text []byte) (*Arg, error) { return parse[Arg](text) }

func parse[T any](text []byte) (v *T, err error) {
	defer crash.Guard(&err)
	if string(bytes.TrimSpace(text)) == "null" { // a request without keys, like {}
		text = []byte("{}")
	}
	v = new(T)
	return v, decode(text, v)
}

// UnmarshalJSONFrom decodes a request. It must have a processor. An empty program ends immediately, and the default
// address of a range is 0.
func (e *Exec) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	type plain Exec
	x := struct {
		plain
		Asm    *string     `json:"asm"`
		Target *gcn.Target `json:"mcpu"`
	}{}
	if err := json.UnmarshalDecode(dec, &x); err != nil {
		return err
	}
	if x.Target == nil {
		return &valueError{errors.New("mcpu is missing; give a processor, as in gfx803")}
	}
	*e = Exec(x.plain)
	e.Target = *x.Target
	if x.Asm != nil {
		if e.Asm = *x.Asm; e.Asm == "" && e.Words == nil {
			e.Words = []uint32{}
		}
	}
	for i := range e.Mem {
		if e.Mem[i].Addr == nil {
			e.Mem[i].Addr = new(uint64)
		}
	}
	return nil
}

// UnmarshalJSONFrom decodes a buffer. A size of 0 means a buffer without bytes; without a size, the data determines
// it.
func (s *Buffer) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	type plain Buffer
	x := struct {
		plain
		Size *uint64 `json:"size"`
		Seed *uint64 `json:"random"`
	}{}
	if err := json.UnmarshalDecode(dec, &x); err != nil {
		return err
	}
	*s = Buffer(x.plain)
	if err := seeded(dec, s.Random, x.Seed, &s.Random); err != nil || x.Size == nil {
		return err
	}
	if s.Size = *x.Size; s.Size == 0 {
		if err := refuseData(dec, s.Data); err != nil {
			return err
		}
		*s = Buffer{Data: []byte{}, Parts: s.Parts, Addr: s.Addr}
	}
	return nil
}

// UnmarshalJSONFrom decodes an image.
func (s *Image) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	type plain Image
	x := struct {
		plain
		Seed *uint64 `json:"random"`
	}{}
	if err := json.UnmarshalDecode(dec, &x); err != nil {
		return err
	}
	*s = Image(x.plain)
	return seeded(dec, s.Random, x.Seed, &s.Random)
}

// UnmarshalJSONFrom decodes the size or the contents of LDS or GDS.
func (s *Storage) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	type plain Storage
	x := struct {
		plain
		Size *uint64 `json:"size"`
	}{}
	if err := json.UnmarshalDecode(dec, &x); err != nil {
		return err
	}
	*s = Storage(x.plain)
	if x.Size == nil {
		return nil
	}
	s.Size = int(min(*x.Size, 1<<40))
	if s.Size > 0 {
		return nil
	}
	return refuseData(dec, s.Data)
}

// seeded sets *into to the random data r with the seed. seed is nil if none is given, r is nil if there are no other
// keys of random data.
func seeded(dec *jsontext.Decoder, r *Random, seed *uint64, into **Random) error {
	switch {
	case seed == nil && r != nil:
		return valueErrorAt(dec, "as, min, max and with say what random data is, but there is none; give random, a seed")
	case seed != nil && r == nil:
		r = &Random{}
	}
	if seed != nil {
		r.Seed = *seed
	}
	*into = r
	return nil
}

// refuseData returns an error for data of a range whose size is 0.
func refuseData(dec *jsontext.Decoder, data []byte) error {
	if len(data) == 0 {
		return nil
	}
	return valueErrorAt(dec, "a size of 0 bytes, but there are %d bytes of data; leave size out or give more", len(data))
}

// valueErrorAt returns an error about the value that dec read last.
func valueErrorAt(dec *jsontext.Decoder, what string, args ...any) error {
	return &json.SemanticError{JSONPointer: dec.StackPointer(), Err: &valueError{fmt.Errorf(what, args...)}}
}

// IsSpec reports whether an object with these keys is a specification of a dispatch rather than a request of exec: it
// has a code object, or keys that only specifications have and none that only requests have.
func IsSpec[V any](keys map[string]V) bool {
	if _, ok := keys["code_object"]; ok {
		return true
	}
	ofSpec, ofRequest := keySet(reflect.TypeFor[Dispatch]()), keySet(reflect.TypeFor[Exec]())
	spec, request := false, false
	for key := range keys {
		spec = spec || ofSpec[key] && !ofRequest[key]
		request = request || ofRequest[key] && !ofSpec[key]
	}
	return spec && !request
}

// keySet returns the JSON keys of type t.
func keySet(t reflect.Type) map[string]bool {
	set := map[string]bool{}
	for _, f := range reflect.VisibleFields(t) {
		if key, _, _ := strings.Cut(f.Tag.Get("json"), ","); key != "" && key != "-" {
			set[key] = true
		}
	}
	return set
}
