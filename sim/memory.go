package sim

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"unsafe"

	"github.com/gcnsim/gcnsim/internal/unit"
)

// Memory is the simulated global memory: ranges of bytes at 64-bit addresses. An access
// outside every range is a fault. Ranges must not be mapped or unmapped while waves run.
type Memory struct {
	// Placement says where Alloc places ranges.
	Placement Placement
	// MaxBytes is how many bytes may be mapped at a time; 0 is DefaultMaxBytes. It keeps
	// a mistyped size from taking all memory of the host, which ends the program.
	MaxBytes uint64

	mapped   uint64       // bytes
	patches  uint64       // how many times the host wrote to code
	spans    []*unit.Span // sorted by Base+Lo, no overlaps
	reserved []extent     // addresses that have no storage and are not given away
	next     uint64       // where a packed Alloc looks first
	slot     uint64       // where a spread one does
}

// spanAlign is the alignment of Span.Base: enough for every element that is accessed whole.
const spanAlign = 16

// MapError says why a range cannot be mapped.
type MapError struct {
	Addr, Size uint64
	What       string
}

// Error names the range.
func (e *MapError) Error() string {
	return fmt.Sprintf("cannot map %d bytes at 0x%x: %s", e.Size, e.Addr, e.What)
}

// DefaultMaxBytes is how many bytes may be mapped unless [Memory.MaxBytes] is set.
const DefaultMaxBytes = 8 << 30

// checkSize refuses a range that is too large.
func (m *Memory) checkSize(addr, size uint64) error {
	most := m.MaxBytes
	if most == 0 {
		most = DefaultMaxBytes
	}
	most = min(most, math.MaxInt-spanAlign) // a range is one slice
	if most -= min(most, m.mapped); size > most {
		return &MapError{addr, size, fmt.Sprintf("%d bytes are mapped, and there may be %d more; see MaxBytes of the memory", m.mapped, most)}
	}
	return nil
}

// Map makes size zeroed bytes at addr accessible. The error is a *[MapError] if size is
// 0 or too large, the range wraps or overlaps another.
func (m *Memory) Map(addr, size uint64) (*Buffer, error) {
	fail := func(what string) (*Buffer, error) { return nil, &MapError{addr, size, what} }
	switch {
	case size == 0:
		return fail("a range has at least one byte")
	case addr+size < addr:
		return fail("it wraps around the end of the address space")
	}
	if err := m.checkSize(addr, size); err != nil {
		return nil, err
	}
	if o, ok := m.overlap(addr, addr+size); ok {
		return fail(fmt.Sprintf("it overlaps the range at 0x%x of %d bytes", o.lo, o.hi-o.lo))
	}
	s := newSpan(addr, size)
	m.mapped += size
	m.spans = slices.Insert(m.spans, m.search(addr), s)
	return &Buffer{Addr: addr, Size: size, span: s}, nil
}

// newSpan returns zeroed storage for size bytes at addr.
func newSpan(addr, size uint64) *unit.Span {
	base := addr &^ (spanAlign - 1)
	lo := addr - base
	words := (max(lo+size, 1) + spanAlign - 1) / spanAlign * (spanAlign / 8)
	store := make([]uint64, words)
	s := &unit.Span{Base: base, Lo: lo, Hi: lo + size}
	// One storage under two views, made once per range: bytes for sub-dword and
	// unaligned accesses, dwords for copies and atomics.
	s.Bytes = unsafe.Slice((*byte)(unsafe.Pointer(&store[0])), words*8)
	s.Words = unsafe.Slice((*uint32)(unsafe.Pointer(&store[0])), words*2)
	return s
}

// The two views of a Span agree on dwords only where the host stores the low byte first.
func init() {
	if binary.NativeEndian.Uint16([]byte{1, 0}) != 1 {
		panic("sim: big-endian hosts are not supported")
	}
}

