package check

import (
	"math/bits"
	"slices"

	native "github.com/gcnsim/gcnsim/internal/base/block"
	"github.com/gcnsim/gcnsim/internal/isa"
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

// rowTouch is a record of the dwords of a row that are set in mask. The lanes of its first and its last access follow
// from firstAt and lastAt.
type rowTouch struct {
	record
	firstAt, lastAt int32  // where lane 0 begins, from the row on
	stored          uint32 // number of the values that the latest stores wrote, 0 if they are no plain stores
	mask            uint64
}

// rowValues has the values of the dwords of a record, the lowest one first. Before them are variedWords, with a bit for
// each dword that is set if different values were written to it.
type rowValues []uint32

const variedWords = 2

// set makes v the value of dword n of t. It has had one before if again is set.
func (t rowValues) set(n int, v uint32, again bool) {
	if again && t[variedWords+n] != v {
		t[n/32] |= 1 << (n % 32)
	}
	t[variedWords+n] = v
}

// rowChains is how many chains a row has, so that the records of one instruction are found without those of most
// others: the rest of its number is which chain has them.
const rowChains = 8

// row is what a row of memory has. If it is split, it has no records: its dwords have touches of their own.
type row struct {
	first           [rowChains]uint32 // numbers of the latest record of each chain, 0 if there is none
	records         uint8
	split           bool
	stored, reached uint64 // the dwords that stores or atomics of the records have changed, and all that they reach
	quiet           quiet  // what accesses without records reach
}

// has adds p, for which a record was made, to what w knows of its records.
func (w *row) has(p *piece) {
	w.records++
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

// laneOf returns the lane that accesses byte at of the row. Lane 0 begins at base, from the row on, too.
func (t *rowTouch) laneOf(at int, base int32) uint8 {
	if t.each == 0 {
		return noLane
	}
	return uint8((at - int(base)) / int(t.each))
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

// touchRows judges and keeps an access to memory or LDS as pieces of rows. It returns false, and keeps nothing of the
// access, if that must be judged dword by dword. Before either, it makes records of the listed loads if the access may
// store to what other waves have reached with them.
func (c *Checker) touchRows(h *hand, a *state.Access, mask uint64) bool {
	r := &c.races
	rows := !r.sync && !r.split && !h.swaps && r.cut(h, a, mask)
	if native.Compiles && r.endsLoads(h, rows) {
		c.endList() // which needs the pieces
		rows = rows && r.cut(h, a, mask)
	}
	if !rows {
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
func (r *races) shows(x *step, p *piece) bool {
	addr, end := p.lowest(), p.row+4*uint64(bits.Len64(p.mask))
	return r.mapsAll(x, addr, end)
}

// mapsAll reports whether all bytes from addr to end are in the range of memory that is looked at, and none in private
// memory.
func (r *races) mapsAll(x *step, addr, end uint64) bool {
	return r.maps(x, addr) && end-r.from <= uint64(len(r.view)) && end >= addr &&
		(end <= x.PrivateBase || len(x.Private) == 0 || addr >= x.PrivateBase+uint64(len(x.Private)))
}

// plain reports whether h is a store and no atomic.
func (h *hand) plain() bool { return h.op&(stores|atomic) == stores }

// isLikePiece reports whether p of the access at hand has the instruction and the nature of t.
func (t *record) isLikePiece(h *hand, p *piece) bool {
	return t.site == h.number && t.nature == p.nature
}

// passes reports whether p can be kept as a part of its row: nothing must be said about it and the other records of
// the row, and a record of its instruction is about the same dwords or about others.
func (c *Checker) passes(h *hand, p *piece) bool {
	w := h.sh.rowOf(p.row)
	p.in = w
	if w.split || w.records == maxRowTouches {
		return false
	}
	h.nature, h.bytes = p.nature, p.bytes
	if w.stored&p.mask == 0 && (p.nature&stores == 0 || w.reached&p.mask == 0) {
		return c.passesChain(h, p, w.first[h.number%rowChains], false)
	}
	for _, k := range w.first {
		if !c.passesChain(h, p, k, true) {
			return false
		}
	}
	return true
}

// passesChain is passes with the records of a chain, of which the latest one is k. If meets is false only one of the
// instruction matters.
func (c *Checker) passesChain(h *hand, p *piece, k uint32, meets bool) bool {
	for k != 0 {
		t, at := h.sh.row(k), k
		k = t.next
		if t.mask&p.mask == 0 || t.bytes&p.bytes == 0 {
			continue
		}
		if t.isLikePiece(h, p) {
			if t.mask != p.mask || t.bytes != p.bytes {
				return false
			}
			if p.own = at; !meets {
				return true
			}
		}
		if (t.nature|p.nature)&stores != 0 && c.mustSay(h, &t.record) {
			return false
		}
	}
	return true
}

// mustSay reports whether [Checker.meet] may have something to say about the access at hand and t.
func (c *Checker) mustSay(h *hand, t *record) bool {
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
		own = h.sh.addRow(&p.in.first[h.number%rowChains])
		if plain {
			own.stored = h.sh.addValues(p.mask)
		}
		own.site, own.nature, own.bytes, own.first = h.number, p.nature, p.bytes, h.now
		own.mask, own.firstAt, own.each = p.mask, int32(p.first.base-p.row), uint8(p.first.size)
		p.in.has(p)
	}
	if plain {
		h.sh.valuesOf(own).store(h, r, p)
	}
	if own.last.group != r.group || own.epoch != r.epoch {
		own.epoch, own.waves = r.epoch, 0
	}
	own.last, own.lastAt, own.waves = h.now, int32(p.last.base-p.row), own.waves|1<<h.now.wave
}

// store notes what the dwords of p hold in its bytes, which the access at hand has stored.
func (t rowValues) store(h *hand, r *races, p *piece) {
	if h.isNoted() {
		t.storeRegisters(h, p)
		return
	}
	if h.sh == &r.memory {
		r.maps(h.step, p.lowest()) // another piece may be in another buffer
	}
	from, view := r.viewOf(h)
	n := 0
	for m := p.mask; m != 0; m &= m - 1 {
		t.set(n, valueIn(from, view, p.row+4*uint64(bits.TrailingZeros64(m)))&byteMasks[p.bytes], p.own != 0)
		n++
	}
}

// storeRegisters is store with what lies in registers.
func (t rowValues) storeRegisters(h *hand, p *piece) {
	size, low := p.first.size, 8*uint64(bits.TrailingZeros8(p.bytes))
	first, again := p.element*int(h.Access.Elem), p.own != 0
	from := int(p.row-p.first.base) / 4 // which of the dwords of all lanes is the first one of the row
	lo, hi := bits.TrailingZeros64(p.mask), bits.Len64(p.mask)
	alone := !again && hi-lo == bits.OnesCount64(p.mask) // nothing is between its dwords
	if alone && size == 4 {
		copy(t[variedWords:][:hi-lo], h.Wave.V[h.dataRegister(p.element, first/4)][(from+lo)&(state.NumLanes-1):])
		return
	}
	var data [4]*state.Lanes // the dwords of a lane
	dwords := int(size+3) / 4
	for i := range dwords {
		data[i&3] = &h.Wave.V[h.dataRegister(p.element, first/4+i)]
	}
	if alone && size == 8 {
		lane := (from + lo) / 2
		for to := t[variedWords:][:hi-lo]; len(to) > 1; to = to[2:] {
			to[0], to[1] = data[0][lane&(state.NumLanes-1)], data[1][lane&(state.NumLanes-1)]
			lane++
		}
		return
	}
	shift := uint64(0)
	if (*isa.Inst)(h.Inst).Row().Mem.D16 == isa.HighHalf {
		shift = 16
	}
	mask, n := byteMasks[p.bytes], 0
	for m := p.mask; m != 0; m &= m - 1 {
		i := bits.TrailingZeros64(m)
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
		t.set(n, v, again)
		n++
	}
}

// splitRow gives the dwords of row n of a page touches of their own.
func (s *shadow) splitRow(p *page, n int) {
	if p.first == nil {
		p.first = s.heads()
	}
	chains := p.rows[n].first
	w := &p.rows[n]
	*w = row{split: true, quiet: w.quiet}
	for _, k := range chains {
		var order []uint32 // the latest record first
		for ; k != 0; k = s.row(k).next {
			order = append(order, k)
		}
		for _, k := range slices.Backward(order) {
			t, i := s.row(k), 0
			for m := t.mask; m != 0; m &= m - 1 {
				dword := bits.TrailingZeros64(m)
				s.splitDword(t, &p.first[n*rowWords+dword], dword, i)
				i++
			}
		}
	}
}

// splitDword makes touches of t for one dword: one touch, or one for each lane that reaches a part of it. They are
// added at head. i is how many dwords of t are before it.
func (s *shadow) splitDword(t *rowTouch, head *uint32, dword, i int) {
	step := 4
	if t.each == 1 || t.each == 2 {
		step = int(t.each)
	}
	for at := 0; at < 4; at += step {
		bytes := t.bytes & (uint8(1<<step-1) << at)
		if bytes == 0 {
			continue
		}
		one := s.add(head)
		next := one.next
		one.record = t.record
		one.next, one.bytes = next, bytes
		from := 4*dword + bits.TrailingZeros8(bytes)
		one.first.lane, one.last.lane = t.laneOf(from, t.firstAt), t.laneOf(from, t.lastAt)
		if t.stored != 0 {
			v := s.valuesOf(t)
			one.value, one.varied = v[variedWords+i]&byteMasks[bytes], v[i/32]>>(i%32)&1 != 0
		}
	}
}
