package sim

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"unsafe"

	"github.com/gcnsim/gcnsim/state"
)

// Memory is the simulated global memory: ranges of bytes at 64-bit addresses. An access
// outside every range is a fault. Ranges must not be mapped or unmapped while waves run.
type Memory struct {
	spans []*state.Span // sorted by Base+Lo, no overlaps
	next  uint64        // where Alloc looks first
}

// Allocations begin above 4 GiB, so that an address cut to 32 bits is not mapped, and
// leave a page between them, so that running over the end of one is a fault.
const (
	allocBase  = 0x1_0000_0000
	allocAlign = 0x1000
)

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

// maxRange keeps a mistyped size from taking the host's memory.
const maxRange = 1 << 36

// Map makes size zeroed bytes at addr accessible. The error is a *[MapError] if size is
// 0 or too large, the range wraps or overlaps another.
func (m *Memory) Map(addr, size uint64) (*Buffer, error) {
	fail := func(what string) (*Buffer, error) { return nil, &MapError{addr, size, what} }
	switch {
	case size == 0:
		return fail("a range has at least one byte")
	case size > maxRange:
		return fail(fmt.Sprintf("larger than the limit of %d bytes", uint64(maxRange)))
	case addr+size < addr:
		return fail("it wraps around the end of the address space")
	}
	at, _ := slices.BinarySearchFunc(m.spans, addr, func(s *state.Span, a uint64) int {
		if s.Base+s.Lo <= a {
			return -1
		}
		return 1
	})
	for _, i := range []int{at - 1, at} {
		if i < 0 || i >= len(m.spans) {
			continue
		}
		if s := m.spans[i]; addr < s.Base+s.Hi && s.Base+s.Lo < addr+size {
			return fail(fmt.Sprintf("it overlaps the range at 0x%x of %d bytes", s.Base+s.Lo, s.Hi-s.Lo))
		}
	}
	s := newSpan(addr, size)
	m.spans = slices.Insert(m.spans, at, s)
	return &Buffer{Addr: addr, Size: size, span: s}, nil
}

// newSpan returns zeroed storage for size bytes at addr.
func newSpan(addr, size uint64) *state.Span {
	base := addr &^ (spanAlign - 1)
	lo := addr - base
	words := (lo + size + spanAlign - 1) / spanAlign * (spanAlign / 8)
	store := make([]uint64, words)
	s := &state.Span{Base: base, Lo: lo, Hi: lo + size}
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

// Alloc maps size zeroed bytes at an address of its choice, aligned to 4096. It panics
// if size is not 1 to 64 GiB: use [Memory.Map] for sizes that come from input.
func (m *Memory) Alloc(size int) *Buffer {
	b, err := m.alloc(uint64(max(size, 0)))
	if err != nil {
		panic("sim: Alloc: " + err.Error())
	}
	return b
}

func (m *Memory) alloc(size uint64) (*Buffer, error) { return m.allocAligned(size, allocAlign) }

// allocAligned is alloc at a multiple of align, which is one of allocAlign.
func (m *Memory) allocAligned(size, align uint64) (*Buffer, error) {
	addr := max(m.next, allocBase)
	for {
		addr = (addr + align - 1) / align * align
		b, err := m.Map(addr, size)
		if err == nil {
			m.next = (addr+size+allocAlign-1)&^(allocAlign-1) + allocAlign
			return b, nil
		}
		s := m.overlap(addr, size)
		if s == nil {
			return nil, err
		}
		addr = (s.Base+s.Hi+allocAlign-1)&^(allocAlign-1) + allocAlign
	}
}

func (m *Memory) overlap(addr, size uint64) *state.Span {
	for _, s := range m.spans {
		if addr < s.Base+s.Hi && s.Base+s.Lo < addr+size {
			return s
		}
	}
	return nil
}

// Free unmaps b.
func (m *Memory) Free(b *Buffer) {
	if i := slices.Index(m.spans, b.span); i >= 0 {
		m.spans = slices.Delete(m.spans, i, i+1)
		m.next = min(max(m.next, allocBase), b.Addr)
	}
}

// Find returns the range that holds addr, nil if there is none.
func (m *Memory) Find(addr uint64) *state.Span {
	lo, hi := 0, len(m.spans)
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		if s := m.spans[mid]; s.Base+s.Hi <= addr {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo < len(m.spans) && addr >= m.spans[lo].Base+m.spans[lo].Lo {
		return m.spans[lo]
	}
	return nil
}

// Buffer is a mapped range, seen from the host.
type Buffer struct {
	Addr uint64
	Size uint64
	span *state.Span
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
