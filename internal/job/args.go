package job

import (
	"errors"
	"fmt"

	"github.com/gcnsim/gcnsim/sim"
)

// argSpec is one argument: exactly one of its keys.
type argSpec struct {
	Buffer *bufferSpec `json:"buffer"`
	U32    *number     `json:"u32"`
	F32    *float32    `json:"f32"`
	U64    *number     `json:"u64"`
	Local  *number     `json:"local"`
	Hex    *hexBytes   `json:"hex"`
}

type bufferSpec struct {
	Size number   `json:"size"`
	Hex  hexBytes `json:"hex"`
	File string   `json:"file"`
}

// setArgs gives l its arguments, with their buffers mapped in m. Buffers are returned by
// argument, nil where the argument is no buffer.
func (req *DispatchRequest) setArgs(l *sim.Launch, m *sim.Machine, files Files) ([]*sim.Buffer, error) {
	buffers := make([]*sim.Buffer, len(req.Args))
	for i, a := range req.Args {
		arg, b, err := a.arg(m, files)
		if err != nil {
			return nil, fmt.Errorf("args[%d]: %w", i, err)
		}
		l.Args, buffers[i] = append(l.Args, arg), b
	}
	return buffers, nil
}

// arg returns the argument, and its buffer if it is one.
func (a *argSpec) arg(m *sim.Machine, files Files) (sim.Arg, *sim.Buffer, error) {
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
		b, err := a.Buffer.load(m, files)
		if err != nil {
			return sim.Arg{}, nil, err
		}
		return sim.BufferArg(b), b, nil
	case a.U32 != nil:
		v, err := a.U32.u32()
		return sim.U32(v), nil, err
	case a.F32 != nil:
		return sim.F32(*a.F32), nil, nil
	case a.U64 != nil:
		return sim.U64(a.U64.v), nil, nil
	case a.Local != nil:
		v, err := a.Local.u32()
		return sim.Local(v), nil, err
	}
	return sim.Bytes(append([]byte{}, *a.Hex...)), nil, nil
}

// load maps the buffer with its contents.
func (s *bufferSpec) load(m *sim.Machine, files Files) (*sim.Buffer, error) {
	data := []byte(s.Hex)
	if s.File != "" {
		if s.Hex != nil {
			return nil, errors.New("buffer has both hex and file; give one")
		}
		var err error
		if data, err = files.ReadFile(s.File); err != nil {
			return nil, err
		}
	}
	size := max(s.Size.v, uint64(len(data)))
	if size == 0 || size > maxHostBytes {
		return nil, fmt.Errorf("a buffer of %d bytes; it must have 1 to %d", size, maxHostBytes)
	}
	b := m.Alloc(int(size))
	copy(b.Bytes(), data)
	return b, nil
}
