package check

import (
	"math/bits"

	"github.com/gcnsim/gcnsim/state"
)

// nature is what tells accesses of an instruction to a dword apart, beside the bytes.
type nature uint16

// The natures. An access that neither writes nor is atomic reads; atomic ones write.
const (
	stores nature = 1 << iota
	atomic
	scalar    // by the scalar cache
	missesL1  // a vector access with GLC: it goes to L2
	sizeShift = iota
)

// size returns the bytes of an aligned access of 1, 2, 4 or 8 bytes, 0 of others.
func (n nature) size() int { return 1 << (n >> sizeShift) >> 1 }

// ofSize returns the nature with the size of an access, if it is one of [nature.size].
func (n nature) ofSize(addr, size uint64) nature {
	if size <= 8 && size&(size-1) == 0 && addr&(size-1) == 0 {
		return n | nature(bits.Len64(size))<<sizeShift
	}
	return n
}

// moment is when and where one access was.
type moment struct {
	group uint32 // number of the work-group
	index uint32 // instructions that the wave had executed before
	wave  uint8
	lane  uint8
}

// touch is what the shadow of a dword keeps of the accesses of one instruction to the same
// bytes of it: who made them, since accesses of other waves may conflict (rule RC1).
type touch struct {
	next  uint32 // index of the next one of the dword, 0 if there is none
	site  uint32 // number of the instruction
	value uint32 // what the latest one wrote, in its bytes

	nature nature
	bytes  uint8 // of the dword
	varied bool  // different values were written

	first moment // in the dispatch
	last  moment
	epoch uint32 // of last
	waves uint32 // of the work-group of last that made one in this epoch
}

// others returns the waves other than w that made an access of t in an epoch of a work-group.
func (t *touch) others(group, epoch uint32, w int) uint32 {
	if t.last.group != group || t.epoch != epoch {
		return 0
	}
	return t.waves &^ (1 << w)
}

// Shadow memory comes in pages, of as many dwords each.
const (
	pageBits  = 10
	pageWords = 1 << pageBits
	pageBytes = 4 * pageWords
	touchSize = 56
)

// page holds the number of the first touch of each dword, 0 for a dword without touches.
type page struct {
	first [pageWords]uint32
	used  bool // since the latest reset
}

// shadow is what is kept of a memory.
type shadow struct {
	space   state.Space
	pages   map[uint64]*page
	used    []*page
	at      uint64 // the page that was asked for last
	last    *page
	touches []touch // the first element is unused, so that 0 stands for no touch
}

// reset forgets all accesses, and keeps the storage.
func (s *shadow) reset() {
	for _, p := range s.used {
		*p = page{}
	}
	s.used = s.used[:0]
	if s.touches == nil {
		s.touches = make([]touch, 0, 64)
	}
	s.touches = append(s.touches[:0], touch{})
	s.last = nil
}

// maxKept is how many bytes of storage a shadow keeps from one dispatch to the next.
const maxKept = 64 << 20

// begin makes s the shadow of a memory without accesses so far.
func (s *shadow) begin(space state.Space) {
	if s.pages == nil || s.bytes() > maxKept {
		*s = shadow{pages: map[uint64]*page{}}
	}
	s.space = space
	s.reset()
}

// head returns where the number of the first touch of the dword at addr is.
func (s *shadow) head(addr uint64) *uint32 {
	n := addr / 4
	if at := n >> pageBits; s.last == nil || at != s.at {
		s.at, s.last = at, s.page(at)
	}
	return &s.last.first[n&(pageWords-1)]
}

// page returns a page, which counts as used.
func (s *shadow) page(at uint64) *page {
	p := s.pages[at]
	if p == nil {
		p = new(page)
		s.pages[at] = p
	}
	if !p.used {
		p.used = true
		s.used = append(s.used, p)
	}
	return p
}

// find returns the first touch of the dword at addr, 0 if there is none.
func (s *shadow) find(addr uint64) uint32 {
	if p := s.pages[addr/4>>pageBits]; p != nil {
		return p.first[addr/4&(pageWords-1)]
	}
	return 0
}

// add returns a new touch, the first one of its dword.
func (s *shadow) add(head *uint32) *touch {
	s.touches = append(s.touches, touch{next: *head})
	*head = uint32(len(s.touches) - 1)
	return &s.touches[*head]
}

// bytes returns the memory that s takes, roughly.
func (s *shadow) bytes() uint64 {
	return uint64(cap(s.touches))*touchSize + uint64(len(s.pages))*pageBytes
}
