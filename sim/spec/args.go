package spec

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/gcnsim/gcnsim/sim"
	"github.com/gcnsim/gcnsim/sim/check"
	"github.com/gcnsim/gcnsim/sim/texture"
)

// Arg is an argument of a kernel. Exactly one of its fields is not nil.
type Arg struct {
	Buffer  *Buffer  `json:"buffer,omitzero"`  // the argument is the address of the buffer
	Image   *Image   `json:"image,omitzero"`   // the argument is a T#, or the address of one, depending on the metadata
	Sampler *Sampler `json:"sampler,omitzero"` // the argument is an S#, or the address of one
	U32     *uint32  `json:"u32,omitzero"`
	F32     *float32 `json:"f32,omitzero"`
	U64     *uint64  `json:"u64,omitzero"`
	Local   *uint32  `json:"local,omitzero"` // bytes of LDS; the argument is their offset
	Bytes   *[]byte  `json:"hex,omitzero"`   // an argument of any type, as bytes
}

// Buffer is a range of memory.
type Buffer struct {
	Size uint64 `json:"size"` // size in bytes; 0 means the length of Data. Bytes beyond Data are 0
	Data []byte `json:"hex,omitempty"`
	File string `json:"file,omitzero"` // the file with the contents, instead of Data
	// NoInit means that the contents are undefined, see [check.Checker.NoInit].
	NoInit bool         `json:"noinit,omitzero"`
	Parts  []check.Part `json:"parts,omitzero"` // the parts that may be accessed, see [check.Checker.Parts]; nil means all
	Addr   *uint64      `json:"addr,omitzero"`  // address; nil lets [Dispatch.Placement] select it
	Random *Random      `json:",embed"`         // random contents, instead of Data
}

// Memory is the memory of an argument.
type Memory struct {
	Buffer *sim.Buffer
	Image  *texture.Texture // nil if the argument is a buffer
}

// Size returns the number of bytes that [Memory.contents] returns.
func (m *Memory) Size() uint64 {
	if m.Image != nil {
		return texelBytes(m.Image)
	}
	return m.Buffer.Size
}

// contents returns the bytes of a buffer, not copied, or a copy of the texels of an image: level after level, in a
// level slice after slice, row after row.
func (m *Memory) contents() ([]byte, error) {
	if m.Image != nil {
		return texels(m.Image)
	}
	return m.Buffer.Bytes(), nil
}

// maxMemoryBytes is the largest total size of all buffers of a specification.
const maxMemoryBytes = 4 << 30

// IsRandom reports whether an argument has random data, which depends on [Options.Seed].
func (d *Dispatch) IsRandom() bool {
	return slices.ContainsFunc(d.Args, func(a Arg) bool {
		return a.Buffer != nil && a.Buffer.Random != nil || a.Image != nil && a.Image.Random != nil
	})
}

// loader creates the arguments of a dispatch.
type loader struct {
	m     *sim.Machine
	seed  uint64   // added to the seeds of random data
	left  uint64   // the unused rest of maxMemoryBytes
	sizes []uint32 // sizes of the kernel's arguments
}

// setArgs sets the arguments of l. It maps their memory in m and returns it by argument, nil for arguments without
// memory. If a kernarg segment or registers contain the arguments, it only maps buffers.
func (d *Dispatch) setArgs(l *sim.Launch, m *sim.Machine, o *Options) ([]*Memory, error) {
	memory := make([]*Memory, len(d.Args))
	from := loader{m: m, seed: o.Seed, left: maxMemoryBytes}
	if k, err := l.Module.Object.Kernel(d.Kernel); err == nil {
		for _, a := range k.Args {
			if !a.Hidden {
				from.sizes = append(from.sizes, a.Size)
			}
		}
	}
	for i := range d.Args {
		a := &d.Args[i]
		arg, mem, err := from.arg(a, i)
		if err != nil {
			return nil, fmt.Errorf("args[%d]: %w", i, err)
		}
		memory[i] = mem
		switch {
		case d.Kernarg == nil && d.Registers == nil:
			l.Args = append(l.Args, arg)
		case a.Buffer == nil:
			holds := "kernarg, which holds"
			if d.Registers != nil {
				holds = "registers, which hold"
			}
			return nil, fmt.Errorf("args[%d]: with %s the arguments, only a buffer can be given", i, holds)
		}
	}
	return memory, nil
}

// arg returns argument number i, and its memory or nil.
func (l *loader) arg(a *Arg, i int) (sim.Arg, *Memory, error) {
	given := 0
	for _, set := range []bool{a.Buffer != nil, a.Image != nil, a.Sampler != nil, a.U32 != nil, a.F32 != nil,
		a.U64 != nil, a.Local != nil, a.Bytes != nil} {
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
		return sim.BufferArg(b), &Memory{b, nil}, nil
	case a.Image != nil:
		t, err := l.image(a.Image, i)
		if err != nil {
			return sim.Arg{}, nil, fmt.Errorf("image: %w", err)
		}
		arg, err := l.resource(t.Words(), objectWords(&t.Image), i)
		return arg, &Memory{t.Buffer, t}, err
	case a.Sampler != nil:
		s, err := a.Sampler.state()
		if err != nil {
			return sim.Arg{}, nil, fmt.Errorf("sampler: %w", err)
		}
		arg, err := l.resource(s.Words(l.m.Target.Gen()), nil, i)
		return arg, nil, err
	case a.U32 != nil:
		return sim.U32(*a.U32), nil, nil
	case a.F32 != nil:
		return sim.F32(*a.F32), nil, nil
	case a.U64 != nil:
		return sim.U64(*a.U64), nil, nil
	case a.Local != nil:
		return sim.Local(*a.Local), nil, nil
	}
	return sim.Bytes(append([]byte{}, *a.Bytes...)), nil, nil
}

