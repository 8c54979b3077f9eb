package check

import (
	"math/bits"
	"slices"

	native "github.com/gcnsim/gcnsim/internal/base/block"
	"github.com/gcnsim/gcnsim/internal/isa"
	"github.com/gcnsim/gcnsim/state"
)

// This file records accesses to consecutive dwords in one record. Most instructions access memory like this:
// neighbouring lanes access neighbouring bytes. The dwords of a record have the same history. As soon as that may no
// longer hold, or an access may have to be reported, the row is split into its dwords, which [Checker.touchDword]
// judges. Rows therefore have no rules of their own.

// A row is rowWords consecutive dwords.
const (
	rowBits  = 6
	rowWords = 1 << rowBits
	rowBytes = 4 * rowWords
)

// rowTouch is a record for the dwords of a row that are set in mask. The lanes of its first and its last access are
// derived from firstAt and lastAt.
type rowTouch struct {
	record
	firstAt, lastAt int32  // offset of lane 0's bytes from the start of the row
	stored          uint32 // index of the values that the latest stores wrote, 0 if they are not plain stores
	mask            uint64
}

// rowValues has the values of a record's dwords, the lowest one first. They follow variedWords words with a bit for
// each dword, which is set if different values were written to it.
type rowValues []uint32

const variedWords = 2

// set sets the value of dword n of t. again says that it already had a value.
func (t rowValues) set(n int, v uint32, again bool) {
	if again && t[variedWords+n] != v {
		t[n/32] |= 1 << (n % 32)
	}
	t[variedWords+n] = v
}

// rowChains is the number of chains of a row. Records of one instruction are in the same chain, so most records of
// other instructions need not be searched. The remainder of the instruction's number selects the chain.
const rowChains = 8

// row has the records of a row of memory. A split row has no records, because its dwords have touches of their own.
type row struct {
	first   [rowChains]uint32 // index of the latest record in each chain, or 0
	records uint8
	split   bool
	// the dwords that stores or atomics of the records have written, and all dwords that they have accessed
	stored, reached uint64
	quiet           quiet // dwords accessed without records
}

// has adds p, for which a record was made, to the summary in w.
func (w *row) has(p *piece) {
	w.records++
	w.reached |= p.mask
	if p.nature&stores != 0 {
		w.stored |= p.mask
	}
}

// laneAt maps addresses to lanes: lane 0 begins at base, and each lane has size bytes. A size of 0 means that the
// whole wave makes the access.
type laneAt struct{ base, size uint64 }

// noLane is [state.NoLane] in a [moment].
const noLane = state.NoLane & 0xff

// laneOf returns the lane that accesses byte at of the row. at and base are offsets from the start of the row; lane 0
// begins at base.
func (t *rowTouch) laneOf(at int, base int32) uint8 {
	if t.each == 0 {
		return noLane
	}
	return uint8((at - int(base)) / int(t.each))
}

// piece is the part of an access in one row: the same bytes of each dword in mask.
type piece struct {
	row         uint64 // address of the row
	mask        uint64
	bytes       uint8
	nature      nature
	element     int    // index of the lanes' element, if their elements are not consecutive
	first, last laneAt // they differ if several lanes access the same bytes
	in          *row
	own         uint32 // index of the row's record that it belongs to, 0 if it needs a new one
}

// lowest returns the address of the first dword of p.
func (p *piece) lowest() uint64 { return p.row + 4*uint64(bits.TrailingZeros64(p.mask)) }

// maxPieces limits the pieces of an access that is recorded in rows.
const maxPieces = 24

// maxRowTouches limits the records of a row.
const maxRowTouches = 64

// touchRows judges and records an access to memory or LDS as pieces of rows. It returns false, and records nothing,
// if the access must be judged dword by dword. In both cases, if the access may store to dwords that listed loads of
// other waves have read, it first makes records of these loads.
func (c *Checker) touchRows(h *hand, a *state.Access, mask uint64) bool {
	r := &c.races
	rows := !r.sync && !r.split && !h.swaps && r.cut(h, a, mask)
	if native.Compiles && r.endsLoads(h, rows) {
		c.endList() // endList needs the pieces
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

// shows reports whether all dwords of p are in the checked range of memory, and none in private memory.
func (r *races) shows(x *step, p *piece) bool {
	addr, end := p.lowest(), p.row+4*uint64(bits.Len64(p.mask))
	return r.mapsAll(x, addr, end)
}

// mapsAll reports whether all bytes from addr to end are in the checked range of memory, and none in private memory.
func (r *races) mapsAll(x *step, addr, end uint64) bool {
	return r.maps(x, addr) && end-r.from <= uint64(len(r.view)) && end >= addr &&
		(end <= x.PrivateBase || len(x.Private) == 0 || addr >= x.PrivateBase+uint64(len(x.Private)))
}

// plain reports whether h is a store, but not an atomic.
func (h *hand) plain() bool { return h.op&(stores|atomic) == stores }

// isLikePiece reports whether p of the current access has the same instruction and nature as t.
func (t *record) isLikePiece(h *hand, p *piece) bool {
	return t.site == h.number && t.nature == p.nature
}

// passes reports whether p can be recorded in its row: there must be nothing to report about it and the row's other
// records, and a record of the same instruction must have either the same dwords or none in common.
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

// passesChain is passes for the records of one chain. k is the chain's latest record. If meets is false, only records
// of the same instruction matter.
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

// mustSay reports whether [Checker.meet] may have something to report about the current access and t.
func (c *Checker) mustSay(h *hand, t *record) bool {
	if t.nature&h.nature&atomic != 0 && t.bytes == h.bytes && t.nature.size() == h.nature.size() {
		return false
	}
	if _, ok := c.unordered(h, t); ok {
		return true
	}
	return h.nature&(stores|atomic) == 0 && c.isStale(h, t) != noCache
}

// keepRow records p in its row.
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

// store records the content of p's dwords after the current store.
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

// storeRegisters is store for values that are in registers.
func (t rowValues) storeRegisters(h *hand, p *piece) {
	size, low := p.first.size, 8*uint64(bits.TrailingZeros8(p.bytes))
	first, again := p.element*int(h.Access.Elem), p.own != 0
	from := int(p.row-p.first.base) / 4 // index, among the dwords of all lanes, of the row's first dword
	lo, hi := bits.TrailingZeros64(p.mask), bits.Len64(p.mask)
	alone := !again && hi-lo == bits.OnesCount64(p.mask) // its dwords are contiguous
	if alone && size == 4 {
		copy(t[variedWords:][:hi-lo], h.Wave.V[h.dataRegister(p.element, first/4)][(from+lo)&(state.NumLanes-1):])
		return
	}
	var data [4]*state.Lanes // the dwords of each lane
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

// splitRow replaces the records of row n by touches of its dwords.
func (s *shadow) splitRow(p *page, n int) {
	if p.first == nil {
		p.first = s.heads()
	}
	chains := p.rows[n].first
	w := &p.rows[n]
	*w = row{split: true, quiet: w.quiet}
	for _, k := range chains {
		var order []uint32 // indices, the latest record first
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

// splitDword replaces t by touches of one dword: one, or one for each lane that accesses a part of the dword. They
// are added to the list head. i is the number of dwords of t before it.
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
