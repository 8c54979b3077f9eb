package sim

import (
	"fmt"
	"sync"
	"unsafe"

	"github.com/gcnsim/gcnsim/internal/base/executor"
)

// lentAlign is the alignment of the address and size of lent storage.
const lentAlign = spanAlign

// Lend maps storage that belongs to the caller, without a copy: the caller sees the stores of waves, and waves see
// what the caller writes. The same bytes may be mapped at several addresses. Addr and size must be multiples of 16,
// and the storage must be aligned to 8 bytes. The range is mapped until [Memory.Unmap]. The storage must stay
// readable and writable until every dispatch that may access it has ended, even if it is unmapped before. MaxBytes
// does not include it. Faults at nearby addresses name the range, for example "buffer object 7". A store to a
// read-only range is a fault. The error is an *[Error].
func (m *Memory) Lend(addr uint64, storage []byte, name string, readOnly bool) error {
	size := uint64(len(storage))
	p := unsafe.Pointer(unsafe.SliceData(storage))
	if uintptr(p)%8 != 0 {
		return badRange(addr, size, "the storage is not aligned to 8 bytes")
	}
	s := &executor.Span{Base: addr, Hi: size, Name: name, Lent: true}
	if readOnly {
		s.Seal = executor.ReadOnly
	}
	return m.lend(spanOf(s, p, size))
}

// LendUnbound maps size bytes at addr without storage, like the unbound parts of a sparse resource: reads return 0,
// and stores have no effect. The cost does not depend on the size. The rest is as for [Memory.Lend].
func (m *Memory) LendUnbound(addr, size uint64, name string) error {
	return m.lend(&executor.Span{Base: addr, Hi: size, Name: name, Lent: true, Seal: executor.Unbound})
}

// lend adds s to the mapped ranges.
func (m *Memory) lend(s *executor.Span) error {
	addr, size := s.Base, s.Hi
	switch {
	case size == 0:
		return badRange(addr, size, "a range has at least one byte")
	case addr%lentAlign != 0 || size%lentAlign != 0:
		return badRange(addr, size, "address and size of lent storage are multiples of %d", lentAlign)
	case addr+size < addr:
		return badRange(addr, size, whyWraps)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if o, ok := m.overlap(addr, addr+size); ok {
		return badRange(addr, size, "%s", o.whyOverlaps())
	}
	m.replace(addr, addr+size, s)
	return nil
}

// unboundBytes is the size of the storage of zeros that stands for unbound ranges, repeated as often as necessary.
const unboundBytes = 16 << 20

var zeros = sync.OnceValue(func() []uint64 { return make([]uint64, unboundBytes/8) })

// window returns a range with storage for the part of the unbound range s around addr. Nothing may write to it.
func window(s *executor.Span, addr uint64) *executor.Span {
	off := (addr - s.Base) &^ (unboundBytes - 1)
	w := *s
	w.Base += off
	w.Lo, w.Hi = max(s.Lo, off)-off, min(s.Hi-off, unboundBytes)
	return spanOf(&w, unsafe.Pointer(unsafe.SliceData(zeros())), unboundBytes)
}

// Unmap removes lent storage at the size bytes from addr on. If only part of a lent range lies there, the rest stays
// mapped. Ranges of [Memory.Map] stay mapped too.
func (m *Memory) Unmap(addr, size uint64) {
	end := addr + size
	if end < addr {
		end = ^uint64(0)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	var rest []*executor.Span
	found := false
	for e := range m.ranges.From(addr) {
		if e.Lo >= end {
			break
		}
		found = true
		if !e.Value.Lent {
			rest = append(rest, e.Value)
			continue
		}
		if e.Lo < addr {
			rest = append(rest, e.Value.Cut(e.Lo, addr))
		}
		if e.Hi > end {
			rest = append(rest, e.Value.Cut(end, e.Hi))
		}
	}
	if found {
		m.replace(addr, end, rest...)
	}
}

// near describes the position of an address that is not mapped, or not writable, relative to the nearest range with a
// name; "" if no range has a name.
func (m *Memory) near(addr uint64) string {
	all := m.list()
	var nearest *executor.Span
	least := ^uint64(0)
	for e := range all.Before(addr) {
		if e.Value.Name != "" {
			nearest, least = e.Value, addr-e.Hi+1
			break
		}
	}
	for e := range all.From(addr) {
		if e.Value.Name != "" {
			if e.Lo <= addr || e.Lo-addr < least {
				nearest = e.Value
			}
			break
		}
	}
	if nearest == nil {
		return ""
	}
	lo, hi := nearest.Base+nearest.Lo, nearest.Base+nearest.Hi
	where := fmt.Sprintf("%s (0x%x to 0x%x, %d bytes)", nearest.Name, lo, hi-1, hi-lo)
	switch {
	case addr < lo:
		return fmt.Sprintf("%d bytes before %s", lo-addr, where)
	case addr >= hi:
		return fmt.Sprintf("%d bytes beyond the end of %s", addr-hi, where)
	}
	return "in " + where
}
