package sim

import (
	"encoding/binary"
	"fmt"
	"math"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/gcnsim/gcnsim/internal/base/executor"
	"github.com/gcnsim/gcnsim/internal/tool/ranges"
)

// Memory is the simulated global memory: ranges of bytes at 64-bit addresses. An access outside of all ranges is a
// fault. Ranges may be mapped and unmapped while waves execute: each access sees the ranges either before or after
// the change. Memory is safe for concurrent use except for its fields, and must not be copied.
type Memory struct {
	// Placement selects the addresses that Alloc returns. With 0, ranges follow one another from 4 GiB on, a page or
	// more apart, each at the start of a page.
	//
	// Any other value is the seed of a spread placement, which reveals mistakes in addresses. Every other range with
	// more than 256 bytes lies across a multiple of 4 GiB, so that an address whose high half lacks the carry is wrong.
	// The other ranges have 4 GiB of their own. All are aligned to 256 bytes, as buffers, T#s and kernel arguments
	// require. They end in the last 256 bytes of a page if their size allows it, with an unmapped page before and after
	// them. Addresses have 40 bits, as on all generations. Ranges that do not lie across 4 GiB with seed n do with seed
	// n+1. An address depends only on the seed, the size and the mapped ranges.
	Placement uint64
	// MaxBytes is the largest number of bytes that may be mapped at a time; 0 means 8 GiB. It prevents a mistyped size
	// from exhausting the memory of the host. It also limits how many work-groups of a launch execute at a time, because
	// their private memory counts.
	MaxBytes uint64

	patches atomic.Uint64             // number of times that the host wrote to code
	frozen  atomic.Pointer[rangeList] // a copy of ranges for readers; nil if ranges has changed since

	mu       sync.Mutex // guards the fields below
	ranges   ranges.Draft[*executor.Span]
	mapped   uint64   // bytes of mapped storage, without lent storage
	reserved []extent // addresses that have no storage and must not be allocated
	next     uint64   // where a packed Alloc starts to search
	slot     uint64   // where a spread Alloc starts to search
}

// rangeList holds the ranges that are mapped.
type rangeList = ranges.List[*executor.Span]

// spanAlign is the alignment of Span.Base: enough for every element that is accessed whole.
const spanAlign = 16

// defaultMaxBytes is the default of [Memory.MaxBytes].
const defaultMaxBytes = 8 << 30

// checkSize returns an error for a range that is too large.
func (m *Memory) checkSize(addr, size uint64) error {
	if most := m.left(); size > most {
		return badRange(addr, size, "%d bytes are mapped, and there may be %d more; see MaxBytes of the memory", m.mapped,
			most)
	}
	return nil
}

// left returns the number of bytes that may still be mapped. The caller holds m.mu.
func (m *Memory) left() uint64 {
	most := m.MaxBytes
	if most == 0 {
		most = defaultMaxBytes
	}
	most = min(most, math.MaxInt-spanAlign) // a range is a single slice
	return most - min(most, m.mapped)
}

// Map maps size zeroed bytes at addr. The error is an *[Error] if size is 0 or too large, or if the range wraps or
// overlaps another.
func (m *Memory) Map(addr, size uint64) (*Buffer, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.mapOwn(addr, size)
}

