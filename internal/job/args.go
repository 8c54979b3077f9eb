package job

import (
	"errors"
	"fmt"
	"slices"

	"github.com/gcnsim/gcnsim/sim"
)

// argSpec is one argument: exactly one of its keys.
type argSpec struct {
	Buffer *bufferSpec `json:"buffer"`
	U32    *bits32     `json:"u32"`
	F32    *float      `json:"f32"`
	U64    *bits64     `json:"u64"`
	Local  *count32    `json:"local"`
	Hex    *hexBytes   `json:"hex"`
}

type bufferSpec struct {
	Size *count64 `json:"size"`
	Hex  hexBytes `json:"hex"`
	File string   `json:"file"`
	// NoInit: its contents are undefined, see [check.Checker.NoInit].
	NoInit bool    `json:"noinit"`
	Addr   *bits64 `json:"addr"` // where it lies; nil leaves it to the placement
	randomSpec
}

// Random reports whether the specification has random data, which [Options] can vary.
func (req *DispatchRequest) Random() bool {
	return slices.ContainsFunc(req.Args, func(a argSpec) bool { return a.Buffer != nil && a.Buffer.Random != nil })
}

// loader makes the arguments of a dispatch.
type loader struct {
	m     *sim.Machine
	files Files
	seed  uint64 // added to those of random data
	left  uint64 // of maxMemoryBytes
}

// setArgs gives l its arguments, with their buffers mapped in m. Buffers are returned by
// argument, nil where the argument is no buffer. With a kernarg segment, which holds the
// arguments, buffers are mapped only.
func (req *DispatchRequest) setArgs(l *sim.Launch, m *sim.Machine, o *Options) ([]*sim.Buffer, error) {
	buffers := make([]*sim.Buffer, len(req.Args))
	from := loader{m, o.Files, o.Seed, maxMemoryBytes}
	for i, a := range req.Args {
		arg, b, err := from.arg(&a, i)
		if err != nil {
			return nil, fmt.Errorf("args[%d]: %w", i, err)
		}
		buffers[i] = b
		switch {
		case req.Kernarg == nil:
			l.Args = append(l.Args, arg)
		case b == nil:
			return nil, fmt.Errorf("args[%d]: with kernarg, which holds the arguments, only a buffer can be given", i)
		}
	}
	return buffers, nil
}

// arg returns argument number i, and its buffer if it is one.
func (l *loader) arg(a *argSpec, i int) (sim.Arg, *sim.Buffer, error) {
	given := 0
	for _, set := range []bool{a.Buffer != nil, a.U32 != nil, a.F32 != nil, a.U64 != nil, a.Local != nil, a.Hex != nil} {
		if set {
			given++
		}
	}
	if given != 1 {
		return sim.Arg{}, nil, errors.New("give exactly one of buffer, u32, f32, u64, local, hex")
	}
	switch {
	case a.Buffer != nil:
		b, err := l.buffer(a.Buffer, i)
		if err != nil {
			return sim.Arg{}, nil, err
		}
		return sim.BufferArg(b), b, nil
	case a.U32 != nil:
		return sim.U32(uint32(*a.U32)), nil, nil
	case a.F32 != nil:
		return sim.F32(float32(*a.F32)), nil, nil
	case a.U64 != nil:
		return sim.U64(uint64(*a.U64)), nil, nil
	case a.Local != nil:
		return sim.Local(uint32(*a.Local)), nil, nil
	}
	return sim.Bytes(append([]byte{}, *a.Hex...)), nil, nil
}

// buffer maps the buffer of argument number i with its contents.
func (l *loader) buffer(s *bufferSpec, i int) (*sim.Buffer, error) {
	data := []byte(s.Hex)
	if s.File != "" {
		if s.Hex != nil {
			return nil, errors.New("buffer has both hex and file; give one")
		}
		var err error
		if data, err = l.files.ReadFile(s.File, int64(l.left)); err != nil {
			return nil, err
		}
	}
	filled := s.Hex != nil || s.File != ""
	random, err := s.given(filled, s.NoInit)
	if err != nil {
		return nil, err
	}
	if s.Size == nil && !filled {
		return nil, errors.New("a buffer of no size; give size, hex or file")
	}
	size, err := sized(s.Size, data)
	if err != nil {
		return nil, err
	}
	if size > l.left {
		return nil, fmt.Errorf("with a buffer of %d bytes they are more than the %d that a request may map", size, uint64(maxMemoryBytes))
	}
	l.left -= size
	b, err := s.mapped(l.m, size)
	if err != nil {
		return nil, err
	}
	if random {
		return b, s.fill(b.Bytes(), i, l.seed)
	}
	copy(b.Bytes(), data)
	return b, nil
}

// mapped maps size bytes for the buffer.
func (s *bufferSpec) mapped(m *sim.Machine, size uint64) (*sim.Buffer, error) {
	if s.Addr != nil {
		return m.Map(uint64(*s.Addr), size)
	}
	return m.Allocate(size, 1)
}
