package unit

import (
	"encoding/binary"
	"math/bits"

	"github.com/gcnsim/gcnsim/gcn"
	"github.com/gcnsim/gcnsim/internal/simd"
	"github.com/gcnsim/gcnsim/state"
)

// Find makes a Span a [Memory] of one range: LDS and GDS.
func (s *Span) Find(addr uint64) *Span {
	if _, ok := s.Offset(addr, 1); ok {
		return s
	}
	return nil
}

// Load reads the elements of the lanes of mask into the registers that begin at w.V[reg],
// from the addresses in a. Elements in a.Out give 0. Sub-dword elements are extended,
// those of D16 rows keep the other half (rules DP3 and DP4). Elements are read in
// ascending order, registers of other lanes are left alone.
func Load(w *state.Wave, mem Memory, m *gcn.Mem, reg int, mask uint64, a *state.Access) *state.Fault {
	for i := range int(m.Count) {
		addr, disp := Element(a, i)
		in := mask &^ a.Out[min(i, 3)]
		if m.D16 != gcn.Full {
			return loadHalf(w, mem, m, reg, addr, mask, in)
		}
		// Elements of 8 bytes are two dwords.
		for size := int(m.Elem); size > 0; size -= 4 {
			if in != mask {
				Zero(w, reg, mask&^in)
			}
			if f := gather(mem, &w.V[reg], addr, disp, min(size, 4), in, a.Dense && addr == &a.Addr); f != nil {
				return f
			}
			if m.Signed {
				extend(&w.V[reg], m, in)
			}
			reg++
			disp += 4
		}
	}
	return nil
}

// loadHalf is Load of a D16 row, which has one element.
func loadHalf(w *state.Wave, mem Memory, m *gcn.Mem, reg int, addr *[state.NumLanes]uint64, mask, in uint64) *state.Fault {
	var tmp state.Lanes
	if f := Gather(mem, &tmp, addr, 0, int(m.Elem), in); f != nil {
		return f
	}
	Put(w, m, reg, &tmp, mask)
	return nil
}

// Put writes one loaded element of at most 4 bytes, zero-extended in v, to the lanes of
// mask of w.V[reg], as [Load] would. It may change v.
func Put(w *state.Wave, m *gcn.Mem, reg int, v *state.Lanes, mask uint64) {
	if m.Signed {
		extend(v, m, mask)
	}
	if m.D16 != gcn.Full {
		mergeHalf(&w.V[reg], v, m.D16, mask)
		return
	}
	simd.Merge(&w.V[reg], v, mask)
}

// Zero sets the lanes of mask of w.V[reg] to 0.
func Zero(w *state.Wave, reg int, mask uint64) {
	simd.Select(&w.V[reg], &w.V[reg], &zeros, mask)
}

var zeros state.Lanes

// Store writes the elements of the lanes of mask from the registers that begin at
// w.V[reg] to the addresses in a; those in a.Out are dropped. Element i of all lanes is
// written before element i+1, within an element higher lanes are written later.
func Store(w *state.Wave, mem Memory, m *gcn.Mem, reg int, mask uint64, a *state.Access) *state.Fault {
	for i := range int(m.Count) {
		if f := StoreElement(w, mem, m, reg, i, mask, a); f != nil {
			return f
		}
		reg += max(int(m.Elem)/4, 1)
	}
	return nil
}

// StoreElement is [Store] of element i alone, whose data begin at w.V[reg].
func StoreElement(w *state.Wave, mem Memory, m *gcn.Mem, reg, i int, mask uint64, a *state.Access) *state.Fault {
	addr, disp := Element(a, i)
	in := mask &^ a.Out[min(i, 3)]
	src, high := &w.V[reg], (*state.Lanes)(nil)
	if m.Elem == 8 {
		high = &w.V[reg+1]
	}
	if m.D16 == gcn.HighHalf {
		var tmp state.Lanes
		simd.Field(&tmp, src, 16, 0xffff, 0)
		src = &tmp
	}
	return scatter(mem, src, high, addr, disp, int(m.Elem), in, a.Dense && addr == &a.Addr)
}

// Element returns where element i of each lane is: at addr[lane]+disp.
func Element(a *state.Access, i int) (addr *[state.NumLanes]uint64, disp uint64) {
	if a.Split && i > 0 {
		return &a.More[i-1], 0
	}
	return &a.Addr, uint64(i) * uint64(a.Elem)
}

// extend sign-extends the elements of m to 32 bits, or to 16 in a D16 row.
func extend(dst *state.Lanes, m *gcn.Mem, mask uint64) { Extend(dst, 32-8*int(m.Elem), mask) }

// Extend repeats the sign of the lanes of mask, the bit below the upper drop bits, in
// those bits.
func Extend(v *state.Lanes, drop int, mask uint64) {
	for ; mask != 0; mask &= mask - 1 {
		lane := bits.TrailingZeros64(mask) & 63
		v[lane] = uint32(int32(v[lane]<<drop) >> drop)
	}
}

