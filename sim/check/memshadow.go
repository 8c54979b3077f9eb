package check

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"slices"
)

// undefPage is a page of the shadow of memory: 8 bits a byte, set where they are undefined, and an
// origin a dword. What has no page is defined, unless it lies in a fresh range.
type undefPage struct {
	left int // bytes of which undef has undefined bits
	// never has the dwords that were never written: unwritten of them, all of one range of fresh memory. All their bits
	// are undefined and come from fresh. undef and from do not have them.
	never     [undefPageBytes / 4 / 64]uint64
	unwritten int
	fresh     tag
	undef     [undefPageBytes]byte
	from      [undefPageBytes / 4]tag
}

// undefines reports whether p has undefined bits.
func (p *undefPage) undefines() bool { return p.left|p.unwritten != 0 }

// settle makes undef and from tell of n bytes, at most 4, from off on.
func (p *undefPage) settle(off, n int) {
	for d := off / 4; d <= (off+n-1)/4 && d < len(p.from); d++ {
		if bit := uint64(1) << (d & 63); p.never[d>>6]&bit != 0 {
			p.never[d>>6] &^= bit
			p.unwritten--
			p.left += 4
			p.from[d] = p.fresh
			binary.LittleEndian.PutUint32(p.undef[4*d:], ^uint32(0))
		}
	}
}

// settleAll is settle of all bytes.
func (p *undefPage) settleAll() {
	for off := 0; off < undefPageBytes; off += 4 {
		p.settle(off, 4)
	}
}

// define makes the bytes from lo to below hi of p defined.
func (p *undefPage) define(lo, hi int) {
	if lo%4 != 0 {
		p.settle(lo, 1)
	}
	if hi%4 != 0 {
		p.settle(hi, 1)
	}
	for i := lo / 256; i <= (hi-1)/256 && p.unwritten > 0; i++ {
		mask := dwordsOf(i, lo/4, (hi+3)/4)
		p.unwritten -= bits.OnesCount64(p.never[i] & mask)
		p.never[i] &^= mask
	}
	for i := lo; i < hi && p.left > 0; {
		if i+8 <= hi && binary.LittleEndian.Uint64(p.undef[i:]) == 0 {
			i += 8
			continue
		}
		if p.undef[i] != 0 {
			p.undef[i] = 0
			p.left--
		}
		i++
	}
}

// setNever sets in never the dwords from lo to below hi.
func (p *undefPage) setNever(lo, hi int) {
	for i := lo / 64; i <= (hi-1)/64; i++ {
		p.never[i] |= dwordsOf(i, lo, hi)
	}
}

// dwordsOf returns which dwords of word i of a mask lie from lo to below hi. Some do.
func dwordsOf(i, lo, hi int) uint64 {
	from, to := max(lo-64*i, 0), min(hi-64*i, 64)
	return ^uint64(0) >> (64 - (to - from)) << from
}

const (
	undefPageBytes = 1 << 10
	// undefPageCost is what a page takes of [Options.MaxBytes].
	undefPageCost = 2 * undefPageBytes
)

// freshRange is memory that nothing was put into at the start.
type freshRange struct {
	lo, hi uint64
	from   tag
}

// memShadow is the shadow of one memory: LDS, GDS, scratch or global memory.
type memShadow struct {
	pages map[uint64]*undefPage // by address / undefPageBytes
	low   [64]*undefPage        // those of the first addresses, as of LDS
	used  []*undefPage          // all of them
	fresh []freshRange
	// Pages with undefined bits, and parts of pages that lie in fresh ranges and are not made yet.
	undefined, unmade uint64
	last              *undefPage // that of lastAt
	at                uint64
	pool              *pagePool
}

// pagePool is what all memories take pages from.
type pagePool struct {
	free  []*undefPage
	taken uint64 // bytes
	limit uint64
	full  bool // a page was refused: then nothing is undefined any more
}

func (p *pagePool) page() *undefPage {
	if n := len(p.free); n > 0 {
		one := p.free[n-1]
		p.free = p.free[:n-1]
		return one
	}
	if p.taken += undefPageCost; p.taken > p.limit {
		p.full = true
		return nil
	}
	return new(undefPage)
}

// reset makes all of m defined but the given ranges.
func (m *memShadow) reset(pool *pagePool, fresh ...freshRange) {
	pool.free = append(pool.free, m.used...)
	switch {
	case m.pages == nil:
		m.pages = map[uint64]*undefPage{}
	case len(m.used) > 0:
		clear(m.pages)
		m.low = [64]*undefPage{}
	}
	m.used = m.used[:0]
	m.pool, m.last, m.fresh, m.undefined, m.unmade = pool, nil, m.fresh[:0], 0, 0
	for _, f := range fresh {
		m.refresh(f)
	}
}

// refresh makes a range one that nothing was put into.
func (m *memShadow) refresh(f freshRange) {
	if f.hi > f.lo {
		m.fresh = append(m.fresh, f)
		m.unmade += (f.hi-1)/undefPageBytes - f.lo/undefPageBytes + 1
	}
}

// undefines reports whether m has undefined bits at all.
func (m *memShadow) undefines() bool { return m.undefined+m.unmade > 0 && !m.pool.full }

