package check

import (
	"math/bits"

	"github.com/gcnsim/gcnsim/state"
)

// nature distinguishes accesses of one instruction to a dword, besides the bytes.
type nature uint16

// The natures. An access that neither writes nor is atomic is a read. Atomic accesses also write.
const (
	stores nature = 1 << iota
	atomic
	scalar    // through the scalar cache
	missesL1  // a vector access with GLC: it goes to L2
	sizeShift = iota
)

// size returns the size in bytes of an aligned access of 1, 2, 4 or 8 bytes, and 0 for others.
func (n nature) size() int { return 1 << (n >> sizeShift) >> 1 }

// ofSize adds the size of an access to the nature, if it is a size that [nature.size] returns.
func (n nature) ofSize(addr, size uint64) nature {
	if size <= 8 && size&(size-1) == 0 && addr&(size-1) == 0 {
		return n | nature(bits.Len64(size))<<sizeShift
	}
	return n
}

// moment is the time and the wave of one access.
type moment struct {
	group uint32 // number of its work-group
	index uint32 // instructions that the wave had executed before
	wave  uint8
	lane  uint8
}

// record describes the accesses of one instruction to the same bytes of dwords, and who made them, because accesses
// of other waves may conflict with them (rule RC1).
type record struct {
	next uint32 // index of the next record of the dword or row, 0 at the end
	site uint32 // number of the instruction

	nature nature
	bytes  uint8 // mask of the bytes in each dword
	each   uint8 // bytes of each lane, in a [rowTouch]; 0 if the whole wave makes the access

	first, last moment // the first and the last access in the dispatch
	epoch       uint32 // epoch of last
	waves       uint32 // waves of last's work-group that made an access in this epoch
}

// touch is a record for one dword.
type touch struct {
	record
	value  uint32 // the value that the latest access wrote to these bytes
	varied bool   // different values were written
}

// others returns the waves other than w that made an access of t in an epoch of a work-group.
func (t *record) others(group, epoch uint32, w int) uint32 {
	if t.last.group != group || t.epoch != epoch {
		return 0
	}
	return t.waves &^ (1 << w)
}

// Sizes of shadow pages, in dwords of memory.
const (
	pageBits     = 10
	pageWords    = 1 << pageBits
	pageBytes    = 1552 // without heads
	headBytes    = 4 * pageWords
	touchSize    = 52
	rowTouchSize = 64
)

// page has the shadow of consecutive rows. For each dword of split rows, first has the index of its first touch.
type page struct {
	rows  [pageWords / rowWords]row
	used  bool // it was used since the latest reset
	first *[pageWords]uint32
}

// Touches are stored in chunks, so that existing ones need not move.
const (
	chunkBits = 6
	chunkSize = 1 << chunkBits
	valueSize = 1 << 12 // words in a chunk of values
)

// shadow records the accesses to one memory.
type shadow struct {
	space  state.Space
	pages  map[uint64]*page
	used   []*page
	at     uint64 // number of the page that was used last
	last   *page
	near   [256]nearPage        // recently used pages
	free   []*[pageWords]uint32 // storage of pages without split rows
	bytes  uint64               // approximate size of the shadow
	chunks [][]touch
	n      uint32 // number of touches; the first one is unused, because index 0 means none
	// The same for touches of rows, and for the values that their stores wrote.
	rowChunks   [][]rowTouch
	rowsN       uint32
	valueChunks [][]uint32
	valuesN     uint32 // words of values; the first one is unused, too
}

// reset forgets all accesses. It keeps the storage.
func (s *shadow) reset() {
	for _, p := range s.used {
		if p.first != nil {
			s.free = append(s.free, p.first)
		}
		*p = page{}
	}
	s.used = s.used[:0]
	s.n, s.rowsN, s.valuesN = 1, 1, 1
	s.last = nil
}

// heads returns storage for the dwords of a page, all without touches.
func (s *shadow) heads() *[pageWords]uint32 {
	n := len(s.free)
	if n == 0 {
		s.bytes += headBytes
		return new([pageWords]uint32)
	}
	one := s.free[n-1]
	s.free = s.free[:n-1]
	*one = [pageWords]uint32{}
	return one
}

// maxKept is the size of the storage that a shadow keeps from one dispatch to the next.
const maxKept = 64 << 20