// Merge sets the lanes of mask of dst to src, but for the bits of keep; bits of keep in src
// must be 0 unless dst is src.
func Merge(dst, src *state.Lanes, keep uint32, mask uint64) {
	switch {
	case dst == src:
	case keep == 0:
		simd.Merge(dst, src, mask)
	default:
		insert(dst, src, 0, keep, mask)
	}
}

// mergeHalf writes the low halves of src to one half of dst and keeps the other.
func mergeHalf(dst, src *state.Lanes, half gcn.D16Half, mask uint64) {
	if half == gcn.HighHalf {
		insert(dst, src, 16, 0xffff, mask)
	} else {
		insert(dst, src, 0, 0xffff0000, mask)
	}
}

// insert sets the lanes of mask of dst to src << shift, but for the bits of keep.
func insert(dst, src *state.Lanes, shift, keep uint32, mask uint64) {
	var v state.Lanes
	simd.Insert(&v, src, dst, shift, ^keep, keep)
	simd.Merge(dst, &v, mask)
}

// Gather reads size bytes (1, 2 or 4) at addr[lane]+disp for each lane of mask,
// zero-extended. It finds each range once.
func Gather(mem Memory, dst *state.Lanes, addr *[state.NumLanes]uint64, disp uint64, size int, mask uint64) *state.Fault {
	return gather(mem, dst, addr, disp, size, mask, false)
}

// GatherAmong is [Gather] of dwords where what lanes out of mask get does not matter.
func GatherAmong(mem Memory, dst *state.Lanes, addr *[state.NumLanes]uint64, disp, mask uint64) *state.Fault {
	if mask != 0 {
		if s := mem.Find(addr[bits.TrailingZeros64(mask)&63] + disp); s != nil {
			if words, base := s.dwords(); simd.GatherAmong(dst, words, addr, base-disp, mask) {
				return nil
			}
		}
	}
	return Gather(mem, dst, addr, disp, 4, mask)
}

// gather is Gather that may be told that the lanes are consecutive dwords.
func gather(mem Memory, dst *state.Lanes, addr *[state.NumLanes]uint64, disp uint64, size int, mask uint64, dense bool) *state.Fault {
	for mask != 0 {
		lane := bits.TrailingZeros64(mask) & 63
		s := mem.Find(addr[lane] + disp)
		if s == nil {
			return Unmapped(lane, addr[lane]+disp, size)
		}
		if size == 4 && s.readDwords(dst, addr, disp, mask, dense) || size < 4 && s.readSmall(dst, addr, disp, size, mask) {
			return nil
		}
		if mask = s.read(dst, addr, disp, size, mask); mask>>lane&1 != 0 {
			var b [4]byte
			if !readAcross(mem, addr[lane]+disp, b[:size]) {
				return Unmapped(lane, addr[lane]+disp, size)
			}
			dst[lane] = binary.LittleEndian.Uint32(b[:])
			mask &^= 1 << lane
		}
	}
	return nil
}

// Mapped returns the lanes of mask whose size bytes at addr[lane] are all mapped.
func Mapped(mem Memory, addr *[state.NumLanes]uint64, size int, mask uint64) (there uint64) {
	var s *Span
	for ; mask != 0; mask &= mask - 1 {
		lane := bits.TrailingZeros64(mask) & 63
		if s == nil || addr[lane]-s.Base-s.Lo >= s.Hi-s.Lo {
			if s = mem.Find(addr[lane]); s == nil {
				continue
			}
		}
		_, whole := s.Offset(addr[lane], uint64(size))
		if whole || across(mem, addr[lane], size, func(*Span, uint64, int, int) {}) {
			there |= 1 << lane
		}
	}
	return there
}

// Scatter is the inverse of [Gather]. Lanes are written in ascending order.
func Scatter(mem Memory, src *state.Lanes, addr *[state.NumLanes]uint64, disp uint64, size int, mask uint64) *state.Fault {
	return scatter(mem, src, nil, addr, disp, size, mask, false)
}

// scatter is Scatter that takes the upper half of 8-byte elements from high, and may be
// told that the lanes are consecutive dwords.
func scatter(mem Memory, src, high *state.Lanes, addr *[state.NumLanes]uint64, disp uint64, size int, mask uint64, dense bool) *state.Fault {
	for mask != 0 {
		lane := bits.TrailingZeros64(mask) & 63
		s := mem.Find(addr[lane] + disp)
		if s == nil {
			return Unmapped(lane, addr[lane]+disp, size)
		}
		switch {
		case s.Seal == Unbound:
			mask = s.drop(addr, disp, size, mask)
		case s.Seal != Open:
			return sealed(s, lane, addr[lane]+disp)
		case mask == state.FullExec && (size == 4 && s.writeDwords(src, addr, disp, dense) || size < 4 && s.writeSmall(src, addr, disp, size)):
			return nil
		default:
			mask = s.write(src, high, addr, disp, size, mask)
		}
		if mask>>lane&1 != 0 {
			if f := scatterAcross(mem, src, high, addr, disp, size, lane); f != nil {
				return f
			}
			mask &^= 1 << lane
		}
	}
	return nil
}

