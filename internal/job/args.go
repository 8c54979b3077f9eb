package job

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/sim/texture"
)

// argSpec is one argument: exactly one of its keys.
type argSpec struct {
	Buffer  *bufferSpec `json:"buffer"`
	Image   *imageArg   `json:"image"`
	Sampler *samplerArg `json:"sampler"`
	U32     *bits32     `json:"u32"`
	F32     *float      `json:"f32"`
	U64     *bits64     `json:"u64"`
	Local   *count32    `json:"local"`
	Hex     *hexBytes   `json:"hex"`
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
	return slices.ContainsFunc(req.Args, func(a argSpec) bool {
		return a.Buffer != nil && a.Buffer.Random != nil || a.Image != nil && a.Image.Random != nil
	})
}

// loader makes the arguments of a dispatch.
type loader struct {
	m     *sim.Machine
	files Files
	seed  uint64   // added to those of random data
	left  uint64   // of maxMemoryBytes
	sizes []uint32 // of the arguments of the kernel
}

// held is the memory of an argument: a buffer, or the texels of an image.
type held struct {
	*sim.Buffer
	image *texture.Texture // nil if it is a buffer
}

// setArgs gives l its arguments, with their memory mapped in m, which is returned by
// argument, nil where the argument has none. With a kernarg segment, which holds the
// arguments, buffers are mapped only.
func (req *DispatchRequest) setArgs(l *sim.Launch, m *sim.Machine, o *Options) ([]*held, error) {
	memory := make([]*held, len(req.Args))
	from := loader{m: m, files: o.Files, seed: o.Seed, left: maxMemoryBytes}
	if k, err := l.Module.Object.Kernel(req.Kernel); err == nil {
		for _, a := range k.Args {
			if !a.Hidden {
				from.sizes = append(from.sizes, a.Size)
			}
		}
	}
	for i, a := range req.Args {
		arg, h, err := from.arg(&a, i)
		if err != nil {
			return nil, fmt.Errorf("args[%d]: %w", i, err)
		}
		memory[i] = h
		switch {
		case req.Kernarg == nil:
			l.Args = append(l.Args, arg)
		case a.Buffer == nil:
			return nil, fmt.Errorf("args[%d]: with kernarg, which holds the arguments, only a buffer can be given", i)
		}
	}
	return memory, nil
}

// arg returns argument number i, and its memory if it has some.
func (l *loader) arg(a *argSpec, i int) (sim.Arg, *held, error) {
	given := 0
	for _, set := range []bool{a.Buffer != nil, a.Image != nil, a.Sampler != nil, a.U32 != nil, a.F32 != nil, a.U64 != nil, a.Local != nil, a.Hex != nil} {
		if set {
			given++
		}
	}
	if given != 1 {
		return sim.Arg{}, nil, errors.New("give exactly one of buffer, image, sampler, u32, f32, u64, local, hex")
	}
	switch {
	case a.Buffer != nil:
		b, err := l.buffer(a.Buffer, i)
		if err != nil {
			return sim.Arg{}, nil, err
		}
		return sim.BufferArg(b), &held{b, nil}, nil
	case a.Image != nil:
		t, err := l.image(a.Image, i)
		if err != nil {
			return sim.Arg{}, nil, fmt.Errorf("image: %w", err)
		}
		arg, err := l.resource(t.Words(), i)
		return arg, &held{t.Buffer, t}, err
	case a.Sampler != nil:
		s, err := a.Sampler.state()
		if err != nil {
			return sim.Arg{}, nil, fmt.Errorf("sampler: %w", err)
		}
		arg, err := l.resource(s.Words(l.m.Target.Gen()), i)
		return arg, nil, err
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

// resource returns a T# or S# as argument number i: by value if the kernel takes so many
// bytes, otherwise the address of memory that holds it, as compilers of OpenCL expect.
func (l *loader) resource(words []uint32, i int) (sim.Arg, error) {
	data, _ := binary.Append(nil, binary.LittleEndian, words) // dwords have a size
	if i < len(l.sizes) && int(l.sizes[i]) == len(data) {
		return sim.Bytes(data), nil
	}
	b, err := l.m.Allocate(uint64(len(data)), 1)
	if err != nil {
		return sim.Arg{}, err
	}
	copy(b.Bytes(), data)
	return sim.BufferArg(b), nil
}

// size returns how many bytes h has: those of texels without what tiling adds.
func (h *held) size() uint64 {
	if h.image != nil {
		return texelBytes(h.image)
	}
	return h.Size
}

// contents returns the bytes of h, of an image its texels.
func (h *held) contents() ([]byte, error) {
	if h.image != nil {
		return texels(h.image)
	}
	return h.Bytes(), nil
}

// addr returns the address of a byte of what contents returns.
func (h *held) addr(at uint64) (uint64, error) {
	if h.image != nil {
		return texelAddr(h.image, at)
	}
	return h.Addr + at, nil
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
	if err := l.spend(size); err != nil {
		return nil, err
	}
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

// spend takes size off what arguments may take of memory.
func (l *loader) spend(size uint64) error {
	if size > l.left {
		return fmt.Errorf("with a buffer of %d bytes they are more than the %d that a request may map", size, uint64(maxMemoryBytes))
	}
	l.left -= size
	return nil
}

// mapped maps size bytes for the buffer.
func (s *bufferSpec) mapped(m *sim.Machine, size uint64) (*sim.Buffer, error) {
	if s.Addr != nil {
		return m.Map(uint64(*s.Addr), size)
	}
	return m.Allocate(size, 1)
}