// begin makes s the shadow of a memory without accesses so far.
func (s *shadow) begin(space state.Space) {
	if s.pages == nil || s.bytes > maxKept {
		*s = shadow{pages: map[uint64]*page{}}
	}
	s.space = space
	s.reset()
}

// head returns the list head of the dword at addr, which has the index of its first touch. It splits the row.
func (s *shadow) head(addr uint64) *uint32 {
	p := s.pageOf(addr)
	if n := rowIn(addr); !p.rows[n].split {
		s.splitRow(p, n)
	}
	return &p.first[addr/4&(pageWords-1)]
}

// rowIn returns the index in its page of the row that contains addr.
func rowIn(addr uint64) int { return int(addr / rowBytes % (pageWords / rowWords)) }

// rowOf returns the row that contains addr.
func (s *shadow) rowOf(addr uint64) *row { return &s.pageOf(addr).rows[rowIn(addr)] }

// pageOf returns the page that contains addr, and marks it as used.
func (s *shadow) pageOf(addr uint64) *page {
	if at := addr / 4 >> pageBits; s.last == nil || at != s.at {
		s.at, s.last = at, s.page(at)
	}
	return s.last
}

// size returns the size of the memory that the used pages shadow, in bytes.
func (s *shadow) size() uint64 { return uint64(len(s.used)) * 4 * pageWords }

// nearPage is a page and its number.
type nearPage struct {
	at uint64
	*page
}

// page returns a page by number, and marks it as used.
func (s *shadow) page(at uint64) *page {
	near := &s.near[at*0x9e3779b97f4a7c15>>56]
	if near.at == at && near.page != nil && near.used {
		return near.page
	}
	p := s.findPage(at)
	*near = nearPage{at, p}
	return p
}

// findPage returns a page by number, and marks it as used.
func (s *shadow) findPage(at uint64) *page {
	p := s.pages[at]
	if p == nil {
		p = new(page)
		s.pages[at] = p
		s.bytes += pageBytes
	}
	if !p.used {
		p.used = true
		s.used = append(s.used, p)
	}
	return p
}

// find returns the index of the first touch of the dword at addr, or 0.
func (s *shadow) find(addr uint64) uint32 {
	if s.pages[addr/4>>pageBits] == nil {
		return 0
	}
	return *s.head(addr)
}

// touch returns touch n.
func (s *shadow) touch(n uint32) *touch { return &s.chunks[n>>chunkBits][n&(chunkSize-1)] }

// row returns row touch n.
func (s *shadow) row(n uint32) *rowTouch { return &s.rowChunks[n>>chunkBits][n&(chunkSize-1)] }

// add returns a new touch at the head of its dword's list.
func (s *shadow) add(head *uint32) *touch {
	n := s.n
	s.n++
	if int(n>>chunkBits) == len(s.chunks) {
		s.chunks = append(s.chunks, make([]touch, chunkSize))
		s.bytes += chunkSize * touchSize
	}
	t := s.touch(n)
	*t = touch{record: record{next: *head}}
	*head = n
	return t
}

// addRow returns a new row touch at the head of a chain.
func (s *shadow) addRow(head *uint32) *rowTouch {
	n := s.rowsN
	s.rowsN++
	if int(n>>chunkBits) == len(s.rowChunks) {
		s.rowChunks = append(s.rowChunks, make([]rowTouch, chunkSize))
		s.bytes += chunkSize * rowTouchSize
	}
	t := s.row(n)
	*t = rowTouch{record: record{next: *head}}
	*head = n
	return t
}

// valuesOf returns the values of t.
func (s *shadow) valuesOf(t *rowTouch) rowValues {
	return s.valueChunks[t.stored/valueSize][t.stored%valueSize:]
}

// addValues returns the index of new values for the dwords of mask.
func (s *shadow) addValues(mask uint64) (at uint32) {
	size := variedWords + uint32(bits.OnesCount64(mask)) //nolint:gosec // at most 64
	if left := valueSize - s.valuesN%valueSize; left < size {
		s.valuesN += left
	}
	at = s.valuesN
	if int(at/valueSize) == len(s.valueChunks) {
		s.valueChunks = append(s.valueChunks, make([]uint32, valueSize))
		s.bytes += 4 * valueSize
	}
	s.valuesN += size
	clear(s.valueChunks[at/valueSize][at%valueSize:][:variedWords])
	return at
}