// scatterAcross is scatter of one lane whose element no range holds as a whole.
func scatterAcross(mem Memory, src, high *state.Lanes, addr *[state.NumLanes]uint64, disp uint64, size, lane int) *state.Fault {
	v := uint64(src[lane])
	if high != nil {
		v |= uint64(high[lane]) << 32
	}
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], v)
	if s, ok := writeAcross(mem, addr[lane]+disp, b[:size]); s != nil {
		return sealed(s, lane, addr[lane]+disp)
	} else if !ok {
		return Unmapped(lane, addr[lane]+disp, size)
	}
	return nil
}

// read reads the lanes of mask that lie in s and returns the others.
func (s *Span) read(dst *state.Lanes, addr *[state.NumLanes]uint64, disp uint64, size int, mask uint64) (rest uint64) {
	b, base, places := s.bytes(size)
	base -= disp
	for ; mask != 0; mask &= mask - 1 {
		lane := bits.TrailingZeros64(mask) & 63
		off := addr[lane] - base
		if off >= places {
			rest |= 1 << lane
			continue
		}
		switch size {
		case 4:
			dst[lane] = binary.LittleEndian.Uint32(b[off:])
		case 2:
			dst[lane] = uint32(binary.LittleEndian.Uint16(b[off:]))
		default:
			dst[lane] = uint32(b[off])
		}
	}
	return rest
}

// drop returns the lanes of mask that do not lie in s: what the others store is dropped.
func (s *Span) drop(addr *[state.NumLanes]uint64, disp uint64, size int, mask uint64) (rest uint64) {
	for ; mask != 0; mask &= mask - 1 {
		lane := bits.TrailingZeros64(mask) & 63
		if _, ok := s.Offset(addr[lane]+disp, uint64(size)); !ok {
			rest |= 1 << lane
		}
	}
	return rest
}

// readSmall reads all lanes, of one or two bytes, if mask holds all and all lie in s.
func (s *Span) readSmall(dst *state.Lanes, addr *[state.NumLanes]uint64, disp uint64, size int, mask uint64) bool {
	b, base, _ := s.bytes(size)
	return mask == state.FullExec && simd.GatherSmall(dst, b, addr, base-disp, size)
}

// readDwords reads the lanes of mask if all of them lie in s and are aligned.
func (s *Span) readDwords(dst *state.Lanes, addr *[state.NumLanes]uint64, disp uint64, mask uint64, dense bool) bool {
	words, base := s.dwords()
	base -= disp
	if at := (addr[0] - base) / 4; dense && (addr[0]-base)&3 == 0 && at < uint64(len(words)) && at+state.NumLanes <= uint64(len(words)) {
		simd.Merge(dst, (*state.Lanes)(words[at:]), mask)
		return true
	}
	return simd.Gather(dst, words, addr, base, mask)
}

// write writes the lanes of mask that lie in s and returns the others. If lanes write
// to the same place the highest one wins.
func (s *Span) write(src, high *state.Lanes, addr *[state.NumLanes]uint64, disp uint64, size int, mask uint64) (rest uint64) {
	b, base, places := s.bytes(size)
	base -= disp
	for ; mask != 0; mask &= mask - 1 {
		lane := bits.TrailingZeros64(mask) & 63
		off := addr[lane] - base
		if off >= places {
			rest |= 1 << lane
			continue
		}
		switch size {
		case 8:
			binary.LittleEndian.PutUint64(b[off:], uint64(src[lane])|uint64(high[lane])<<32)
		case 4:
			binary.LittleEndian.PutUint32(b[off:], src[lane])
		case 2:
			binary.LittleEndian.PutUint16(b[off:], uint16(src[lane]))
		default:
			b[off] = byte(src[lane])
		}
	}
	return rest
}

// writeSmall writes the low one or two bytes of all lanes if all lie in s.
func (s *Span) writeSmall(src *state.Lanes, addr *[state.NumLanes]uint64, disp uint64, size int) bool {
	b, base, _ := s.bytes(size)
	return simd.ScatterSmall(src, b, addr, base-disp, size)
}

// writeDwords writes all lanes if all of them lie in s and are aligned.
func (s *Span) writeDwords(src *state.Lanes, addr *[state.NumLanes]uint64, disp uint64, dense bool) bool {
	words, base := s.dwords()
	base -= disp
	if at := (addr[0] - base) / 4; dense && (addr[0]-base)&3 == 0 && at < uint64(len(words)) && at+state.NumLanes <= uint64(len(words)) {
		copy(words[at:], src[:])
		return true
	}
	return simd.Scatter(src, words, addr, base)
}

// dwords returns the mapped aligned dwords and the address of the first one.
func (s *Span) dwords() (words []uint32, base uint64) {
	first := (s.Lo + 3) / 4
	last := s.Hi / 4
	if last <= first {
		return nil, s.Base
	}
	return s.Words[first:last], s.Base + 4*first
}

// bytes returns the mapped bytes, the address of the first one, and at how many places
// an element of size bytes can begin.
func (s *Span) bytes(size int) (b []byte, base uint64, places uint64) {
	b = s.Bytes[s.Lo:s.Hi]
	return b, s.Base + s.Lo, uint64(max(len(b)-size+1, 0))
}
