package check

import "slices"

// undefPage is a page of the shadow of memory: for each dword the undefined bits and their origin. Memory without a
// page is defined, unless it is in a fresh range.
type undefPage struct {
	left  int // number of dwords with undefined bits
	undef [undefPageWords]uint32
	from  [undefPageWords]tag
}

// undefines reports whether p has undefined bits.
func (p *undefPage) undefines() bool { return p.left > 0 }

// set sets the shadow bits in mask of a dword.
func (p *undefPage) set(dword int, undef, mask uint32, from tag) {
	was := p.undef[dword]
	now := was&^mask | undef&mask
	if p.undef[dword] = now; undef&mask != 0 {
		p.from[dword] = from
	}
	switch {
	case was == 0 && now != 0:
		p.left++
	case was != 0 && now == 0:
		p.left--
	}
}

// fill marks the bytes from lo up to, but not including, hi as undefined or defined.
func (p *undefPage) fill(lo, hi int, undefined bool, from tag) {
	var all uint32
	if undefined {
		all = ^uint32(0)
	}
	for lo < hi {
		first, n := lo%4, min(4-lo%4, hi-lo)
		switch dword := lo / 4; {
		case n < 4:
			p.set(dword, all, ^uint32(0)>>(32-8*n)<<(8*first), from)
		case undefined:
			if p.undef[dword] == 0 {
				p.left++
			}
			p.undef[dword], p.from[dword] = all, from
		case p.undef[dword] != 0:
			p.left--
			p.undef[dword] = 0
		}
		lo += n
	}
}

const (
	undefPageBytes = 1 << 10
	undefPageWords = undefPageBytes / 4
	// undefPageCost is how much of [Options.MaxBytes] a page uses.
	undefPageCost = 2 * undefPageBytes
)

// freshRange is a range of memory that was not initialized.
type freshRange struct {
	lo, hi uint64
	from   tag
}

// memShadow is the shadow of one memory: LDS, GDS, scratch or global memory.
type memShadow struct {
	pages map[uint64]*undefPage // by address / undefPageBytes
	low   [64]*undefPage        // pages of the lowest addresses, such as LDS
	used  []*undefPage          // all pages
	fresh []freshRange
	// Number of pages with undefined bits, and of pages in fresh ranges that do not exist yet.
	undefined, unmade uint64
	last              *undefPage // page number lastAt
	at                uint64
	pool              *pagePool
}

// pagePool provides the pages of all memories.
type pagePool struct {
	free  []*undefPage
	taken uint64 // bytes in use
	limit uint64
	full  bool // a page was refused; from then on nothing counts as undefined
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

// reset marks all of m as defined, except for the given ranges.
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

// refresh marks a range as not initialized.
func (m *memShadow) refresh(f freshRange) {
	if f.hi > f.lo {
		m.fresh = append(m.fresh, f)
		m.unmade += (f.hi-1)/undefPageBytes - f.lo/undefPageBytes + 1
	}
}

// undefines reports whether m may have undefined bits.
func (m *memShadow) undefines() bool { return m.undefined+m.unmade > 0 && !m.pool.full }

// defines reports whether all bytes from lo up to, but not including, hi are defined. It returns false for ranges of
// more than a few pages.
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

// find returns the page of an address, or nil.
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

// inFresh returns the fresh range that contains addr, or nil.
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
	for i := 0; i < n && !m.pool.full; {
		part := min(n-i, 4-int((addr+uint64(i))%4)) // bytes in one dword
		bits, by := m.loadDword(addr + uint64(i))
		if bits &= ^uint32(0) >> (32 - 8*part); bits != 0 && undef == 0 {
			from = by
		}
		undef |= bits << (8 * i)
		i += part
	}
	return undef, from
}

// loadDword returns the undefined bits from addr to the end of its dword, and their origin.
func (m *memShadow) loadDword(addr uint64) (undef uint32, from tag) {
	if p := m.find(addr); p != nil {
		dword := addr % undefPageBytes / 4
		return p.undef[dword] >> (8 * (addr % 4)), p.from[dword]
	}
	for at := addr; at == addr || at%4 != 0; at++ { // the rest of the dword may be outside of the range
		if f := m.inFresh(at); f != nil {
			if undef == 0 {
				from = f.from
			}
			undef |= 0xff << (8 * (at - addr))
		}
	}
	return undef, from
}

// store sets the undefined bits of n bytes, at most 4.
func (m *memShadow) store(addr uint64, n int, undef uint32, from tag) {
	for i := 0; i < n; {
		at := addr + uint64(i)
		shift := 8 * int(at%4)
		part := min(n-i, 4-int(at%4)) // bytes in one dword
		mask := ^uint32(0) >> (32 - 8*part)
		bits := undef >> (8 * i) & mask
		p := m.find(at)
		if p == nil && (bits != 0 || !m.defines(at, at+uint64(part))) {
			if p = m.make(at); p == nil {
				return
			}
		}
		if p != nil {
			before := p.undefines()
			p.set(int(at%undefPageBytes/4), bits<<shift, mask<<shift, from)
			m.recount(before, p.undefines())
		}
		i += part
	}
}

// recount updates the count of pages with undefined bits. before and now say whether a page had and has some.
func (m *memShadow) recount(before, now bool) {
	switch {
	case now && !before:
		m.undefined++
	case before && !now:
		m.undefined--
	}
}

// define marks the bytes from lo up to, but not including, hi as defined.
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
			first := int(lo % undefPageBytes)
			p.fill(first, first+int(end-lo), false, 0)
			m.recount(true, p.undefines())
		}
		lo = end
	}
}

// make creates the page of an address. It returns nil if the limit is reached.
func (m *memShadow) make(addr uint64) *undefPage {
	if m.pool.full {
		return nil
	}
	p := m.pool.page()
	if p == nil {
		return nil
	}
	*p = undefPage{}
	first := addr / undefPageBytes * undefPageBytes
	for _, f := range slices.Backward(m.fresh) { // the first range that contains an address counts
		lo, hi := max(f.lo, first), min(f.hi, first+undefPageBytes)
		if lo < hi {
			m.unmade--
			p.fill(int(lo-first), int(hi-first), true, f.from)
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
