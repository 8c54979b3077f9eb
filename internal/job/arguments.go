package job

import (
	"errors"
	"fmt"

	"github.com/gcnsim/gcnsim/sim/spec"
)

// argument is one argument of a dispatch: exactly one of its keys.
type argument struct {
	Buffer  *bufferArg    `json:"buffer"`
	Image   *imageArg     `json:"image"`
	Sampler *spec.Sampler `json:"sampler"`
	U32     *bits32       `json:"u32"`
	F32     *float32      `json:"f32"`
	U64     *bits64       `json:"u64"`
	Local   *uint32       `json:"local"`
	Hex     *[]byte       `json:"hex"`
}

// bufferArg is a range of memory and its contents.
type bufferArg struct {
	Size   *uint64 `json:"size"`
	Hex    []byte  `json:"hex"`
	File   string  `json:"file"`
	NoInit bool    `json:"noinit"`
	Addr   *bits64 `json:"addr"` // nil leaves it to the placement
	randomKeys
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
	Seed *uint64      `json:"random"`
	As   spec.Element `json:"as"`
	Min  spec.Number  `json:"min"`
	Max  spec.Number  `json:"max"`
	With []string     `json:"with"`
}

// data returns what r describes, nil if there is none.
func (r *randomKeys) data() (*spec.Random, error) {
	if r.Seed == nil {
		if r.As != 0 || r.Min != "" || r.Max != "" || r.With != nil {
			return nil, errors.New("as, min, max and with say what random data is, but there is none; give random, a seed")
		}
		return nil, nil
	}
	return &spec.Random{Seed: *r.Seed, As: r.As, Min: r.Min, Max: r.Max, With: r.With}, nil
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
	arg = spec.Arg{Sampler: a.Sampler, U32: (*uint32)(a.U32), F32: a.F32, U64: (*uint64)(a.U64), Local: a.Local, Bytes: a.Hex}
	if a.Buffer != nil {
		if arg.Buffer, err = a.Buffer.buffer(files); err != nil {
			return arg, err
		}
	}
	if a.Image != nil {
		arg.Image = &a.Image.Image
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
	return ranged(b.Size, data, b.NoInit, (*uint64)(b.Addr), &b.randomKeys)
}

// ranged returns a range of memory as a value. It tells a size of 0 from none.
func ranged(size *uint64, data []byte, noInit bool, addr *uint64, random *randomKeys) (r *spec.Buffer, err error) {
	r = &spec.Buffer{Data: data, NoInit: noInit, Addr: addr}
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
	Arg      uint32       `json:"arg"`
	Offset   uint64       `json:"offset"`
	Hex      *[]byte      `json:"hex"`
	File     string       `json:"file"`
	As       spec.Element `json:"as"`
	Bits     bool         `json:"bits"`
	ULP      *uint64      `json:"ulp"`
	Absolute spec.Number  `json:"absolute"`
	Relative spec.Number  `json:"relative"`
}

// expect returns the expectation as a value.
func (x *expectation) expect(files *reader) (spec.Expect, error) {
	e := spec.Expect{Arg: int(x.Arg), Offset: x.Offset, As: x.As, Bits: x.Bits, ULP: x.ULP, Absolute: x.Absolute, Relative: x.Relative}
	if (x.Hex != nil) == (x.File != "") {
		return e, errors.New("give either hex or file, the bytes that it must hold")
	}
	if x.Hex != nil {
		e.Want = *x.Hex
		return e, nil
	}
	var err error
	e.Want, err = files.contents("expect", nil, x.File)
	return e, err
}
