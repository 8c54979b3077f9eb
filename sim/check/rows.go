package check

import (
	"math/bits"
	"slices"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/sim/internal/registers"
	"github.com/gcnsim/gcnsim/state"
)

// This file keeps accesses to consecutive dwords as one record. Most instructions reach memory so: neighbouring lanes
// reach neighbouring bytes. A record is about dwords that have the same history. As soon as that may not be so, or an
// access may have to be reported, the row is split into its dwords, which [Checker.touchDword] judges: rows have no
// rule of their own.

// A row is rowWords consecutive dwords.
const (
	rowBits  = 6
	rowWords = 1 << rowBits
	rowBytes = 4 * rowWords
)

// rowTouch is a touch of the dwords of a row that are set in mask. The lanes of its first and its last access follow
// from firstAt and lastAt.
type rowTouch struct {
	touch
	mask            uint64
	firstAt, lastAt laneAt
	// values are what the latest stores wrote, nil if it is no plain store. Different values were written to the
	// dwords of variedIn.
	values   *[rowWords]uint32
	variedIn uint64
}

// laneAt tells which lane accesses an address: lane 0 begins at base, and each lane has size bytes. If size is 0, the
// access is one of the wave and not of a lane.
type laneAt struct{ base, size uint64 }

// noLane is [state.NoLane] in a [moment].
const noLane = state.NoLane & 0xff

// of returns the lane that accesses addr.
func (l laneAt) of(addr uint64) uint8 {
	if l.size == 0 {
		return noLane
	}
	return uint8(int64(addr-l.base) / int64(l.size))
}

// piece is what one access reaches of a row: the same bytes of each dword of mask.
type piece struct {
	row         uint64 // address of the row
	mask        uint64
	bytes       uint8
	nature      nature
	element     int    // of the lanes, where they reach several that do not follow one another
	first, last laneAt // where lanes reach the same bytes they differ
	own         uint32 // the record of the row to which it belongs, 0 if it needs a new one
}

// maxPieces bounds the pieces of an access that is kept as rows.
const maxPieces = 24

// maxRowTouches bounds the records of a row.
const maxRowTouches = 64

// touchRows judges and keeps an access to memory or LDS as pieces of rows. It returns false, and changes nothing, if
// the access must be judged dword by dword.
func (c *Checker) touchRows(h *hand, a *state.Access, mask uint64) bool {
	r := &c.races
	if r.sync || r.split || h.swaps {
		return false
	}
	r.pieces = r.pieces[:0]
	if !c.wholeRow(h, a, mask) && !c.cut(h, a, mask) {
		return false
	}
	for i := range r.pieces {
		if !c.passes(h, &r.pieces[i]) {
			return false
		}
	}
	for i := range r.pieces {
		r.keepRow(h, &r.pieces[i])
	}
	return true
}

// wholeRow makes the access at hand one piece, which is a row. It returns false if the access is none.
func (c *Checker) wholeRow(h *hand, a *state.Access, mask uint64) bool {
	r, addr := &c.races, a.Addr[0]
	if !a.Dense || a.Split || a.Elem != 4 || a.Count != 1 || addr%rowBytes != 0 || mask&^a.Out[0] != state.FullExec ||
		h.sh == &r.memory && !r.shows(h, addr, rowBytes) {
		return false
	}
	lanes := laneAt{addr, 4}
	r.pieces = append(r.pieces, piece{row: addr, mask: state.FullExec, bytes: 0xf, nature: h.op.ofSize(addr, 4),
		first: lanes, last: lanes})
	return true
}

// shows reports whether all of size bytes at addr are in the range of memory that is looked at, and none in private
// memory.
func (r *races) shows(h *hand, addr, size uint64) bool {
	end := addr + size
	return r.maps(h, addr) && end-r.from <= uint64(len(r.view)) && end >= addr &&
		(end <= h.PrivateBase || len(h.Private) == 0 || addr >= h.PrivateBase+uint64(len(h.Private)))
}

// plain reports whether h is a store and no atomic.
func (h *hand) plain() bool { return h.op&(stores|atomic) == stores }

