package check

import (
	"math/bits"

	"github.com/gcnsim/gcnsim/internal/sim/registers"
	"github.com/gcnsim/gcnsim/state"
)

// This file splits accesses into pieces of rows, and detects lanes of one access that access the same bytes.

// cut splits the current access into pieces. It returns false if there are too many, or if some cannot be recorded.
func (r *races) cut(h *hand, a *state.Access, mask uint64) bool {
	size, n := uint64(a.Elem)*uint64(a.Count), 1
	r.pieces = r.pieces[:0]
	switch {
	case a.Scalar:
		elem := uint64(a.Elem)
		return a.Out[0] == 0 && a.Addr[0]&3 == 0 && elem == 4 && r.cutMask(h, a.Addr[0], ^uint64(0)>>(rowWords-size/4),
			&piece{bytes: 0xf, nature: h.op.ofSize(0, elem)})
	case a.Split:
		n, size = int(a.Count), uint64(a.Elem)
	case registers.Whole(a, mask) != mask:
		return false
	}
	if size > 4 && size&3 != 0 || size == 3 || size >= rowBytes {
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
			if at[0]&3 != 0 || !r.cutMask(h, at[0], state.FullExec, &p) {
				return false
			}
			continue
		}
		done, ok := r.cutInStep(h, at, in, size, &p)
		if !ok || !done && !r.cutElement(h, at, in, size, p, a.Split) {
			return false
		}
	}
	return true
}

// cutMask splits a mask of dwords into pieces like p. Bit 0 of the mask is the dword at addr.
func (r *races) cutMask(h *hand, addr, dwords uint64, p *piece) bool {
	p.row = addr &^ (rowBytes - 1)
	first := addr / 4 % rowWords
	for _, p.mask = range [...]uint64{dwords << first, dwords >> (rowWords - first)} {
		if p.mask != 0 && !r.addPiece(h, p) {
			return false
		}
		p.row += rowBytes
	}
	return true
}

// cutInStep splits like cutElement, if the lanes are in step: see inStep. done is false if they are not.
func (r *races) cutInStep(h *hand, at *[state.NumLanes]uint64, mask, size uint64, like *piece) (done, ok bool) {
	if mask == 0 || size&(size-1) != 0 || size < 4 || size > 16 {
		return mask == 0, true
	}
	base, ok := inStep(at, mask, size)
	if !ok || base&(size-1)&7 != 0 {
		return false, true
	}
	p := *like
	p.first = laneAt{base, size}
	p.last = p.first
	n := rowBytes / size // so many lanes access as many dwords as a row has
	for ; mask != 0; mask >>= n {
		dwords := mask & (^uint64(0) >> (64 - n))
		for i := n; i < 64; i *= 2 {
			dwords = spread2(dwords)
		}
		if !r.cutMask(h, base, dwords, &p) {
			return true, false
		}
		base += rowBytes
	}
	return true, true
}