// defines reports whether all bytes from lo to below hi are defined. There are at most a few pages of them, else it
// returns false.
func (m *memShadow) defines(lo, hi uint64) bool {
	if !m.undefines() {
		return true
	}
	if hi-lo > 64*undefPageBytes {
		return false
	}
	for at := lo / undefPageBytes; at <= (hi-1)/undefPageBytes; at++ {
		p := m.find(at * undefPageBytes)
		switch {
		case p != nil && p.undefines():
			return false
		case p != nil:
		default:
			for i := range m.fresh {
				if f := &m.fresh[i]; f.lo/undefPageBytes <= at && at <= (f.hi-1)/undefPageBytes {
					return false
				}
			}
		}
	}
	return true
}

// find returns the page of an address, nil if it has none.
func (m *memShadow) find(addr uint64) *undefPage {
	n := addr / undefPageBytes
	if n < uint64(len(m.low)) {
		return m.low[n]
	}
	if m.last == nil || m.at != n {
		m.last, m.at = m.pages[n], n
	}
	return m.last
}

// inFresh returns the range that holds addr, nil if none does.
func (m *memShadow) inFresh(addr uint64) *freshRange {
	for i := range m.fresh {
		if f := &m.fresh[i]; addr-f.lo < f.hi-f.lo {
			return f
		}
	}
	return nil
}

// load returns the undefined bits of n bytes, at most 4, and their origin.
func (m *memShadow) load(addr uint64, n int) (undef uint32, from tag) {
	p, off := m.find(addr), int(addr%undefPageBytes)
	switch {
	case m.pool.full:
		return 0, 0
	case p != nil && off+4 <= undefPageBytes:
		p.settle(off, n)
		undef = binary.LittleEndian.Uint32(p.undef[off:]) & uint32(1<<(8*n)-1)
		return undef, p.from[off/4]
	}
	for i := range n {
		one, by := m.byteAt(addr + uint64(i))
		if one != 0 && undef == 0 {
			from = by
		}
		undef |= uint32(one) << (8 * i)
	}
	return undef, from
}

func (m *memShadow) byteAt(addr uint64) (undef byte, from tag) {
	if p := m.find(addr); p != nil {
		p.settle(int(addr%undefPageBytes), 1)
		return p.undef[addr%undefPageBytes], p.from[addr%undefPageBytes/4]
	}
	if f := m.inFresh(addr); f != nil {
		return 0xff, f.from
	}
	return 0, 0
}

// store sets the undefined bits of n bytes, at most 4.
func (m *memShadow) store(addr uint64, n int, undef uint32, from tag) {
	for i := range n {
		at := addr + uint64(i)
		p := m.find(at)
		to := byte(undef >> (8 * i))
		if p == nil {
			if to == 0 && m.inFresh(at) == nil {
				continue
			}
			if p = m.make(at); p == nil {
				return
			}
		}
		p.settle(int(at%undefPageBytes), 1)
		was := &p.undef[at%undefPageBytes]
		switch {
		case *was == 0 && to != 0:
			if !p.undefines() {
				m.undefined++
			}
			p.left++
		case *was != 0 && to == 0:
			if p.left--; !p.undefines() {
				m.undefined--
			}
		}
		*was = to
		if to != 0 {
			p.from[at%undefPageBytes/4] = from
		}
	}
}

// define makes the bytes from lo to below hi defined.
func (m *memShadow) define(lo, hi uint64) {
	for lo < hi {
		end := min(hi, lo/undefPageBytes*undefPageBytes+undefPageBytes)
		p := m.find(lo)
		if p == nil && !m.defines(lo, end) {
			if p = m.make(lo); p == nil {
				return
			}
		}
		if p != nil && p.undefines() {
			if p.define(int(lo%undefPageBytes), int((end-1)%undefPageBytes)+1); !p.undefines() {
				m.undefined--
			}
		}
		lo = end
	}
}

// make adds the page of an address; it returns nil if there is no room.
func (m *memShadow) make(addr uint64) *undefPage {
	if m.pool.full {
		return nil
	}
	p := m.pool.page()
	if p == nil {
		return nil
	}
	clear(p.undef[:])
	p.left, p.unwritten, p.never = 0, 0, [len(p.never)]uint64{}
	first := addr / undefPageBytes * undefPageBytes
	made := 0
	for _, f := range slices.Backward(m.fresh) { // the first range that holds an address wins
		lo, hi := max(f.lo, first), min(f.hi, first+undefPageBytes)
		if lo >= hi {
			continue
		}
		m.unmade--
		if made++; made == 1 && (lo|hi)%4 == 0 {
			p.fresh = f.from
			p.setNever(int(lo-first)/4, int(hi-first)/4)
			p.unwritten = int(hi-lo) / 4
			continue
		}
		p.settleAll()
		part := p.undef[lo-first : hi-first]
		p.left += bytes.Count(part, []byte{0})
		for i := range part {
			part[i] = 0xff
		}
		from := p.from[(lo-first)/4 : (hi-first+3)/4]
		for i := range from {
			from[i] = f.from
		}
	}
	if p.undefines() {
		m.undefined++
	}
	n := addr / undefPageBytes
	m.used = append(m.used, p)
	m.pages[n] = p
	if n < uint64(len(m.low)) {
		m.low[n] = p
		return p
	}
	m.last, m.at = p, n
	return p
}