// cut cuts the access at hand into pieces. It returns false if there are too many, or if some cannot be kept.
func (c *Checker) cut(h *hand, a *state.Access, mask uint64) bool {
	size := uint64(a.Elem) * uint64(a.Count)
	n := 1
	if a.Split {
		n, size = int(a.Count), uint64(a.Elem)
	}
	switch {
	case a.Scalar:
		return a.Out[0] == 0 && c.cutRun(h, a.Addr[0], size, uint64(a.Elem), &piece{})
	case !a.Split && registers.Whole(a, mask) != mask:
		return false
	}
	for i := range n {
		at, in := &a.Addr, mask&^a.Out[i&3]
		if i > 0 {
			at = &a.More[i-1]
		}
		if a.Dense && i == 0 && in == state.FullExec && size == 4 {
			lanes := laneAt{at[0], size}
			if !c.cutRun(h, at[0], size*state.NumLanes, size, &piece{first: lanes, last: lanes}) {
				return false
			}
			continue
		}
		if !c.cutElement(h, at, in, size, i, a.Split) {
			return false
		}
	}
	return true
}

// cutElement cuts what the lanes of mask access at addresses, each of them size bytes, into pieces.
func (c *Checker) cutElement(h *hand, at *[state.NumLanes]uint64, mask, size uint64, element int, split bool) bool {
	plain := h.plain()
	for mask != 0 {
		lane := bits.TrailingZeros64(mask)
		first, next := at[lane], lane+1
		for next < state.NumLanes && mask>>next&1 != 0 && at[next] == at[next-1]+size {
			next++
		}
		p := piece{element: element, first: laneAt{first - size*uint64(lane), size}}
		p.last = p.first
		last := at[next-1]
		mask = mask >> next << next
		for mask != 0 && !plain { // lanes at the address of the lane before do the same
			again := bits.TrailingZeros64(mask)
			if at[again] != last {
				break
			}
			if split { // see [Checker.touchLanes]
				if next > lane+1 {
					return false
				}
				p.last.base = first - size*uint64(again)
			}
			mask &= mask - 1
		}
		if !c.cutRun(h, first, size*uint64(next-lane), size, &p) {
			return false
		}
	}
	return true
}

// cutRun cuts size bytes at addr, which consecutive lanes access, each of them each bytes, into pieces like p.
func (c *Checker) cutRun(h *hand, addr, size, each uint64, p *piece) bool {
	r := &c.races
	end := addr + size
	if h.sh == &r.memory && !r.shows(h, addr, size) {
		return false
	}
	step, bytes := uint64(4), uint8(0xf)
	if each < 4 {
		if each == 3 || addr&(each-1) != 0 {
			return false
		}
		bytes, step = uint8(1<<each-1), each
	} else if addr&3 != 0 || each&3 != 0 || addr%min(each&-each, 8) != 0 {
		return false // lanes could have different natures
	}
	p.nature = h.op.ofSize(addr, each)
	for addr < end {
		p.row = addr &^ (rowBytes - 1)
		stop := min(end, p.row+rowBytes)
		for at := uint64(0); at < 4; at += step {
			// Dwords of which the bytes from at on lie in [addr, stop).
			from, to := (addr-p.row+3-at)>>2, (stop-p.row+3-at)>>2
			if from >= to {
				continue
			}
			p.mask, p.bytes = ^uint64(0)>>(rowWords-(to-from))<<from, bytes<<at
			if !r.addPiece(h, p) {
				return false
			}
		}
		addr = stop
	}
	return true
}

// addPiece adds p to the pieces of the access at hand. It returns false if p meets another piece so that they cannot
// be kept.
func (r *races) addPiece(h *hand, p *piece) bool {
	for i := range r.pieces {
		q := &r.pieces[i]
		if q.row != p.row || q.bytes&p.bytes == 0 {
			continue
		}
		alike := q.element == p.element && q.bytes == p.bytes && q.nature == p.nature
		switch {
		case q.mask&p.mask == 0 && alike && q.first == p.first && q.last == p.last:
			q.mask |= p.mask
			return true
		case q.mask&p.mask == 0:
		case alike && q.mask == p.mask && !h.plain():
			q.last = p.last
			return true
		default:
			return false
		}
	}
	if len(r.pieces) == maxPieces {
		return false
	}
	r.pieces = append(r.pieces, *p)
	return true
}

// isLikePiece reports whether p of the access at hand has the instruction, the bytes and the nature of t.
func (t *touch) isLikePiece(h *hand, p *piece) bool {
	return t.site == h.number && t.bytes == p.bytes && t.nature == p.nature
}

// passes reports whether p can be kept as a part of its row: nothing must be said about it and the other records of
// the row, and a record of its instruction is about the same dwords or about others.
func (c *Checker) passes(h *hand, p *piece) bool {
	page := h.sh.pageOf(p.row)
	n := page.rowOf(p.row)
	if page.split>>n&1 != 0 {
		return false
	}
	h.nature, h.bytes = p.nature, p.bytes
	count := 0
	for k := page.rows[n]; k != 0; count++ {
		t, at := h.sh.row(k), k
		k = t.next
		if t.mask&p.mask == 0 || t.bytes&p.bytes == 0 {
			continue
		}
		if t.isLikePiece(h, p) {
			if p.own = at; t.mask != p.mask {
				return false
			}
		}
		switch {
		case (t.nature|p.nature)&stores != 0 && c.mustSay(h, &t.touch):
			return false
		}
	}
	return count < maxRowTouches
}