// resource returns a T# or S# as argument number i: by value if the kernel's argument has that size, otherwise as the
// address of memory that contains it and following, as compiled OpenCL code expects.
func (l *loader) resource(words, following []uint32, i int) (sim.Arg, error) {
	var data []byte
	for n, word := range append(words, following...) {
		if n == len(words) && i < len(l.sizes) && int(l.sizes[i]) == len(data) {
			break
		}
		data = binary.LittleEndian.AppendUint32(data, word)
	}
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

// buffer maps the buffer of argument number i and sets its contents.
func (l *loader) buffer(s *Buffer, i int) (*sim.Buffer, error) {
	size, err := s.size()
	if err != nil {
		return nil, err
	}
	if size == 0 && s.Data == nil {
		return nil, errors.New("a buffer of no size; give size, hex or file")
	}
	if err := l.spend(size); err != nil {
		return nil, err
	}
	var b *sim.Buffer
	if s.Addr != nil {
		b, err = l.m.Map(*s.Addr, size)
	} else {
		b, err = l.m.Allocate(size, 1)
	}
	if err != nil {
		return nil, err
	}
	return b, s.fill(b, i, l.seed)
}

// spend subtracts size from the memory that arguments may still use, or returns an error.
func (l *loader) spend(size uint64) error {
	if size > l.left {
		return fmt.Errorf("with a buffer of %d bytes they are more than the %d that a request may map", size,
			uint64(maxMemoryBytes))
	}
	l.left -= size
	return nil
}

// size returns the size of s in bytes. It returns an error if its contents are given in two ways.
func (s *Buffer) size() (uint64, error) {
	if err := oneContents(s.Data != nil, s.NoInit, s.Random); err != nil {
		return 0, err
	}
	return sized(s.Size, s.Data)
}

// oneContents returns an error if the contents are given in two ways: as data, as undefined, or as random.
func oneContents(data, noInit bool, random *Random) error {
	switch {
	case random != nil && (data || noInit):
		return errors.New("random makes the data, so hex, file and noinit have no effect; leave them out")
	case data && noInit:
		return errors.New("noinit says that there is no data, but some is given; leave one out")
	}
	return nil
}

// sized returns the size of a range in bytes: size, or the length of data if size is 0.
func sized(size uint64, data []byte) (uint64, error) {
	have := uint64(len(data))
	switch {
	case size == 0:
		return have, nil
	case size < have:
		return 0, fmt.Errorf("a size of %d bytes, but there are %d bytes of data; leave size out or give more", size, have)
	}
	return size, nil
}

// fill sets the contents of b, range number i. seed is added to the seed of random data.
func (s *Buffer) fill(b *sim.Buffer, i int, seed uint64) error {
	if s.Random != nil {
		return s.Random.Fill(b.Bytes(), i, seed)
	}
	copy(b.Bytes(), s.Data)
	return nil
}

// Storage is the LDS or the GDS of an [Exec].
type Storage struct {
	Size int    `json:"size"` // size in bytes; 0 means the length of Data
	Data []byte `json:"hex"`  // bytes beyond it are 0
}

// setMemory maps the memory of e and returns its ranges.
func (e *Exec) setMemory(m *sim.Machine, seed uint64) (memory []*Memory, err error) {
	left := uint64(maxMemoryBytes)
	for i := range e.Mem {
		r := &e.Mem[i]
		size, err := r.size()
		switch {
		case err != nil:
			return nil, fmt.Errorf("mem[%d]: %w", i, err)
		case r.Addr == nil:
			return nil, fmt.Errorf("mem[%d]: it has no address; give addr", i)
		case size > left:
			return nil, fmt.Errorf("mem[%d]: with %d bytes at 0x%x the ranges are more than the %d bytes that a request "+
				"may map", i, size, *r.Addr, uint64(maxMemoryBytes))
		}
		left -= size
		b, err := m.Map(*r.Addr, size)
		if err != nil {
			return nil, fmt.Errorf("mem[%d]: %w", i, err)
		}
		if err := r.fill(b, i, seed); err != nil {
			return nil, fmt.Errorf("mem[%d]: %w", i, err)
		}
		memory = append(memory, &Memory{Buffer: b})
	}
	if err := e.LDS.set("lds", &m.LDSSize, m.LDS); err != nil {
		return nil, err
	}
	return memory, e.GDS.set("gds", &m.GDSSize, m.GDS)
}

// maxStorage is the largest size in bytes of LDS and of GDS.
const maxStorage = 64 << 10

// set sets the size of LDS or GDS, called name in errors, and the contents of the buffer that get returns afterwards.
func (s *Storage) set(name string, size *int, get func() *sim.Buffer) error {
	if s == nil {
		return nil
	}
	bytes, err := sized(uint64(s.Size), s.Data)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if most := max(*size, maxStorage); bytes > uint64(most) {
		return fmt.Errorf("%s: %d bytes are more than the %d there are", name, bytes, most)
	}
	*size = int(bytes)
	copy(get().Bytes(), s.Data)
	return nil
}
