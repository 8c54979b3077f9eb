package device

import (
	"encoding/binary"
	"fmt"
	"slices"
	"sync"
	"syscall"

	"github.com/gcnsim/gcnsim/sim"
)

// Flags of mappings, AMDGPU_VM_PAGE_*.
const (
	pageReadable   = 1 << 1
	pageWriteable  = 1 << 2
	pageExecutable = 1 << 3
	pagePRT        = 1 << 4
)

// mapping is a range of GPU addresses that a buffer object lies at.
type mapping struct {
	lo, hi uint64
	bo     *bo    // nil where a sparse resource has nothing
	off    uint64 // in the memory file
	flags  uint32
	gone   bool // it is unmapped, but work that was submitted before may use it
}

// space is the address space of a file. It is safe for concurrent use.
type space struct {
	memory *sim.Memory // mirrors it
	store  *store

	mu   sync.RWMutex
	maps []mapping // sorted, apart from each other
}

// maxMappings bounds how many ranges a client can map.
const maxMappings = 1 << 20

// search returns the index of the first mapping that ends behind addr.
func (s *space) search(addr uint64) int {
	i, _ := slices.BinarySearchFunc(s.maps, addr, func(m mapping, addr uint64) int {
		if m.hi <= addr {
			return -1
		}
		return 1
	})
	return i
}

// add maps a range. It fails if another one is there.
func (s *space) add(m mapping) syscall.Errno {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := s.search(m.lo); i < len(s.maps) && s.maps[i].lo < m.hi; i = s.search(m.lo) {
		if !s.maps[i].gone {
			return syscall.EINVAL
		}
		s.cut(s.maps[i].lo, s.maps[i].hi)
	}
	if len(s.maps) >= maxMappings {
		return syscall.ENOMEM
	}
	if err := s.memory.Lend(m.lo, s.bytesOf(m), m.name(), m.flags&pageWriteable == 0); err != nil {
		return syscall.ENOMEM
	}
	s.maps = slices.Insert(s.maps, s.search(m.lo), m)
	return 0
}

func (s *space) bytesOf(m mapping) []byte { return s.store.bytes[m.off : m.off+m.hi-m.lo] }

// name is what faults call the range.
func (m *mapping) name() string {
	if m.bo == nil {
		return "an unbound part of a sparse resource"
	}
	return fmt.Sprintf("buffer object %d", m.bo.handle)
}

// clear unmaps whatever lies in a range; of mappings in part there the rest stays.
func (s *space) clear(lo, hi uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cut(lo, hi)
}

func (s *space) cut(lo, hi uint64) {
	first := s.search(lo)
	last := first
	var rest []mapping
	for ; last < len(s.maps) && s.maps[last].lo < hi; last++ {
		m := s.maps[last]
		if m.lo < lo {
			left := m
			left.hi = lo
			rest = append(rest, left)
		}
		if m.hi > hi {
			right := m
			right.lo, right.off = hi, m.off+hi-m.lo
			rest = append(rest, right)
		}
	}
	s.maps = slices.Replace(s.maps, first, last, rest...)
	s.memory.Unmap(lo, hi-lo)
}

// leave marks mappings as unmapped and returns what unmaps them.
func (s *space) leave(which func(m *mapping) bool) (unmap func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var gone []mapping
	for i := range s.maps {
		if m := &s.maps[i]; !m.gone && which(m) {
			m.gone = true
			gone = append(gone, *m)
		}
	}
	if gone == nil {
		return nil
	}
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		for _, m := range gone {
			// It may have made room for another one meanwhile.
			if i := s.search(m.lo); i < len(s.maps) && s.maps[i] == m {
				s.cut(m.lo, m.hi)
			}
		}
	}
}

// find returns the mapping that holds addr.
func (s *space) find(addr uint64) (m mapping, ok bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if i := s.search(addr); i < len(s.maps) && s.maps[i].lo <= addr {
		return s.maps[i], true
	}
	return mapping{}, false
}

// nearest says which mapping is nearest to an address that is not mapped.
func (s *space) nearest(addr uint64) string {
	s.mu.RLock()
	defer s.mu.RUnlock()
	i := s.search(addr)
	best := ""
	least := ^uint64(0)
	if i > 0 {
		m := s.maps[i-1]
		best, least = fmt.Sprintf("%d bytes beyond the end of %s", addr-m.hi, m.describe()), addr-m.hi
	}
	if i < len(s.maps) && s.maps[i].lo-addr < least {
		m := s.maps[i]
		best = fmt.Sprintf("%d bytes before %s", m.lo-addr, m.describe())
	}
	if best == "" {
		return "nothing is mapped"
	}
	return best
}

// describe names a mapping with its addresses.
func (m *mapping) describe() string {
	return fmt.Sprintf("%s (0x%x to 0x%x, %d bytes)", m.name(), m.lo, m.hi-1, m.hi-m.lo)
}

// place returns an address as people find it: the buffer object and the offset in it.
func (s *space) place(addr uint64) string {
	m, ok := s.find(addr)
	switch {
	case !ok:
		return fmt.Sprintf("0x%x", addr)
	case m.bo == nil:
		return fmt.Sprintf("%s at 0x%x", m.name(), addr)
	}
	return fmt.Sprintf("%s + 0x%x", m.name(), m.off-m.bo.off+addr-m.lo)
}

// accessError says that the command processor reaches what it cannot.
type accessError struct {
	addr  uint64
	write bool
	what  string
}

// Error names the address.
func (e *accessError) Error() string {
	verb := "reads"
	if e.write {
		verb = "writes"
	}
	return fmt.Sprintf("it %s 0x%x, %s", verb, e.addr, e.what)
}

// span returns the bytes from addr to the end of its mapping, n at most.
func (s *space) span(addr, n uint64, write bool) ([]byte, error) {
	m, ok := s.find(addr)
	switch {
	case !ok:
		return nil, &accessError{addr, write, s.nearest(addr)}
	case write && m.flags&pageWriteable == 0:
		return nil, &accessError{addr, write, "in " + m.describe() + ", which is mapped for reading alone"}
	}
	at := m.off + addr - m.lo
	return s.store.bytes[at : at+min(n, m.hi-addr)], nil
}

// read fills b from addr.
func (s *space) read(b []byte, addr uint64) error {
	for len(b) > 0 {
		from, err := s.span(addr, uint64(len(b)), false)
		if err != nil {
			return err
		}
		n := copy(b, from)
		b, addr = b[n:], addr+uint64(n)
	}
	return nil
}

// write copies b to addr.
func (s *space) write(b []byte, addr uint64) error {
	for len(b) > 0 {
		to, err := s.span(addr, uint64(len(b)), true)
		if err != nil {
			return err
		}
		n := copy(to, b)
		b, addr = b[n:], addr+uint64(n)
	}
	return nil
}

// words reads n dwords at addr.
func (s *space) words(addr uint64, n int) ([]uint32, error) {
	b := make([]byte, 4*n)
	if err := s.read(b, addr); err != nil {
		return nil, err
	}
	words := make([]uint32, n)
	for i := range words {
		words[i] = binary.LittleEndian.Uint32(b[4*i:])
	}
	return words, nil
}

func (s *space) word(addr uint64) (uint32, error) {
	var b [4]byte
	err := s.read(b[:], addr)
	return binary.LittleEndian.Uint32(b[:]), err
}
