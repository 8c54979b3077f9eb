package sim

import (
	"fmt"
	"unsafe"

	"github.com/gcnsim/gcnsim/internal/unit"
)

// lentAlign is what addresses and sizes of lent storage are multiples of.
const lentAlign = spanAlign

// Lend maps storage that is not the memory's own, without a copy: whoever has it sees what
// waves store, and they see what is written there. The same bytes may lie at several
// addresses. The range stays mapped until it is taken back with [Memory.Unmap]; storage that
// a running dispatch may reach must stay readable and writable until that has ended, even if
// it is unmapped before. Address and size are multiples of 16, the storage lies at a multiple
// of 8, as pages do. MaxBytes does not count it. name is what faults at addresses nearby call
// the range, as in "buffer object 7"; a store to a range that is read-only is a fault. The error is an *[Error].
func (m *Memory) Lend(addr uint64, storage []byte, name string, readOnly bool) error {
	size := uint64(len(storage))
	fail := func(format string, args ...any) error { return badRange(addr, size, format, args...) }
	switch {
	case size == 0:
		return fail("a range has at least one byte")
	case addr%lentAlign != 0 || size%lentAlign != 0:
		return fail("address and size of lent storage are multiples of %d", lentAlign)
	case uintptr(unsafe.Pointer(unsafe.SliceData(storage)))%8 != 0:
		return fail("the storage is not aligned to 8 bytes")
	case addr+size < addr:
		return fail(whyWraps)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if o, ok := m.overlap(addr, addr+size); ok {
		return fail("%s", o.whyOverlaps())
	}
	s := &unit.Span{Base: addr, Hi: size, Name: name, Lent: true}
	if readOnly {
		s.Seal = unit.ReadOnly
	}
	i := search(m.spans(), addr)
	m.replace(i, i, spanOf(s, unsafe.Pointer(unsafe.SliceData(storage)), size))
	return nil
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
	spans := m.spans()
	first := search(spans, addr)
	last := first
	var rest []*unit.Span
	for last < len(spans) && spans[last].Base+spans[last].Lo < end {
		s := spans[last]
		last++
		if !s.Lent {
			rest = append(rest, s)
			continue
		}
		if lo := s.Base + s.Lo; lo < addr {
			rest = append(rest, s.Cut(lo, addr))
		}
		if hi := s.Base + s.Hi; hi > end {
			rest = append(rest, s.Cut(end, hi))
		}
	}
	m.replace(first, last, rest...)
}

// near says where addr, which is not mapped or not for stores, lies: in the range that has a
// name and is nearest; "" if none has a name.
func (m *Memory) near(addr uint64) string {
	spans := m.spans()
	var nearest *unit.Span
	least := ^uint64(0)
	for _, s := range spans {
		distance := uint64(0)
		switch lo, hi := s.Base+s.Lo, s.Base+s.Hi; {
		case addr < lo:
			distance = lo - addr
		case addr >= hi:
			distance = addr - hi + 1
		}
		if s.Name != "" && distance < least {
			nearest, least = s, distance
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
