package sim

import (
	"fmt"
	"sync"
	"unsafe"

	"github.com/gcnsim/gcnsim/internal/base/executor"
)

// lentAlign is the alignment of addresses and sizes of lent storage.
const lentAlign = spanAlign

// Lend maps storage that is not the memory's own, without a copy: its owner sees what
// waves store, and they see what is written there. The same bytes may lie at several
// addresses. The range stays mapped until it is taken back with [Memory.Unmap]; storage that
// a running dispatch may reach must stay readable and writable until that has ended, even if
// it is unmapped before. Address and size are multiples of 16, the storage lies at a multiple
// of 8, as pages do. MaxBytes does not count it. Faults at addresses nearby use name for
// the range, as in "buffer object 7"; a store to a range that is read-only is a fault. The error is an *[Error].
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

// LendUnbound maps size bytes at addr that have no storage, as the parts of a sparse resource that
// nothing is bound to: reads give 0, and what is stored there is dropped. Any size costs the same.
// All else is as for [Memory.Lend].
func (m *Memory) LendUnbound(addr, size uint64, name string) error {
	return m.lend(&executor.Span{Base: addr, Hi: size, Name: name, Lent: true, Seal: executor.Unbound})
}

// lend maps s.
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

// unboundBytes is the size of the zeros that are seen in unbound ranges, as often as these have
// room for them.
const unboundBytes = 16 << 20

var zeros = sync.OnceValue(func() []uint64 { return make([]uint64, unboundBytes/8) })

// window returns the part of s, which is unbound, around addr as a range with storage, which
// nobody writes to.
func window(s *executor.Span, addr uint64) *executor.Span {
	off := (addr - s.Base) &^ (unboundBytes - 1)
	w := *s
	w.Base += off
	w.Lo, w.Hi = max(s.Lo, off)-off, min(s.Hi-off, unboundBytes)
	return spanOf(&w, unsafe.Pointer(unsafe.SliceData(zeros())), unboundBytes)
}

// Unmap takes lent storage at the size bytes from addr on back: of a range that lies there in
// part the rest stays. What is not mapped stays so, and what [Memory.Map] has mapped stays.
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

// near says where addr, which is not mapped or not for stores, lies: in the range that has a
// name and is nearest; "" if none has a name.
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