// list returns the mapped ranges. The caller does not hold m.mu.
func (m *Memory) list() *rangeList {
	if l := m.frozen.Load(); l != nil {
		return l
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	l := m.ranges.Freeze()
	m.frozen.Store(l)
	return l
}

// replace replaces all ranges that overlap the addresses from lo up to hi by the ranges in with. The caller holds
// m.mu.
func (m *Memory) replace(lo, hi uint64, with ...*executor.Span) {
	entries := make([]ranges.Entry[*executor.Span], len(with))
	for i, s := range with {
		entries[i] = ranges.Entry[*executor.Span]{Lo: s.Base + s.Lo, Hi: s.Base + s.Hi, Value: s}
	}
	m.frozen.Store(nil)
	m.ranges.Replace(lo, hi, entries...)
}

// mapOwn does what Map does. The caller holds m.mu.
func (m *Memory) mapOwn(addr, size uint64) (*Buffer, error) {
	fail := func(what string) (*Buffer, error) { return nil, badRange(addr, size, "%s", what) }
	switch {
	case size == 0:
		return fail("a range has at least one byte")
	case addr+size < addr:
		return fail(whyWraps)
	}
	if err := m.checkSize(addr, size); err != nil {
		return nil, err
	}
	if o, ok := m.overlap(addr, addr+size); ok {
		return fail(o.whyOverlaps())
	}
	s := newSpan(addr, size)
	m.mapped += size
	m.replace(addr, addr+size, s)
	return &Buffer{Addr: addr, Size: size, span: s}, nil
}

const whyWraps = "it wraps around the end of the address space"

// whyOverlaps returns the reason why another range cannot be mapped over e.
func (e extent) whyOverlaps() string {
	return fmt.Sprintf("it overlaps the range at 0x%x of %d bytes", e.lo, e.hi-e.lo)
}

// newSpan returns zeroed storage for size bytes at addr.
func newSpan(addr, size uint64) *executor.Span {
	base := addr &^ (spanAlign - 1)
	lo := addr - base
	words := (max(lo+size, 1) + spanAlign - 1) / spanAlign * (spanAlign / 8)
	store := make([]uint64, words)
	return spanOf(&executor.Span{Base: base, Lo: lo, Hi: lo + size}, unsafe.Pointer(&store[0]), 8*words)
}

// spanOf sets the storage of s to the size bytes at p. size is a multiple of 8.
func spanOf(s *executor.Span, p unsafe.Pointer, size uint64) *executor.Span {
	// The storage has two views: bytes, for accesses of less than a dword and unaligned ones, and dwords, for copies and
	// atomics.
	s.Bytes = unsafe.Slice((*byte)(p), size)
	s.Words = unsafe.Slice((*uint32)(p), size/4)
	return s
}

// init panics on big-endian hosts, on which the two views of a Span would not agree.
func init() {
	if binary.NativeEndian.Uint16([]byte{1, 0}) != 1 {
		panic("sim: big-endian hosts are not supported")
	}
}

// View returns the bytes from addr to the end of the mapped range that contains it: a view, not a copy. It is empty
// if nothing is mapped at addr.
func (m *Memory) View(addr uint64) []byte {
	s := m.find(addr)
	if s == nil {
		return nil
	}
	return s.Bytes[addr-s.Base : s.Hi]
}

// ports is Memory in the form that executors access. They look up a range once for many lanes.
type ports Memory

// Find implements [executor.Memory].
func (m *ports) Find(addr uint64) *executor.Span { return (*Memory)(m).find(addr) }

// find returns the range that contains addr, nil if there is none.
func (m *Memory) find(addr uint64) *executor.Span {
	s, _ := m.list().Find(addr)
	if s != nil && s.Seal == executor.Unbound {
		return window(s, addr)
	}
	return s
}

// Read copies the len(p) bytes at addr to p. They may lie in adjacent ranges. The error is an *[Error] if a byte is
// not mapped; then p is unchanged.
func (m *Memory) Read(addr uint64, p []byte) error {
	return m.transfer(addr, p, func(s *executor.Span, off uint64, p []byte) { copy(p, s.Bytes[off:]) })
}

// Write copies p to addr; p may extend over adjacent ranges. The error is an *[Error] if a byte is not mapped; then
// memory is unchanged. Code that is written takes effect in the next launch.
func (m *Memory) Write(addr uint64, p []byte) error {
	return m.transfer(addr, p, func(s *executor.Span, off uint64, p []byte) {
		switch s.Seal {
		case executor.Unbound:
			return
		case executor.Code:
			m.patches.Add(1)
		}
		copy(s.Bytes[off:], p)
	})
}

// transfer calls do for each piece of p, with the range that contains it and the offset there, if all of it is
// mapped.
func (m *Memory) transfer(addr uint64, p []byte, do func(s *executor.Span, off uint64, p []byte)) error {
	size := uint64(len(p))
	if size == 0 {
		return nil
	}
	all, at := m.list(), uint64(0)
	for e := range all.From(addr) {
		if addr+at < addr || e.Lo > addr+at {
			break
		}
		if at = e.Hi - addr; at >= size {
			break
		}
	}
	if at < size {
		return &Error{Kind: BadAccess, Addr: addr, Size: size, What: fmt.Sprintf("no mapped range holds 0x%x", addr+at)}
	}
	at = 0
	for e := range all.From(addr) {
		for hi := min(e.Hi-addr, size); at < hi; {
			s := e.Value
			if s.Seal == executor.Unbound {
				s = window(s, addr+at)
			}
			off := addr + at - s.Base
			n := min(s.Hi-off, size-at)
			do(s, off, p[at:at+n])
			at += n
		}
		if at == size {
			break
		}
	}
	return nil
}

// Buffer is a mapped range, seen from the host.
type Buffer struct {
	Addr uint64 // address of the first byte; 0 for LDS and GDS
	Size uint64 // size in bytes
	span *executor.Span
	slot uint64 // slot of a spread placement
}

// Bytes returns the bytes of the range: a view, not a copy.
func (b *Buffer) Bytes() []byte { return b.span.Bytes[b.span.Lo:b.span.Hi] }

// Uint32s returns a copy of the range as little-endian dwords. Bytes after the last whole dword are ignored.
func (b *Buffer) Uint32s() []uint32 {
	bytes := b.Bytes()
	v := make([]uint32, len(bytes)/4)
	for i := range v {
		v[i] = binary.LittleEndian.Uint32(bytes[4*i:])
	}
	return v
}

// Float32s returns a copy of the range as single-precision numbers.
func (b *Buffer) Float32s() []float32 {
	bits := b.Uint32s()
	v := make([]float32, len(bits))
	for i := range v {
		v[i] = math.Float32frombits(bits[i])
	}
	return v
}

// dwords returns the bytes of the range for a method that writes n dwords. It panics if they do not fit.
func (b *Buffer) dwords(method string, n int) []byte {
	if n > int(b.Size/4) {
		panic(fmt.Sprintf("sim: %s: %d dwords do not fit into the %d bytes of the buffer at 0x%x", method, n, b.Size, b.Addr))
	}
	return b.Bytes()
}

// SetUint32s writes dwords at the start of the range. It panics if they do not fit.
func (b *Buffer) SetUint32s(values ...uint32) {
	bytes := b.dwords("SetUint32s", len(values))
	for i, v := range values {
		binary.LittleEndian.PutUint32(bytes[4*i:], v)
	}
}

// SetFloat32s writes single-precision numbers at the start of the range. It panics if they do not fit.
func (b *Buffer) SetFloat32s(values ...float32) {
	bytes := b.dwords("SetFloat32s", len(values))
	for i, v := range values {
		binary.LittleEndian.PutUint32(bytes[4*i:], math.Float32bits(v))
	}
}
