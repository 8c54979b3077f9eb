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

// Memory is the simulated global memory: ranges of bytes at 64-bit addresses. An access
// outside every range is a fault. Ranges may be mapped and unmapped while waves run: an
// access sees all of them as they were before or after. Memory is safe for concurrent use
// except for its fields, and must not be copied.
type Memory struct {
	// Placement says where Alloc places ranges. With 0 they lie one after another from 4 GiB on,
	// a page or more apart, each at the start of a page. Any other value is the seed of a spread
	// placement: every other range lies across a multiple of 4 GiB if it has more than 256
	// bytes, so that an address whose high half is computed without the carry is wrong; the
	// others lie in 4 GiB of their own. All are aligned to 256 bytes, as buffers, T#s
	// and kernel arguments need, end in the last 256 bytes of a page where their size allows
	// both, and have an unmapped page before and after them. Addresses have 40 bits, which all
	// generations have, and ranges of seed n that do not lie across 4 GiB do with seed n+1. The
	// address depends on the seed, the size and what is mapped alone.
	Placement uint64
	// MaxBytes is how many bytes may be mapped at a time; 0 is 8 GiB. So many work-groups
	// of a launch run at a time that their private memory fits, too. It keeps
	// a mistyped size from taking all memory of the host, which ends the program.
	MaxBytes uint64

	patches atomic.Uint64             // how many times the host wrote to code
	frozen  atomic.Pointer[rangeList] // a copy of ranges for readers; nil if ranges has changed since

	mu       sync.Mutex // guards what follows
	ranges   ranges.Draft[*executor.Span]
	mapped   uint64   // bytes of storage that is the memory's own
	reserved []extent // addresses that have no storage and are not given away
	next     uint64   // where a packed Alloc looks first
	slot     uint64   // where a spread one does
}

// rangeList holds the ranges that are mapped.
type rangeList = ranges.List[*executor.Span]

// spanAlign is the alignment of Span.Base: enough for every element that is accessed whole.
const spanAlign = 16

// defaultMaxBytes is how many bytes may be mapped unless [Memory.MaxBytes] is set.
const defaultMaxBytes = 8 << 30

// checkSize refuses a range that is too large.
func (m *Memory) checkSize(addr, size uint64) error {
	if most := m.left(); size > most {
		return badRange(addr, size, "%d bytes are mapped, and there may be %d more; see MaxBytes of the memory", m.mapped,
			most)
	}
	return nil
}

// left is how many bytes may be mapped besides those that are; m.mu is held.
func (m *Memory) left() uint64 {
	most := m.MaxBytes
	if most == 0 {
		most = defaultMaxBytes
	}
	most = min(most, math.MaxInt-spanAlign) // a range is one slice
	return most - min(most, m.mapped)
}

// Map makes size zeroed bytes at addr accessible. The error is an *[Error] if size is
// 0 or too large, the range wraps or overlaps another.
func (m *Memory) Map(addr, size uint64) (*Buffer, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.mapOwn(addr, size)
}

// list returns what is mapped; m.mu is not held.
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

// replace makes with the ranges in place of all that overlap the addresses from lo up to hi; m.mu is
// held.
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

// whyOverlaps is why another range cannot be mapped over e.
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

// spanOf gives s the storage of size bytes, a multiple of 8, at p.
func spanOf(s *executor.Span, p unsafe.Pointer, size uint64) *executor.Span {
	// One storage under two views, made once per range: bytes for sub-dword and
	// unaligned accesses, dwords for copies and atomics.
	s.Bytes = unsafe.Slice((*byte)(p), size)
	s.Words = unsafe.Slice((*uint32)(p), size/4)
	return s
}

// The two views of a Span agree on dwords only where the host stores the low byte first.
func init() {
	if binary.NativeEndian.Uint16([]byte{1, 0}) != 1 {
		panic("sim: big-endian hosts are not supported")
	}
}

// View returns the bytes from addr to the end of the mapped range that holds it: a view, not a copy.
// There are none if nothing is mapped at addr.
func (m *Memory) View(addr uint64) []byte {
	s := m.find(addr)
	if s == nil {
		return nil
	}
	return s.Bytes[addr-s.Base : s.Hi]
}

// ports is memory as executors reach it, which look once for many lanes.
type ports Memory

// Find is part of [executor.Memory].
func (m *ports) Find(addr uint64) *executor.Span { return (*Memory)(m).find(addr) }

// find returns the range that holds addr, nil if there is none.
func (m *Memory) find(addr uint64) *executor.Span {
	s, _ := m.list().Find(addr)
	if s != nil && s.Seal == executor.Unbound {
		return window(s, addr)
	}
	return s
}

// Read copies the len(p) bytes at addr to p; they may lie in ranges that follow one
// another without a gap. The error is an *[Error]; then p is as it was.
func (m *Memory) Read(addr uint64, p []byte) error {
	return m.transfer(addr, p, func(s *executor.Span, off uint64, p []byte) { copy(p, s.Bytes[off:]) })
}

// Write copies p to addr as [Memory.Read] reads. After an error memory is as it was. Code
// that is written executes in the next launch.
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

// transfer calls do for each piece of p with the range that holds it and where, if all of
// it is mapped.
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
	Addr uint64 // of the first byte; 0 of LDS and GDS
	Size uint64 // bytes
	span *executor.Span
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

// dwords returns the bytes of the range, for a method that writes n dwords. It panics if they do not fit.
func (b *Buffer) dwords(method string, n int) []byte {
	if n > int(b.Size/4) {
		panic(fmt.Sprintf("sim: %s: %d dwords do not fit into the %d bytes of the buffer at 0x%x", method, n, b.Size, b.Addr))
	}
	return b.Bytes()
}

// SetUint32s writes dwords from the start of the range. It panics if they do not fit.
func (b *Buffer) SetUint32s(values ...uint32) {
	bytes := b.dwords("SetUint32s", len(values))
	for i, v := range values {
		binary.LittleEndian.PutUint32(bytes[4*i:], v)
	}
}

// SetFloat32s writes single-precision numbers from the start of the range. It panics if
// they do not fit.
func (b *Buffer) SetFloat32s(values ...float32) {
	bytes := b.dwords("SetFloat32s", len(values))
	for i, v := range values {
		binary.LittleEndian.PutUint32(bytes[4*i:], math.Float32bits(v))
	}
}
