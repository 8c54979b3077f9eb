package specjson

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/gcnsim/gcnsim/sim/check"
	"github.com/gcnsim/gcnsim/sim/spec"
)

// argument is one argument of a dispatch: exactly one of its keys.
type argument struct {
	spec.Arg
	Buffer *bufferArg `json:"buffer"`
	Image  *imageArg  `json:"image"`
}

// bufferArg is a range of memory and its contents.
type bufferArg struct {
	Size   *uint64 `json:"size"`
	Hex    []byte  `json:"hex"`
	File   string  `json:"file"`
	NoInit bool    `json:"noinit"`
	Parts  []part  `json:"parts"`
	Addr   *uint64 `json:"addr" number:"bits"` // nil leaves it to the placement
	randomKeys
}

// part is a piece of a buffer.
type part struct {
	Offset uint64 `json:"offset"`
	Size   uint64 `json:"size"`
	Name   string `json:"name"`
}

// partsOf returns parts as values, nil if none are given.
func partsOf(parts []part) (all []check.Part) {
	for _, p := range parts {
		all = append(all, check.Part(p))
	}
	return all
}

// imageArg is an image, and where its texels come from.
type imageArg struct {
	spec.Image
	Hex  []byte `json:"hex"`
	File string `json:"file"`
	randomKeys
}

// randomKeys are what a request says of data that a seed makes.
type randomKeys struct {
	Seed *uint64 `json:"random"`
	spec.Random
}

// data returns what r describes, nil if there is none.
func (r *randomKeys) data() (*spec.Random, error) {
	if r.Seed == nil {
		if !reflect.ValueOf(r.Random).IsZero() {
			return nil, errors.New("as, min, max and with say what random data is, but there is none; give random, a seed")
		}
		return nil, nil
	}
	random := r.Random
	random.Seed = *r.Seed
	return &random, nil
}

// reader reads the files that a specification names.
type reader struct {
	Files
	left int64 // bytes of all files together
}

// maxFileBytes is how many bytes the files of a specification have together, and maxObjectBytes those
// of the largest code object.
const maxFileBytes, maxObjectBytes = 4 << 30, 1 << 30

// contents returns the contents that are given as digits, or are in a file. kind is whose they are.
func (r *reader) contents(kind string, digits []byte, file string) ([]byte, error) {
	switch {
	case file == "":
		return digits, nil
	case digits != nil:
		return nil, fmt.Errorf("%s has both hex and file; give one", kind)
	}
	data, err := r.ReadFile(file, r.left)
	r.left -= int64(len(data))
	if err == nil && data == nil {
		data = []byte{}
	}
	return data, err
}

// argument returns the argument as a value.
func (a *argument) argument(files *reader) (arg spec.Arg, err error) {
	arg = a.Arg
	if a.Buffer != nil {
		if arg.Buffer, err = a.Buffer.buffer(files); err != nil {
			return arg, err
		}
	}
	if a.Image != nil {
		arg.Image = new(a.Image.Image)
		if arg.Image.Random, err = a.Image.data(); err != nil {
			return arg, fmt.Errorf("image: %w", err)
		}
		if arg.Image.Data, err = files.contents("image", a.Image.Hex, a.Image.File); err != nil {
			return arg, fmt.Errorf("image: %w", err)
		}
		arg.Image.Name = a.Image.File
	}
	return arg, nil
}

// buffer returns the buffer as a value.
func (b *bufferArg) buffer(files *reader) (*spec.Buffer, error) {
	data, err := files.contents("buffer", b.Hex, b.File)
	if err != nil {
		return nil, err
	}
	return ranged(b.Size, data, b.NoInit, b.Parts, b.Addr, &b.randomKeys)
}

// ranged returns a range of memory as a value. It tells a size of 0 from none.
func ranged(size *uint64, data []byte, noInit bool, parts []part, addr *uint64, random *randomKeys) (r *spec.Buffer,
	err error) {
	r = &spec.Buffer{Data: data, NoInit: noInit, Parts: partsOf(parts), Addr: addr}
	if r.Random, err = random.data(); err != nil || size == nil {
		return r, err
	}
	if r.Size = *size; r.Size == 0 {
		if err := refuseData(data); err != nil {
			return nil, err
		}
		r.Data, r.NoInit, r.Random = []byte{}, false, nil
	}
	return r, nil
}

// refuseData refuses data of a range whose size is 0.
func refuseData(data []byte) error {
	if len(data) > 0 {
		return fmt.Errorf("a size of 0 bytes, but there are %d bytes of data; leave size out or give more", len(data))
	}
	return nil
}

// expectation is what a buffer must hold after a dispatch.
type expectation struct {
	spec.Expect
	Hex  *[]byte `json:"hex"`
	File string  `json:"file"`
}

// expect returns the expectation as a value.
func (x *expectation) expect(files *reader) (e spec.Expect, err error) {
	e = x.Expect
	switch {
	case (x.Hex != nil) == (x.File != ""):
		err = errors.New("give either hex or file, the bytes that it must hold")
	case x.Hex != nil:
		e.Want = *x.Hex
	default:
		e.Want, err = files.contents("expect", nil, x.File)
	}
	return e, err
}
