package device

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"sync"
	"syscall"

	"github.com/gcnsim/gcnsim/internal/tool/ranges"
	"github.com/gcnsim/gcnsim/sim"
)

// Flags of mappings, AMDGPU_VM_PAGE_*.
const (
	pageReadable   = 1 << 1
	pageWriteable  = 1 << 2
	pageExecutable = 1 << 3
	pagePRT        = 1 << 4
)

// mapping is a range of GPU addresses where a buffer object is mapped.
type mapping struct {
	lo, hi uint64
	bo     *bo    // nil for the unbound range of a sparse resource
	off    uint64 // offset in the memory file
	flags  uint32
	left   *departure // not nil if it was unmapped, but earlier submissions may still use it
}

// departure is shared by mappings that are unmapped together. It has their address ranges.
type departure struct{ ranges []extent }

// space is the address space of a file. It is safe for concurrent use.
type space struct {
	ctx    context.Context // canceled when the file closes, which ends long copies
	memory *sim.Memory     // the simulator's memory, which mirrors the mappings
	store  *store

	mu   sync.RWMutex
	maps ranges.Draft[*mapping] // the lock guards these mappings and bo.maps
}

// maxMappings limits how many ranges a client can map.
const maxMappings = 1 << 20

// add maps a range. It fails if the range overlaps a mapped one.
func (s *space) add(m *mapping) syscall.Errno {
	s.mu.Lock()
	defer s.mu.Unlock()
	var lo, hi uint64 // bounds of the existing mapping
	for e := range s.maps.From(m.lo) {
		if e.Lo >= m.hi {
			break
		}
		if e.Value.left == nil {
			return syscall.EINVAL
		}
		if hi == 0 {
			lo = e.Lo
		}
		hi = e.Hi
	}
	if hi != 0 {
		s.cut(lo, hi)
	}
	if s.maps.Len() >= maxMappings {
		return syscall.ENOMEM
	}
	var err error
	if m.bo == nil {
		err = s.memory.LendUnbound(m.lo, m.hi-m.lo, m.name())
	} else {
		err = s.memory.Lend(m.lo, s.storeOf(m.bo).bytes[m.off:m.off+m.hi-m.lo], m.name(), m.flags&pageWriteable == 0)
	}
	if err != nil {
		return syscall.ENOMEM
	}
	s.replace(m.lo, m.hi, m)
	return 0
}

// replace replaces the mappings that overlap a range by with. The caller holds the lock.
func (s *space) replace(lo, hi uint64, with ...*mapping) {
	entries := make([]ranges.Entry[*mapping], len(with))
	for i, m := range with {
		entries[i] = ranges.Entry[*mapping]{Lo: m.lo, Hi: m.hi, Value: m}
		if m.bo != nil {
			if m.bo.maps == nil {
				m.bo.maps = map[*mapping]struct{}{}
			}
			m.bo.maps[m] = struct{}{}
		}
	}
	s.maps.Replace(lo, hi, entries...)
}

// name returns the name of the range in faults.
func (m *mapping) name() string {
	if m.bo == nil {
		return "an unbound part of a sparse resource"
	}
	return m.bo.name
}

// clear unmaps a range. A mapping that lies in it in part keeps its other part.
func (s *space) clear(lo, hi uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cut(lo, hi)
}

// cut is clear without taking the lock. The caller holds it.
func (s *space) cut(lo, hi uint64) {
	var rest []*mapping
	for e := range s.maps.From(lo) {
		if e.Lo >= hi {
			break
		}
		m := e.Value
		if m.bo != nil {
			delete(m.bo.maps, m)
		}
		if m.lo < lo {
			below := *m
			below.hi = lo
			rest = append(rest, &below)
		}
		if m.hi > hi {
			above := *m
			above.lo, above.off = hi, m.off+hi-m.lo
			rest = append(rest, &above)
		}
	}
	s.replace(lo, hi, rest...)
	s.memory.Unmap(lo, hi-lo)
}

