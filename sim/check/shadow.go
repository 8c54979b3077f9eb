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

// record is what a shadow keeps of the accesses of one instruction to the same bytes of dwords: who made them, since
// accesses of other waves may conflict (rule RC1).
type record struct {
	next uint32 // index of the next one of the dword or of the row, 0 if there is none
	site uint32 // number of the instruction

	nature nature
	bytes  uint8 // of the dwords
	each   uint8 // bytes of a lane, in a [rowTouch]; 0 if the access is one of the wave and not of a lane

	first, last moment // in the dispatch
	epoch       uint32 // of last
	waves       uint32 // of the work-group of last that made one in this epoch
}

// touch is a record of one dword.
type touch struct {
	record
	value  uint32 // what the latest one wrote, in its bytes
	varied bool   // different values were written
}

// others returns the waves other than w that made an access of t in an epoch of a work-group.
func (t *record) others(group, epoch uint32, w int) uint32 {
	if t.last.group != group || t.epoch != epoch {
		return 0
	}
	return t.waves &^ (1 << w)
}

// Shadow memory comes in pages, of as many dwords each.
const (
	pageBits     = 10
	pageWords    = 1 << pageBits
	pageBytes    = 1552 // without heads
	headBytes    = 4 * pageWords
	touchSize    = 52
	rowTouchSize = 64
)

// page holds rows. Of those that are split first holds the number of the first touch of each of their dwords.
type page struct {
	rows  [pageWords / rowWords]row
	used  bool // since the latest reset
	first *[pageWords]uint32
}

// Touches are kept in chunks, so that those that are there need not move.
const (
	chunkBits = 6
	chunkSize = 1 << chunkBits
	valueSize = 1 << 12 // words in a chunk of values
)

// shadow is what is kept of a memory.
type shadow struct {
	space  state.Space
	pages  map[uint64]*page
	used   []*page
	at     uint64 // the page that was asked for last
	last   *page
	near   [256]nearPage        // pages that were asked for lately
	free   []*[pageWords]uint32 // of pages without split rows
	bytes  uint64               // that it takes, roughly
	chunks [][]touch
	n      uint32 // touches; the first one is unused, so that 0 stands for no touch
	// The same for touches of rows, and what their stores wrote.
	rowChunks   [][]rowTouch
	rowsN       uint32
	valueChunks [][]uint32
	valuesN     uint32 // words of values; the first one is unused, too
}

// reset forgets all accesses, and keeps the storage.
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

// heads returns storage for the dwords of a page, of which none has a touch.
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

// maxKept is how many bytes of storage a shadow keeps from one dispatch to the next.
const maxKept = 64 << 20

// begin makes s the shadow of a memory without accesses so far.
func (s *shadow) begin(space state.Space) {
	if s.pages == nil || s.bytes > maxKept {
		*s = shadow{pages: map[uint64]*page{}}
	}
	s.space = space
	s.reset()
}

// head returns where the number of the first touch of the dword at addr is. It splits the row of addr.
func (s *shadow) head(addr uint64) *uint32 {
	p := s.pageOf(addr)
	if n := rowIn(addr); !p.rows[n].split {
		s.splitRow(p, n)
	}
	return &p.first[addr/4&(pageWords-1)]
}

// rowIn returns which row of its page has addr.
func rowIn(addr uint64) int { return int(addr / rowBytes % (pageWords / rowWords)) }

// rowOf returns the row of addr.
func (s *shadow) rowOf(addr uint64) *row { return &s.pageOf(addr).rows[rowIn(addr)] }

// pageOf returns the page of addr, which counts as used.
func (s *shadow) pageOf(addr uint64) *page {
	if at := addr / 4 >> pageBits; s.last == nil || at != s.at {
		s.at, s.last = at, s.page(at)
	}
	return s.last
}

// size returns how many bytes of memory the pages are of that are used.
func (s *shadow) size() uint64 { return uint64(len(s.used)) * 4 * pageWords }

// nearPage is a page and its number.
type nearPage struct {
	at uint64
	*page
}

// page returns a page, which counts as used.
func (s *shadow) page(at uint64) *page {
	near := &s.near[at*0x9e3779b97f4a7c15>>56]
	if near.at == at && near.page != nil && near.used {
		return near.page
	}
	p := s.findPage(at)
	*near = nearPage{at, p}
	return p
}

// findPage returns a page, which counts as used.
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

// find returns the first touch of the dword at addr, 0 if there is none.
func (s *shadow) find(addr uint64) uint32 {
	if s.pages[addr/4>>pageBits] == nil {
		return 0
	}
	return *s.head(addr)
}

// touch returns touch n.
func (s *shadow) touch(n uint32) *touch { return &s.chunks[n>>chunkBits][n&(chunkSize-1)] }

// row returns touch n of rows.
func (s *shadow) row(n uint32) *rowTouch { return &s.rowChunks[n>>chunkBits][n&(chunkSize-1)] }

// add returns a new touch, the first one of its dword.
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

// addRow returns a new touch, the first one of a chain.
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

// addValues returns the number of new values for the dwords of mask.
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