// search returns the index of the first range that ends after addr.
func (m *Memory) search(addr uint64) int {
	lo, hi := 0, len(m.spans)
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		if s := m.spans[mid]; s.Base+s.Hi <= addr {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

// Find returns the range that holds addr, nil if there is none.
func (m *Memory) Find(addr uint64) *unit.Span {
	if i := m.search(addr); i < len(m.spans) && addr >= m.spans[i].Base+m.spans[i].Lo {
		return m.spans[i]
	}
	return nil
}

// AccessError says that the host reads or writes where nothing is mapped.
type AccessError struct {
	Addr, Size uint64 // of the access
	Unmapped   uint64 // its first address that no range holds
}

// Error names the access and the address.
func (e *AccessError) Error() string {
	return fmt.Sprintf("cannot access %d bytes at 0x%x: no mapped range holds 0x%x", e.Size, e.Addr, e.Unmapped)
}

// Read copies the len(p) bytes at addr to p; they may lie in ranges that follow one
// another without a gap. The error is an *[AccessError]; then p is as it was.
func (m *Memory) Read(addr uint64, p []byte) error {
	return m.transfer(addr, p, func(s *unit.Span, off uint64, p []byte) { copy(p, s.Bytes[off:]) })
}

// Write copies p to addr as [Memory.Read] reads. After an error memory is as it was. Code
// that is written is what the next launch executes.
func (m *Memory) Write(addr uint64, p []byte) error {
	return m.transfer(addr, p, func(s *unit.Span, off uint64, p []byte) {
		copy(s.Bytes[off:], p)
		if s.Code {
			m.patches++
		}
	})
}

// transfer calls do for each piece of p with the range that holds it and where, if all of
// it is mapped.
func (m *Memory) transfer(addr uint64, p []byte, do func(s *unit.Span, off uint64, p []byte)) error {
	size := uint64(len(p))
	first := m.search(addr)
	for i, at := first, uint64(0); at < size; i++ {
		if i == len(m.spans) || addr+at < addr || addr+at-m.spans[i].Base < m.spans[i].Lo || addr+at < m.spans[i].Base {
			return &AccessError{addr, size, addr + at}
		}
		at = min(size, m.spans[i].Base+m.spans[i].Hi-addr)
	}
	for i, at := first, uint64(0); at < size; i++ {
		s := m.spans[i]
		off := addr + at - s.Base
		n := min(s.Hi-off, size-at)
		do(s, off, p[at:at+n])
		at += n
	}
	return nil
}

// Buffer is a mapped range, seen from the host.
type Buffer struct {
	Addr uint64
	Size uint64
	span *unit.Span
	slot uint64 // of a spread placement
}

// Bytes returns the bytes of the range: a view, not a copy.
func (b *Buffer) Bytes() []byte { return b.span.Bytes[b.span.Lo:b.span.Hi] }

// Uint32s returns a copy of the range as little-endian dwords; bytes after the last
// whole one are left out.
func (b *Buffer) Uint32s() []uint32 {
	bytes := b.Bytes()
	v := make([]uint32, len(bytes)/4)
	for i := range v {
		v[i] = binary.LittleEndian.Uint32(bytes[4*i:])
	}
	return v
}

// Float32s is [Buffer.Uint32s] as single-precision numbers.
func (b *Buffer) Float32s() []float32 {
	bits := b.Uint32s()
	v := make([]float32, len(bits))
	for i := range v {
		v[i] = math.Float32frombits(bits[i])
	}
	return v
}

// SetUint32s writes dwords from the start of the range. It panics if they do not fit.
func (b *Buffer) SetUint32s(values ...uint32) {
	bytes := b.Bytes()
	for i, v := range values {
		binary.LittleEndian.PutUint32(bytes[4*i:], v)
	}
}

// SetFloat32s writes single-precision numbers from the start of the range. It panics if
// they do not fit.
func (b *Buffer) SetFloat32s(values ...float32) {
	bytes := b.Bytes()
	for i, v := range values {
		binary.LittleEndian.PutUint32(bytes[4*i:], math.Float32bits(v))
	}
}