// leave marks those mappings of list that are mapped as unmapped. It returns the function that unmaps them later, or
// nil if none of them was mapped.
func (s *space) leave(list ...*mapping) (unmap func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := &departure{}
	for _, m := range list {
		if m.left == nil {
			m.left = l
			l.ranges = append(l.ranges, extent{m.lo, m.hi - m.lo})
		}
	}
	if l.ranges == nil {
		return nil
	}
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		slices.SortFunc(l.ranges, func(a, b extent) int { return cmp.Compare(a.off, b.off) })
		for i := 0; i < len(l.ranges) && s.ctx.Err() == nil; {
			lo := l.ranges[i].off
			hi := lo
			for ; i < len(l.ranges) && l.ranges[i].off == hi; i++ {
				hi += l.ranges[i].size
			}
			s.cutLeft(l, lo, hi)
		}
	}
}

// cutLeft unmaps the remaining mappings between lo and hi that belong to l. Other mappings may have replaced some of
// them. The caller holds the lock.
func (s *space) cutLeft(l *departure, lo, hi uint64) {
	for s.ctx.Err() == nil {
		var from, to uint64 // bounds of the next adjacent mappings that belong to l
		for e := range s.maps.From(lo) {
			if e.Lo >= hi || to != 0 && (e.Value.left != l || e.Lo != to) {
				break
			}
			if e.Value.left == l && to == 0 {
				from = e.Lo
			}
			if e.Value.left == l {
				to = e.Hi
			}
		}
		if to == 0 {
			return
		}
		s.cut(from, to)
		lo = to
	}
}

// mapsOf returns the mappings of a buffer object.
func (s *space) mapsOf(b *bo) []*mapping {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return slices.Collect(maps.Keys(b.maps))
}

// at returns the mapping that holds addr.
func (s *space) at(addr uint64) (m *mapping, ok bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.maps.Find(addr)
}

// nearest describes the mapping that is nearest to an unmapped address.
func (s *space) nearest(addr uint64) string {
	s.mu.RLock()
	defer s.mu.RUnlock()
	best := ""
	least := ^uint64(0)
	for e := range s.maps.Before(addr) {
		best, least = fmt.Sprintf("%d bytes beyond the end of %s", addr-e.Hi, e.Value.describe()), addr-e.Hi
		break
	}
	for e := range s.maps.From(addr) {
		if e.Lo-addr < least {
			best = fmt.Sprintf("%d bytes before %s", e.Lo-addr, e.Value.describe())
		}
		break
	}
	if best == "" {
		return "nothing is mapped"
	}
	return best
}

// describe returns the name of a mapping with its addresses.
func (m *mapping) describe() string {
	return fmt.Sprintf("%s (0x%x to 0x%x, %d bytes)", m.name(), m.lo, m.hi-1, m.hi-m.lo)
}

// place returns an address for people: the buffer object and the offset in it.
func (s *space) place(addr uint64) string {
	m, ok := s.at(addr)
	switch {
	case !ok:
		return fmt.Sprintf("0x%x", addr)
	case m.bo == nil:
		return fmt.Sprintf("%s at 0x%x", m.name(), addr)
	}
	return fmt.Sprintf("%s + 0x%x", m.name(), m.off-m.bo.off+addr-m.lo)
}

// accessError says that the command processor accessed an address that it cannot reach.
type accessError struct {
	addr  uint64
	write bool
	what  string
}

// Error returns a message with the address.
func (e *accessError) Error() string {
	verb := "reads"
	if e.write {
		verb = "writes"
	}
	return fmt.Sprintf("it %s 0x%x, %s", verb, e.addr, e.what)
}

// maxUnbound is how many bytes of an unbound range are read or written at a time.
const maxUnbound = 64 << 10

// span returns the bytes from addr to the end of its mapping, limited to n bytes. In an unbound range they are zeros,
// and stores to them are not visible elsewhere.
func (s *space) span(addr, n uint64, write bool) ([]byte, error) {
	_, b, err := s.spanOf(addr, n, write)
	return b, err
}

// spanOf is like span and also returns the mapping.
func (s *space) spanOf(addr, n uint64, write bool) (*mapping, []byte, error) {
	m, ok := s.at(addr)
	switch {
	case !ok:
		return nil, nil, &accessError{addr, write, s.nearest(addr)}
	case write && m.flags&pageWriteable == 0:
		return nil, nil, &accessError{addr, write, "in " + m.describe() + ", which is mapped for reading alone"}
	}
	n = min(n, m.hi-addr)
	if m.bo == nil {
		return m, make([]byte, min(n, maxUnbound)), nil
	}
	at := m.off + addr - m.lo
	return m, s.storeOf(m.bo).bytes[at : at+n], nil
}

// read reads b from addr on.
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