// inStep reports whether each lane of mask accesses size bytes at base plus size times its number. mask is not 0.
func inStep(at *[state.NumLanes]uint64, mask, size uint64) (base uint64, ok bool) {
	lane := bits.TrailingZeros64(mask)
	base = at[lane&(state.NumLanes-1)] - size*uint64(lane)
	last := bits.Len64(mask) - 1
	other, next := at[last]-size*uint64(last)^base, base
	if other != 0 { // an early exit for the common case
		return base, false
	}
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

// spread2 doubles each of the low 32 bits: bit i becomes bits 2i and 2i+1.
func spread2(v uint64) uint64 {
	v = (v | v<<16) & 0x0000ffff0000ffff
	v = (v | v<<8) & 0x00ff00ff00ff00ff
	v = (v | v<<4) & 0x0f0f0f0f0f0f0f0f
	v = (v | v<<2) & 0x3333333333333333
	v = (v | v<<1) & 0x5555555555555555
	return v | v<<1
}

// cutElement splits the access of the lanes of mask, with size bytes each, into pieces. They have the nature of like.
func (r *races) cutElement(h *hand, at *[state.NumLanes]uint64, mask, size uint64, like piece, split bool) bool {
	plain, aligned := h.plain(), min(size&-size, 8)-1 // otherwise lanes could have different natures
	dwords := uint64(1)<<((size+3)/4) - 1
	var open [4]piece // for each byte of a dword, the piece that begins there
	last := ^uint64(0)
	for ; mask != 0; mask &= mask - 1 {
		lane := bits.TrailingZeros64(mask)
		addr := at[lane]
		if addr&aligned != 0 {
			return false
		}
		p, first := &open[addr&3], addr/4%rowWords
		base, row := addr-size*uint64(lane), addr&^(rowBytes-1)
		if addr == last && !plain { // lanes with the address of the previous lane do the same
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
			if p.mask != 0 && !r.addPieces(h, &open) {
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
	return r.addPieces(h, &open)
}

// addPieces adds the pieces of open that have dwords, and clears them.
func (r *races) addPieces(h *hand, open *[4]piece) bool {
	for i := range open {
		p := &open[i]
		if p.mask != 0 && !r.addPiece(h, p) {
			return false
		}
		p.mask = 0
	}
	return true
}

// addPiece adds p to the pieces of the current access. It returns false if the memory of p is not checked, or if p
// meets another piece such that they cannot be recorded.
func (r *races) addPiece(h *hand, p *piece) bool {
	if h.sh == &r.memory && !r.shows(h.step, p) {
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

// overlap reports whether two lanes of a store to LDS or memory may access the same bytes.
func (r *races) overlap(h *hand, a *state.Access) bool {
	switch {
	case apart(a):
		return false
	case h.sh == &r.memory:
		return lanesOverlap(a)
	}
	if size := len(h.LDS)/4 + 1; len(r.marks) < size {
		r.marks = make([]uint64, size)
	}
	r.mark++
	for i := range int(a.Count) {
		for m := a.Exec &^ a.Out[i&3]; m != 0; m &= m - 1 {
			addr, left := a.At(i, bits.TrailingZeros64(m)), uint64(a.Elem)
			for left > 0 {
				n := min(4-addr&3, left)
				if addr/4 >= uint64(len(r.marks)) {
					return true
				}
				bytes, at := uint64(1<<n-1)<<(addr&3), &r.marks[addr/4]
				if *at>>4 != r.mark {
					*at = r.mark << 4
				}
				if *at&bytes != 0 {
					return true
				}
				*at |= bytes
				addr, left = addr+n, left-n
			}
		}
	}
	return false
}

// lanesOverlap reports whether two lanes of a store to memory access the same bytes.
func lanesOverlap(a *state.Access) bool {
	size := uint64(a.Elem) * uint64(a.Count)
	for m := a.Exec; m != 0; m &= m - 1 {
		addr := a.Addr[bits.TrailingZeros64(m)]
		for n := m & (m - 1); n != 0; n &= n - 1 {
			if d := a.Addr[bits.TrailingZeros64(n)] - addr; d < size || -d < size {
				return true
			}
		}
	}
	return false
}

// apart reports whether no two lanes of a store access the same bytes. It only compares low bits of addresses, so it
// may also return false for such a store.
func apart(a *state.Access) bool {
	size := uint64(a.Elem) * uint64(a.Count)
	if a.Split || size&(size-1) != 0 {
		return false
	}
	mask := a.Exec &^ a.Out[0]
	if a.Dense && size == 4 { // possibly only the address of lane 0 is known
		return mask == state.FullExec
	}
	places, low, shift := uint64(0), uint64(0), bits.TrailingZeros64(size)
	for m := mask; m != 0; m &= m - 1 {
		addr := a.Addr[bits.TrailingZeros64(m)]
		places |= 1 << (addr >> shift % 64)
		low |= addr
	}
	return low&(size-1) == 0 && bits.OnesCount64(places) == bits.OnesCount64(mask)
}
