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

// row is what a row of memory has. If it is split, it has no records: its dwords have touches of their own.
type row struct {
	first           uint32 // number of the latest record, 0 if there is none
	records         uint8
	split           bool
	stored, reached uint64 // the dwords that stores or atomics of the records have changed, and all that they reach
	sites           uint64 // of the records: a site is the bit of the rest of its number
}

// has adds p of the access at hand, which has a new record, to what w knows of all of them.
func (w *row) has(h *hand, p *piece) {
	w.records++
	w.sites |= 1 << (h.number % 64)
	w.reached |= p.mask
	if p.nature&stores != 0 {
		w.stored |= p.mask
	}
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
	in          *row
	own         uint32 // the record of the row to which it belongs, 0 if it needs a new one
}

// lowest returns the address of the first dword of p.
func (p *piece) lowest() uint64 { return p.row + 4*uint64(bits.TrailingZeros64(p.mask)) }

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
	if !r.cut(h, a, mask) {
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

// shows reports whether all dwords of p are in the range of memory that is looked at, and none in private memory.
func (r *races) shows(h *hand, p *piece) bool {
	addr, end := p.lowest(), p.row+4*uint64(bits.Len64(p.mask))
	return r.maps(h, addr) && end-r.from <= uint64(len(r.view)) && end >= addr &&
		(end <= h.PrivateBase || len(h.Private) == 0 || addr >= h.PrivateBase+uint64(len(h.Private)))
}

// plain reports whether h is a store and no atomic.
func (h *hand) plain() bool { return h.op&(stores|atomic) == stores }

// cut cuts the access at hand into pieces. It returns false if there are too many, or if some cannot be kept.
func (r *races) cut(h *hand, a *state.Access, mask uint64) bool {
	size, n := uint64(a.Elem)*uint64(a.Count), 1
	switch {
	case a.Scalar:
		elem := uint64(a.Elem)
		return a.Out[0] == 0 && a.Addr[0]&3 == 0 && elem == 4 && r.cutRun(h, a.Addr[0], size/4,
			&piece{bytes: 0xf, nature: h.op.ofSize(0, elem)})
	case a.Split:
		n, size = int(a.Count), uint64(a.Elem)
	case registers.Whole(a, mask) != mask:
		return false
	}
	if size > 4 && size&3 != 0 || size == 3 || size > rowBytes {
		return false
	}
	for i := range n {
		at, in := &a.Addr, mask&^a.Out[i&3]
		if i > 0 {
			at = &a.More[i-1]
		}
		p := piece{bytes: uint8(1<<min(size, 4) - 1), nature: h.op.ofSize(0, size), element: i}
		if a.Dense && i == 0 && in == state.FullExec && size == 4 {
			p.first = laneAt{at[0], size}
			p.last = p.first
			if at[0]&3 != 0 || !r.cutRun(h, at[0], state.NumLanes, &p) {
				return false
			}
			continue
		}
		if done, ok := r.cutInStep(h, at, in, size, &p); !ok || !done && !r.cutElement(h, at, in, size, p, a.Split) {
			return false
		}
	}
	return true
}

// cutRun cuts dwords from addr on, at most as many as a row has, into pieces like p.
func (r *races) cutRun(h *hand, addr, dwords uint64, p *piece) bool {
	first := addr / 4 % rowWords
	p.row, p.mask = addr&^(rowBytes-1), ^uint64(0)>>(rowWords-dwords)<<first
	if !r.addPiece(h, p) {
		return false
	}
	p.row, p.mask = p.row+rowBytes, ^uint64(0)>>(rowWords-dwords)>>(rowWords-first)
	return p.mask == 0 || r.addPiece(h, p)
}

// cutInStep is cutElement of lanes that access dwords which follow one another, as if all lanes were active. done says
// whether they do.
func (r *races) cutInStep(h *hand, at *[state.NumLanes]uint64, mask, size uint64, p *piece) (done, ok bool) {
	if mask == 0 || size != 4 && size != 8 && size != 16 {
		return mask == 0, true
	}
	base, ok := inStep(at, mask, size)
	if !ok || base&(min(size, 8)-1) != 0 {
		return false, true
	}
	p.first = laneAt{base, size}
	p.last, p.row = p.first, base&^(rowBytes-1)
	first, n := base/4%rowWords, 64*4/size // n lanes reach as many dwords as a row has
	for more := uint64(0); mask|more != 0; p.row += rowBytes {
		dwords := mask & (^uint64(0) >> (64 - n))
		mask >>= n
		for i := n; i < 64; i *= 2 {
			dwords = spread2(dwords)
		}
		p.mask, more = dwords<<first|more, dwords>>(rowWords-first)
		if p.mask != 0 && !r.addPiece(h, p) {
			return true, false
		}
	}
	return true, true
}

// inStep reports whether the lanes of mask, of which there are some, access bytes that follow one another as if all
// lanes were active, and where lane 0 would be.
func inStep(at *[state.NumLanes]uint64, mask, size uint64) (base uint64, ok bool) {
	lane := bits.TrailingZeros64(mask)
	base = at[lane&(state.NumLanes-1)] - size*uint64(lane)
	other, next := uint64(0), base
	if mask == state.FullExec {
		for _, addr := range at {
			other |= addr ^ next
			next += size
		}
		return base, other == 0
	}
	for ; mask != 0; mask &= mask - 1 {
		lane := bits.TrailingZeros64(mask)
		other |= at[lane] - size*uint64(lane) ^ base
	}
	return base, other == 0
}

// spread2 makes each of the low 32 bits two.
func spread2(v uint64) uint64 {
	v = (v | v<<16) & 0x0000ffff0000ffff
	v = (v | v<<8) & 0x00ff00ff00ff00ff
	v = (v | v<<4) & 0x0f0f0f0f0f0f0f0f
	v = (v | v<<2) & 0x3333333333333333
	v = (v | v<<1) & 0x5555555555555555
	return v | v<<1
}

// cutElement cuts what the lanes of mask access at addresses, each of them size bytes, into pieces like like.
func (r *races) cutElement(h *hand, at *[state.NumLanes]uint64, mask, size uint64, like piece, split bool) bool {
	plain, aligned := h.plain(), min(size&-size, 8)-1 // else lanes could have different natures
	dwords := uint64(1)<<((size+3)/4) - 1
	var open [4]piece // those that begin with each byte of a dword
	last := ^uint64(0)
	for ; mask != 0; mask &= mask - 1 {
		lane := bits.TrailingZeros64(mask)
		addr := at[lane]
		if addr&aligned != 0 {
			return false
		}
		p, first := &open[addr&3], addr/4%rowWords
		base, row := addr-size*uint64(lane), addr&^(rowBytes-1)
		if addr == last && !plain { // lanes at the address of the lane before do the same
			if split { // see [Checker.touchLanes]
				if p.mask != dwords<<first {
					return false
				}
				p.last.base = base
			}
			continue
		}
		last = addr
		if p.first.base != base || p.row != row || p.last != p.first || p.mask == 0 {
			if p.mask != 0 && !r.addPiece(h, p) {
				return false
			}
			*p = like
			p.row, p.bytes, p.first = row, like.bytes<<(addr&3), laneAt{base, size}
			p.last = p.first
		}
		p.mask |= dwords << first
		if more := dwords >> (rowWords - first); more != 0 {
			if !r.addPiece(h, p) {
				return false
			}
			p.row, p.mask = row+rowBytes, more
		}
	}
	for i := range open {
		if p := &open[i]; p.mask != 0 && !r.addPiece(h, p) {
			return false
		}
	}
	return true
}

// addPiece adds p to the pieces of the access at hand. It returns false if p is not shown, or if p meets another piece
// so that they cannot be kept.
func (r *races) addPiece(h *hand, p *piece) bool {
	if h.sh == &r.memory && !r.shows(h, p) {
		return false
	}
	var like *piece
	for i := range r.pieces {
		q := &r.pieces[i]
		if q.row != p.row || q.bytes&p.bytes == 0 {
			continue
		}
		alike := q.element == p.element && q.bytes == p.bytes && q.nature == p.nature
		switch {
		case q.mask&p.mask == 0 && alike && q.first == p.first && q.last == p.last:
			like = q
		case q.mask&p.mask == 0:
		case alike && q.mask == p.mask && !h.plain():
			q.last = p.last
			return true
		default:
			return false
		}
	}
	switch {
	case like != nil:
		like.mask |= p.mask
	case len(r.pieces) == maxPieces:
		return false
	default:
		r.pieces = append(r.pieces, *p)
	}
	return true
}

// isLikePiece reports whether p of the access at hand has the instruction, the bytes and the nature of t.
func (t *touch) isLikePiece(h *hand, p *piece) bool {
	return t.site == h.number && t.bytes == p.bytes && t.nature == p.nature
}

// passes reports whether p can be kept as a part of its row: nothing must be said about it and the other records of
// the row, and a record of its instruction is about the same dwords or about others.
func (c *Checker) passes(h *hand, p *piece) bool {
	w := h.sh.rowOf(p.row)
	p.in = w
	if w.split || w.records == maxRowTouches {
		return false
	}
	meets := w.stored&p.mask != 0 || p.nature&stores != 0 && w.reached&p.mask != 0
	if !meets && w.sites>>(h.number%64)&1 == 0 {
		return true
	}
	h.nature, h.bytes = p.nature, p.bytes
	for k := w.first; k != 0; {
		t, at := h.sh.row(k), k
		k = t.next
		if t.mask&p.mask == 0 || t.bytes&p.bytes == 0 {
			continue
		}
		if t.isLikePiece(h, p) {
			if t.mask != p.mask {
				return false
			}
			if p.own = at; !meets {
				return true
			}
		}
		if (t.nature|p.nature)&stores != 0 && c.mustSay(h, &t.touch) {
			return false
		}
	}
	return true
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
		own = h.sh.addRow(p.in, plain)
		own.site, own.nature, own.bytes, own.first = h.number, p.nature, p.bytes, h.now
		own.mask, own.firstAt = p.mask, p.first
		p.in.has(h, p)
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
	if h.sh == &r.memory {
		r.maps(h, p.lowest()) // another piece may be in another buffer
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
	size, low := p.first.size, 8*uint64(bits.TrailingZeros8(p.bytes))
	first, again := p.element*int(h.Access.Elem), p.own != 0
	from := int(p.row-p.first.base) / 4 // which of the dwords of all lanes is the first one of the row
	if size == 4 && !again {
		data := &h.Wave.V[h.dataRegister(p.element, first/4)]
		lo, hi := bits.TrailingZeros64(p.mask), bits.Len64(p.mask)
		copy(t.values[lo:hi], data[(from+lo)&(state.NumLanes-1):])
		return
	}
	var data [4]*state.Lanes // the dwords of a lane
	dwords := int(size+3) / 4
	for i := range dwords {
		data[i&3] = &h.Wave.V[h.dataRegister(p.element, first/4+i)]
	}
	shift := uint64(0)
	if h.Inst.Row().Mem.D16 == gcn.HighHalf {
		shift = 16
	}
	mask := byteMasks[p.bytes]
	for m := p.mask; m != 0; m &= m - 1 {
		i := bits.TrailingZeros64(m) & (rowWords - 1)
		var v uint32
		switch off := from + i; size {
		case 4:
			v = data[0][off&(state.NumLanes-1)]
		case 8:
			v = data[off&1][off>>1&(state.NumLanes-1)]
		case 12, 16:
			v = data[off%dwords&3][off/dwords&(state.NumLanes-1)]
		default:
			lane := (p.row + 4*uint64(i) + low/8 - p.first.base) / size
			v = data[0][lane&(state.NumLanes-1)] >> shift << low & mask
		}
		if again && t.values[i] != v {
			t.variedIn |= 1 << i
		}
		t.values[i] = v
	}
}

// splitRow gives the dwords of row n of a page touches of their own.
func (s *shadow) splitRow(p *page, at uint64, n int) {
	if p.first == nil {
		p.first = s.heads()
	}
	var order []uint32 // the latest record first
	for k := p.rows[n].first; k != 0; k = s.row(k).next {
		order = append(order, k)
	}
	p.rows[n] = row{split: true}
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