// mustSay reports whether [Checker.meet] may have something to say about the access at hand and t.
func (c *Checker) mustSay(h *hand, t *touch) bool {
	if t.nature&h.nature&atomic != 0 && t.bytes == h.bytes && t.nature.size() == h.nature.size() {
		return false
	}
	if _, ok := c.unordered(h, t); ok {
		return true
	}
	return h.nature&(stores|atomic) == 0 && c.isStale(h, t) != noCache
}

// keepRow keeps p in its row.
func (r *races) keepRow(h *hand, p *piece) {
	plain := h.plain()
	var own *rowTouch
	if p.own != 0 {
		own = h.sh.row(p.own)
	} else {
		page := h.sh.pageOf(p.row)
		own = h.sh.addRow(&page.rows[page.rowOf(p.row)], plain)
		own.site, own.nature, own.bytes, own.first = h.number, p.nature, p.bytes, h.now
		own.mask, own.firstAt = p.mask, p.first
	}
	if plain {
		own.store(h, r, p)
	}
	if own.last.group != r.group || own.epoch != r.epoch {
		own.epoch, own.waves = r.epoch, 0
	}
	own.last, own.lastAt, own.waves = h.now, p.last, own.waves|1<<h.now.wave
}

// store notes what the dwords of p hold in its bytes, which the access at hand has stored.
func (t *rowTouch) store(h *hand, r *races, p *piece) {
	if h.noted {
		t.storeRegisters(h, p)
		return
	}
	from, view := r.viewOf(h)
	mask, again := byteMasks[p.bytes], p.own != 0
	for m := p.mask; m != 0; m &= m - 1 {
		i := bits.TrailingZeros64(m) & (rowWords - 1)
		v := valueIn(from, view, p.row+4*uint64(i)) & mask
		if again && t.values[i] != v {
			t.variedIn |= 1 << i
		}
		t.values[i] = v
	}
}

// storeRegisters is store with what lies in registers.
func (t *rowTouch) storeRegisters(h *hand, p *piece) {
	size, low := p.first.size, uint64(bits.TrailingZeros8(p.bytes))
	first, again := p.element*int(h.Access.Elem), p.own != 0
	if size == 4 && p.bytes == 0xf && !again && p.mask == state.FullExec && p.first.base == p.row {
		*t.values = h.Wave.V[h.dataRegister(p.element, first/4)]
		return
	}
	shift := bits.TrailingZeros64(size)
	high := h.Inst.Row().Mem.D16 == gcn.HighHalf
	for m := p.mask; m != 0; m &= m - 1 {
		i := bits.TrailingZeros64(m) & (rowWords - 1)
		off := p.row + 4*uint64(i) + low - p.first.base
		lane, at := off>>shift, off&(size-1)
		if 1<<shift != size {
			lane, at = off/size, off%size
		}
		v := h.Wave.V[h.dataRegister(p.element, (first+int(at))/4)][lane&(state.NumLanes-1)]
		if high {
			v >>= 16
		}
		v = v << (8 * low) & byteMasks[p.bytes]
		if again && t.values[i] != v {
			t.variedIn |= 1 << i
		}
		t.values[i] = v
	}
}

// splitRow gives the dwords of row n of a page touches of their own.
func (s *shadow) splitRow(p *page, at uint64, n int) {
	p.split |= 1 << n
	if p.first == nil {
		p.first = s.heads()
	}
	var order []uint32 // the latest record first
	for k := p.rows[n]; k != 0; k = s.row(k).next {
		order = append(order, k)
	}
	p.rows[n] = 0
	for _, k := range slices.Backward(order) {
		t := s.row(k)
		for m := t.mask; m != 0; m &= m - 1 {
			dword := bits.TrailingZeros64(m)
			one := s.add(&p.first[n*rowWords+dword])
			next := one.next
			*one = t.touch
			one.next = next
			addr := at*4*pageWords + uint64(n)*rowBytes + 4*uint64(dword) + uint64(bits.TrailingZeros8(t.bytes))
			one.first.lane, one.last.lane = t.firstAt.of(addr), t.lastAt.of(addr)
			if t.values != nil {
				one.value, one.varied = t.values[dword], t.variedIn>>dword&1 != 0
			}
		}
	}
}
